"""Lower limits of Δ for n pairs that are valid at every n (reference page "Paired contrast").

``exact_unconditional`` inverts a one-sided exact test whose order is Tango's score (Tang, Tang &
Chan 2005); ``exact_melded`` is Fay & Lumbard's interval (2021). Both may err towards the
treatment in at most ``tail`` of all runs, where a two-sided interval's tail is (1 - level)/2.
Limits are rounded down, never up: by at most 1e-9.
"""

from functools import lru_cache
from math import inf, sqrt
from typing import Final

from plateau_tui.metric.tails import coefficients, exceeds, staircase

_RESOLUTION: Final = 1e-9
_TIE: Final = 1e-10
"""Scores that differ by less are tied: they carry about twelve digits."""


def tango_score(pairs: int, b: int, c: int, x: float) -> float:
    """Return Tango's score of a table (b, c) against Δ = x; it falls as x rises.

    The variance is taken at the most likely p21 under Δ = x (Tango 1998), in a form without
    cancellation. Infinite where only one table is possible and this is not it.
    """
    if x < 0:
        return -tango_score(pairs, c, b, -x)
    linear = (2 * pairs - b + c) * x - b - c
    product = c * x * (1 - x)
    root = sqrt(linear * linear + 8 * pairs * product)
    likely = 2 * product / (root + linear) if linear > 0 else (root - linear) / (4 * pairs)
    distance = b - c - pairs * x
    variance = pairs * (2 * likely + x * (1 - x))
    if variance <= 0:
        return 0.0 if distance == 0 else inf if distance > 0 else -inf
    return distance / sqrt(variance)


@lru_cache(maxsize=4096)
def unconditional_lower(pairs: int, b: int, c: int, tail: float) -> float:
    """Return the smallest x whose one-sided p-value exceeds ``tail``, rounded down.

    p(x) is the largest chance, over everything that Δ = x leaves open, of a table whose score is
    at least that of (b, c), ties included. p(x) jumps where two scores cross, so the smallest
    such x is not found by bisection. Over a whole interval of x all tables that count anywhere in
    it are within {score at its left end >= own score at its right end}, and the chance of a
    staircase grows with Δ: where that set's chance at the right end is not above ``tail``, no x
    of the interval is. Intervals that cannot be ruled out so are halved, the left one first.
    """
    estimate = (b - c) / pairs
    open_intervals = [(-1.0, estimate)]
    while open_intervals:
        left, right = open_intervals.pop()
        own = tango_score(pairs, b, c, right) - _TIE

        def counts(b_: int, c_: int, left: float = left, own: float = own) -> bool:
            return tango_score(pairs, b_, c_, left) >= own

        if not exceeds(coefficients(staircase(pairs, counts), right), tail):
            continue
        if right - left <= _RESOLUTION:
            return left
        middle = (left + right) / 2
        open_intervals += [(middle, right), (left, middle)]
    return estimate
