"""How the rows of a replayed log are taken in: their gate, their pins, the names of counters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from msgspec.structs import replace

from plateau_tui.console.live.history import StartOffset
from plateau_tui.metric.gatescore import NO_START, score_under, valid_pin
from plateau_tui.metric.objectives import Role
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.scoring import Score, score, since_start
from plateau_tui.runlog.progress import LogCounters
from plateau_tui.runlog.rows import Counts, Row
from plateau_tui.runlog.scorer import RowScorer
from plateau_tui.runlog.state import RunState

Pin = str | None
WITHOUT_LOGS: Final = "all_logs"
"""The reading that leaves out the wood of every species."""
_NAMES_KEPT: Final = 64
_ROLE_WORDS: Final = ((Role.PLACE, "place"), (Role.MINE, "mine"), (Role.CRAFT, "craft"))


@dataclass(frozen=True)
class Rules:
    """How rows are taken in; the same for a whole pass over a log.

    ``pins`` has, by unit, the species under which its rows are scored, None among them where it
    once was not pinned. ``pins_in_rows`` says that the rows themselves name the pin, for want of
    a journal. ``wood`` are pins that an operator named, by unit or (``""``) for all; then no others
    count. ``cycles`` are the window's, after which no row counts for a standing; None for rows
    alone, which have no window. ``zero_may_be_unread`` is the earlier collector's way: a counter
    that stood higher and is 0 was not read. ``no_lists`` as well: it asked for no list of players,
    so a unit that was read is taken to be live. ``gone`` has, by objective, the cycles in which the
    journal tells that the server does not know it.
    """

    registration: Registration
    state: RunState
    pins: Mapping[str, tuple[Pin, ...]] = field(default_factory=dict)
    pins_in_rows: bool = False
    wood: Mapping[str, str] = field(default_factory=dict)
    zero_may_be_unread: bool = False
    no_lists: bool = False
    gone: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    cycles: int | None = None

    @cached_property
    def units(self) -> frozenset[str]:
        """The registered units."""
        return frozenset(unit.name for unit in self.registration.units)

    def in_window(self, cycle: int) -> bool:
        """Say whether rows of a cycle count for the standings."""
        return self.cycles is None or cycle < self.cycles

    def pins_of(self, unit: str) -> tuple[Pin, ...]:
        """Return the pins under which a unit's rows are scored from the first one on."""
        return (self._named(unit),) if self.wood else self.pins.get(unit, (None,))

    def pin_now(self, unit: str, in_rows: Pin, in_journal: Mapping[str, str]) -> Pin:
        """Return a unit's pin at a moment, by what its rows and the journal had said by then."""
        if self.wood:
            return self._named(unit)
        return in_rows if self.pins_in_rows else in_journal.get(unit)

    def _named(self, unit: str) -> Pin:
        return self.wood.get(unit, self.wood.get(""))

    @cached_property
    def offset(self) -> StartOffset | None:
        """What ``start_counts = "offset"`` subtracts."""
        return StartOffset.of(self.registration, self.state)

    @cached_property
    def _scorer(self) -> RowScorer:
        return RowScorer(self.registration, self.state)

    @cached_property
    def _logs(self) -> LogCounters:
        return LogCounters(self.registration, self.state)

    @cached_property
    def _names(self) -> tuple[dict[str, str], ...]:
        objectives = self.registration.objectives
        return tuple(
            {o.block: o.name for o in objectives if o.role is role} for role, _ in _ROLE_WORDS
        )

    @cached_property
    def log_counters(self) -> frozenset[str]:
        """The objectives whose counts are evidence for a pin."""
        return frozenset(self._logs.species)

    def raw_counts(self, row: Row) -> Counts:
        """Return a row's counters by objective; a block beyond the set is named by its kind."""
        counts: Counts = dict(row.extra)
        for kind, values in enumerate((row.placed_used, row.mined, row.crafted)):
            counts.update(zip(self._named_by(kind, tuple(values)), values.values(), strict=True))
        return counts

    def _named_by(self, kind: int, blocks: tuple[str, ...]) -> tuple[str, ...]:
        """Return the objectives of blocks; the rows of a log have the same ones again and again."""
        found = self._names_seen.get((kind, blocks))
        if found is None:
            names, word = self._names[kind], _ROLE_WORDS[kind][1]
            found = tuple(names.get(block) or f"{word}_{block}" for block in blocks)
            if len(self._names_seen) < _NAMES_KEPT:
                self._names_seen[kind, blocks] = found
        return found

    @cached_property
    def _names_seen(self) -> dict[tuple[int, tuple[str, ...]], tuple[str, ...]]:
        return {}

    def scored_counts(self, unit: str, raw: Counts) -> Counts:
        """Return the counters that are scored: less the start reading under ``offset``."""
        return raw if self.offset is None else self.offset.counts(unit, raw)

    def score(self, row: Row, pin: Pin) -> tuple[Score, Score]:
        """Return a row's score under a pin, and the one whose totals are shown.

        Under ``offset`` these are the totals since the start reading.
        """
        found = self._scorer.score(row.uni, row.placed_used, row.mined, pin)
        if self.offset is None:
            return found, found
        start = self.state.start_of(row.uni)
        placed = since_start(row.placed_used, start.placed)
        return found, score(placed, since_start(row.mined, start.mined), valid_pin(pin))

    def without_logs(self, row: Row, pin: Pin, found: Score) -> Score:
        """Return a row's score with the wood of every species left out.

        ``found`` is its score under the registered reading, which may be just that.
        """
        gate = self.registration.gate
        if gate.wood == WITHOUT_LOGS:
            return found
        start = NO_START if self.offset is None else self.state.start_of(row.uni)
        placed, mined = row.placed_used, row.mined
        return score_under(gate, placed, mined, pin, start=start, wood=WITHOUT_LOGS)

    def logs(self, unit: str, raw: Counts) -> Counts:
        """Return a row's counters of logs by species, as they count towards a pin."""
        return self._logs.counted(unit, raw)

    def as_read(self, row: Row, levels: Mapping[str, int]) -> Row:
        """Return a row without the zeros that stand for a counter that was not read."""
        if not self.zero_may_be_unread or not any(levels.values()):
            return row
        read = [
            {
                block: None if count == 0 and levels.get(name, 0) > 0 else count
                for name, (block, count) in zip(
                    self._named_by(kind, tuple(values)), values.items(), strict=True
                )
            }
            for kind, values in enumerate((row.placed_used, row.mined, row.crafted))
        ]
        return replace(row, placed_used=read[0], mined=read[1], crafted=read[2])
