"""The paired interval: against verified figures, and the properties that a gate relies on."""

import json
import subprocess
import sys
from fractions import Fraction
from math import comb, isnan
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from plateau_tui.metric.contrast import (
    EXACT_METHODS,
    METHODS,
    contrast_interval,
    lower_limit,
    paired_interval,
)
from plateau_tui.metric.exact import tango_score
from plateau_tui.metric.registration import _INTERVAL_METHODS
from plateau_tui.metric.tails import coefficients, exceeds, largest, staircase

REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "paired_ci.json"
Table = tuple[int, int, int, int]

methods = st.sampled_from(METHODS)
levels = st.sampled_from([0.6, 0.8, 0.9, 0.95, 0.99])


@st.composite
def tables(draw: st.DrawFn, most: int = 12) -> Table:
    pairs = draw(st.integers(1, most))
    cuts = sorted(draw(st.lists(st.integers(0, pairs), min_size=3, max_size=3)))
    return cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], pairs - cuts[2]


def limits(table: Table, confidence: float, method: str) -> tuple[float, float]:
    found = paired_interval(*table, confidence=confidence, method=method)
    assert found is not None
    return found


def lower(table: Table, confidence: float, method: str) -> float:
    found = lower_limit(*table, confidence=confidence, method=method)
    assert found is not None
    return found


@pytest.mark.skipif(not REFERENCE.exists(), reason="paired_ci.json is not beside this checkout")
def test_every_published_and_verified_interval_is_met_to_its_tolerance() -> None:
    cases = [
        case
        for case in json.loads(REFERENCE.read_text(encoding="utf-8"))["cases"]
        if case["method"] in METHODS
    ]
    assert len(cases) > 290
    assert {case["method"] for case in cases} == set(METHODS)
    wrong = []
    for case in cases:
        table = (case["a"], case["b"], case["c"], case["d"])
        found = paired_interval(*table, confidence=case["level"], method=case["method"])
        if case["lower"] is None:
            assert found is None, case
            continue
        assert found is not None, case
        away = max(abs(found[0] - case["lower"]), abs(found[1] - case["upper"]))
        if not away <= case["tol"]:
            wrong.append((case["id"], case["method"], found))
    assert wrong == []


BEST = {
    "exact_unconditional": (-0.4152, 0.0815, 0.4707),
    "exact_melded": (-0.4152, 0.0673, 0.4233),
    "tango": (-0.1230, 0.2193, 0.5150),
    "bonett_price": (-0.1012, 0.2917, 0.5873),
    "agresti_min": (0.0186, 0.3626, 0.6265),
    "newcombe10": (0.2059, 0.4480, 0.6571),
}


@pytest.mark.parametrize("method", METHODS)
def test_all_pairs_favourable_reach_what_was_worked_out(method: str) -> None:
    found = [round(lower((0, n, 0, 0), 0.95, method), 4) for n in (3, 6, 12)]
    assert tuple(found) == BEST[method]


@given(tables(), st.one_of(levels, st.floats(0.5, 1, exclude_min=True, exclude_max=True)), methods)
@example((0, 1, 0, 0), 0.5000000000000001, "agresti_min")
@example((0, 8, 0, 0), 0.6, "bonett_price")
@example((3, 0, 0, 0), 0.9999999999999999, "newcombe10")
@settings(max_examples=120, deadline=None)
def test_an_interval_holds_delta_has_a_width_and_stays_in_range(
    table: Table, confidence: float, method: str
) -> None:
    low, high = limits(table, confidence, method)
    delta = (table[1] - table[2]) / sum(table)
    assert not isnan(low)
    assert not isnan(high)
    assert -1 <= low <= delta <= high <= 1
    assert high - low > 1e-3


@given(tables(), levels, methods)
@settings(max_examples=100, deadline=None)
def test_exchanging_the_arms_mirrors_the_interval(
    table: Table, confidence: float, method: str
) -> None:
    both, treatment, control, neither = table
    low, high = limits(table, confidence, method)
    assert limits((both, control, treatment, neither), confidence, method) == (-high, -low)


@given(tables(), levels, levels, methods)
@settings(max_examples=100, deadline=None)
def test_a_larger_confidence_never_raises_the_lower_limit(
    table: Table, one: float, other: float, method: str
) -> None:
    assume(one < other)
    assert lower(table, other, method) <= lower(table, one, method) + 1e-9


@given(tables(), levels, st.sampled_from((*EXACT_METHODS, "tango")), st.sampled_from(range(4)))
@settings(max_examples=120, deadline=None)
def test_a_pair_that_turns_to_the_treatment_never_lowers_the_limit(
    table: Table, confidence: float, method: str, move: int
) -> None:
    """So no death, gap or unknown that is counted against the treatment can raise a claim."""
    better = list(table)
    source, target = ((3, 1), (0, 1), (2, 3), (2, 0))[move]
    assume(better[source] > 0)
    better[source] -= 1
    better[target] += 1
    assert lower(cast("Table", tuple(better)), confidence, method) >= (
        lower(table, confidence, method) - 1e-8
    )


