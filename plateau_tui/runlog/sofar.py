"""Where each unit stands so far: the metric's own standings, as if the window ended now."""

import copy
from dataclasses import replace

from plateau_tui.metric.evidence import JournalFacts, PinFact
from plateau_tui.metric.outcome import Standing
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.scoring import Score
from plateau_tui.metric.standing import Halves, UnitStanding, unit_standing
from plateau_tui.metric.tally import WindowTally
from plateau_tui.runlog.readings import reading_of
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.state import RunState


def known_of(standing: Standing) -> bool | None:
    """Return a standing as a flag: reached, not reached, or None where it is unknown."""
    return None if standing == "unknown" else standing == "reached"


def window_so_far(registration: Registration, cycles: int) -> Registration:
    """Return the gate with its window ended after so many cycles."""
    return replace(registration, window=replace(registration.window, cycles=max(1, cycles)))


def standing_within(tally: WindowTally, name: str, cut: Registration) -> UnitStanding:
    """Return where a unit stands if the window ends as in ``cut``."""
    unit = copy.copy(tally.units[name])
    unit.registration = cut
    return unit_standing(unit)


class StandingsSoFar:
    """Takes in rows in their order; pins and the start reading are those of ``state`` now."""

    def __init__(self, registration: Registration, state: RunState) -> None:
        pins = {unit: PinFact(species) for unit, species in state.pins.items()}
        self._registration = registration
        self._state = state
        self._tally = WindowTally(registration, JournalFacts(pins=pins, start=state.start))
        self._last = -1

    def take(self, row: Row) -> Score | None:
        """Take in the next row; return its registered score, None where it is in no count."""
        unit = self._tally.units.get(row.uni)
        if row.cycle >= self._registration.window.cycles:
            return None
        self._last = max(self._last, row.cycle)
        if unit is None:
            return None
        unit.take(reading_of(row, receipts=False))
        return unit.score

    @property
    def cycles(self) -> int:
        """After how many cycles, counted from 1, the window's last row so far stands."""
        return self._last + 1

    def of(self, name: str) -> Halves:
        """Return the registered reading's standings of a unit, at the close or so far."""
        return standing_within(self._tally, name, self._cut()).registered

    def units(self) -> tuple[UnitStanding, ...]:
        """Return where every registered unit stands, in their order, at the close or so far."""
        cut = self._cut()
        return tuple(standing_within(self._tally, name, cut) for name in self._tally.units)

    def _cut(self) -> Registration:
        if self._state.closed is not None:
            return self._registration
        return window_so_far(self._registration, self.cycles)
