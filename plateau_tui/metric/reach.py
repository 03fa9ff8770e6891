"""What n pairs can reach at best: the highest lower limit of Δ, and how few pairs or n pass."""

from bisect import bisect_left
from typing import Final

from plateau_tui.metric.contrast import EXACT_METHODS, EXACT_UNCONDITIONAL, lower_limit

MOST_PAIRS: Final = 2_000
"""The smallest n is looked for up to here."""
_ROUNDING: Final = 2e-9


def best_lower(pairs: int, confidence: float, method: str) -> float:
    """Return the highest lower limit that ``pairs`` pairs can reach: all of them favourable.

    For ``exact_unconditional`` it is 2 tail^(1/n) - 1, here rounded down by as much as the limit
    itself may be.

    Raises:
        ValueError: as ``paired_interval``, and where there is no pair.

    """
    if pairs < 1:
        raise ValueError("the best reachable bound needs at least one pair")
    if method == EXACT_UNCONDITIONAL:
        return float(2 * ((1 - confidence) / 2) ** (1 / pairs) - 1) - _ROUNDING
    limit = lower_limit(0, pairs, 0, 0, confidence=confidence, method=method)
    return -1.0 if limit is None else limit


def passes(table: tuple[int, int, int, int], margin: float, confidence: float, method: str) -> bool:
    """Say whether the lower limit of (both, treatment only, control only, neither) is above."""
    limit = lower_limit(*table, confidence=confidence, method=method)
    return limit is not None and limit > margin


def fewest_favourable(pairs: int, margin: float, confidence: float, method: str) -> int | None:
    """Return the fewest favourable pairs that pass with none against; None where not even all do.

    Where a method asks how the concordant pairs are divided, they are divided as helps most.
    """

    def enough(b: int) -> bool:
        rest = pairs - b
        if method in EXACT_METHODS:
            return passes((0, b, 0, rest), margin, confidence, method)
        halves = range(rest // 2 + 1)  # beyond the half it mirrors
        return any(passes((a, b, 0, rest - a), margin, confidence, method) for a in halves)

    candidates = range(1, pairs + 1)
    if method in EXACT_METHODS:  # their limits take longer, and grow with b
        first = bisect_left(candidates, x=True, key=enough) + 1
        return first if first <= pairs else None
    return next((b for b in candidates if enough(b)), None)


def smallest_pairs(margin: float, confidence: float, method: str) -> int | None:
    """Return the smallest number of pairs that could pass a margin; None above ``MOST_PAIRS``."""
    candidates = range(1, MOST_PAIRS + 1)
    first = bisect_left(
        candidates, x=True, key=lambda n: best_lower(n, confidence, method) > margin
    )
    return candidates[first] if first < MOST_PAIRS else None
