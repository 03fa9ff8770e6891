"""What of a cycle's short forms is open: what a literal answer has to speak for, and why."""

from collections.abc import Callable
from dataclasses import dataclass, field

from plateau_tui.collector.counters import CounterReading
from plateau_tui.collector.displays import Displays, Pair
from plateau_tui.collector.fallen import Known

Doubt = Callable[[Pair, dict[str, int]], bool]
"""Says whether a pair is open, given what its unit's short form showed."""


@dataclass
class Doubts:
    """Looks at one reading of one cycle; ``known`` is what the counters stood at before.

    ``own_now`` holds the objectives that showed their own name in this cycle, behind the lists
    that count.
    """

    reading: CounterReading
    displays: Displays
    known: Known
    own_now: set[str] = field(default_factory=set)

    @property
    def of_this_cycle(self) -> tuple[Doubt, ...]:
        """What a cycle's values must not stand with, the most telling first."""
        return self.swollen, self.fallen, self.unproven_yet, self.unshown, self.unexplained

    def unshown(self, pair: Pair, shown: dict[str, int]) -> bool:
        """Say whether a value stands under a name that was not shown to be its own."""
        return pair[1] in shown and pair[1] not in self.displays.own

    def not_shown_now(self, pair: Pair, shown: dict[str, int]) -> bool:
        """Say whether a value stands under a name that this cycle has not shown to be its own."""
        return pair[1] in shown and pair[1] not in self.own_now

    def unexplained(self, pair: Pair, shown: dict[str, int]) -> bool:
        """Say whether the objective, absent here, may stand here under another name."""
        name = pair[1]
        if name in shown or name in self.displays.own:
            return False
        return bool(self.displays.foreign(name, shown))

    def uncompared(self, pair: Pair, shown: dict[str, int]) -> bool:
        """Say whether a pair was never asked in both forms."""
        del shown
        return pair not in self.displays.compared

    def swollen(self, pair: Pair, shown: dict[str, int]) -> bool:
        """Say whether digits of another client's answer may stand behind this number.

        Only the last number of a list can have a tail, and it is tenfold then.
        """
        unit, name = pair
        if name in self.reading.units[unit].literal or name != next(reversed(shown), None):
            return False
        fewer = shown[name] // 10
        return fewer > 0 and fewer >= self.before(unit, name)

    def fallen(self, pair: Pair, shown: dict[str, int]) -> bool:
        """Say whether a counter that fell may be another's under its name."""
        unit, name = pair
        return name not in self.own_now and shown.get(name, 0) < self.before(unit, name)

    def unproven_yet(self, pair: Pair, shown: dict[str, int]) -> bool:
        """Say whether a value that would be the first one shows a name of an earlier cycle."""
        return pair[1] in shown and self._is_first(pair)

    def _is_first(self, pair: Pair) -> bool:
        unit, name = pair
        return name not in self.own_now and name not in self.known.get(unit, {})

    def _first(self, pair: Pair, shown: dict[str, int]) -> bool:
        """Say whether nothing but names of an earlier cycle speaks for a pair's first value.

        No counter of it could be seen to fall. It is 0 where every name that stands there is whose
        it says.
        """
        return self._is_first(pair) and (pair[1] in shown or not shown.keys() <= self.own_now)

    def before(self, unit: str, name: str) -> int:
        """Return what a counter stood at before; 0 where that is not known."""
        return self.known.get(unit, {}).get(name, 0)

    def falls_open(self) -> bool:
        """Say whether a counter fell that may be another's: then so may be any that rose."""
        return any(
            self.fallen((unit, name), shown)
            for unit, shown in self.reading.shown.items()
            for name in self.reading.units[unit].from_short_form()
        )

    def is_unproven(self, pair: Pair, shown: dict[str, int]) -> bool:
        """Say whether a count of the short form must not stand as the cycle ends."""
        moving = pair[1] in self.displays.fresh and not self.displays.settled
        doubts = (self.swollen, self.fallen, self._first, self.unshown, self.unexplained)
        return moving or any(doubtful(pair, shown) for doubtful in doubts)
