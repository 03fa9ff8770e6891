"""The rows of a window, taken in one by one: all that the verdict and its disclosures need.

A unit's pin applies to all its rows, whenever it was made; so the journal is read first.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Final, get_args

from plateau_tui.metric.accumulators import (
    Attendance,
    Coverage,
    Difference,
    Falls,
    Gaps,
    Latch,
    Phase,
    Probed,
    Rests,
)
from plateau_tui.metric.evidence import HOARD_RECEIPT, RECEIPTS, JournalFacts, Reading
from plateau_tui.metric.gatescore import score_under, scores_under, start_reading, valid_pin
from plateau_tui.metric.objectives import LOG_SPECIES, Objective, Role
from plateau_tui.metric.pinning import WoodGrowth, evidence_against
from plateau_tui.metric.registration import ArmRole, Registration, Unit
from plateau_tui.metric.scoring import (
    DIVERSE_AT,
    Counter,
    Flag,
    PlaceReading,
    Readings,
    Score,
    StartReading,
    WoodReading,
    all_of,
    counts_beyond,
    known,
    score,
    since_start,
)

PLACES: Final[tuple[PlaceReading, ...]] = get_args(PlaceReading)
WOODS: Final[tuple[WoodReading, ...]] = get_args(WoodReading)
_WRITTEN_AND_STRICT: Final[tuple[Readings, ...]] = tuple(zip(PLACES, WOODS, strict=True))
_UNKNOWN: Final = score({}, {}, None)


def contradicts_arm(registration: Registration, role: ArmRole, tag: str) -> bool:
    """Say whether a well-formed arm tag says that the unit is not of its arm (SR-4).

    Any other tag than the registered one does. Where none is registered, the other arm's label
    does. A blank tag says nothing.
    """
    tag = tag.strip()
    expected = registration.arm_values.get(role)
    if not tag:
        return False
    if expected is not None:
        return tag != expected.strip()
    other = registration.control if role == "treatment" else registration.treatment
    return tag == other.label


@dataclass(slots=True)
class Outside:
    """What a unit placed and mined that is not of the set: extensions, never scored.

    By objective the first cycle that showed it, and its count there. ``diverse`` is the first
    cycle with two kinds of block beyond the farmed wood, if those outside the set did count.
    """

    placed: dict[str, tuple[int, int]] = field(default_factory=dict)
    mined: dict[str, tuple[int, int]] = field(default_factory=dict)
    diverse: int | None = None


class UnitTally:
    """One unit's rows so far. Latches are kept for each reading of each half.

    ``logs_above`` has each log's first cycle above 0; ``outgrown`` is the cycle since which
    another log than the pinned one has grown more, None where none has.
    """

    def __init__(self, registration: Registration, unit: Unit, facts: JournalFacts) -> None:
        self.unit = unit
        self.registration = registration
        pin = facts.pins.get(unit.name)
        self.pin = None if pin is None else valid_pin(pin.species)
        self.start: Mapping[str, Counter] = facts.start.get(unit.name, {})
        self._start_reading: StartReading = start_reading(self.start)
        self.primary = {place: Latch() for place in PLACES}
        self.secondary = {wood: Latch() for wood in WOODS}
        self.both = {(place, wood): Latch() for place in PLACES for wood in WOODS}
        self.table_only, self.other_log = Rests(), Rests()
        self.attendance, self.coverage = Attendance(), Coverage()
        self.gaps, self.falls, self.phase, self.probed = Gaps(), Falls(), Phase(), Probed()
        self.growth, self.logs_above = WoodGrowth.empty(), dict[str, int]()
        self.outgrown: int | None = None
        self.outside = Outside()
        self.differences: dict[str, Difference] = {}
        self.other_pins: dict[str, int] = {}
        self.before_window: dict[str, tuple[int, Counter]] = {}
        self._raw: tuple[Mapping[str, Counter], ...] = ()
        self._counts: dict[str, Counter] = {}
        self._unread = 0
        self._scores = (_UNKNOWN, _UNKNOWN)
        self._deciding: tuple[tuple[Latch, bool], ...] = ()
        self._by_role = {
            role: [o for o in registration.objectives if o.role is role] for role in Role
        }
        self._keys = [
            (o.name, group, o.name if role is Role.EXTRA else o.block)
            for group, role in enumerate((Role.PLACE, Role.MINE, Role.CRAFT, Role.EXTRA))
            for o in self._by_role[role]
        ]
        """Each objective with the place of its count: which group of a row, and its key there."""
        self._extra_logs = [
            o for o in registration.extensions if o.block in LOG_SPECIES and _kind(o) == "mined"
        ]
        mined = (*self._by_role[Role.MINE], *self._extra_logs)
        self._logs = frozenset(o.name for o in mined if o.block in LOG_SPECIES)

    @property
    def score(self) -> Score:
        """The last row's score under the registered reading."""
        return _registered(self.registration, *self._scores)

    @property
    def pin_confirmed(self) -> bool:
        """Whether the pinned log rose above 0, or no log did."""
        return self.pin is None or not self.logs_above or self.pin in self.logs_above

    def take(self, row: Reading) -> None:
        """Take in the unit's next row."""
        cycle = row.cycle
        raw = (row.placed, row.mined, row.crafted, row.extra)
        if raw != self._raw:
            # Most rows repeat the counters of the row before: only what moved is looked at.
            self._raw = raw
            self._take_counters(row)
        self.coverage.take(cycle)
        self.attendance.take(cycle, row.online)
        self.gaps.take(cycle, len(self._counts) - self._unread, self._unread)
        self.phase.take(row.phase)
        self._take_probe(row)
        if cycle == 0:
            self._take_first(self._counts)
        for latch, flag in self._deciding:
            latch.take(cycle, flag)
        if row.written is not None:
            self._take_receipts(row, *self._scores)

    def _take_counters(self, row: Reading) -> None:
        """Take in the next row's counters where they are not those of the row before."""
        counts = self._by_objective(row)
        self._unread = sum(1 for count in counts.values() if count is None)
        before = self._counts
        if counts == before:
            return
        self._counts = counts
        # A counter that is as it was fell nowhere, and no log grew by it.
        moved = {name: count for name, count in counts.items() if count != before.get(name)}
        self.falls.take(row.cycle, moved)
        if not self._logs.isdisjoint(moved):
            self._take_logs(row)
        self._take_outside(row, counts)
        scores = self._score(row)
        if scores != self._scores or not self._deciding:
            self._scores = scores
            self._take_scores(row.cycle, *scores)

    def _by_objective(self, row: Reading) -> dict[str, Counter]:
        groups = (row.placed, row.mined, row.crafted, row.extra)
        return {name: known(groups[group].get(key)) for name, group, key in self._keys}

    def _take_probe(self, row: Reading) -> None:
        if row.probe_ok is None and row.probe_arm is None:
            return
        tag = None if row.probe_ok is False else row.probe_arm
        contradicts = tag is not None and contradicts_arm(
            self.registration, self.unit.arm.role, tag
        )
        self.probed.take(row.cycle, row.probe_ok, tag, contradicts=contradicts)

    def _since(self, counts: Mapping[str, Counter]) -> Mapping[str, Counter]:
        """Return counts by objective as the gate counts them."""
        if self.registration.gate.start_counts == "zero":
            return counts
        return since_start(counts, self.start)

    def _take_logs(self, row: Reading) -> None:
        logs = {o.name: row.mined.get(o.block) for o in self._by_role[Role.MINE]}
        counted = self._since(logs | {o.name: row.extra.get(o.name) for o in self._extra_logs})
        species = chain(self._by_role[Role.MINE], self._extra_logs)
        by_species = {o.block: counted[o.name] for o in species if o.block in LOG_SPECIES}
        self.growth.add(by_species)
        for block, count in by_species.items():
            if (count or 0) > 0:
                self.logs_above.setdefault(block, row.cycle)
        if self.pin is None or not evidence_against(self.pin, self.growth.evidence()):
            self.outgrown = None
        elif self.outgrown is None:
            self.outgrown = row.cycle

    def _take_first(self, counts: Mapping[str, Counter]) -> None:
        for name, count in counts.items():
            before = self.start.get(name)
            if count is not None and before is not None and count != before:
                self.before_window[name] = (before, count)

    def _score(self, row: Reading) -> tuple[Score, Score]:
        """Return a row's scores as §2c is written and by the stricter readings."""
        gate, start = self.registration.gate, self._start_reading
        written, strict = scores_under(
            gate, row.placed, row.mined, self.pin, _WRITTEN_AND_STRICT, start=start
        )
        return written, strict

    def _take_scores(self, cycle: int, written: Score, strict: Score) -> None:
        """Take in what a row is scored; until another score each row decides the same halves."""
        scores = (written, strict)
        flags: list[tuple[Latch, Flag]] = []
        for place, first in zip(PLACES, scores, strict=True):
            flags.append((self.primary[place], first.primary))
            for wood, second in zip(WOODS, scores, strict=True):
                flags.append((self.both[place, wood], all_of(first.primary, second.secondary)))
        for wood, second in zip(WOODS, scores, strict=True):
            flags.append((self.secondary[wood], second.secondary))
        self._deciding = tuple((latch, flag) for latch, flag in flags if flag is not None)
        self.table_only.take(cycle, written.primary, written.table_only)
        self.other_log.take(cycle, written.secondary, written.other_log)

    def _take_outside(self, row: Reading, counts: Mapping[str, Counter]) -> None:
        if not self._by_role[Role.EXTRA]:
            return
        since = self._since(counts)
        moved = [o for o in self.registration.objectives if (since[o.name] or 0) > 0]
        kinds = 0
        for o in moved:
            found = (row.cycle, since[o.name] or 0)
            if o.role is Role.EXTRA and _kind(o) == "used":
                self.outside.placed.setdefault(o.name, found)
            if _kind(o) == "mined" and counts_beyond(o.block, self.pin or ""):
                kinds += 1
                if o.role is Role.EXTRA:
                    self.outside.mined.setdefault(o.name, found)
        if kinds >= DIVERSE_AT and self.outside.diverse is None:
            self.outside.diverse = row.cycle

    def _take_receipts(self, row: Reading, written: Score, strict: Score) -> None:
        gate = self.registration.gate
        if row.baseline_wood == self.pin:
            derived = _registered(self.registration, written, strict)
        else:
            start = self._start_reading
            derived = score_under(gate, row.placed, row.mined, row.baseline_wood, start=start)
            if row.baseline_wood is not None:
                self.other_pins.setdefault(row.baseline_wood, row.cycle)
        stands = row.written or {}
        for name in RECEIPTS:
            self._compare(row.cycle, name, stands.get(name), getattr(derived, name))
        if HOARD_RECEIPT in stands:
            self._compare(row.cycle, HOARD_RECEIPT, stands[HOARD_RECEIPT], row.hoard)

    def _compare(self, cycle: int, name: str, stands: object, derived: object) -> None:
        if stands == derived and isinstance(stands, bool) == isinstance(derived, bool):
            return
        if name in self.differences:
            self.differences[name].times += 1
        else:
            self.differences[name] = Difference(cycle, stands, derived)


