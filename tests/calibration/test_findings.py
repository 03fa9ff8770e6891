from dataclasses import dataclass, replace
from functools import cached_property

import pytest
from calibration.games import (
    SUBMARINE,
    CounterGame,
    DiceyGame,
    at_least,
    contract_of,
    patient,
    reference_of,
)
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.calibration.calibrate import calibrate
from plateau_tui.calibration.contract import Contract, FrameCheck, Milestone, Tier
from plateau_tui.calibration.declare import NOTHING_DECLARED, Declarations
from plateau_tui.calibration.findings import findings
from plateau_tui.calibration.policies import Policy
from plateau_tui.calibration.replay import Player
from plateau_tui.calibration.report import Report

GAME = CounterGame(initial=SUBMARINE.initial, effects={**SUBMARINE.effects, "wait": {}, "look": {}})
WAY = ("dive", "dive", "wait", "dive", "dive", "rescue", "crash")
WHY = "A smoke fixture that grades no play."

DEPTH, HULL = at_least("depth", 4), at_least("hull", 3)
LIVES = at_least("lives", 1, "depth-4")
LOST = at_least("hull", 2, op="==")


def frame_after(turns: int) -> Milestone:
    shot = Player(GAME, reference_of(*WAY)).play(Policy("r", WAY)).snapshots[turns]
    return Milestone("frame", Tier.SCREEN, FrameCheck(shot.screen or ""))


@dataclass(frozen=True)
class Case:
    """A contract with the declarations that are exact for it."""

    contract: Contract
    exact: Declarations

    @cached_property
    def report(self) -> Report:
        return calibrate(GAME, reference_of(*WAY), contract=self.contract)


SEPARATING = Case(contract_of(HULL, DEPTH, LIVES), NOTHING_DECLARED)
TRIVIAL = Case(
    contract_of(at_least("depth", 1), at_least("lives", 1)), Declarations(non_separating=WHY)
)
ATTRITION = Case(contract_of(HULL, DEPTH, LIVES, LOST), Declarations(attrition_checks=("hull-2",)))
COLLAPSING = Case(contract_of(DEPTH, LIVES), Declarations(gated_behind="depth-4"))
WEAK = Case(
    contract_of(HULL, DEPTH, LIVES, frame_after(7)),
    Declarations(opaque_checks=("frame",), weak_checks=("frame",)),
)
OPAQUE = Case(contract_of(HULL, DEPTH, LIVES, frame_after(6)), Declarations(
    opaque_checks=("frame",), weak_checks=("frame",)))  # fmt: skip
BY_BASELINE = Case(
    contract_of(HULL, DEPTH, LIVES, frame_after(2)), Declarations(opaque_checks=("frame",))
)
CASES = {
    "separating": SEPARATING, "trivial": TRIVIAL, "attrition": ATTRITION,
    "collapsing": COLLAPSING, "weak": WEAK, "opaque": OPAQUE,
}  # fmt: skip


def codes(case: Case, declared: Declarations) -> list[str]:
    return [finding.code for finding in findings(case.report, declared)]


@pytest.mark.parametrize("name", CASES)
def test_exact_declarations_leave_nothing_against_a_contract(name: str) -> None:
    assert codes(CASES[name], CASES[name].exact) == []


UNDECLARED = {
    "trivial": ["not-separating"],
    "attrition": ["undeclared-attrition"],
    "collapsing": ["undeclared-collapse"],
    "weak": ["undeclared-opaque", "undeclared-weak"],
}


@pytest.mark.parametrize("name", UNDECLARED)
def test_a_finding_that_is_not_declared_is_refused(name: str) -> None:
    assert codes(CASES[name], NOTHING_DECLARED) == UNDECLARED[name]


