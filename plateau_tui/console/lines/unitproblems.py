"""What is wrong with the units: without a pin, not online; rows 5 and 6 of the decision table."""

from collections.abc import Iterator, Sequence
from typing import Final

from plateau_tui.console.keys import KeyNames
from plateau_tui.console.lines.problem import Problem, of_names
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.view import RunView, UnitView
from plateau_tui.metric.plain import is_are

_ABSENT_POLLS: Final = 2
"""Who was missing in so many lists of players in a row is told; one may miss a reconnection."""
_OTHERS: Final = 2
_NAME_CELLS: Final = 16
_WILL: Final = "the verdict will be WITHHELD"


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
            brief=f"pin with {pin}",
        )
    doubtful = [unit for unit in view.units if not unit.pin_confirmed]
    if doubtful:
        yield _of_units(
            "the pinned log never moved and another did: ",
            doubtful,
            view,
            "",
            f"SECONDARY may stay unknown; pin the one that grew most with {pin}",
            grave=False,
            kind="pin in doubt",
            brief=f"pin the other with {pin}",
        )


def of_the_players(view: RunView) -> Iterator[Problem]:
    """Yield who is not in the players' list, and what that does to the verdict."""
    nobody = all(unit.absent_polls for unit in view.units)
    least = 1 if nobody else _ABSENT_POLLS
    cost = _too_few(view)
    why = f"; {cost}" if cost else ""
    never = [unit for unit in view.units if unit.absent_polls and not unit.seen]
    if never:
        todo = f"check the name; {_others(view)}"
        yield _of_units(
            "never seen online: ",
            never,
            view,
            "",
            f"{todo}{why}",
            grave=bool(cost),
            kind="never seen",
            brief=todo,
        )
    left = [
        unit
        for unit in view.units
        if unit.seen and (unit.absent_polls >= least or not view.is_live(unit))
    ]
    if left:
        todo = "ask whether it left; offline is not dead"
        yield _of_units(
            "not in the players' list: ",
            left,
            view,
            "",
            f"{todo}{why}",
            grave=bool(cost),
            kind="not listed",
            brief=todo,
        )


def _too_few(view: RunView) -> str:
    """Return why row 6 of the decision table applies as things stand, or nothing.

    Before the players' list was ever answered nobody can be told to be missing.
    """
    if not any(unit.seen or unit.absent_polls for unit in view.units):
        return ""
    treatment, asked = view.of("treatment"), max(view.k_primary, view.k_secondary)
    live = {unit.name for unit in view.units if view.is_live(unit)}
    here = sum(unit.name in live for unit in treatment)
    if here < asked:
        of = f"{here} of {len(treatment)} {harmless(view.arms['treatment'], _NAME_CELLS)} units"
        return f"with {of} live and {asked} asked, {_WILL}"
    control = {unit.pair for unit in view.of("control") if unit.name in live}
    if not any(unit.pair in control for unit in treatment if unit.name in live):
        return f"with no pair live, {_WILL}"
    return ""


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
