"""What the calibration's screens show, as pure text: states, progress, tables that fit."""

from collections.abc import Sequence
from typing import Final

from plateau_tui.calibration import outcome, tables
from plateau_tui.calibration.apart import Told
from plateau_tui.calibration.controls import Ranked, ranked_lines
from plateau_tui.calibration.outcome import Outcome
from plateau_tui.calibration.recorded import RecordedRun
from plateau_tui.calibration.recordedlines import run_lines
from plateau_tui.console.lines.text import harmless
from plateau_tui.metric.plain import out_of

_BAR: Final = 20


def outcome_state(came: Outcome) -> str:
    """Return what came of a target, in a few words."""
    found = tables.verdict(came.measured.report, came.measured.declared)
    refused = len(came.refused)
    return f"REFUSED for {refused}: {found}" if refused else f"not refused: {found}"


def progress_line(name: str, told: Told | None) -> str:
    """Return how far a calibration is."""
    if told is None:
        return f"{name} [{'':{_BAR}}] begins ..."
    bar = "#" * (_BAR * told.done // max(1, told.total))
    return f"{name} [{bar:{_BAR}}] {out_of(told.done, told.total, 'run')}: {told.what}"


def outcomes_lines(
    outcomes: Sequence[Outcome], width: int, ranked: Sequence[Ranked] = (), *, motion: bool = False
) -> list[str]:
    """Return what ``calibrate`` prints, in lines of at most ``width`` cells.

    What was asked for stands above: with ``motion`` how every channel moved, and the controls that
    were ``ranked``.
    """
    controls = [*ranked_lines(ranked, width)[1:], ""] if ranked else []
    moved = outcome.motion_lines(outcomes, width) if motion else []
    lines = (*moved, *controls, *outcome.outcomes_lines(outcomes, width))
    return [harmless(line, width) for line in lines]


def recorded_lines(run: RecordedRun, width: int) -> list[str]:
    """Return what ``calibrate --run`` prints, in lines of at most ``width`` cells."""
    return [harmless(line, width) for line in run_lines(run, width)]


def folded(lines: Sequence[str], width: int) -> list[str]:
    """Return lines broken between words; what goes on is indented."""
    return [harmless(line, width) for line in tables.folded(lines, width)]
