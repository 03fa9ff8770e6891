"""What the console shows of a run, as frozen values that may cross threads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from plateau_tui.console.live.pairsofar import Paired
from plateau_tui.console.live.series import Series
from plateau_tui.metric.standing import Halves
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.state import RunStage

Role = Literal["treatment", "control"]
STALE_INTERVALS: Final = 2
"""What was read longer ago than so many polls is old."""
_LATE_MS: Final = 1000
"""A reading may be so much later than its slot, on a quick cadence."""

_LEAST_LATE_MS: Final = 3000
_MOST_LATE_MS: Final = 15_000
_LATE_SHARE: Final = 5
"""A slot without rows is read late while this part of it is left."""
_FIRST_MS: Final = 1_242_000_000_000
"""Minecraft's first day, 2009-05-11: an earlier time counts cycles and is no clock's."""


def turned_in(standing: Halves) -> dict[str, int]:
    """Return by flag in which cycle a unit reached it, as it stands: what is unknown is not in it.

    A pin that is not confirmed takes a flag back which the rows had shown under it.
    """
    turned = {
        "primary": standing.primary_cycle,
        "secondary": standing.secondary_cycle,
        "plateau_break": standing.both_cycle,
    }
    return {flag: cycle for flag, cycle in turned.items() if cycle is not None}


def clock_time(ms: int | None) -> int | None:
    """Return a time as it stands, and None for one that no clock can have shown."""
    return None if ms is None or ms < _FIRST_MS else ms


@dataclass(frozen=True, slots=True)
class Reading:
    """One past reading of a unit: counters by objective, None where one was not read.

    Under ``start_counts = "offset"`` they are those since the start reading, as in ``UnitView``.
    """

    cycle: int
    slot_ms: int
    counts: Mapping[str, int | None]
    note: str


@dataclass(frozen=True, slots=True)
class UnitView:
    """One unit. Flags are latched over the window; counts are the last known.

    All counts are those that are scored: under ``start_counts = "offset"`` what the counters rose
    by since the start reading. ``read_ms`` is when the last known counter was read, and each
    ``…_ms`` beside it when that number was; ``whole`` says whether its last row had every counter;
    ``whole`` and ``gaps`` leave out what is gone from the server for all (``live.gone``);
    ``first_moved`` is objective -> slot in which it first stood above the start reading, or above
    0 where nothing is subtracted.
    """

    name: str
    role: Role
    pair: int
    online: bool | None
    primary: bool | None
    secondary: bool | None
    plateau_break: bool | None
    table_only: bool
    other_log: bool
    placed: int | None
    beyond: int | None
    beyond_blocks: tuple[str, ...]
    hoard: int | None
    baseline: str | None
    read_ms: int | None
    online_ms: int | None
    placed_ms: int | None
    mined_ms: int | None
    hoard_ms: int | None
    counts_ms: dict[str, int]
    """Objective -> when its last known counter was read."""
    whole: bool
    gaps: int
    absent_polls: int
    counts: dict[str, int]
    first_moved: dict[str, int]
    readings: tuple[Reading, ...]
    woods: dict[str, int]
    """What its rows say for a pin, by species."""
    grown: dict[str, int]
    """How often each log counter moved in its rows, by species."""
    seen: bool = True
    """Whether any list of players of this run showed it."""
    series: Series | None = None
    """How its counts went over the window; None where nobody has kept that."""
    turned: dict[str, int] = field(default_factory=dict)
    """Flag (a field's name) that is reached -> cycle of the row that first showed it."""
    pinned_ms: int | None = None
    """When it was pinned last."""
    pin_confirmed: bool = True
    """Whether the pinned log rose above 0, or no log did."""
    probe_ok: bool | None = None
    """What the last row that tells of the probe says of this unit; None where none does."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the journal as a person reads it."""

    ts: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Said:
    """What this console answered, and when; the journal does not hold it."""

    ts: str
    text: str


@dataclass(frozen=True, slots=True)
class RunView:
    """A run at one moment. Times are milliseconds since 1970."""

    name: str
    stage: RunStage
    registered: bool
    run_id: str
    arms: dict[Role, str]
    interval_ms: int
    cycles: int
    cycle: int | None
    slot0_ms: int | None
    collector_pid: int | None
    heartbeat_ms: int | None
    rcon_ok: bool | None
    fault: str
    fault_since_cycle: int | None
    seal: str
    seal_broken: bool
    items_removed: bool
    missing: tuple[str, ...]
    voided: tuple[str, ...]
    """What can end in WITHHELD alone, whatever comes: rows 3 and 4 of the decision table."""
    fell: int
    """Counters that were once lower than at their reading before."""
    gaps: int
    rows: int
    unreadable: int
    k_primary: int
    k_secondary: int
    objectives: tuple[str, ...]
    units: tuple[UnitView, ...]
    journal: tuple[Entry, ...]
    watched: dict[str, str]
    """Unit -> species that the last first-poll watch suggested."""
    watched_growth: dict[str, dict[str, int]] = field(default_factory=dict)
    """Unit -> species -> how far the last first-poll watch saw its counter rise."""
    logs: tuple[str, ...] = ()
    """The log species that an objective of the run counts when mined; none where nobody asked."""
    error: str = ""
    since_start: bool = False
    """Whether counts are those since the start reading (``start_counts = "offset"``)."""
    others: tuple[str, ...] = ()
    """Players online who are no units, as told while a unit had never been seen."""
    refusal: str = ""
    """Why the last collector ended though nobody and no end of the window asked it to."""
    verdict: str = ""
    """The word of the last adjudication."""
    blocked: str = ""
    """Why the log cannot be written, as far as its disk and its collector's last words tell."""
    exported: bool = False
    export_is_old: bool = False
    """Whether the export holds other answers than the run does now."""
    window: bytes = b""
    """How each cycle so far was read, as ``windowreadings`` names it."""
    fault_cycles: tuple[int, ...] = ()
    """Cycles in which a fault began, in order."""
    fault_code: str = ""
    """The machine's word for ``fault``."""
    by_hand: str = ""
    """Why a reading by hand, later than the last heartbeat, got nothing."""
    contact_ms: int | None = None
    """When the journal last told of an answer of the server."""
    faults: tuple[ev.Fault, ...] = ()
    """All that began and is not over, the newest last."""
    log_faults: tuple[ev.Fault, ...] = ()
    """What happened to the log itself, which is never over."""
    restarted: tuple[ev.LogRestarted, ...] = ()
    """The logs that had to begin anew, each as it did last."""
    lost_rows: int = 0
    """Rows that the last heartbeat counted and that no file of the log holds."""
    fallen: tuple[str, ...] = ()
    """The counters that fell, each with its unit."""
    failed: tuple[str, ...] = ()
    """The objectives that the registration could not have, each with why."""
    seen_problems: frozenset[str] = frozenset()
    """The keys of the problems that the operator of this console has acknowledged."""
    clock_off_s: float = 0.0
    """How far the wall clock was found off, while it is."""
    max_absent_polls: int = 3
    """A unit that was absent from more polls in a row is not live."""
    probe_armed: bool = False
    """Whether a probe's tag is to prove the arm (``probe.arm_values``)."""
    closed_early: bool = False
    gone_gaps: int = 0
    """Cycles of ``gaps`` that lack nothing but what is gone from the server for all."""
    paired: Paired | None = None
    """Where every unit stands by the verdict's own rules, for the pairs."""

    def of(self, role: Role) -> tuple[UnitView, ...]:
        """Return the units of one arm, in the order of their pairs."""
        return tuple(unit for unit in self.units if unit.role == role)

    def unit(self, name: str) -> UnitView | None:
        """Return a unit by its name."""
        return next((unit for unit in self.units if unit.name == name), None)

    def is_live(self, unit: UnitView) -> bool:
        """Say whether a unit is live as it stands (``design.md``, Verdict)."""
        return unit.seen and unit.absent_polls <= self.max_absent_polls

    @property
    def unpinned(self) -> tuple[str, ...]:
        """The units without BASELINE_WOOD."""
        return tuple(unit.name for unit in self.units if unit.baseline is None)

    def is_stale(self, read_ms: int | None, now_ms: int) -> bool:
        """Say whether something read at ``read_ms`` is older than two polls.

        Counted from now while the window is open, and from its last cycle afterwards: what was
        not read towards the end stays old.
        """
        last = None
        if self.slot0_ms is not None and self.cycle is not None:
            last = self.slot0_ms + self.cycle * self.interval_ms
        seen_from = now_ms if self.stage == "open" else last
        if read_ms is None or seen_from is None:
            return False
        return seen_from - read_ms > STALE_INTERVALS * self.interval_ms + _LATE_MS

    def overdue_ms(self, now_ms: int) -> int:
        """Return for how long the next poll's rows have been due; 0 where they are not late.

        A poll takes its time: it is late after a tenth of the interval, at least 3 s, at most 15 s.
        """
        following = 0 if self.cycle is None else self.cycle + 1
        if self.stage != "open" or self.slot0_ms is None or following >= self.cycles:
            return 0
        late = now_ms - self.slot0_ms - following * self.interval_ms
        allowed = min(_MOST_LATE_MS, max(_LEAST_LATE_MS, self.interval_ms // 10))
        return late if late > allowed else 0

    def missed_polls(self, now_ms: int) -> int:
        """Return how many polls have no rows and are not read late any more (``design.md``)."""
        if self.stage != "open" or self.slot0_ms is None:
            return 0
        begun = (now_ms - self.slot0_ms + self.interval_ms // _LATE_SHARE) // self.interval_ms
        recorded = 0 if self.cycle is None else self.cycle + 1
        return max(0, min(begun, self.cycles) - recorded)

    def is_over(self, now_ms: int) -> bool:
        """Say whether the window's time is over, or every cycle has its rows."""
        whole = self.cycle is not None and self.cycle + 1 >= self.cycles
        end = None if self.slot0_ms is None else self.slot0_ms + self.cycles * self.interval_ms
        return whole or (end is not None and now_ms >= end)

    def next_slot_ms(self, now_ms: int) -> int | None:
        """Return the slot of the next poll; None where there is none to come."""
        if self.collector_pid is None or self.stage in {"closed", "adjudicated"}:
            return None
        if self.slot0_ms is None:
            return -(-now_ms // self.interval_ms) * self.interval_ms
        following = 0 if self.cycle is None else self.cycle + 1
        due = max(following, (now_ms - self.slot0_ms) // self.interval_ms)
        return None if due >= self.cycles else self.slot0_ms + due * self.interval_ms
