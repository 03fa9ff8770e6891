"""The whole lines of one file, with their place in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

MAX_LINE_BYTES: Final = 1 << 20
"""More than any line of ours: the longest holds a sealed registration, at most 256 KB of TOML."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line is: its number from 1, its first byte's offset.

    ``file`` names the file where that is not the log's own, but an earlier one that it goes on
    from.
    """

    number: int
    byte: int
    file: str = ""


class Line(msgspec.Struct, frozen=True):
    """One whole line: its number from 1, its first byte's offset, its bytes without the newline.

    ``file`` names an earlier file that the log goes on from; empty in the log's own. A line of
    more than ``MAX_LINE_BYTES`` comes without them: ``skipped`` says how many they are.
    """

    number: int
    byte: int
    data: bytes
    file: str = ""
    skipped: int = 0

    @property
    def place(self) -> Place:
        """Where the line is."""
        return Place(self.number, self.byte, self.file)

    @property
    def end(self) -> int:
        """The offset behind its newline."""
        return self.byte + len(self.data) + self.skipped + 1


def whole_lines(
    path: Path, offset: int = 0, *, end: int | None = None, file: str = ""
) -> Iterator[Line]:
    """Yield the whole lines of a file; what stands behind the last newline is left alone.

    A file that does not exist has no lines. From ``end`` on, where it is given, none is yielded.
    However long a line is, no more of it than ``MAX_LINE_BYTES`` is held.
    """
    try:
        source = path.open("rb")
    except FileNotFoundError:
        return
    with source:
        source.seek(offset)
        byte, number = offset, 0
        while end is None or byte < end:
            number += 1
            data = source.readline(MAX_LINE_BYTES + 1)
            line = Line(number, byte, data[:-1], file)
            if not data.endswith(b"\n"):
                skipped = length_of_rest(source) if len(data) > MAX_LINE_BYTES else None
                if skipped is None:
                    return
                line = Line(number, byte, b"", file, len(data) + skipped)
            yield line
            byte = line.end


def length_of_rest(source: BinaryIO) -> int | None:
    """Go on behind the next newline; return how many bytes stand before it, None without one."""
    length = 0
    while data := source.readline(MAX_LINE_BYTES):
        if data.endswith(b"\n"):
            return length + len(data) - 1
        length += len(data)
    return None
