"""The named approximations to a lower limit of Δ for paired proportions, not yet cut to [-1, 1].

Each takes a = both, b = treatment only, c = control only, d = neither (n > 0), and z, the normal
quantile of one tail; the upper limit is the lower one with the arms exchanged. They err towards
the treatment more often than they claim at small n (reference page "Paired contrast", table b),
so the exact interval is shown beside them.
"""

from math import sqrt
from typing import Final

from plateau_tui.metric.exact import tango_score

_HALVINGS: Final = 60


def agresti_min(a: int, b: int, c: int, d: int, z: float) -> float:
    """Wald's limit after adding 0.5 to each of the four cells (Agresti & Min 2005)."""
    total = a + b + c + d + 2
    p12, p21 = (b + 0.5) / total, (c + 0.5) / total
    return _around(p12, p21, total, z)


def bonett_price(a: int, b: int, c: int, d: int, z: float) -> float:
    """Wald's limit after adding 1 to both discordant cells (Bonett & Price 2012)."""
    total = a + b + c + d + 2
    p12, p21 = (b + 1) / total, (c + 1) / total
    return _around(p12, p21, total, z)


def _around(p12: float, p21: float, total: int, z: float) -> float:
    centre = p12 - p21
    return centre - z * sqrt((p12 + p21 - centre * centre) / total)


def newcombe10(a: int, b: int, c: int, d: int, z: float) -> float:
    """Square-and-add of two Wilson intervals with the corrected phi (Newcombe 1998, method 10)."""
    pairs = a + b + c + d
    delta, phi = (b - c) / pairs, _corrected_phi(a, b, c, d)
    down, _ = _wilson_reach(a + b, pairs, z)
    _, up = _wilson_reach(a + c, pairs, z)
    return delta - sqrt(max(down * down - 2 * phi * down * up + up * up, 0.0))


def _corrected_phi(a: int, b: int, c: int, d: int) -> float:
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    half = (a + b + c + d) / 2
    excess = a * d - b * c
    if excess > 0:
        return max(excess - half, 0.0) / sqrt(margins)
    return excess / sqrt(margins)


def _wilson_reach(successes: int, size: int, z: float) -> tuple[float, float]:
    """Return how far Wilson's limits lie below and above the observed share."""
    share, extra = successes / size, z * z / size
    centre = (share + extra / 2) / (1 + extra)
    reach = z * sqrt(share * (1 - share) / size + extra / (4 * size)) / (1 + extra)
    return share - (centre - reach), centre + reach - share


def tango(a: int, b: int, c: int, d: int, z: float) -> float:
    """Return the x at which Tango's score is z (Tango 1998), rounded down."""
    pairs = a + b + c + d
    left, right = -1.0, (b - c) / pairs
    for _ in range(_HALVINGS):
        middle = (left + right) / 2
        if tango_score(pairs, b, c, middle) >= z:
            left = middle
        else:
            right = middle
    return left