def _kind(objective: Objective) -> str:
    """Return what an objective counts, like ``mined`` or ``used``."""
    return objective.criterion.removeprefix("minecraft.").partition(":")[0]


def _registered(registration: Registration, written: Score, strict: Score) -> Score:
    """Return a row's score under the registered reading from those of the two readings."""
    gate = registration.gate
    if (gate.place, gate.wood) == _WRITTEN_AND_STRICT[0]:
        return written
    primary = written.primary if gate.place == PLACES[0] else strict.primary
    secondary = written.secondary if gate.wood == WOODS[0] else strict.secondary
    return replace(
        written, primary=primary, secondary=secondary, plateau_break=all_of(primary, secondary)
    )


class WindowTally:
    """The rows of cycles 0 to N-1, by unit; whatever stands elsewhere is in no count."""

    def __init__(self, registration: Registration, facts: JournalFacts) -> None:
        self.registration = registration
        self.units = {
            unit.name: UnitTally(registration, unit, facts) for unit in registration.units
        }

    def take(self, row: Reading) -> None:
        """Take in the next row."""
        unit = self.units.get(row.unit)
        if unit is not None and 0 <= row.cycle < self.registration.window.cycles:
            unit.take(row)

    def take_all(self, rows: Iterable[Reading]) -> "WindowTally":
        """Take in rows and return this tally itself."""
        for row in rows:
            self.take(row)
        return self
