"""What the console keeps of one unit's rows beside the progress: gaps, absence, first moves."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.console.live.series import SeriesKeeper
from plateau_tui.console.live.view import Reading
from plateau_tui.metric.gatescore import valid_pin
from plateau_tui.metric.objectives import MINE_BLOCKS, PLACE_BLOCKS
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.scoring import Score, score, since_start
from plateau_tui.runlog.progress import UnitProgress, has_gap
from plateau_tui.runlog.rows import Counts, Row
from plateau_tui.runlog.state import RunState
from plateau_tui.runlog.times import parse_ms

_READINGS_KEPT: Final = 60
_FLAGS: Final = ("primary", "secondary", "plateau_break")

UnitCounters = dict[str, int | None]
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

    def counts(self, unit: str, raw: UnitCounters) -> UnitCounters:
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
    turned: dict[str, int] = field(default_factory=dict)
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
    read_at: dict[str, int] = field(default_factory=dict)
    online_ms: int | None = None
    placed_ms: int | None = None
    mined_ms: int | None = None
    hoard_ms: int | None = None
    readings: "deque[Reading]" = field(default_factory=lambda: deque(maxlen=_READINGS_KEPT))

    def take(self, row: Row, raw: UnitCounters, so_far: UnitProgress) -> None:
        """Take in the unit's next row, with its counters by objective as they were read.

        ``so_far`` is what the unit's rows came to with this one.
        """
        slot = parse_ms(row.poll_ts)
        read_ms = slot if row.read_ts is None else parse_ms(row.read_ts)
        self._take_times(row, read_ms)
        self.whole = not has_gap(row)
        self.gaps += not self.whole
        self.listed = row.online is not None
        if row.online is not None:
            self.absent_polls = 0 if row.online else self.absent_polls + 1
            self.seen = self.seen or row.online
        read = (name for name, count in raw.items() if count is not None)
        self.read_at |= dict.fromkeys(read, read_ms)
        counts = raw
        placed = so_far.placed_used_total if _are_read(row.placed_used, PLACE_BLOCKS) else None
        beyond = so_far.distinct_mined_beyond if _are_read(row.mined, MINE_BLOCKS) else None
        if self.offset is not None:
            counts, since = self.offset.counts(row.uni, raw), self.offset.score(row)
            placed, beyond = since.placed_used_total, since.distinct_mined_beyond
            self._take_since(counts, since)
        self.series.take(row.cycle, counts, (placed, beyond, row.pickaxe_hoard))
        if len(self.turned) < len(_FLAGS):
            self._take_turns(row.cycle, so_far)
        for name, count in counts.items():
            if count is not None and count > 0:
                self.first_moved.setdefault(name, slot)
        self.readings.append(Reading(row.cycle, slot, counts, row.note))

    def _take_turns(self, cycle: int, so_far: UnitProgress) -> None:
        latches = (so_far.primary, so_far.secondary, so_far.plateau_break)
        for name, latch in zip(_FLAGS, latches, strict=True):
            if latch.value:
                self.turned.setdefault(name, cycle)

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
        if None not in row.placed_used.values():
            self.placed_ms = read_ms
        if None not in row.mined.values():
            self.mined_ms = read_ms
        if row.pickaxe_hoard is not None:
            self.hoard_ms = read_ms


def _are_read(counts: Counts, blocks: Sequence[str]) -> bool:
    """Say whether a row has all of these counters, none below 0: their total is known then."""
    return all((count := counts.get(block)) is not None and count >= 0 for block in blocks)
