"""From a cycle's reading, or from the lack of one, to the rows that stand for it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from plateau_tui.collector.cycle import CycleReading
from plateau_tui.collector.probe import UnitProbe
from plateau_tui.metric.objectives import HOARD_ITEM, Role
from plateau_tui.metric.registration import Registration, Unit
from plateau_tui.runlog.rows import Counts, Row, derived
from plateau_tui.runlog.scorer import RowScorer
from plateau_tui.runlog.state import RunState
from plateau_tui.runlog.times import format_ms


@dataclass(frozen=True, slots=True)
class Slot:
    """A cycle's number and its slot in milliseconds since 1970."""

    cycle: int
    ms: int


class RowBuilder:
    """Builds the rows of one run; pins are those in force when the rows are built."""

    def __init__(self, registration: Registration, state: RunState) -> None:
        self._registration = registration
        self._state = state
        self._scorer = RowScorer(registration, state)
        self._by_role = {
            role: [o for o in registration.objectives if o.role is role] for role in Role
        }

    def gap_rows(self, slot: Slot, note: str, units: Iterable[Unit] | None = None) -> list[Row]:
        """Return rows that say that nothing was read, and why; for all units or for some."""
        unread = dict.fromkeys(o.name for o in self._registration.objectives)
        return [
            self._row(unit, slot, unread, note)
            for unit in (self._registration.units if units is None else units)
        ]

    def rows(
        self, slot: Slot, reading: CycleReading, probed: Mapping[str, UnitProbe] | None
    ) -> list[Row]:
        """Return the rows of a cycle, units in registered order; ``probed`` None: no probe."""
        treatment, control = self._registration.treatment, self._registration.control
        live_cur, live_ctrl = (
            self._live(treatment.units, reading),
            self._live(control.units, reading),
        )
        skews = self._skews(reading)
        rows = []
        for unit in self._registration.units:
            counters = reading.counters.units[unit.name]
            online, hoard = reading.online[unit.name], reading.hoard[unit.name]
            listed = online is not None and unit.name not in reading.hoard_failed
            probe = None if probed is None else probed[unit.name]
            row = replace(
                self._row(unit, slot, counters.counts, self._note(unit, reading, probe)),
                read_ts=None if counters.asked_ms is None else format_ms(counters.asked_ms),
                online=online,
                rcon_ok=counters.ok and listed,
                inv_now={HOARD_ITEM: hoard},
                pickaxe_hoard=hoard,
                live_cur=live_cur,
                live_ctrl=live_ctrl,
                span_ms=reading.counters.span_ms,
                pair_skew_ms=skews[unit.pair],
                read=counters.form,
            )
            rows.append(row if probe is None else _with_probe(row, probe))
        return rows

    def _note(self, unit: Unit, reading: CycleReading, probe: UnitProbe | None) -> str:
        notes = [
            *reading.counters.units[unit.name].notes,
            reading.roster_note,
            reading.hoard_notes.get(unit.name, ""),
            probe.note if probe else "",
        ]
        return "; ".join(note for note in notes if note)

    def _row(self, unit: Unit, slot: Slot, counts: Mapping[str, int | None], note: str) -> Row:
        placed, mined, crafted = (
            {o.block: counts[o.name] for o in self._by_role[role]}
            for role in (Role.PLACE, Role.MINE, Role.CRAFT)
        )
        pin = self._state.pins.get(unit.name)
        unread: Counts = {HOARD_ITEM: None}
        return Row(
            poll_ts=format_ms(slot.ms),
            read_ts=None,
            cycle=slot.cycle,
            collector_id=self._state.collector_id,
            arm=unit.arm.label,
            role=unit.arm.role,
            kin=unit.arm.kin,
            uni=unit.name,
            online=None,
            rcon_ok=False,
            placed_used=placed,
            mined=mined,
            crafted=crafted,
            extra={o.name: counts[o.name] for o in self._by_role[Role.EXTRA]},
            inv_now=dict(unread),
            baseline_wood=pin,
            **derived(self._scorer.score(unit.name, placed, mined, pin), unread),
            live_cur=None,
            live_ctrl=None,
            span_ms=None,
            pair_skew_ms=None,
            read=None,
            note=note,
        )

    @staticmethod
    def _live(units: tuple[str, ...], reading: CycleReading) -> int | None:
        seen = [reading.online[unit] for unit in units]
        return None if None in seen else sum(1 for online in seen if online)

    def _skews(self, reading: CycleReading) -> list[float | None]:
        skews: list[float | None] = []
        for treatment, control in self._registration.pairs:
            first = reading.counters.units[treatment.name].asked_at
            second = reading.counters.units[control.name].asked_at
            if first is None or second is None:
                skews.append(None)
            else:
                skews.append(round(abs(first - second) * 1000, 3))
        return skews


def _with_probe(row: Row, probe: UnitProbe) -> Row:
    return replace(row, probe_ok=probe.ok, probe_arm=probe.arm, **probe.telemetry)
