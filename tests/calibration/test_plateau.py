"""The plateau targets against an oracle that was counted by hand.

``COUNTED`` was worked out on paper from the words of each policy: a log a ``chop``, four planks a
log, a table for four planks, four sticks for two, a pickaxe for three planks and two sticks.
"""

from dataclasses import replace
from functools import cache
from typing import Final

import pytest
from make_references import REFERENCES, as_text
from plateau_references import AS_WRITTEN, BUILDER, PLATEAU

from plateau_tui.calibration.calibrate import calibrate, policies_of
from plateau_tui.calibration.catalog import load_target, target_ids
from plateau_tui.calibration.contract import Contract, NumberCheck
from plateau_tui.calibration.declare import Declarations
from plateau_tui.calibration.errors import TargetError
from plateau_tui.calibration.evidence import Trajectory
from plateau_tui.calibration.findings import findings
from plateau_tui.calibration.packaged import CalibrationRefusedError, PackagedContract
from plateau_tui.calibration.policies import Policy
from plateau_tui.calibration.replay import Player
from plateau_tui.calibration.report import Report
from plateau_tui.calibration.targets.plateau import BY_HAND
from plateau_tui.sim.words import WORDS

BREAKS: Final = (
    "plateau-break",
    "plateau-break-beyond-table",
    "plateau-break-all-logs",
    "plateau-break-strict",
)
HOARDERS: Final = (
    "hoarder-own-table",
    "hoarder-standing-table",
    "mixed-forest-hoarder",
    "mixed-forest-hoarder-standing-table",
)
COUNTED: Final[dict[str, dict[str, int]]] = {
    "reference": {
        "mine_oak_log": 11, "mine_stone": 3, "mine_dirt": 1, "craft_planks": 16, "craft_stick": 4,
        "craft_table": 1, "craft_wpick": 2, "place_table": 1, "place_cobble": 1, "place_dirt": 1,
        "place_log": 1, "place_plank": 1, "pickaxe_hoard": 1, "inv.tools": 1, "inv.wood": 6,
        "placed_used_total": 5, "distinct_mined_beyond": 2,
    },
    "idle": {},
    "hoarder-own-table": {
        "mine_oak_log": 17, "craft_planks": 20, "craft_stick": 8, "craft_table": 1,
        "craft_wpick": 4, "place_table": 1, "pickaxe_hoard": 4, "inv.tools": 4, "inv.wood": 12,
        "placed_used_total": 1,
    },
    "hoarder-standing-table": {
        "mine_oak_log": 18, "craft_planks": 24, "craft_stick": 8, "craft_wpick": 4,
        "pickaxe_hoard": 4, "inv.tools": 4, "inv.wood": 12,
    },
    "mixed-forest-hoarder": {
        "mine_oak_log": 11, "mine_birch_log": 4, "mine_spruce_log": 2, "craft_planks": 20,
        "craft_stick": 8, "craft_table": 1, "craft_wpick": 4, "place_table": 1,
        "pickaxe_hoard": 4, "inv.tools": 4, "inv.wood": 12, "placed_used_total": 1,
        "distinct_mined_beyond": 2,
    },
    "mixed-forest-hoarder-standing-table": {
        "mine_oak_log": 10, "mine_birch_log": 4, "mine_spruce_log": 4, "craft_planks": 24,
        "craft_stick": 8, "craft_wpick": 4, "pickaxe_hoard": 4, "inv.tools": 4, "inv.wood": 12,
        "distinct_mined_beyond": 2,
    },
    "round-robin": {
        "mine_oak_log": 2, "mine_dirt": 1, "craft_planks": 8, "craft_stick": 8, "place_dirt": 2,
        "place_plank": 2, "placed_used_total": 4, "distinct_mined_beyond": 1,
    },
}  # fmt: skip
"""Policy -> what stands above 0 after its 30 words, the flags apart."""

