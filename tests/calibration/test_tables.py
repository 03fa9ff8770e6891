from functools import cache

import pytest
from calibration.games import SUBMARINE, CounterGame, at_least, contract_of, reference_of
from calibration.published import OFFLINE

from plateau_tui.calibration.calibrate import calibrate
from plateau_tui.calibration.catalog import load_target
from plateau_tui.calibration.contract import Contract, FrameCheck, Milestone, Tier
from plateau_tui.calibration.declare import NOTHING_DECLARED, Declarations
from plateau_tui.calibration.evidence import snapshot, trajectory
from plateau_tui.calibration.outcome import Outcome, outcome_of, outcomes_lines
from plateau_tui.calibration.report import Report, judge
from plateau_tui.calibration.scores import measure
from plateau_tui.calibration.tables import (
    MOTION_HEAD,
    Measured,
    collapse_row,
    kind_of,
    laid_out,
    motion_rows,
    notes,
    table_lines,
    verdict_row,
    walk_rows,
)

WAY = ("dive", "dive", "dive", "rescue", "crash")
LIVES = at_least("lives", 1, "depth-3")
LOST = at_least("hull", 2, "lives-1", op="==")


def report_of(contract: Contract, walks: int = 0) -> Report:
    return calibrate(SUBMARINE, reference_of(*WAY), contract=contract, walks=walks)


def measured(contract: Contract, declared: Declarations = NOTHING_DECLARED) -> Measured:
    return Measured("Submarine", report_of(contract), declared)


FULL = contract_of(at_least("depth", 3), LIVES, LOST)


def test_undeclared_attrition_is_counted_in_the_verdict_of_a_contract_that_separates() -> None:
    row = verdict_row(measured(FULL))
    assert row == (
        "Submarine", "3 of 3", "2 of 2", "1 (constant:dive)", "lives-1", "hull-2",
        "separates; collapses; 1 undeclared attrition",
    )  # fmt: skip
    declared = Declarations(attrition_checks=("hull-2",))
    assert verdict_row(measured(FULL, declared))[-1] == "separates; collapses"


def test_a_contract_that_no_baseline_scores_on_says_of_how_many() -> None:
    contract = contract_of(at_least("depth", 3), at_least("lives", 1, "depth-3"))
    row = verdict_row(measured(contract_of(*contract.milestones[:1])))
    assert row[3] == "1 (constant:dive)"
    game = CounterGame(initial={"depth": 0}, effects={"wait": {}, "look": {}})
    report = calibrate(game, reference_of("wait"), contract=contract_of(at_least("depth", 1)))
    assert verdict_row(Measured("x", report, NOTHING_DECLARED))[3:5] == (
        "0 of 5 policies scored", "nothing",
    )  # fmt: skip


def test_the_second_table_tells_who_reaches_the_prerequisite_and_what_opens_at_once() -> None:
    together = contract_of(at_least("depth", 3), at_least("depth", 2, "depth-3"))
    assert collapse_row(measured(together)) == (
        "Submarine", "depth-3", "2 of 2", "yes, 1 of 6", "2 of 2, after 3 inputs",
    )  # fmt: skip
    loose = contract_of(at_least("depth", 3), at_least("lives", 1))
    assert collapse_row(measured(loose)) == ("Submarine", "-", "0 of 2", "-", "-")


def test_a_milestone_that_a_walk_earns_stands_beside_the_verdict_as_not_separating() -> None:
    report = report_of(FULL, walks=64)
    rows = {row[1]: row for row in walk_rows(Measured("x", report, NOTHING_DECLARED))}
    won = report.walks_with("lives-1")
    assert 0 < won < 64
    assert rows["lives-1"] == (
        "x", "lives-1", "separating", "earned by 0 of 6", f"earned by {won} of 64",
        "does not separate",
    )  # fmt: skip
    assert rows["hull-2"][2] == "attrition"


