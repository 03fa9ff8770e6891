"""The chance that n pairs end in a set of tables, at its largest over the nuisance parameter.

A table is (b, c): of n pairs, b reached it in the treatment only and c in the control only. Sets
are *staircases*: with (b, c) they hold (b + 1, c) and (b, c - 1), as a set of tables that speak
for the treatment does. Given Δ = x ≥ 0 the freedom left is one number t in [0, 1]: with
probability t a pair is discordant by chance, treatment only with probability (1 + x)/2 and else
control only; with probability 1 - t it is treatment only with probability x and else concordant
(for x < 0 with the arms exchanged). The chance is a polynomial in t whose Bernstein coefficients
are chances themselves: they bound it from above, its ends from below, and halving [0, 1] brings
the two together. So the largest value is found without a grid that could step over it.
"""

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

Staircase = tuple[int, ...]
"""For each c from 0 to n the smallest b in the set; above n - c where there is none."""

_DEPTH = 40
"""After so many halvings of [0, 1] a piece is a point."""


def staircase(pairs: int, holds: Callable[[int, int], bool]) -> Staircase:
    """Return the set of the tables (b, c) for which ``holds``, which must be a staircase."""
    edge: list[int] = []
    b = 0
    for c in range(pairs + 1):
        while b <= pairs - c and not holds(b, c):
            b += 1
        edge.append(b)
    return tuple(edge)


def coefficients(edge: Staircase, x: float) -> list[float]:
    """Return the Bernstein coefficients over t of P(set | Δ = x), for x in [-1, 1]."""
    pairs = len(edge) - 1
    forced = binomials(pairs, abs(x))
    split = binomials(pairs, (1.0 - abs(x)) / 2)  # to the arm that x speaks against
    if x >= 0:
        sums = [_running(row[::-1]) for row in forced]  # of the largest outcomes
        room = [pairs + 1 - b for b in edge]
    else:
        sums = [_running(row) for row in forced]  # of the smallest outcomes
        room = [sum(least <= b for least in edge) for b in range(pairs + 1)]
    # Of k discordant pairs i fall to the arm that x speaks against. Of the others room[i] - i (x
    # positive) or room[i] - (k - i) outcomes then lead into the set, counted from the far end.
    found = []
    for k in range(pairs + 1):
        tail, rest = sums[pairs - k], pairs - k
        outcomes = (room[i] - (i if x >= 0 else k - i) for i in range(k + 1))
        found.append(
            sum(
                share * tail[min(max(count, 0), rest + 1)]
                for share, count in zip(split[k], outcomes, strict=True)
            )
        )
    return found


def binomials(size: int, chance: float) -> list[list[float]]:
    """Return the binomial probabilities of 0 to m successes, for each m from 0 to ``size``."""
    rows = [[1.0]]
    other = 1.0 - chance
    for m in range(size):
        row = rows[m]
        inner = [row[i] * other + row[i - 1] * chance for i in range(1, m + 1)]
        rows.append([row[0] * other, *inner, row[m] * chance])
    return rows


def _running(values: Sequence[float]) -> list[float]:
    """Return the sums of the first 0, 1, 2 … values."""
    sums, total = [0.0], 0.0
    for value in values:
        total += value
        sums.append(total)
    return sums


def _halves(piece: Sequence[float]) -> Iterator[list[float]]:
    """Return the coefficients on the two halves (de Casteljau)."""
    left, right = [], []
    row = list(piece)
    while row:
        left.append(row[0])
        right.append(row[-1])
        row = [(one + two) / 2 for one, two in pairwise(row)]
    yield left
    yield right[::-1]


def exceeds(piece: Sequence[float], level: float) -> bool:
    """Say whether the polynomial is above ``level`` somewhere; yes where a double cannot tell."""
    open_pieces = [(0, list(piece))]
    while open_pieces:
        depth, here = open_pieces.pop()
        if max(here) <= level:
            continue
        if here[0] > level or here[-1] > level or depth == _DEPTH:
            return True
        open_pieces += [(depth + 1, half) for half in _halves(here)]
    return False


def largest(piece: Sequence[float], *, known: float = 0.0, within: float = 1e-7) -> float:
    """Return the polynomial's largest value, or ``known`` where it does not exceed that.

    Args:
        piece: its Bernstein coefficients.
        known: a value below which nothing is of interest.
        within: how far below the largest value the answer may be.

    """
    best = max(known, piece[0], piece[-1])
    order = 0
    open_pieces = [(-max(piece), order, list(piece))]
    while open_pieces:
        bound, _, here = heapq.heappop(open_pieces)
        if -bound <= best + within:
            break
        for half in _halves(here):
            best = max(best, half[0], half[-1])
            order += 1
            heapq.heappush(open_pieces, (-max(half), order, half))
    return best
