"""What is wrong with the log, the connection and the probe, each with what to do about it."""

import re
from collections.abc import Iterator
from typing import Final

from plateau_tui.console.keys import PLAIN_KEYS, KeyNames
from plateau_tui.console.lines.problem import Problem, Rank, some
from plateau_tui.console.live import faults
from plateau_tui.console.live.blockage import KEPT_IN_MEMORY
from plateau_tui.console.live.view import RunView
from plateau_tui.console.live.windowreadings import SILENT
from plateau_tui.metric.plain import counted, out_of
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.state import LOG_BLOCKED
from plateau_tui.runlog.unbeaten import JOURNAL_CUT
from plateau_tui.server.errors import PasswordError

_AGAIN: Final = "it is tried again at the next poll"
_COUNTED: Final = re.compile(r" \(\d+ times\)$")
"""How often a fault came in its cycle, behind its text: nothing that is to be done so often."""
_GAPS: Final = re.compile(r" \(\d+ of \d+ units?\)$")
_BRIEF_TODO: Final = {
    "refused": (
        "start the server, or check enable-rcon, rcon.port",
        "start the server",
    ),
    "timed_out": ("see whether the server hangs, and the link", "see whether it hangs"),
    "password": ("compare it with rcon.password", "see rcon.password"),
    "not_rcon": ("check the port (25575, not 25565)", "check the port"),
    "unreachable": ("check the host and the network", "check the network"),
    "unresolvable": ("check the host's name", "check the host's name"),
    "closed": ("see the server's log: it stops or restarts", "see the server's log"),
    "protocol": ("look for a proxy or other RCON clients", "look for a proxy"),
    "wrong_server": ("check host and port", "check host and port"),
    "garbled_reply": ("look for a plugin or another RCON client", "see plugins, clients"),
    "empty_reply": ("look for a plugin or another RCON client", "see plugins, clients"),
    "mismatch": ("look for another RCON client", "see other RCON clients"),
    "old_answer": ("look for a proxy or another RCON client", "look for a proxy"),
    "names_unclear": ("give each objective a display name of its own", "see display names"),
    "list_unclear": ("look for a plugin that hides players", "see plugins, clients"),
    "command_refused": ("check the server's version and its plugins", "see its plugins"),
    "command_failed": ("look at the server's log", "see the server's log"),
    "reply": ("look at the server's log", "see the server's log"),
    "server_error": ("look at the server's log", "see the server's log"),
    "objective_refused": ("check the server's version and its plugins", "see its plugins"),
    "incomplete_scores": ("look for a plugin or another RCON client", "see RCON clients"),
    "forms_disagree": ("see who adds or renames objectives", "see who does it"),
    "objectives_changed": ("see who adds or renames objectives", "see who does it"),
    "out_of_time": ("see whether the server lags, and the link", "see whether it lags"),
    "endpoint_busy": ("see which other run asks this server", "see which run asks"),
    "link_failed": ("check the host and the network", "check the network"),
    "cancelled": (_AGAIN, "tried again"),
}
"""What to do about a fault of the connection, by its code, in few words and in fewer."""

_ROWS: Final = "rows.jsonl"
_ENDS: Final = "this run ends WITHHELD"
NO_READING: Final = "no reading"
"""The kind of what keeps every counter of a cycle from being read: one outage, whatever it is."""
_COUNTERS_NAMED: Final = 2
_ASKED_NAMED: Final = 6
_ANSWERS: Final = frozenset({"garbled_reply", "empty_reply", "mismatch"})
"""Faults of an answer, which may be the players' list."""
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
        if fault.code in {faults.LOG_EDITED, JOURNAL_CUT}:
            briefs = ((cause, f"{_ENDS}; touch nothing"), (cause, _ENDS))
            todo = f"{_ENDS}; {_WHERE}"
            yield Problem(cause, todo, grave=True, briefs=briefs, rank=Rank.FOR_GOOD)
        elif not view.lost_rows:
            todo = f"without them {_ENDS}; plateau-tui verify says whether they are back"
            yield Problem(f"{cause}{_since(fault)}", todo, grave=True)
    if view.unreadable:
        text = f"unreadable lines in the log: {view.unreadable}"
        briefs = ((text, "WITHHELD as it is; touch nothing"), (text, "WITHHELD as it is"))
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
    short = f"{restart.file} began anew"
    briefs = (
        (short, f"without its earlier part {_ENDS}"),
        (short, "WITHHELD without the rest"),
    )
    return Problem(text, todo, grave=True, briefs=briefs)


