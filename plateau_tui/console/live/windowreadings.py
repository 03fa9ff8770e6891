"""How each cycle of the window was read, as the rows come."""

from collections.abc import Iterable

WHOLE, PARTIAL, SILENT, MISSED = 0, 1, 2, 3
"""A cycle's reading: every counter, some were not read, none was read, or it has no rows."""


def reading_of(counts: Iterable[int | None]) -> int:
    """Return how a unit's counters were read: all of them, some, none, also of none at all."""
    unread = [count is None for count in counts]
    if all(unread):
        return SILENT
    return PARTIAL if any(unread) else WHOLE


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
    def gaps(self) -> int:
        """In how many cycles that have rows not every counter was read."""
        return self._readings.count(PARTIAL) + self._readings.count(SILENT)

    @property
    def now(self) -> bytes:
        """One reading a cycle, from the window's first to the last that has rows."""
        if not self._shown:
            self._shown = bytes(self._readings)
        return self._shown
