"""What the calibration's screens show, as pure text: states, progress, tables that fit."""

import textwrap
from collections.abc import Sequence
from typing import Final

from plateau_tui.calibration.apart import Told
from plateau_tui.calibration.outcome import Outcome, outcome_lines, seed_tables
from plateau_tui.calibration.recorded import RecordedRun
from plateau_tui.calibration.recordedlines import (
    CONTEXT_HEAD,
    EARNED_HEAD,
    conclusions,
    context_rows,
    earned_rows,
    run_lines,
)
from plateau_tui.calibration.tables import Row, laid_out, verdict
from plateau_tui.console.text import cells, harmless
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT

_BAR: Final = 20
_INDENT: Final = "  "
_SHORT: Final = 24


def outcome_state(outcome: Outcome) -> str:
    """Return what came of a target, in a few words."""
    found = verdict(outcome.measured.report, outcome.measured.declared)
    refused = len(outcome.refused)
    return f"REFUSED for {refused}: {found}" if refused else f"not refused: {found}"


def progress_line(name: str, told: Told | None) -> str:
    """Return how far a calibration is."""
    if told is None:
        return f"{name} [{'':{_BAR}}] begins ..."
    bar = "#" * (_BAR * told.done // max(1, told.total))
    return f"{name} [{bar:{_BAR}}] {told.done} of {told.total} runs: {told.what}"


def outcomes_lines(outcomes: Sequence[Outcome], width: int) -> list[str]:
    """Return the seed's tables and what stands below them, in lines of at most ``width`` cells."""
    lines: list[str] = []
    for head, rows in seed_tables([outcome.measured for outcome in outcomes]):
        lines += [*table_lines(head, rows, width), ""]
    for outcome in outcomes:
        lines += folded(outcome_lines(outcome), width)
    return lines


def recorded_lines(run: RecordedRun, width: int) -> list[str]:
    """Return what ``calibrate --run`` prints, in lines of at most ``width`` cells."""
    head = run_lines(run)[0]
    return [
        *folded([head], width),
        "",
        *table_lines(EARNED_HEAD, earned_rows(run), width),
        "",
        *table_lines(CONTEXT_HEAD, context_rows(run), width),
        "",
        *folded([*conclusions(run), CLAIM_FENCE_SHORT], width),
    ]


def table_lines(head: Row, rows: Sequence[Row], width: int) -> list[str]:
    """Return a table in columns where they fit, and else each row as a list of its cells.

    What all rows begin with is said once.
    """
    lead: list[str] = []
    if len(rows) > 1 and len({row[0] for row in rows}) == 1:
        lead = folded([f"{head[0]} {rows[0][0]}"], width)
        head, rows = head[1:], [row[1:] for row in rows]
    lines = laid_out(head, rows, width)
    if any(cells(line) > width for line in lines):
        lines = [line for row in rows for line in _stacked(head, row, width)]
    return [*lead, *(harmless(line, width) for line in lines)]


def _stacked(head: Row, row: Row, width: int) -> list[str]:
    """Return a row as its cells with their names: short ones share a line."""
    first, *others = (f"{name}: {cell}" for name, cell in zip(head, row, strict=True))
    lines: list[str] = []
    for part in others:
        if len(part) <= _SHORT and lines and len(lines[-1]) + len(part) + 2 <= width:
            lines[-1] += f"; {part}"
        else:
            lines.append(f"{_INDENT}{part}")
    return folded([first, *lines], width)


def folded(lines: Sequence[str], width: int) -> list[str]:
    """Return lines broken between words; what goes on is indented."""
    return [
        harmless(part, width)
        for line in lines
        for part in textwrap.wrap(
            line,
            max(len(_INDENT) * 4, width),
            subsequent_indent=_INDENT * 2,
            break_on_hyphens=False,
        )
        or [""]
    ]