@pytest.mark.parametrize("method", ["bonett_price", "agresti_min", "newcombe10"])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
def test_the_other_approximations_do_so_wherever_a_limit_is_above_zero(
    method: str, confidence: float
) -> None:
    """Below 0 they do not; a margin is never below 0, so no gate sees it."""
    for pairs in range(1, 8):
        for treatment in range(pairs + 1):
            for control in range(pairs - treatment + 1):
                for both in range(pairs - treatment - control + 1):
                    neither = pairs - treatment - control - both
                    before = lower((both, treatment, control, neither), confidence, method)
                    if before <= 0:
                        continue
                    if neither:
                        better = (both, treatment + 1, control, neither - 1)
                        assert lower(better, confidence, method) >= before - 1e-9
                    if control:
                        better = (both + 1, treatment, control - 1, neither)
                        assert lower(better, confidence, method) >= before - 1e-9


def chance(pairs: int, b: int, c: int, p12: Fraction, p21: Fraction) -> Fraction:
    """P(table) among pairs, in whole arithmetic: nothing of the code under test is used."""
    ways = comb(pairs, b) * comb(pairs - b, c)
    rest: Fraction = (1 - p12 - p21) ** (pairs - b - c)
    return ways * p12**b * p21**c * rest


@pytest.mark.parametrize("method", EXACT_METHODS)
@pytest.mark.parametrize("confidence", [0.9, 0.95])
@pytest.mark.parametrize("pairs", [3, 4, 5, 6])
def test_the_exact_methods_err_in_no_more_than_they_claim(
    pairs: int, confidence: float, method: str
) -> None:
    """Enumerated: for every table, Δ just below its limit, and a grid of what else is open."""
    outcomes = [(b, c) for b in range(pairs + 1) for c in range(pairs - b + 1)]
    lowers = {(b, c): lower((0, b, c, pairs - b - c), confidence, method) for b, c in outcomes}
    worst = Fraction(0)
    for attained in set(lowers.values()):
        delta = Fraction(attained).limit_denominator(10**9) - Fraction(1, 10**7)
        if delta <= -1:
            continue
        above = [table for table, limit in lowers.items() if limit > delta]
        low, high = max(-delta, Fraction(0)), (1 - delta) / 2
        for step in range(41):
            p21 = low + (high - low) * step / 40
            worst = max(
                worst, sum((chance(pairs, b, c, p21 + delta, p21) for b, c in above), Fraction(0))
            )
    claimed = (1 - confidence) / 2
    assert worst <= claimed + 1e-6
    assert worst > claimed / 2  # it is no interval that never says anything


@pytest.mark.parametrize("pairs", range(1, 8))
def test_melded_excludes_zero_exactly_when_the_sign_test_does(pairs: int) -> None:
    for treatment in range(pairs + 1):
        for control in range(pairs - treatment + 1):
            differ = treatment + control
            p = sum(comb(differ, k) for k in range(treatment, differ + 1)) / 2**differ
            for tail in (0.05, 1 / 32):
                found = lower((0, treatment, control, pairs - differ), 1 - 2 * tail, "exact_melded")
                assert (found > 0) is (p < tail)


def test_a_limit_that_is_the_margin_itself_is_not_above_it() -> None:
    """5 of 5 at a tail of 1/32 has p = 1/32 at Δ = 0: rounding may not turn that into a pass."""
    for method in EXACT_METHODS:
        assert lower((0, 5, 0, 0), 1 - 2 / 32, method) <= 0
        assert lower((0, 6, 0, 0), 1 - 2 / 64, method) <= 0


@given(st.integers(1, 12), st.integers(0, 12), st.integers(0, 12), st.data())
@settings(max_examples=100, deadline=None)
def test_tangos_score_orders_tables_as_the_exact_method_takes_for_granted(
    pairs: int, b: int, c: int, data: st.DataObject
) -> None:
    """It falls with x, rises with b and falls with c: sets of high scores are staircases."""
    assume(b + c < pairs)
    x, other = sorted(data.draw(st.tuples(st.floats(-1, 1), st.floats(-1, 1))))
    here = tango_score(pairs, b, c, x)
    assert tango_score(pairs, b, c, other) <= here + 1e-9
    assert tango_score(pairs, b + 1, c, x) >= here - 1e-9
    assert tango_score(pairs, b, c + 1, x) <= here + 1e-9


