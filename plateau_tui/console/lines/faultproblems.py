"""What is wrong with the log, the connection and the probe, each with what to do about it."""

import re
from collections.abc import Iterator
from typing import Final

from plateau_tui.console.lines.problem import Problem, Rank, some
from plateau_tui.console.live import faults
from plateau_tui.console.live.view import RunView
from plateau_tui.metric.plain import out_of
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.state import LOG_BLOCKED

_AGAIN: Final = "it is tried again at the next poll"
_COUNTED: Final = re.compile(r" \(\d+ times\)$")
"""How often a fault came in its cycle, behind its text: nothing that is to be done so often."""
_GAPS: Final = re.compile(r" \(\d+ of \d+ units?\)$")
_BRIEF_TODO: Final = {
    "refused": (
        "start the server, or check enable-rcon, rcon.port",
        "start it, or check enable-rcon",
    ),
    "timed_out": ("see whether the server hangs, and the link", "see whether it hangs"),
    "password": ("compare it with rcon.password", "see rcon.password"),
    "not_rcon": ("check the port (25575, not 25565)", "check the port"),
    "unreachable": ("check the host and the network", "check the network"),
    "unresolvable": ("check the host's name", "check the host's name"),
}
"""What to do about a fault of the connection, by its code, in few words and in fewer."""

_WAITS: Final = ": kept in memory and tried again"
_ROWS: Final = "rows.jsonl"
_ENDS: Final = "this run ends WITHHELD"
_WHERE: Final = "touch nothing; plateau-tui verify says where"
_BACK: Final = f"put the earlier file back beside it, or {_ENDS}"


def of_the_log(view: RunView) -> Iterator[Problem]:
    """Yield what speaks against the log itself: the first row of the decision table."""
    if view.lost_rows:
        text = f"rows.jsonl holds fewer rows than were counted: {view.lost_rows} are gone"
        names = "plateau-tui verify names the cycles"
        yield Problem(text, f"{_BACK}; {names}", grave=True, briefs=((text, _BACK),))
    for fault in view.log_faults:
        cause = fault.text.partition("; ")[0]
        if fault.code == faults.LOG_EDITED:
            briefs = ((cause, _WHERE),)
            todo = f"{_ENDS}; {_WHERE}"
            yield Problem(cause, todo, grave=True, briefs=briefs, rank=Rank.FOR_GOOD)
        elif not view.lost_rows:
            todo = f"without them {_ENDS}; plateau-tui verify says whether they are back"
            yield Problem(f"{cause}{_since(fault)}", todo, grave=True)
    if view.unreadable:
        text = f"unreadable lines in the log: {view.unreadable}"
        briefs = ((text, _WHERE),)
        yield Problem(text, f"{_WHERE}; as it is, {_ENDS}", grave=True, briefs=briefs)
    for restart in view.restarted:
        if restart.file != _ROWS or not view.lost_rows:
            yield _of_a_restart(restart)


def _of_a_restart(restart: ev.LogRestarted) -> Problem:
    """Return that a log began anew; of the rows it is known by now that none is gone."""
    text = f"{restart.file} had to begin anew ({restart.reason})"
    if restart.kept or restart.file == _ROWS:
        kept = restart.kept or "the earlier file"
        return Problem(text, f"leave {kept} beside it: without it {_ENDS}", grave=False)
    todo = f"without its earlier part {_ENDS}; plateau-tui verify says whether that is there"
    briefs = ((f"{restart.file} had to begin anew", "plateau-tui verify says what is missing"),)
    return Problem(text, todo, grave=True, briefs=briefs)


def of_the_disk(view: RunView) -> Iterator[Problem]:
    """Yield that the log cannot be written; what was read waits in the collector's memory."""
    for fault in view.faults:
        if fault.code == LOG_BLOCKED and view.stage not in {"closed", "adjudicated"}:
            text = f"{fault.text.removesuffix(_WAITS)}{_since(fault)}"
            todo = "make room or give access; until then readings are kept in memory alone"
            briefs = ((text, "make room or give access"),)
            yield Problem(text, todo, grave=True, briefs=briefs, kind=LOG_BLOCKED, rank=Rank.NOW)


