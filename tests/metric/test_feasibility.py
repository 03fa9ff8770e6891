"""The gate before its run: can it pass, can it fail, how often does it err, and what would do."""

import random
from dataclasses import replace
from math import comb, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric.texts import parsed

from plateau_tui.metric.contrast import METHODS, lower_limit
from plateau_tui.metric.falsepass import MOST_PAIRS, false_pass
from plateau_tui.metric.feasibility import Feasibility, accept_problem, assess
from plateau_tui.metric.reach import best_lower, fewest_favourable, smallest_pairs
from plateau_tui.metric.registration import ContrastOn, Gate

GATE = parsed().gate


def gate(
    method: str = "exact_unconditional",
    *,
    margin: float = 0.0,
    confidence: float = 0.95,
    k: int = 2,
    contrast_on: ContrastOn = "plateau_break",
    accept: str = "",
) -> Gate:
    return replace(
        GATE,
        interval_method=method,
        margin=margin,
        confidence=confidence,
        k_primary=k,
        k_secondary=k,
        contrast_on=contrast_on,
        accept=accept,
    )


def told(found: Feasibility) -> str:
    return " | ".join((*found.lines, *found.reasons))


def test_the_labs_three_pairs_are_told_that_they_cannot_pass_and_what_would_do() -> None:
    found = assess(gate(), 3)
    assert (found.can_pass, found.can_fail, found.feasible) == (False, True, False)
    assert [(n, round(bound, 4)) for n, bound in found.best_lower] == [
        (3, -0.4152), (2, -0.6838), (1, -0.95),
    ]  # fmt: skip
    assert found.fewest_favourable is None
    assert found.smallest_pairs == 6
    first, what_would_do, confidence, validity = found.reasons
    assert "3 pairs cannot pass at 0.95, whatever happens" in first
    assert "-0.4152" in first
    assert "6 pairs at 0.95 with this margin and method, or 5 pairs at 0.90" in what_would_do
    assert "3 pairs could pass at 0.74" in confidence
    assert "0.13 instead of 0.025" in confidence
    assert "newcombe10 (0.219)" in validity
    assert "where 0.025 is claimed" in validity
    assert "tango" not in validity  # it cannot pass either
    assert "%" not in told(found)


def test_six_pairs_can_pass_and_hear_what_one_death_does() -> None:
    found = assess(gate(), 6)
    assert found.feasible
    assert found.fewest_favourable == 5
    assert "with 5 pairs live it cannot pass any more" in told(found)
    assert "at least 5 of 6 treatment units must reach both halves" in told(found)
    assert "largest false-pass rate: 0.025, where 0.025 is claimed" in told(found)


def test_k_is_weighed_against_what_the_contrast_asks() -> None:
    all_of_them = told(assess(gate(k=8), 8))
    assert "k_primary asks for 8 of 8" in all_of_them
    assert "WITHHELD" in all_of_them
    assert "asks for more than K" not in all_of_them
    assert "asks for more than K" in told(assess(gate(k=1), 8))
    assert "PRIMARY as well" in told(assess(gate(contrast_on="primary"), 8))


def test_an_approximation_says_how_often_it_errs() -> None:
    found = assess(gate("newcombe10"), 3)
    assert found.feasible  # it may be named before the run; what it is worth is said
    assert "passes wrongly in up to 0.219, where 0.025 is claimed" in told(found)
    many = told(assess(gate("newcombe10"), 40))
    assert "with 40 pairs is not computed; with 20 it is up to 0.089" in many
    assert "passes wrongly" not in told(assess(gate("exact_melded"), 8))


FALSE_PASS = {  # n = 3, 6, 12 at 0.95, then at 0.90 (reference page, table b)
    "exact_unconditional": (0, 0.025, 0.025, 0, 0.050, 0.050),
    "exact_melded": (0, 0.023, 0.025, 0, 0.041, 0.046),
    "tango": (0, 0.051, 0.043, 0.145, 0.107, 0.087),
    "bonett_price": (0, 0.073, 0.063, 0.129, 0.101, 0.089),
    "agresti_min": (0.132, 0.100, 0.084, 0.172, 0.131, 0.110),
    "newcombe10": (0.219, 0.144, 0.105, 0.294, 0.226, 0.188),
}


