"""What the console keeps of one unit's rows beside the progress: gaps, absence, first moves."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.console.live.gone import NOTHING, but_gone
from plateau_tui.console.live.series import SeriesKeeper
from plateau_tui.console.live.view import Reading
from plateau_tui.metric.gatescore import valid_pin
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.scoring import Score, score, since_start
from plateau_tui.runlog.progress import UnitProgress
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.state import RunState
from plateau_tui.runlog.times import parse_ms

_READINGS_KEPT: Final = 60

UnitCounters = Mapping[str, int | None]
"""Objective -> count, None where it is unknown."""


@dataclass(frozen=True, slots=True)
class StartOffset:
    """What ``start_counts = "offset"`` subtracts; the rows keep the raw counts."""

    registration: Registration
    state: RunState

    @classmethod
    def of(cls, registration: Registration, state: RunState) -> "StartOffset | None":
        """Return the offset of a run; None where counts stand as they are."""
        offset = registration.gate.start_counts == "offset"
        return cls(registration, state) if offset else None

    def counts(self, unit: str, raw: UnitCounters) -> dict[str, int | None]:
        """Return a unit's counters less its start reading; what cannot be told is None."""
        return since_start(raw, self.state.start.get(unit, {}))

    def score(self, row: Row) -> Score:
        """Return the score of a row's counts since the start, totals and kinds too (§2c)."""
        gate, start = self.registration.gate, self.state.start_of(row.uni)
        return score(
            since_start(row.placed_used, start.placed),
            since_start(row.mined, start.mined),
            valid_pin(self.state.pins.get(row.uni)),
            wood=gate.wood,
            place=gate.place,
        )


@dataclass
class UnitHistory:
    """What the progress does not keep of a unit; ``series`` is how its counts went.

    ``counts``, ``placed`` and ``beyond`` are the last known ones since the start reading, and
    empty where nothing is subtracted.
    """

    offset: StartOffset | None
    series: SeriesKeeper
    gaps: int = 0
    absent_polls: int = 0
    seen: bool = False
    listed: bool = False
    """Whether the last row has the answer of the players' list."""
    whole: bool = True
    counts: dict[str, int] = field(default_factory=dict)
    placed: int | None = None
    beyond: int | None = None
    first_moved: dict[str, int] = field(default_factory=dict)
    online_ms: int | None = None
    placed_ms: int | None = None
    mined_ms: int | None = None
    hoard_ms: int | None = None
    readings: "deque[Reading]" = field(default_factory=lambda: deque(maxlen=_READINGS_KEPT))
    _read_at: dict[str, int] = field(default_factory=dict)
    _raw: UnitCounters | None = None
    _read: Mapping[str, int] = field(default_factory=dict)
    _read_ms: int = 0
    _groups_read: tuple[bool, bool] = (False, False)
    _counts: UnitCounters = field(default_factory=dict)
    _totals: tuple[int | None, int | None] = (None, None)

    @property
    def read_at(self) -> dict[str, int]:
        """Objective -> when its last known counter was read."""
        return self._read_at | dict.fromkeys(self._read, self._read_ms)

    def take(self, row: Row, so_far: UnitProgress, gone: frozenset[str] = NOTHING) -> None:
        """Take in the unit's next row; ``so_far`` is what its rows came to with this one.

        ``gone`` are the objectives that nobody can read in its cycle: no loss of this unit.
        """
        slot = parse_ms(row.poll_ts)
        read_ms = slot if row.read_ts is None else parse_ms(row.read_ts)
        if so_far.last is not self._raw:
            self._take_counters(row, slot, so_far)
        self._read_ms = read_ms
        self._take_times(row, read_ms)
        self.whole = not so_far.has_gap or None not in but_gone(so_far.last, gone)
        self.gaps += not self.whole
        self.listed = row.online is not None
        if row.online is not None:
            self.absent_polls = 0 if row.online else self.absent_polls + 1
            self.seen = self.seen or row.online
        self.series.take(row.cycle, self._counts, (*self._totals, row.pickaxe_hoard))
        self.readings.append(Reading(row.cycle, slot, self._counts, row.note))

    def _take_counters(self, row: Row, slot: int, so_far: UnitProgress) -> None:
        """Take in the counters of a row that does not repeat those of the row before."""
        raw = so_far.last
        self._read_at |= dict.fromkeys(self._read, self._read_ms)
        self._raw, self._read = raw, so_far.known
        self._groups_read = (
            None not in row.placed_used.values(),
            None not in row.mined.values(),
        )
        counts = raw
        score = so_far.score
        placed = score.placed_used_total if score else None
        beyond = score.distinct_mined_beyond if score else None
        if self.offset is not None:
            counts, since = self.offset.counts(row.uni, raw), self.offset.score(row)
            placed, beyond = since.placed_used_total, since.distinct_mined_beyond
            self._take_since(counts, since)
        self._counts, self._totals = counts, (placed, beyond)
        for name, count in counts.items():
            if count is not None and count > 0:
                self.first_moved.setdefault(name, slot)

    def _take_since(self, counts: UnitCounters, since: Score) -> None:
        self.counts |= {name: count for name, count in counts.items() if count is not None}
        if since.placed_used_total is not None:
            self.placed = since.placed_used_total
        if since.distinct_mined_beyond is not None:
            self.beyond = since.distinct_mined_beyond

    def _take_times(self, row: Row, read_ms: int) -> None:
        """Note when each number was read: one of them may grow old while others are read."""
        if row.online is not None:
            self.online_ms = read_ms
        placed, mined = self._groups_read
        if placed:
            self.placed_ms = read_ms
        if mined:
            self.mined_ms = read_ms
        if row.pickaxe_hoard is not None:
            self.hoard_ms = read_ms
