"""Exploratory: paired analysis of counts (blocks placed, kinds mined beyond the farmed wood).

Never part of a verdict. Of n pairs the differences treatment - control are analysed: the paired t
interval, an exact bootstrap of their mean (percentile and BCa, over all n^n resamples by
convolution, so there is no seed), and the exact sign-flip test. Welch's interval, which ignores
the pairs, is information. The bootstrap is narrower than it should be at small n (at n = 6 by
about a third), so the t interval stands beside it. Reference page "Paired contrast", "Counts".
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import sqrt
from statistics import NormalDist, fmean, stdev, variance
from typing import Final, Literal

Interval = tuple[float, float]
Variability = Literal["no pair", "one pair", "all differences equal", "varies"]

_CHANCE: Final = 0.5
_MOST_SUMS: Final = 30_000
"""So many different sums are kept in a second or so; beyond, what is exact is left out."""


@dataclass(frozen=True, slots=True)
class TTest:
    """A t statistic with its degrees of freedom, two-sided p, and interval of the difference."""

    t: float
    df: float
    p: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class CountAnalysis:
    """What n pairs of counts say; every interval is None where the data cannot give one."""

    pairs: int
    confidence: float
    differences: tuple[int, ...]
    mean_difference: float | None
    variability: Variability
    paired_t: TTest | None
    bootstrap_percentile: Interval | None
    bootstrap_bca: Interval | None
    sign_flip_p: float | None
    """Two-sided: the share of sign flips whose sum is as far from 0 as the observed one."""
    sign_flip_p_greater: float | None
    welch: TTest | None

    @property
    def words(self) -> tuple[str, ...]:
        """What the data mean where no interval can be given, or none is to be relied on."""
        match self.variability:
            case "no pair":
                return ("no pair has both counts: not evaluable",)
            case "one pair":
                return ("one pair has no spread: its difference is shown, without an interval",)
            case "all differences equal":
                equal = f"all {self.pairs} differences are equal"
                return (f"{equal}: their spread is unknown, not 0, so there is no interval",)
        said = []
        if self.pairs == 2:  # noqa: PLR2004 - the fewest that vary
            said.append("two pairs cannot decide: the interval is shown, not relied on")
        if self.bootstrap_percentile is None:
            said.append("no exact bootstrap: too many different resamples, or none that differ")
        return tuple(said)


def analyse_counts(
    treatment: Sequence[int], control: Sequence[int], *, confidence: float
) -> CountAnalysis:
    """Analyse counts by pair: the i-th of one arm belongs to the i-th of the other.

    Raises:
        ValueError: the arms differ in size, a count is no whole number, or the confidence is
            outside (0.5, 1).

    """
    if len(treatment) != len(control):
        raise ValueError(f"{len(treatment)} counts and {len(control)} cannot be paired")
    if any(isinstance(n, bool) or not isinstance(n, int) for n in (*treatment, *control)):
        raise ValueError("a count must be a whole number; an unknown one leaves its pair out")
    if not _CHANCE < confidence < 1:
        raise ValueError(f"the confidence must be above 0.5 and below 1, not {confidence}")
    differences = tuple(t - c for t, c in zip(treatment, control, strict=True))
    varies = len(set(differences)) > 1
    tail = (1 - confidence) / 2
    sums = _resampled_sums(differences) if varies else None
    two_sided, greater = _sign_flips(differences)
    return CountAnalysis(
        pairs=len(differences),
        confidence=confidence,
        differences=differences,
        mean_difference=fmean(differences) if differences else None,
        variability=_variability(differences),
        paired_t=_paired_t(differences, tail) if varies else None,
        bootstrap_percentile=_percentile(sums, len(differences), tail) if sums else None,
        bootstrap_bca=_bca(differences, sums, tail) if sums else None,
        sign_flip_p=two_sided,
        sign_flip_p_greater=greater,
        welch=_welch(treatment, control, tail),
    )


def _variability(differences: Sequence[int]) -> Variability:
    if not differences:
        return "no pair"
    if len(differences) == 1:
        return "one pair"
    return "varies" if len(set(differences)) > 1 else "all differences equal"


def _t_test(estimate: float, error: float, df: float, tail: float) -> TTest:
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - scipy loads only where used

    t = estimate / error
    reach = -float(stdtrit(df, tail)) * error
    return TTest(t, df, 2 * float(stdtr(df, -abs(t))), (estimate - reach, estimate + reach))


def _paired_t(differences: Sequence[int], tail: float) -> TTest:
    error = stdev(differences) / sqrt(len(differences))
    return _t_test(fmean(differences), error, len(differences) - 1, tail)


def _welch(treatment: Sequence[int], control: Sequence[int], tail: float) -> TTest | None:
    """Return Welch's unpaired analysis, with fractional degrees of freedom; None without spread."""
    if len(treatment) < 2 or len(set(treatment)) == len(set(control)) == 1:  # noqa: PLR2004
        return None
    parts = [variance(treatment) / len(treatment), variance(control) / len(control)]
    total = sum(parts)
    df = total**2 / sum(part**2 / (len(treatment) - 1) for part in parts)
    return _t_test(fmean(treatment) - fmean(control), sqrt(total), df, tail)


