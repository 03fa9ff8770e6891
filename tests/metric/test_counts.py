"""The exploratory analysis of counts: the published run's figures, and data without spread."""

import json
from itertools import product
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plateau_tui.metric.counts import CountAnalysis, Interval, TTest, _t_test, analyse_counts

SHARED = Path(__file__).parents[3] / "shared"
REFERENCE = SHARED / "reference" / "paired_ci.json"
PUBLISHED = SHARED / "data" / "p2_final_counts.json"
P2 = ([8, 10, 20, 12, 14, 8], [16, 2, 14, 3, 34, 14])  # placed by unit, as published

counts = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=8)


def analysed(pairs: list[tuple[int, int]], confidence: float = 0.95) -> CountAnalysis:
    return analyse_counts([t for t, _ in pairs], [c for _, c in pairs], confidence=confidence)


def interval_of(found: CountAnalysis, method: str) -> Interval | None:
    tests = {"paired_t": found.paired_t, "welch_t": found.welch}
    if method in tests:
        test = tests[method]
        return None if test is None else test.interval
    return {
        "bootstrap_percentile_exact": found.bootstrap_percentile,
        "bootstrap_bca_exact": found.bootstrap_bca,
    }[method]


@pytest.mark.skipif(not REFERENCE.exists(), reason="paired_ci.json is not beside this checkout")
def test_every_verified_count_analysis_is_met_to_its_tolerance() -> None:
    """The published receipt's Welch had its degrees of freedom cut to a whole number; ours not."""
    cases = json.loads(REFERENCE.read_text(encoding="utf-8"))["counts"]
    assert len(cases) == 18
    for case in cases:
        found = analyse_counts(
            case["treatment"], case["control"], confidence=case.get("level", 0.95)
        )
        method, tolerance = case["method"], case["tol"]
        if method == "sign_flip_exact":
            assert found.sign_flip_p == pytest.approx(case["p_two_sided"], abs=tolerance)
            assert found.sign_flip_p_greater == pytest.approx(case["p_greater"], abs=tolerance)
            continue
        assert found.mean_difference == pytest.approx(case["estimate"], abs=1e-6)
        if method == "welch_t_df_floor":
            assert found.welch is not None
            error = found.welch.t and case["estimate"] / found.welch.t
            interval: Interval | None = _t_test(
                case["estimate"], error, int(found.welch.df), (1 - case["level"]) / 2
            ).interval
            assert interval != pytest.approx(found.welch.interval, abs=0.1)
        else:
            interval = interval_of(found, method)
        assert interval == pytest.approx((case["lower"], case["upper"]), abs=tolerance), method
        test = {"paired_t": found.paired_t, "welch_t": found.welch}.get(method)
        if test is not None:
            assert (test.t, test.df, test.p) == pytest.approx(
                (case["t"], case["df"], case["p"]), abs=tolerance
            )


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published counts are not beside this")
def test_the_published_counts_are_the_ones_analysed_here() -> None:
    data = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    for arm, counted in zip(("treatment", "control"), P2, strict=True):
        assert data[arm]["placed_used_total"] == counted
    assert [sum(arm) for arm in P2] == data["sums"]["placed"]


