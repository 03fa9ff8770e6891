"""What a refusal says: what was measured, what would satisfy it, and nothing that was neither."""

from collections.abc import Iterable

import pytest
from calibration.games import CounterGame, at_least, contract_of, reference_of

from plateau_tui.calibration.calibrate import calibrate
from plateau_tui.calibration.contract import (
    Contract,
    EventCheck,
    FrameCheck,
    Milestone,
    NumberCheck,
    Op,
    SaveCheck,
    Tier,
)
from plateau_tui.calibration.declare import NOTHING_DECLARED, Declarations
from plateau_tui.calibration.evidence import Number, snapshot, trajectory
from plateau_tui.calibration.findings import findings
from plateau_tui.calibration.report import Report, judge
from plateau_tui.calibration.scores import measure
from plateau_tui.calibration.sweep import Collision

WHY = "A smoke fixture that grades no play."
SHA = "0" * 64


def told(report: Report, declared: Declarations = NOTHING_DECLARED) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for finding in findings(report, declared):
        assert "\n" not in finding.text
        found.setdefault(finding.code, []).append(finding.text)
    return found


def report_of(
    contract: Contract, reference: Iterable[Number], *baselines: Iterable[Number],
    screen: str | None = None, collisions: tuple[Collision, ...] = (),
) -> Report:  # fmt: skip
    """A report over one channel ``x``; every snapshot shows the same screen."""
    named = {"reference": reference} | {f"b{n}": run for n, run in enumerate(baselines, start=1)}
    runs = [
        measure(name, contract, trajectory([snapshot({"x": v}, screen_hash=screen) for v in run]))
        for name, run in named.items()
    ]
    return judge(contract, runs[:1], runs[1:], collisions=collisions)


def x(value: int, *requires: str, op: Op = "==", name: str | None = None) -> Milestone:
    check = NumberCheck("engine.x", op, value)
    return Milestone(name or f"x-{value}", Tier.ENGINE, check, requires)


def test_attrition_names_the_motion_and_the_value_before_any_input() -> None:
    (text,) = told(report_of(contract_of(x(2)), [3, 2], [3, 3]))["undeclared-attrition"]
    assert text == (
        "x-2 is attrition: engine.x rose 0 times and fell once in 4 values, and where it was 3 "
        "before any input, == 2 does not hold; declare it in attrition_checks, or leave it out"
    )


def test_attrition_of_a_number_that_was_not_read_at_first_says_so() -> None:
    (text,) = told(report_of(contract_of(x(3)), [None, 3, 2]))["undeclared-attrition"]
    assert "fell once in 2 values, and it was not read before any input, so == 3" in text


def test_attrition_by_what_it_requires_blames_no_channel_of_its_own() -> None:
    """Its own number only falls as well, but holds from the start: that is no loss of its own."""
    contract = contract_of(x(2), x(3, "x-2", op="<="))
    texts = told(report_of(contract, [3, 2]))["undeclared-attrition"]
    assert texts[1] == (
        "x-3 is attrition: it requires x-2; declare it in attrition_checks, or leave it out"
    )


NO_LOSS: dict[str, tuple[str, list[Number], str]] = {
    "no milestone": ("gone", [3, 2], "which is no milestone of the contract"),
    "it rose": ("x-2", [3, 2, 3], "but engine.x rose once and fell once in 3 values"),
    "it stood": ("x-2", [3, 3], "but engine.x rose 0 times and fell 0 times in 2 values"),
    "it holds from the start": (
        "x-2", [2, 1], "but == 2 holds before any input, where engine.x was 2"),
    "it was never read": ("x-2", [None, None], "whose channel engine.x was never read"),
    "an event": ("event", [3, 3], "which reads no number and requires no attrition"),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_LOSS)
def test_a_stale_attrition_says_which_of_the_three_statements_is_not_so(case: str) -> None:
    name, values, measured = NO_LOSS[case]
    contract = contract_of(x(2), Milestone("event", Tier.LOG, EventCheck("e")))
    found = told(report_of(contract, values), Declarations(attrition_checks=(name,)))
    assert found["stale-attrition"] == [
        f"attrition_checks names {name}, {measured}; remove it from the declaration"
    ]


OPAQUE = contract_of(
    Milestone("frame", Tier.SCREEN, FrameCheck(SHA)),
    x(3, "frame"),
    Milestone("save", Tier.SAVE, SaveCheck(SHA), ("frame",)),
)


def test_what_is_opaque_through_requires_is_not_called_a_hash() -> None:
    frame, number, save = told(report_of(OPAQUE, [3]))["undeclared-opaque"]
    assert frame.startswith("frame is opaque: its check is a hash; declare it in opaque_checks")
    assert "or state it with a number or an event" in frame
    assert number == (
        "x-3 is opaque: it requires frame; declare it in opaque_checks, or let it require "
        "legible milestones alone"
    )
    assert "its check is a hash and it requires frame;" in save
    assert save.endswith("state it with a number or an event and let it require legible "
                         "milestones alone")  # fmt: skip


