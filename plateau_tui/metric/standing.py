"""Where each unit stands at the window's close, in each half and in both (``design.md``, Verdict).

*Reached*: some one row shows true; counters are never joined across rows. *Not reached*: no row
does, and the last row that decides says false with at most ``max_absent_polls`` cycles after it.
*Unknown*: all else.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from plateau_tui.metric.accumulators import Latch
from plateau_tui.metric.outcome import Standing, UnitFinding
from plateau_tui.metric.registration import ArmRole, Registration
from plateau_tui.metric.scoring import PlaceReading, WoodReading
from plateau_tui.metric.tally import PLACES, WOODS, UnitTally, WindowTally


@dataclass(frozen=True, slots=True)
class Halves:
    """A unit's standings under one reading, each with the first cycle that showed it."""

    primary: Standing
    secondary: Standing
    both: Standing
    primary_cycle: int | None = None
    secondary_cycle: int | None = None
    both_cycle: int | None = None


@dataclass(frozen=True, slots=True)
class UnitStanding:
    """What the decision table asks about one unit.

    ``pair`` is the pair's number, from 0. ``registered`` is the sealed reading, ``as_written``
    that of §2c; they are the same where no stricter one was registered.
    """

    name: str
    arm: str
    role: ArmRole
    pair: int
    pin: str | None
    pin_confirmed: bool
    seen: bool
    live: bool
    registered: Halves
    as_written: Halves
    phase_readings: int = 0
    phase_rose: bool = False

    def finding(self) -> UnitFinding:
        """Return what the record shows of the unit: the registered reading."""
        halves = self.registered
        return UnitFinding(
            name=self.name,
            arm=self.arm,
            role=self.role,
            seen=self.seen,
            live=self.live,
            primary=halves.primary,
            secondary=halves.secondary,
            both=halves.both,
            pin=self.pin,
            primary_cycle=halves.primary_cycle,
            secondary_cycle=halves.secondary_cycle,
            both_cycle=halves.both_cycle,
        )


_Found = tuple[Standing, int | None]


@dataclass(frozen=True, slots=True)
class _Close:
    """The window's length, and after how many cycles without a decision none is left."""

    cycles: int
    tolerance: int

    def of(self, latch: Latch) -> _Found:
        return latch.standing(self.cycles, self.tolerance), latch.shown

    def by_pin(self, without_pinned: Latch, without_logs: Latch, *, confirmed: bool) -> _Found:
        """Return the standing where the pinned log alone is left out.

        A pin that is not confirmed may name the wrong log: reached only if it is so with every
        log left out, not reached only if it is not so with the pinned one left out.
        """
        if confirmed:
            return self.of(without_pinned)
        if without_logs.shown is not None:
            return "reached", without_logs.shown
        standing = without_pinned.standing(self.cycles, self.tolerance)
        return ("not reached" if standing == "not reached" else "unknown"), None


def _halves(tally: UnitTally, close: _Close, place: PlaceReading, wood: WoodReading) -> Halves:
    primary, primary_cycle = close.of(tally.primary[place])
    if wood == "all_logs":
        secondary, secondary_cycle = close.of(tally.secondary[wood])
        both, both_cycle = close.of(tally.both[place, wood])
    else:
        confirmed = tally.pin_confirmed
        secondary, secondary_cycle = close.by_pin(
            tally.secondary["baseline_only"], tally.secondary["all_logs"], confirmed=confirmed
        )
        both, both_cycle = close.by_pin(
            tally.both[place, "baseline_only"], tally.both[place, "all_logs"], confirmed=confirmed
        )
    return Halves(primary, secondary, both, primary_cycle, secondary_cycle, both_cycle)


def unit_standing(tally: UnitTally) -> UnitStanding:
    """Return where a unit stands, from all its rows."""
    unit, registration = tally.unit, tally.registration
    gate = registration.gate
    close = _Close(registration.window.cycles, gate.max_absent_polls)
    return UnitStanding(
        name=unit.name,
        arm=unit.arm.label,
        role=unit.arm.role,
        pair=unit.pair,
        pin=tally.pin,
        pin_confirmed=tally.pin_confirmed,
        seen=tally.attendance.seen > 0,
        live=tally.attendance.live(gate.max_absent_polls),
        registered=_halves(tally, close, gate.place, gate.wood),
        as_written=_halves(tally, close, PLACES[0], WOODS[0]),
        phase_readings=tally.phase.readings,
        phase_rose=tally.phase.rose,
    )


def standings(registration: Registration, tally: WindowTally) -> Sequence[UnitStanding]:
    """Return where each registered unit stands: the treatment arm in its order, then control."""
    return [
        unit_standing(tally.units[unit.name])
        for unit in registration.units
        if unit.name in tally.units
    ]
