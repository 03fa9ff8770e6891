import pytest
from calibration.games import at_least, contract_of
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.calibration.collapse import collapse_of
from plateau_tui.calibration.contract import EventCheck, Milestone, Tier
from plateau_tui.calibration.evidence import Trajectory, snapshot, trajectory
from plateau_tui.calibration.report import judge
from plateau_tui.calibration.scores import (
    Played,
    Score,
    first_passes,
    measure,
    score_achievements,
    score_milestones,
)

IDS = ("a-1", "b-1", "c-1", "d-1", "e-1")
CONTRACT = contract_of(*(at_least(name[0], 1) for name in IDS))
subsets = st.sets(st.sampled_from(IDS))


def depths(*values: int | None) -> Trajectory:
    return trajectory([snapshot({"depth": value}) for value in values])


def test_a_milestone_passes_at_the_first_snapshot_where_its_check_holds() -> None:
    contract = contract_of(at_least("depth", 0), at_least("depth", 2), at_least("depth", 9))
    assert first_passes(contract, depths(0, 1, 2, 0, 2)) == {"depth-0": 0, "depth-2": 2}


def test_what_is_required_may_pass_at_the_same_snapshot() -> None:
    contract = contract_of(at_least("depth", 2), at_least("depth", 1, "depth-2"))
    assert first_passes(contract, depths(0, 1, 2, 3)) == {"depth-2": 2, "depth-1": 2}


def test_what_is_required_must_pass_before_however_often_the_check_held() -> None:
    contract = contract_of(at_least("depth", 3), at_least("depth", 1, "depth-3", op="=="))
    assert first_passes(contract, depths(1, 3, 2)) == {"depth-3": 1}
    assert first_passes(contract, depths(1, 3, 1)) == {"depth-3": 1, "depth-1": 2}


def test_what_has_passed_stays_passed() -> None:
    contract = contract_of(at_least("depth", 3), at_least("depth", 1, "depth-3"))
    assert first_passes(contract, depths(3, 0, 1))["depth-1"] == 0


def test_an_unknown_number_passes_nothing_and_a_later_known_one_does() -> None:
    contract = contract_of(at_least("depth", 0))
    assert first_passes(contract, depths(None, None, 0)) == {"depth-0": 2}
    assert first_passes(contract, depths(None, None)) == {}


def test_an_event_passes_while_the_log_holds_it() -> None:
    contract = contract_of(Milestone("logged", Tier.LOG, EventCheck("level-2")))
    run = trajectory([snapshot({}), snapshot({}, events=["level-2"]), snapshot({})])
    assert first_passes(contract, run) == {"logged": 1}


@given(subsets, subsets)
def test_the_achievement_score_does_not_depend_on_attrition_earned(
    earned: set[str], attrition: set[str]
) -> None:
    with_all = score_achievements(CONTRACT, attrition, earned | attrition)
    without = score_achievements(CONTRACT, attrition, earned - attrition)
    assert with_all == without
    assert with_all.total == len(IDS) - len(attrition)
    assert with_all.earned == len(earned - attrition)


@given(subsets)
def test_without_attrition_both_scores_are_the_same(earned: set[str]) -> None:
    assert score_achievements(CONTRACT, set(), earned) == score_milestones(CONTRACT, earned)


def test_a_score_reads_as_counts() -> None:
    assert str(Score(5, 6)) == "5 of 6"


def played(name: str, **passed: int) -> Played:
    return Played(name, 9, {f"{key}-1": after for key, after in passed.items()}, {})


def test_a_contract_separates_when_a_legible_achievement_is_out_of_reach_and_more_are_earned() -> (
    None
):
    reference = played("reference", a=1, b=2, c=3)
    out_of_reach = judge(CONTRACT, [reference], [played("x", a=1, b=2), played("y", a=1)])
    assert out_of_reach.separating == ("c-1",)
    assert out_of_reach.separates
    assert out_of_reach.trivial == ("a-1", "b-1")
    assert out_of_reach.best_baseline == (2, ("x",))