def test_what_a_milestone_is_comes_from_the_measurement() -> None:
    frame = Milestone("frame", Tier.SCREEN, FrameCheck("0" * 64))
    report = report_of(contract_of(*FULL.milestones, frame))
    assert [kind_of(report, i) for i in report.contract.ids] == [
        "not separating", "separating", "attrition", "opaque",
    ]  # fmt: skip


def test_the_motion_table_has_every_channel() -> None:
    rows = {row[1]: row[2:] for row in motion_rows(measured(FULL))}
    assert set(rows) == {"engine.depth", "engine.hull", "engine.lives"}
    rises, falls, low, high, initial, samples = rows["engine.hull"]
    assert (rises, low, high, initial) == ("0", "0", "3", "3")
    assert int(falls) > 3
    assert samples == str(7 * 6)


def test_an_initial_value_that_was_not_read_says_so_in_the_motion_table() -> None:
    contract = contract_of(at_least("depth", 3))
    late = trajectory([snapshot({"depth": None}), snapshot({"depth": 3})])
    report = judge(contract, [measure("reference", contract, late)], [])
    assert motion_rows(Measured("x", report, NOTHING_DECLARED)) == [
        ("x", "engine.depth", "0", "0", "3", "3", "not read", "1")
    ]


def test_a_note_says_where_the_contract_ends() -> None:
    (note,) = [line for line in notes(measured(FULL)) if "top" in line and "depth" in line]
    assert note == (
        "Submarine: engine.depth went up to 5, and the contract's top is 3: "
        "it tells nothing apart above that"
    )


def test_columns_stand_under_each_other() -> None:
    lines = laid_out(("a", "bb"), [("long", "x"), ("s", "y")])
    assert lines == ["a     bb", "long  x", "s     y"]


@pytest.mark.parametrize("width", [500, 90, 20])
def test_a_table_that_is_too_wide_is_folded_between_words_and_loses_none(width: int) -> None:
    row = verdict_row(measured(FULL))
    lines = laid_out(tuple("abcdefg"), [row], width)
    longest_words = sum(max(map(len, cell.split())) for cell in row) + 2 * (len(row) - 1)
    assert max(map(len, lines)) <= max(width, longest_words)
    assert (len(lines) == 2) is (width == 500)
    assert sorted(" ".join(lines[1:]).split()) == sorted(" ".join(row).split())


@pytest.mark.parametrize("width", [60, 80, 100, 120])
@pytest.mark.parametrize("name", [*OFFLINE, "plateau-break-strict", "phase-goal-3"])
def test_what_is_printed_fits_the_terminal_and_leaves_no_word_out(name: str, width: int) -> None:
    outcome = outcome_of_target(name)
    whole = " ".join(outcomes_lines([outcome], motion=True)).split()
    lines = outcomes_lines([outcome], width, motion=True)
    assert max(map(len, lines)) <= width
    words = " ".join(lines).replace(";", " ").replace(":", " ").replace(",", " ").split()
    for word in whole:
        assert word.rstrip(";:,") in words or any(c in word for c in ";:,")


def test_a_table_of_one_contract_names_it_once_where_there_is_a_width() -> None:
    outcome = outcome_of_target("engine-crawler")
    head, rows = MOTION_HEAD, motion_rows(outcome.measured)
    assert table_lines(head, rows, 80)[0] == "contract engine-crawler"
    assert table_lines(head, rows)[0].startswith("contract        channel")


@cache
def outcome_of_target(name: str) -> Outcome:
    return outcome_of(load_target(name), walks=2, processes=1)


def test_a_walk_that_cycles_is_told_where_it_does() -> None:
    def cycling(count: int) -> list[str]:
        game = CounterGame(initial={"x": 0}, effects={f"w{n}": {"x": 1} for n in range(count)})
        report = calibrate(game, reference_of("w0"), contract=contract_of(at_least("x", 1)))
        return [n for n in notes(Measured("x", report, NOTHING_DECLARED)) if "repeats" in n]

    (note,) = cycling(4)
    assert "pseudo-random repeats every 4 inputs over 4 words" in note
    assert cycling(3) == cycling(1) == []
