"""Slots and time: which cycle is due, which is late, which is missed. All in milliseconds."""

import time
from dataclasses import dataclass
from typing import Final, Protocol

LATE_LIMIT: Final = 0.8
"""A slot without rows is read late while a fifth of it is left."""

CYCLE_LIMIT: Final = 0.8
"""A cycle's deadline, as a part of the interval."""

MAX_COMMAND_S: Final = 5.0
"""A command's deadline in seconds; a quarter of the interval where that is less."""

CLOCK_TOLERANCE_MS: Final = 2000
"""A wall clock that is off by more than this is journaled."""


class Clock(Protocol):
    """Where time comes from; tests bring their own."""

    def wall_ms(self) -> int:
        """Return milliseconds since 1970 in UTC, as the machine believes."""

    def elapsed_ms(self) -> int:
        """Return milliseconds on a clock that nobody sets and that goes on during sleep."""


class SystemClock:
    """The machine's clocks: CLOCK_BOOTTIME where there is one, else the monotonic clock."""

    def __init__(self) -> None:
        self._boottime: int | None = getattr(time, "CLOCK_BOOTTIME", None)

    def wall_ms(self) -> int:
        """Return milliseconds since 1970 in UTC."""
        return time.time_ns() // 1_000_000

    def elapsed_ms(self) -> int:
        """Return milliseconds since some fixed moment, sleep included."""
        if self._boottime is None:
            return time.monotonic_ns() // 1_000_000
        return time.clock_gettime_ns(self._boottime) // 1_000_000


class RunClock:
    """The collector's time: the wall clock at its start, moved on by elapsed time alone."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._anchor_wall = clock.wall_ms()
        self._anchor_elapsed = clock.elapsed_ms()
        self._told_ms = 0

    def now_ms(self) -> int:
        """Return milliseconds since 1970; a wall clock that is set does not move it."""
        return self._anchor_wall + self._clock.elapsed_ms() - self._anchor_elapsed

    def wall_ms(self) -> int:
        """Return what the wall clock says now, set or not."""
        return self._clock.wall_ms()

    def wall_moved(self) -> int | None:
        """Return the wall clock's offset in ms when it moved by more than 2 s since last told."""
        offset = self._clock.wall_ms() - self.now_ms()
        if abs(offset - self._told_ms) <= CLOCK_TOLERANCE_MS:
            return None
        self._told_ms = offset
        return offset


def slot_of(now_ms: int, interval_ms: int) -> int:
    """Return the slot in progress: the last multiple of the interval."""
    return now_ms - now_ms % interval_ms


def next_slot(now_ms: int, interval_ms: int) -> int:
    """Return the first slot that begins at or after ``now_ms``."""
    return -(-now_ms // interval_ms) * interval_ms


@dataclass(frozen=True, slots=True)
class Due:
    """What is due now in an open window.

    ``missed`` cycles get gap rows; then ``cycle`` is read if it is not None; else the loop waits
    until ``wait_until_ms``; ``over`` says that no cycle is left.
    """

    missed: range
    cycle: int | None
    wait_until_ms: int
    over: bool


def due(now_ms: int, slot0_ms: int, interval_ms: int, next_cycle: int, cycles: int) -> Due:
    """Say what is due at ``now_ms`` when ``next_cycle`` is the first cycle without rows."""
    current = (now_ms - slot0_ms) // interval_ms
    into = (now_ms - slot0_ms) % interval_ms
    readable = into <= LATE_LIMIT * interval_ms
    first_open = current if readable else current + 1
    missed = range(next_cycle, min(max(first_open, next_cycle), cycles))
    reached = max(first_open, next_cycle)
    start = slot0_ms + reached * interval_ms
    over = reached >= cycles
    cycle = reached if not over and start <= now_ms else None
    return Due(missed=missed, cycle=cycle, wait_until_ms=start, over=over)


def command_seconds(interval_ms: int) -> float:
    """Return the deadline of one command in seconds."""
    return min(MAX_COMMAND_S, interval_ms / 4000)


def cycle_end_ms(now_ms: int, slot_ms: int, interval_ms: int) -> int:
    """Return when a cycle begun at ``now_ms`` must have ended: never into the next slot."""
    return min(now_ms + int(CYCLE_LIMIT * interval_ms), slot_ms + interval_ms)


def retry_pause_s(failures: int, interval_ms: int) -> float:
    """Return the pause before the next try: 1, 2, 4 … hundredths of the interval."""
    return interval_ms * (1 << min(failures - 1, 20)) / 100_000
