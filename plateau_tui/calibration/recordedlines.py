"""A measured run as plain data and as lines of text."""

from collections.abc import Mapping, Sequence
from typing import Final

from plateau_tui.calibration.declare import NOTHING_DECLARED
from plateau_tui.calibration.record import report_record
from plateau_tui.calibration.recorded import RecordedRun
from plateau_tui.calibration.report import Report
from plateau_tui.calibration.tables import Row, folded, kind_of, table_lines
from plateau_tui.metric.fence import CLAIM_FENCE, CLAIM_FENCE_SHORT
from plateau_tui.metric.registration import Arm

EARNED_HEAD: Final[Row] = ("milestone", "treatment", "control", "not known", "is")
CONTEXT_HEAD: Final[Row] = (
    "above 0", "treatment", "control", "never read", "rises", "falls", "min", "max",
)  # fmt: skip

_STATE: Final[Mapping[bool | None, str]] = {
    True: "closed",
    False: "OPEN, so all of this is so far",
    None: "and no journal that says whether there are more",
}


def run_record(run: RecordedRun) -> dict[str, object]:
    """Return what ``calibrate --json`` prints of a run: the keys of a target, and its own.

    Nothing is declared of a recorded run and nothing refused: it is measured as it is.
    """
    return report_record(run.report, NOTHING_DECLARED, ()) | {
        "run": {
            "rows": run.rows,
            "cycles": run.cycles,
            "of": run.registration.window.cycles,
            "closed": run.closed,
        },
        "earned": _earned(run, run.report),
        "unknown": {i: list(units) for i, units in run.unknown.items()},
        "attrition_earned": {
            i: counts for i, counts in _earned(run, run.report).items() if i in run.report.attrition
        },
        "context": {
            i: by | {"unread": list(_unread(run, i))} for i, by in _earned(run, run.context).items()
        },
        "claim_fence": CLAIM_FENCE,
    }


def _earned(run: RecordedRun, report: Report) -> dict[str, dict[str, str]]:
    return {
        i: {
            arm.role: f"{_count(report, arm, i)} of {len(arm.units)}"
            for arm in (run.registration.treatment, run.registration.control)
        }
        for i in report.contract.ids
    }


def _count(report: Report, arm: Arm, milestone: str) -> int:
    if arm.role == "treatment":
        return report.references_with(milestone)
    return len(report.baselines_with(milestone))


def run_lines(run: RecordedRun, width: int | None = None) -> list[str]:
    """Return what ``calibrate --run`` prints for a person, to a width if there is one."""
    report, gate = run.report, run.registration
    head = (
        f"{gate.run_id}: {run.cycles} of {gate.window.cycles} cycles, {_STATE[run.closed]}; "
        f"{len(report.references)} treatment units as references, {len(report.baselines)} control "
        "units as baselines"
    )
    return [
        *folded([head], width),
        "",
        *table_lines(EARNED_HEAD, earned_rows(run), width),
        "",
        *table_lines(CONTEXT_HEAD, context_rows(run), width),
        "",
        *folded([*conclusions(run), CLAIM_FENCE_SHORT], width),
    ]


def earned_rows(run: RecordedRun) -> list[Row]:
    """Return a row for each milestone: how many units of each arm earned it."""
    return [
        (i, by["treatment"], by["control"], str(len(run.unknown[i])), kind_of(run.report, i))
        for i, by in _earned(run, run.report).items()
    ]


def context_rows(run: RecordedRun) -> list[Row]:
    """Return a row for each counter: how many units had it above 0, and how it moved over all."""
    rows: list[Row] = []
    for i, by in _earned(run, run.context).items():
        motion = run.context.motion.get(f"engine.{i}")
        moved = ("-",) * 4 if motion is None else (
            str(motion.rises), str(motion.falls), str(motion.low), str(motion.high),
        )  # fmt: skip
        unread = str(len(_unread(run, i)))
        rows.append((i, by["treatment"], by["control"], unread, *moved))
    return rows


def _unread(run: RecordedRun, name: str) -> tuple[str, ...]:
    """Return the units of which a channel of the context was never read."""
    units = (*run.context.references, *run.context.baselines)
    return tuple(unit.name for unit in units if f"engine.{name}" not in unit.motion)


def conclusions(run: RecordedRun) -> list[str]:
    """Return what follows for the arms, one line each."""
    report = run.report
    lines = [_separation(run)]
    lines += [
        f"{i}: not known of {', '.join(open_)}; that it separates rests on what was not read"
        for i in report.separating
        if (open_ := _of_control(run, run.unknown[i]))
    ]
    won = [i for i in report.attrition if report.references_with(i) or report.baselines_with(i)]
    lines.append(f"won by attrition: {', '.join(won) or 'nothing'}")
    if report.unmeasured:
        lines.append(f"never read, so earned by nobody: {', '.join(report.unmeasured)}")
    return lines


def _separation(run: RecordedRun) -> str:
    report, treatment = run.report, run.registration.treatment.units
    only = ", ".join(report.separating)
    if report.separates:
        return f"the contract separated the arms: {only}"
    unread = {
        i: open_
        for i, units in run.unknown.items()
        if i in report.contract.ids and (open_ := [u for u in units if u in treatment])
    }
    if unread:
        told = "; ".join(
            f"{i} of {len(units)} of {len(treatment)} treatment units"
            for i, units in unread.items()
        )
        return f"whether the contract separated the arms is not known; not read: {told}"
    if not only:
        return "the contract did not separate the arms: treatment units alone earned no milestone"
    return (
        f"the contract did not separate the arms: no control unit earned {only}, but one earned "
        "as many milestones as any treatment unit"
    )


def _of_control(run: RecordedRun, units: Sequence[str]) -> list[str]:
    return [unit for unit in units if unit in run.registration.control.units]