@pytest.mark.parametrize("method", METHODS)
def test_false_pass_rates_are_those_of_the_reference_page(method: str) -> None:
    """Two of 36 differ by one in the last printed digit (.0245 and .0625, printed .025, .063)."""
    rates = [false_pass(n, level, method).rate for level in (0.95, 0.9) for n in (3, 6, 12)]
    assert rates == pytest.approx(FALSE_PASS[method], abs=6e-4)


@pytest.mark.parametrize("method", ["tango", "newcombe10", "agresti_min"])
def test_no_gate_found_by_searching_passes_wrongly_more_often(method: str) -> None:
    """Random margins and chances at n = 4, summed table by table: never above, nearly there."""
    pairs, rate = 4, false_pass(4, 0.9, method).rate
    assert rate is not None
    tables = [
        (a, b, c, pairs - a - b - c)
        for a in range(pairs + 1)
        for b in range(pairs - a + 1)
        for c in range(pairs - a - b + 1)
    ]
    lowers = {t: lower_limit(*t, confidence=0.9, method=method) or 0.0 for t in tables}
    dice = random.Random(4)
    worst = 0.0
    for _ in range(3000):
        margin = dice.choice([*lowers.values()]) - 1e-9 if dice.random() < 0.9 else dice.random()
        if not 0 <= margin < 1:
            continue
        p21 = dice.random() * (1 - margin) / 2
        both = dice.random() * (1 - margin - 2 * p21)
        p = (both, p21 + margin, p21, 1 - margin - 2 * p21 - both)
        chance = sum(
            comb(pairs, a)
            * comb(pairs - a, b)
            * comb(pairs - a - b, c)
            * (p[0] ** a * p[1] ** b * p[2] ** c * p[3] ** d)
            for (a, b, c, d), low in lowers.items()
            if low > margin
        )
        worst = max(worst, chance)
    assert worst <= rate + 1e-6
    assert worst > rate * 0.9


def test_above_what_is_computed_the_bound_is_theory_or_nothing() -> None:
    exact = false_pass(40, 0.95, "exact_unconditional")
    assert exact.how == "at most, by construction"
    assert exact.rate == pytest.approx(0.025)
    assert not exact.exceeds_claim
    unknown = false_pass(MOST_PAIRS["newcombe10"] + 1, 0.95, "newcombe10")
    assert (unknown.how, unknown.rate) == ("not computed", None)
    assert not unknown.exceeds_claim


FEWEST = {  # n = 3..12 at 0.95 with margin 0, then with margin 0.2 (reference page, table a)
    "exact_unconditional": ("---5555555", "-----77788"),
    "exact_melded": ("---6666666", "-----89999"),
    "tango": ("-444444444", "---6777778"),
    "newcombe10": ("3333444444", "3455566677"),
}


@pytest.mark.parametrize("method", FEWEST)
def test_the_fewest_favourable_pairs_are_those_of_the_reference_page(method: str) -> None:
    for margin, wanted in zip((0.0, 0.2), FEWEST[method], strict=True):
        found = [fewest_favourable(n, margin, 0.95, method) for n in range(3, 13)]
        assert "".join(str(n or "-") for n in found) == wanted


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pairs", [1, 2, 3, 4, 5, 7])
def test_no_table_reaches_higher_than_all_pairs_favourable(pairs: int, method: str) -> None:
    for confidence in (0.6, 0.95):
        best = best_lower(pairs, confidence, method)
        others = [
            lower_limit(a, b, c, pairs - a - b - c, confidence=confidence, method=method) or -1.0
            for a in range(pairs + 1)
            for b in range(pairs - a + 1)
            for c in range(pairs - a - b + 1)
        ]
        assert max(others) == pytest.approx(best, abs=1e-8)
        assert best <= max(others)  # what is called feasible can pass


