"""Another client's answers, under our request's id: no score of another objective is ever taken."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from collector.bench import Bench, Running
from collector.history import Mutator
from collector.otherserver import OtherServer
from collector.test_truth import assert_true, other_history, populate_other

from plateau_tui.collector.displays import Displays
from plateau_tui.server.replies import ObjectiveList

ASKS = "scoreboard players get "


def astray(seed: int, share: float, objectives: list[str]) -> Callable[[str], str]:
    """Answer a share of the literal questions about the same player, but another objective."""
    rng = random.Random(seed)

    def instead(command: str) -> str:
        head, asked, rest = command.partition(ASKS)
        if not asked or rng.random() >= share:
            return command
        return f"{head}{ASKS}{rest.split(' ')[0]} {rng.choice(objectives)}"

    return instead


@pytest.mark.parametrize("renamed", [False, True])
@pytest.mark.parametrize("share", [0.05, 0.15, 0.3])
@pytest.mark.parametrize("which", ["always one", "any", "a stranger's"])
def test_an_answer_about_another_objective_is_never_taken(
    tmp_path: Path, other: OtherServer, which: str, share: float, renamed: bool
) -> None:
    bench = Bench.make(tmp_path, other.port, "other", interval_s=0.4, cycles=10)
    populate_other(other, bench)
    other.displays["kills"] = "Kills"
    for unit in bench.units:
        other.scores[unit, "kills"] = 77
    if renamed:
        other.displays["mine_stone"], other.displays["mine_dirt"] = "mine_dirt", "mine_stone"
        other.displays["place_dirt"] = "Dirt"
        other.displays["mine_sand"] = "Sand"
    answered = {"always one": ["place_log"], "any": bench.objectives, "a stranger's": ["kills"]}
    history = other_history(other)
    with Mutator(history, bench.units, bench.objectives, every_s=0.01), Running(bench) as running:
        running.until(lambda: bench.cycles() >= 2)
        other.instead = astray(1, share, answered[which])
        running.ended()
    bench.assert_whole(10)
    assert_true(bench, history, tuple(other.commands))


# -- what is believed -----------------------------------------------------------------------------

OURS = ["mine_dirt", "mine_stone", "place_log"]


def known(*listed: str) -> Displays:
    displays = Displays()
    displays.see(ObjectiveList(len(listed), listed, complete=True))
    return displays


def test_a_name_that_another_objective_showed_as_its_own_is_not_believed() -> None:
    displays = known(*OURS)
    assert displays.expects("place_log", "place_log")
    assert not displays.believe("mine_stone", "place_log", OURS)
    assert not displays.expects("mine_stone", "place_log")


def test_two_that_swapped_their_names_are_believed_once_both_have_shown_it() -> None:
    displays = known(*OURS)
    assert displays.expects("mine_stone", "mine_stone")
    assert not displays.believe("mine_stone", "mine_dirt", OURS)
    assert displays.believe("mine_dirt", "mine_stone", OURS)
    assert displays.expects("mine_stone", "mine_dirt")
    assert not displays.expects("mine_stone", "mine_stone")


def test_a_claim_is_over_when_the_objective_shows_its_own_name_again() -> None:
    displays = known(*OURS)
    assert not displays.believe("mine_stone", "mine_dirt", OURS)
    assert displays.expects("mine_stone", "mine_stone")
    assert not displays.believe("mine_dirt", "mine_stone", OURS)


def test_a_stranger_s_name_is_not_believed_of_what_showed_its_own_under_the_same_list() -> None:
    displays = known(*OURS, "Kills")
    assert displays.expects("mine_stone", "mine_stone")
    assert not displays.believe("mine_stone", "Kills", OURS)


def test_a_renamed_objective_s_own_name_and_names_in_no_list_are_nobody_s() -> None:
    displays = known("mine_dirt", "Stone", "place_log")
    assert not displays.expects("mine_stone", "mine_stone")
    assert not displays.believe("mine_stone", "Rock", OURS)
    assert displays.believe("mine_stone", "Stone", OURS)
    assert not displays.believe("mine_dirt", "Stone", OURS)
