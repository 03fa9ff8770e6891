"""The journal's events in words, one line each; cycles count from 1, as everywhere on screen."""

from collections.abc import Collection
from typing import Final

from plateau_tui.metric.plain import counted, has_have
from plateau_tui.runlog import events as ev

OBJECTIVE_BACK = "objective_missing"


_FAULT_WORDS: Final = {
    "closed": "connection closed",
    "deadline": "out of time",
    "log_blocked": "log not written",
    "password": "password refused",
    "refused": "connection refused",
}
"""What a fault is called where its code alone would be read as something else."""


def told_elsewhere(event: ev.Event | None) -> bool:
    """Say whether the screen shows an event in another place than the tail of the journal.

    Who asks is answered by the console itself; the note, the pin or the reading that came of it
    stands in the tail.
    """
    if isinstance(event, ev.ObjectiveEvent):
        return event.status != "failed"
    return isinstance(event, ev.Heartbeat) or (isinstance(event, ev.Answer) and event.ok)


def fault_words(code: str) -> str:
    """Return what a fault is called."""
    return _FAULT_WORDS.get(code, code.replace("_", " "))


def entry_text(event: ev.Event | None, name: str, faults: Collection[str] = ()) -> str:
    """Return an event as a person reads it, without its time.

    ``faults`` are the codes of those that last: the end of one is not the end of the others.
    """
    text = name.replace("_", " ") if event is None else _text(event)
    if isinstance(event, ev.Recovered) and event.code != OBJECTIVE_BACK:
        still = [code for code in faults if code != event.code]
        if still:
            # What lasts stands first: a line may be cut.
            text = f"STILL ON: {', '.join(map(fault_words, still))}; {text}"
    return f"{event.by}: {text}" if event is not None and event.by else text


def _text(event: ev.Event) -> str:
    told = _text_before_window(event) or _text_of_window(event) or _text_of_operator(event)
    return told or _text_of_trouble(event) or event.NAME.replace("_", " ")


def _text_before_window(event: ev.Event) -> str:
    text = ""
    match event:
        case ev.RunOpened():
            text = f"the journal begins, by {event.tool}, run {event.collector_id}"
        case ev.Sealed():
            text = f"sealed {event.sha256[:12]}"
        case ev.ObjectiveEvent():
            text = f"objective {event.name}: {event.status} {event.reason}".rstrip()
        case ev.Registered():
            made, had = len(event.created), len(event.existing)
            text = f"registered: {made} created, {had} there already"
        case ev.NamesShown():
            text = _own_names(len(event.own))
        case ev.Watch():
            text = f"watched the logs for {counted(event.polls, 'poll')}"
        case ev.Pinned():
            text = f"pinned {event.species} for {event.unit}"
        case ev.Connection():
            text = f"server {event.host} port {event.port}"
        case _:
            pass
    return text


def _own_names(objectives: int) -> str:
    if not objectives:
        return "no objective has shown its own name yet"
    shown = "its own name" if objectives == 1 else "their own names"
    return f"{counted(objectives, 'objective')} {has_have(objectives)} shown {shown}"


def _text_of_window(event: ev.Event) -> str:
    text = ""
    match event:
        case ev.CollectorStarted():
            text = f"collector {event.pid} started"
        case ev.CollectorStopped():
            text = f"collector {event.pid} stopped: {event.reason}"
        case ev.WindowOpened():
            text = "the window opened"
        case ev.Heartbeat():
            whole = "read whole" if event.rcon_ok else "not read whole"
            text = f"cycle {event.cycle + 1}: {whole}"
        case ev.WindowClosed():
            text = f"the window closed after {counted(event.cycles, 'cycle')} {event.why}".rstrip()
        case ev.Adjudicated():
            end = "" if event.final else " (not final)"
            text = f"adjudicated: {event.verdict or 'no word'}{end}"
        case _:
            pass
    return text


def _text_of_operator(event: ev.Event) -> str:
    text = ""
    match event:
        case ev.Note():
            text = f"note: {event.text}"
        case ev.Request():
            text = f"asked for {event.op}"
        case ev.Answer():
            text = f"answer: {'yes' if event.ok else 'no'}, {event.text}"
        case ev.PollNow():
            text = f"read by hand: {event.note}" if event.note else "read by hand"
        case _:
            pass
    return text


def _text_of_trouble(event: ev.Event) -> str:  # noqa: C901, PLR0912 - a table of cases
    text = ""
    match event:
        case ev.Fault():
            text = f"FAULT {fault_words(event.code)}{_in_cycle(event.cycle)}: {event.text}"
        case ev.Recovered(code=code) if code == OBJECTIVE_BACK:
            text = f"over{_in_cycle(event.cycle)}: {event.text}"
        case ev.Recovered():
            # Its text in older journals counts cycles from 0, so the fields are told instead.
            began = "" if event.since is None else f" (began in cycle {event.since + 1})"
            text = f"over{_in_cycle(event.cycle)}: {fault_words(event.code)}{began}"
        case ev.ObjectiveMissing():
            text = f"OBJECTIVE MISSING{_in_cycle(event.cycle)}: {event.objective}"
        case ev.CounterFell():
            fell = f"{event.objective} fell from {event.before} to {event.after}"
            text = f"{event.unit} {fell}{_in_cycle(event.cycle)}"
        case ev.Strangers():
            unseen, names = ", ".join(event.unseen), ", ".join(event.names)
            text = f"not listed: {unseen}; online and no unit: {names}"
        case ev.ClockMoved():
            text = f"the wall clock moved by {event.offset_s:+.1f} s; slots stay"
        case ev.CyclesMissed():
            text = f"{_cycles(event.first, event.last)} {event.reason}"
        case ev.TornTail():
            text = f"{counted(event.bytes, 'byte')} of {event.file} moved to {event.moved_to}"
        case ev.LogRestarted():
            text = f"{event.file}: {event.reason}; a new one goes on"
        case ev.SealBroken():
            text = "SEAL BROKEN: registration.toml is not what was sealed"
        case ev.SealRestored():
            text = "registration.toml is again what was sealed"
        case _:
            pass
    return text


def _in_cycle(cycle: int | None) -> str:
    return "" if cycle is None else f" in cycle {cycle + 1}"


def _cycles(first: int, last: int) -> str:
    return f"cycle {first + 1}" if first == last else f"cycles {first + 1} to {last + 1}"
