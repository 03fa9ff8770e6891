"""How the counters of a replayed log went, up to any moment: what its sparklines and plots show.

The pass over a log keeps what stood at the end of each bucket of some cycles, and no row; a log
whose length nobody knows has its buckets joined two by two when they become too many. A bucket
that the moment cuts in two is made from the state of the moment: nothing later is in it.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.console.live.series import MOST_BUCKETS, TOTALS, Series
from plateau_tui.console.replay.rules import Pin, Rules
from plateau_tui.console.replay.state import RunSoFar, UnitSoFar
from plateau_tui.metric.registration import Registration

_UNREAD: Final = -(2**63)
"""A count that was not read, as ``live.series`` has it."""
_MOST: Final = 2**63 - 1
_WORD: Final = 8
_FEWEST_BUCKETS: Final = 64
_FRAMES: Final = 24_000
"""Buckets of all units together: fewer of each where there are very many units."""


def names_of(registration: Registration) -> tuple[str, ...]:
    """Return the series of a unit: the totals, then every counter."""
    return (*TOTALS, *(objective.name for objective in registration.objectives))


def frame_of(names: Sequence[str], unit: UnitSoFar, begin_ms: int, pin: Pin, rules: Rules) -> bytes:
    """Return what stood of a unit: a count that was not read from ``begin_ms`` on is unknown."""

    def read_since(ms: int | None) -> bool:
        return ms is not None and ms >= begin_ms

    words: list[int | None] = [
        unit.placed(rules) if read_since(unit.placed_ms) else None,
        unit.under(pin).beyond if read_since(unit.mined_ms) else None,
        unit.hoard if read_since(unit.hoard_ms) else None,
    ]
    if not read_since(unit.row_ms):
        words += [None] * (len(names) - len(words))
    else:
        old = {name for name, ms in unit.behind.items() if ms < begin_ms}
        words += [None if n in old else unit.counts.get(n) for n in names[len(words) :]]
    return _frame(words)


def _frame(words: Sequence[int | None]) -> bytes:
    kept = (_UNREAD if word is None else max(-_MOST, min(_MOST, word)) for word in words)
    return array("q", kept).tobytes()


def _unread(count: int) -> bytes:
    return array("q", [_UNREAD] * count).tobytes()


def _joined(first: bytes, second: bytes) -> bytes:
    """Return what two buckets come to as one: the last known counts."""
    if first == second:
        return second
    pairs = zip(array("q", first), array("q", second), strict=True)
    return array("q", [a if b == _UNREAD else b for a, b in pairs]).tobytes()


@dataclass(frozen=True, slots=True)
class Buckets:
    """The buckets that were closed so far, by unit; ``per`` cycles are in each.

    It may be read while the pass goes on, which only puts more behind them.
    """

    names: tuple[str, ...] = ()
    per: int = 1
    closed: Mapping[str, list[bytes]] = field(default_factory=dict)

    def series(self, unit: str, names: tuple[str, ...], cycle: int, frame: bytes) -> Series | None:
        """Return a unit's series up to a cycle, whose bucket holds ``frame`` by then.

        ``names`` may be more than there were when the buckets were closed.
        """
        if names[: len(self.names)] != self.names:
            return None
        count = cycle // self.per
        closed = self.closed.get(unit, [])
        more = _unread(len(names) - len(self.names))
        if more or len(closed) < count:
            closed = [each + more for each in closed[:count]]
            closed += [_unread(len(names))] * (count - len(closed))
        return Series(names, self.per, closed, count, frame)


@dataclass(slots=True)
class SeriesBook:
    """Closes the buckets as the cycles of a log go by; one thread uses it."""

    names: tuple[str, ...] = TOTALS
    per: int = 1
    _closed: dict[str, list[bytes]] = field(default_factory=dict)
    _starts: list[int] = field(default_factory=list)
    """When each closed bucket began: the slot of its first cycle."""
    _begin_ms: int = 0
    _begun: bool = False

    @classmethod
    def of(cls, registration: Registration, cycles: int | None) -> "SeriesBook":
        """Return one for a window of so many cycles, or for a log of unknown length."""
        per = 1 if cycles is None else max(1, -(-cycles // MOST_BUCKETS))
        return cls(names_of(registration), per)

    def take(
        self, cycle: int, slot_ms: int, state: RunSoFar, pins: Mapping[str, str], rules: Rules
    ) -> None:
        """Go on to a cycle; ``state`` is what all cycles before it came to."""
        if not self._begun:
            self._begin_ms, self._begun = slot_ms, True
            self._skip(cycle // self.per, slot_ms)
        if cycle // self.per <= len(self._starts):
            return
        frames = {}
        for name, unit in state.units.items():
            pin = rules.pin_now(name, unit.pin, pins)
            frames[name] = frame_of(self.names, unit, self._begin_ms, pin, rules)
        self._append(frames, self._begin_ms)
        most = max(_FEWEST_BUCKETS, min(MOST_BUCKETS, _FRAMES // max(1, len(state.units))))
        while cycle // self.per >= most:
            self._join()
        self._begin_ms = slot_ms
        if len(self._starts) > cycle // self.per:  # it goes on in the cycle's bucket
            self._begin_ms = self._starts.pop()
            for closed in self._closed.values():
                closed.pop()
        self._skip(cycle // self.per, slot_ms)

    def _skip(self, bucket: int, slot_ms: int) -> None:
        """Have buckets without rows up to one."""
        while bucket >= MOST_BUCKETS:
            self._join()
            bucket //= 2
        while len(self._starts) < bucket:
            self._append({}, slot_ms)

    def _append(self, frames: Mapping[str, bytes], start_ms: int) -> None:
        unread = _unread(len(self.names))
        for name in frames.keys() - self._closed.keys():
            self._closed[name] = [unread] * len(self._starts)
        for name, closed in self._closed.items():
            frame = frames.get(name, unread)
            # Most counters stand still: what says the same as the one before is held once.
            closed.append(closed[-1] if closed and closed[-1] == frame else frame)
        self._starts.append(start_ms)

    def _join(self) -> None:
        """Make one bucket of two."""
        self.per *= 2
        for name, closed in self._closed.items():
            pairs = (closed[at : at + 2] for at in range(0, len(closed), 2))
            self._closed[name] = [_joined(*p) if len(p) > 1 else p[0] for p in pairs]
        self._starts = self._starts[::2]

    def name(self, names: tuple[str, ...]) -> None:
        """Have counters that only later rows have."""
        if len(names) <= len(self.names):
            return
        more = _unread(len(names) - len(self.names))
        for unit, closed in self._closed.items():
            self._closed[unit] = [each + more for each in closed]
        self.names = names

    @property
    def now(self) -> Buckets:
        """What was closed so far."""
        return Buckets(self.names, self.per, dict(self._closed))
