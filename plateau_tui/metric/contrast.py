"""The paired contrast of the gate: Δ and its interval (seed §3.3; page "Paired contrast").

A pair is one treatment and one control unit. Of n pairs, ``both`` reached it in both arms,
``treatment_only`` and ``control_only`` in one, ``neither`` in none; Δ = (treatment_only -
control_only) / n. The gate asks for a lower limit above its margin, strictly: a one-sided claim,
which a valid interval makes wrongly in at most (1 - confidence) / 2 of all runs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from statistics import NormalDist
from typing import Final

from plateau_tui.metric import approximate
from plateau_tui.metric.exact import unconditional_lower
from plateau_tui.metric.melded import melded_lower

Interval = tuple[float, float]

EXACT_UNCONDITIONAL: Final = "exact_unconditional"
EXACT_METHODS: Final = (EXACT_UNCONDITIONAL, "exact_melded")
"""Valid at every n; the second by a conjecture that was checked numerically."""
_APPROXIMATE: Final[Mapping[str, Callable[[int, int, int, int, float], float]]] = {
    "tango": approximate.tango,
    "bonett_price": approximate.bonett_price,
    "agresti_min": approximate.agresti_min,
    "newcombe10": approximate.newcombe10,
}
METHODS: Final = (*EXACT_METHODS, *_APPROXIMATE)
_CHANCE: Final = 0.5
_FEW: Final[Mapping[int, str]] = {1: "one pair", 2: "two pairs"}


def paired_interval(
    both: int,
    treatment_only: int,
    control_only: int,
    neither: int,
    *,
    confidence: float,
    method: str,
) -> Interval | None:
    """Return the two-sided interval of Δ within [-1, 1], or None where there is no pair.

    It holds Δ, is never of width 0, and is mirrored when the arms are exchanged. A limit that an
    approximation shrinks past Δ, as some do at a low confidence, is drawn out to Δ.

    Args:
        both: pairs in which both units reached it.
        treatment_only: pairs in which only the treatment unit did.
        control_only: pairs in which only the control unit did.
        neither: pairs in which none did.
        confidence: the two-sided level, above 0.5 and below 1.
        method: one of ``METHODS``. ``exact_unconditional`` takes milliseconds at 12 pairs, some
            tenths of a second at 40 and seconds at 200, for its work grows with n squared. The
            results of the exact methods are kept.

    Raises:
        ValueError: a count is no whole number of at least 0, the confidence is outside its range,
            or the method is unknown.

    """
    lower = lower_limit(
        both, treatment_only, control_only, neither, confidence=confidence, method=method
    )
    exchanged = lower_limit(
        both, control_only, treatment_only, neither, confidence=confidence, method=method
    )
    return None if lower is None or exchanged is None else (lower, -exchanged)


def lower_limit(
    both: int,
    treatment_only: int,
    control_only: int,
    neither: int,
    *,
    confidence: float,
    method: str,
) -> float | None:
    """Return the lower limit of ``paired_interval`` alone; a gate asks no more.

    Raises:
        ValueError: as ``paired_interval``.

    """
    table = (both, treatment_only, control_only, neither)
    _check(table, confidence, method)
    pairs, tail = sum(table), (1 - confidence) / 2
    if pairs == 0:
        return None
    if method == EXACT_UNCONDITIONAL:
        limit = unconditional_lower(pairs, treatment_only, control_only, tail)
    elif method in EXACT_METHODS:
        limit = melded_lower(pairs, treatment_only, control_only, tail)
    else:
        limit = _APPROXIMATE[method](*table, -NormalDist().inv_cdf(tail))
    return max(-1.0, min(limit, (treatment_only - control_only) / pairs))


def _check(table: tuple[object, ...], confidence: object, method: str) -> None:
    for count in table:
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ValueError(f"a number of pairs must be a whole number of at least 0, not {count}")
    if (
        isinstance(confidence, bool)
        or not isinstance(confidence, int | float)
        or not isfinite(confidence)
        or not _CHANCE < confidence < 1
    ):
        raise ValueError(f"the confidence must be above 0.5 and below 1, not {confidence}")
    if method not in METHODS:
        raise ValueError(f"{method!r} is no interval method: one of {', '.join(METHODS)}")


@dataclass(frozen=True, slots=True)
class ContrastInterval:
    """What a person is shown of a contrast: the gate's interval, and an exact one beside it."""

    both: int
    treatment_only: int
    control_only: int
    neither: int
    confidence: float
    method: str
    limits: Interval | None
    exact_limits: Interval | None
    """By ``exact_unconditional``; the same where that is the method."""

    @property
    def pairs(self) -> int:
        """The number of pairs, n."""
        return self.both + self.treatment_only + self.control_only + self.neither

    @property
    def delta(self) -> float | None:
        """Δ, or None where there is no pair."""
        pairs = self.pairs
        return (self.treatment_only - self.control_only) / pairs if pairs else None

    @property
    def words(self) -> tuple[str, ...]:
        """What the table means where numbers alone mislead; sentences, often none."""
        said = []
        if self.pairs == 0:
            said.append("no pair has both units live: the contrast is not evaluable")
        elif self.pairs in _FEW:
            said.append(
                f"{_FEW[self.pairs]} cannot decide: no valid interval over so few excludes 0 at "
                "any confidence above 0.5; an approximate one that does, errs more often than it "
                "claims"
            )
        if self.pairs and self.treatment_only == self.control_only == 0:
            said.append("no pair differs: the control matches the treatment in each of them")
        return tuple(said)


def contrast_interval(
    both: int,
    treatment_only: int,
    control_only: int,
    neither: int,
    *,
    confidence: float,
    method: str,
) -> ContrastInterval:
    """Return the interval of the gate's method with the exact one beside it.

    Raises:
        ValueError: as ``paired_interval``.

    """
    table = (both, treatment_only, control_only, neither)
    limits = paired_interval(*table, confidence=confidence, method=method)
    exact = (
        limits
        if method == EXACT_UNCONDITIONAL
        else paired_interval(*table, confidence=confidence, method=EXACT_UNCONDITIONAL)
    )
    return ContrastInterval(*table, confidence, method, limits, exact)
