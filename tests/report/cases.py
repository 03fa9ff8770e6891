"""Finished runs for the tests of the report: written by the writer, closed at their end."""

from collections.abc import Sequence
from pathlib import Path

from metric.texts import VALID, changed, parsed
from runlog.runs import begin, closed, new_folder, write_cycle

from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder

CYCLES = 4
TEXT = changed("cycles = 66", f"cycles = {CYCLES}").replace(
    "later_gates = []", 'later_gates = ["Phase 4: satiety"]'
)
ANSWERS = b"""\
adjudicator = "K. T."
[attribution]
single_variable = true
other_differences = []
[classification]
case = "a"
evidence = "probe of cycle 3: factors and actions for placing are present"
"""
"""Both questions of a PARTIAL answered."""


def closed_run(
    path: Path, *more: ev.Event, text: str = TEXT, cycles: int = CYCLES, mode: int = 0o700
) -> RunFolder:
    """A run whose treatment units build and diversify, ``more`` journaled before its close."""
    folder = new_folder(path, text, mode)
    writer = begin(folder, text)
    for cycle in range(cycles):
        write_cycle(writer, parsed(text), cycle)
    if more:
        writer.journal(*more)
    writer.journal(closed(cycles, early=cycles < parsed(text).window.cycles))
    writer.require_written()
    writer.close()
    return folder


def notes(texts: Sequence[str]) -> list[ev.Event]:
    return [ev.Note(by="op", text=text) for text in texts]


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path with slashes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


__all__ = ["ANSWERS", "CYCLES", "TEXT", "VALID", "closed_run", "files_of", "notes"]
