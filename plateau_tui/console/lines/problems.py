"""What is wrong with a run now, worst first, each with what to do about it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from plateau_tui.collector.sealed import PUT_BACK
from plateau_tui.console.keys import PLAIN_KEYS, KeyNames
from plateau_tui.console.lines.text import cells, fold_words, harmless, is_slow
from plateau_tui.console.live.exports import EXPORT_IS_OLD
from plateau_tui.console.live.view import RunView, UnitView
from plateau_tui.metric.plain import counted

_SILENT_INTERVALS: Final = 2
_SILENT_MS: Final = 5000
_ABSENT_POLLS: Final = 2
"""Who was missing in so many lists of players in a row is told; one may miss a reconnection."""
_NAMED: Final = 2
_OTHERS: Final = 2
_NAME_CELLS: Final = 16
_AGAIN: Final = "it is tried again at the next poll"
_COUNTED: Final = re.compile(r" \(\d+ times\)$")
"""How often a fault came in its cycle, behind its text: nothing that is to be done so often."""
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


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and what to do. ``grave`` ones threaten the run's claim.

    ``briefs`` say both in fewer and fewer words, for where there is no room for all of them.
    """

    text: str
    remedy: str
    grave: bool
    briefs: tuple[tuple[str, str], ...] = ()

    @property
    def line(self) -> str:
        """The whole of it in one line."""
        return harmless(f"{self.text}: {self.remedy}")

    def fold(self, width: int, most: int, start: str = "! ") -> list[str]:
        """Return it behind ``start`` in at most ``most`` lines of ``width`` cells.

        Where the lines do not hold it, the first of its brief forms that they hold stands instead.
        What is wrong is cut where they hold none; what to do stays whole, and is cut only where
        the lines do not even hold that alone.
        """
        text, remedy = self.text, self.remedy
        for text, remedy in ((self.text, self.remedy), *self.briefs):
            whole = fold_words(f"{start}{text}: {remedy}", width)
            if len(whole) <= most:
                return whole
        text = harmless(text)

        def folded(kept: int) -> list[str]:
            shown = text if kept == len(text) else f"{text[:kept].rstrip()}~"
            return fold_words(f"{start}{shown}: {remedy}", width)

        fits, too_long = 0, min(len(text), width * most) + 1
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            if len(folded(middle)) <= most:
                fits = middle
            else:
                too_long = middle
        lines = folded(fits)
        if len(lines) > most:
            kept = lines[:most]
            kept[-1] = harmless(f"{kept[-1]} {lines[most]}", width)
            if cells(kept[-1]) < width and not kept[-1].endswith("~"):
                kept[-1] += "~"
            return kept
        return lines


def problems(view: RunView, now_ms: int, keys: KeyNames = PLAIN_KEYS) -> list[Problem]:
    """Return all problems of a run at ``now_ms``, worst first; ``keys`` are named as mapped."""
    return [
        *_of_the_claim(view, keys),
        *_of_the_collector(view, now_ms, keys),
        *_of_the_readings(view, keys),
    ]


def _of_the_claim(view: RunView, keys: KeyNames) -> Iterator[Problem]:
    if view.error:
        yield Problem(
            f"the run cannot be read: {view.error}",
            "what was read last is shown; it is tried again",
            grave=True,
        )
    if view.seal_broken:
        yield Problem("registration.toml was changed", PUT_BACK, grave=True)
    for fact in view.voided:
        yield Problem(fact, f"this run ends WITHHELD; {keys['run.journal']} says more", grave=True)
    if view.items_removed:
        yield Problem(
            "a count probe REMOVED items",
            "no inventory is asked any more; tell whoever runs the server's plugins",
            grave=True,
        )
    if view.missing:
        yield Problem(
            f"gone from the server: {_some(view.missing, 'objectives')}",
            "do not add them again; ask who removed them",
            grave=True,
        )
    if view.unreadable:
        yield Problem(
            f"unreadable lines in the log: {view.unreadable}",
            "touch nothing; plateau-tui verify",
            grave=True,
        )


def _of_the_collector(view: RunView, now_ms: int, keys: KeyNames) -> Iterator[Problem]:
    start = keys["run.collect"]
    if view.collector_pid is None:
        if view.stage == "open" and view.is_over(now_ms):
            text = "the window's time is over, and no collector closed it"
            yield Problem(text, f"close it with {keys['run.close']}", grave=True)
        elif view.stage == "open":
            why = f" (the last one ended: {view.refusal})" if view.refusal else ""
            missed = _missed(view, now_ms)
            text, todo = "NO COLLECTOR runs and the window is open", f"start one with {start}"
            briefs = ((f"NO COLLECTOR runs{missed}", todo), ("NO COLLECTOR runs", todo))
            yield Problem(f"{text}{missed}{why}", todo, grave=True, briefs=briefs)
        elif view.refusal and view.stage not in {"closed", "adjudicated"}:
            text = f"no collector was started: {view.refusal}"
            yield Problem(text, f"put that right, then {start} starts one", grave=False)
    if view.collector_pid is None or view.heartbeat_ms is None or view.stage != "open":
        return
    age = now_ms - view.heartbeat_ms
    if age > _SILENT_INTERVALS * view.interval_ms + _SILENT_MS:
        yield Problem(
            f"the collector has been silent for {age // 1000} s{_missed(view, now_ms)}",
            f"look at collector.log; process {view.collector_pid}",
            grave=True,
        )
        return
    overdue = view.overdue_ms(now_ms)
    if overdue and view.rcon_ok is not False:  # a known fault says more, and is told
        seconds = overdue // 1000
        if is_slow(view):  # the screen is drawn anew only where something on it changed
            seconds = seconds // 10 * 10
        yield Problem(
            f"poll overdue {seconds} s{_missed(view, now_ms)}",
            "the collector is asking, the server has not answered yet; see whether it hangs",
            grave=False,
            briefs=(
                (f"poll overdue {seconds} s", "no answer yet; see whether the server hangs"),
                (f"poll overdue {seconds} s", "no answer yet"),
            ),
        )


