"""The window as a bar: what was read, in part or not at all, what is to come, where we are."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.view import RunView
from plateau_tui.console.live.windowreadings import MISSED, PARTIAL, SILENT, WHOLE

_MARKS: Final = {WHOLE: "=", PARTIAL: "~", SILENT: "x", MISSED: "x", None: "."}
FEW: Final = "+"
"""The mark of a column with a few cycles that were read in part, and no worse ones."""
_FEW_SHARE: Final = 8
"""A few are fewer than one in so many."""
_BEFORE: Final = len("1 [")


@lru_cache(maxsize=8)
def readings_by(readings: bytes, columns: int, cycles: int) -> tuple[int | None, ...]:
    """Return how the worst cycle of each column was read; None where none is recorded yet."""
    bounds = [column * cycles // columns for column in range(columns + 1)]
    spans = (readings[a : max(a + 1, b)] for a, b in pairwise(bounds))
    return tuple(max(span, default=None) for span in spans)


@lru_cache(maxsize=8)
def few_by(readings: bytes, columns: int, cycles: int) -> tuple[bool, ...]:
    """Say of each column whether only a few of its cycles were not read whole.

    Where many units are read, hardly a column of a long window has none at all.
    """
    bounds = [column * cycles // columns for column in range(columns + 1)]
    spans = (readings[a : max(a + 1, b)] for a, b in pairwise(bounds))
    return tuple(are_few(span) for span in spans)


def are_few(readings: Sequence[int]) -> bool:
    """Say whether only a few of some cycles were not read whole."""
    return (len(readings) - readings.count(WHOLE)) * _FEW_SHARE < len(readings)


def column_of(cycle: int, columns: int, cycles: int) -> int:
    """Return the column in which a cycle stands, the first of several; both count from 0."""
    cycles = max(1, cycles)
    return max(0, min(columns - 1, (cycle * columns + min(columns, cycles) - 1) // cycles))


def cycle_at(x: int, cycles: int, width: int) -> int | None:
    """Return the first cycle of the column that stands in cell ``x`` of the bar's line, from 0.

    None where no column stands there.
    """
    column, columns = x - _BEFORE, bar_columns(cycles, width)
    return column * cycles // columns if 0 <= column < columns else None


def bar_columns(cycles: int, width: int) -> int:
    """Return how many columns the bar of so many cycles has in ``width`` cells."""
    return max(1, width - len("1 [] ") - len(str(cycles)))


def bar_line(
    readings: Sequence[int | None],
    cycle: int | None,
    cycles: int,
    width: int,
    *,
    window: int,
    few: Sequence[bool] = (),
) -> str:
    """Return the window as a bar with its gaps and the cursor.

    Args:
        readings: how the worst cycle of each column was read, None where nothing is recorded.
        cycle: where the cursor is, from 0; None where there is none.
        cycles: how many cycles the bar spans.
        width: the line's cells.
        window: the number to end with.
        few: whether only a few cycles of each column were not read whole.

    """
    marks = [_MARKS[reading] for reading in readings]
    for column, is_few in enumerate(few):
        if is_few and readings[column] == PARTIAL:
            marks[column] = FEW
    if cycle is not None:
        here = column_of(cycle, len(marks), cycles)
        later = ("-" if mark == "=" else mark for mark in marks[here + 1 :])
        marks = [*marks[:here], "#", *later]
    return harmless(f"1 [{''.join(marks)}] {window}", width)


def window_line(view: RunView, now_ms: int, width: int) -> str:
    """Return a run's window as a bar; nothing where it has not begun.

    The cursor is the cycle in which we are; a window that is closed has none.
    """
    if view.slot0_ms is None:
        return ""
    here = None
    if view.stage == "open":
        here = max(0, min(view.cycles - 1, (now_ms - view.slot0_ms) // view.interval_ms))
    columns = bar_columns(view.cycles, width)
    readings = readings_by(view.window, columns, view.cycles)
    few = few_by(view.window, columns, view.cycles)
    return bar_line(readings, here, view.cycles, width, window=view.cycles, few=few)
