"""Which lines of a log that is not intact can still be relied on, and what befell it."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from plateau_tui.runlog.lines import Line

Condition = Literal["intact", "torn", "appended to", "missing", "changed", "repaired copy"]
"""What a log is: as written; as a writer leaves it that died; with copies behind it; in part
gone; changed since.
"""

CONDITIONS: Final[dict[Condition, str]] = {
    "intact": "as it was written",
    "torn": "a torn tail, as a collector leaves it that died while it wrote; no line that stands "
    "was changed",
    "appended to": "a log with copies of its own lines behind its end; no line of it was changed",
    "missing": "a log of which a part is not here: cut off, deleted or moved away",
    "changed": "a log that was changed after it was written; this is no torn tail",
    "repaired copy": "a repaired copy of a run that was not intact",
}


@dataclass(frozen=True, slots=True)
class Stretch:
    """Whole lines of one file, one after the other, that can be relied on.

    ``first`` and ``last`` are line numbers from 1; ``byte`` is where the first begins, ``end`` the
    offset behind the last; ``head`` the last one's chain. Cycles are those of rows. ``counted``:
    the journal's heartbeats vouch for it; False: its own chain alone does.
    """

    file: str
    first: int
    last: int
    byte: int
    end: int
    head: str
    first_cycle: int | None = None
    last_cycle: int | None = None
    counted: bool = True

    def words(self) -> str:
        """Return the stretch as a sentence."""
        rows = self.first_cycle is not None
        one = self.first == self.last
        what = ("row" if rows else "line") + ("" if one else "s")
        numbers = f"{self.first}" if one else f"{self.first}-{self.last}"
        cycles = _cycles(self.first_cycle, self.last_cycle)
        why = ""
        if not self.counted:
            why = f" by {'its' if one else 'their'} chain alone"
            why += ": no heartbeat counts the last of them" if rows else ""
        return (
            f"{self.file}: {what} {numbers}{cycles}, bytes {self.byte} to {self.end}, "
            f"{'is' if one else 'are'} intact{why}; head {self.head}"
        )


def _cycles(first: int | None, last: int | None) -> str:
    if first is None:
        return ""
    return f" (cycle {first})" if first == last else f" (cycles {first}-{last})"


class TrustBook:
    """Takes in a log's lines in their order and says which of them can be relied on.

    A line that does not follow from the one before was changed, or that one was: so what stands
    before a break counts only as far as something outside the file vouches for it, as a heartbeat
    does for the rows of its cycle. From a vouched head backwards every line is as it was written.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._open: list[Stretch] = []
        self._sure: list[Stretch] = []
        self._broken = self._poisoned = False

    @property
    def broken(self) -> bool:
        """Whether a line was passed over."""
        return self._broken

    @property
    def poisoned(self) -> bool:
        """Whether nothing more is relied on."""
        return self._poisoned

    def take(self, line: Line, cycle: int | None, chain: str, *, vouched: bool) -> None:
        """Take in a line that follows from the one before; ``vouched``: its chain is confirmed."""
        if self._poisoned:
            return
        file = line.file or self._name
        here = Stretch(file, line.number, line.number, line.byte, line.end, chain, cycle, cycle)
        _join(self._open, here)
        if vouched:
            self._settle()

    def skip(self) -> None:
        """Take in a line that has no chain; the next one tells whether it was put in."""
        self._broken = True

    def break_off(self) -> None:
        """Take in a line that cannot be relied on; the next may begin a stretch of its own."""
        self._broken = True
        self._open.clear()

    def poison(self) -> None:
        """Rely on nothing from here on: a line that is well chained says what cannot be."""
        self._poisoned = True
        self._open.clear()

    def _settle(self, *, counted: bool = True) -> None:
        for stretch in self._open:
            _join(self._sure, replace(stretch, counted=counted))
        self._open.clear()

    def finish(self, *, contradicted: bool) -> tuple[Stretch, ...]:
        """Return what can be relied on; ``contradicted``: something outside says otherwise."""
        if not (self._broken or self._poisoned or contradicted):
            self._settle(counted=False)
        return tuple(self._sure)


def _join(stretches: list[Stretch], more: Stretch) -> None:
    """Append a stretch, or lengthen the last one by it where it follows on."""
    last = stretches[-1] if stretches else None
    if last is None or last.file != more.file or last.last + 1 != more.first:
        stretches.append(more)
        return
    first = more.first_cycle if last.first_cycle is None else last.first_cycle
    stretches[-1] = replace(
        last,
        last=more.last,
        end=more.end,
        head=more.head,
        first_cycle=first,
        last_cycle=last.last_cycle if more.last_cycle is None else more.last_cycle,
        counted=more.counted,
    )


def linked_prefix(name: str, lines: Iterable[tuple[Line, str, bool]]) -> tuple[Stretch, ...]:
    """Return the lines before the first that does not follow, by their own chain alone.

    Args:
        name: the log's own file name.
        lines: each line, its chain, and whether it follows from the one before.

    """
    found: list[Stretch] = []
    for line, chain, follows in lines:
        if not follows:
            break
        file = line.file or name
        here = Stretch(file, line.number, line.number, line.byte, line.end, chain, counted=False)
        _join(found, here)
    return tuple(found)
