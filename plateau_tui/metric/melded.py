"""The exact melded lower limit of Δ for n pairs (Fay & Lumbard 2021, Stat Med 40:1147).

Δ is the product of T, the share of discordant pairs, and 2B - 1, where B is the treatment's share
of these. The two one-sided confidence distributions, Beta in both cases, are melded: the limit is
the ``tail`` quantile of T(2B - 1), B as unfavourable and T either way as the binomial allows. Its
validity is conjectured and was checked numerically, not proved; it excludes 0 exactly when the
one-sided sign test does. Needs scipy, which is imported only when a limit is computed.
"""

from collections.abc import Callable
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_RESOLUTION: Final = 1e-9
_UNSEEN: Final = 1e-16
_NODES: Final = 32
_PANELS: Final = 6


@lru_cache(maxsize=4096)
def melded_lower(pairs: int, b: int, c: int, tail: float) -> float:
    """Return the lower limit at one tail of ``tail``, rounded down."""
    discordant = b + c
    limits = [_quantile(b, c, (discordant + 1, pairs - discordant), tail)]
    if discordant:
        limits.append(_quantile(b, c, (discordant, pairs - discordant + 1), tail))
    return min(limits)


def _quantile(b: int, c: int, share: tuple[int, int], tail: float) -> float:
    """Return the ``tail`` quantile of T(2B - 1) for T ~ Beta(*share), T = 1 where that is 0."""
    from scipy.special import betainc, betaincinv  # noqa: PLC0415 - scipy loads only where used

    certain = share[1] == 0
    if b == 0:  # B is 0
        return -1.0 if certain else -float(betaincinv(*share, 1 - tail))
    if certain:
        return 2 * float(betaincinv(b, c + 1, tail)) - 1 - _RESOLUTION
    if betainc(b, c + 1, 0.5) > tail:  # P(B < 1/2): the limit is negative
        return -_root(lambda w: _beyond(w, (c + 1, b), share) - tail) - _RESOLUTION
    return max(_root(lambda w: _beyond(w, (b, c + 1), share) - (1 - tail)) - _RESOLUTION, 0.0)


def _root(falling: Callable[[float], float]) -> float:
    """Return where a function on (0, 1] that ends below 0 crosses 0; 0 where it begins there."""
    from scipy.optimize import brentq  # noqa: PLC0415 - as above

    if falling(_RESOLUTION) <= 0:
        return 0.0
    return float(brentq(falling, _RESOLUTION, 1.0, xtol=_RESOLUTION / 10))


def _beyond(w: float, favour: tuple[int, int], share: tuple[int, int]) -> float:
    """Return P(T(2U - 1) > w) for w > 0, U ~ Beta(*favour), T ~ Beta(*share).

    Integrated over log(2U - 1), in which the integrand stays smooth however small w is, and only
    where U may be.
    """
    import numpy as np  # noqa: PLC0415 - as above
    from scipy.special import betaincc, betaln, xlog1py, xlogy  # noqa: PLC0415

    least, most = _range(*favour)
    begin, end = log(max(w, least)), log(most)
    if begin >= end:
        return 0.0
    nodes, weights = _gauss_legendre()
    width = (end - begin) / _PANELS
    v = np.exp(begin + width * (np.arange(_PANELS)[:, None] + (nodes + 1) / 2))
    one, other = favour
    u = (1 + v) / 2
    density = np.exp(xlogy(one - 1, u) + xlog1py(other - 1, -u) - betaln(one, other))
    inside = density * v / 2 * betaincc(*share, np.minimum(w / v, 1.0))
    return float(width / 2 * np.sum(inside @ weights))


@lru_cache(maxsize=4096)
def _range(one: int, other: int) -> tuple[float, float]:
    """Return between which values 2U - 1 > 0 lies, but for a chance that a double cannot see."""
    from scipy.special import betaincinv  # noqa: PLC0415 - as above

    most = 1 - 2 * float(betaincinv(other, one, _UNSEEN))
    return max(2 * float(betaincinv(one, other, _UNSEEN)) - 1, 0.0), max(most, _UNSEEN)


@lru_cache(maxsize=1)
def _gauss_legendre() -> "tuple[Floats, Floats]":
    import numpy as np  # noqa: PLC0415 - as above

    return np.polynomial.legendre.leggauss(_NODES)
