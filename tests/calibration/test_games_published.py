import hashlib
from dataclasses import replace
from functools import cache

import pytest
from calibration.gamesextra import GAMES, needs_games, published_reference
from calibration.published import assert_cells, needs_published, published

from plateau_tui.calibration.calibrate import calibrate
from plateau_tui.calibration.catalog import load_target
from plateau_tui.calibration.contract import Contract, FrameCheck, SaveCheck
from plateau_tui.calibration.declare import NOTHING_DECLARED, Declarations
from plateau_tui.calibration.derive import derive_contract
from plateau_tui.calibration.evidence import Snapshot, Trajectory
from plateau_tui.calibration.findings import findings
from plateau_tui.calibration.record import report_record
from plateau_tui.calibration.report import Report
from plateau_tui.calibration.scores import measure
from plateau_tui.calibration.sweep import probe
from plateau_tui.calibration.tables import Measured, collapse_row, verdict_row
from plateau_tui.calibration.target import play
from plateau_tui.calibration.targets.airstriker import Airstriker, AirstrikerGame

# Airstriker plays some 220 games; a busy machine may take its time.
pytestmark = [needs_games, needs_published, pytest.mark.timeout(900)]

VERDICTS = {
    "breakout": "ALE Breakout	6 of 6	5 of 5	0 of 7 policies scored	"
    "score-opened, score-tier-2, score-tier-4	life-lost	"
    "separates; collapses; 1 undeclared attrition",
    "airstriker": "stable-retro Airstriker	5 of 5	4 of 4	3 (pseudo-random)	nothing	"
    "life-lost	does not separate; collapses",
    "cartpole": "Gymnasium CartPole	5 of 5	5 of 5	2 (round-robin, pseudo-random)	"
    "survived-50-steps, reward-at-50-steps	none	separates; collapses",
    "frozenlake": "Gymnasium FrozenLake	3 of 3	3 of 3	0 of 8 policies scored	"
    "reached-goal, goal-cell	none	separates; collapses",
}
COLLAPSES = {
    "breakout": "ALE Breakout	score-opened	6 of 6	no, 0 of 7	3 of 6, after 32 inputs",
    "airstriker": "stable-retro Airstriker	score-opened	5 of 5	yes, 2 of 28	"
    "3 of 5, after 41 inputs",
    "cartpole": "Gymnasium CartPole	survived-25-steps	5 of 5	yes, 2 of 6	"
    "3 of 5, after 25 steps",
    "frozenlake": "Gymnasium FrozenLake	reached-goal	3 of 3	no, 0 of 8	3 of 3, after 6 steps",
}
"""The rows of the seed's two tables."""

REFUSED = {
    "breakout": [
        "undeclared-attrition", "undeclared-collapse", "undeclared-opaque", "undeclared-opaque",
        "undeclared-weak", "undeclared-weak",
    ],
    "airstriker": [
        "not-separating", "undeclared-attrition", "undeclared-collapse", "undeclared-opaque",
        "undeclared-weak",
    ],
    "cartpole": ["undeclared-collapse", "undeclared-opaque"],
    "frozenlake": ["undeclared-collapse", "undeclared-opaque"],
}  # fmt: skip
DECLARED = {
    "breakout": Declarations(
        attrition_checks=("life-lost",),
        gated_behind="score-opened",
        opaque_checks=("frame-at-first-score", "save-at-first-score"),
        weak_checks=("frame-at-first-score", "save-at-first-score"),
    ),
    "airstriker": Declarations(
        non_separating="A walk that looks at nothing earns what the reference earns.",
        attrition_checks=("life-lost",),
        gated_behind="score-opened",
        opaque_checks=("frame-at-first-score",),
        weak_checks=("frame-at-first-score",),
    ),
    "cartpole": Declarations(
        gated_behind="survived-25-steps", opaque_checks=("frame-at-25-steps",)
    ),
    "frozenlake": Declarations(gated_behind="reached-goal", opaque_checks=("goal-frame",)),
}
FRAME = "frame-at-first-score"


@cache
def report_of(name: str) -> Report:
    return calibrate(load_target(name), published_reference(name), processes=2)


@pytest.mark.parametrize("name", GAMES)
def test_every_published_cell_is_reproduced_and_every_finding_named(name: str) -> None:
    target, report = load_target(name), report_of(name)
    assert_cells(report, published()[target.title])
    measured = Measured(target.title, report, NOTHING_DECLARED, target.unit)
    assert "\t".join(verdict_row(measured)) == VERDICTS[name]
    assert "\t".join(collapse_row(measured)) == COLLAPSES[name]
    assert [finding.code for finding in findings(report, NOTHING_DECLARED)] == REFUSED[name]
    assert findings(report, DECLARED[name]) == ()
    assert_stale(report, DECLARED[name])


