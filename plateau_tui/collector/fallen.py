"""Counters that read lower than before: asked again, before anybody is told that they fell.

A server that crashed goes back to its last save, and its counters fall. An old answer to the same
question, which something in between delivers late and under the right id, looks the same and
names all that was asked for. It cannot stand up to a second look: a counter that stands at least
where it stood before has not fallen.
"""

import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from plateau_tui.collector.counters import CounterReader, CounterReading
from plateau_tui.collector.displays import Pair
from plateau_tui.collector.session import SessionOverError
from plateau_tui.server.errors import LinkError, ReplyError

Known = Mapping[str, Mapping[str, int]]
"""Unit -> objective -> its last known count."""

NOTHING_KNOWN: Final[Known] = MappingProxyType({})
OLD_ANSWER: Final = "old_answer"
"""The fault of an answer that was true some time before it was asked for."""


class SecondLook:
    """Asks anew, on a fresh connection, for what reads lower in one cycle than it stood before.

    One question a unit, by the short form; by the literal form what is read so. A second answer
    that lies lower than before too, and not below the first, says that the counter fell: it
    counts. One that does not lie lower shows that the first was old: it counts as well. Where it
    lies below the first, or there is none, the count is unknown in this cycle.
    """

    def __init__(self, reader: CounterReader, reading: CounterReading, known: Known) -> None:
        """Prepare for one cycle's reading, which is corrected in place."""
        self._reader = reader
        self._reading = reading
        self._known = known
        self._decided: dict[Pair, int] = {}

    def look(self, until: float) -> None:
        """Ask again for what reads lower and was not decided yet.

        No question is begun after ``until``, a second of ``time.monotonic()``; what was not asked
        again by then is unknown.
        """
        fallen = {unit: names for unit in self._reading.units if (names := self._lower(unit))}
        if not fallen:
            return
        self._reader.session.console.drop()
        for unit, names in fallen.items():
            second = self._ask(unit, names, until)
            for name in names:
                self._decide(unit, name, second.get(name))
        self._reader.settle(self._reading)

    def _lower(self, unit: str) -> list[str]:
        before = self._known.get(unit, {})
        return [
            name
            for name, count in self._reading.units[unit].counts.items()
            if count is not None
            and count < before.get(name, count)
            and count != self._decided.get((unit, name))
        ]

    def _ask(self, unit: str, names: list[str], until: float) -> dict[str, int | None]:
        """Return what a second asking says of a unit's counters; what was not asked is missing."""
        found: dict[str, int | None] = {}
        short = [name for name in names if self._is_short(unit, name)]
        try:
            if short and self._may_ask(until):
                shown = self._short_form(unit)
                found |= {name: shown.get(name, 0) for name in short if shown is not None}
            for name in names:
                if name not in short and self._may_ask(until):
                    found[name] = self._reader.literal(unit, name, self._reading)
        except SessionOverError as over:
            self._reading.over = over
        return found

    def _is_short(self, unit: str, name: str) -> bool:
        return unit in self._reading.shown and self._reader.displays.trusts(name)

    def _may_ask(self, until: float) -> bool:
        return self._reading.over is None and time.monotonic() < until

    def _short_form(self, unit: str) -> dict[str, int] | None:
        session = self._reader.session
        try:
            scores = session.ask(lambda console, deadline: console.scores(unit, deadline))
        except (ReplyError, LinkError) as error:
            self._reading.units[unit].note(str(error))
            return None
        self._reading.answered_at = time.monotonic()
        return dict(scores.entries) if scores.complete else None

    def _decide(self, unit: str, name: str, second: int | None) -> None:
        counters, before = self._reading.units[unit], self._known[unit][name]
        first = counters.counts[name] or 0
        told = f"{name} stood at {before} and was answered with {first}"
        if second is None:
            counters.counts[name] = None
            counters.note(f"{told}; there was no second answer, so it is unknown")
            return
        if second < first:
            counters.counts[name] = None
            told = f"{told}, then with {second}: unknown"
        else:
            self._take(unit, name, second)
            if second < before:
                return
            told = f"{told}, then with {second}: the first answer was old"
        counters.note(told)
        self._reader.session.note(
            OLD_ANSWER,
            f"{unit} {told}; look for a proxy, or another RCON client, between us and the server",
        )

    def _take(self, unit: str, name: str, second: int) -> None:
        self._reading.units[unit].counts[name] = second
        self._decided[unit, name] = second
        if self._is_short(unit, name) and second:
            self._reading.shown[unit][name] = second
