"""Going through a log once: its lines as rows, and where the rows of each cycle stand."""

from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.runlog.archive import Archive
from plateau_tui.runlog.archivebytes import LogBytes
from plateau_tui.runlog.archiverows import UNREADABLE, DecodeRow
from plateau_tui.runlog.lines import MAX_LINE_BYTES
from plateau_tui.runlog.rows import Row

PIECE: Final = 1 << 20
MAX_LINE: Final = MAX_LINE_BYTES
"""A longer line is no row: it is passed over without being held."""
MAX_CYCLE_ROWS: Final = 4096
"""More rows of one cycle than so many are left out: a jump into it would have no bound."""
_BARREN: Final = 64 << 20
"""Bytes without any row after which a packed log is given up: a bomb, or another file behind it."""
_BARREN_PLAIN: Final = 4 << 30
"""The same of a plain file, which cannot hold more than it takes on the disk, or little more."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Rows of one key (their own ``cycle``) that stand together, ``start`` to ``end`` in bytes.

    They are at most ``MAX_CYCLE_ROWS``.
    """

    rows: tuple[Row, ...]
    start: int
    end: int

    @property
    def key(self) -> int:
        """What the rows themselves say of their cycle."""
        return self.rows[0].cycle


@dataclass(slots=True)
class RowScan:
    """Yields the rows of a log in the file's order, piece by piece; counts what is no row.

    ``wanted`` says of a row whether it is looked at.
    """

    archive: Archive
    wanted: Callable[[Row], bool]
    offset: int = 0
    unreadable: int = 0
    first_unreadable: int = 0
    """The number of the first line that is no row, from 1; 0 where all are."""
    problem: str = ""
    ended: bool = False
    """Whether the end was reached, as far as the file goes now."""
    _line: int = 0
    _rest: bytes = b""
    _skipping: bool = False
    _last_row_end: int = 0

    def piece(self, *, unfinished: bool) -> list[Stretch]:
        """Return the rows of the next piece; at the end also one that lacks its newline.

        ``unfinished`` says that somebody may still be writing: such a line is then left alone.
        """
        data = self.archive.data.read(self.offset + len(self._rest), PIECE)
        self.ended = len(data) == 0
        if self.ended:
            self.problem = self.problem or self.archive.data.problem
            lines = [] if unfinished or not self._rest else [self._rest]
            start, self._rest = self.offset, self._rest if unfinished else b""
            self.offset += 0 if unfinished else sum(map(len, lines))
            return list(self._stretches(lines, start, 0))
        whole, newline, rest = (self._rest + data).rpartition(b"\n")
        start = self.offset
        if not newline:
            self._hold(rest)
            return []
        self.offset += len(whole) + 1
        self._rest = b""
        lines = whole.split(b"\n")
        if self._skipping:
            self._skipping = False
            self._line += 1
            start += len(lines[0]) + 1
            lines = lines[1:]
        self._hold(rest)
        found = list(self._stretches(lines, start, 1))
        if found:
            self._last_row_end = found[-1].end
        else:
            self._give_up()
        return found

    def _give_up(self) -> None:
        """End the reading where no row has come for very long."""
        most = _BARREN if self.archive.data.packed else _BARREN_PLAIN
        if self.offset - self._last_row_end > most:
            self.problem = f"no row in the next {most >> 20} MB: what follows was not read"
            self.ended = True

    def _count_unreadable(self, line: int) -> None:
        self.unreadable += 1
        self.first_unreadable = self.first_unreadable or line

    def _hold(self, rest: bytes) -> None:
        """Keep the beginning of a line, unless it is too long to be a row."""
        if len(rest) <= MAX_LINE:
            self._rest = rest
            return
        if not self._skipping:
            self._count_unreadable(self._line + 1)
        self._skipping = True
        self.offset += len(rest)
        self._rest = b""
        self._give_up()

    def _stretches(self, lines: Iterable[bytes], start: int, newline: int) -> Iterator[Stretch]:
        """Yield the rows of whole lines, of which the first begins at byte ``start``."""
        decode, wanted = self.archive.decode, self.wanted
        rows: list[Row] = []
        begin = end = start
        for line in lines:
            begin_line, end = end, end + len(line) + newline
            row = None
            with suppress(*UNREADABLE):
                row = decode(line) if len(line) <= MAX_LINE else None
            self._line += 1
            if row is None:
                self._count_unreadable(self._line)
            goes_on = (
                row is not None
                and wanted(row)
                and (not rows or (rows[-1].cycle == row.cycle and len(rows) < MAX_CYCLE_ROWS))
            )
            if rows and not goes_on:
                yield Stretch(tuple(rows), begin, begin_line)
                rows = []
            if row is not None and (goes_on or wanted(row)):
                begin = begin if rows else begin_line
                rows.append(row)
        if rows:
            yield Stretch(tuple(rows), begin, end)


@dataclass(slots=True)
class Blocks:
    """Where the stretches of a log are: key, first byte, length; the rows are not held."""

    keys: "array[int]" = field(default_factory=lambda: array("q"))
    starts: "array[int]" = field(default_factory=lambda: array("q"))
    lengths: "array[int]" = field(default_factory=lambda: array("q"))

    def add(self, stretch: Stretch) -> None:
        """Add a stretch."""
        self.keys.append(stretch.key)
        self.starts.append(stretch.start)
        self.lengths.append(stretch.end - stretch.start)

    def in_order(self) -> list[int]:
        """Return the numbers of the stretches by their keys; equal ones in the file's order."""
        return sorted(range(len(self.keys)), key=self.keys.__getitem__)


def rows_at(data: LogBytes, decode: DecodeRow, start: int, length: int) -> list[Row]:
    """Return the rows of a block.

    Raises:
        OSError: the file cannot be read any more.

    """
    rows = []
    for line in data.read(start, length).split(b"\n"):
        try:
            rows.append(decode(line))
        except UNREADABLE:
            continue
        if len(rows) == MAX_CYCLE_ROWS:
            break
    return rows
