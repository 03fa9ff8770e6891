from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import pytest
from calibration.games import CounterGame
from calibration.gamesextra import needs_games, published_reference
from calibration.published import needs_published
from cli.shell import Shell

from plateau_tui.calibration.calibrate import calibrate
from plateau_tui.calibration.contract import Contract, Milestone, NumberCheck, Op, Tier
from plateau_tui.calibration.controls import (
    ControlReport,
    Controls,
    control_findings,
    control_rows,
    controls_of,
    controls_record,
    play_controls,
)
from plateau_tui.calibration.declare import NOTHING_DECLARED
from plateau_tui.calibration.errors import TargetError
from plateau_tui.calibration.evidence import Snapshot
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.report import Report
from plateau_tui.calibration.target import Game
from plateau_tui.calibration.targets.breakout import Breakout
from plateau_tui.calibration.targets.breakout_controls import (
    CHARACTER,
    DEAD_ZONE,
    SteerFromRam,
    ascii_frame,
    steer,
)

pytestmark = pytest.mark.timeout(600)  # Breakout is calibrated here, on however busy a machine

SEED_TABLE = """\
steer-from-ascii  @300  6   2  4 of 6  3 of 5  300
steer-from-ram    @300  9   5  3 of 6  3 of 5  300
steer-from-ascii  @600  7   0  4 of 6  3 of 5  375
steer-from-ram    @600  24  5  3 of 6  3 of 5  600"""
"""The figures of the seed: game score, lives left, milestones, achievements, inputs played."""


BREAKOUT = Breakout()


def controls_against(reference: Reference, report: Report) -> ControlReport:
    controls = controls_of("breakout")
    assert controls is not None
    return play_controls(BREAKOUT, reference, controls, report)


@cache
def our_report() -> Report:
    return calibrate(BREAKOUT, processes=1)


def assert_the_seeds_figures(report: ControlReport) -> None:
    rows = [tuple(cell.strip() for cell in line.split("  ") if cell.strip())
            for line in SEED_TABLE.splitlines()]  # fmt: skip
    assert control_rows(report) == rows
    for budget in report.budgets:
        ram, ascii_ = report.ranked(budget)
        assert (ram.name, ascii_.name) == ("steer-from-ram", "steer-from-ascii")
        assert ram.game_score > ascii_.game_score
        assert report.achievements(ram).earned >= report.achievements(ascii_).earned
        assert report.milestones(ram).earned < report.milestones(ascii_).earned
        assert ascii_.played.earned - ram.played.earned == {"life-lost"}


@needs_games
@needs_published
def test_the_seeds_controls_have_the_seeds_figures_under_the_published_contract() -> None:
    reference = published_reference("breakout")
    report = controls_against(reference, calibrate(BREAKOUT, reference, processes=1))
    assert report.attrition == ("life-lost",)
    assert_the_seeds_figures(report)


@needs_games
def test_ours_ranks_them_so_too_and_says_where_it_ends() -> None:
    report = controls_against(BREAKOUT.reference(), our_report())
    assert_the_seeds_figures(report)
    found = control_findings(report)
    assert [f.code for f in found] == ["milestones-backwards"] * 2 + ["control-above-top"]
    assert all("the worse one earns life-lost" in f.text for f in found[:2])
    assert found[2].text == (
        "steer-from-ram, the strongest control, stands above the contract's top: engine.score 24 "
        "at 600 inputs, and the contract asks for 4 at most, and no achievement tells it from "
        "steer-from-ascii with 7; state an achievement higher up"
    )


@needs_games
def test_a_contract_with_a_rung_higher_up_tells_7_from_24() -> None:
    report = our_report()
    check = NumberCheck("engine.score", ">=", 24)
    rung = Milestone("score-tier-24", Tier.ENGINE, check, ("score-opened",))
    longer = Contract(BREAKOUT.id, (*report.contract.milestones, rung))
    found = controls_against(BREAKOUT.reference(), replace(report, contract=longer))
    ram, ascii_ = found.ranked(600)
    assert found.achievements(ram).earned == found.achievements(ascii_).earned + 1
    assert codes(found) == ["milestones-backwards"]  # at 300


@needs_games
def test_the_controls_read_the_same_place_of_the_paddle_within_a_character() -> None:
    """Both read the same screen: the text's column, times its width, is the memory's pixel."""
    assert DEAD_ZONE == CHARACTER
    game = BREAKOUT.open(BREAKOUT.reference(), "")
    seen = game.start(0)
    offsets = set()
    for word in ("NOOP",) + ("RIGHT",) * 5 + ("LEFT",) * 12:
        seen = game.step(word)
        text = ascii_frame(game)
        assert [len(line) for line in text] == [40] * 24
        columns = [c for row in (21, 22) for c in range(2, 38) if text[row][c] != " "]
        middle = (min(columns) + max(columns) + 1) / 2 * CHARACTER
        paddle = seen.numbers["engine.ram_paddle_x"]
        assert paddle is not None
        offsets.add(paddle - middle)
    game.close()
    assert max(offsets) - min(offsets) <= 2 * CHARACTER


