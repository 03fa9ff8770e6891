"""What is wrong with a run now, worst first, each with what to do about it."""

import re
from collections.abc import Collection, Iterator
from typing import Final

from plateau_tui.collector.sealed import PUT_BACK
from plateau_tui.console.keys import PLAIN_KEYS, KeyNames
from plateau_tui.console.lines.faultproblems import (
    of_the_disk,
    of_the_link,
    of_the_log,
    of_the_probe,
)
from plateau_tui.console.lines.problem import Problem, Rank, as_seen, of_names, worst_first
from plateau_tui.console.lines.text import cells, harmless, is_slow
from plateau_tui.console.lines.unitproblems import of_the_pins, of_the_players
from plateau_tui.console.live.exports import EXPORT_IS_OLD
from plateau_tui.console.live.view import RunView
from plateau_tui.metric.objectives import SCORED
from plateau_tui.metric.plain import counted

__all__ = ["Problem", "next_step", "problems", "standing_line"]

_SILENT_INTERVALS: Final = 2
_WORD: Final = re.compile(r"[a-z0-9_]+")
_SILENT_MS: Final = 5000
_ENDS: Final = "this run ends WITHHELD"
_OVER: Final = frozenset({"closed", "adjudicated"})


def problems(view: RunView, now_ms: int, keys: KeyNames = PLAIN_KEYS) -> list[Problem]:
    """Return all problems of a run at ``now_ms``, worst first; ``keys`` are named as mapped.

    What costs readings now and can be acted on comes first, then what already makes the verdict
    WITHHELD for good, then the grave ones of the rest, then the others; of each of these, what the
    operator has acknowledged, and what has not changed since, comes last.
    """
    found = [
        *_of_the_reading(view),
        *_of_the_collector(view, now_ms, keys),
        *of_the_disk(view, _missed(view, now_ms)),
        *of_the_link(view, keys),
        *_of_the_claim(view),
        *_of_the_readings(view, keys),
        *_of_the_gone(view),  # what can be mended stands before it
    ]
    return worst_first(as_seen(found, view.seen_problems))


def _of_the_reading(view: RunView) -> Iterator[Problem]:
    if view.error:
        yield Problem(
            f"the run cannot be read: {view.error}",
            "what was read last is shown; it is tried again",
            grave=True,
            kind="unreadable run",
            rank=Rank.NOW,
        )


def _of_the_claim(view: RunView) -> Iterator[Problem]:
    if view.seal_broken:
        text = "registration.toml was changed"
        whole = f"{PUT_BACK}; as it is, the verdict is WITHHELD"
        briefs = (
            (text, f"WITHHELD as it is; {PUT_BACK}"),
            ("registration.toml changed", f"WITHHELD; {PUT_BACK}"),
            ("registration changed", "WITHHELD; put it back (plateau-tui seal RUN --show)"),
            ("registration changed", "WITHHELD until it is put back"),
        )
        yield Problem(text, whole, grave=True, briefs=briefs)
    for fact in view.voided:
        yield _of_a_void(fact, still_gone=_is_told_in(fact, view.missing))
    if view.items_removed:
        yield Problem(
            "a count probe REMOVED items",
            "no inventory is asked any more; tell whoever runs the server's plugins",
            grave=True,
        )
    yield from of_the_log(view)


def _of_the_gone(view: RunView) -> Iterator[Problem]:
    if view.missing and not any(_is_told_in(fact, view.missing) for fact in view.voided):
        # What voids the run counts the scored ones alone: its number is to be found in this one.
        scored = sum(name in SCORED for name in view.missing)
        yield of_names(
            "gone from the server: ",
            view.missing,
            f" ({scored} scored)" if 0 < scored < len(view.missing) else "",
            "do not add them again; ask who removed them",
            grave=True,
            kind="objectives gone",
            what="objectives",
        )


def _is_told_in(fact: str, missing: Collection[str]) -> bool:
    """Say whether what voids the run names just those objectives that are gone now."""
    return bool(missing) and set(SCORED).intersection(_WORD.findall(fact)) == set(missing)


def _of_a_void(fact: str, *, still_gone: bool) -> Problem:
    """Return what makes the verdict WITHHELD whatever comes; all names stand behind its start.

    Where what it names is ``still_gone`` it says as well that nobody is to add that again.
    """
    start = fact.partition(" (")[0]
    kind = "void: gone" if " gone in cycle " in fact else "void: another arm's tag"
    todo = f"{_ENDS}, nothing mends that; plan another"
    briefs = [(start, todo), (start, _ENDS)]
    if still_gone:
        who = "do not add again; ask who removed it"
        briefs = [(start, f"{_ENDS}; {who}"), (start, f"{_ENDS}; do not add again"), *briefs[1:]]
        todo = f"{todo}; {who}"
    return Problem(fact, todo, grave=True, briefs=tuple(briefs), kind=kind, rank=Rank.FOR_GOOD)


