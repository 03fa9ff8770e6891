import itertools
import math
from collections.abc import Sequence

import pytest
from calibration.games import CounterGame, at_least, contract_of, patient, reference_of
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.calibration.calibrate import calibrate
from plateau_tui.calibration.contract import Contract, FrameCheck, Milestone, Tier
from plateau_tui.calibration.policies import Policy
from plateau_tui.calibration.replay import Player
from plateau_tui.calibration.scores import first_passes
from plateau_tui.calibration.sweep import probe, probed_turns

GAME = CounterGame(
    initial={"x": 2, "y": 0},
    effects={"right": {"x": 1}, "left": {"x": -1}, "up": {"y": 1}, "wait": {}},
    most=4,
)
inputs = st.lists(st.sampled_from(tuple(GAME.effects)), min_size=1, max_size=6)


def contract_at_the_end(words: Sequence[str], *before: Milestone) -> Contract:
    reference = reference_of(*words)
    last = Player(GAME, reference).play(Policy("r", tuple(words))).snapshots[-1]
    frame = Milestone("frame", Tier.SCREEN, FrameCheck(last.screen or ""))
    return contract_of(*before, frame)


@given(inputs)
@patient
def test_a_sweep_finds_what_playing_every_other_log_finds(words: list[str]) -> None:
    contract = contract_at_the_end(words)
    report = calibrate(GAME, reference_of(*words), contract=contract)
    fires = report.strongest.first_pass["frame"]
    player = Player(GAME, reference_of(*words))

    def earns(log: Sequence[str]) -> bool:
        return "frame" in first_passes(contract, player.play(Policy("log", tuple(log))))

    survivors = {}
    for turn in range(fires):
        kept = [w for w in GAME.effects if w != words[turn]
                and earns([*words[:turn], w, *words[turn + 1 : fires]])]  # fmt: skip
        if kept:
            survivors[turn] = tuple(kept)
    (found,) = report.collisions
    assert (found.fires_after, found.probed) == (fires, tuple(range(fires)))
    assert found.substitutions == 3 * fires
    assert found.survivors == survivors
    assert found.collisions == sum(map(len, survivors.values()))
    assert found.family == math.prod(1 + len(kept) for kept in survivors.values())
    joint = [survivors[t][0] if t in survivors else words[t] for t in range(fires)]
    assert found.joint is (bool(survivors) and earns(joint))


@pytest.mark.parametrize(
    ("length", "cap", "turns"),
    [
        (41, 8, (0, 5, 10, 15, 20, 25, 30, 35)),
        (32, 32, tuple(range(32))),
        (3, 32, (0, 1, 2)),
        (0, 32, ()),
        (33, 32, (*range(32),)),
    ],
)
def test_a_prefix_longer_than_the_cap_is_probed_at_floor_i_p_over_cap(
    length: int, cap: int, turns: tuple[int, ...]
) -> None:
    assert probed_turns(length, cap) == turns


@given(st.integers(0, 300), st.integers(1, 50))
def test_the_turns_probed_are_distinct_inside_the_prefix_and_at_most_the_cap(
    length: int, cap: int
) -> None:
    turns = probed_turns(length, cap)
    assert len(turns) == min(length, cap)
    assert list(turns) == sorted(set(turns))
    assert all(0 <= turn < length for turn in turns)


def test_a_word_that_is_not_in_the_vocabulary_is_replaced_by_every_word() -> None:
    found = probe("frame", ("odd", "left"), ("left", "right"), 32)
    assert found.substituted == ((0, "left"), (0, "right"), (1, "right"))


def test_an_opaque_milestone_is_swept_with_all_that_it_requires() -> None:
    # The frame alone can be had without going up; what it requires cannot.
    words = ["up", "right", "left", "wait"]
    contract = contract_at_the_end(words, at_least("x", 3))
    alone = calibrate(GAME, reference_of(*words), contract=contract)
    assert alone.collisions[0].fires_after == 1
    gate = Milestone("frame", Tier.SCREEN, contract.milestones[1].check, ("x-3",))
    gated = contract_of(contract.milestones[0], gate)
    report = calibrate(GAME, reference_of(*words), contract=gated)
    assert report.collisions[0].fires_after == 3
    assert 1 not in report.collisions[0].free_turns


def test_milestones_with_one_prefix_share_their_logs_and_differ_in_what_survives() -> None:
    words = ["right", "left", "up"]
    contract = contract_at_the_end(words)
    both = contract_of(
        at_least("x", 3),
        contract.milestones[0],
        Milestone("gated", Tier.SCREEN, contract.milestones[0].check, ("x-3",)),
    )
    played = []
    report = calibrate(
        GAME, reference_of(*words), contract=both,
        progress=lambda done, total, what: played.append((what, done, total)),
    )  # fmt: skip
    free, gated = report.collisions
    assert free.collisions > gated.collisions
    sweeps = [done for what, done, _ in played if what == "sweep"]
    logs = {log for c in (free, gated) for log in itertools.product(c.probed, range(3))}
    assert len(sweeps) <= len(logs) + 2
    assert played[-1][1] == played[-1][2]


def test_a_milestone_that_the_reference_does_not_earn_is_not_swept() -> None:
    contract = contract_of(Milestone("frame", Tier.SCREEN, FrameCheck("0" * 64)))
    report = calibrate(GAME, reference_of("up"), contract=contract)
    assert report.collisions == ()
    assert report.unearned == ("frame",)
