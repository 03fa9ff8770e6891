"""What the rows of a log come to, cycle by cycle, so that any moment of it can be shown again.

A state is moved on by one row at a time and can be copied at any cycle for little: what a row
changes is replaced and never changed in place, so that copies share what stands still. Most
counters stand still in most cycles; a row that says the same as the one before costs little too.

Scores are those of ``metric.scoring``. A unit's pin applies to all its rows, whenever it was made;
so a unit is scored under each species that it is ever pinned to, and what is shown at a moment
is the score under the pin of that moment.
"""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Final, cast

from plateau_tui.console.live.gone import NOTHING, GoneKeeper, but_gone
from plateau_tui.console.live.windowreadings import PARTIAL, SILENT, WHOLE
from plateau_tui.console.replay.halves import Half
from plateau_tui.console.replay.rules import Pin, Rules
from plateau_tui.metric.accumulators import Rests
from plateau_tui.metric.gatescore import valid_pin
from plateau_tui.metric.pinning import WoodGrowth
from plateau_tui.metric.scoring import Score
from plateau_tui.runlog.progress import has_gap
from plateau_tui.runlog.rows import Counts, Row
from plateau_tui.runlog.times import parse_ms

_MAX_PINS: Final = 9
"""Species of one unit, and none: a log that pins a unit to more than all of them is made up."""


_BEGUN: Final = Half()


@dataclass(frozen=True, slots=True)
class UnderPin:
    """What a unit's rows came to under one pin. ``both`` is the full claim.

    ``..._without_logs`` is the first cycle that showed it with every log left out: that counts
    while the pin is not confirmed.
    """

    secondary: Half = _BEGUN
    both: Half = _BEGUN
    secondary_without_logs: int | None = None
    both_without_logs: int | None = None
    other_log: Rests = field(default_factory=Rests)
    beyond: int | None = None

    def after(self, cycle: int, found: Score, shown: Score) -> "UnderPin":
        """Return what it comes to with the next row's score; ``shown`` has the totals.

        The halves are taken in by themselves: for them no row after the window counts.
        """
        other_log = _copy(self.other_log)
        other_log.take(cycle, found.secondary, found.other_log)
        beyond = shown.distinct_mined_beyond
        beyond = self.beyond if beyond is None else beyond
        return replace(self, other_log=other_log, beyond=beyond)

    def with_halves(self, last: int, cycle: int, found: Score) -> "UnderPin":
        """Return it with what a row says of its halves; ``last`` is the cycle of the one before."""
        secondary = self.secondary.after(last, cycle, found.secondary)
        both = self.both.after(last, cycle, found.plateau_break)
        return replace(self, secondary=secondary, both=both)

    def with_halves_without_logs(self, cycle: int, found: Score) -> "UnderPin":
        """Return it with what a row says of its halves with every log left out."""
        secondary, both = self.secondary_without_logs, self.both_without_logs
        return replace(
            self,
            secondary_without_logs=cycle if secondary is None and found.secondary else secondary,
            both_without_logs=cycle if both is None and found.plateau_break else both,
        )

    @property
    def rests_on(self) -> tuple[Half, Half, int | None, int | None]:
        """All that its standings rest on."""
        first = (self.secondary_without_logs, self.both_without_logs)
        return (self.secondary, self.both, *first)


