import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from calibration.games import (
    REPAIRING,
    SUBMARINE,
    CounterGame,
    at_least,
    contract_of,
    patient,
    reference_of,
)
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.calibration.calibrate import calibrate
from plateau_tui.calibration.catalog import load_target
from plateau_tui.calibration.contract import (
    EventCheck,
    FrameCheck,
    Milestone,
    NumberCheck,
    SaveCheck,
    Tier,
)
from plateau_tui.calibration.evidence import Number, Trajectory, snapshot, trajectory
from plateau_tui.calibration.motion import (
    Motion,
    attrition,
    joined_motion,
    motion_of,
    unmeasured,
)

numbers = st.one_of(st.none(), st.integers(-3, 3))
runs = st.lists(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=8), max_size=6)


def run_of(values: Sequence[Number]) -> Trajectory:
    return trajectory([snapshot({"x": value}) for value in values])


def motion_of_x(*values: Number) -> Motion:
    return motion_of(run_of(values))["engine.x"]


def test_rises_falls_and_bounds_are_counted_over_every_snapshot() -> None:
    assert motion_of_x(3, 4, 4, 1, 2, 0) == Motion(2, 2, 0, 4, (3,), 6)


def test_a_gap_is_no_motion_and_no_sample() -> None:
    assert motion_of_x(None, 3, None, 3, None) == Motion(0, 0, 3, 3, (), 2)
    assert motion_of(run_of([None, None])) == {}


def test_the_initial_value_is_that_before_any_input_and_no_later_one() -> None:
    assert motion_of_x(3, 2).initials == (3,)
    assert motion_of_x(None, 3, 2).initials == ()
    late = trajectory([snapshot({}), snapshot({"x": 3}), snapshot({"x": 2})])
    assert motion_of(late)["engine.x"].initials == ()
    assert joined_motion([motion_of(late), motion_of(run_of([4, 2]))])["engine.x"].initials == (4,)


def test_a_check_does_not_hold_at_an_initial_value_that_was_not_read() -> None:
    """Seed, A: what holds once the number can be read is not what held before any input."""
    contract = contract_of(at_least("x", 3, op="=="))
    assert attrition(contract, motion_of(run_of([3, 2]))) == ()
    assert attrition(contract, motion_of(run_of([None, 3, 2]))) == ("x-3",)
    assert attrition(contract, motion_of(run_of([4, 3, 2]))) == ("x-3",)


def test_what_fell_across_a_gap_fell() -> None:
    assert motion_of_x(3, None, 2).falls == 1


@given(runs, st.randoms())
@patient
def test_the_order_of_trajectories_does_not_matter(
    values: list[list[tuple[Number, Number]]], dice: random.Random
) -> None:
    parts = [motion_of(trajectory([snapshot({"a": a, "b": b}) for a, b in run])) for run in values]
    shuffled = parts.copy()
    dice.shuffle(shuffled)
    assert joined_motion(parts) == joined_motion(shuffled)


@given(st.lists(st.lists(st.integers(-3, 3), min_size=1, max_size=6), min_size=1, max_size=5))
def test_joined_motion_is_that_of_an_independent_count(values: list[list[int]]) -> None:
    total = joined_motion(motion_of(run_of(run)) for run in values)["engine.x"]
    steps = [b - a for run in values for a, b in pairwise(run)]
    everything = [value for run in values for value in run]
    assert total == Motion(
        rises=len([s for s in steps if s > 0]),
        falls=len([s for s in steps if s < 0]),
        low=min(everything),
        high=max(everything),
        initials=tuple(sorted({run[0] for run in values})),
        samples=len(everything),
    )


FALLING = {"engine.x": Motion(0, 2, 1, 3, (3,), 9)}
STATEMENTS = {
    "it fell and never rose, and 1 is not held at 3": (FALLING, "==", 1, True),
    "the check holds at the start": (FALLING, "==", 3, False),
    "the check holds at the start, as a bound": (FALLING, "<=", 3, False),
    "it rose once": ({"engine.x": Motion(1, 2, 1, 3, (3,), 9)}, "==", 1, False),
    "it never fell": ({"engine.x": Motion(0, 0, 3, 3, (3,), 9)}, "==", 1, False),
    "it only rose": ({"engine.x": Motion(2, 0, 3, 5, (3,), 9)}, "==", 5, False),
    "nothing published it": ({}, "==", 1, False),
    "it was not read before any input": (
        {"engine.x": Motion(0, 2, 1, 3, (), 9)}, "==", 3, True),
    "one run began where it holds": ({"engine.x": Motion(0, 2, 1, 3, (1, 3), 9)}, "==", 1, False),
}  # fmt: skip


