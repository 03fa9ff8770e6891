"""What is wrong with the units: without a pin, not online; rows 5 and 6 of the decision table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from plateau_tui.console.keys import KeyNames
from plateau_tui.console.lines.problem import NAMED, Problem, of_names, some
from plateau_tui.console.lines.renamed import player_like, renamed_words
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.view import RunView, UnitView
from plateau_tui.metric.plain import counted, is_are
from plateau_tui.metric.reach import smallest_pairs

_ABSENT_POLLS: Final = 2
"""Who was missing in so many lists of players in a row is told; one may miss a reconnection."""
_OTHERS: Final = 2
_NAME_CELLS: Final = 16
_WILL: Final = "the verdict will be WITHHELD"


@dataclass(frozen=True, slots=True)
class _Cost:
    """What it does to the verdict that units are away, in full, in few words and in fewest.

    ``outcome`` is that alone, for where the units are named.
    """

    whole: str
    brief: str
    briefest: str
    outcome: str = "WITHHELD"


def of_the_pins(view: RunView, keys: KeyNames) -> Iterator[Problem]:
    """Yield who has no BASELINE_WOOD, those first whom it costs the verdict, and whose is in doubt.

    Args:
        view: a run in its window.
        keys: as they are mapped.

    """
    pin = keys["run.pin"]
    unpinned = [unit for unit in view.units if unit.baseline is None]
    live = [unit for unit in unpinned if view.is_live(unit)]
    if live:
        unmoved = not any(any(unit.woods.values()) for unit in live)
        free = ", any log: none of theirs moved" if unmoved else ""
        yield _of_units(
            "",
            live,
            view,
            f" {is_are(len(live))} live and unpinned",
            f"{_WILL}; pin with {pin}{free}",
            grave=True,
            kind="live and unpinned",
            brief=f"{_WILL}; {pin}",
        )
    absent = [unit for unit in unpinned if not view.is_live(unit)]
    if absent:
        yield _of_units(
            "no BASELINE_WOOD for ",
            absent,
            view,
            ", not live",
            f"once live without it, {_WILL}; pin with {pin}",
            grave=False,
            kind="unpinned, not live",
            brief=f"WITHHELD once live; {pin}",
        )
    doubtful = [unit for unit in view.units if not unit.pin_confirmed]
    if doubtful:
        problem = _of_units(
            "the pinned log never moved and another did: ",
            doubtful,
            view,
            "",
            f"SECONDARY may stay unknown; pin the one that grew most with {pin}",
            grave=False,
            kind="pin in doubt",
            brief=f"SECONDARY may stay unknown; {pin}",
        )
        short = (f"{counted(len(doubtful), 'pin')} in doubt", f"SECONDARY may stay unknown; {pin}")
        yield replace(problem, briefs=(*problem.briefs, short))


def of_the_players(view: RunView) -> Iterator[Problem]:
    """Yield who is not in the players' list, and what that does to the verdict."""
    nobody = all(unit.absent_polls for unit in view.units)
    least = 1 if nobody else _ABSENT_POLLS
    cost = _cost_of_absence(view)
    never = [unit for unit in view.units if unit.absent_polls and not unit.seen]
    if never:
        check = "check the name" if len(never) == 1 else "check the names"
        todo = _or_renamed((f"{check}; {_others(view)}", check, check), never, view)
        yield _absent("never seen online", never, view, cost, todo, "never seen")
    left = [
        unit
        for unit in view.units
        if unit.seen and (unit.absent_polls >= least or not view.is_live(unit))
    ]
    if left:
        it = "it" if len(left) == 1 else "they"
        todo = (f"ask whether {it} left; offline is not dead", f"ask whether {it} left", "ask why")
        if cost is not None:
            back = f"bring {'it' if len(left) == 1 else 'them'} back"
            todo = (f"{back} before the close; offline is not dead", f"{back} in time", back)
        todo = _or_renamed(todo, left, view)
        yield _absent("not in the players' list", left, view, cost, todo, "not listed")


def _or_renamed(
    todo: tuple[str, str, str], units: Sequence[UnitView], view: RunView
) -> tuple[str, str, str]:
    """Return what to do about absent units where some are likely online under another name."""
    told = [words for unit in units if (words := renamed_words(unit, view))]
    if not told:
        return todo
    others = [todo[0]] if len(told) < len(units) else []
    first = next(name for unit in units if (name := player_like(unit, view)))
    more = f" (+{len(told) - 1})" if len(told) > 1 else ""
    brief = f"{harmless(first, _NAME_CELLS)} is online{more}, name it as sealed"
    return "; ".join([*told, *others]), brief, "name it as sealed"


