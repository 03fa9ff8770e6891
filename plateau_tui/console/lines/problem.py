"""One thing that is wrong, with what to do about it, and how it is fitted into lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from plateau_tui.console.lines.text import cells, fold_words, harmless

_NAMED: Final = 2
"""More names are a number where there is no room for them."""
_TOGETHER: Final = 3
"""So many problems are shown at once, where there is room."""


class Rank(IntEnum):
    """How urgent a problem is, the most urgent first."""

    NOW = 0
    """It costs readings, or the close, while nobody acts, and somebody can."""
    FOR_GOOD = 1
    """The verdict is WITHHELD by it already, and nothing mends that."""
    LATER = 2
    """It is to be mended before the close; the grave ones before the others."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and what to do. ``grave`` ones threaten the run's claim.

    ``text`` names everything that it is about; ``briefs`` say both in fewer and fewer words, for
    where there is no room for all of them. ``kind`` is what it is, whomever it is about: it stays
    as it is while the names and the numbers in ``text`` change.
    """

    text: str
    remedy: str
    grave: bool
    briefs: tuple[tuple[str, str], ...] = ()
    kind: str = ""
    rank: Rank = Rank.LATER

    @property
    def line(self) -> str:
        """The whole of it in one line."""
        return harmless(f"{self.text}: {self.remedy}")

    def fold(self, width: int, most: int, start: str = "! ") -> list[str]:
        """Return it behind ``start`` in at most ``most`` lines of ``width`` cells.

        Where the lines do not hold it, the first of its brief forms that they hold stands instead.
        What is wrong is cut where they hold none; what to do stays whole, and is cut only where
        the lines do not even hold that alone.
        """
        text, remedy = self.text, self.remedy
        for text, remedy in ((self.text, self.remedy), *self.briefs):
            whole = fold_words(f"{start}{text}: {remedy}", width)
            if len(whole) <= most:
                return whole
        text = harmless(text)

        def folded(kept: int) -> list[str]:
            shown = text if kept == len(text) else f"{text[:kept].rstrip()}~"
            return fold_words(f"{start}{shown}: {remedy}", width)

        fits, too_long = 0, min(len(text), width * most) + 1
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            if len(folded(middle)) <= most:
                fits = middle
            else:
                too_long = middle
        lines = folded(fits)
        if len(lines) > most:
            kept = lines[:most]
            kept[-1] = harmless(f"{kept[-1]} {lines[most]}", width)
            if cells(kept[-1]) < width and not kept[-1].endswith("~"):
                kept[-1] += "~"
            return kept
        return lines


def worst_first(found: Iterable[Problem]) -> list[Problem]:
    """Return problems in the order in which they are to be acted on; else as they come."""
    return sorted(found, key=lambda each: (each.rank, each.rank == Rank.LATER and not each.grave))


def folded_together(
    found: Sequence[Problem], width: int, first: int, room: int, more: str
) -> list[str]:
    """Return the worst problems, each from a line of its own on: what of them ``room`` holds.

    Args:
        found: all problems, worst first, at least one.
        width: cells of a line.
        first: so many lines the worst may take, and each of the others.
        room: lines of all of them; the worst gets its own all the same.
        more: stands before the last that is shown where others are not, with their number for
            ``{}``.

    """
    for shown in range(min(_TOGETHER, len(found)), 1, -1):
        lines = _together(found, shown, width, first, more)
        if len(lines) <= room:
            return lines
    return _together(found, 1, width, first, more)


def _together(found: Sequence[Problem], shown: int, width: int, most: int, more: str) -> list[str]:
    left = len(found) - shown
    last = f"! {more.format(left)}" if left else "! "
    starts = [*["! "] * (shown - 1), last]
    pairs = zip(found, starts, strict=False)
    return [line for problem, start in pairs for line in problem.fold(width, most, start)]


def some(names: Sequence[str], what: str = "units") -> str:
    """Return up to two names, or how many there are."""
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} {what}"


def of_names(
    before: str,
    names: Sequence[str],
    after: str,
    remedy: str,
    *,
    grave: bool,
    kind: str,
    what: str = "units",
    brief: str = "",
) -> Problem:
    """Return a problem that names all whom it is about, and their number where room is short.

    ``brief`` is the remedy in fewer words.
    """
    short = f"{before}{some(names, what)}{after}"
    briefs = [(short, remedy), (short, brief or remedy)]
    text = f"{before}{', '.join(names)}{after}"
    told = [pair for pair in dict.fromkeys(briefs) if pair != (text, remedy)]
    return Problem(text, remedy, grave=grave, briefs=tuple(told), kind=kind)