EARNED: Final[dict[str, dict[str, dict[str, int]]]] = {
    "reference": {
        "plateau-break": {"primary": 9, "secondary": 17, "plateau-break": 17},
        "plateau-break-beyond-table": {"primary": 18, "secondary": 17, "plateau-break": 18},
        "plateau-break-all-logs": {"primary": 9, "secondary": 17, "plateau-break": 17},
        "plateau-break-strict": {"primary": 18, "secondary": 17, "plateau-break": 18},
        "phase-goal-3": {"tool-1": 11, "wood-8": 26, "phase-goal-3": 26},
    },
    "idle": {},
    "hoarder-own-table": {
        "plateau-break": {"primary": 8},
        "plateau-break-all-logs": {"primary": 8},
        "phase-goal-3": {"tool-1": 10, "wood-8": 19, "phase-goal-3": 19},
    },
    "hoarder-standing-table": {
        "phase-goal-3": {"tool-1": 6, "wood-8": 15, "phase-goal-3": 15},
    },
    "mixed-forest-hoarder": {
        "plateau-break": {"primary": 8, "secondary": 18, "plateau-break": 18},
        "plateau-break-beyond-table": {"secondary": 18},
        "plateau-break-all-logs": {"primary": 8},
        "phase-goal-3": {"tool-1": 10, "wood-8": 19, "phase-goal-3": 19},
    },
    "mixed-forest-hoarder-standing-table": {
        "plateau-break": {"secondary": 14},
        "plateau-break-beyond-table": {"secondary": 14},
        "phase-goal-3": {"tool-1": 6, "wood-8": 15, "phase-goal-3": 15},
    },
    "round-robin": {target: {"primary": 12} for target in BREAKS},
    "constant:chop_oak": {"phase-goal-3": {"wood-8": 8}},
    "constant:wait": {},
    "constant:mine_dirt": {},
    "constant:place_dirt": {},
    "constant:playproof-unknown-word": {},
}
"""Policy -> contract -> milestone -> the words it took; by §2c and §1 of the metric's seed."""


@cache
def report_of(name: str) -> Report:
    return calibrate(load_target(name), processes=1)


def played(name: str, policy: Policy, seed: int = 0) -> Trajectory:
    target = load_target(name)
    return Player(target, replace(target.reference(), seed=seed)).play(policy)


def policy_of(name: str) -> Policy:
    target = load_target("plateau-break")
    found = {p.name: p for p in policies_of(target, target.reference())}
    return {"reference": Policy("reference", tuple(BUILDER))}.get(name) or found[name]


@pytest.mark.parametrize("seed", [0, 1, 2, 8675309])
@pytest.mark.parametrize("name", [n for n in COUNTED if n != "round-robin"])
def test_the_evidence_is_what_was_counted_by_hand_on_every_ground(name: str, seed: int) -> None:
    last = played("plateau-break", policy_of(name), seed).snapshots[-1].numbers
    flags = {"primary", "secondary", "plateau_break", "phase_goal_3"}
    above = {channel.removeprefix("engine."): value for channel, value in last.items() if value}
    assert {c: v for c, v in above.items() if c not in flags} == COUNTED[name]


def test_the_cycle_of_all_words_is_what_was_counted_by_hand() -> None:
    last = played("plateau-break", policy_of("round-robin")).snapshots[-1].numbers
    expected = COUNTED["round-robin"]
    assert {c: last[f"engine.{c}"] for c in expected} == expected


@pytest.mark.parametrize("target", [*BREAKS, "phase-goal-3"])
@pytest.mark.parametrize("name", EARNED)
def test_every_policy_earns_what_the_oracle_says(name: str, target: str) -> None:
    report = report_of(target)
    runs = {run.name: run for run in (*report.references, *report.baselines)}
    assert dict(runs[name].first_pass) == EARNED[name].get(target, {})


def test_the_old_gate_is_refused_because_a_hoarder_earns_all_of_it() -> None:
    with pytest.raises(CalibrationRefusedError) as refusal:
        PackagedContract.calibrate(load_target("phase-goal-3"), processes=1)
    (finding,) = refusal.value.findings
    assert finding.code == "not-separating"
    assert "phase-goal-3 by hoarder-own-table, hoarder-standing-table" in finding.text
    report = refusal.value.report
    assert report.separating == ()
    assert report.best_baseline == (3, HOARDERS)


def test_as_written_the_whole_metric_is_within_reach_of_one_hoarder_and_says_so() -> None:
    packaged = PackagedContract.calibrate(load_target("plateau-break"), processes=1)
    assert packaged.declared == Declarations(non_separating=AS_WRITTEN)
    assert packaged.report.separates is False
    assert packaged.report.best_baseline == (3, ("mixed-forest-hoarder",))
    assert [f.code for f in findings(packaged.report, Declarations())] == ["not-separating"]


