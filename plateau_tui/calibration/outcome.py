"""What came of a calibration, refused or not, and the lines that stand below its tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from plateau_tui.calibration.contract import Contract
from plateau_tui.calibration.findings import Finding
from plateau_tui.calibration.packaged import CalibrationRefusedError, PackagedContract
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.replay import Progress, silent
from plateau_tui.calibration.report import Report
from plateau_tui.calibration.tables import (
    COLLAPSE_HEAD,
    MOTION_HEAD,
    VERDICT_HEAD,
    WALKS_HEAD,
    Measured,
    Row,
    collapse_row,
    folded,
    motion_rows,
    notes,
    reached,
    table_lines,
    verdict_row,
    walk_rows,
)
from plateau_tui.calibration.target import Target

Table = tuple[Row, list[Row]]
"""A head and its rows."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was measured of one target, and what is left against its contract."""

    name: str
    measured: Measured
    refused: tuple[Finding, ...]


def outcome_of(
    target: Target,
    reference: Reference | None = None,
    *,
    contract: Contract | None = None,
    walks: int = 0,
    processes: int | None = None,
    progress: Progress = silent,
) -> Outcome:
    """Calibrate a target; a refusal is an outcome too.

    The arguments are those of ``PackagedContract.calibrate``.

    Raises:
        TargetError: the target cannot be played here.
        ContractError: no valid contract follows from the reference.

    """
    target.require()
    reference = target.reference() if reference is None else reference
    try:
        packaged = PackagedContract.calibrate(
            target,
            reference,
            contract=contract,
            walks=walks,
            processes=processes,
            progress=progress,
        )
    except CalibrationRefusedError as refusal:
        return Outcome(target.id, _measured(target, reference, refusal.report), refusal.findings)
    return Outcome(target.id, _measured(target, reference, packaged.report), ())


def _measured(target: Target, reference: Reference, report: Report) -> Measured:
    return Measured(
        target.title, report, reference.declared, target.unit, target.left_out(reference)
    )


def outcomes_lines(
    outcomes: Sequence[Outcome], width: int | None = None, *, motion: bool = False
) -> list[str]:
    """Return the seed's tables and what stands below them, to a width if there is one.

    ``motion`` adds how every numeric channel moved.
    """
    lines: list[str] = []
    for head, rows in seed_tables([outcome.measured for outcome in outcomes]) if outcomes else ():
        lines += [*table_lines(head, rows, width), ""]
    if motion:
        lines += motion_lines(outcomes, width)
    for outcome in outcomes:
        lines += folded(outcome_lines(outcome), width)
    return lines


def motion_lines(outcomes: Sequence[Outcome], width: int | None = None) -> list[str]:
    """Return how every numeric channel moved, and an empty line; nothing where there is none."""
    rows = [row for outcome in outcomes for row in motion_rows(outcome.measured)]
    return [*table_lines(MOTION_HEAD, rows, width), ""] if rows else []


def seed_tables(measured: Sequence[Measured]) -> list[Table]:
    """Return the seed's two tables and, where walks were played, that of the walks."""
    tables = [
        (VERDICT_HEAD, [verdict_row(m) for m in measured]),
        (COLLAPSE_HEAD, [collapse_row(m) for m in measured]),
    ]
    walked = [m for m in measured if m.report.walks]
    if walked:
        tables.append((WALKS_HEAD, [row for m in walked for row in walk_rows(m)]))
    return tables


def outcome_lines(outcome: Outcome) -> list[str]:
    """Return what stands below the tables: who reached what, notes, findings; a line each."""
    return [*reached(outcome.measured), *notes(outcome.measured), *standing_lines(outcome)]


def standing_lines(outcome: Outcome) -> list[str]:
    """Return what was declared and what is left against a contract, one line each."""
    title = outcome.measured.title
    lines = []
    for key, value in outcome.measured.declared.as_dict().items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        lines.append(f"{title}: declared {key}: {text}")
    lines += [f"{title}: REFUSED: {finding.text}" for finding in outcome.refused]
    return lines if outcome.refused else [*lines, f"{title}: nothing is left against this contract"]
