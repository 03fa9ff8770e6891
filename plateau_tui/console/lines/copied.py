"""What a copy holds: the facts of a screen as plain text; only the heads are read from disk."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plateau_tui.console.lines.grid import (
    Columns,
    arm_line,
    columns_line,
    header_lines,
    unit_line,
)
from plateau_tui.console.lines.journal import JournalLine, when
from plateau_tui.console.lines.problems import problems
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.lines.unit import reading_lines
from plateau_tui.console.live.view import Role, RunView, UnitView
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT
from plateau_tui.runlog.chain import ChainFormatError, split_line
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.times import format_ms

WIDTH: Final = 120
"""Cells of a line whose columns are fitted; texts are as long as they are."""
_ROLES: Final[tuple[Role, ...]] = ("treatment", "control")
_LONGEST_LINE: Final = 1_048_576
"""A log's last line is looked for in so many of its last bytes."""


@dataclass(frozen=True, slots=True)
class Heads:
    """The chains at the end of a run's files; None where there is none that can be read."""

    rows: str | None
    journal: str | None


def heads_of(folder: RunFolder) -> Heads:
    """Return the heads of a run's log as its files now are."""
    return Heads(_head_of(folder.rows), _head_of(folder.journal))


def _head_of(path: Path) -> str | None:
    """Return the chain of a file's last whole line."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LONGEST_LINE))
            whole, newline, _ = file.read(_LONGEST_LINE).rpartition(b"\n")
        return split_line(whole.rpartition(b"\n")[2])[1] if newline else None
    except (OSError, ChainFormatError):
        return None


def run_text(view: RunView, heads: Heads, now_ms: int) -> str:
    """Return what the run's screen says, in full: the run, what is wrong, each unit, the heads."""
    lines = [
        f"plateau-tui: run {view.name}, as read at {_when(now_ms)} UTC",
        f"run_id: {view.run_id}",
        *header_lines(view, now_ms, WIDTH),
        *(f"! {problem.line}" for problem in problems(view, now_ms)),
    ]
    for role in _ROLES:
        columns = Columns.fit(WIDTH, view)
        lines += ["", arm_line(view, role, WIDTH, now_ms), columns_line(columns)]
        lines += [unit_line(unit, view, columns, now_ms) for unit in view.of(role)]
    lines += [
        "",
        f"seal: {view.seal or 'none'}{' BROKEN' if view.seal_broken else ''}",
        f"rows head: {heads.rows or 'none'}",
        f"journal head: {heads.journal or 'none'}",
        CLAIM_FENCE_SHORT,
    ]
    return _plain(lines)


def unit_text(unit: UnitView, view: RunView, now_ms: int) -> str:
    """Return what the unit's screen says."""
    return _plain(
        [
            f"plateau-tui: unit {unit.name} of run {view.name}, as read at {_when(now_ms)} UTC",
            *reading_lines(unit, view, WIDTH, now_ms),
            CLAIM_FENCE_SHORT,
        ]
    )


def journal_text(
    name: str,
    lines: Sequence[JournalLine],
    shown: Iterable[int],
    told: Iterable[str],
    now_ms: int,
    *,
    local: bool,
) -> str:
    """Return the journal as it is chosen on its screen, each line in full behind its number.

    Args:
        name: the run's.
        lines: all of the file.
        shown: the places of those that the choice shows.
        told: what stands above them.
        now_ms: when it was read.
        local: local time beside UTC.

    """
    chosen = (lines[place] for place in shown)
    texts = (f"{each.number}: {when(each.ts, local=local)} {each.text}" for each in chosen)
    return page_text(f"journal of run {name}", [*told, "", *texts, ""], now_ms)


def page_text(title: str, lines: Iterable[str], now_ms: int) -> str:
    """Return the lines of a screen under its title, and the fence."""
    first = f"plateau-tui: {title}, as read at {_when(now_ms)} UTC"
    return _plain([first, *lines, CLAIM_FENCE_SHORT])


def _when(now_ms: int) -> str:
    return format_ms(now_ms)[:19].replace("T", " ")


def _plain(lines: list[str]) -> str:
    return "\n".join(harmless(line).rstrip() for line in lines) + "\n"