def assert_stale(report: Report, exact: Declarations) -> None:
    """A declaration that measures otherwise is refused, whatever kind it is."""
    legible = report.contract.legible[0]
    stale = [
        replace(exact, gated_behind=report.contract.ids[-1]),
        replace(exact, attrition_checks=(*exact.attrition_checks, legible)),
        replace(exact, opaque_checks=(*exact.opaque_checks, legible)),
        replace(exact, weak_checks=(*exact.weak_checks, legible)),
    ]
    if report.separates:
        stale.append(replace(exact, non_separating="It is only a demonstration."))
    assert [len(findings(report, declared)) for declared in stale] == [1] * len(stale)


def test_breakout_in_one_process_reports_the_same_to_the_byte_and_the_published_hashes() -> None:
    target, reference = load_target("breakout"), published_reference("breakout")
    one = calibrate(target, reference, processes=1)
    records = [report_record(r, NOTHING_DECLARED, ()) for r in (one, report_of("breakout"))]
    assert records[0] == records[1]
    cells = published()[target.title]["contract"]
    wanted = {cell["id"]: cell["sha256"] for cell in cells if "sha256" in cell}
    found = {
        m.id: m.check.sha256
        for m in one.contract.milestones
        if isinstance(m.check, (FrameCheck, SaveCheck))
    }
    assert found == wanted  # the emulator is whole numbers throughout, on every machine


def test_airstrikers_wide_sweep_finds_the_published_collisions() -> None:
    """All 768 logs; what goes on from an emulator's state seen before is not played again."""
    target, reference = Airstriker(), published_reference("airstriker")
    (cell,) = (c for c in published()[target.title]["collisions"] if c["cap"] == 32)
    game = target.open(reference, "")
    whole = play(game, reference.seed, reference.inputs)
    contract = derive_contract(target.id, reference.rules, whole)
    prefix = reference.inputs[: measure("", contract, whole).first_pass[FRAME]]
    wide = probe(FRAME, prefix, target.vocabulary(reference), 32)
    branches = Branches(game, reference.seed, prefix)
    runs = [
        measure(policy.name, contract, branches.replaced(turn, word))
        for (turn, word), policy in zip(wide.substituted, wide.policies, strict=True)
    ]
    survivors = wide.survivors(runs)
    joint = wide.joint_policy(survivors)
    assert joint is not None
    found = wide.result(
        survivors, joint=earns(contract, play(game, reference.seed, joint.inputs), FRAME)
    )
    at_random = wide.policies[5::191]
    for policy in at_random:  # straight through, from the start
        straight = earns(contract, play(game, reference.seed, policy.inputs), FRAME)
        assert straight is (FRAME in runs[wide.policies.index(policy)].first_pass)
    game.close()
    assert len(at_random) == 4
    assert {
        "milestone": found.milestone,
        "cap": found.cap,
        "firesAfter": found.fires_after,
        "probedTurns": len(found.probed),
        "substitutions": found.substitutions,
        "collisions": found.collisions,
        "freeTurns": len(found.free_turns),
        "jointCollision": found.joint,
        "family": found.family,
    } == cell


def earns(contract: Contract, trajectory: Trajectory, milestone: str) -> bool:
    return milestone in measure("", contract, trajectory).first_pass


class Branches:
    """Logs that differ from one list of inputs in one of them, each from where it differs."""

    def __init__(self, game: AirstrikerGame, seed: int, inputs: tuple[str, ...]) -> None:
        self._game, self._inputs = game, inputs
        self._shots = [game.start(seed)]
        self._kept = [game.kept()]
        for word in inputs:
            self._shots.append(game.step(word))
            self._kept.append(game.kept())
        self._seen: dict[tuple[int, str], tuple[Snapshot, ...]] = {}

    def replaced(self, turn: int, word: str) -> Trajectory:
        self._game.back_to(self._kept[turn])
        first = self._game.step(word)
        return Trajectory((*self._shots[: turn + 1], first, *self._rest(turn + 1)))

    def _rest(self, turn: int) -> tuple[Snapshot, ...]:
        if turn == len(self._inputs):
            return ()
        state, *more = self._game.kept()
        assert isinstance(state, bytes)
        key = (turn, hashlib.sha256(state + repr(more).encode()).hexdigest())
        if key not in self._seen:
            shot = self._game.step(self._inputs[turn])
            self._seen[key] = (shot, *self._rest(turn + 1))
        return self._seen[key]
