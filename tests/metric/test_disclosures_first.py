"""Disclosures about the start, the answers and who is meant; and the order of them all."""

from dataclasses import replace

import pytest
from metric.cases import (
    ANSWERED,
    CLASSIFIED_A,
    FULL,
    GATE,
    HOARD,
    NOTHING,
    PASSING,
    Row,
    arms,
    dead,
    facts_of,
    judged,
    registration,
    told,
)

from plateau_tui.metric.attestation import Attestation
from plateau_tui.metric.casefile import EarlierAnswers, FaultFact, Incident, PinFact
from plateau_tui.metric.disclosures import ORDER
from plateau_tui.metric.objectives import Objective, Role
from plateau_tui.metric.outcome import Disclosure, Verdict

GRASS = Objective("mine_grass", "minecraft.mined:minecraft.grass_block", Role.EXTRA, "grass_block")


def of_code(verdict: Verdict, code: str) -> list[Disclosure]:
    return [d for d in verdict.disclosures if d.code == code]


# -- the start -----------------------------------------------------------------------------------


def test_a_journal_without_a_registration_of_the_objectives_is_named() -> None:
    facts = facts_of(registration(), registered=False, start={})
    found = judged(PASSING, facts=facts)
    assert found.word == "PASS"
    said = of_code(found, "not_registered")
    assert [(d.unit, d.cycle) for d in said] == [(None, None)]
    assert "no start reading is known" in said[0].text
    # One sentence says it; the units' unknown start readings are the same news.
    assert not of_code(found, "start_not_zero")
    assert not of_code(judged(PASSING), "not_registered")


def test_a_start_above_zero_or_unknown_under_zero_is_named_by_unit_and_objective() -> None:
    sealed = registration()
    start = {name: dict(counts) for name, counts in facts_of(sealed).start.items()}
    start["T2"] |= {"place_dirt": 3, "mine_sand": None, "craft_stick": 9}
    del start["C1"]
    found = judged(PASSING, facts=facts_of(sealed, start=start))
    assert found.word == "PASS"
    said = of_code(found, "start_not_zero")
    assert [(d.unit, d.cycle) for d in said] == [("T2", None), ("C1", None)]
    assert "its start reading was not 0: place_dirt 3, mine_sand unknown; collect refuses" in (
        said[0].text
    )
    assert "craft_stick" not in said[0].text
    offset = registration(gate=replace(GATE, start_counts="offset"))
    assert not of_code(judged(PASSING, offset, facts=facts_of(offset, start=start)), said[0].code)


def test_scored_counters_come_first_and_context_is_summed_up() -> None:
    sealed = registration(extensions=(GRASS,))
    start = {name: {**counts, "mine_grass": 0} for name, counts in facts_of(sealed).start.items()}
    facts = facts_of(sealed, start=start)
    moved = Row({"dirt": 2}, HOARD, extra={"mine_grass": 7})
    still = Row({}, {}, extra={"mine_grass": 7})
    found = judged({"T1": told(moved), "T2": told(still)}, sealed, facts=facts)
    texts = {d.unit: d.text for d in of_code(found, "counts_before_window")}
    begin = "moved between the start reading and cycle 0: "
    assert texts["T1"] == f"T1: {begin}place_dirt 0 to 2, mine_oak_log 0 to 9, 1 of context"
    assert texts["T2"] == f"T2: {begin}no scored counter, and 1 of context"


# -- answers -------------------------------------------------------------------------------------


def journaled(*answers: Attestation | None, judged_now: Attestation = ANSWERED) -> Verdict:
    kept = tuple(EarlierAnswers("10:00", "ab", a, "" if a else "no TOML") for a in answers)
    return judged(PASSING, facts=facts_of(registration(), answers=kept), attestation=judged_now)


def test_a_second_variable_that_was_named_and_withdrawn_stands_in_the_record() -> None:
    earlier = replace(ANSWERED, single_variable=False, other_differences=("C had more food",))
    found = journaled(earlier, ANSWERED)
    assert (found.word, found.final) == ("PASS", True)
    said = of_code(found, "answers_changed")
    assert len(said) == 1
    assert said[0].text == (
        "earlier answers said that the arms differed in more than the one registered variable; "
        "named another difference: C had more food (journaled at 10:00 by ab)"
    )