def _sums_of(steps: Iterable[Sequence[int]]) -> Mapping[int, int] | None:
    """Return how many ways lead to each sum of one number out of each step; None if too many."""
    sums = Counter({0: 1})
    for step in steps:
        grown: Counter[int] = Counter()
        for total, ways in sums.items():
            for number in step:
                grown[total + number] += ways
        sums = grown
        if len(sums) > _MOST_SUMS:
            return None
    return sums


def _resampled_sums(differences: Sequence[int]) -> Mapping[int, int] | None:
    """Return how many of the n^n resamples have which sum."""
    return _sums_of([differences] * len(differences))


def _quantile(sums: Mapping[int, int], pairs: int, share: float) -> float:
    """Return the smallest resampled mean whose cumulative share reaches ``share``."""
    ordered = sorted(sums)
    everything = pairs**pairs
    reached = accumulate(sums[total] for total in ordered)
    for total, ways in zip(ordered, reached, strict=True):
        if ways / everything >= share:
            return total / pairs
    return ordered[-1] / pairs


def _between(sums: Mapping[int, int], pairs: int, low: float, high: float) -> Interval | None:
    lower, upper = _quantile(sums, pairs, low), _quantile(sums, pairs, high)
    return (lower, upper) if lower < upper else None


def _percentile(sums: Mapping[int, int], pairs: int, tail: float) -> Interval | None:
    return _between(sums, pairs, tail, 1 - tail)


def _bca(differences: Sequence[int], sums: Mapping[int, int], tail: float) -> Interval | None:
    """Return the BCa interval: the bias from both sides of ties, the acceleration by jackknife."""
    normal, pairs, observed = NormalDist(), len(differences), sum(differences)
    below = sum(ways for total, ways in sums.items() if total < observed)
    tied = sums.get(observed, 0)
    bias = normal.inv_cdf((2 * below + tied) / (2 * pairs**pairs))
    centre = fmean(differences)
    pulls = [(d - centre) / (pairs - 1) for d in differences]  # jackknife mean less each estimate
    acceleration = sum(p**3 for p in pulls) / (6 * sum(p**2 for p in pulls) ** 1.5)
    shares = []
    for z in (normal.inv_cdf(tail), -normal.inv_cdf(tail)):
        moved = bias + z
        if 1 - acceleration * moved <= 0:
            return None
        shares.append(normal.cdf(bias + moved / (1 - acceleration * moved)))
    return _between(sums, pairs, shares[0], shares[1])


def _sign_flips(differences: Sequence[int]) -> tuple[float, float] | tuple[None, None]:
    """Return the shares of the 2^n sign flips as far out as observed: two-sided, and greater."""
    sums = _sums_of((difference, -difference) for difference in differences)
    if sums is None or not differences:
        return None, None
    observed, everything = sum(differences), 2 ** len(differences)
    far = sum(ways for total, ways in sums.items() if abs(total) >= abs(observed))
    greater = sum(ways for total, ways in sums.items() if total >= observed)
    return far / everything, greater / everything
