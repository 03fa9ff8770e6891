"""The counters of each unit over the window, kept small enough to draw.

A counter moves seldom: what is kept is where it changed, and where it was not read. A counter
that moves in nearly every cycle of a long run is thinned, and the plot says so.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.metric.objectives import Objective, Role
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.scoring import known
from plateau_tui.runlog.rows import Row

_MAX_STEPS: Final = 30_000
"""Steps kept for all counters of one arm together; about 1 MB of drawing."""
_MIN_STEPS: Final = 8

Step = tuple[int, int | None]
"""The first cycle of a stretch, and the count all through it; None where it was not read."""


@dataclass
class CounterSeries:
    """One counter of one unit: ``steps``, and the cycle after the last one taken in.

    ``stride`` is 1, or how many cycles share one value since there were more than ``limit``
    steps.
    """

    limit: int
    steps: list[Step] = field(default_factory=list)
    end: int = 0
    stride: int = 1

    def take(self, cycle: int, count: int | None) -> None:
        """Take in the reading of a cycle; cycles that have no row at all were not read."""
        if self.steps and cycle < self.end:
            return  # a log that somebody edited
        if cycle > self.end:
            self._add(self.end, None)
        self._add(cycle, count)
        self.end = cycle + 1
        if len(self.steps) > self.limit:
            self._thin()
            while len(self.steps) > self.limit // 2:
                self.stride *= 2
                self._thin()

    def _add(self, cycle: int, count: int | None) -> None:
        if not self.steps or self.steps[-1][1] != count:
            self.steps.append((cycle, count))

    def _thin(self) -> None:
        last = {start // self.stride: (start, count) for start, count in self.steps}
        steps, self.steps = [self.steps[0], *last.values()], []
        for start, count in steps:
            self._add(start, count)

    def stretches(self) -> list[tuple[int, int, int | None]]:
        """Return (first cycle, the cycle after the last, count or None)."""
        ends = [*(start for start, _ in self.steps[1:]), *([self.end] if self.steps else [])]
        return [(a, b, n) for (a, n), b in zip(self.steps, ends, strict=True) if a < b]


class SeriesBook:
    """Takes in rows and keeps the series of all counters: unit -> objective -> series."""

    def __init__(self, registration: Registration) -> None:
        self.registration = registration
        objectives = registration.objectives
        arm = len(registration.treatment.units) * len(objectives)
        limit = max(_MIN_STEPS, _MAX_STEPS // arm)
        self.units: dict[str, dict[str, CounterSeries]] = {
            unit.name: {o.name: CounterSeries(limit) for o in objectives}
            for unit in registration.units
        }

    def take(self, row: Row) -> None:
        """Take in one row; what stands outside the window or of no unit is no reading."""
        series = self.units.get(row.uni)
        if series is None or row.cycle >= self.registration.window.cycles:
            return
        for objective in self.registration.objectives:
            count = known(_counts(row, objective.role).get(_key(objective)))
            series[objective.name].take(row.cycle, count)

    def highest(self, objective: str) -> int:
        """Return the highest count of an objective in either arm, so that both share a scale."""
        counts = (n for unit in self.units.values() for _, n in unit[objective].steps)
        return max((n for n in counts if n is not None), default=0)

    def stride(self, units: Iterable[str], objectives: Iterable[str]) -> int:
        """Return how many cycles share one value at the most, 1 where nothing was thinned."""
        names = tuple(objectives)
        return max((self.units[u][o].stride for u in units for o in names), default=1)


def _counts(row: Row, role: Role) -> Mapping[str, int | None]:
    by_role: Mapping[Role, Mapping[str, int | None]] = {
        Role.PLACE: row.placed_used,
        Role.MINE: row.mined,
        Role.CRAFT: row.crafted,
        Role.EXTRA: row.extra,
    }
    return by_role[role]


def _key(objective: Objective) -> str:
    return objective.name if objective.role is Role.EXTRA else objective.block
