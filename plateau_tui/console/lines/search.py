"""A search through the lines that are shown, which goes on counting while more lines come."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from plateau_tui.console.lines.journal import JournalLine, found_at, has_words
from plateau_tui.metric.plain import counted


@dataclass
class Search:
    """What is looked for, which line was found, and what to tell of it.

    ``shown`` are places of lines, as ``found_at`` takes them.
    """

    words: str = ""
    hit: int | None = None
    """Where in ``shown`` the line is that was found."""
    told: str = ""
    having: list[int] = field(default_factory=list)
    """Where in ``shown`` all lines with the words are."""
    _is_counted: bool = False

    def say(self, text: str) -> None:
        """Tell something else, until a line is looked for again."""
        self.told, self.hit, self._is_counted = text, None, False

    def look_for(
        self, lines: Sequence[JournalLine], shown: Sequence[int], start: int, step: int
    ) -> int | None:
        """Look for the next line from ``start`` on, round the end; return where it is."""
        self.hit = found_at(lines, shown, self.words, start, step)
        self.having = []
        self._is_counted = bool(self.words)
        self._count(lines, shown, 0)
        self._tell()
        return self.hit

    def take(
        self, lines: Sequence[JournalLine], shown: Sequence[int], first: int, again: str
    ) -> None:
        """Take in that lines have come, from ``first`` of ``shown`` on.

        Where none had been found, what is told names ``again``, the key that looks once more.
        """
        before = len(self.having)
        if self._is_counted and self._count(lines, shown, first) > before:
            self._tell()
            if self.hit is None:
                self.told = f"{counted(len(self.having), 'such line')} came: {again}"

    def _count(self, lines: Sequence[JournalLine], shown: Sequence[int], first: int) -> int:
        if self.words:
            new = range(first, len(shown))
            self.having.extend(at for at in new if has_words(lines[shown[at]], self.words))
        return len(self.having)

    def _tell(self) -> None:
        if self.hit is not None:
            place = bisect_right(self.having, self.hit)
            self.told = f"{place} of {len(self.having)} found"
        else:
            self.told = "no such line" if self.words else ""
