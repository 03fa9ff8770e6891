"""The decision table, rows 7 to 13: the word, what held, and how it is said."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import pytest
from metric.cases import (
    BUILT,
    FULL,
    GATE,
    MINED,
    NOTHING,
    PLACED,
    UNREAD,
    Row,
    arms,
    judged,
    registration,
)

from plateau_tui.metric.outcome import Condition, Verdict

ALL = get_args(Condition)


def all_in_one_list(verdict: Verdict) -> bool:
    return sorted(verdict.held + verdict.not_held) == sorted(ALL)


@pytest.mark.parametrize(
    ("treatment", "control", "row", "word", "held"),
    [
        # 7: nothing to credit, whatever the control did; a tie at zero is FAIL.
        ([NOTHING] * 3, [NOTHING] * 3, 7, "FAIL", ()),
        ([NOTHING] * 3, [FULL] * 3, 7, "FAIL", ()),
        ([FULL, NOTHING, NOTHING], [NOTHING] * 3, 7, "FAIL", ()),
        ([UNREAD, NOTHING, NOTHING], [NOTHING] * 3, 7, "FAIL", ()),
        # 8: unknown is not 0.
        ([UNREAD] * 3, [NOTHING] * 3, 8, "WITHHELD", ()),
        ([UNREAD, FULL, NOTHING], [FULL] * 3, 8, "WITHHELD", ()),
        # 9: the cure is not the cause.
        ([FULL] * 3, [FULL] * 3, 9, "WITHHELD", ("PRIMARY", "SECONDARY", "same units")),
        ([PLACED] * 3, [PLACED] * 3, 9, "WITHHELD", ("PRIMARY",)),
        ([MINED] * 3, [FULL] * 3, 9, "WITHHELD", ("SECONDARY",)),
        ([FULL] * 3, [UNREAD] * 3, 9, "WITHHELD", ("PRIMARY", "SECONDARY", "same units")),
        # 10
        ([FULL] * 3, [NOTHING] * 3, 10, "PASS", ALL),
        ([FULL, FULL, NOTHING], [NOTHING] * 3, 10, "PASS", ALL),
        # 11
        ([FULL] * 3, [FULL, FULL, NOTHING], 11, "PARTIAL", ("PRIMARY", "SECONDARY", "same units")),
        ([FULL, PLACED, MINED], [NOTHING] * 3, 11, "PARTIAL", ("PRIMARY", "SECONDARY")),
        # 12
        ([PLACED] * 3, [NOTHING] * 3, 12, "PARTIAL", ("PRIMARY",)),
        ([PLACED, PLACED, FULL], [NOTHING] * 3, 12, "PARTIAL", ("PRIMARY",)),
        # 13
        ([MINED] * 3, [NOTHING] * 3, 13, "PARTIAL", ("SECONDARY",)),
        ([MINED] * 3, [MINED, MINED, NOTHING], 13, "PARTIAL", ("SECONDARY",)),
    ],
)
def test_the_table(
    treatment: Sequence[Row],
    control: Sequence[Row],
    row: int,
    word: str,
    held: Sequence[Condition],
) -> None:
    found = judged(arms(treatment, control))
    assert (found.row, found.word, found.held) == (row, word, tuple(held))
    assert found.rows_that_apply == (row,)
    assert all_in_one_list(found)
    assert found.contrast is not None
    assert not any("%" in text for text in found.reasons)


SEEDS_FORM = re.compile(
    r"PRIMARY (PASS|FAIL) \(.+?\); SECONDARY (PASS|FAIL) \(.+?\); "
    r"same units (PASS|FAIL) \(.+?\); contrast (PASS|FAIL) \(.+\)\."
)


@pytest.mark.parametrize(
    ("treatment", "control", "marks"),
    [
        ([PLACED, PLACED, NOTHING], [NOTHING] * 3, ("PASS", "FAIL", "FAIL", "FAIL")),
        ([MINED] * 3, [NOTHING] * 3, ("FAIL", "PASS", "FAIL", "FAIL")),
        ([FULL] * 3, [FULL, FULL, NOTHING], ("PASS", "PASS", "PASS", "FAIL")),
        ([FULL, PLACED, MINED], [NOTHING] * 3, ("PASS", "PASS", "FAIL", "FAIL")),
    ],
)
def test_every_partial_names_in_the_seeds_form_what_held(
    treatment: Sequence[Row], control: Sequence[Row], marks: Sequence[str]
) -> None:
    found = judged(arms(treatment, control))
    assert found.word == "PARTIAL"
    match = SEEDS_FORM.fullmatch(found.reasons[0])
    assert match is not None, found.reasons[0]
    assert match.groups() == tuple(marks)


def test_a_partial_shows_its_counts() -> None:
    found = judged(arms([PLACED, PLACED, NOTHING], [NOTHING] * 3))
    assert "PRIMARY PASS (placed_used > 0, build chain entered: 2 of 3)" in found.reasons[0]
    assert "SECONDARY FAIL (two block types mined beyond the farmed wood" in found.reasons[0]
    assert ": 0 of 3, 2 asked)" in found.reasons[0]
    assert found.codes[:2] == ("primary_only", "secondary_not_held")


def test_a_half_that_was_not_measured_is_not_called_failed_without_saying_so() -> None:
    unknown = Row(BUILT, {"stone": None, "sand": 1})
    found = judged(arms([unknown] * 3, [NOTHING] * 3))
    assert (found.row, found.held) == (12, ("PRIMARY",))
    assert "SECONDARY FAIL (not measured; " in found.reasons[0]
    assert "0 of 3 known, 3 unknown, 2 asked" in found.reasons[0]
    assert found.codes == (
        "primary_only",
        "secondary_not_measured",
        "same_units_not_measured",
        "contrast_not_measured",
        "sr2_unclassified",
    )
    nothing_known = judged(arms([UNREAD] * 3, [NOTHING] * 3)).reasons[0]
    assert "PRIMARY not measured (" in nothing_known
    assert "FAIL" not in nothing_known


def test_same_units_asks_k_s_of_those_that_reached_primary() -> None:
    sealed = registration(4, gate=replace(GATE, k_primary=2, k_secondary=2))
    found = judged(arms([FULL, PLACED, MINED, MINED], [NOTHING] * 4), sealed)
    assert (found.row, found.held[:2]) == (11, ("PRIMARY", "SECONDARY"))
    assert "same units" in found.not_held
    assert "of the 2 that reached PRIMARY, 1 reached SECONDARY, 2 asked" in found.reasons[0]


def test_halves_need_not_be_reached_in_one_row_and_plateau_break_is() -> None:
    apart = [PLACED, MINED, NOTHING]
    stories = arms([], [NOTHING] * 3) | dict.fromkeys(("T1", "T2", "T3"), apart)
    found = judged(stories)
    assert (found.row, found.not_held) == (11, ("contrast",))
    assert found.counts_treatment.both == 0


def test_reasons_say_where_the_control_did_the_same_on_the_half_that_held() -> None:
    found = judged(arms([PLACED, PLACED, FULL], [PLACED, PLACED, PLACED]))
    assert found.row == 12
    same = "On PRIMARY the control did the same: 3 of 3 live control units reached it, and 3 of 3"
    assert any(reason.startswith(same) for reason in found.reasons)
    assert not any("On SECONDARY" in reason for reason in found.reasons)
    enough = judged(arms([PLACED] * 3, [PLACED, PLACED, NOTHING]))
    as_asked = "On PRIMARY the control reached as many as the gate asks: 2 of 3 live control units"
    assert any(reason.startswith(as_asked) for reason in enough.reasons)
    lower = judged(arms([PLACED] * 3, [PLACED, NOTHING, NOTHING]))
    assert not any(reason.startswith("On PRIMARY") for reason in lower.reasons)


def test_same_units_does_not_hold_without_primary() -> None:
    sealed = registration(gate=replace(GATE, k_primary=3))
    found = judged(arms([FULL, FULL, MINED], [NOTHING] * 3), sealed)
    assert (found.row, found.held) == (13, ("SECONDARY", "contrast"))
    assert (
        "of the 2 that reached PRIMARY, 2 reached SECONDARY, but PRIMARY does not hold"
        in (found.reasons[0])
    )
