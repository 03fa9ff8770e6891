"""Reading a log without writing: whole lines, with their place in the file."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from plateau_tui.runlog.events import Entry, decode_entry
from plateau_tui.runlog.rows import Row, decode_row


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line is: its number from 1, its first byte's offset."""

    number: int
    byte: int


@dataclass(frozen=True, slots=True)
class Line:
    """One whole line: its number from 1, its first byte's offset, its bytes without the newline."""

    number: int
    byte: int
    data: bytes

    @property
    def place(self) -> Place:
        """Where the line is."""
        return Place(self.number, self.byte)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A whole line that is no record of its log."""

    line: Line
    reason: str


def whole_lines(path: Path, offset: int = 0) -> Iterator[Line]:
    """Yield the whole lines of a log; what stands behind the last newline is left alone.

    A file that does not exist has no lines.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        file.seek(offset)
        byte = offset
        for number, data in enumerate(file, start=1):
            if not data.endswith(b"\n"):
                return
            yield Line(number, byte, data[:-1])
            byte += len(data)


def unfinished(path: Path) -> tuple[Place, int] | None:
    """Return where the bytes behind the last newline begin, and how many they are."""
    if not path.exists():
        return None
    number = end = 0
    for line in whole_lines(path):
        number, end = line.number, line.byte + len(line.data) + 1
    rest = path.stat().st_size - end
    return (Place(number + 1, end), rest) if rest > 0 else None


def _reason(error: Exception) -> str:
    return f"is no record of this log ({str(error)[:120]})"


def scan_rows(path: Path) -> Iterator[tuple[Line, Row] | Unreadable]:
    """Yield each row with its line; a line that is none comes as ``Unreadable``."""
    for line in whole_lines(path):
        try:
            yield line, decode_row(line.data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            yield Unreadable(line, _reason(error))


def scan_journal(path: Path, offset: int = 0) -> Iterator[tuple[Line, Entry] | Unreadable]:
    """Yield each entry with its line; a line that is none comes as ``Unreadable``.

    ``offset`` is where to begin, in bytes; the first line may then be half of one.
    """
    for line in whole_lines(path, offset):
        try:
            yield line, decode_entry(line.data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            yield Unreadable(line, _reason(error))


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the readable rows."""
    for item in scan_rows(path):
        if not isinstance(item, Unreadable):
            yield item[1]
