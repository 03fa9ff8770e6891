"""Small accumulators over one unit's rows, taken in their order; none of them holds the rows.

``cycle`` is always the row's cycle, counted from 0.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from plateau_tui.metric.outcome import Standing
from plateau_tui.metric.scoring import Counter, Flag, known


@dataclass(slots=True)
class Latch:
    """A half over the window: the first cycle that showed it, the last that decided it."""

    shown: int | None = None
    decided: int | None = None

    def take(self, cycle: int, flag: Flag) -> None:
        """Take in what the next row says of the half."""
        if flag is None:
            return
        if flag and self.shown is None:
            self.shown = cycle
        if self.decided is None or cycle > self.decided:
            self.decided = cycle

    def standing(self, cycles: int, tolerance: int) -> Standing:
        """Return the standing in a window of ``cycles``.

        "Not reached" asks for a deciding row with at most ``tolerance`` cycles after it.
        """
        if self.shown is not None:
            return "reached"
        if self.decided is not None and cycles - 1 - self.decided <= tolerance:
            return "not reached"
        return "unknown"


@dataclass(slots=True)
class Rests:
    """Whether a half that was reached rests on something that is to be disclosed.

    It does as long as no row reached the half without it; ``maybe`` where no row could tell.
    """

    only: int | None = None
    maybe: int | None = None
    free: bool = False
    taken: bool = False

    def take(self, cycle: int, reached: Flag, only: Flag) -> None:
        """Take in the next row: whether it reached the half, and whether only so."""
        self.taken = True
        if not reached:
            return
        if only is False:
            self.free = True
        elif only and self.only is None:
            self.only = cycle
        elif only is None and self.maybe is None:
            self.maybe = cycle

    @property
    def cycle(self) -> int | None:
        """The first cycle in which the half rested on it; None when it does not."""
        return None if self.free else self.only if self.only is not None else self.maybe

    @property
    def certain(self) -> bool:
        """Whether some row is known to have reached the half only so."""
        return self.only is not None

    @property
    def value(self) -> Flag:
        """Whether the half is by now known to rest on it; None before the first row."""
        return self.certain and not self.free if self.taken else None


@dataclass(slots=True)
class Attendance:
    """How a unit stood in the answered lists of the window.

    ``absent_run`` lists in a row, the last ones, were without it; ``absent_from`` is the first of
    these, ``first_absent`` the first of all.
    """

    answered: int = 0
    seen: int = 0
    absent_run: int = 0
    absent_from: int | None = None
    first_absent: int | None = None

    def take(self, cycle: int, online: Flag) -> None:
        """Take in the next list; one that failed neither counts nor resets an absence."""
        if online is None:
            return
        self.answered += 1
        if online:
            self.seen, self.absent_run, self.absent_from = self.seen + 1, 0, None
            return
        self.absent_run += 1
        self.absent_from = cycle if self.absent_from is None else self.absent_from
        self.first_absent = cycle if self.first_absent is None else self.first_absent

    def live(self, tolerance: int) -> bool:
        """Say whether the unit is live: seen, and not absent for too many polls at the end."""
        return self.seen > 0 and self.absent_run <= tolerance


@dataclass(slots=True)
class Gaps:
    """Rows without any known counter, rows with some unknown ones, and the longest silence."""

    complete: int = 0
    first_complete: int | None = None
    partial: int = 0
    first_partial: int | None = None
    longest: int = 0
    longest_from: int | None = None
    _run: int = 0
    _run_from: int | None = None

    def take(self, cycle: int, read: int, unread: int) -> None:
        """Take in how many counters of the next row were read, and how many were not."""
        if unread and not read:
            self.complete += 1
            self.first_complete = cycle if self.first_complete is None else self.first_complete
            self._run += 1
            self._run_from = cycle if self._run == 1 else self._run_from
            if self._run > self.longest:
                self.longest, self.longest_from = self._run, self._run_from
            return
        self._run = 0
        if unread:
            self.partial += 1
            self.first_partial = cycle if self.first_partial is None else self.first_partial


@dataclass(slots=True)
class Fall:
    """A counter that was lower than at its last reading: the first time, and how often."""

    cycle: int
    before: int
    after: int
    times: int = 1


@dataclass(slots=True)
class Falls:
    """The falls of each objective of one unit."""

    found: dict[str, Fall] = field(default_factory=dict)
    _level: dict[str, int] = field(default_factory=dict)

    def take(self, cycle: int, counts: Mapping[str, Counter]) -> None:
        """Take in the next row's counters by objective; an unread one changes nothing."""
        for name, raw in counts.items():
            count = known(raw)
            if count is None:
                continue
            before = self._level.get(name, count)
            if count < before:
                fall = self.found.get(name)
                if fall is None:
                    self.found[name] = Fall(cycle, before, count)
                else:
                    fall.times += 1
            self._level[name] = count


@dataclass(slots=True)
class Phase:
    """The probe's ``phase`` of one unit: telemetry that serves FALSIFIES alone (seed §3)."""

    readings: int = 0
    rose: bool = False
    _first: float = 0.0

    def take(self, phase: float | None) -> None:
        """Take in the next reading; what is no finite number is none."""
        if phase is None or not math.isfinite(phase):
            return
        if self.readings == 0:
            self._first = phase
        self.readings += 1
        self.rose = self.rose or phase > self._first


@dataclass(slots=True)
class Probed:
    """What the probe said of a unit: silent cycles, tags, the first tag that contradicts."""

    asked: int = 0
    silent: int = 0
    first_silent: int | None = None
    tags: int = 0
    contradicting: int = 0
    first_contradicting: int | None = None
    tag: str = ""

    def take(self, cycle: int, ok: Flag, tag: str | None, *, contradicts: bool) -> None:
        """Take in the next row's probe; ``ok`` None means that no probe was run."""
        if ok is not None:
            self.asked += 1
        if ok is False:
            self.silent += 1
            self.first_silent = cycle if self.first_silent is None else self.first_silent
        if tag is not None:
            self.tags += 1
        if tag is not None and contradicts:
            self.contradicting += 1
            if self.first_contradicting is None:
                self.first_contradicting, self.tag = cycle, tag


@dataclass(slots=True)
class Difference:
    """A derived field that is not what is re-derived: the first time, and how often."""

    cycle: int
    written: object
    derived: object
    times: int = 1


@dataclass(slots=True)
class Coverage:
    """Which cycles have a row, as ranges: a log in its order needs one, however long it is."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def take(self, cycle: int) -> None:
        """Take in a cycle; one that is there already changes nothing."""
        at = bisect_right(self.starts, cycle)
        if at and cycle < self.ends[at - 1]:
            return
        joins_before = at > 0 and self.ends[at - 1] == cycle
        joins_after = at < len(self.starts) and self.starts[at] == cycle + 1
        if joins_before and joins_after:
            self.ends[at - 1] = self.ends.pop(at)
            del self.starts[at]
        elif joins_before:
            self.ends[at - 1] = cycle + 1
        elif joins_after:
            self.starts[at] = cycle
        else:
            self.starts.insert(at, cycle)
            self.ends.insert(at, cycle + 1)

    def count(self) -> int:
        """Return how many cycles have a row."""
        return sum(self.ends) - sum(self.starts)

    def first_missing(self) -> int:
        """Return the first cycle without a row."""
        return self.ends[0] if self.starts and self.starts[0] == 0 else 0