@given(st.floats(0, 0.99), st.floats(0.51, 0.999), st.sampled_from(METHODS))
@settings(max_examples=60, deadline=None)
def test_the_smallest_number_of_pairs_can_pass_and_one_fewer_cannot(
    margin: float, confidence: float, method: str
) -> None:
    enough = smallest_pairs(margin, confidence, method)
    if enough is None:
        assert best_lower(2000, confidence, method) <= margin
        return
    assert best_lower(enough, confidence, method) > margin
    assert enough == 1 or best_lower(enough - 1, confidence, method) <= margin
    if method == "exact_unconditional":
        assert enough == pytest.approx(log((1 - confidence) / 2) / log((1 + margin) / 2), abs=1.001)


@pytest.mark.parametrize(
    ("margin", "confidence", "enough"),
    [(0.0, 0.95, 6), (0.0, 0.9, 5), (0.2, 0.95, 8), (0.2, 0.9, 6)],
)
def test_what_the_reference_page_says_would_do_does(
    margin: float, confidence: float, enough: int
) -> None:
    assert smallest_pairs(margin, confidence, "exact_unconditional") == enough


def test_a_margin_that_no_number_of_pairs_reaches_is_said_to_be_one() -> None:
    found = assess(gate(margin=0.9999), 3)
    assert found.smallest_pairs is None
    assert "no number of pairs up to 2000 would do: lower the margin" in told(found)


@given(
    st.integers(1, 9), st.sampled_from((0.0, 0.2, 0.5)), st.sampled_from((0.6, 0.9, 0.99)),
    st.sampled_from(METHODS),
)  # fmt: skip
@settings(max_examples=80, deadline=None)
def test_can_pass_is_what_the_tables_say_and_every_gate_can_fail(
    pairs: int, margin: float, confidence: float, method: str
) -> None:
    found = assess(gate(method, margin=margin, confidence=confidence, k=1), pairs)
    all_favourable = lower_limit(0, pairs, 0, 0, confidence=confidence, method=method)
    assert all_favourable is not None
    assert found.can_pass is (all_favourable > margin)
    assert (found.fewest_favourable is not None) is found.can_pass
    assert found.can_pass is (found.smallest_pairs is not None and found.smallest_pairs <= pairs)
    assert found.can_fail
    assert [n for n, _ in found.best_lower] == [n for n in (pairs, pairs - 1, pairs - 2) if n > 0]


def test_a_gate_that_cannot_fail_would_be_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the six methods makes one, so it is a broken one that is refused here."""
    monkeypatch.setattr("plateau_tui.metric.reach.lower_limit", lambda *_, **__: 0.4)
    found = assess(gate("tango"), 6)
    assert (found.can_pass, found.can_fail, found.feasible) == (True, False, False)
    assert "this gate cannot fail" in told(found)
    assert accept_problem(gate("tango"), found) is not None


@pytest.mark.parametrize("accept", ["", "  ", "yes", "I accept", "1 2 3 4", "!!! ??? ..."])
def test_an_infeasible_gate_asks_for_a_sentence(accept: str) -> None:
    problem = accept_problem(gate(accept=accept), assess(gate(), 3))
    assert problem is not None
    assert "3 words or more" in problem


def test_a_sentence_accepts_an_infeasible_gate_and_is_stale_on_a_feasible_one() -> None:
    accepted = gate(accept="a rehearsal that can carry no claim")
    assert accept_problem(accepted, assess(accepted, 3)) is None
    problem = accept_problem(accepted, assess(accepted, 6))
    assert problem is not None
    assert "stale" in problem
    assert 'set accept = ""' in problem
    assert accept_problem(gate(accept=" \n"), assess(gate(), 6)) is None


def test_a_gate_without_a_pair_is_no_gate() -> None:
    with pytest.raises(ValueError, match="at least one pair"):
        best_lower(0, 0.95, "tango")


@pytest.mark.parametrize("method", METHODS)
def test_forty_pairs_are_assessed(method: str) -> None:
    found = assess(gate(method), 40)
    assert found.feasible
    assert found.fewest_favourable in {4, 5, 6}
