"""Where a replayed unit stands: the metric's own standings, from what was kept of its rows.

A half is kept so that a row which says the same as the one before it changes nothing: how long
its last flag has stood is told by the unit's last row.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from plateau_tui.metric.accumulators import Latch
from plateau_tui.metric.evidence import JournalFacts, PinFact
from plateau_tui.metric.registration import Registration, Unit
from plateau_tui.metric.standing import Halves, unit_standing
from plateau_tui.metric.tally import UnitTally

if TYPE_CHECKING:
    from plateau_tui.console.replay.rules import Pin
    from plateau_tui.console.replay.state import UnitSoFar

WITHOUT_LOGS: Final = "all_logs"
"""The reading that leaves out the wood of every species."""


@dataclass(frozen=True, slots=True)
class Half:
    """A latch as of the row that turned ``flag``, which all rows since have said too."""

    shown: int | None = None
    decided: int | None = None
    flag: bool | None = None

    def latch(self, last: int) -> Latch:
        """Return the metric's latch over all rows up to the one of cycle ``last``."""
        latch = Latch(self.shown, self.decided)
        latch.take(last, self.flag)
        return latch

    def after(self, last: int, cycle: int, flag: bool | None) -> "Half":  # noqa: FBT001 - the data
        """Return it with the row of ``cycle``; ``last`` is the cycle of the row before."""
        if flag is self.flag:
            return self
        latch = self.latch(last)
        latch.take(cycle, flag)
        return Half(latch.shown, latch.decided, flag)


def halves_of(name: str, found: "UnitSoFar", pin: "Pin", cut: Registration) -> Halves:
    """Return a unit's standings under a pin, by the registered reading.

    Args:
        name: the unit.
        found: what its rows came to.
        pin: what it is pinned to at that moment.
        cut: the gate, with the window ended at that moment as long as it is open.

    """
    facts = JournalFacts(pins={} if pin is None else {name: PinFact(pin)})
    # Of which arm and pair it is says nothing about its standings.
    tally = UnitTally(cut, Unit(name, cut.treatment, 0), facts)
    place, wood, last = cut.gate.place, cut.gate.wood, found.counted
    under = found.under(pin)
    tally.secondary[WITHOUT_LOGS] = Latch(under.secondary_without_logs)
    tally.both[place, WITHOUT_LOGS] = Latch(under.both_without_logs)
    tally.primary[place] = found.primary.latch(last)
    tally.secondary[wood] = under.secondary.latch(last)
    tally.both[place, wood] = under.both.latch(last)
    tally.logs_above = dict(found.logs_above)
    return unit_standing(tally).registered
