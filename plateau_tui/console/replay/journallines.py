"""The lines of a journal's file with their places, as it is read and as it grows."""

import threading
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plateau_tui.console.lines.journal import JournalLine, journal_line
from plateau_tui.runlog.lines import Line, whole_lines
from plateau_tui.runlog.segments import log_lines

_PIECE: Final = 4000
_LOOK_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class JournalPiece:
    """Lines that follow each other; ``ends`` are their places, as ``replay.journal`` has them."""

    lines: list[JournalLine]
    ends: "array[int]"


@dataclass(slots=True)
class _Reader:
    """Counts lines and bytes over the files of a log."""

    number: int = 0
    before: int = 0
    end: int = 0
    file: str = ""
    offset: int = 0

    def take(self, line: Line) -> JournalLine:
        if line.file != self.file:
            self.file, self.before = line.file, self.end
        self.number += 1
        self.offset, self.end = line.end, self.before + line.end
        return journal_line(self.number, line.data)

    def pieces(self, lines: Iterator[Line], stop: threading.Event) -> Iterator[JournalPiece]:
        found: list[JournalLine] = []
        ends: array[int] = array("q")
        for line in lines:
            found.append(self.take(line))
            ends.append(self.end)
            if len(found) == _PIECE:
                yield JournalPiece(found, ends)
                found, ends = [], array("q")
            if stop.is_set():
                return
        if found:
            yield JournalPiece(found, ends)


def follow_lines(path: Path, stop: threading.Event) -> Iterator[JournalPiece]:
    """Yield what a journal holds, and what comes behind it, until ``stop`` is set.

    Raises:
        OSError: a file cannot be read.

    """
    reader = _Reader()
    yield from reader.pieces(log_lines(path), stop)
    while not stop.wait(_LOOK_S):
        yield from reader.pieces(whole_lines(path, reader.offset), stop)
