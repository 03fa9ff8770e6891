"""Could this gate pass, and could it fail? Asked before the seal, from the gate and n pairs alone.

*Can pass*: with every pair favourable (reached in the treatment, not in the control) the lower
limit of Δ is above the margin; no other table of n pairs has a higher one. *Can fail*: with every
unit of both arms reaching it, which meets every K and shows no difference, the lower limit is not
above the margin; with no unit reaching it the gate fails anyway, as K is at least 1. So a valid
registration's gate can fail by any of the six methods; it is computed all the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from plateau_tui.metric.contrast import EXACT_METHODS, EXACT_UNCONDITIONAL, METHODS
from plateau_tui.metric.falsepass import MOST_PAIRS as MOST_COMPUTED
from plateau_tui.metric.falsepass import FalsePass, false_pass
from plateau_tui.metric.reach import (
    MOST_PAIRS,
    best_lower,
    fewest_favourable,
    passes,
    smallest_pairs,
)
from plateau_tui.metric.registration import Gate

_LOST: Final = 2
"""So many pairs may be lost to deaths in what is foreseen."""
_FEWEST_WORDS: Final = 3
_USUAL_CONFIDENCES: Final = (0.95, 0.90)
_CONFIDENCES: Final = (0.99, 0.95, *(hundredths / 100 for hundredths in range(90, 50, -1)))
"""Those that are looked at where the registered one is too high."""


@dataclass(frozen=True, slots=True)
class Feasibility:
    """What can be known of a gate before its run; ``reasons`` are sentences to be read aloud."""

    pairs: int
    best_lower: tuple[tuple[int, float], ...]
    """(n, the highest lower limit that n pairs can reach) for n, n - 1 and n - 2 pairs."""
    fewest_favourable: int | None
    """So many favourable pairs, with none against, pass at n; None where not even all do."""
    false_pass: FalsePass
    smallest_pairs: int | None
    """The smallest number of pairs that could pass; None where none up to 2,000 could."""
    can_pass: bool
    can_fail: bool
    reasons: tuple[str, ...]

    @property
    def feasible(self) -> bool:
        """The gate can pass and can fail."""
        return self.can_pass and self.can_fail

    @property
    def lines(self) -> tuple[str, ...]:
        """The figures for a person, a line each."""
        bounds = ", ".join(f"{bound:.4f} with {_pairs_told(n)}" for n, bound in self.best_lower)
        fewest = self.fewest_favourable
        return (
            f"best reachable lower bound: {bounds}",
            "fewest favourable pairs that pass: "
            + (
                f"{fewest} of {self.pairs}, with none against" if fewest else "not even all of them"
            ),
            f"largest false-pass rate: {_rate_told(self.false_pass)}",
            "smallest number of pairs that could pass: "
            + str(self.smallest_pairs or f"above {MOST_PAIRS}"),
        )


def assess(gate: Gate, pairs: int) -> Feasibility:
    """Say what a gate over ``pairs`` pairs can come to, before any of it has happened.

    It ends in bounded time: false-pass rates are computed up to ``falsepass.MOST_PAIRS`` pairs.

    Raises:
        ValueError: there is no pair, or the gate's confidence or method is none.

    """
    margin, confidence, method = gate.margin, gate.confidence, gate.interval_method
    best = tuple(
        (n, best_lower(n, confidence, method)) for n in range(pairs, max(pairs - _LOST, 1) - 1, -1)
    )
    can_pass = best[0][1] > margin
    found = Feasibility(
        pairs=pairs,
        best_lower=best,
        fewest_favourable=(
            fewest_favourable(pairs, margin, confidence, method) if can_pass else None
        ),
        false_pass=false_pass(pairs, confidence, method),
        smallest_pairs=smallest_pairs(margin, confidence, method),
        can_pass=can_pass,
        can_fail=not passes((pairs, 0, 0, 0), margin, confidence, method),
        reasons=(),
    )
    return replace(found, reasons=tuple(_reasons(gate, found)))


def accept_problem(gate: Gate, found: Feasibility) -> str | None:
    """Return why the gate is not to be sealed as it stands, or None.

    An infeasible gate needs ``accept`` to hold a sentence, which is three words or more; on a
    feasible one an ``accept`` is stale.
    """
    given = gate.accept.strip()
    if found.feasible:
        stale = 'gate.accept is stale, for this gate can pass and can fail: set accept = ""'
        return stale if given else None
    if sum(any(map(str.isalpha, word)) for word in given.split()) >= _FEWEST_WORDS:
        return None
    begin = "gate.accept is no sentence" if given else "to seal it all the same"
    return (
        f"{begin}: write into gate.accept why, in {_FEWEST_WORDS} words or more, and it will stand "
        "in every artefact; or change the gate"
    )


def _reasons(gate: Gate, found: Feasibility) -> Iterator[str]:
    if not found.can_pass:
        yield from _why_it_cannot_pass(gate, found)
    if not found.can_fail:
        yield "this gate cannot fail: it would pass although the arms did the same in every pair"
    if found.can_pass:
        yield from _what_losses_do(gate, found)
        yield from _what_decides(gate, found)
    yield from _how_often_it_errs(gate, found)


def _why_it_cannot_pass(gate: Gate, found: Feasibility) -> Iterator[str]:
    pairs, bound = found.best_lower[0]
    level, method = _level(gate.confidence), gate.interval_method
    yield (
        f"{_pairs_told(pairs)} cannot pass at {level}, whatever happens: the best reachable lower "
        f"bound is {bound:.4f} ({method}, every pair favourable), and it must exceed the margin "
        f"{gate.margin:g}"
    )
    enough = found.smallest_pairs
    if enough is None:
        yield f"no number of pairs up to {MOST_PAIRS} would do: lower the margin"
    else:
        text = f"what would do: {_pairs_told(enough)} at {level} with this margin and method"
        lower = next((c for c in _USUAL_CONFIDENCES if c < gate.confidence), None)
        fewer = None if lower is None else smallest_pairs(gate.margin, lower, method)
        if lower is not None and fewer is not None and fewer < enough:
            text += f", or {_pairs_told(fewer)} at {_level(lower)}"
        yield text
    yield from _what_can_be_given_up(gate, pairs)


def _what_can_be_given_up(gate: Gate, pairs: int) -> Iterator[str]:
    """Name what lets this many pairs pass, and its price."""
    claimed = f"{(1 - gate.confidence) / 2:.3g}"
    for confidence in _CONFIDENCES:
        bound = best_lower(pairs, confidence, gate.interval_method)
        if confidence < gate.confidence and bound > gate.margin:
            yield (
                f"or give up confidence: {_pairs_told(pairs)} could pass at {_level(confidence)}, "
                f"which claims to err in up to {(1 - confidence) / 2:.3g} instead of {claimed}"
            )
            break
    others = [m for m in METHODS if m not in {*EXACT_METHODS, gate.interval_method}]
    rates = {
        method: false_pass(pairs, gate.confidence, method).rate
        for method in others
        if best_lower(pairs, gate.confidence, method) > gate.margin
    }
    if rates:
        told = (f"{m} ({'not computed' if r is None else f'{r:.3f}'})" for m, r in rates.items())
        yield (
            f"or give up validity: {', '.join(told)} could pass; in brackets the largest rate of "
            f"false passes, where {claimed} is claimed"
        )


def _what_losses_do(gate: Gate, found: Feasibility) -> Iterator[str]:
    """Say what the death of units does to a gate that could pass with all of them."""
    for pairs, bound in found.best_lower:
        if bound <= gate.margin:
            yield (
                f"with {_pairs_told(pairs)} live it cannot pass any more: the best reachable lower "
                f"bound is then {bound:.4f}"
            )
            break
    for key, least in (("k_primary", gate.k_primary), ("k_secondary", gate.k_secondary)):
        if least == found.pairs:
            yield (
                f"{key} asks for {least} of {found.pairs}: with one treatment unit lost the "
                "verdict is WITHHELD"
            )


def _what_decides(gate: Gate, found: Feasibility) -> Iterator[str]:
    fewest, least = found.fewest_favourable or 0, max(gate.k_primary, gate.k_secondary)
    if fewest > least:
        yield (
            f"the contrast asks for more than K: at least {fewest} of {found.pairs} treatment "
            "units must reach both halves, in pairs whose control does not"
        )
    if gate.contrast_on == "primary":
        yield (
            f"the contrast is asked of PRIMARY as well: there too at least {fewest} of "
            f"{found.pairs} pairs must be favourable"
        )


def _how_often_it_errs(gate: Gate, found: Feasibility) -> Iterator[str]:
    method, pairs = gate.interval_method, _pairs_told(found.pairs)
    if found.false_pass.how == "not computed":
        known = MOST_COMPUTED[method]
        rate = _rate_told(false_pass(known, gate.confidence, method))
        yield (
            f"how often {method} passes wrongly with {pairs} is not computed; with {known} it is "
            f"up to {rate}"
        )
    elif found.false_pass.exceeds_claim:
        yield (
            f"{method} is an approximation: with {pairs} it passes wrongly in up to "
            f"{_rate_told(found.false_pass)}; {EXACT_UNCONDITIONAL} keeps what it claims"
        )


def _rate_told(errs: FalsePass) -> str:
    claim = f"where {errs.claimed:.3g} is claimed"
    if errs.rate is None:
        return f"not computed, {claim}"
    if errs.rate == 0:
        return "0, as nothing passes"
    at_most = "at most " if errs.how == "at most, by construction" else ""
    return f"{at_most}{errs.rate:.3f}, {claim}"


def _level(confidence: float) -> str:
    """Return a confidence as it is written everywhere: 0.95, 0.90, 0.999."""
    return f"{confidence:.2f}" if round(confidence, 2) == confidence else f"{confidence:g}"


def _pairs_told(pairs: int) -> str:
    return "one pair" if pairs == 1 else f"{pairs} pairs"