def test_a_baseline_that_earns_as_much_elsewhere_leaves_nothing_separated() -> None:
    reference = played("reference", a=1, b=2)
    report = judge(CONTRACT, [reference], [played("x", c=1, d=2)])
    assert report.separating == ("a-1", "b-1")
    assert not report.separates


def test_two_baselines_that_share_the_milestones_leave_nothing_out_of_reach() -> None:
    reference = played("reference", a=1, b=2)
    report = judge(CONTRACT, [reference], [played("x", a=1), played("y", b=1)])
    assert report.separating == ()
    assert report.best_legible == 1
    assert not report.separates


def test_of_several_references_any_may_earn_a_milestone() -> None:
    units = [played("u1", a=1), played("u2", a=4, b=1), played("u3")]
    report = judge(CONTRACT, units, [played("c1", a=1), played("c2")])
    assert [report.references_with(i) for i in IDS] == [2, 1, 0, 0, 0]
    assert report.separating == ("b-1",)
    assert report.strongest.name == "u2"
    assert report.unearned == ("c-1", "d-1", "e-1")


def test_a_walk_stands_beside_the_verdict() -> None:
    reference = played("reference", a=1, b=2)
    report = judge(CONTRACT, [reference], [played("x")], walks=[played("walk:1", b=1)])
    assert report.separating == ("a-1", "b-1")
    assert report.separating_under_walks == ("a-1",)
    assert [report.walks_with(i) for i in IDS] == [0, 1, 0, 0, 0]


def test_a_report_needs_a_reference() -> None:
    with pytest.raises(ValueError, match="at least one reference"):
        judge(CONTRACT, [], [])


def test_the_prerequisite_is_what_the_largest_share_requires_through_others_too() -> None:
    contract = contract_of(
        at_least("a", 1), at_least("b", 1), at_least("c", 1, "b-1"), at_least("d", 1, "c-1"),
        at_least("e", 1, "a-1"),
    )  # fmt: skip
    found = collapse_of(contract, played("reference", a=1), [played("x", b=1), played("y", a=1)])
    assert (found.prerequisite, found.gated, found.total) == ("b-1", 3, 5)
    assert found.earned_by == ("x",)
    assert not found.collapses


def test_a_contract_collapses_when_all_requires_one() -> None:
    contract = contract_of(at_least("a", 1), at_least("b", 1, "a-1"), at_least("c", 1, "b-1"))
    found = collapse_of(contract, played("reference"), [])
    assert (found.prerequisite, found.gated) == ("a-1", 3)
    assert found.collapses


@pytest.mark.parametrize("count", [1, 3])
def test_where_nothing_requires_anything_nothing_collapses(count: int) -> None:
    contract = contract_of(*(at_least(name[0], 1) for name in IDS[:count]))
    found = collapse_of(contract, played("reference"), [])
    assert (found.prerequisite, found.gated, found.collapses) == (None, 0, False)


def test_together_is_the_largest_set_at_one_input_and_the_earlier_of_equal_ones() -> None:
    reference = Played("reference", 9, {"a-1": 1, "b-1": 2, "c-1": 2, "d-1": 5, "e-1": 5}, {})
    found = collapse_of(CONTRACT, reference, [])
    assert (found.together, found.together_after) == (("b-1", "c-1"), 2)


def test_what_passes_alone_is_not_together() -> None:
    found = collapse_of(CONTRACT, played("reference", a=0, b=1), [])
    assert (found.together, found.together_after) == ((), None)


def test_measuring_takes_turns_passes_and_motion_from_the_trajectory() -> None:
    run = measure("x", contract_of(at_least("depth", 1)), depths(0, 1, 0))
    assert (run.turns, run.earned) == (2, frozenset({"depth-1"}))
    assert (run.motion["engine.depth"].rises, run.motion["engine.depth"].falls) == (1, 1)


def test_a_channel_above_the_contracts_top_is_told() -> None:
    contract = contract_of(at_least("depth", 2), at_least("depth", 3, op=">"), at_least("hull", 1))
    report = judge(contract, [measure("r", contract, depths(0, 7))], [])
    assert [(a.channel, a.top, a.high) for a in report.above_top] == [("engine.depth", 4, 7)]
    assert judge(contract, [measure("r", contract, depths(0, 4))], []).above_top == ()