@dataclass(slots=True)
class UnitSoFar:
    """One unit at a moment. Counts are the last known, times milliseconds.

    ``raw`` are the last row's counters, ``levels`` the last known ones, ``counts`` those that are
    scored. ``behind`` has the times of the known counters that the last row did not have; all
    others were read at ``row_ms``. ``pin`` is what the last row that named a pin named.
    ``counted`` is the cycle of its last row in the window: no later one is in a half. ``attended``
    says whether any list of the window had it, and how many in a row, the last ones, had not.
    ``logs_above`` has each log's first cycle above 0.
    """

    cycle: int = -1
    counted: int = -1
    rows: int = 0
    row_ms: int = 0
    read_ms: int | None = None
    read_whole: bool = True
    whole: bool = True
    gaps: int = 0
    online: bool | None = None
    seen: bool = False
    absent: int = 0
    attended: tuple[bool, int] = (False, 0)
    online_ms: int | None = None
    placed_ms: int | None = None
    mined_ms: int | None = None
    hoard_ms: int | None = None
    hoard: int | None = None
    pin: Pin = None
    primary: Half = _BEGUN
    summed: Row | None = None
    """The last row whose total of placed blocks is known."""
    total_known: bool = False
    table_only: Rests = field(default_factory=Rests)
    pins: dict[Pin, UnderPin] = field(default_factory=dict)
    raw: Counts = field(default_factory=dict)
    levels: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    behind: dict[str, int] = field(default_factory=dict)
    first_moved: dict[str, int] = field(default_factory=dict)
    fallen: frozenset[str] = frozenset()
    growth: WoodGrowth = field(default_factory=WoodGrowth.empty)
    logs_above: dict[str, int] = field(default_factory=dict)
    note: str = ""
    last: Row | None = None
    """The last row whose counters were not those of the row before."""
    taken: Row | None = None
    """The same, less what it only seemed to have read."""
    late_pin: bool = False
    """Whether rows before its pin was known were not scored under it."""

    def under(self, pin: Pin) -> UnderPin:
        """Return what its rows came to under a pin."""
        return self.pins.get(pin) or UnderPin()

    def counts_ms(self) -> dict[str, int]:
        """Return when each known counter was read."""
        return {name: self.behind.get(name, self.row_ms) for name in self.levels}

    def placed(self, rules: Rules) -> int | None:
        """Return the last known total of placed blocks."""
        return None if self.summed is None else rules.score(self.summed, None)[1].placed_used_total

    def take(self, row: Row, cycle: int, rules: Rules, gone: frozenset[str] = NOTHING) -> bool:
        """Move on by a row of a cycle; say whether there is anything to tell.

        ``gone`` are the objectives that nobody can read in it: no loss of this unit.
        """
        if not self.rows:
            self.pins = dict.fromkeys(rules.pins_of(row.uni), UnderPin())
        was_ms, marks = self.row_ms, (self.pin, self.fallen, self.logs_above)
        self.row_ms = parse_ms(row.poll_ts if row.read_ts is None else row.read_ts)
        known_pin = True
        if rules.pins_in_rows and row.baseline_wood is not None:
            known_pin = self._take_pin(row.baseline_wood)
        before, taken = self.last, self.taken
        turned = not known_pin
        if before is None or taken is None or not _same_counters(before, row):
            # A row that says the same is not kept: copies of this state share the older one.
            self.last, self.taken = row, rules.as_read(row, self.levels)
            self._take_counters(self.taken, cycle, rules, was_ms)
            self.read_whole = not has_gap(self.taken)
            turned = turned or taken is None or not _same_flags(taken, self.taken, rules)
            if self.total_known and not turned:
                self.summed = self.taken
        if turned and self.taken is not None:
            turned = self._take_scores(self.taken, cycle, rules)
        self._take_times(row, self.taken or row)
        if rules.in_window(cycle):
            self.counted = cycle
            here = (self.seen, self.absent)
            if rules.no_lists:
                here = (self.attended[0] or row.rcon_ok, 0)
            if here != self.attended:
                self.attended = here
        whole = self.read_whole or (bool(gone) and None not in but_gone(self.raw, gone))
        self._take_gap(cycle, whole=whole)
        self.note, self.cycle, self.rows = row.note, cycle, self.rows + 1
        return turned or marks != (self.pin, self.fallen, self.logs_above)

    def _take_pin(self, species: str) -> bool:
        """Note the pin that a row names; say whether its rows are scored under it already."""
        self.pin = valid_pin(species)
        if self.pin in self.pins or len(self.pins) >= _MAX_PINS:
            return True
        self.pins = self.pins | {self.pin: UnderPin()}
        self.late_pin = self.late_pin or self.rows > 0
        return False

    def _take_times(self, row: Row, taken: Row) -> None:
        """Note when each number was read: one of them may grow old while others are read."""
        self.online = row.online
        if row.online is not None:
            self.online_ms = self.row_ms
            self.absent = 0 if row.online else self.absent + 1
            self.seen = self.seen or row.online
        if len(self.behind) < len(self.levels):  # some counter was read
            self.read_ms = None if row.read_ts is None else self.row_ms
        if None not in taken.placed_used.values():
            self.placed_ms = self.row_ms
        if None not in taken.mined.values():
            self.mined_ms = self.row_ms
        if row.pickaxe_hoard is not None:
            self.hoard, self.hoard_ms = row.pickaxe_hoard, self.row_ms

    def _take_gap(self, cycle: int, *, whole: bool) -> None:
        """Count the cycles in which no row of the unit had every counter."""
        if cycle != self.cycle:
            self.gaps += not whole
            self.whole = whole
        elif whole and not self.whole:
            self.gaps -= 1
            self.whole = True

    def _take_counters(self, row: Row, cycle: int, rules: Rules, was_ms: int) -> None:
        raw = rules.raw_counts(row)
        moved = dict(raw.items() - self.raw.items())
        levels, self.raw = self.levels, raw
        if None in raw.values() or not levels.keys() <= raw.keys():
            known = {name: count for name, count in raw.items() if count is not None}
            self.behind = {n: self.behind.get(n, was_ms) for n in levels if n not in known}
            self.levels = levels | known
        else:
            self.behind, self.levels = {}, cast("dict[str, int]", raw)
        fell = [n for n, c in moved.items() if c is not None and c < levels.get(n, c)]
        self.fallen = self.fallen.union(fell) if fell else self.fallen
        scored = raw if rules.offset is None else rules.scored_counts(row.uni, raw)
        self.counts = self.levels
        if rules.offset is not None:
            self.counts = self.counts | {n: c for n, c in scored.items() if c is not None}
        new = [n for n in moved if n not in self.first_moved and (scored[n] or 0) > 0]
        if new:
            self.first_moved = self.first_moved | dict.fromkeys(new, parse_ms(row.poll_ts))
        if not rules.log_counters.isdisjoint(moved):
            self.growth = WoodGrowth(dict(self.growth.level), dict(self.growth.grown))
            logs = rules.logs(row.uni, raw)
            self.growth.add(logs)
            above = [s for s, n in logs.items() if (n or 0) > 0 and s not in self.logs_above]
            if above and rules.in_window(cycle):
                self.logs_above = self.logs_above | dict.fromkeys(above, cycle)

    def _take_scores(self, row: Row, cycle: int, rules: Rules) -> bool:
        """Take in what a row scores; say whether one of the unit's halves turned."""
        wanted = [pin for pin in self.pins if pin is not None or self.pin is None]
        scores = {pin: rules.score(row, pin) for pin in wanted}
        before, primary = self.pins, self.primary
        pins = {pin: before[pin].after(cycle, *both) for pin, both in scores.items()}
        # Neither of these hangs on the pin: each of the scores has the same.
        found, shown = next(iter(scores.values()))
        if rules.in_window(cycle):
            self.primary = primary.after(self.counted, cycle, found.primary)
            pins = {
                pin: self._with_halves(pin, under, scores[pin][0], (row, cycle, rules))
                for pin, under in pins.items()
            }
        self.pins = before | pins
        self.table_only = _copy(self.table_only)
        self.table_only.take(cycle, found.primary, found.table_only)
        self.total_known = shown.placed_used_total is not None
        if self.total_known:
            self.summed = row
        turned = any(before[pin].rests_on != under.rests_on for pin, under in pins.items())
        return turned or self.primary != primary

    def _with_halves(
        self, pin: Pin, under: UnderPin, found: Score, taken: tuple[Row, int, Rules]
    ) -> UnderPin:
        row, cycle, rules = taken
        under = under.with_halves(self.counted, cycle, found)
        first = (under.secondary_without_logs, under.both_without_logs)
        if found.secondary and None in first:
            # What is reached with every log left out is reached with the pinned one left out.
            under = under.with_halves_without_logs(cycle, rules.without_logs(row, pin, found))
        return under