def _of_the_collector(view: RunView, now_ms: int, keys: KeyNames) -> Iterator[Problem]:
    start = keys["run.collect"]
    if view.collector_pid is None:
        if view.stage == "open" and view.is_over(now_ms):
            text = "the window's time is over, and no collector closed it"
            todo = f"close it with {keys['run.close']}"
            yield Problem(text, todo, grave=True, kind="not closed", rank=Rank.NOW)
        elif view.stage == "open":
            why = f" (the last one ended: {view.refusal})" if view.refusal else ""
            missed = _missed(view, now_ms)
            text, todo = "NO COLLECTOR runs and the window is open", f"start one with {start}"
            briefs = ((f"NO COLLECTOR runs{missed}", todo), ("NO COLLECTOR runs", todo))
            text, kind = f"{text}{missed}{why}", "no collector"
            yield Problem(text, todo, grave=True, briefs=briefs, kind=kind, rank=Rank.NOW)
        elif view.refusal and view.stage not in _OVER:
            text = f"no collector was started: {view.refusal}"
            yield Problem(text, f"put that right, then {start} starts one", grave=False)
    if view.collector_pid is None or view.heartbeat_ms is None or view.stage != "open":
        return
    if view.blocked:
        return  # it is silent because it cannot write, which is told
    age = now_ms - view.heartbeat_ms
    if age > _SILENT_INTERVALS * view.interval_ms + _SILENT_MS:
        yield Problem(
            f"the collector has been silent for {age // 1000} s{_missed(view, now_ms)}",
            f"look at collector.log; process {view.collector_pid}",
            grave=True,
            kind="silent collector",
            rank=Rank.NOW,
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
            kind="poll overdue",
            rank=Rank.NOW,
        )


def _missed(view: RunView, now_ms: int) -> str:
    """Return how many polls have no rows; what a collector holds in memory is not missed."""
    missed = view.missed_polls(now_ms)
    word = "not written" if view.blocked and view.collector_pid is not None else "missed"
    return f"; {counted(missed, 'poll')} {word} so far" if missed else ""


def _of_the_readings(view: RunView, keys: KeyNames) -> Iterator[Problem]:
    if view.failed and not view.registered:
        yield of_names(
            "not to be had from the server: ",
            view.failed,
            "",
            f"the collector needs them; put that right, then register with {keys['run.wizard']}",
            grave=False,
            kind="objectives not to be had",
            what="objectives",
        )
    if view.fell:
        text, todo = f"counters that fell: {view.fell}", "a rollback or an edit"
        named = f" ({', '.join(view.fallen)})" if view.fallen else ""
        todo = f"{todo}; the verdict names them"
        fell = f"{counted(view.fell, 'counter')} fell"
        if view.fallen:
            left = view.fell - 1
            fell = f"{view.fallen[0]}{f', +{left}' if left else ''} fell"
        briefs = ((fell, todo), (fell, "a rollback or an edit"))
        yield Problem(f"{text}{named}", todo, grave=False, briefs=briefs)
    if view.stage in _OVER:
        return
    if view.clock_off_s:
        yield Problem(
            f"the wall clock was found {view.clock_off_s:+.0f} s off; slots stay",
            "set it right before another collector starts, which would go by it",
            grave=False,
        )
    if view.stage != "open":
        return
    nobody = all(unit.online is False for unit in view.units)
    if nobody:
        yield from of_the_players(view)
    yield from of_the_pins(view, keys)
    yield from of_the_probe(view)
    if not nobody:
        yield from of_the_players(view)


def standing_line(view: RunView, keys: KeyNames = PLAIN_KEYS) -> str:
    """Return what comes next for a run with which nothing is wrong."""
    match view.stage:
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
        case _:
            return _before_line(view, keys)


def _before_line(view: RunView, keys: KeyNames) -> str:
    """Return what is left before a window opens; registering and pinning may precede the seal."""
    form, wizard, seal = keys["run.gate"], keys["run.wizard"], keys["wizard.seal"]
    if view.stage == "draft" and not view.registered:
        return f"draft: fill in the form ({form}), then seal; {wizard} is the first-poll wizard"
    if view.stage == "draft" and view.unpinned:
        return f"draft: registered; watch and pin the farmed wood with {wizard}, then seal"
    if view.stage == "draft":
        return f"draft: registered and pinned; {wizard}, then {seal} seals it ({form} is the form)"
    if view.stage == "sealed":
        return f"sealed: register the objectives with {wizard}, the first-poll wizard"
    if view.stage == "registered":
        return f"registered: watch and pin the farmed wood with {wizard}"
    if view.collector_pid is not None:
        return "the collector opens the window once it has read a counter in each arm"
    return f"ready: {keys['run.collect']} starts the collector, which opens the window"


def next_step(view: RunView, keys: KeyNames, width: int) -> tuple[str, str]:
    """Return what comes next for a run whose window is over, whatever is wrong.

    It is told in a line of its own, and in brief for where a problem's line begins. Both are
    nothing for any other run: what is to be done there is to mend what is wrong.
    """
    if view.stage not in _OVER:
        return "", ""
    line, verdict = standing_line(view, keys), keys["run.verdict"]
    if cells(line) > width:
        how = " early, which is WITHHELD" if view.closed_early else ""
        told = f"{view.stage}: {view.verdict};" if view.verdict else f"{view.stage}{how}:"
        line = harmless(f"{told} next {verdict}, the verdict", width)
    return line, f"(next: {verdict}) "


def _old_export(keys: KeyNames) -> str:
    return f"{EXPORT_IS_OLD}: {keys['run.verdict']}, then {keys['verdict.export']} exports again"


def _closed_line(view: RunView, verdict: str) -> str:
    end = "; exported" if view.exported else ""
    if view.verdict:
        return f"closed: {view.verdict} (not final){end}; {verdict} says what is open"
    closed = "closed early, which is WITHHELD" if view.closed_early else "closed"
    if view.exported:
        return f"{closed} and exported; {verdict} shows the verdict, and what is open"
    return f"{closed}: next {verdict}, the verdict: its questions, and the export"