def of_the_link(view: RunView) -> Iterator[Problem]:
    """Yield what keeps the collector from reading, and what it gets past each time it reads."""
    before = view.slot0_ms is None and view.collector_pid is not None
    if view.stage != "open" and not before:
        return
    own = [fault for fault in view.faults if fault.code == faults.INTERNAL]
    told = ""
    if view.by_hand and view.stage == "open" and view.collector_pid is not None:
        yield _link_problem("RCON, read by hand", view.by_hand, "", "")
    elif before or view.rcon_ok is False:
        told = view.fault_code
        since = view.fault_since_cycle
        when = "" if since is None else f" since cycle {since + 1}"
        if view.fault:
            yield _link_problem("RCON", view.fault, view.fault_code, when)
        elif not before and not own and not _of_others(view, ""):
            yield _link_problem("RCON", "not everything could be read", "", when)
    for fault in _of_others(view, told):
        yield from _of_another(fault, view)
    for fault in view.faults:
        if fault.code == faults.NO_SERVER_LOCK:
            text = f"{fault.text}{_since(fault)}"
            todo = "see that no other run asks this server; make the state folder writable"
            yield Problem(text, todo, grave=False)
    for fault in own:
        text = f"{fault.text}{_since(fault, 'in')}"
        todo = "that cycle is a gap; report it, with collector.log"
        yield Problem(text, todo, grave=False, rank=Rank.NOW)


def _of_another(fault: ev.Fault, view: RunView) -> Iterator[Problem]:
    """Yield a fault of the connection beside the one that is told, or that costs no counter."""
    if not view.rcon_ok:
        yield _link_problem("RCON", fault.text, fault.code, _since(fault))
    elif view.collector_pid is not None:
        cause, todo = _cause_and_todo(fault.text)
        text = f"RCON{_since(fault)}, got past by asking again: {cause}"
        yield Problem(text, todo or "every counter was read", grave=False)


def _of_others(view: RunView, told: str) -> list[ev.Fault]:
    """Return the faults of the connection that last, beside the one that is told."""
    link = [f for f in reversed(view.faults) if f.code not in faults.NO_LINK]
    return [fault for fault in link if fault.code != told]


def _since(fault: ev.Fault, word: str = "since") -> str:
    return "" if fault.cycle is None else f" {word} cycle {fault.cycle + 1}"


def _cause_and_todo(text: str) -> tuple[str, str]:
    cause, _, todo = _COUNTED.sub("", text).partition(": ")
    return cause, todo


def _link_problem(what: str, text: str, code: str, when: str) -> Problem:
    """Return a fault of the connection, with what its own words say is to be done."""
    cause, todo = _cause_and_todo(text)
    brief_todo, briefest = _BRIEF_TODO.get(code, (_AGAIN, "tried again"))
    name = f"{what} {code.replace('_', ' ')}" if code else f"{what}: {cause}"
    briefs = ((f"{name}{when}", brief_todo), (name, briefest)) if code or todo else ()
    text = f"{what}{when}: {cause}"
    return Problem(text, todo or _AGAIN, grave=False, briefs=briefs, rank=Rank.NOW)


def of_the_probe(view: RunView) -> Iterator[Problem]:
    """Yield that the probe tells nothing, or too little, or that none runs at all."""
    gap = next((fault for fault in view.faults if fault.code == faults.PROBE_GAP), None)
    lost = "no arm is proven" if view.probe_armed else "its telemetry is missing"
    todo = f"{lost}; see [probe] in connection.toml"
    if gap is not None:
        silent = [unit.name for unit in view.units if unit.probe_ok is False]
        why = _GAPS.sub("", gap.text).removeprefix("probe: ")
        if not silent or len(silent) == len(view.units):
            text = f"the probe has told nothing{_since(gap)}"
            short = text
        else:
            of = out_of(len(silent), len(view.units), "unit")
            start = "the probe tells nothing of "
            text = f"{start}{', '.join(silent)}{_since(gap)}"
            short = f"{start}{some(silent) if len(silent) < 3 else of}{_since(gap)}"  # noqa: PLR2004 - as ``some`` does
        briefs = ((short, f"{todo} ({why})"), (short, todo), (short, "see connection.toml"))
        yield Problem(text, f"{todo} ({why})", grave=False, briefs=briefs)
    elif view.probe_armed and view.cycle is not None and not _is_probed(view):
        text = "the registration asks for the probe's tags and no probe runs"
        todo = "no arm is proven; name its command in [probe] of connection.toml"
        yield Problem(text, todo, grave=False)


def _is_probed(view: RunView) -> bool:
    return any(unit.probe_ok is not None for unit in view.units)
