"""The files that make up one log, in order.

A log that was rotated, deleted or replaced under its writer goes on in a new file, from the last
head. The chain says which file stands before which, whatever their names are: the first line of
the later one follows from a line of the earlier one, and no other file can be put between.
"""

import stat
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plateau_tui.runlog.chain import JOURNAL_GENESIS, ChainFormatError, link, split_line
from plateau_tui.runlog.lines import Line, whole_lines
from plateau_tui.runlog.logend import sound_end

_COPY_BYTES: Final = 1 << 20
_LOGS: Final = frozenset({"rows.jsonl", "journal.jsonl"})
_ROW: Final = b'{"schema":"plateau_row/'
"""How each row begins."""
_SEALED: Final = b'"event":"sealed"'
"""What stands in the line of a seal, and in no other: a quote in a text has a backslash."""

_NO_LOG: Final = ("collector.", ".")
"""How names begin that are never looked into."""

_TAKEN_OUT: Final = (".torn-", ".broken-")
"""What stands in names of files that hold what belongs to no log."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A file of a log, and how many of its bytes belong to it; None: all whole lines."""

    path: Path
    end: int | None = None

    @property
    def size(self) -> int:
        """How many bytes belong to the log, and what may stand behind its last line."""
        return self.path.stat().st_size if self.end is None else self.end


def segments(path: Path, head: str = "", more: tuple[Path, ...] = ()) -> tuple[Segment, ...]:
    """Return the files of a log in order; the last is ``path`` itself, also where it is missing.

    Args:
        path: the log's own file.
        head: the chain that stands before its next line; asked while the file has no line.
        more: files from elsewhere that may be earlier ones.

    Raises:
        OSError: a file cannot be read.

    """
    found, current = [Segment(path)], path
    if path.name not in _LOGS:
        return tuple(found)
    others: list[Path] | None = None
    while True:
        first = _first(current)
        if first is None and not (head and is_empty(current)):
            return tuple(found)
        if first is not None and link(JOURNAL_GENESIS, first[0]) == first[1]:
            return tuple(found)
        others = [*candidates(path), *more] if others is None else others
        before = next(filter(None, (_before(other, first, head) for other in others)), None)
        if before is None:
            return tuple(found)
        others.remove(before.path)
        found.insert(0, before)
        current = before.path


def candidates(path: Path) -> list[Path]:
    """Return the other files beside a log that may hold lines of it, by name."""
    try:
        beside = sorted(path.parent.iterdir())
    except FileNotFoundError:
        return []
    return [other for other in beside if other.name not in _LOGS and _may_be_log(other)]


def _may_be_log(path: Path) -> bool:
    if path.name.startswith(_NO_LOG) or path.suffix == ".toml":
        return False
    if any(word in path.name for word in _TAKEN_OUT):
        return False
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        with path.open("rb") as file:
            return file.read(1) == b"{"
    except OSError:
        return False


def _first(path: Path) -> tuple[bytes, str] | None:
    """Return the body and the chain of a file's first line; None where it has none."""
    line = next(whole_lines(path), None)
    try:
        return None if line is None else split_line(line.data)
    except ChainFormatError:
        return None


def is_empty(path: Path) -> bool:
    """Say whether a file has no whole line, or is not there."""
    return next(whole_lines(path), None) is None


def _before(other: Path, first: tuple[bytes, str] | None, head: str) -> Segment | None:
    """Return the file as an earlier segment, where a line of it is the one that is sought."""
    for line in whole_lines(other):
        try:
            chain = split_line(line.data)[1]
        except ChainFormatError:
            continue
        if first is None:
            sought = chain == head
        elif chain == first[1]:
            return None  # a copy of the later file
        else:
            sought = link(chain, first[0]) == first[1]
        if sought:
            return Segment(other, line.end)
    return None


def log_lines(path: Path, head: str = "", more: tuple[Path, ...] = ()) -> Iterator[Line]:
    """Yield the whole lines of a log, those of its earlier files first."""
    for segment in segments(path, head, more):
        file = "" if segment.path == path else segment.path.name
        yield from whole_lines(segment.path, end=segment.end, file=file)


def earlier_lines(files: Iterable[Segment], piece: int) -> Iterator[tuple[bytes, ...]]:
    """Yield the lines of a log's earlier files, about ``piece`` bytes of them at once."""
    taken: list[bytes] = []
    size = 0
    for segment in files:
        for line in whole_lines(segment.path, end=segment.end):
            taken.append(line.data)
            size += len(line.data)
            if size >= piece:
                yield tuple(taken)
                taken, size = [], 0
    if taken:
        yield tuple(taken)


def copy_joined(path: Path, target: Path) -> None:
    """Write all files of a log into one, in order; bytes behind the last line come along.

    Raises:
        OSError: a file cannot be read or written.

    """
    with target.open("wb") as out:
        for segment in segments(path):
            with segment.path.open("rb") as file:
                left = sys.maxsize if segment.end is None else segment.end
                while data := file.read(min(left, _COPY_BYTES)):
                    out.write(data)
                    left -= len(data)


def goes_on_from(path: Path, head: str) -> bool:
    """Say whether the first line of a file is the one that follows a chain."""
    first = _first(path)
    return first is not None and link(head, first[0]) == first[1]


def last_head(path: Path) -> str:
    """Return the chain of a file's last whole line of the log; empty where there is none."""
    return sound_end(path, "")[1]


def journal_lost(journal: Path, rows: Path) -> bool:
    """Say whether rows of a run stand in its folder, and no journal of it under any name.

    No row is written before the seal: a journal without one is not that of the rows, or was cut.

    Raises:
        OSError: a file cannot be read.

    """
    if is_empty(journal):
        if journal_elsewhere(journal) is not None:
            return False
    elif any(_SEALED in line.data for line in whole_lines(journal)):
        return False
    return any(_begins_with_rows(path) for path in (rows, *candidates(rows)))


def _begins_with_rows(path: Path) -> bool:
    first = _first(path)
    return first is not None and first[0].startswith(_ROW)


def journal_elsewhere(path: Path) -> tuple[Path, str] | None:
    """Return the file that holds a journal which is missing, and its head; None where none does.

    Of several the one that the most lines lead to.
    """
    best: tuple[int, Path, str] | None = None
    for other in candidates(path):
        head = last_head(other)
        files = segments(path, head) if head else ()
        if not files or not goes_on_from(files[0].path, JOURNAL_GENESIS):
            continue
        length = sum(1 for _ in log_lines(path, head))
        if best is None or length > best[0]:
            best = (length, other, head)
    return None if best is None else best[1:]
