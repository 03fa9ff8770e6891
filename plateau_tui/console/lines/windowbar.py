"""The window as a bar: what was read, in part or not at all, what is to come, where we are."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.view import RunView
from plateau_tui.console.live.windowreadings import MISSED, PARTIAL, SILENT, WHOLE

_MARKS: Final = {WHOLE: "=", PARTIAL: "~", SILENT: "x", MISSED: "x", None: "."}


@lru_cache(maxsize=8)
def readings_by(readings: bytes, columns: int, cycles: int) -> tuple[int | None, ...]:
    """Return how the worst cycle of each column was read; None where none is recorded yet."""
    bounds = [column * cycles // columns for column in range(columns + 1)]
    spans = (readings[a : max(a + 1, b)] for a, b in pairwise(bounds))
    return tuple(max(span, default=None) for span in spans)


def bar_columns(cycles: int, width: int) -> int:
    """Return how many columns the bar of so many cycles has in ``width`` cells."""
    return max(1, width - len("1 [] ") - len(str(cycles)))


def bar_line(
    readings: Sequence[int | None], cycle: int | None, cycles: int, width: int, *, window: int
) -> str:
    """Return the window as a bar with its gaps and the cursor.

    Args:
        readings: how the worst cycle of each column was read, None where nothing is recorded.
        cycle: where the cursor is, from 0; None where there is none.
        cycles: how many cycles the bar spans.
        width: the line's cells.
        window: the number to end with.

    """
    marks = [_MARKS[reading] for reading in readings]
    if cycle is not None:
        here = min(len(marks) - 1, -(-cycle * len(marks) // max(1, cycles)))
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
    return bar_line(readings, here, view.cycles, width, window=view.cycles)
