"""``plateau-tui calibrate --controls``: how a contract ranks players that look."""

from collections.abc import Sequence
from typing import Any

import click

from plateau_tui.calibration.controls import (
    Ranked,
    control_findings,
    controls_of,
    controls_record,
)
from plateau_tui.calibration.target import Target


def require_controls(targets: Sequence[Target]) -> None:
    """Refuse ``--controls`` where no target has any.

    Raises:
        UsageError: none of the targets has controls.

    """
    if not any(controls_of(target.id) for target in targets):
        raise click.UsageError("no such target has controls: --controls goes with breakout")


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