def test_what_a_baseline_earns_of_it_is_not_called_a_hash_either() -> None:
    found = told(report_of(OPAQUE, [3], [3], screen=SHA))["opaque-by-baseline"]
    assert found[1] == (
        "x-3 is opaque (it requires frame), and earned by b1; sample it where no baseline earns "
        "it, let it require legible milestones alone, or leave it out, or declare non_separating "
        "with a sentence"
    )


def test_non_separating_is_no_cure_for_a_contract_that_separates() -> None:
    contract = contract_of(Milestone("frame", Tier.SCREEN, FrameCheck(SHA)), x(4))
    report = report_of(contract, [3, 4], [3], screen=SHA)
    (text,) = told(report)["opaque-by-baseline"]
    assert report.separates
    assert "non_separating" not in text


def collision(*survivors: int) -> Collision:
    return Collision("x-3", 2, 32, (0, 1), 4, dict.fromkeys(survivors, ("other",)), joint=False)


def test_a_weak_milestone_that_is_no_hash_is_not_told_to_be_one() -> None:
    (text,) = told(report_of(OPAQUE, [3], collisions=(collision(1),)))["undeclared-weak"]
    assert text == (
        "x-3 is weak: 1 of 4 logs with one other input earn it, at 1 of 2 turns probed; declare "
        "it in weak_checks, or let it require legible milestones alone"
    )


NOT_WEAK = {
    "none survived": ("x-3", "but none of 4 logs with one other input earns it"),
    "the reference does not earn it": (
        "save", "which the reference does not earn, so that no other log was tried"),
    "it is legible": (
        "x-4", "which is legible: its check reads a number, and it requires nothing opaque"),
    "no milestone": ("gone", "which is no milestone of the contract"),
}  # fmt: skip


@pytest.mark.parametrize("case", NOT_WEAK)
def test_a_stale_weak_declaration_says_what_was_tried(case: str) -> None:
    name, measured = NOT_WEAK[case]
    contract = contract_of(*OPAQUE.milestones, x(4))
    report = report_of(contract, [3], screen=SHA, collisions=(collision(),))
    found = told(report, Declarations(weak_checks=(name,)))
    assert found["stale-weak"] == [
        f"weak_checks names {name}, {measured}; remove it from the declaration"
    ]


CONTRACTS: dict[str, tuple[Contract, list[Number], list[Number], str]] = {
    "no legible achievement": (
        contract_of(Milestone("frame", Tier.SCREEN, FrameCheck(SHA))), [3], [3],
        "the contract states no legible achievement;"),
    "the reference earns none": (
        contract_of(x(9)), [3], [3], "the reference earns none of 1 legible achievement;"),
    "a baseline earns them too": (
        contract_of(x(3)), [3], [3],
        "baselines earn every legible achievement that the reference earns (x-3 by b1);"),
    "a baseline earns as many others": (
        contract_of(x(4), x(5)), [3, 4], [3, 5],
        "no baseline earns x-4, but the best one earns 1 of 2 legible achievements, and"),
}  # fmt: skip


@pytest.mark.parametrize("case", CONTRACTS)
def test_a_contract_that_does_not_separate_says_what_was_earned_by_whom(case: str) -> None:
    contract, reference, baseline, measured = CONTRACTS[case]
    (text,) = told(report_of(contract, reference, baseline))["not-separating"]
    assert text.startswith(measured)
    assert text.endswith(
        "; state a legible achievement that the reference earns and no baseline does, or declare "
        "non_separating with a sentence that says why the contract need not separate"
    )


@pytest.mark.parametrize(
    ("baselines", "reach"),
    [([], "no baseline reaches"), ([[3]], "b1 reaches"), ([[3], [3]], "b1, b2 reach")],
)
def test_who_reaches_the_prerequisite_is_a_sentence(
    baselines: list[list[Number]], reach: str
) -> None:
    report = report_of(contract_of(x(3), x(4, "x-3")), [3, 4], *baselines)
    (text,) = told(report)["undeclared-collapse"]
    assert text.startswith(f"2 of 2 milestones hang off x-3, which {reach}; declare gated_behind")


@pytest.mark.parametrize("key", ["attrition_checks", "opaque_checks", "weak_checks"])
def test_a_milestone_that_is_declared_twice_is_refused_in_one_line(key: str) -> None:
    game = CounterGame(initial={"x": 3}, effects={"down": {"x": -1}, "up": {}})
    report = calibrate(game, reference_of("down"), contract=contract_of(at_least("x", 2, op="==")))
    declared = Declarations(**{key: ("x-2", "x-2")}, non_separating=WHY)  # type: ignore[arg-type] # one of the three
    assert told(report, declared)["repeated-declaration"] == [
        f"{key} names x-2 2 times; name it once"
    ]
