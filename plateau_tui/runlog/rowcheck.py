"""What must hold for the rows of one run, one after the other."""

from collections.abc import Iterator

from plateau_tui.metric.registration import Registration
from plateau_tui.runlog.rows import Row, derived
from plateau_tui.runlog.scorer import RowScorer
from plateau_tui.runlog.state import RunState
from plateau_tui.runlog.times import format_ms

Finding = tuple[str, str]
"""A code and a sentence."""


class RowChecker:
    """Checks rows in their order: complete cycles, slots, identity, re-derived fields."""

    def __init__(self, registration: Registration, state: RunState) -> None:
        self._registration = registration
        self._state = state
        self._scorer = RowScorer(registration, state)
        self._units = registration.units
        self._slot0 = state.window_slot_ms
        self._cycle = -1
        self._place = len(self._units)
        self._poll_ts = ""

    @property
    def cycles(self) -> int:
        """How many cycles were seen, whole or not."""
        return self._cycle + 1

    def check(self, row: Row) -> Iterator[Finding]:
        """Yield what does not hold for the next row."""
        yield from self._check_place(row)
        yield from self._check_identity(row)
        yield from self._check_derived(row)

    def _check_place(self, row: Row) -> Iterator[Finding]:
        whole = self._place >= len(self._units)
        if whole and row.cycle == self._cycle + 1:
            self._cycle, self._place, self._poll_ts = row.cycle, 0, row.poll_ts
        elif row.cycle != self._cycle:
            if not whole:
                yield "cycle_incomplete", self._incomplete()
            if row.cycle > self._cycle + 1:
                yield "cycle_skipped", f"cycle {row.cycle} follows cycle {self._cycle}"
            elif row.cycle < self._cycle:
                yield "cycle_doubled", f"cycle {row.cycle} stands after cycle {self._cycle}"
            self._cycle, self._place, self._poll_ts = row.cycle, 0, row.poll_ts
        elif whole:
            yield "row_doubled", f"cycle {row.cycle} has more rows than units"
            return
        expected = self._units[self._place].name
        if row.uni != expected:
            yield "row_order", f"cycle {row.cycle}: {row.uni!r} stands where {expected} belongs"
        self._place += 1
        if row.poll_ts != self._poll_ts:
            yield "slot", f"cycle {row.cycle}: its rows have different poll_ts"
        yield from self._check_slot(row)

    def _check_slot(self, row: Row) -> Iterator[Finding]:
        if self._slot0 is None or row.cycle >= self._registration.window.cycles:
            yield "outside_window", f"cycle {row.cycle} is outside the window"
            return
        slot = format_ms(self._slot0 + row.cycle * self._registration.window.interval_ms)
        if row.poll_ts != slot:
            yield "slot", f"cycle {row.cycle} has poll_ts {row.poll_ts!r}, its slot is {slot}"

    def _check_identity(self, row: Row) -> Iterator[Finding]:
        unit = next((unit for unit in self._units if unit.name == row.uni), None)
        if unit is None:
            yield "unknown_unit", f"{row.uni!r} is not registered"
        elif (row.arm, row.role, row.kin) != (unit.arm.label, unit.arm.role, unit.arm.kin):
            yield "wrong_arm", f"{row.uni} stands under another arm than the registered one"
        if row.collector_id != self._state.collector_id:
            yield "collector_id", f"the row is of collector {row.collector_id!r}"

    def _check_derived(self, row: Row) -> Iterator[Finding]:
        score = self._scorer.score(row.uni, row.placed_used, row.mined, row.baseline_wood)
        for name, value in derived(score, row.inv_now).items():
            written = getattr(row, name)
            if written != value or isinstance(written, bool) != isinstance(value, bool):
                yield (
                    "derived_differs",
                    f"cycle {row.cycle}, {row.uni}: {name} is {written}, re-derived {value}",
                )

    def finish(self, *, last_beaten: int, held: bool) -> Iterator[Finding]:
        """Yield what does not hold at the end; ``held``: a collector may be writing."""
        if held:
            return
        if self._place < len(self._units):
            yield "cycle_incomplete", self._incomplete()
        elif self._cycle > last_beaten:
            yield "heartbeat_missing", f"cycle {self._cycle} has no heartbeat in the journal"

    def _incomplete(self) -> str:
        return f"cycle {self._cycle} has {self._place} of {len(self._units)} rows"