@pytest.mark.parametrize(
    ("target", "separating"),
    [
        ("plateau-break-beyond-table", ("plateau-break",)),
        ("plateau-break-all-logs", ("secondary", "plateau-break")),
        ("plateau-break-strict", ("secondary", "plateau-break")),
    ],
)
def test_a_stricter_reading_closes_what_the_hoarders_found(
    target: str, separating: tuple[str, ...]
) -> None:
    packaged = PackagedContract.calibrate(load_target(target), processes=1)
    assert packaged.report.separates
    assert packaged.report.separating == separating
    assert packaged.report.attrition == ()
    declared = Declarations(non_separating=AS_WRITTEN)
    assert [f.code for f in findings(packaged.report, declared)] == ["stale-non-separating"]


def test_under_both_stricter_readings_no_hoarder_reaches_anything() -> None:
    earned = {run.name: run.earned for run in report_of("plateau-break-strict").baselines}
    assert {name: earned[name] for name in (*HOARDERS, "idle")} == dict.fromkeys(
        (*HOARDERS, "idle"), frozenset()
    )


def test_with_words_for_what_counts_by_hand_the_cycle_of_words_reaches_everything() -> None:
    """The limit of the targets: sand and gravel are the words 17 and 18."""
    target = load_target("plateau-break-strict")
    words = [*target.vocabulary(target.reference()), *BY_HAND]
    report = calibrate(target, replace(target.reference(), settings={"words": words}), processes=1)
    cycle = next(run for run in report.baselines if run.name == "round-robin")
    assert dict(cycle.first_pass) == {"primary": 12, "secondary": 18, "plateau-break": 18}
    assert report.separates is False


def test_whoever_names_the_words_is_said_to_have_left_out_the_others() -> None:
    target = load_target("plateau-break")
    ours = target.left_out(target.reference())
    assert ours is not None
    assert (ours.words, ours.of) == (BY_HAND, 18)
    named = target.left_out(replace(target.reference(), settings={"words": ["wait"]}))
    assert named is not None
    assert (len(named.words), named.why) == (17, "the reference names its words, and not these")
    everything = replace(target.reference(), settings={"words": list(WORDS)})
    assert target.left_out(everything) is None


@pytest.mark.parametrize("words", ["wait", ["wait", "fly"], {"wait": 1}, [["wait"]], None])
def test_words_that_are_none_are_refused(words: object) -> None:
    target = load_target("plateau-break")
    with pytest.raises(TargetError, match="words must be a list of some of: wait, chop_oak"):
        target.vocabulary(replace(target.reference(), settings={"words": words}))


def test_the_hoard_rises_and_falls_and_the_counters_only_rise() -> None:
    motion = report_of("plateau-break").motion
    assert motion["engine.pickaxe_hoard"].rises > 0
    assert (motion["engine.pickaxe_hoard"].falls, motion["engine.inv.tools"].falls) == (1, 1)
    assert motion["engine.inv.wood"].falls > 0
    counters = [c for c in motion if c.split(".")[1].startswith(("place_", "mine_", "craft_"))]
    assert len(counters) == 19
    assert {motion[c].falls for c in counters} == {0}
    assert motion["engine.plateau_break"].falls == 0


def test_a_flag_is_unknown_until_a_log_counter_has_moved() -> None:
    quarry = Policy("quarry", ("mine_dirt", "place_dirt", "chop_oak"))
    shots = played("plateau-break", quarry).snapshots
    assert [s.numbers["engine.secondary"] for s in shots] == [None, None, None, 0]
    assert [s.numbers["engine.primary"] for s in shots] == [0, 0, 1, 1]


def test_all_targets_are_held_against_the_same_play() -> None:
    assert set(PLATEAU) <= set(target_ids())
    references = [load_target(name).reference() for name in PLATEAU]
    assert {r.inputs for r in references} == {tuple(BUILDER)}


@pytest.mark.parametrize("name", PLATEAU)
def test_the_shipped_references_are_what_the_recorder_writes(name: str) -> None:
    assert (REFERENCES / f"{name}.json").read_text(encoding="utf-8") == as_text(name)


@pytest.mark.parametrize("name", PLATEAU)
def test_the_contracts_check_the_flags_at_one(name: str) -> None:
    contract: Contract = report_of(name).contract
    checks = {m.id: m.check for m in contract.milestones}
    bound = {i: check.value for i, check in checks.items() if isinstance(check, NumberCheck)}
    wanted = {"wood-8": 8, "tool-1": 1, "phase-goal-3": 1}
    assert bound == (wanted if name == "phase-goal-3" else dict.fromkeys(contract.ids, 1))
