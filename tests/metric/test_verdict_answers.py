"""What the adjudicator answers, and FALSIFIES: they move no word."""

from collections.abc import Sequence
from dataclasses import replace
from math import nan

import pytest
from metric.cases import (
    CLASSIFIED_A,
    CLASSIFIED_B,
    FULL,
    GATE,
    GONE,
    MINED,
    NOTHING,
    PASSING,
    PLACED,
    UNREAD,
    Row,
    Story,
    arms,
    dead,
    judged,
    registration,
    told,
)

from plateau_tui.metric.attestation import Attestation
from plateau_tui.metric.outcome import Classification

ASKED = {
    7: arms([FULL, NOTHING, NOTHING], [NOTHING] * 3),
    9: arms([FULL] * 3, [FULL] * 3),
    11: arms([FULL] * 3, [FULL, FULL, NOTHING]),
    12: arms([PLACED] * 3, [NOTHING] * 3),
    13: arms([MINED] * 3, [NOTHING] * 3),
}


@pytest.mark.parametrize("row", ASKED)
def test_sr2_is_asked_and_never_moves_the_word(row: int) -> None:
    open_ = judged(ASKED[row])
    assert (open_.row, open_.classification, open_.final) == (row, "unclassified", False)
    assert "sr2_unclassified" in open_.codes
    for attestation, case in ((CLASSIFIED_A, "a"), (CLASSIFIED_B, "b")):
        found = judged(ASKED[row], attestation=attestation)
        assert (found.word, found.row, found.held) == (open_.word, row, open_.held)
        assert found.classification == Classification(case, attestation.evidence)  # type: ignore[arg-type] # one of a and b
        assert found.final
        assert f"sr2_{case}" in found.codes
        assert found.word != "PASS"


@pytest.mark.parametrize("evidence", ["", " ", ".", "…!", "\u200b", "\u3164", "\u2800"])
def test_a_case_without_evidence_is_no_answer(evidence: str) -> None:
    found = judged(ASKED[12], attestation=replace(CLASSIFIED_A, evidence=evidence))
    assert (found.classification, found.final) == ("unclassified", False)


@pytest.mark.parametrize(
    "stories",
    [
        PASSING,
        arms([NOTHING] * 3, [NOTHING] * 3),
        arms([NOTHING] * 3, [FULL] * 3),
        arms([UNREAD] * 3, [NOTHING] * 3),
        dict.fromkeys(("T1", "T2", "T3"), told(GONE)),
    ],
)
def test_sr2_is_not_asked_of_a_clean_result_nor_of_a_run_that_cannot_be_argued(
    stories: dict[str, Story],
) -> None:
    found = judged(stories, attestation=CLASSIFIED_B)
    assert (found.classification, found.final) == (None, True)
    assert [d.code for d in found.disclosures].count("classification_not_asked") == 1
    assert judged(stories).final


@pytest.mark.parametrize(
    ("treatment", "clean"),
    [
        ([NOTHING, NOTHING, NOTHING], True),
        ([NOTHING, NOTHING, UNREAD], False),
        ([NOTHING, NOTHING, PLACED], False),
        ([NOTHING, NOTHING, replace(UNREAD, online=False)], True),
    ],
)
def test_a_fail_is_clean_when_every_treatment_unit_seen_is_known_not_to_have_reached_a_half(
    treatment: Sequence[Row], clean: bool
) -> None:
    found = judged(arms(treatment, [NOTHING] * 3))
    assert found.word == "FAIL"
    assert (found.classification is None) is clean


def test_a_dead_treatment_unit_that_had_reached_a_half_makes_a_fail_unclean() -> None:
    sealed = registration(4)
    stories = arms([NOTHING] * 4, [NOTHING] * 4) | {"T4": dead(PLACED)}
    assert judged(stories, sealed).classification == "unclassified"


def test_unanswered_sr4_leaves_the_word_and_is_not_final() -> None:
    found = judged(PASSING, attestation=Attestation())
    assert (found.word, found.final) == ("PASS", False)
    assert found.codes == ("all_conditions_hold", "sr4_unanswered")
    assert judged(PASSING).final


