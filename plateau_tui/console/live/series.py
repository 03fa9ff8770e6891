"""How a unit's counters went over the window, kept small: what sparklines and plots are made of.

A long window is kept in at most ``MOST_BUCKETS`` buckets of some cycles each. A bucket holds each
counter's last known value in it; one in which it was never read holds none, and is never filled
from its neighbours.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

PLACED: Final = "blocks placed"
BEYOND: Final = "kinds beyond"
HOARD: Final = "pickaxe hoard"
TOTALS: Final = (PLACED, BEYOND, HOARD)
"""Series beside those of the counters; no objective's name holds a blank."""
MOST_BUCKETS: Final = 512
_UNREAD: Final = -(2**63)
_MOST: Final = 2**63 - 1
_WORD: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """All series of one unit as they stood after one of its rows.

    It never changes: a keeper only puts buckets behind those of ``_closed`` that are counted
    here.
    """

    names: tuple[str, ...]
    per: int
    """Cycles in a bucket."""
    _closed: list[bytes]
    _count: int
    _open: bytes

    def __eq__(self, other: object) -> bool:
        """Say whether both hold the same buckets."""
        if not isinstance(other, Series):
            return NotImplemented
        return (
            hash(self) == hash(other)
            and (self.names, self.per) == (other.names, other.per)
            and self._frames == other._frames
        )

    def __hash__(self) -> int:
        """Return a hash that costs nothing: of the last bucket, and how many there are."""
        return hash((self.per, self._count, self._open))

    @property
    def _frames(self) -> list[bytes]:
        return [*self._closed[: self._count], self._open]

    def buckets(self, name: str) -> tuple[int | None, ...]:
        """Return a series' last known value in each bucket, None where it was not read in it.

        Raises:
            KeyError: there is no such series.

        """
        return _buckets(self, name)

    def over(self, name: str, cycles: int) -> tuple[int | None, ...]:
        """Return a series' buckets over the first so many cycles of the window.

        Where the unit has no rows any more, or none yet, nothing is known.
        """
        known, wanted = self.buckets(name), -(-cycles // self.per)
        return known[:wanted] + (None,) * (wanted - len(known))


@lru_cache(maxsize=512)
def _buckets(series: Series, name: str) -> tuple[int | None, ...]:
    if name not in series.names:
        raise KeyError(name)
    start = series.names.index(name) * _WORD
    frames = series._frames  # noqa: SLF001 - its own module
    words = array("q", b"".join(frame[start : start + _WORD] for frame in frames))
    return tuple(None if word == _UNREAD else word for word in words)


class SeriesKeeper:
    """Takes in a unit's rows and gives its series; one thread uses it."""

    def __init__(self, objectives: Sequence[str], cycles: int) -> None:
        """Begin without any, for a window of so many cycles."""
        self._names = (*TOTALS, *objectives)
        self._per = max(1, -(-cycles // MOST_BUCKETS))
        self._cycles = cycles
        self._unread: list[int | None] = [None] * len(self._names)
        self._words = self._unread
        self._counts: Mapping[str, int | None] | None = None
        self._totals: tuple[int | None, ...] = ()
        self._read = self._unread
        self._closed: list[bytes] = []
        self._shown: Series | None = None

    def take(
        self, cycle: int, counts: Mapping[str, int | None], totals: tuple[int | None, ...]
    ) -> None:
        """Take in what was read in a cycle; what lies beyond the window, or behind, is left out.

        ``totals`` are those of ``TOTALS``, in that order. The same ``counts`` as before are taken
        to be unchanged.
        """
        bucket = cycle // self._per
        if bucket < len(self._closed) or cycle >= self._cycles:
            return
        while len(self._closed) < bucket:
            self._closed.append(_frame(self._words))
            self._words = self._unread
        if counts is not self._counts or totals != self._totals:
            self._counts, self._totals, read = counts, totals, counts.get
            self._read = [*totals, *[read(name) for name in self._names[len(totals) :]]]
        words = self._read
        if None in words and self._words is not self._unread:
            before = zip(words, self._words, strict=True)
            words = [known if word is None else word for word, known in before]
        self._words, self._shown = words, None

    @property
    def now(self) -> Series:
        """The series after the last row; the same object until there is another."""
        if self._shown is None:
            count, last = len(self._closed), _frame(self._words)
            self._shown = Series(self._names, self._per, self._closed, count, last)
        return self._shown


def _frame(words: Sequence[int | None]) -> bytes:
    """Return a bucket's counts as words of 64 bits, the nearest that there is."""
    return array(
        "q", [_UNREAD if word is None else max(-_MOST, min(_MOST, word)) for word in words]
    ).tobytes()