def _absent(
    what: str,
    units: Sequence[UnitView],
    view: RunView,
    cost: _Cost | None,
    todo: tuple[str, str, str],
    kind: str,
) -> Problem:
    """Return a problem of absent units: where room is short what it costs stands, not who."""
    names, total = [unit.name for unit in units], len(view.units)
    all_of = f"{total} of {total} units"
    named = all_of if len(units) == total else ", ".join(names)
    short = all_of if len(units) == total else some(names)
    whole, brief, briefest = todo
    text = f"{what}: {named}"
    if cost is None:
        briefs = [(f"{what}: {short}", whole), (f"{what}: {short}", brief)]
        briefs += [(f"{short} {kind}", brief), (f"{short} {kind}", briefest)]
        remedy = whole
    else:
        remedy = f"{cost.whole}; {whole}"
        briefs = [
            (f"{what}: {short}", remedy),
            (f"{what}: {short}", f"{cost.brief}; {brief}"),
            (f"{short} away", f"{cost.brief}; {briefest}"),
        ]
        if short != all_of and len(units) <= NAMED:
            briefs.append((f"{short} away, {cost.outcome}", briefest))
        briefs += [(cost.brief, briefest), (cost.briefest, briefest)]
    told = [pair for pair in dict.fromkeys(briefs) if pair != (text, remedy)]
    return Problem(text, remedy, grave=cost is not None, briefs=tuple(told), kind=kind)


def _cost_of_absence(view: RunView) -> _Cost | None:
    """Return what the verdict cannot be any more while those who are away stay so, or None.

    Row 6 of the decision table, and the smallest number of pairs that could pass. Before the
    players' list was ever answered nobody can be told to be missing.
    """
    if not any(unit.seen or unit.absent_polls for unit in view.units):
        return None
    treatment, asked = view.of("treatment"), max(view.k_primary, view.k_secondary)
    live = {unit.name for unit in view.units if view.is_live(unit)}
    here = sum(unit.name in live for unit in treatment)
    if here < asked:
        of = f"{here} of {len(treatment)} {harmless(view.arms['treatment'], _NAME_CELLS)} units"
        brief = f"{here} of {len(treatment)} live, {asked} asked: WITHHELD"
        return _Cost(f"with {of} live and {asked} asked, {_WILL}", brief, f"{here} live: WITHHELD")
    control = {unit.pair for unit in view.of("control") if unit.name in live}
    pairs = sum(unit.pair in control for unit in treatment if unit.name in live)
    if not pairs:
        brief = "no pair live: WITHHELD"
        return _Cost(f"with no pair live, {_WILL}", brief, brief)
    least = _pairs_to_pass(view)
    if least is not None and pairs < least <= len(treatment):
        of = f"{pairs} of {len(treatment)} pairs live"
        briefest = f"{pairs} pairs live: cannot PASS"
        return _Cost(
            f"{of}, and this gate cannot PASS below {least}",
            f"{of}, cannot PASS below {least}",
            briefest if pairs > 1 else "1 pair live: cannot PASS",
            "cannot PASS",
        )
    return None


def _pairs_to_pass(view: RunView) -> int | None:
    """Return the smallest number of live pairs with which the gate could pass, where known."""
    if view.paired is None:
        return None
    gate = view.paired.gate
    return _smallest_pairs(gate.margin, gate.confidence, gate.interval_method)


@lru_cache
def _smallest_pairs(margin: float, confidence: float, method: str) -> int | None:
    """Return what ``metric.reach`` says, which takes one method a second or more."""
    return smallest_pairs(margin, confidence, method)


def _others(view: RunView) -> str:
    """Return who else is online, where the collector has told that."""
    if not view.others:
        return "the roster is sealed, so the player must bear it"
    names = [harmless(name, _NAME_CELLS) for name in view.others[:_OTHERS]]
    left = len(view.others) - len(names)
    return f"also online: {', '.join(names)}{f' and {left} more' if left else ''}"


def _of_units(
    before: str,
    units: Sequence[UnitView],
    view: RunView,
    after: str,
    remedy: str,
    *,
    grave: bool,
    kind: str,
    brief: str,
) -> Problem:
    """Return a problem of units: all of them by name, or how many of all they are."""
    total = len(view.units)
    if len(units) == total:
        text = f"{before}{total} of {total} units{after}"
        return Problem(text, remedy, grave=grave, briefs=((text, brief),), kind=kind)
    names = [unit.name for unit in units]
    return of_names(before, names, after, remedy, grave=grave, kind=kind, brief=brief)
