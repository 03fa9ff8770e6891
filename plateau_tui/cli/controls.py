"""``plateau-tui calibrate --controls``: how a contract ranks players that look."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from plateau_tui.calibration.controls import (
    CONTROLS_HEAD,
    ControlReport,
    control_findings,
    control_rows,
    controls_of,
    controls_record,
    play_controls,
)
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.report import Report
from plateau_tui.calibration.tables import laid_out
from plateau_tui.calibration.target import Target


@dataclass(frozen=True, slots=True)
class Ranked:
    """The controls of one target, and the name of its contract."""

    title: str
    report: ControlReport


def require_controls(targets: Sequence[Target]) -> None:
    """Refuse ``--controls`` where no target has any.

    Raises:
        UsageError: none of the targets has controls.

    """
    if not any(controls_of(target.id) for target in targets):
        raise click.UsageError("no such target has controls: --controls goes with breakout")


def ranked(target: Target, reference: Reference, report: Report) -> Ranked | None:
    """Play a target's controls against the contract of a report; None where it has none."""
    controls = controls_of(target.id)
    if controls is None:
        return None
    return Ranked(target.title, play_controls(target, reference, controls, report))


def ranked_json(found: Sequence[Ranked]) -> dict[str, Any]:
    """Return what ``--json`` says of the controls: their figures, and what follows from them."""
    findings = [finding for each in found for finding in control_findings(each.report)]
    return {
        "controls": {
            name: cells for each in found for name, cells in controls_record(each.report).items()
        },
        "control_findings": [finding.text for finding in findings],
        "control_finding_codes": [finding.code for finding in findings],
    }


def ranked_lines(found: Sequence[Ranked]) -> list[str]:
    """Return the table of the controls and what follows from it, one line each."""
    rows = [row for each in found for row in control_rows(each.report)]
    said = [
        f"{each.title}: {finding.text}"
        for each in found
        for finding in control_findings(each.report)
    ]
    return ["", *laid_out(CONTROLS_HEAD, rows), "", *said]
