"""How far a run is: one pass over its rows, for the collector, the status and the pins."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Self

from plateau_tui.metric.accumulators import Rests
from plateau_tui.metric.objectives import LOG_SPECIES, Role
from plateau_tui.metric.pinning import WoodGrowth
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.scoring import Counter, Score, since_start
from plateau_tui.runlog.rows import Counts, Row
from plateau_tui.runlog.scorer import RowScorer
from plateau_tui.runlog.state import RunState


@dataclass
class Latch:
    """A flag over the window: once True it stays; else it is what the last row decided."""

    value: bool | None = None

    def take(self, flag: bool | None) -> None:  # noqa: FBT001 - the flag is the data
        """Take in the flag of the next row."""
        if self.value is not True and flag is not None:
            self.value = flag


@dataclass
class UnitProgress:
    """What the rows say of one unit so far.

    ``counts`` are the last known counters by objective; ``read_ts`` is when the last row with a
    known counter was read. ``last`` are the counters of the last row, by objective; ``known`` are
    those of them that were read.
    """

    counts: dict[str, int] = field(default_factory=dict)
    last: Mapping[str, Counter] = field(default_factory=dict)
    known: Mapping[str, int] = field(default_factory=dict)
    has_gap: bool = False
    growth: WoodGrowth = field(default_factory=WoodGrowth.empty)
    primary: Latch = field(default_factory=Latch)
    secondary: Latch = field(default_factory=Latch)
    plateau_break: Latch = field(default_factory=Latch)
    table_only: Rests = field(default_factory=Rests)
    other_log: Rests = field(default_factory=Rests)
    placed_used_total: int | None = None
    distinct_mined_beyond: int | None = None
    pickaxe_hoard: int | None = None
    online: bool | None = None
    read_ts: str | None = None
    score: Score | None = None
    """The last row's score."""
    raw: tuple[Counts, ...] = ()
    """The counters as they stood in the last row."""


@dataclass(frozen=True, slots=True)
class Fall:
    """A counter that is lower than at its last reading."""

    unit: str
    objective: str
    before: int
    after: int


class LogCounters:
    """Which objectives of a run count logs, and what they count towards a pin."""

    def __init__(self, registration: Registration, state: RunState) -> None:
        self.species = {
            o.name: o.block
            for o in registration.objectives
            if o.block in LOG_SPECIES and o.criterion.startswith("minecraft.mined:")
        }
        self._offset = registration.gate.start_counts == "offset"
        self._state = state

    def counted(self, unit: str, counts: Mapping[str, Counter]) -> dict[str, Counter]:
        """Return counters by species from counters by objective, less the start by ``offset``."""
        by_species = {species: counts.get(name) for name, species in self.species.items()}
        if not self._offset:
            return by_species
        start = self._state.start.get(unit, {})
        before = {species: start.get(name) for name, species in self.species.items()}
        return since_start(by_species, before)


class CountProgress:
    """Takes in rows in their order, for what their counters say; scores nothing."""

    def __init__(self, registration: Registration, state: RunState) -> None:
        self._names = [
            {o.block: o.name for o in registration.objectives if o.role is role}
            for role in (Role.PLACE, Role.MINE, Role.CRAFT)
        ]
        self._logs = LogCounters(registration, state)
        self.units = {unit.name: UnitProgress() for unit in registration.units}
        self.rows = 0
        self.last_cycle: int | None = None
        self.last_slot: str | None = None
        self.rows_in_last_cycle: list[str] = []
        self.gap_cycles = 0
        self.last_rcon_ok: bool | None = None
        self._last_has_gap = False

    def take_all(self, rows: Iterable[Row]) -> Self:
        """Take in rows and return this progress itself."""
        for row in rows:
            self.take(row)
        return self

    def take(self, row: Row) -> list[Fall]:
        """Take in one row; return the counters that fell."""
        unit = self.units.get(row.uni)
        if unit is None:
            self._take_cycle(row, gap=has_gap(row))
            return []
        raw, falls = (row.placed_used, row.mined, row.crafted, row.extra), list[Fall]()
        if raw != unit.raw:
            # Most rows repeat the counters of the row before: only what moved is looked at.
            unit.raw = raw
            falls = self._take_counters(unit, row)
        self._take_cycle(row, gap=unit.has_gap)
        unit.online = row.online
        if unit.known:
            unit.read_ts = row.read_ts
        if row.pickaxe_hoard is not None:
            unit.pickaxe_hoard = row.pickaxe_hoard
        return falls

    def _take_counters(self, unit: UnitProgress, row: Row) -> list[Fall]:
        counts = self._counts_of(row)
        unit.has_gap = has_gap(row)
        known = {name: count for name, count in counts.items() if count is not None}
        before = unit.counts
        moved = {name: count for name, count in known.items() if count != before.get(name)}
        falls = [
            Fall(row.uni, name, before[name], count)
            for name, count in moved.items()
            if count < before.get(name, count)
        ]
        before.update(moved)
        unit.last, unit.known = counts, known
        if not self._logs.species.keys().isdisjoint(moved):
            unit.growth.add(self._logs.counted(row.uni, counts))
        return falls

    def _take_cycle(self, row: Row, *, gap: bool) -> None:
        self.rows += 1
        if row.cycle != self.last_cycle:
            self.last_cycle, self.last_slot = row.cycle, row.poll_ts
            self.rows_in_last_cycle, self._last_has_gap = [], False
            self.last_rcon_ok = True
        self.rows_in_last_cycle.append(row.uni)
        self.last_rcon_ok = bool(self.last_rcon_ok and row.rcon_ok)
        if gap and not self._last_has_gap:
            self._last_has_gap = True
            self.gap_cycles += 1

    def _counts_of(self, row: Row) -> dict[str, int | None]:
        """Return a row's counters by objective."""
        counts: dict[str, int | None] = dict(row.extra)
        groups = (row.placed_used, row.mined, row.crafted)
        for names, values in zip(self._names, groups, strict=True):
            counts |= {names.get(block, block): count for block, count in values.items()}
        return counts


class RunProgress(CountProgress):
    """Scores each row as well; pins are those of ``state`` when a row is taken in."""

    def __init__(self, registration: Registration, state: RunState) -> None:
        super().__init__(registration, state)
        self._state = state
        self._scorer = RowScorer(registration, state)

    def take(self, row: Row, score: Score | None = None) -> list[Fall]:
        """Take in one row; return the counters that fell.

        ``score`` is the row's, under the gate and the pin, where somebody else has it already.
        """
        falls = super().take(row)
        unit = self.units.get(row.uni)
        if unit is not None:
            if score is None:
                pin = self._state.pins.get(row.uni)
                score = self._scorer.score(row.uni, row.placed_used, row.mined, pin)
            self._take_score(unit, row, score)
        return falls

    def _take_score(self, unit: UnitProgress, row: Row, score: Score) -> None:
        if score == unit.score:
            return  # it says what it said in the row before
        unit.score = score
        unit.primary.take(score.primary)
        unit.secondary.take(score.secondary)
        unit.plateau_break.take(score.plateau_break)
        unit.table_only.take(row.cycle, score.primary, score.table_only)
        unit.other_log.take(row.cycle, score.secondary, score.other_log)
        if score.placed_used_total is not None:
            unit.placed_used_total = score.placed_used_total
        if score.distinct_mined_beyond is not None:
            unit.distinct_mined_beyond = score.distinct_mined_beyond


def has_gap(row: Row) -> bool:
    """Say whether a counter of the row was not read."""
    return any(
        None in counts.values() for counts in (row.placed_used, row.mined, row.crafted, row.extra)
    )
