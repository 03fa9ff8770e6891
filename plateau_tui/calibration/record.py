"""A report as plain data: what ``calibrate --json`` prints for one target (interfaces.md)."""

from collections.abc import Sequence

from plateau_tui.calibration.collapse import Collapse
from plateau_tui.calibration.contractfile import contract_hash, contract_to_dict
from plateau_tui.calibration.declare import Declarations
from plateau_tui.calibration.findings import Finding
from plateau_tui.calibration.motion import Motion
from plateau_tui.calibration.report import Report
from plateau_tui.calibration.scores import Played, score_achievements, score_milestones
from plateau_tui.calibration.sweep import Collision
from plateau_tui.calibration.tables import verdict
from plateau_tui.calibration.target import LeftOut


def report_record(
    report: Report, declared: Declarations, found: Sequence[Finding]
) -> dict[str, object]:
    """Return a report as plain data; the same report gives the same data in the same order."""
    count, ids = report.best_baseline
    return {
        "reference": str(report.reference_score),
        "achievements": str(report.achievement_score),
        "best_baseline": {"count": count, "ids": list(ids)},
        "separating": list(report.separating),
        "attrition": list(report.attrition),
        "separates": report.separates,
        "collapse": _collapse(report.collapse),
        "declared": declared.as_dict(),
        "refused": [finding.text for finding in found],
        "refused_codes": [finding.code for finding in found],
        "verdict": verdict(report, declared),
        **_milestones(report),
        **_evidence(report),
    }


def left_out_record(left_out: LeftOut | None) -> dict[str, object] | None:
    """Return the words that nothing trivial has played as plain data; None where all were."""
    if left_out is None:
        return None
    return {"words": list(left_out.words), "of": left_out.of, "why": left_out.why}


def _milestones(report: Report) -> dict[str, object]:
    """Return what follows for the milestones, beyond the keys of the interface."""
    return {
        "best_legible_baseline": report.best_legible,
        "attrition_separating": list(report.attrition_separating),
        "trivial": list(report.trivial),
        "legible": list(report.contract.legible),
        "opaque": list(report.contract.opaque),
        "legible_achievements": list(report.legible_achievements),
        "unmeasured": list(report.unmeasured),
        "above_top": [
            {"channel": a.channel, "top": a.top, "max": a.high} for a in report.above_top
        ],
        "contract_sha256": contract_hash(report.contract),
        "contract": contract_to_dict(report.contract)["milestones"],
    }


def _evidence(report: Report) -> dict[str, object]:
    """Return what was played, and what it showed."""
    return {
        "deterministic": report.deterministic,
        "seed": report.seed,
        "turns": report.strongest.turns,
        "vocabulary": list(report.vocabulary),
        "policies": len(report.baselines),
        "first_pass": dict(report.strongest.first_pass),
        "references": _runs(report, report.references),
        "baselines": _runs(report, report.baselines),
        "motion": {channel: motion_record(m) for channel, m in report.motion.items()},
        "collisions": [_collision(c) for c in report.collisions],
        "walks": _walks(report),
    }


def motion_record(motion: Motion) -> dict[str, object]:
    """Return the motion of one channel as plain data."""
    return {
        "rises": motion.rises,
        "falls": motion.falls,
        "min": motion.low,
        "max": motion.high,
        "initial": list(motion.initials),
        "samples": motion.samples,
    }


def _collapse(found: Collapse) -> dict[str, object]:
    return {
        "prerequisite": found.prerequisite,
        "gated": found.gated,
        "total": found.total,
        "collapses": found.collapses,
        "prerequisite_earned_by": list(found.earned_by),
        "together": list(found.together),
        "together_after": found.together_after,
    }


def _runs(report: Report, runs: Sequence[Played]) -> dict[str, object]:
    return {
        run.name: {
            "milestones": str(score_milestones(report.contract, run.earned)),
            "achievements": str(score_achievements(report.contract, report.attrition, run.earned)),
            "earned": list(run.first_pass),
        }
        for run in runs
    }


def _collision(found: Collision) -> dict[str, object]:
    return {
        "milestone": found.milestone,
        "fires_after": found.fires_after,
        "cap": found.cap,
        "probed_turns": len(found.probed),
        "substitutions": found.substitutions,
        "collisions": found.collisions,
        "free_turns": list(found.free_turns),
        "joint_collision": found.joint,
        "family": found.family,
    }


def _walks(report: Report) -> dict[str, object] | None:
    """Return how many of the walks earned each milestone; None where none was played."""
    total = len(report.walks)
    if not total:
        return None
    return {
        "count": total,
        "earned_by": {i: f"{report.walks_with(i)} of {total}" for i in report.contract.ids},
        "separating": list(report.separating_under_walks),
        "attrition": list(report.attrition_with_walks),
    }