def test_the_published_run_in_figures() -> None:
    found = analyse_counts(*P2, confidence=0.95)
    assert found.differences == (-8, 8, 6, 9, -20, -6)
    assert found.mean_difference == pytest.approx(-1.8333, abs=1e-4)
    assert isinstance(found.welch, TTest)
    assert found.welch.t == pytest.approx(-0.36121, abs=1e-5)
    assert found.welch.df == pytest.approx(6.5182, abs=1e-4)
    assert found.welch.p == pytest.approx(0.72936, abs=1e-5)
    assert found.welch.interval == pytest.approx((-14.017, 10.351), abs=1e-3)
    assert isinstance(found.paired_t, TTest)
    assert (found.paired_t.t, found.paired_t.df) == pytest.approx((-0.39062, 5), abs=1e-5)
    assert found.paired_t.interval == pytest.approx((-13.898, 10.231), abs=1e-3)
    assert found.bootstrap_percentile == pytest.approx((-11.0, 5.6667), abs=1e-4)
    assert found.bootstrap_bca == pytest.approx((-11.3333, 5.3333), abs=1e-4)
    assert found.sign_flip_p == 0.8125
    assert found.words == ()
    nine = analyse_counts(*P2, confidence=0.9)
    assert nine.bootstrap_percentile == pytest.approx((-9.0, 5.1667), abs=1e-4)
    assert nine.bootstrap_bca == pytest.approx((-9.6667, 4.6667), abs=1e-4)
    for at in (found, nine):
        for method in ("welch_t", "paired_t", "bootstrap_percentile_exact", "bootstrap_bca_exact"):
            interval = interval_of(at, method)
            assert interval is not None
            assert interval[0] < 0 < interval[1]  # the published FAIL stands


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=5))
@settings(max_examples=60, deadline=None)
def test_the_bootstrap_and_the_sign_flips_are_what_enumeration_gives(
    pairs: list[tuple[int, int]],
) -> None:
    found = analysed(pairs)
    flipped = [
        sum(s * d for s, d in zip(signs, found.differences, strict=True))
        for signs in product((1, -1), repeat=len(pairs))
    ]
    observed = sum(found.differences)
    far = sum(abs(total) >= abs(observed) for total in flipped)
    assert found.sign_flip_p == far / len(flipped)
    if found.bootstrap_percentile is None:
        assert len(set(found.differences)) == 1
        return
    means = sorted(fmean(sample) for sample in product(found.differences, repeat=len(pairs)))
    for limit, share in zip(found.bootstrap_percentile, (0.025, 0.975), strict=True):
        assert sum(mean < limit - 1e-9 for mean in means) / len(means) < share + 1e-12
        assert sum(mean <= limit + 1e-9 for mean in means) / len(means) >= share - 1e-12


@given(counts, st.sampled_from((0.6, 0.9, 0.95, 0.999)))
@settings(max_examples=100, deadline=None)
def test_no_interval_is_of_width_0_and_what_has_none_says_why(
    pairs: list[tuple[int, int]], confidence: float
) -> None:
    found = analysed(pairs, confidence)
    tests = [test.interval for test in (found.paired_t, found.welch) if test is not None]
    for low, high in (*tests, *filter(None, (found.bootstrap_percentile, found.bootstrap_bca))):
        assert low < high
    if found.variability != "varies":
        assert (found.paired_t, found.bootstrap_percentile, found.bootstrap_bca) == (None,) * 3
        assert len(found.words) == 1
    assert (found.mean_difference is None) is (not pairs)


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([], "no pair has both counts: not evaluable"),
        ([(5, 1)], "one pair has no spread"),
        ([(5, 1), (2, 2)], "two pairs cannot decide"),
        ([(3, 1), (4, 2), (9, 7)], "all 3 differences are equal"),
        ([(0, 0), (0, 0), (0, 0)], "all 3 differences are equal"),
    ],
)
def test_data_that_cannot_say_much_say_what_they_mean(
    pairs: list[tuple[int, int]], words: str
) -> None:
    assert words in analysed(pairs).words[0]


def test_what_is_too_much_to_enumerate_is_left_out_and_said() -> None:
    apart = [(2**place * 1000, place) for place in range(18)]
    found = analysed(apart)
    assert (found.bootstrap_percentile, found.bootstrap_bca) == (None, None)
    assert found.sign_flip_p is None
    assert found.paired_t is not None
    assert "no exact bootstrap" in found.words[0]


@pytest.mark.parametrize(
    ("treatment", "control", "confidence", "said"),
    [
        ([1, 2], [1], 0.95, "cannot be paired"),
        ([1, None], [1, 2], 0.95, "an unknown one leaves its pair out"),
        ([1, True], [1, 2], 0.95, "whole number"),
        ([1, 2], [1, 2], 0.5, "above 0.5 and below 1"),
        ([1, 2], [1, 2], float("nan"), "above 0.5 and below 1"),
    ],
)
def test_counts_that_make_no_sense_are_refused(
    treatment: list[int], control: list[int], confidence: float, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        analyse_counts(treatment, control, confidence=confidence)
