"""Series as lines of blocks, a cell or more of the window in each. Pure functions.

The lowest block is 0, and only 0 or less; a cell in which nothing was read is ``GAP``.
"""

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from plateau_tui.console.lines.text import cells
from plateau_tui.console.live.series import HOARD, PLACED, Series
from plateau_tui.console.live.view import RunView, UnitView

BLOCKS: Final = "▁▂▃▄▅▆▇█"
PLAIN: Final = "_.-=+*%#"
"""The same for a font that has no eighths of a block, as they are in ASCII."""
GAP: Final = "x"
SPARK_ROOM: Final = 24
"""So many cells hold a line's one sparkline with its name, and the blanks before it."""
_LEAST_CELLS: Final = 7
_MOST_CELLS: Final = 60


def levels_for(environment: Mapping[str, str]) -> str:
    """Return the blocks to draw with: those of a Linux console's font are halves at best."""
    return PLAIN if environment.get("TERM") == "linux" else BLOCKS


def squeezed(values: Sequence[int | None], width: int) -> list[int | None]:
    """Return at most ``width`` values: the last known one in each part, None where all are."""
    count = len(values)
    if count <= width:
        return list(values)
    bounds = [column * count // max(1, width) for column in range(width + 1)]
    return [
        next((each for each in reversed(values[a:b]) if each is not None), None)
        for a, b in pairwise(bounds)
    ]


def spark(values: Sequence[int | None], width: int, top: int, levels: str = BLOCKS) -> str:
    """Return a series in exactly ``width`` cells; what is short is filled with blanks.

    Args:
        values: counts in the order of time, None where one was not read.
        width: cells.
        top: the count of the highest block; what is above it is as high.
        levels: characters from low to high, one cell each.

    """
    marks = (GAP if v is None else _level(v, top, levels) for v in squeezed(values, width))
    return "".join(marks).ljust(width)


def _level(value: int, top: int, levels: str) -> str:
    if value <= 0:
        return levels[0]
    steps = len(levels) - 1
    return levels[min(steps, 1 + (value * steps - 1) // max(1, top))]


def top_of(view: RunView, name: str) -> int:
    """Return the highest count of a series among all units: one scale for all lines."""
    return max((_highest(u.series, name) for u in view.units if u.series is not None), default=1)


@lru_cache(maxsize=512)
def _highest(series: Series, name: str) -> int:
    return max((value for value in series.buckets(name) if value is not None), default=1)


def unit_spark(
    unit: UnitView, view: RunView, name: str, width: int, levels: str, *, alone: bool = False
) -> str:
    """Return a unit's series over the window so far, in the scale of all units.

    ``alone`` draws it in a scale of its own.
    """
    if unit.series is None or view.cycle is None:
        return " " * width
    top = _highest(unit.series, name) if alone else top_of(view, name)
    return _spark_of(unit.series, name, view.cycle + 1, width, top, levels)


@lru_cache(maxsize=512)
def _spark_of(series: Series, name: str, cycles: int, width: int, top: int, levels: str) -> str:
    return spark(series.over(name, cycles), width, top, levels)


def with_sparks(
    line: str, unit: UnitView, view: RunView, width: int, levels: str | None = None
) -> str:
    """Return a line with the unit's sparklines behind it, as many as it leaves room for.

    Without ``levels`` they are drawn as this process's terminal can.
    """
    wanted = (("  placed ", PLACED), ("  hoard ", HOARD))
    room = width - cells(line)
    drawn_with = levels_for(os.environ) if levels is None else levels
    if unit.series is None or view.cycle is None:
        return line
    for count in (2, 1):
        taken = sum(len(word) for word, _ in wanted[:count])
        each = min(_MOST_CELLS, view.cycle + 1, (room - taken) // count)
        if each >= min(_LEAST_CELLS, view.cycle + 1) and room > taken:
            drawn = (
                word + unit_spark(unit, view, name, each, drawn_with)
                for word, name in wanted[:count]
            )
            return line + "".join(drawn)
    return line
