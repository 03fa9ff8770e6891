"""The whole lines of one file, with their place in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line is: its number from 1, its first byte's offset.

    ``file`` names the file where that is not the log's own, but an earlier one that it goes on
    from.
    """

    number: int
    byte: int
    file: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One whole line: its number from 1, its first byte's offset, its bytes without the newline.

    ``file`` names an earlier file that the log goes on from; empty in the log's own.
    """

    number: int
    byte: int
    data: bytes
    file: str = ""

    @property
    def place(self) -> Place:
        """Where the line is."""
        return Place(self.number, self.byte, self.file)

    @property
    def end(self) -> int:
        """The offset behind its newline."""
        return self.byte + len(self.data) + 1


def whole_lines(
    path: Path, offset: int = 0, *, end: int | None = None, file: str = ""
) -> Iterator[Line]:
    """Yield the whole lines of a file; what stands behind the last newline is left alone.

    A file that does not exist has no lines. From ``end`` on, where it is given, none is yielded.
    """
    try:
        source = path.open("rb")
    except FileNotFoundError:
        return
    with source:
        source.seek(offset)
        byte = offset
        for number, data in enumerate(source, start=1):
            if not data.endswith(b"\n") or (end is not None and byte >= end):
                return
            yield Line(number, byte, data[:-1], file)
            byte += len(data)
