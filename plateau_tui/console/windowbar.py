"""The window as a bar: what was read, in part or not at all, what is to come, where we are."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from plateau_tui.console.text import harmless
from plateau_tui.console.view import RunView

WHOLE, PARTIAL, SILENT, MISSED = 0, 1, 2, 3
"""A cycle's reading: every counter, some were not read, none was read, or it has no rows."""
_MARKS: Final = {WHOLE: "=", PARTIAL: "~", SILENT: "x", MISSED: "x", None: "."}


def reading_of(counts: Iterable[int | None]) -> int:
    """Return how a unit's counters were read: all of them, some, none."""
    unread = [count is None for count in counts]
    return WHOLE if not any(unread) else SILENT if all(unread) else PARTIAL


class WindowKeeper:
    """How each cycle was read, as the rows come; one thread uses it."""

    def __init__(self, cycles: int) -> None:
        """Begin without rows, for a window of so many cycles."""
        self._cycles = cycles
        self._readings = bytearray()
        self._shown = b""

    def take(self, cycle: int, reading: int) -> None:
        """Take in a unit's reading in a cycle; one beyond the window is left out."""
        if cycle >= self._cycles:
            return
        self._shown = b""
        missed = cycle - len(self._readings)
        if missed >= 0:
            self._readings += bytes([MISSED]) * missed + bytes([reading])
            return
        before = self._readings[cycle]
        self._readings[cycle] = reading if before in {reading, MISSED} else PARTIAL

    @property
    def now(self) -> bytes:
        """One reading a cycle, from the window's first to the last that has rows."""
        if not self._shown:
            self._shown = bytes(self._readings)
        return self._shown


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