@given(st.integers(1, 7), st.floats(-3, 3), st.floats(0.2, 3), st.floats(-1, 1), st.floats(0, 1))
@settings(max_examples=100, deadline=None)
def test_the_chance_of_a_set_is_the_polynomial_of_its_coefficients(
    pairs: int, level: float, weight: float, x: float, t: float
) -> None:
    edge = staircase(pairs, lambda b, c: b - weight * c >= level)
    terms = coefficients(edge, x)
    p12 = x + t * (1 - x) / 2 if x >= 0 else t * (1 + x) / 2
    p21 = p12 - x
    told = sum(
        term * comb(pairs, k) * t**k * (1 - t) ** (pairs - k) for k, term in enumerate(terms)
    )
    summed = sum(
        comb(pairs, b) * comb(pairs - b, c) * p12**b * p21**c * max(1 - p12 - p21, 0) ** rest
        for c in range(pairs + 1)
        for b in range(edge[c], pairs - c + 1)
        for rest in (pairs - b - c,)
    )
    assert told == pytest.approx(summed, abs=1e-12)
    most = largest(terms)
    assert most >= told - 1e-9
    assert exceeds(terms, most - 1e-6) is (most > 1e-6 or most - 1e-6 < 0)
    assert not exceeds(terms, most + 1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_without_a_pair_there_is_no_interval(method: str) -> None:
    assert paired_interval(0, 0, 0, 0, confidence=0.95, method=method) is None
    assert lower_limit(0, 0, 0, 0, confidence=0.95, method=method) is None


@pytest.mark.parametrize(
    ("table", "confidence", "method", "said"),
    [
        ((-1, 0, 0, 2), 0.95, "tango", "whole number of at least 0, not -1"),
        ((1.0, 0, 0, 2), 0.95, "tango", "whole number"),
        ((True, 0, 0, 2), 0.95, "tango", "whole number"),
        ((None, 0, 0, 2), 0.95, "tango", "whole number"),
        ((1, 0, 0, 2), 0.5, "tango", "above 0.5 and below 1"),
        ((1, 0, 0, 2), 1.0, "tango", "above 0.5 and below 1"),
        ((1, 0, 0, 2), 95, "tango", "above 0.5 and below 1"),
        ((1, 0, 0, 2), float("nan"), "exact_melded", "above 0.5 and below 1"),
        ((1, 0, 0, 2), "0.95", "exact_melded", "above 0.5 and below 1"),
        ((0, 0, 0, 0), 0.95, "wald", "'wald' is no interval method: one of exact_unconditional"),
    ],
)
def test_what_makes_no_sense_is_refused(
    table: Any,  # noqa: ANN401 - wrong types are the point
    confidence: Any,  # noqa: ANN401 - as above
    method: str,
    said: str,
) -> None:
    with pytest.raises(ValueError, match=said):
        paired_interval(*table, confidence=confidence, method=method)


def test_a_registration_may_name_each_of_them_and_no_other() -> None:
    assert set(METHODS) == set(_INTERVAL_METHODS)


def test_an_approximation_has_the_exact_interval_beside_it() -> None:
    shown = contrast_interval(0, 3, 0, 0, confidence=0.95, method="newcombe10")
    assert shown.limits is not None
    assert shown.exact_limits is not None
    assert shown.limits[0] == pytest.approx(0.2059, abs=5e-5)
    assert shown.exact_limits[0] == pytest.approx(-0.4152, abs=5e-5)
    exact = contrast_interval(0, 3, 0, 0, confidence=0.95, method="exact_unconditional")
    assert exact.limits == exact.exact_limits == shown.exact_limits
    assert (shown.pairs, shown.delta, shown.words) == (3, 1.0, ())


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ((0, 0, 0, 0), ["not evaluable"]),
        ((0, 1, 0, 0), ["one pair cannot decide"]),
        ((0, 1, 1, 0), ["two pairs cannot decide"]),
        ((2, 0, 0, 0), ["two pairs cannot decide", "no pair differs"]),
        ((3, 0, 0, 0), ["no pair differs"]),
        ((0, 0, 0, 3), ["no pair differs"]),
        ((1, 1, 1, 1), []),
    ],
)
def test_tables_whose_numbers_mislead_say_what_they_mean(table: Table, words: list[str]) -> None:
    shown = contrast_interval(*table, confidence=0.95, method="exact_unconditional")
    assert len(shown.words) == len(words)
    assert all(word in said for word, said in zip(words, shown.words, strict=True))
    assert (shown.limits is None) is (shown.delta is None) is (sum(table) == 0)


def test_forty_pairs_are_within_reach() -> None:
    low, high = limits((5, 25, 5, 5), 0.95, "exact_unconditional")
    assert low == pytest.approx(0.22395, abs=1e-4)
    assert low < 0.5 < high
    assert lower((0, 40, 0, 0), 0.95, "exact_unconditional") == pytest.approx(
        2 * 0.025 ** (1 / 40) - 1, abs=1e-8
    )


def test_scipy_loads_only_where_a_limit_needs_it() -> None:
    statement = (
        "import sys\n"
        "from plateau_tui.metric import contrast, feasibility, counts\n"
        "contrast.paired_interval(0, 3, 1, 2, confidence=0.95, method='exact_unconditional')\n"
        "contrast.paired_interval(0, 3, 1, 2, confidence=0.95, method='tango')\n"
        "assert not {'scipy', 'numpy'} & set(sys.modules)\n"
        "contrast.paired_interval(0, 3, 1, 2, confidence=0.95, method='exact_melded')\n"
        "assert {'scipy', 'numpy'} <= set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", statement], check=True, timeout=60)
