"""What is always said beside the word: each by unit and cycle, in words, moving nothing."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from metric.cases import (
    ANSWERED,
    BUILT,
    CLASSIFIED_B,
    FULL,
    GATE,
    HOARD,
    NOTHING,
    PASSING,
    UNREAD,
    Row,
    Story,
    arms,
    dead,
    facts_of,
    judged,
    names,
    registration,
    told,
)

from plateau_tui.metric.casefile import (
    FaultFact,
    Incident,
    JournalFacts,
    LogProblem,
    Missed,
    PinFact,
    SealBreak,
)
from plateau_tui.metric.evidence import RECEIPTS
from plateau_tui.metric.gatescore import score_under
from plateau_tui.metric.objectives import Objective, Role
from plateau_tui.metric.outcome import Disclosure, Verdict
from plateau_tui.metric.registration import Gate

GRASS = Objective("mine_grass", "minecraft.mined:minecraft.grass_block", Role.EXTRA, "grass_block")
GLASS = Objective("place_glass", "minecraft.used:minecraft.glass", Role.EXTRA, "glass")
STICK = Objective("craft_fence", "minecraft.crafted:minecraft.oak_fence", Role.EXTRA, "oak_fence")


def said(
    story: Story,
    gate: Gate = GATE,
    facts: JournalFacts | None = None,
    *,
    extensions: tuple[Objective, ...] = (),
    arm_values: Mapping[str, str] | None = None,
) -> dict[str, Disclosure]:
    """What is disclosed of T1, by code; its counters stood still before cycle 0."""
    sealed = registration(3, 3, gate, extensions=extensions, arm_values=arm_values)
    found = judged({"T1": story}, sealed, facts=facts or facts_of(sealed))
    mine = [d for d in found.disclosures if d.unit == "T1" and d.code != "counts_before_window"]
    assert len({d.code for d in mine}) == len(mine)
    return {d.code: d for d in mine}


def of_run(verdict: Verdict) -> list[tuple[str, int | None]]:
    return [(d.code, d.cycle) for d in verdict.disclosures if d.unit is None]


def test_a_clean_unit_has_nothing_to_disclose() -> None:
    assert said(told(Row({"dirt": 1}, {"oak_log": 2, "stone": 1, "sand": 1}))) == {}
    assert said(told(NOTHING)) == {}


def test_every_disclosure_of_a_unit_names_it_in_its_text() -> None:
    found = judged({"T1": [UNREAD, NOTHING, NOTHING], "C2": dead(FULL)})
    assert {d.unit for d in found.disclosures} >= {"T1", "C2"}
    for disclosure in found.disclosures:
        assert disclosure.unit is not None
        assert disclosure.text.startswith(f"{disclosure.unit}: ")
        assert "%" not in disclosure.text


# -- what the halves rest on ---------------------------------------------------------------------


def test_primary_that_rests_on_the_table_alone() -> None:
    table = Row({"crafting_table": 1}, HOARD)
    found = said([NOTHING, table, table])["table_only_primary"]
    assert found.cycle == 1
    assert "rests on the crafting table alone" in found.text
    assert "table_only_primary" not in said([table, table, Row({"dirt": 1}, HOARD)])
    strict = said(told(table), replace(GATE, place="beyond_table"))
    assert strict["table_only_primary"].cycle == 0


def test_primary_that_may_rest_on_the_table_is_said_to_be_so() -> None:
    unsure = Row({"crafting_table": 1, "dirt": None}, HOARD)
    assert "may rest" in said(told(unsure))["table_only_primary"].text


def test_secondary_that_rests_on_another_log() -> None:
    mixed = Row({}, {"oak_log": 3, "birch_log": 2, "stone": 1})
    found = said([NOTHING, mixed, mixed])["other_log_secondary"]
    assert found.cycle == 1
    assert "logs of other species" in found.text
    free = Row({}, {"oak_log": 3, "birch_log": 2, "stone": 1, "sand": 1})
    assert "other_log_secondary" not in said([mixed, free, free])


# -- pins ----------------------------------------------------------------------------------------


def pinned(fact: PinFact | None) -> JournalFacts:
    sealed = registration()
    pins = {name: PinFact("oak_log") for name in names(sealed)}
    if fact is None:
        del pins["T1"]
    else:
        pins["T1"] = fact
    return facts_of(sealed, pins=pins)


def test_a_late_pin_says_when_it_was_made_and_on_what() -> None:
    facts = pinned(PinFact("oak_log", cycle=1, evidence={"oak_log": 7, "birch_log": 2}))
    found = said(told(NOTHING), facts=facts)["pin_late"]
    assert found.cycle == 1
    assert "pinned after cycle 1 was read, on oak_log +7, birch_log +2" in found.text


def test_pins_that_differ_within_the_run() -> None:
    birch = Row({}, {"birch_log": 4})
    found = said(told(birch), facts=pinned(PinFact("birch_log")))
    assert found.keys() == {"pins_differ"}
    assert (
        "T1: the pins differ: it has birch_log, 5 of 6 pinned units have oak_log"
        in found["pins_differ"].text
    )


def test_a_pin_against_the_evidence_and_one_that_is_not_confirmed() -> None:
    birch = Row({}, {"oak_log": 1, "birch_log": 4})
    found = said(told(birch))
    assert found.keys() == {"pin_against_evidence"}
    assert "birch_log grew more" in found["pin_against_evidence"].text
    only = said(told(Row({}, {"birch_log": 4})))
    assert only.keys() == {"pin_against_evidence", "pin_not_confirmed"}
    assert "oak_log never rose above 0, birch_log did" in only["pin_not_confirmed"].text


def test_a_pin_that_was_changed_or_made_anyway() -> None:
    fact = PinFact("oak_log", anyway="I saw it", earlier=("birch_log", "oak_log"))
    found = said(told(NOTHING), facts=pinned(fact))
    assert found.keys() == {"pin_anyway", "pin_changed"}
    assert "I saw it" in found["pin_anyway"].text
    assert "pinned as birch_log, then oak_log" in found["pin_changed"].text


def test_a_unit_without_a_pin_and_one_pinned_on_no_wood() -> None:
    assert said(told(NOTHING), facts=pinned(None)).keys() == {"unit_not_pinned"}
    found = said(told(NOTHING), facts=pinned(PinFact("stone")))["unit_not_pinned"]
    assert "stone is no wood" in found.text


# -- outside the set -----------------------------------------------------------------------------


def test_what_was_placed_or_mined_only_outside_the_set() -> None:
    row = Row({}, HOARD | {"stone": 1}, extra={"mine_grass": 3, "place_glass": 2, "craft_fence": 9})
    still = replace(NOTHING, extra=dict.fromkeys(row.extra, 0))
    found = said([still, row, row], extensions=(GRASS, GLASS, STICK))
    assert found.keys() == {"placed_outside_set", "mined_outside_set"}
    assert found["placed_outside_set"].cycle == 1
    assert "place_glass 2 in cycle 1" in found["placed_outside_set"].text
    assert "there would be two kinds" in found["mined_outside_set"].text
    one = said(told(Row({}, HOARD, extra={"mine_grass": 3})), extensions=(GRASS,))
    assert "there would be two kinds" not in one["mined_outside_set"].text


def test_a_half_that_was_reached_within_the_set_needs_no_word_about_the_rest() -> None:
    row = replace(FULL, extra={"mine_grass": 3, "place_glass": 2})
    assert said(told(row), extensions=(GRASS, GLASS)) == {}


# -- counters, gaps, lists -----------------------------------------------------------------------


def test_a_counter_that_fell_is_named_with_what_it_was() -> None:
    found = said([Row(BUILT | {"dirt": 5}, HOARD), NOTHING, Row({"dirt": 2}, HOARD)])
    assert found["counter_fell"].cycle == 1
    assert "place_dirt fell from 5 to 0" in found["counter_fell"].text
    again = said([Row({"dirt": 5}, HOARD), Row({"dirt": 4}, HOARD), NOTHING])["counter_fell"]
    assert "the first of 2 falls" in again.text


def test_gaps_complete_and_partial_and_the_longest_silence() -> None:
    found = said([NOTHING, UNREAD, UNREAD])
    assert {code: d.cycle for code, d in found.items()} == {"gap_complete": 1, "longest_silence": 1}
    assert "no counter was read in 2 of 3 cycles" in found["gap_complete"].text
    assert "the longest silence was 2 cycles, from cycle 1" in found["longest_silence"].text
    part = said([NOTHING, Row({"dirt": None}, HOARD), NOTHING])
    assert {code: d.cycle for code, d in part.items()} == {"gap_partial": 1}


def test_missed_cycles_are_named_with_their_reason() -> None:
    missed = (Missed(1, 2, "power"), Missed(0, 0, "late"))
    found = judged({}, facts=facts_of(registration(), missed=missed))
    assert ("cycles_missed", 1) in of_run(found)
    texts = [d.text for d in found.disclosures if d.code == "cycles_missed"]
    assert texts == [
        "2 cycles, 1 to 2, were not read in time: power",
        "cycle 0 was not read in time: late",
    ]


def in_list(*states: bool | None) -> Story:
    return [replace(NOTHING, online=state) for state in states]


def test_units_never_or_rarely_in_a_list_and_how_often() -> None:
    never = said(in_list(False, None, False))
    assert never.keys() == {"unit_never_seen"}
    assert "in 0 of 2 answered lists" in never["unit_never_seen"].text
    rarely = said(in_list(True, False, False))
    assert rarely.keys() == {"unit_lost", "unit_rarely_seen"}
    assert rarely["unit_lost"].cycle == 1
    assert "absent from the last 2 answered lists" in rarely["unit_lost"].text
    some = said(in_list(True, False, True))
    assert "in 2 of 3 answered lists" in some["unit_sometimes_absent"].text
    assert said(in_list(True, None, True)) == {}


def test_counts_between_the_start_reading_and_cycle_0() -> None:
    found = judged({"T1": [FULL, FULL, FULL]})
    mine = next(d for d in found.disclosures if d.code == "counts_before_window")
    assert (mine.unit, mine.cycle) == ("T1", 0)
    assert "place_dirt 0 to 1" in mine.text
    quiet = {name: told(Row()) for name in names(registration())}
    codes = [d.code for d in judged(quiet).disclosures]
    assert "counts_before_window" not in codes


def test_a_start_reading_that_is_not_known_under_offset() -> None:
    gate = replace(GATE, start_counts="offset")
    sealed = registration(gate=gate)
    start = dict(facts_of(sealed).start)
    start["T1"] = {**start["T1"], "mine_sand": None}
    found = said(told(NOTHING), gate, facts_of(sealed, start=start))
    assert "no start reading of mine_sand" in found["start_unknown"].text


# -- the server, the seal, the probe -------------------------------------------------------------


def test_objectives_that_existed_before_and_craft_objectives_that_went() -> None:
    facts = facts_of(
        registration(),
        existing_objectives=("place_dirt", "mine_sand"),
        objectives_missing=(("craft_stick", 2),),
    )
    found = judged(PASSING, facts=facts)
    assert found.word == "PASS"
    assert of_run(found)[:3] == [
        ("criterion_not_verifiable", None),
        ("criterion_not_verifiable", None),
        ("context_objective_missing", 2),
    ]
    assert "place_dirt existed before this run" in found.disclosures[0].text


def test_a_seal_that_was_broken_and_restored() -> None:
    breaks = (SealBreak("10:00", "10:05", 1), SealBreak("11:00", None, 2))
    found = judged(PASSING, facts=facts_of(registration(), seal_breaks=breaks))
    assert found.word == "PASS"
    assert of_run(found)[:2] == [("seal_broken", 2), ("seal_broken_and_restored", 1)]


@pytest.mark.parametrize("code", ["mismatch", "garbled_reply", "empty_reply", "protocol"])
def test_interference_of_other_clients(code: str) -> None:
    faults = (FaultFact(code, 4, 1, "another client's answer"), FaultFact("timed_out", 2, 0, ""))
    found = judged(PASSING, facts=facts_of(registration(), faults=faults))
    assert of_run(found)[:1] == [("interference", 1)]
    assert "journaled 4 times" in found.disclosures[0].text


def test_a_silent_probe_and_an_arm_that_was_never_proven() -> None:
    silent = replace(NOTHING, probe_ok=False)
    values = {"treatment": "cur", "control": "ctl"}
    found = said([NOTHING, silent, replace(NOTHING, probe_ok=True)], arm_values=values)
    assert found.keys() == {"probe_silent", "arm_never_proven"}
    assert found["probe_silent"].cycle == 1
    assert "in 1 of 2 cycles" in found["probe_silent"].text


def test_what_else_the_journal_has_to_say() -> None:
    incidents = (Incident("clock_moved", "the clock was set by 3 s", cycle=2),)
    facts = facts_of(registration(), incidents=incidents)
    assert ("clock_moved", 2) in of_run(judged(PASSING, facts=facts))
    open_ = facts_of(registration(), closed=False, problems=(LogProblem("torn_tail", "3 bytes"),))
    assert ("torn_tail", None) in of_run(judged(PASSING, facts=open_))


def test_the_words_with_which_an_infeasible_gate_was_accepted() -> None:
    found = judged(PASSING, registration(gate=replace(GATE, accept="we know")))
    assert of_run(found)[0] == ("gate_accepted", None)
    assert "we know" in found.disclosures[0].text


# -- receipts ------------------------------------------------------------------------------------


def written(row: Row, pin: str | None, **changes: int | bool | None) -> Row:
    """The row with the derived fields that it ought to have under the pin, or others."""
    placed = dict.fromkeys(("cobblestone", "dirt", "oak_planks", "oak_log", "crafting_table"), 0)
    mined = dict.fromkeys(
        ("oak_log", "birch_log", "spruce_log", "stone", "cobblestone", "dirt", "sand", "gravel"), 0
    ) | {"coal_ore": 0, "iron_ore": 0}
    score = score_under(GATE, placed | dict(row.placed), mined | dict(row.mined), pin)
    fields = {name: getattr(score, name) for name in RECEIPTS}
    return replace(row, baseline_wood=pin, written=fields | changes)


def test_derived_fields_that_are_what_the_counters_say_need_no_word() -> None:
    assert said(told(written(FULL, "oak_log"))) == {}


def test_a_null_written_before_the_pin_is_no_difference() -> None:
    unpinned = written(FULL, None)
    assert (unpinned.written or {})["secondary"] is None
    assert said([unpinned, written(FULL, "oak_log"), written(FULL, "oak_log")]) == {}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("primary", False),
        ("secondary", None),
        ("plateau_break", 1),
        ("placed_used_total", 7),
        ("distinct_mined_beyond", None),
        ("distinct_block_types", 0),
    ],
)
def test_a_derived_field_that_differs_is_named_and_decides_nothing(
    field: str, value: int | bool | None
) -> None:
    right = written(FULL, "oak_log")
    wrong = written(FULL, "oak_log", **{field: value})
    found = said([right, wrong, wrong])
    assert found.keys() == {"derived_differs"}
    assert found["derived_differs"].cycle == 1
    told_as = "unknown" if value is None else "no" if value is False else str(value)
    assert f"the row says {field} is {told_as}, its counters say " in found["derived_differs"].text
    assert "in the first of 2 rows" in found["derived_differs"].text
    stories = {**PASSING, "T1": told(wrong)}
    assert judged(stories).word == "PASS"


@pytest.mark.parametrize(("hoard", "differs"), [(4, False), (5, True), (None, True)])
def test_the_hoard_is_a_receipt_of_the_inventory(hoard: int | None, differs: bool) -> None:
    row = replace(written(FULL, "oak_log", pickaxe_hoard=4), hoard=hoard)
    assert ("derived_differs" in said(told(row))) is differs


def test_rows_under_another_pin_than_the_last_are_named() -> None:
    found = said([written(FULL, "birch_log"), written(FULL, "oak_log"), written(FULL, "oak_log")])
    assert found.keys() == {"row_under_other_pin"}
    assert found["row_under_other_pin"].cycle == 0


# -- the contrast --------------------------------------------------------------------------------


def test_a_set_that_decided_otherwise_is_named() -> None:
    stories = arms([FULL] * 3, [FULL, FULL, NOTHING]) | {"C1": dead(FULL), "C2": dead(FULL)}
    found = judged(stories)
    texts = [d.text for d in found.disclosures if d.code == "comparison_set_differs"]
    assert len(texts) == 1
    assert texts[0].startswith("over all units seen, registered reading the contrast decides")


def test_primary_that_decides_otherwise_than_plateau_break_is_named() -> None:
    placed = Row(BUILT, HOARD)
    gate = replace(GATE, contrast_on="primary")
    found = judged(arms([FULL] * 3, [placed, placed, NOTHING]), registration(gate=gate))
    assert ("contrast_on_primary_differs", None) in of_run(found)


def test_an_answer_that_was_not_asked_for_licenses_nothing_and_says_so() -> None:
    found = judged(PASSING, attestation=CLASSIFIED_B)
    assert (found.word, found.classification) == ("PASS", None)
    assert ("classification_not_asked", None) in of_run(found)
    assert ("classification_not_asked", None) not in of_run(judged(PASSING, attestation=ANSWERED))