def _missed(view: RunView, now_ms: int) -> str:
    missed = view.missed_polls(now_ms)
    return f"; {counted(missed, 'poll')} missed so far" if missed else ""


def _of_the_link(view: RunView) -> Iterator[Problem]:
    before = view.slot0_ms is None and view.collector_pid is not None and bool(view.fault)
    if view.by_hand and view.stage == "open" and view.collector_pid is not None:
        yield _link_problem("RCON, read by hand", view.by_hand, "", "")
    elif before or (view.stage == "open" and view.rcon_ok is False):
        since = view.fault_since_cycle
        when = "" if since is None else f" since cycle {since + 1}"
        text = view.fault or "not everything could be read"
        yield _link_problem("RCON", text, view.fault_code, when)


def _link_problem(what: str, text: str, code: str, when: str) -> Problem:
    """Return a fault of the connection, with what its own words say is to be done."""
    cause, _, todo = _COUNTED.sub("", text).partition(": ")
    brief_todo, briefest = _BRIEF_TODO.get(code, (_AGAIN, "tried again"))
    name = f"{what} {code.replace('_', ' ')}" if code else f"{what}: {cause}"
    briefs = ((f"{name}{when}", brief_todo), (name, briefest)) if code or todo else ()
    return Problem(f"{what}{when}: {cause}", todo or _AGAIN, grave=False, briefs=briefs)


def _of_the_readings(view: RunView, keys: KeyNames) -> Iterator[Problem]:
    yield from _of_the_link(view)
    if view.fell:
        yield Problem(
            f"counters that fell: {view.fell}",
            "a rollback or an edit; the verdict names them",
            grave=False,
        )
    if view.stage != "open":
        return
    if all(unit.online is False for unit in view.units):
        yield from _of_the_players(view)
    if view.unpinned:
        yield Problem(
            f"no BASELINE_WOOD for {_some(view.unpinned)}",
            f"SECONDARY stays unknown; pin with {keys['run.pin']}",
            grave=False,
        )
    if any(unit.online is not False for unit in view.units):
        yield from _of_the_players(view)


def _of_the_players(view: RunView) -> Iterator[Problem]:
    nobody = all(unit.absent_polls for unit in view.units)
    least = 1 if nobody else _ABSENT_POLLS
    missing = [unit for unit in view.units if unit.absent_polls >= least]
    never = [unit for unit in view.units if unit.absent_polls and not unit.seen]
    if never:
        yield Problem(
            f"never seen online: {_of_all(never, view)}",
            f"check the name; {_others(view)}",
            grave=False,
        )
    left = [unit for unit in missing if unit.seen]
    if left:
        yield Problem(
            f"not in the players' list: {_of_all(left, view)}",
            "ask whether it left; offline is not dead",
            grave=False,
        )


def _others(view: RunView) -> str:
    """Return who else is online, where the collector has told that."""
    if not view.others:
        return "the roster is sealed, so the player must bear it"
    names = [harmless(name, _NAME_CELLS) for name in view.others[:_OTHERS]]
    left = len(view.others) - len(names)
    return f"also online: {', '.join(names)}{f' and {left} more' if left else ''}"


def _names(units: Sequence[UnitView]) -> list[str]:
    return [unit.name for unit in units]


def _of_all(units: Sequence[UnitView], view: RunView) -> str:
    """Return their names, or how many of all units they are."""
    named = _some(_names(units))
    return f"{len(units)} of {len(view.units)} units" if len(units) > _NAMED else named


def _some(names: Sequence[str], what: str = "units") -> str:
    """Return up to two names, or how many there are."""
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} {what}"


def standing_line(view: RunView, keys: KeyNames = PLAIN_KEYS) -> str:
    """Return what comes next for a run with which nothing is wrong."""
    wizard = keys["run.wizard"]
    match view.stage:
        case "draft":
            return f"draft: fill in registration.toml, then seal; {wizard} is the first-poll wizard"
        case "sealed":
            return f"sealed: register the objectives with {wizard}, the first-poll wizard"
        case "registered":
            return f"registered: watch and pin the farmed wood with {wizard}"
        case "pinned":
            return f"ready: {keys['run.collect']} starts the collector, which opens the window"
        case "open":
            return "all is well"
        case "closed":
            if view.verdict and view.export_is_old:
                return f"closed: {view.verdict} (not final); {_old_export(keys)}"
            return _closed_line(view, keys["run.verdict"])
        case "adjudicated":
            if view.export_is_old:
                return f"adjudicated: {view.verdict}; {_old_export(keys)}"
            end = "exported" if view.exported else "not exported"
            return f"adjudicated: {view.verdict}; {end}; {keys['run.verdict']} shows it"


def _old_export(keys: KeyNames) -> str:
    return f"{EXPORT_IS_OLD}: {keys['run.verdict']}, then {keys['verdict.export']} exports again"


def _closed_line(view: RunView, verdict: str) -> str:
    end = "; exported" if view.exported else ""
    if view.verdict:
        return f"closed: {view.verdict} (not final){end}; {verdict} says what is open"
    if view.exported:
        return f"closed and exported; {verdict} shows the verdict, and what is open"
    return f"closed: next {verdict}, the verdict: its questions, and the export"
