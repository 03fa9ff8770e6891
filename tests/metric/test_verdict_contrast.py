"""The contrast and the match: which sets are compared, and what is above a margin."""

from dataclasses import replace
from math import nan

import pytest
from metric.cases import (
    DIVERSE,
    FULL,
    GATE,
    GONE,
    MINED,
    NOTHING,
    PASSING,
    PLACED,
    UNREAD,
    Row,
    always,
    arms,
    case_of,
    dead,
    judged,
    registration,
    told,
)

from plateau_tui.metric.verdict import adjudicate


def test_a_lost_control_that_had_reached_it_still_counts_against() -> None:
    stories = arms([FULL] * 3, [FULL, FULL, NOTHING]) | {"C1": dead(FULL), "C2": dead(FULL)}
    found = judged(stories)
    assert found.contrast is not None
    assert (found.contrast.pairs, found.contrast.delta) == (1, 1.0)
    assert (found.row, found.not_held) == (11, ("contrast",))
    assert "over all units seen, registered reading" in found.reasons[0]
    assert [d.code for d in found.disclosures].count("comparison_set_differs") == 1


def test_a_stricter_reading_must_also_hold_as_written() -> None:
    table = Row({"crafting_table": 1}, DIVERSE)
    gate = replace(GATE, place="beyond_table")
    found = judged(arms([FULL] * 3, [table] * 3), registration(gate=gate))
    assert found.counts_control.primary == 0
    assert found.contrast is not None
    assert found.contrast.delta == 1.0
    assert (found.row, found.falsified) == (9, "yes")
    assert "§2c as written" in "".join(found.reasons)


def test_contrast_on_primary_is_asked_as_well_and_never_instead() -> None:
    gate = replace(GATE, contrast_on="primary")
    placed_too = arms([FULL] * 3, [PLACED, PLACED, NOTHING])
    assert judged(placed_too).word == "PASS"
    found = judged(placed_too, registration(gate=gate))
    assert (found.row, found.not_held) == (11, ("contrast",))
    assert "but not in the comparison on PRIMARY" in found.reasons[0]
    only_primary = judged(arms([PLACED] * 3, [NOTHING] * 3), registration(gate=gate))
    assert "contrast" in only_primary.not_held


def test_unknown_controls_count_as_reached_and_unknown_treatments_as_not() -> None:
    found = judged(arms([FULL, FULL, UNREAD], [NOTHING, NOTHING, UNREAD]))
    assert found.contrast is not None
    table = (found.contrast.treatment_only, found.contrast.control_only, found.contrast.neither)
    assert table == (2, 1, 0)
    assert (found.row, found.not_held) == (11, ("contrast",))
    assert "contrast FAIL (not measured; " in found.reasons[0]


def test_the_match_is_on_exact_fractions_of_each_arms_units() -> None:
    # 1 of 2 live controls is as large a part as 2 of 4 live treatment units.
    sealed = registration(4, gate=replace(GATE, k_primary=2, k_secondary=2))
    stories = arms([FULL, FULL, NOTHING, NOTHING], [FULL, NOTHING, NOTHING, NOTHING])
    stories |= {"C3": told(GONE), "C4": told(GONE)}
    assert judged(stories, sealed).row == 9
    stories |= {"C3": told(NOTHING)}
    assert judged(stories, sealed).row == 11


@pytest.mark.parametrize(
    ("pairs", "reached", "margin", "word"),
    [
        (5, 1, 0.2, "PARTIAL"),
        (5, 1, 0.19999999999999998, "PASS"),
        (5, 1, 0.0, "PASS"),
        # The float 0.3 is a little below three tenths: three of ten are not above it all the same.
        (10, 3, 0.3, "PARTIAL"),
        (10, 3, 0.29999999999999993, "PASS"),
    ],
)
def test_the_margin_is_compared_exactly_and_strictly(
    pairs: int, reached: int, margin: float, word: str
) -> None:
    gate = replace(GATE, margin=margin, k_primary=1, k_secondary=1)
    stories = arms([FULL] * reached + [NOTHING] * (pairs - reached), [NOTHING] * pairs)
    found = judged(stories, registration(pairs, gate=gate), interval=always((0.5, 1.0)))
    assert found.word == word


def test_where_the_control_matches_on_both_halves_no_contrast_is_held() -> None:
    """Not even one that its figures would hold: the control reached the halves in other units."""
    sealed = registration(gate=replace(GATE, k_primary=1, k_secondary=1))
    stories = arms([FULL, NOTHING, NOTHING], [PLACED, MINED, NOTHING])
    found = judged(stories, sealed, interval=always((0.5, 1.0)))
    assert found.contrast is not None
    assert found.contrast.delta_arms == pytest.approx(1 / 3)
    assert found.contrast.lower == 0.5
    assert (found.row, found.not_held) == (9, ("contrast",))


@pytest.mark.parametrize(
    ("lower", "word"), [(0.2, "PARTIAL"), (0.20000000000000004, "PASS"), (nan, "PARTIAL")]
)
def test_the_lower_limit_must_be_strictly_above_the_margin(lower: float, word: str) -> None:
    gate = replace(GATE, margin=0.2)
    found = judged(PASSING, registration(gate=gate), interval=always((lower, 1.0)))
    assert found.word == word


def test_no_interval_and_one_that_cannot_be_computed_are_never_a_pass() -> None:
    def failing(*table: int, confidence: float, method: str) -> tuple[float, float]:
        raise ValueError(method)

    for interval in (failing, always(None), always((nan, nan))):
        found = judged(PASSING, interval=interval)
        assert (found.word, found.not_held) == ("PARTIAL", ("contrast",))
        assert found.contrast is not None
        assert (found.contrast.lower, found.contrast.upper) == (None, None)
        assert "no interval exists" in found.reasons[0]


def test_an_approximate_interval_has_the_exact_one_beside_it() -> None:
    def by_method(*table: int, confidence: float, method: str) -> tuple[float, float]:
        return (-0.5, 0.5) if method == "exact_unconditional" else (0.1, 0.9)

    gate = replace(GATE, interval_method="tango")
    contrast = judged(PASSING, registration(gate=gate), interval=by_method).contrast
    assert contrast is not None
    assert (contrast.method, contrast.lower, contrast.upper) == ("tango", 0.1, 0.9)
    assert (contrast.exact_lower, contrast.exact_upper) == (-0.5, 0.5)


def test_three_pairs_cannot_pass_at_095_with_the_real_interval() -> None:
    found = adjudicate(case_of(registration(), PASSING))
    assert (found.word, found.not_held) == ("PARTIAL", ("contrast",))
    assert found.contrast is not None
    assert found.contrast.lower == pytest.approx(-0.4152, abs=1e-4)
    six = adjudicate(case_of(registration(6), arms([FULL] * 6, [NOTHING] * 6)))
    assert six.word == "PASS"
    # At 0.75 the limit of three pairs is the margin itself, and that is not above it.
    at_the_limit = registration(gate=replace(GATE, confidence=0.75))
    assert adjudicate(case_of(at_the_limit, PASSING)).word == "PARTIAL"
