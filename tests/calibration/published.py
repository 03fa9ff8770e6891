"""The published references and cells, where the shared folder stands beside the project."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from plateau_tui.calibration.contract import Contract, EventCheck, FrameCheck, NumberCheck
from plateau_tui.calibration.report import Report

SHARED = Path(__file__).parents[3] / "shared" / "calibration"
EXPECTED = SHARED / "expected.json"

OFFLINE = ("native-2048", "save-levels", "screen-puzzle", "engine-crawler")
"""The targets that need nothing but the program itself; none of them is meant to separate."""

needs_published = pytest.mark.skipif(
    not EXPECTED.exists(),
    reason="left out: the published cells and references (../shared/calibration) are not here",
)


@cache
def published() -> dict[str, Any]:
    """Return the published cells of every target, by the target's title."""
    cells: dict[str, Any] = json.loads(EXPECTED.read_text("utf-8"))["targets"]
    return cells


def assert_cells(report: Report, cells: dict[str, Any]) -> None:
    """Hold every published cell of one target against a report."""
    assert report.seed == cells["seed"]
    assert report.strongest.turns == cells["turns"]
    assert list(report.vocabulary) == cells["vocabulary"]
    assert len(report.baselines) == cells["policies"]
    assert str(report.reference_score) == "{} of {}".format(*cells["reference"])
    assert str(report.achievement_score) == "{} of {}".format(*cells["achievements"])
    count, ids = report.best_baseline
    assert (count, list(ids)) == (cells["bestBaseline"], cells["bestBaselineBy"])
    assert report.best_legible == cells["bestLegibleAchievementBaseline"]
    assert earned_by(report) == cells["earnedByBaseline"]
    for ids, key in (
        (report.separating, "separating"),
        (report.attrition, "attrition"),
        (report.attrition_separating, "attritionSeparating"),
        (report.contract.opaque, "opaque"),
        (report.legible_achievements, "legibleAchievements"),
    ):
        assert list(ids) == cells[key], key
    assert report.separates is cells["separates"]
    assert report.deterministic is True
    assert dict(report.strongest.first_pass) == cells["firstPass"]
    falling = [channel for channel, motion in report.motion.items() if motion.only_falls]
    assert falling == cells["onlyFallingChannels"]
    for channel, moved in cells.get("channelMotion", {}).items():
        motion = report.motion[channel]
        assert {"rises": motion.rises, "falls": motion.falls} == moved, channel
    assert_collapse(report, cells["collapse"])
    assert_contract(report.contract, cells["contract"])
    assert_collisions(report, cells["collisions"])


def earned_by(report: Report) -> dict[str, list[str]]:
    """Return what each baseline earned, in the order of passing; those that earned nothing out."""
    return {run.name: list(run.first_pass) for run in report.baselines if run.first_pass}


def assert_collapse(report: Report, cells: dict[str, Any]) -> None:
    found = report.collapse
    assert {
        "prerequisite": found.prerequisite,
        "gated": found.gated,
        "total": found.total,
        "collapses": found.collapses,
        "prerequisiteEarnedBy": list(found.earned_by),
        "together": list(found.together),
        "togetherAfter": found.together_after,
    } == cells


def assert_contract(contract: Contract, cells: list[dict[str, Any]]) -> None:
    """Hold the contract's milestones against the published ones; a hash need not be the same."""
    assert len(contract.milestones) == len(cells)
    for milestone, cell in zip(contract.milestones, cells, strict=True):
        found: dict[str, Any] = {"id": milestone.id, "requires": list(milestone.requires)}
        match milestone.check:
            case NumberCheck(channel, op, value):
                found |= {"channel": channel, "op": op, "value": value}
            case EventCheck(event):
                found |= {"event": event}
            case check:
                found |= {"hashOf": "screen" if isinstance(check, FrameCheck) else "save"}
        assert found == {key: value for key, value in cell.items() if key != "sha256"}


def assert_collisions(report: Report, cells: list[dict[str, Any]]) -> None:
    """Hold the sweeps against the published ones that were made with the same cap."""
    cap = report.collisions[0].cap if report.collisions else None
    wanted = [cell for cell in cells if cell.get("cap", cap) == cap]
    assert len(report.collisions) == len(wanted)
    for found, cell in zip(report.collisions, wanted, strict=True):
        measured = {
            "milestone": found.milestone,
            "firesAfter": found.fires_after,
            "probedTurns": len(found.probed),
            "substitutions": found.substitutions,
            "collisions": found.collisions,
            "freeTurns": len(found.free_turns),
            "jointCollision": found.joint,
            "family": found.family,
            "freeTurnIndices": list(found.free_turns),
            "cap": found.cap,
        }
        assert {key: measured[key] for key in cell} == cell
