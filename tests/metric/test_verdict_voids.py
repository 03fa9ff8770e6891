"""The decision table, rows 1 to 6: what voids a run, who caused it, and what voids nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from metric.cases import (
    ANSWERED,
    FULL,
    GATE,
    GONE,
    NOTHING,
    PASSING,
    UNREAD,
    arms,
    dead,
    facts_of,
    judged,
    names,
    narrow,
    registration,
    told,
)

from plateau_tui.metric.attestation import Attestation
from plateau_tui.metric.casefile import LogProblem, PinFact

UNITS = names(registration())


@pytest.mark.parametrize(
    ("changes", "row", "code"),
    [
        ({"sealed_sha256": None}, 1, "not_sealed"),
        ({"sealed_before_cycle0": False}, 1, "sealed_late"),
        ({"registration_sha256_now": "0" * 64}, 1, "registration_differs"),
        ({"registration_sha256_now": None}, 1, "registration_differs"),
        ({"problems": (LogProblem("chain_broken", "line 3"),)}, 1, "log_broken"),
        ({"problems": (LogProblem("cross_check", "head"),)}, 1, "log_broken"),
        ({"problems": (LogProblem("torn_tail", "3 bytes"),)}, 1, "log_broken"),
        ({"closed": False}, 2, "window_open"),
        ({"closed": False, "window_opened": False}, 2, "window_open"),
        ({"closed_early": True, "close_why": "power"}, 2, "closed_early"),
        ({"objectives_missing": (("place_dirt", 1),)}, 4, "objective_missing"),
        ({"objectives_missing": (("mine_stone", 0),)}, 4, "objective_missing"),
        ({"pins": dict.fromkeys(UNITS[:-1], PinFact("oak_log"))}, 5, "pin_missing"),
    ],
)
def test_what_voids_a_run_that_would_pass(
    changes: Mapping[str, object], row: int, code: str
) -> None:
    assert judged(PASSING).word == "PASS"
    found = judged(PASSING, facts=facts_of(registration(), **changes))
    assert (found.word, found.row, found.rows_that_apply) == ("WITHHELD", row, (row,))
    assert found.codes[0] == code
    assert (found.held, found.not_held) == ((), ())
    assert found.falsified is None
    assert found.classification is None
    assert found.counts_treatment.primary == found.counts_treatment.both == 3
    assert any("As read, treatment: 3 of 3 units live; PRIMARY 3 of 3" in r for r in found.reasons)


@pytest.mark.parametrize(
    "changes",
    [
        {"problems": (LogProblem("derived_differs", "cycle 1"),)},
        {"objectives_missing": (("craft_stick", 1),)},
        {"objectives_missing": (("place_dirt", 3), ("place_dirt", -1))},
    ],
)
def test_what_voids_nothing(changes: Mapping[str, object]) -> None:
    assert judged(PASSING, facts=facts_of(registration(), **changes)).word == "PASS"


def test_what_a_collector_makes_whole_again_breaks_no_log_while_the_window_is_open() -> None:
    problems = tuple(
        LogProblem(code, "text") for code in ("torn_tail", "cycle_incomplete", "heartbeat_missing")
    )
    facts = facts_of(registration(), closed=False, problems=problems)
    assert judged(PASSING, facts=facts).rows_that_apply == (2,)
    assert judged(PASSING, facts=replace(facts, closed=True)).rows_that_apply == (1,)


def test_a_cycle_without_rows_is_no_full_window_and_gap_rows_are_rows() -> None:
    hole = dict(PASSING) | {"C3": told(NOTHING, 2)}
    found = judged(hole)
    assert (found.word, found.row, found.codes) == ("WITHHELD", 2, ("cycles_without_rows",))
    assert "1 of 3 cycles has no row of C3, the first is cycle 2" in found.reasons[1]
    gap = dict(PASSING) | {"C3": [NOTHING, NOTHING, replace(UNREAD, online=None)]}
    assert judged(gap).word == "PASS"


@pytest.mark.parametrize(
    ("attestation", "codes"),
    [
        (replace(ANSWERED, single_variable=False), ("second_variable",)),
        (replace(ANSWERED, other_differences=("C ran a day later",)), ("other_differences",)),
        (Attestation(other_differences=("x",)), ("other_differences",)),
        (
            replace(ANSWERED, single_variable=False, other_differences=("x", "y")),
            ("second_variable", "other_differences"),
        ),
    ],
)
def test_a_second_variable_voids_and_the_adjudicator_is_named(
    attestation: Attestation, codes: Sequence[str]
) -> None:
    found = judged(PASSING, attestation=attestation)
    assert (found.word, found.row, found.codes, found.final) == ("WITHHELD", 3, codes, True)
    assert found.reasons[1].startswith("By the adjudicator: ")


VALUES = {"treatment": "cur", "control": "ctl"}


@pytest.mark.parametrize(
    ("tag", "ok", "values", "void"),
    [
        ("ctl", True, VALUES, True),
        ("something else", True, VALUES, True),
        ("cur", True, VALUES, False),
        (" ", True, VALUES, False),
        (None, True, VALUES, False),
        (None, False, VALUES, False),
        ("ctl", False, VALUES, False),
        ("control", True, {}, True),
        ("anything", True, {}, False),
    ],
)
def test_a_probe_tag_of_the_other_arm_voids_in_whichever_cycle(
    tag: str | None, ok: bool, values: Mapping[str, str], void: bool
) -> None:
    tagged = replace(FULL, probe_arm=tag, probe_ok=ok)
    stories = dict(PASSING) | {"T2": [FULL, tagged, FULL]}
    found = judged(stories, registration(arm_values=values))
    assert found.word == ("WITHHELD" if void else "PASS")
    if void:
        assert (found.row, found.codes) == (3, ("probe_contradicts_arm",))
        assert f"Detected: the probe tagged T2 of the treatment arm '{tag}' in cycle 1." in (
            found.reasons
        )


def test_a_unit_without_a_pin_voids_while_it_is_live() -> None:
    sealed = registration(4)
    pins = {name: PinFact("oak_log") for name in names(sealed) if name != "T4"}
    facts = facts_of(sealed, pins=pins)
    stories = arms([FULL, FULL, FULL, FULL], [NOTHING] * 4)
    found = judged(stories, sealed, facts=facts)
    assert (found.row, found.word) == (5, "WITHHELD")
    assert "the live unit T4" in found.reasons[1]
    lost = judged(stories | {"T4": dead(FULL)}, sealed, facts=facts)
    assert lost.row == 10


def test_a_pin_on_what_is_no_wood_is_no_pin() -> None:
    sealed = registration()
    pins = {name: PinFact("stone" if name == "C2" else "oak_log") for name in names(sealed)}
    assert judged(PASSING, facts=facts_of(sealed, pins=pins)).row == 5


def test_no_pair_with_both_units_live_can_neither_meet_nor_fail_the_gate() -> None:
    stories = {
        **arms([FULL, FULL], [NOTHING, NOTHING]),
        "T1": dead(FULL),
        "C2": dead(NOTHING),
    }
    sealed = registration(2, gate=replace(GATE, k_primary=1, k_secondary=1))
    found = judged(stories, sealed)
    assert (found.row, found.codes, found.contrast) == (6, ("no_live_pair",), None)


@pytest.mark.parametrize("which", ["k_primary", "k_secondary"])
def test_fewer_live_treatment_units_than_the_gate_asks(which: str) -> None:
    gate = replace(GATE, k_primary=1, k_secondary=1)
    gate = replace(gate, k_primary=3) if which == "k_primary" else replace(gate, k_secondary=3)
    found = judged(dict(PASSING) | {"T1": dead(FULL)}, registration(gate=gate))
    assert (found.row, found.codes) == (6, ("too_few_live_treatment",))
    assert "2 treatment units are live, the gate asks for 3" in found.reasons[1]


def test_a_unit_never_seen_is_in_no_count_and_no_pair() -> None:
    stories = dict(PASSING) | {"C1": told(replace(FULL, online=False))}
    found = judged(stories, interval=narrow)
    assert found.counts_control.units == 3
    assert found.counts_control.live == 2
    assert found.contrast is not None
    assert (found.contrast.pairs, found.contrast.treatment_only) == (2, 2)


def test_all_of_rows_1_to_6_that_apply_are_named_and_the_first_is_the_headline() -> None:
    sealed = registration()
    facts = facts_of(
        sealed,
        sealed_sha256=None,
        closed=False,
        objectives_missing=(("mine_sand", 2),),
        pins={"C1": PinFact("oak_log")},
    )
    stories = dict.fromkeys(names(sealed), told(GONE)) | {"T1": told(FULL)}
    found = judged(stories, facts=facts, attestation=replace(ANSWERED, single_variable=False))
    assert found.rows_that_apply == (1, 2, 3, 4, 5, 6)
    assert found.row == 1
    assert found.codes == (
        "not_sealed",
        "window_open",
        "second_variable",
        "objective_missing",
        "pin_missing",
        "no_live_pair",
        "too_few_live_treatment",
    )
    assert found.reasons[0].startswith("WITHHELD: a gate or a log that changed")
    causes = [reason.partition(":")[0] for reason in found.reasons[1:8]]
    assert causes == ["Detected"] * 2 + ["By the adjudicator"] + ["Detected"] * 4


def test_an_early_close_is_the_operators_and_says_why() -> None:
    facts = facts_of(registration(), closed_early=True, close_why="power", closed_by="ab")
    reasons = judged(PASSING, facts=facts).reasons
    assert "By the operator: the window was closed early by ab (power)." in reasons
