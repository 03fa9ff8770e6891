"""The moments of a log, any of which can be shown: what the screen of a replay stands on.

It holds where the rows of each cycle are, and states put aside on the way; no rows. A moment is
made from the nearest state before it and the rows from there on: some two thousand at the most,
however long the log is.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from plateau_tui.console.lines.windowbar import are_few
from plateau_tui.console.live.view import Reading
from plateau_tui.console.live.windowreadings import MISSED
from plateau_tui.console.replay.onepass import Span
from plateau_tui.console.replay.reader import ReplayPart
from plateau_tui.console.replay.series import Buckets
from plateau_tui.console.replay.source import ReplaySource
from plateau_tui.console.replay.state import RunSoFar
from plateau_tui.metric.plain import counted
from plateau_tui.runlog.archivescan import rows_at
from plateau_tui.runlog.rows import Row

_READINGS: Final = 60
_FEWEST: Final = 12
_READING_ROWS: Final = 2400
"""Rows that are read again for a unit's last readings: fewer of them where there are many units."""


@dataclass(frozen=True, slots=True)
class MomentOfRun:
    """What stands at the cursor.

    ``entries`` counts the journal's lines up to there, but for heartbeats; ``place`` is where it
    stood then.
    """

    step: int
    cycle: int
    slot_ms: int
    now_ms: int
    state: RunSoFar
    entries: int
    place: int
    readings: dict[str, tuple[Reading, ...]]
    changed: tuple[str, ...]


@dataclass(slots=True)
class _Recent:
    """The last cycles' readings by unit."""

    cycle: int
    slot_ms: int
    taken: dict[str, tuple[Row, str]]