def _same_counters(a: Row, b: Row) -> bool:
    return (
        a.placed_used == b.placed_used
        and a.mined == b.mined
        and a.crafted == b.crafted
        and a.extra == b.extra
    )


def _same_flags(a: Row, b: Row, rules: Rules) -> bool:
    """Say whether two rows of a unit must have the same score but for the total of what it placed.

    All else in a score hangs on which kinds were placed or mined, not on how many of each (§2c).
    """
    return rules.offset is None and _signs(a) == _signs(b)


def _signs(row: Row) -> list[tuple[str, int | None]]:
    return [
        (block, None if count is None else (count > 0) - (count < 0))
        for counts in (row.placed_used, row.mined)
        for block, count in counts.items()
    ]


def _copy(rests: Rests) -> Rests:
    return Rests(rests.only, rests.maybe, rests.free, rests.taken)


@dataclass(slots=True)
class RunSoFar:
    """All units at a moment, and what the cycles so far came to.

    ``now_ms`` is when the last row was read; ``reading`` how the last cycle was read.
    ``counted`` is the last cycle of the window that has rows. ``gone_gaps`` are those of
    ``gap_cycles`` that lack nothing but what is gone from the server for all; ``read_back`` has the
    last cycle that read an objective which was told to be gone.
    """

    units: dict[str, UnitSoFar] = field(default_factory=dict)
    rows: int = 0
    gap_cycles: int = 0
    gone_gaps: int = 0
    read_back: dict[str, int] = field(default_factory=dict)
    rcon_ok: bool | None = None
    now_ms: int = 0
    reading: int = WHOLE
    counted: int = -1

    def copy(self) -> "RunSoFar":
        """Return a state that goes its own way from here."""
        other = copy(self)
        other.units = {name: copy(unit) for name, unit in self.units.items()}
        return other

    def unread_in(self, cycle: int) -> list[str]:
        """Return the units of which not every counter was read in a cycle that has their rows."""
        return [n for n, unit in self.units.items() if unit.cycle == cycle and not unit.whole]

    def take_cycle(self, cycle: int, rows: Iterable[Row], rules: Rules) -> list[str]:
        """Take in all rows of a cycle; return the units of which there is news."""
        turned: dict[str, None] = {}
        self.now_ms, self.rcon_ok = 0, True
        here: dict[str, UnitSoFar] = {}
        keeper, gone = self._gone(rules), NOTHING
        for row in rows:
            unit = self.units.get(row.uni)
            if unit is None:
                unit = self.units[row.uni] = UnitSoFar()
            if keeper is not None:
                gone |= keeper.at(cycle)
            if unit.take(row, cycle, rules, gone):
                turned[row.uni] = None
            if keeper is not None:
                keeper.take_row(cycle, {n: c for n, c in unit.raw.items() if c is not None})
            here[row.uni] = unit
            self.rcon_ok = self.rcon_ok and row.rcon_ok
            self.now_ms = max(self.now_ms, unit.row_ms)
            self.rows += 1
        if rules.in_window(cycle):
            self.counted = cycle
        gaps = any(not unit.whole for unit in here.values())
        silent = all(len(unit.behind) == len(unit.levels) for unit in here.values())
        self.reading = PARTIAL if gaps else WHOLE
        if silent and (gaps or gone):
            self.reading = SILENT
        only_gone = not gaps and bool(gone) and any(not u.read_whole for u in here.values())
        self.gap_cycles += gaps or only_gone
        self.gone_gaps += only_gone and self.reading == WHOLE
        return list(turned)

    def _gone(self, rules: Rules) -> GoneKeeper | None:
        """Return what tells which objectives are gone; None where none ever was."""
        if not rules.gone:
            return None
        self.read_back = dict(self.read_back)
        return GoneKeeper({name: list(told) for name, told in rules.gone.items()}, self.read_back)
