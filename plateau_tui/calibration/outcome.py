"""What came of a calibration, refused or not, and the lines that stand below its tables."""

from collections.abc import Sequence
from dataclasses import dataclass

from plateau_tui.calibration.contract import Contract
from plateau_tui.calibration.findings import Finding
from plateau_tui.calibration.packaged import CalibrationRefusedError, PackagedContract
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.replay import Progress, silent
from plateau_tui.calibration.tables import (
    COLLAPSE_HEAD,
    VERDICT_HEAD,
    WALKS_HEAD,
    Measured,
    Row,
    collapse_row,
    notes,
    reached,
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
        measured = Measured(target.title, refusal.report, reference.declared, target.unit)
        return Outcome(target.id, measured, refusal.findings)
    measured = Measured(target.title, packaged.report, packaged.declared, target.unit)
    return Outcome(target.id, measured, ())


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