@needs_games
def test_the_command_prints_the_seeds_table_of_controls(shell: Shell) -> None:
    found = shell.json("calibrate", "breakout", "--controls", "--walks", "0")
    assert found["controls"]["steer-from-ascii"]["600"] == {
        "game_score": 7, "lives": 0, "milestones": "4 of 6", "achievements": "3 of 5",
        "played": 375,
    }  # fmt: skip
    assert list(found["controls"]["steer-from-ram"]) == ["300", "600"]
    assert found["control_finding_codes"][-1] == "control-above-top"
    assert "stands above the contract's top" in found["control_findings"][-1]
    line = shell.refused("calibrate", "screen-puzzle", "--controls", code=2)
    assert "--controls goes with breakout" in line


@needs_games
def test_a_control_that_is_not_shown_what_it_reads_says_so() -> None:
    blind = replace(BREAKOUT.reference(), settings={"channels": []})
    with pytest.raises(TargetError, match=r"the controls read engine\.ram_ball_x"):
        controls_against(blind, our_report())


def test_the_law_serves_without_a_ball_and_rests_within_the_dead_zone() -> None:
    words = [steer(ball, 100, 4) for ball in (None, 95, 96, 104, 105)]
    assert words == ["FIRE", "LEFT", "NOOP", "NOOP", "RIGHT"]


def test_a_ball_at_0_is_no_ball() -> None:
    def shown(ball: int) -> Snapshot:
        return Snapshot({"engine.ram_ball_x": ball, "engine.ram_paddle_x": 90})

    words = [SteerFromRam()(NO_GAME, shown(ball)) for ball in (0, 1, 100)]
    assert words == ["FIRE", "LEFT", "NOOP"]


# --- the findings, on games made of data --------------------------------------------------------


@dataclass(frozen=True)
class Repeats:
    name: str
    word: str

    def __call__(self, game: Game, seen: Snapshot) -> str:
        del game, seen
        return self.word


GAME = CounterGame(
    initial={"score": 0, "lives": 3, "over": 0},
    effects={
        "win": {"score": 3}, "crawl": {"score": 1}, "die": {"score": 1, "lives": -1},
        "end": {"over": 1, "score": 1},
    },
)  # fmt: skip
NO_GAME = GAME.open(Reference("test", 0, ("win",), (), NOTHING_DECLARED, {}), "")


def ranked(words: Mapping[str, str], *checks: tuple[str, Op, int]) -> ControlReport:
    milestones = tuple(
        Milestone(f"m{n}", Tier.ENGINE, NumberCheck(f"engine.{name}", op, value))
        for n, (name, op, value) in enumerate(checks)
    )
    reference = Reference("test", 0, ("win", "die"), (), NOTHING_DECLARED, {})
    contract = Contract("counters", milestones)
    report = calibrate(GAME, reference, contract=contract)
    players = tuple(Repeats(name, word) for name, word in words.items())
    controls = Controls(players, "engine.score", "engine.lives", "engine.over", (2, 4))
    return play_controls(GAME, reference, controls, report)


def codes(report: ControlReport) -> list[str]:
    return [finding.code for finding in control_findings(report)]


BOTH = {"good": "win", "bad": "die"}


def test_a_contract_that_ranks_as_the_game_does_has_no_finding() -> None:
    assert codes(ranked(BOTH, ("score", ">=", 2), ("score", ">=", 12))) == []


def test_a_point_for_a_life_ranks_backwards_and_achievements_do_not() -> None:
    report = ranked(BOTH, ("score", ">=", 1), ("score", ">=", 12), ("lives", "<", 3))
    assert report.attrition == ("m2",)
    assert codes(report) == ["milestones-backwards"]  # at 2 inputs; at 4 the second rung evens it
    assert "the worse one earns m2" in control_findings(report)[0].text


def test_achievements_that_only_the_worse_one_earns_are_named_backwards() -> None:
    report = ranked(BOTH, ("score", ">=", 12), ("score", "==", 2))
    assert codes(report) == ["milestones-backwards", "achievements-backwards"]


def test_the_top_is_that_of_the_achievements_on_the_channel_the_game_ranks_by() -> None:
    assert codes(ranked(BOTH, ("score", ">", 10))) == ["control-above-top"]
    assert codes(ranked(BOTH, ("score", ">", 11))) == []
    assert codes(ranked(BOTH, ("lives", ">=", 1))) == []
    one = control_findings(ranked({"only": "win"}, ("score", ">=", 2)))
    assert [f.code for f in one] == ["control-above-top"]
    assert "tells it from" not in one[0].text


def test_a_control_stops_with_the_game_and_is_measured_at_every_budget() -> None:
    found = controls_record(ranked({"ends": "end", "goes": "crawl"}, ("score", ">=", 2)))
    assert found["ends"]["2"] == found["ends"]["4"] == {
        "game_score": 1, "lives": 3, "milestones": "0 of 1", "achievements": "0 of 1", "played": 1,
    }  # fmt: skip
    assert [found["goes"][budget]["played"] for budget in ("2", "4")] == [2, 4]
    assert [found["goes"][budget]["game_score"] for budget in ("2", "4")] == [2, 4]


def test_only_targets_with_controls_have_them() -> None:
    assert controls_of("screen-puzzle") is None
