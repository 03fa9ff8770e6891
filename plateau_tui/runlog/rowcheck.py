"""What must hold for the rows of one run, one after the other."""

from collections.abc import Iterator, Mapping

from plateau_tui.metric.objectives import CRAFT_ITEMS, HOARD_ITEM, MINE_BLOCKS, PLACE_BLOCKS
from plateau_tui.metric.registration import Registration
from plateau_tui.runlog.rows import Row, derived
from plateau_tui.runlog.scorer import RowScorer
from plateau_tui.runlog.state import RunState
from plateau_tui.runlog.times import format_ms

Finding = tuple[str, str]
"""A code and a sentence."""


class RowChecker:
    """Checks rows in their order: complete cycles, slots, identity, ids, re-derived fields."""

    def __init__(self, registration: Registration, state: RunState) -> None:
        self._registration = registration
        self._state = state
        self._scorer = RowScorer(registration, state)
        self._units = {unit.name: unit for unit in registration.units}
        self._order = list(self._units)
        self._ids = (
            ("placed_used", PLACE_BLOCKS),
            ("mined", MINE_BLOCKS),
            ("crafted", CRAFT_ITEMS),
            ("extra", tuple(o.name for o in registration.extensions)),
        )
        self._slot0 = state.window_slot_ms
        self._cycle = self._highest = -1
        self._place = len(self._order)

    @property
    def cycles(self) -> int:
        """How many cycles were seen, whole or not."""
        return self._highest + 1

    def check(self, row: Row) -> Iterator[Finding]:
        """Yield what does not hold for the next row by itself, the pin apart."""
        yield from self._check_slot(row)
        yield from self._check_identity(row)
        for field_name, ids in self._ids:
            if tuple(getattr(row, field_name)) != ids:
                yield "wrong_ids", f"cycle {row.cycle}, {row.uni!r}: the ids in {field_name} differ"
        if HOARD_ITEM not in row.inv_now:  # other items are context
            yield "wrong_ids", f"cycle {row.cycle}, {row.uni!r}: inv_now has no {HOARD_ITEM}"
        yield from self._check_derived(row)

    def pass_over(self) -> None:
        """Take a line that is no row for the row that belongs there: its fault is told already."""
        if self._place >= len(self._order):
            self._cycle = self._highest = self._highest + 1
            self._place = 0
        self._place += 1

    def check_place(self, row: Row) -> Iterator[Finding]:
        """Yield what does not hold for the next row's place among the others; comes first."""
        whole = self._place >= len(self._order)
        if row.cycle != self._cycle or (whole and row.uni == self._order[0]):
            yield from self._check_next_cycle(row, whole=whole)
            self._cycle, self._highest = row.cycle, max(row.cycle, self._highest)
            self._place = 0
        elif whole:
            yield "row_doubled", f"cycle {row.cycle} has more rows than units"
            return
        expected = self._order[self._place]
        there = self._order.index(row.uni) if row.uni in self._units else self._place
        if there > self._place:
            yield (
                "row_missing",
                f"cycle {row.cycle}: {expected} has no row before that of {row.uni}",
            )
        elif there < self._place:
            yield "row_order", f"cycle {row.cycle}: {row.uni} stands where {expected} belongs"
            return
        self._place = there + 1

    def _check_next_cycle(self, row: Row, *, whole: bool) -> Iterator[Finding]:
        if not whole:
            yield "cycle_incomplete", self._incomplete()
        if row.cycle <= self._highest:
            yield "cycle_doubled", f"cycle {row.cycle} begins after cycle {self._highest}"
        elif row.cycle > self._highest + 1:
            yield "cycle_skipped", f"cycle {row.cycle} stands where cycle {self.cycles} belongs"

    def _check_slot(self, row: Row) -> Iterator[Finding]:
        closed, window = self._state.closed, self._registration.window
        if closed is not None and row.cycle >= closed.cycles:
            yield "after_close", f"cycle {row.cycle}: the window closed before it"
        if self._slot0 is None or row.cycle >= window.cycles:
            yield "outside_window", f"cycle {row.cycle} is outside the window"
            return
        slot = format_ms(self._slot0 + row.cycle * window.interval_ms)
        if row.poll_ts != slot:
            yield "slot", f"cycle {row.cycle} has poll_ts {row.poll_ts!r}, its slot is {slot}"

    def _check_identity(self, row: Row) -> Iterator[Finding]:
        unit = self._units.get(row.uni)
        if unit is None:
            yield "unknown_unit", f"{row.uni[:40]!r} is not registered"
        elif (row.arm, row.role, row.kin) != (unit.arm.label, unit.arm.role, unit.arm.kin):
            yield "wrong_arm", f"{row.uni} stands under another arm than the registered one"
        if row.collector_id != self._state.collector_id:
            yield "collector_id", f"the row is of collector {row.collector_id[:40]!r}"

    def _check_derived(self, row: Row) -> Iterator[Finding]:
        score = self._scorer.score(row.uni, row.placed_used, row.mined, row.baseline_wood)
        for name, value in derived(score, row.inv_now).items():
            written = getattr(row, name)
            if written != value or isinstance(written, bool) != isinstance(value, bool):
                yield (
                    "derived_differs",
                    f"cycle {row.cycle}, {row.uni}: {name} is {written}, re-derived {value}",
                )

    @property
    def incomplete(self) -> str | None:
        """Why the last cycle is not whole, or None."""
        return self._incomplete() if self._place < len(self._order) else None

    def _incomplete(self) -> str:
        return f"cycle {self._cycle} does not have the rows of all {len(self._order)} units"


def check_pin(
    row: Row, pins: Mapping[str, str], ever_pinned: set[tuple[str, str]], *, exact: bool
) -> Iterator[Finding]:
    """Yield it when a row's ``baseline_wood`` is not what was pinned when it was written.

    Args:
        row: the row.
        pins: the pins in force by the journal's order.
        ever_pinned: every (unit, species) that was ever pinned.
        exact: False where a newer pin may have come between the row and its heartbeat.

    """
    wood = row.baseline_wood
    if wood == pins.get(row.uni):
        return
    if not exact and (wood is None or (row.uni, wood) in ever_pinned):
        return
    told = "none" if wood is None else repr(wood[:40])
    pinned = pins.get(row.uni, "none")
    yield (
        "pin_differs",
        f"cycle {row.cycle}, {row.uni}: baseline_wood is {told}, pinned was {pinned}",
    )
