"""How often a gate's interval may pass although Δ is only the margin (reference page, table b).

The largest chance of a false pass over all margins in [0, 1), the true Δ being the margin, and
over everything else that is unknown. A margin lets pass the tables whose lower limit is above it,
and their chance grows with Δ; so between two attained limits it is largest just below the upper
one, and the attained limits alone have to be looked at.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final, Literal

from plateau_tui.metric.contrast import EXACT_UNCONDITIONAL, lower_limit
from plateau_tui.metric.tails import Staircase, binomials, coefficients, largest

_TIE: Final = 1e-7
_SHARES: Final = 20
"""Steps of the share of both-reached among concordant pairs, from 0 to 1/2: beyond, it mirrors."""

MOST_PAIRS: Final[Mapping[str, int]] = {
    "exact_unconditional": 12,
    "exact_melded": 12,
    "tango": 40,
    "bonett_price": 40,
    "agresti_min": 40,
    "newcombe10": 20,
}
"""Up to so many pairs the rate is computed, in a second or so; the work grows with n^4 and more."""


@dataclass(frozen=True, slots=True)
class FalsePass:
    """A method's largest false-pass rate at n pairs; ``how`` says what the number is."""

    rate: float | None
    how: Literal["computed", "at most, by construction", "not computed"]
    claimed: float
    """What a valid interval may err in: (1 - confidence) / 2."""

    @property
    def exceeds_claim(self) -> bool:
        """The method errs more often than its confidence claims."""
        return self.rate is not None and self.rate > self.claimed + _SLACK


_SLACK: Final = 1e-6


@lru_cache(maxsize=256)
def false_pass(pairs: int, confidence: float, method: str) -> FalsePass:
    """Return the largest false-pass rate of a method at ``pairs`` pairs.

    Computed up to ``MOST_PAIRS``. Above, ``exact_unconditional`` is bounded by its construction,
    and of the others nothing is said.

    Raises:
        ValueError: as ``paired_interval``.

    """
    claimed = (1 - confidence) / 2
    if pairs > MOST_PAIRS.get(method, 0):
        if method == EXACT_UNCONDITIONAL:
            return FalsePass(claimed, "at most, by construction", claimed)
        return FalsePass(None, "not computed", claimed)
    if method == "newcombe10":
        rate = _over_splits(pairs, confidence, method)
    else:
        rate = _over_tables(pairs, confidence, method)
    return FalsePass(rate, "computed", claimed)


def _lower(table: tuple[int, int, int, int], confidence: float, method: str) -> float:
    limit = lower_limit(*table, confidence=confidence, method=method)
    return -1.0 if limit is None else limit


def _attained(limits: Iterable[float]) -> list[float]:
    """Return the limits above 0, each once; those that differ by rounding are one."""
    found: list[float] = []
    for limit in sorted(limits):
        if limit > 0 and not (found and limit - found[-1] <= _TIE):
            found.append(limit)
    return found


def _over_tables(pairs: int, confidence: float, method: str) -> float:
    """Return the rate of a method that does not ask how the concordant pairs are divided."""
    lowers = {
        (b, c): _lower((0, b, c, pairs - b - c), confidence, method)
        for c in range(pairs + 1)
        for b in range(c + 1, pairs - c + 1)
    }
    rate = 0.0
    for limit in _attained(lowers.values()):
        passing = [table for table, lower in lowers.items() if lower >= limit]
        rate = largest(coefficients(_hull(pairs, passing), limit), known=rate)
    return rate


def _hull(pairs: int, tables: Iterable[tuple[int, int]]) -> Staircase:
    """Return the smallest staircase around a set; a set of positive limits is one as a rule."""
    edge = [pairs + 1] * (pairs + 1)
    for b, c in tables:
        edge[c] = min(edge[c], b)
    return tuple(accumulate(reversed(edge), min))[::-1]


def _over_splits(pairs: int, confidence: float, method: str) -> float:
    """Return the rate of a method that asks how many concordant pairs reached it in both arms."""
    lowers = {
        (a, b, c): _lower((a, b, c, pairs - a - b - c), confidence, method)
        for c in range(pairs + 1)
        for b in range(c + 1, pairs - c + 1)
        for a in range(pairs - b - c + 1)
    }
    splits = [binomials(pairs, step / (2 * _SHARES)) for step in range(_SHARES + 1)]
    rate = 0.0
    for limit in _attained(lowers.values()):
        passing = [table for table, lower in lowers.items() if lower >= limit]
        forced, chance = binomials(pairs, limit), binomials(pairs, (1 - limit) / 2)
        for split in splits:
            weights: dict[tuple[int, int], float] = {}
            for a, b, c in passing:
                weights[b, c] = weights.get((b, c), 0.0) + split[pairs - b - c][a]
            terms = [0.0] * (pairs + 1)
            for (b, c), weight in weights.items():
                for i in range(b + 1):  # of b, so many were forced by Δ, the others by chance
                    terms[b - i + c] += weight * forced[pairs - b + i - c][i] * chance[b - i + c][c]
            rate = largest(terms, known=rate)
    return rate