def test_b_with_treatment_units_that_reached_the_half_is_disclosed() -> None:
    stories = arms([PLACED, PLACED, FULL], [NOTHING] * 3)
    found = judged(stories, attestation=CLASSIFIED_B)
    said = [d for d in found.disclosures if d.code == "reached_despite_b"]
    assert [(d.unit, d.cycle) for d in said] == [("T3", 0)]
    assert "1 of 3 treatment units seen did" in said[0].text
    # Where nothing is credited, what was reached speaks against (b) in either half.
    both = judged(arms([FULL] * 3, [FULL, FULL, NOTHING]), attestation=CLASSIFIED_B)
    assert (both.row, [d.code for d in both.disclosures].count("reached_despite_b")) == (11, 6)
    a = judged(stories, attestation=CLASSIFIED_A)
    assert not any(d.code == "reached_despite_b" for d in a.disclosures)


def test_gates_borrowed_from_stay_open() -> None:
    found = judged(PASSING, registration(later_gates=["phase 4"]))
    assert (found.word, found.later_gates_open) == ("PASS", ("phase 4",))


# -- FALSIFIES -----------------------------------------------------------------------------------


UNSEEN = replace(NOTHING, online=False)


def phased(kind: Row, *phases: float | None) -> Story:
    return [replace(kind, phase=phase) for phase in phases]


@pytest.mark.parametrize(
    ("stories", "falsified"),
    [
        ({"T1": phased(NOTHING, 3.0, 3.0, 3.67)}, "yes"),
        ({"T1": phased(NOTHING, 3.0, 9.0, 1.0)}, "yes"),
        ({}, "not evaluable"),
        ({"T1": phased(NOTHING, 3.0, None, None)}, "not evaluable"),
        ({n: phased(NOTHING, 3.0, 2.0, 3.0) for n in ("T1", "T2", "T3")}, "no"),
        ({n: phased(NOTHING, 3.0, nan, None) for n in ("T1", "T2", "T3")}, "not evaluable"),
        ({"T1": phased(PLACED, 3.0, 3.0, 3.67)}, "no"),
        ({"T1": phased(NOTHING, 3.0, 3.67, 4), "T2": told(UNREAD)}, "not evaluable"),
        # Any treatment unit's phase counts, seen or not; "reached" asks for units seen.
        ({"T4": phased(UNSEEN, 3.0, 3.0, 3.67)}, "yes"),
        ({"T4": phased(replace(PLACED, online=False), 3.0, 3.0, 3.67)}, "yes"),
        ({"C1": phased(NOTHING, 3.0, 3.0, 3.67)}, "not evaluable"),
        (
            {n: phased(NOTHING, 3.0, 2.0, 3.0) for n in ("T1", "T2", "T3")}
            | {"T4": phased(UNSEEN, 3.0, 3.5, 3.0)},
            "yes",
        ),
        (
            {n: phased(NOTHING, 3.0, 2.0, 3.0) for n in ("T1", "T2", "T3")}
            | {"T4": phased(UNSEEN, 3.0, 2.0, None)},
            "no",
        ),
    ],
)
def test_row_7_answers_the_first_clause_of_falsifies(
    stories: dict[str, Story], falsified: str
) -> None:
    found = judged({"T4": told(UNSEEN)} | stories, registration(4))
    assert (found.row, found.falsified) == (7, falsified)


def test_falsified_looks_at_the_halves_as_written() -> None:
    table = {"T1": phased(Row({"crafting_table": 1}), 3.0, 3.5, 3.67)}
    gate = replace(GATE, place="beyond_table")
    found = judged(table, registration(gate=gate))
    assert (found.row, found.counts_treatment.primary, found.falsified) == (7, 0, "no")


def test_row_9_is_falsified_unless_the_match_hangs_on_unknowns() -> None:
    assert judged(arms([FULL] * 3, [FULL] * 3)).falsified == "yes"
    assert judged(arms([FULL] * 3, [FULL, FULL, UNREAD])).falsified == "not evaluable"
    assert judged(arms([FULL, FULL, UNREAD], [FULL, FULL, NOTHING])).falsified == "not evaluable"
    assert judged(PASSING).falsified is None
    assert judged(ASKED[12]).falsified is None