def of_the_disk(view: RunView, missed: str = "") -> Iterator[Problem]:
    """Yield that the log cannot be written; what was read waits in the collector's memory.

    ``missed`` is how many polls have no rows, as it stands behind what is wrong.
    """
    if view.stage in {"closed", "adjudicated"}:
        return
    told = [f"{f.text.removesuffix(KEPT_IN_MEMORY)}{_since(f)}" for f in _blocked(view)]
    text = view.blocked or next(iter(told), "")
    if not text:
        return
    pid, short = view.collector_pid, text.partition(" (")[0]
    room = "make room" if short.endswith("full") else "make room or give access"
    if pid is None:
        todo = brief = briefer = briefest = f"{room}: no collector can write"
    else:
        todo = f"{room}, and do not kill process {pid}: its memory alone has what it reads"
        brief = f"{room}; do not kill {pid}, it holds readings"
        briefer = f"{room}; do not kill {pid}"
        briefest = f"{room}; kill nothing"
    yield Problem(
        f"{text}{missed if view.blocked else ''}",
        todo,
        grave=True,
        briefs=(
            (text, todo),
            *((t, brief) for t in (text, short)),
            (short, briefer),
            (short, briefest),
        ),
        kind=LOG_BLOCKED,
        rank=Rank.NOW,
    )


def _blocked(view: RunView) -> list[ev.Fault]:
    return [fault for fault in view.faults if fault.code == LOG_BLOCKED]


def of_the_link(view: RunView, keys: KeyNames = PLAIN_KEYS) -> Iterator[Problem]:
    """Yield what keeps the collector from reading, and what it gets past each time it reads."""
    before = view.slot0_ms is None and view.collector_pid is not None
    if view.stage != "open" and not before:
        return
    own = [fault for fault in view.faults if fault.code == faults.INTERNAL]
    told = ""
    if view.by_hand and view.stage == "open" and view.collector_pid is not None:
        yield _link_problem(view, "RCON, read by hand", view.by_hand, "", "", keys)
    elif before or view.rcon_ok is False:
        told = view.fault_code
        since = view.fault_since_cycle
        when = "" if since is None else f" since cycle {since + 1}"
        if view.fault:
            yield _link_problem(view, "RCON", view.fault, view.fault_code, when, keys)
        elif not before and not own and not _of_others(view, ""):
            yield _link_problem(view, "RCON", "not everything could be read", "", when, keys)
    for fault in _of_others(view, told):
        yield from _of_another(fault, view, keys)
    for fault in view.faults:
        if fault.code == faults.NO_SERVER_LOCK:
            text = f"{fault.text}{_since(fault)}"
            todo = "see that no other run asks this server; make the state folder writable"
            yield Problem(text, todo, grave=False)
    for fault in own:
        text = f"{fault.text}{_since(fault, 'in')}"
        cost = "it cost no cycle" if fault.cycle is None else "that cycle is a gap"
        todo = f"{cost}; report it, with collector.log"
        yield Problem(text, todo, grave=False, rank=Rank.NOW)


def _of_another(fault: ev.Fault, view: RunView, keys: KeyNames) -> Iterator[Problem]:
    """Yield a fault of the connection beside the one that is told, or that costs no counter."""
    if not view.rcon_ok:
        yield _link_problem(view, "RCON", fault.text, fault.code, _since(fault), keys)
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