class Timeline:
    """The steps of a log as far as it was read; one thread uses it."""

    def __init__(self) -> None:
        """Begin without any."""
        self.source: ReplaySource | None = None
        self.told = ""
        self.unreadable = self.first_unreadable = 0
        self.done = False
        self.series = Buckets()
        self._clear()

    def _clear(self) -> None:
        self._cycles: array[int] = array("q")
        self._slots: array[int] = array("q")
        self._nows: array[int] = array("q")
        self._starts: array[int] = array("q")
        self._lengths: array[int] = array("q")
        self._readings = bytearray()
        self._more_spans: dict[int, tuple[Span, ...]] = {}
        self._aside_at: list[int] = [0]
        self._aside: list[RunSoFar] = [RunSoFar()]
        self._changed_at: array[int] = array("q")
        self._changed: list[tuple[str, ...]] = []
        self._stops: array[int] = array("q")
        self._flags: array[int] = array("q")
        self._turned: dict[int, tuple[str, ...]] = {}
        self._state = RunSoFar()
        self._at = -1
        self._recent: deque[_Recent] = deque(maxlen=_READINGS)

    def add(self, part: ReplayPart) -> None:
        """Put the next part of the log behind what is there, or in its place."""
        if part.restart:
            self._clear()
        self.source, self.told, self.done = part.source, part.told, part.done
        self.series = part.series
        self.unreadable, self.first_unreadable = part.unreadable, part.first_unreadable
        for step in part.steps:
            first, *more = step.spans
            if more:
                self._more_spans[len(self._cycles)] = tuple(more)
            self._cycles.append(step.cycle)
            self._slots.append(step.slot_ms)
            self._nows.append(step.now_ms)
            self._starts.append(first[0])
            self._lengths.append(first[1])
            self._readings.append(step.reading)
        for at, state in part.aside:
            self._aside_at.append(at)
            self._aside.append(state)
        for changed in part.changed:
            self._changed_at.append(changed.step)
            self._changed.append(changed.texts)
            if changed.stop:
                self._stops.append(changed.step)
            if changed.turned:
                self._flags.append(changed.step)
                self._turned[changed.step] = changed.turned

    @property
    def unread(self) -> str:
        """How many lines cannot be read, and where they are; nothing where all can."""
        if not self.unreadable or self.source is None:
            return ""
        count = counted(self.unreadable, "unreadable line")
        if not self.source.bare:
            return f"{count} in the log, left out here; plateau-tui verify RUN says where"
        where = "" if self.unreadable == 1 else "the first is "
        return f"{count} in the file, left out here: {where}line {self.first_unreadable}"

    @property
    def notices(self) -> tuple[str, ...]:
        """What must be said of the log."""
        return () if self.source is None else self.source.notices

    # -- where things are -----------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._cycles)

    @property
    def first_cycle(self) -> int:
        """The first cycle that has rows."""
        return self._cycles[0]

    @property
    def last_cycle(self) -> int:
        """The last cycle that has rows."""
        return self._cycles[-1]

    def cycle_of(self, step: int) -> int:
        """Return the cycle of a step."""
        return self._cycles[step]

    def slot_of(self, step: int) -> int:
        """Return a step's slot, in milliseconds since 1970."""
        return self._slots[step]

    def step_of(self, cycle: int) -> int:
        """Return the step of a cycle, or of the last one before it that has rows."""
        return max(0, bisect_right(self._cycles, cycle) - 1)

    def step_at(self, slot_ms: int) -> int:
        """Return the last step whose slot is not after an instant."""
        return max(0, bisect_right(self._slots, slot_ms) - 1)

    def next_change(self, step: int) -> int | None:
        """Return the first step after this one in which something changed, or a gap began."""
        found = _after(self._stops, step)
        if found is not None:
            return found
        last = len(self) - 1
        return last if step < last and self._ends_with_change() else None

    def change_before(self, step: int) -> int | None:
        """Return the last step before this one in which something changed, or a gap began."""
        return _before(self._stops, step)

    def next_flag(self, step: int) -> int | None:
        """Return the first step after this one in which a unit's flag turned."""
        return _after(self._flags, step)

    def flag_before(self, step: int) -> int | None:
        """Return the last step before this one in which a unit's flag turned."""
        return _before(self._flags, step)

    def turned_in(self, step: int) -> tuple[str, ...]:
        """Return the units of which a flag turned in a step."""
        return self._turned.get(step, ())

    def _ends_with_change(self) -> bool:
        """Say whether the journal tells of a change behind the last cycle."""
        journal = None if self.source is None else self.source.journal
        if journal is None or not self.done:
            return False
        upto = journal.upto(self._cycles[-1], self._nows[-1])
        return any(journal.stops[upto:])

    def bucket_ms(self, cycle: int) -> int:
        """Return when the bucket of a cycle began: the slot of the first step in it."""
        per = self.series.per
        return self._slots[bisect_left(self._cycles, cycle // per * per)]

    def readings_by(self, columns: int, cycles: int) -> list[int | None]:
        """Return, for each of so many columns over the window, how its worst cycle was read.

        None where nothing is recorded yet.
        """
        found: list[int | None] = []
        for column in range(columns):
            first = column * cycles // columns
            beyond = max(first + 1, (column + 1) * cycles // columns)
            found.append(self._worst(first, beyond))
        return found

    def few_by(self, columns: int, cycles: int) -> list[bool]:
        """Say of each such column whether only a few of its cycles were not read whole."""
        bounds = [column * cycles // columns for column in range(columns + 1)]
        places = [bisect_left(self._cycles, cycle) for cycle in bounds]
        return [are_few(self._readings[a:b]) for a, b in pairwise(places)]

    def _worst(self, first: int, beyond: int) -> int | None:
        if not self._cycles or first > self.last_cycle:
            return None
        a, b = bisect_left(self._cycles, first), bisect_left(self._cycles, beyond)
        due = min(beyond, self.last_cycle + 1) - first
        return MISSED if b - a < due else max(self._readings[a:b])

    # -- a moment -------------------------------------------------------------------------------

    def moment(self, step: int) -> MomentOfRun:
        """Return what stands at a step.

        Raises:
            OSError: the file cannot be read any more.

        """
        source = self.source
        assert source is not None  # noqa: S101 - there is a step, so a part has come
        self._go_to(step, source)
        cycle, now_ms = self._cycles[step], self._nows[step]
        journal = source.journal
        last = step == len(self) - 1 and self.done
        entries = len(journal.entries) if last else journal.upto(cycle, now_ms)
        return MomentOfRun(
            step=step,
            cycle=cycle,
            slot_ms=self._slots[step],
            now_ms=now_ms,
            state=self._state.copy(),
            entries=entries,
            place=journal.end if last else journal.place(entries, cycle),
            readings=self._unit_readings(source),
            changed=self._changed_in(step, entries, source),
        )

    def _go_to(self, step: int, source: ReplaySource) -> None:
        aside = bisect_right(self._aside_at, max(0, step + 1 - _back(source))) - 1
        begin = self._aside_at[aside]
        if not begin <= self._at + 1 <= step + 1:
            self._state, self._at = self._aside[aside].copy(), begin - 1
            self._recent.clear()
        for each in range(self._at + 1, step + 1):
            rows = self._rows_of(each, source)
            self._state.take_cycle(self._cycles[each], rows, source.rules)
            self._at = each
            self._remember(each)

    def _rows_of(self, step: int, source: ReplaySource) -> list[Row]:
        data, decode = source.archive.data, source.archive.decode
        spans = ((self._starts[step], self._lengths[step]), *self._more_spans.get(step, ()))
        return [row for start, length in spans for row in rows_at(data, decode, start, length)]

    def _remember(self, step: int) -> None:
        cycle = self._cycles[step]
        taken = {
            name: (unit.taken, unit.note)
            for name, unit in self._state.units.items()
            if unit.cycle == cycle and unit.taken is not None
        }
        self._recent.append(_Recent(cycle, self._slots[step], taken))

    def _unit_readings(self, source: ReplaySource) -> dict[str, tuple[Reading, ...]]:
        rules = source.rules
        found: dict[str, list[Reading]] = {name: [] for name in self._state.units}
        for recent in list(self._recent)[-_back(source) :]:
            for name, (row, note) in recent.taken.items():
                counts = rules.scored_counts(name, rules.raw_counts(row))
                found[name].append(Reading(recent.cycle, recent.slot_ms, counts, note))
        return {name: tuple(readings) for name, readings in found.items()}

    def _changed_in(self, step: int, entries: int, source: ReplaySource) -> tuple[str, ...]:
        place = bisect_left(self._changed_at, step)
        here = place < len(self._changed_at) and self._changed_at[place] == step
        journal = source.journal
        before = journal.upto(self._cycles[step - 1], self._nows[step - 1]) if step else 0
        told = [journal.entries[at].text for at in range(before, entries) if journal.changes[at]]
        return (*(self._changed[place] if here else ()), *told)


def _after(steps: Sequence[int], step: int) -> int | None:
    place = bisect_right(steps, step)
    return steps[place] if place < len(steps) else None


def _before(steps: Sequence[int], step: int) -> int | None:
    place = bisect_left(steps, step)
    return steps[place - 1] if place else None


def _back(source: ReplaySource) -> int:
    """Return of how many cycles a unit's readings are shown."""
    units = max(1, len(source.registration.units))
    return min(_READINGS, max(_FEWEST, _READING_ROWS // units))