@pytest.mark.parametrize(
    ("earlier", "now", "told"),
    [
        (ANSWERED, replace(ANSWERED, single_variable=False), "differed in the one registered"),
        (ANSWERED, Attestation(), "differed in the one registered"),
        (CLASSIFIED_A, replace(CLASSIFIED_A, case="b"), "classified (a), with the evidence: rec"),
        (
            replace(ANSWERED, other_differences=("x", "y")),
            ANSWERED,
            "named other differences: x; y",
        ),
        (ANSWERED, replace(ANSWERED, other_differences=("x",)), "did not name what is named now"),
    ],
)
def test_answers_that_differ_in_what_decides(
    earlier: Attestation, now: Attestation, told: str
) -> None:
    said = of_code(journaled(earlier, judged_now=now), "answers_changed")
    assert len(said) == 1
    assert told in said[0].text


@pytest.mark.parametrize(
    "earlier",
    [
        ANSWERED,
        Attestation(),
        replace(ANSWERED, adjudicator="cd"),
        Attestation("ab", case=None, evidence=""),
    ],
)
def test_answers_that_decide_the_same_and_questions_left_open_need_no_word(
    earlier: Attestation,
) -> None:
    found = journaled(earlier)
    assert not of_code(found, "answers_changed")
    assert not of_code(found, "answers_unreadable")


def test_earlier_answers_that_cannot_be_read_are_disclosed_as_such() -> None:
    said = of_code(journaled(None), "answers_unreadable")
    assert [d.text for d in said] == ["answers journaled at 10:00 by ab cannot be read: no TOML"]


# -- who and when --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("asked for player T2, the answer is about Steve", "T2"),
        ("asked for player C1, the answer is about T3", "C1"),
        ("the answer is about another command: There are 3", None),
        ("T22 is nobody here", None),
    ],
)
def test_interference_names_the_unit_that_the_fault_names(text: str, unit: str | None) -> None:
    facts = facts_of(registration(), faults=(FaultFact("mismatch", 1, 1, text),))
    said = of_code(judged(PASSING, facts=facts), "interference")
    assert [(d.unit, d.cycle) for d in said] == [(unit, 1)]
    assert f"journaled once: {text}" in said[0].text


def test_what_a_cycle_first_showed_carries_that_cycle() -> None:
    birch = Row({}, {"birch_log": 4})
    both = Row({}, {"birch_log": 4, "oak_log": 9})
    found = judged({"T1": [Row(), birch, birch], "T2": [birch, both, both], "T3": dead(FULL)})
    cycles = {(d.code, d.unit): d.cycle for d in found.disclosures}
    assert cycles["pin_not_confirmed", "T1"] == 1
    assert cycles["pin_against_evidence", "T1"] == 1
    assert ("pin_against_evidence", "T2") not in cycles
    assert cycles["unit_lost", "T3"] == 1
    assert cycles["unit_rarely_seen", "T3"] == 1
    pins = {"T1": PinFact("birch_log", cycle=1), "T2": PinFact("oak_log"), "T3": PinFact("oak_log")}
    late = judged({}, facts=facts_of(registration(), pins=pins))
    assert [(d.unit, d.cycle) for d in of_code(late, "pins_differ")] == [("T1", 1)]


def test_a_pin_that_was_overtaken_again_names_the_last_time() -> None:
    def logs(oak: int, birch: int) -> Row:
        return Row({}, {"oak_log": oak, "birch_log": birch})

    story = [logs(0, 0), logs(0, 3), logs(5, 3), logs(5, 3), logs(5, 9)]
    found = judged({"T1": story}, registration(cycles=5))
    assert [d.cycle for d in of_code(found, "pin_against_evidence")] == [4]


# -- order ---------------------------------------------------------------------------------------


def test_what_a_claim_rests_on_comes_first_and_what_is_always_said_comes_last() -> None:
    sealed = registration(gate=replace(GATE, accept="we know"), arm_values={"treatment": "t"})
    facts = facts_of(
        sealed,
        existing_objectives=("place_dirt",),
        incidents=(Incident("clock_moved", "by 3 s", cycle=1),),
        faults=(FaultFact("mismatch", 2, 1, "x"),),
    )
    table = Row({"crafting_table": 1}, {"oak_log": 4, "birch_log": 2, "stone": 1})
    stories = arms([table] * 3, [NOTHING] * 3) | {"C2": dead(FULL), "T2": [table, NOTHING, table]}
    codes = [d.code for d in judged(stories, sealed, facts=facts).disclosures]
    kinds = list(dict.fromkeys(codes))
    assert kinds == [
        "gate_accepted",
        "table_only_primary",
        "other_log_secondary",
        "unit_lost",
        "unit_rarely_seen",
        "counter_fell",
        "interference",
        "clock_moved",
        "arm_never_proven",
        "criterion_not_verifiable",
        "counts_before_window",
    ]
    # Of each kind all stand together.
    assert codes == sorted(codes, key=kinds.index)
    assert len(ORDER) == len(set(ORDER))