STALE = {
    "non_separating on a contract that separates": (
        SEPARATING, {"non_separating": WHY}, "stale-non-separating"),
    "attrition on an achievement": (
        ATTRITION, {"attrition_checks": ("hull-2", "depth-4")}, "stale-attrition"),
    "attrition on no milestone": (
        ATTRITION, {"attrition_checks": ("hull-2", "gone")}, "stale-attrition"),
    "gated_behind on a contract that does not collapse": (
        SEPARATING, {"gated_behind": "depth-4"}, "stale-gated-behind"),
    "gated_behind the wrong milestone": (
        COLLAPSING, {"gated_behind": "lives-1"}, "wrong-gated-behind"),
    "opaque on a legible milestone": (
        WEAK, {"opaque_checks": ("frame", "depth-4")}, "stale-opaque"),
    "opaque on no milestone": (WEAK, {"opaque_checks": ("frame", "gone")}, "stale-opaque"),
    "weak on a legible milestone": (WEAK, {"weak_checks": ("frame", "depth-4")}, "stale-weak"),
    "weak on no milestone": (WEAK, {"weak_checks": ("frame", "gone")}, "stale-weak"),
}  # fmt: skip


@pytest.mark.parametrize("name", STALE)
def test_a_declaration_that_is_stale_is_refused(name: str) -> None:
    case, changes, code = STALE[name]
    declared = replace(case.exact, **changes)  # type: ignore[arg-type] # each fits its field
    assert codes(case, declared) == [code]


def test_a_hash_that_no_other_log_earns_is_not_weak() -> None:
    assert BY_BASELINE.report.weak == ()
    declared = Declarations(opaque_checks=("frame",), weak_checks=("frame",), non_separating=WHY)
    found = findings(BY_BASELINE.report, declared)
    assert [f.code for f in found] == ["stale-non-separating", "stale-weak"]
    assert "none of 8 logs with one other input earns it" in found[1].text


def test_a_hash_that_a_baseline_reproduces_is_refused_where_the_contract_is_to_separate() -> None:
    (found,) = findings(BY_BASELINE.report, BY_BASELINE.exact)
    assert found.code == "opaque-by-baseline"
    assert "constant:dive" in found.text


@pytest.mark.parametrize("sentence", ["", "  ", "yes", "no reason"])
def test_non_separating_is_a_sentence_and_no_switch(sentence: str) -> None:
    assert codes(TRIVIAL, Declarations(non_separating=sentence)) == ["empty-non-separating"]


def test_a_milestone_that_the_reference_does_not_earn_is_refused() -> None:
    case = Case(contract_of(HULL, DEPTH, LIVES, at_least("depth", 99)), NOTHING_DECLARED)
    (found,) = findings(case.report, NOTHING_DECLARED)
    assert (found.code, "depth-99" in found.text) == ("not-earned", True)


def test_a_game_that_its_seed_does_not_decide_is_refused() -> None:
    game = DiceyGame(initial=GAME.initial, effects=GAME.effects)
    report = calibrate(game, reference_of(*WAY), contract=SEPARATING.contract)
    assert report.deterministic is False
    assert [f.code for f in findings(report, NOTHING_DECLARED)] == ["not-deterministic"]


MEASURED = {
    "trivial": ("depth-1 by constant:dive", "declare non_separating"),
    "attrition": ("engine.hull rose 0 times and fell", "attrition_checks"),
    "collapsing": ("2 of 2 milestones hang off depth-4, which constant:dive", "gated_behind"),
    "weak": ("of 28 logs with one other input", "weak_checks"),
}


@pytest.mark.parametrize("name", MEASURED)
def test_a_refusal_says_what_was_measured_and_what_would_satisfy_it(name: str) -> None:
    text = "\n".join(f.text for f in findings(CASES[name].report, NOTHING_DECLARED))
    for part in MEASURED[name]:
        assert part in text


@given(st.data())
@patient
def test_only_the_exact_declarations_of_a_case_pass(data: st.DataObject) -> None:
    case = CASES[data.draw(st.sampled_from(sorted(CASES)))]
    ids = st.sampled_from([*case.contract.ids, "gone"])
    sets = st.lists(ids, unique=True, max_size=3).map(tuple)
    declared = Declarations(
        non_separating=data.draw(st.sampled_from([None, WHY])),
        attrition_checks=data.draw(sets),
        gated_behind=data.draw(st.one_of(st.none(), ids)),
        opaque_checks=data.draw(sets),
        weak_checks=data.draw(sets),
    )
    assert (not findings(case.report, declared)) is (declared == case.exact)