@pytest.mark.parametrize("case", STATEMENTS)
def test_attrition_is_the_seeds_three_measured_statements(case: str) -> None:
    motions, op, value, expected = STATEMENTS[case]
    check = NumberCheck("engine.x", op, value)  # type: ignore[arg-type] # the table's texts
    contract = contract_of(Milestone("m", Tier.ENGINE, check))
    assert (attrition(contract, motions) == ("m",)) is expected


def test_attrition_propagates_through_requires_and_no_further() -> None:
    contract = contract_of(
        at_least("x", 1, op="=="),
        at_least("y", 1, "x-1"),
        at_least("y", 2, "y-1"),
        Milestone("seen", Tier.SCREEN, FrameCheck("0" * 64), ("y-2",)),
        at_least("y", 3),
    )
    assert attrition(contract, FALLING) == ("x-1", "y-1", "y-2", "seen")


def test_a_hash_and_an_event_are_no_attrition_and_unmeasured() -> None:
    contract = contract_of(
        at_least("x", 1, op="=="),
        at_least("y", 1),
        Milestone("frame", Tier.SCREEN, FrameCheck("0" * 64)),
        Milestone("save", Tier.SAVE, SaveCheck("0" * 64)),
        Milestone("event", Tier.LOG, EventCheck("x")),
    )
    assert attrition(contract, FALLING) == ("x-1",)
    assert unmeasured(contract, FALLING) == ("y-1", "frame", "save", "event")


def test_hp_exact_only_falls_and_its_milestone_is_an_achievement() -> None:
    report = calibrate(load_target("engine-crawler"))
    motion = report.motion["engine.hpExact"]
    assert motion.only_falls
    assert (motion.rises, motion.falls, motion.initials) == (0, 3, (1,))
    assert report.attrition == ()
    assert "hp-untouched" in report.legible_achievements


def test_a_channel_named_lives_that_counts_rescued_divers_is_an_achievement() -> None:
    contract = contract_of(at_least("lives", 1), at_least("hull", 2, op="=="))
    report = calibrate(SUBMARINE, reference_of("rescue", "crash"), contract=contract)
    assert report.motion["engine.lives"].falls == 0
    assert report.attrition == ("hull-2",)
    assert report.achievements == ("lives-1",)


def test_one_input_that_repairs_flips_the_same_milestone_on_the_same_contract() -> None:
    contract = contract_of(at_least("depth", 3), at_least("hull", 2, "depth-3", op="=="))
    reference = reference_of("dive", "dive", "dive", "crash", "dive")
    before = calibrate(SUBMARINE, reference, contract=contract)
    after = calibrate(REPAIRING, reference, contract=contract)
    assert before.contract is after.contract
    assert before.attrition == before.attrition_separating == ("hull-2",)
    assert after.motion["engine.hull"].rises > 0
    assert after.attrition == ()
    assert "hull-2" in after.separating


@pytest.mark.parametrize("name", ["lives", "hull", "score", "terminal", "x"])
def test_no_name_of_a_channel_is_looked_at(name: str) -> None:
    game = CounterGame(initial={name: 3}, effects={"down": {name: -1}, "wait": {}})
    contract = contract_of(at_least(name, 2, op="=="))
    report = calibrate(game, reference_of("wait", "down"), contract=contract)
    assert report.attrition == (f"{name}-2",)


def test_a_walk_that_repairs_is_told_and_changes_nothing_in_the_seeds_verdict() -> None:
    # A weld mends only what a crash broke before, and no baseline of three inputs does both.
    game = CounterGame(
        initial={"hull": 3},
        effects={"weld": {"hull": 1}, "dive": {}, "crash": {"hull": -1}},
        most=3,
    )
    contract = contract_of(at_least("hull", 2, op="=="))
    report = calibrate(game, reference_of("dive", "dive", "crash"), contract=contract, walks=16)
    assert not any(run.motion["engine.hull"].rises for run in report.baselines)
    assert any(walk.motion["engine.hull"].rises for walk in report.walks)
    assert report.attrition == ("hull-2",)
    assert report.attrition_with_walks == ()