def _link_problem(
    view: RunView, what: str, text: str, code: str, when: str, keys: KeyNames
) -> Problem:
    """Return a fault of the connection, with what its own words say is to be done.

    It is grave while cycles go by in which no counter at all is read.
    """
    cause, todo = _cause_and_todo(text)
    brief_todo, briefest = _BRIEF_TODO.get(code, (_AGAIN, "tried again"))
    if code == PasswordError.code:
        brief_todo, briefest = _new_password(view, keys)
        todo = f"{todo}; {brief_todo}" if todo else brief_todo
    down = _is_down(view)
    unread = "" if down else _unread(view, listed=code not in _ANSWERS)
    name = f"{what} {code.replace('_', ' ')}" if code else f"{what}: {cause}"
    full = f"{name} refused" if code == PasswordError.code else name
    asked = [] if down else _asked(view, cause)
    named = f"{name} for {some(asked, 'questions')}" if asked else name
    if len(asked) > 1 or (asked and asked[0] not in unread):
        unread = f"asked for {', '.join(asked[:_ASKED_NAMED])}; {unread}"
    least = briefest.partition(",")[0]
    briefs = (
        (f"{full}{when}", f"{unread}{brief_todo}"),
        *(((f"{full}{when}", briefest),) if full != name else ()),
        *((named, todo) for todo in dict.fromkeys((briefest, least)) if asked),
        (name, briefest),
    )
    return Problem(
        f"{what}{when}: {cause}",
        f"{unread}{todo or _AGAIN}",
        grave=down,
        briefs=briefs if code or todo else (),
        kind=NO_READING if down else "",
        rank=Rank.NOW,
    )


def _new_password(view: RunView, keys: KeyNames) -> tuple[str, str]:
    """Return how a run gets another password: the collector that has the old one must end."""
    start, pid = keys["run.collect"], view.collector_pid
    if pid is None:
        return f"{start} takes a new one", f"{start} takes a new one"
    return f"kill {pid}, then {start} takes a new one", f"kill {pid}, then {start}"


def _is_down(view: RunView) -> bool:
    """Say whether the last cycle of an open window has no counter at all."""
    return view.stage == "open" and view.window[-1:] == bytes([SILENT])


def _asked(view: RunView, cause: str) -> list[str]:
    """Return of whom was asked where the last cycle met a fault, as the notes of its rows tell.

    What was asked stands before the unit where it was one thing.
    """
    met = re.compile(rf"(?:^|; )(?:([a-z0-9_]+): )?{re.escape(cause)}")
    found: dict[str, None] = {}
    for unit in view.units:
        asked = met.findall(unit.readings[-1].note) if unit.readings else []
        if "list" in asked:
            asked.remove("list")
            found["the players' list"] = None
        if asked:
            one = asked[0] if len(asked) == 1 else ""
            found[f"{one} of {unit.name}" if one else unit.name] = None
    return list(found)


def _unread(view: RunView, *, listed: bool) -> str:
    """Return what the last cycle could not read though it read others, to stand before a remedy.

    What is gone from the server is told as just that, and the players' list unless ``listed``.
    """
    gone, last = set(view.missing), [unit for unit in view.units if unit.readings]
    lost = {
        unit.name: [n for n, c in unit.readings[-1].counts.items() if c is None and n not in gone]
        for unit in last
        if not unit.whole
    }
    names = [f"{name} of {unit}" for unit, unread in lost.items() for name in unread]
    if not names:
        listless = not listed and any(unit.online is None for unit in last)
        return "not read: the players' list; " if listless else ""
    units = [unit for unit, unread in lost.items() if unread]
    if len(names) <= _COUNTERS_NAMED:
        return f"not read: {', '.join(names)}; "
    return f"not read: {counted(len(names), 'counter')} of {some(units)}; "


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
        briefest = lost if view.probe_armed else "see connection.toml"
        briefs = ((short, f"{todo} ({why})"), (short, todo), (short, briefest))
        yield Problem(text, f"{todo} ({why})", grave=False, briefs=briefs)
    elif view.probe_armed and view.cycle is not None and not _is_probed(view):
        text = "the registration asks for the probe's tags and no probe runs"
        todo = "no arm is proven; name its command in [probe] of connection.toml"
        yield Problem(text, todo, grave=False)


def _is_probed(view: RunView) -> bool:
    return any(unit.probe_ok is not None for unit in view.units)
