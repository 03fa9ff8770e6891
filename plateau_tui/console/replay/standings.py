"""Where a replayed unit stands: the metric's own standings, from what was kept of its rows."""

from dataclasses import replace

from plateau_tui.console.replay.rules import WITHOUT_LOGS, Pin
from plateau_tui.console.replay.state import UnitSoFar
from plateau_tui.metric.accumulators import Attendance, Latch
from plateau_tui.metric.evidence import JournalFacts, PinFact
from plateau_tui.metric.registration import Registration, Unit
from plateau_tui.metric.standing import Halves, UnitStanding, unit_standing
from plateau_tui.metric.tally import UnitTally


def halves_of(name: str, found: UnitSoFar, pin: Pin, cut: Registration) -> Halves:
    """Return a unit's standings under a pin, by the registered reading.

    Args:
        name: the unit.
        found: what its rows came to.
        pin: what it is pinned to at that moment.
        cut: the gate, with the window ended at that moment as long as it is open.

    """
    # Of which arm and pair it is says nothing about its halves.
    return standing_of(Unit(name, cut.treatment, 0), found, pin, cut).registered


def standing_of(unit: Unit, found: UnitSoFar, pin: Pin, cut: Registration) -> UnitStanding:
    """Return where a unit stands under a pin: the registered reading alone is kept of its rows.

    So ``as_written`` says the same, and nothing is known of its phase.
    """
    facts = JournalFacts(pins={} if pin is None else {unit.name: PinFact(pin)})
    tally = UnitTally(cut, unit, facts)
    place, wood, last = cut.gate.place, cut.gate.wood, found.counted
    under = found.under(pin)
    tally.secondary[WITHOUT_LOGS] = Latch(under.secondary_without_logs)
    tally.both[place, WITHOUT_LOGS] = Latch(under.both_without_logs)
    tally.primary[place] = found.primary.latch(last)
    tally.secondary[wood] = under.secondary.latch(last)
    tally.both[place, wood] = under.both.latch(last)
    tally.logs_above = dict(found.logs_above)
    seen, absent = found.attended
    tally.attendance = Attendance(seen=int(seen), absent_run=absent)
    standing = unit_standing(tally)
    return replace(standing, as_written=standing.registered)
