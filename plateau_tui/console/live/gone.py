"""Which objectives the server no longer knew in which cycle: a fact of the run, not of a unit.

What nobody can read is no loss of the unit whose counter it would be. This is the one place that
says so: marks, a unit's gaps and the window's bar all count what is unread beyond it.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.runlog import events as ev

NOTHING: Final = frozenset[str]()


@dataclass
class GoneKeeper:
    """Objectives that are gone, as journal and rows go on; one thread uses it.

    One is gone from the cycle in which the journal tells so, until a later cycle reads it again.
    """

    _told: dict[str, list[int]] = field(default_factory=dict)
    """Objective -> the cycles in which the journal tells that it is gone, in order."""
    _read: dict[str, int] = field(default_factory=dict)
    """Objective, of those -> the last cycle that read it for any unit."""
    _last: int = -1
    """The last cycle of which a row was taken in."""

    def take_event(self, event: ev.Event | None) -> bool:
        """Take in the journal's next event.

        Say whether it tells of rows that were taken in already what nobody knew then.
        """
        if not isinstance(event, ev.ObjectiveMissing):
            return False
        name, cycle = event.objective, event.cycle
        told = self._told.setdefault(name, [])
        is_new = not self._is(name, told, cycle)
        told.append(cycle)
        return is_new and self._last >= cycle

    def take_row(self, cycle: int, known: Mapping[str, int]) -> None:
        """Take in which counters a row has."""
        self._last = cycle
        for name in self._told.keys() & known.keys():
            self._read[name] = cycle

    def begin_rows(self) -> None:
        """Begin the rows anew."""
        self._read.clear()
        self._last = -1

    def at(self, cycle: int) -> frozenset[str]:
        """Return the objectives that are gone in a cycle, the latest that was taken in."""
        if not self._told:
            return NOTHING
        return frozenset(
            name for name, cycles in self._told.items() if self._is(name, cycles, cycle)
        )

    def _is(self, name: str, told: Iterable[int], cycle: int) -> bool:
        since = max((each for each in told if each <= cycle), default=None)
        return since is not None and self._read.get(name, -1) <= since


def but_gone(counts: Mapping[str, int | None], gone: frozenset[str]) -> Collection[int | None]:
    """Return the counters whose objectives the server knows: a None among them is a loss."""
    if not gone:
        return counts.values()
    return [count for name, count in counts.items() if name not in gone]
