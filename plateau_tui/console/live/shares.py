"""How the run's screen shares its lines between units, the problems and the journal."""

from dataclasses import dataclass
from typing import Final

ROOMY_COLUMNS: Final = 80
"""From this width on two lines hold a problem."""
_HEADINGS: Final = 2
_BAR_ABOVE: Final = 5
"""So many lines are left to the problem and the journal before the window's bar takes one."""
_TAIL: Final = 2
"""So many lines of the journal stay beside more than one problem."""
_LEAST_UNITS: Final = 2
"""So many units of an arm stay in view, of more, whatever is wrong."""
_BELOW: Final = 2
"""What the units leave: a problem with what to do about it, or the journal's last line."""


@dataclass(frozen=True, slots=True)
class Shares:
    """So many lines each; what is left is the journal's."""

    arms: int
    """Of both arms where they stand one above the other, and of each where side by side."""
    problem: int
    """Of one problem; the worst has so many in any case."""
    below: int
    """All that the arms and the bar leave: the problem's lines and the journal's."""
    units: int
    """So many units of an arm are in view."""
    columns: bool = True
    """Whether the lower arm repeats the heading over the columns."""
    bar: bool = False
    """Whether the window's bar has a line."""
    problems: int = 1
    """Of the worst few together, where they are more than one problem takes."""


def most_lines(width: int) -> int:
    """Return how many lines a problem may take in a terminal of so many columns."""
    return 2 if width >= ROOMY_COLUMNS else 3


def share(
    room: int,
    pairs: int,
    width: int,
    *,
    wide: bool,
    answering: bool,
    window: bool = False,
    wanted: int = 0,
) -> Shares:
    """Return the shares of ``room`` lines.

    What one problem takes is the journal's, never a unit's. For a second one that is wrong the
    units give up lines, too, and are scrolled, as long as some of each arm stay in view. The lower
    arm's heading over the columns is given up where each arm shows a unit more for it.

    Args:
        room: lines beside header, chosen unit, fence and keys.
        pairs: units of an arm.
        width: columns of the terminal.
        wide: the arms stand side by side.
        answering: the operator waits for an answer: a line of the journal is kept for it.
        window: there is a window to draw a bar of, if a line is to spare.
        wanted: so many lines the two worst problems need; 0 where there are no two.

    """
    most, abreast = room - _BELOW, 1 if wide else 2
    headings = _HEADINGS * abreast
    units = min(pairs, (most - headings) // abreast)
    fewer = headings - (not wide)  # the arms' columns are the same
    columns = min(pairs, (most - fewer) // abreast) <= units
    if not columns:
        headings, units = fewer, units + 1
    lacking = wanted + answering - (room - headings - units * abreast)
    if lacking > 0:
        units -= min(-(-lacking // abreast), max(0, units - _LEAST_UNITS))
    arms = headings + units * abreast
    below = room - arms
    bar = window and below > _BAR_ABOVE
    below -= bar
    problem = min(most_lines(width), max(1, below - answering))
    both = min(wanted, max(1, below - answering))
    together = max(problem, both, below - _TAIL - answering)
    return Shares(arms, problem, below, max(0, units), columns, bar, together)
