"""A half of a replayed unit, kept so that a row which says the same as the last changes nothing.

How long its last flag has stood is told by the unit's last row.
"""

from dataclasses import dataclass

from plateau_tui.metric.accumulators import Latch


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
