"""One thing that is wrong, with what to do about it, and how it is fitted into lines."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import product
from typing import Final

from plateau_tui.console.lines.text import cells, fold_words, harmless

NAMED: Final = 2
"""More names are a number where there is no room for them."""
_TOGETHER: Final = 3
"""So many problems are shown at once, where there is room."""
_BOTH: Final = 2
"""The worst two are shown where room can be had."""
_TWO_LINES: Final = 2
"""In so many lines a problem can be read, though perhaps in brief."""
_SEEN: Final = "(seen) "
_GOES_ON: Final = re.compile(r"[+-]?\d+ (?:s|polls?)\b")
"""What a problem's text counts while it stays the same one: seconds, polls."""


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
    seen: bool = False
    """Whether its operator has acknowledged it as it stands."""

    @property
    def line(self) -> str:
        """The whole of it in one line."""
        return harmless(f"{self.mark}{self.text}: {self.remedy}")

    @property
    def mark(self) -> str:
        """What stands before it once it was acknowledged."""
        return _SEEN if self.seen else ""

    @property
    def key(self) -> str:
        """What it is and whom it is about: another once it changes, but not as time goes on."""
        return f"{self.kind}: {_GOES_ON.sub('#', self.text)}"

    def fits(self, width: int, most: int, start: str = "! ") -> bool:
        """Say whether one of its forms stands whole in ``most`` lines, with all there is to do."""
        return any(len(fold_words(form, width)) <= most for form in self._forms(start, ""))

    def _forms(self, start: str, rest: str) -> list[str]:
        """Return all that it can be told in, the longest first."""
        briefs = [f"{start}{self.mark}{text}: {todo}{rest}" for text, todo in self.briefs]
        return [f"{start}{self.mark}{self.text}: {self.remedy}", *briefs]

    def fold(self, width: int, most: int, start: str = "! ", rest: str = "") -> list[str]:
        """Return it behind ``start`` in at most ``most`` lines of ``width`` cells.

        Where the lines do not hold it, the first of its brief forms that they hold stands instead.
        What is wrong is cut where they hold none; what to do stays whole, and is cut only where
        the lines do not even hold that alone. ``rest`` stands behind what is not the whole of it,
        where there is room: where to read that.
        """
        for form in (*self._forms(start, rest), *self._forms(start, "")):
            whole = fold_words(form, width)
            if len(whole) <= most:
                return whole
        text, remedy = (self.briefs or ((self.text, self.remedy),))[-1]
        text, start = harmless(text), start + self.mark
        if len(fold_words(f"{start}~: {remedy}{rest}", width)) <= most:
            remedy += rest

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
    """Return problems in the order in which they are to be acted on; else as they come.

    Of those that are as urgent, what was acknowledged comes last.
    """
    return sorted(
        found, key=lambda each: (each.rank, each.rank == Rank.LATER and not each.grave, each.seen)
    )


def as_seen(found: Iterable[Problem], keys: Collection[str]) -> list[Problem]:
    """Return problems marked as acknowledged where their ``key`` is one of ``keys``."""
    return [replace(each, seen=True) if each.key in keys else each for each in found]


def unseen_in_sight(found: Sequence[Problem]) -> list[Problem]:
    """Return problems, worst first, with one of the first two that nobody acknowledged, if any is.

    What is new must not stand behind what its operator has put aside.
    """
    unseen = next((place for place, each in enumerate(found) if not each.seen), 0)
    if unseen < _BOTH:
        return list(found)
    return [found[0], found[unseen], *found[1:unseen], *found[unseen + 1 :]]


def folded_together(
    found: Sequence[Problem],
    width: int,
    first: int,
    room: int,
    more: str,
    rest: str = "",
    before: str = "",
) -> tuple[list[str], int]:
    """Return the worst problems, each from a line of its own on, and how many these are.

    Three stand there where ``room`` holds each as long as it may be; two also where the second,
    and then the first, has fewer lines for it, as long as what it says is whole.

    Args:
        found: all problems, worst first, at least one.
        width: cells of a line.
        first: so many lines the worst may take, and each of the others.
        room: lines of all of them; the worst gets its own all the same.
        more: stands before the last that is shown where others are not, with their number for
            ``{}``.
        rest: stands behind one that is not told whole, where ``more`` does not stand before it.
        before: stands before all of them.

    """
    for shown in range(min(_TOGETHER, len(found)), 1, -1):
        starts, sizes = _starts(found, shown, more, rest, before), [(first,) * shown]
        if shown == _BOTH:
            fewer = product(range(first, 0, -1), repeat=_BOTH)
            sizes += [each for each in fewer if _are_whole(found, starts, width, each)]
        for size in sizes:
            lines = _together(found, starts, width, size)
            if len(lines) <= room:
                return lines, shown
    return _together(found, _starts(found, 1, more, rest, before), width, (first,)), 1


def least_for_two(found: Sequence[Problem], width: int, more: str, before: str = "") -> int:
    """Return how many lines the two worst problems need to be read; 0 where there are no two."""
    if len(found) < _BOTH:
        return 0
    pairs = zip(found, _starts(found, _BOTH, more, "", before), strict=False)
    return sum(1 if each.fits(width, 1, start) else _TWO_LINES for each, (start, _) in pairs)


def _starts(
    found: Sequence[Problem], shown: int, more: str, rest: str, before: str
) -> list[tuple[str, str]]:
    """Return what stands before each that is shown, and behind it where it is not told whole."""
    left = len(found) - shown
    starts = [("! ", rest)] * (shown - 1)
    starts.append((f"! {more.format(left)}", "") if left else ("! ", rest))
    starts[0] = (f"! {before}{starts[0][0].removeprefix('! ')}", starts[0][1])
    return starts


def _are_whole(
    found: Sequence[Problem],
    starts: Sequence[tuple[str, str]],
    width: int,
    sizes: Sequence[int],
) -> bool:
    each = zip(found, starts, sizes, strict=False)
    return all(size >= _TWO_LINES or one.fits(width, size, start) for one, (start, _), size in each)


def _together(
    found: Sequence[Problem],
    starts: Sequence[tuple[str, str]],
    width: int,
    sizes: Sequence[int],
) -> list[str]:
    each = zip(found, starts, sizes, strict=False)
    return [line for one, around, size in each for line in one.fold(width, size, *around)]


def some(names: Sequence[str], what: str = "units") -> str:
    """Return up to two names, or how many there are."""
    return ", ".join(names) if len(names) <= NAMED else f"{len(names)} {what}"


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
