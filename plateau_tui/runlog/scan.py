"""Reading a log without writing: its records with their place, over all files that it is in."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from plateau_tui.runlog import events as ev
from plateau_tui.runlog.events import Entry, decode_entry
from plateau_tui.runlog.lines import MAX_LINE_BYTES, Line, Place, whole_lines
from plateau_tui.runlog.rows import Row, decode_row
from plateau_tui.runlog.segments import log_lines

__all__ = [
    "Line",
    "Place",
    "Unreadable",
    "read_rows",
    "scan_journal",
    "scan_rows",
    "unfinished",
    "whole_lines",
]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A whole line that is no record of its log."""

    line: Line
    reason: str


_JournalItem: TypeAlias = "tuple[Line, Entry] | Unreadable"

_TOO_LONG: Final = f"is longer than any line of this log, which has at most {MAX_LINE_BYTES} bytes"

_RESTATED: Final = frozenset(
    kind.NAME
    for kind in (
        ev.RunOpened,
        ev.Sealed,
        ev.Registered,
        ev.Pinned,
        ev.Connection,
        ev.WindowOpened,
        ev.CollectorStarted,
        ev.ObjectiveMissing,
        ev.SealBroken,
        ev.Fault,
        ev.Heartbeat,
        ev.WindowClosed,
    )
)
"""What a journal that had to begin anew says again, so that it can be read by itself."""


def unfinished(path: Path) -> tuple[Place, int] | None:
    """Return where the bytes behind the last newline begin, and how many they are."""
    if not path.exists():
        return None
    number = end = 0
    for line in whole_lines(path):
        number, end = line.number, line.end
    rest = path.stat().st_size - end
    return (Place(number + 1, end), rest) if rest > 0 else None


def _reason(error: Exception) -> str:
    return f"is no record of this log ({str(error)[:120]})"


def scan_rows(
    path: Path, head: str = "", more: tuple[Path, ...] = ()
) -> Iterator[tuple[Line, Row] | Unreadable]:
    """Yield each row with its line; a line that is none comes as ``Unreadable``.

    Args:
        path: the rows' file; earlier files that it goes on from are read first.
        head: the chain of the last row, as the journal counts it; asked while the file is empty.
        more: files from elsewhere that may be earlier ones.

    """
    for line in log_lines(path, head, more):
        if line.skipped:
            yield Unreadable(line, _TOO_LONG)
            continue
        try:
            yield line, decode_row(line.data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            yield Unreadable(line, _reason(error))


def scan_journal(
    path: Path, offset: int = 0, *, head: str = "", more: tuple[Path, ...] = ()
) -> Iterator[_JournalItem]:
    """Yield each entry with its line; a line that is none comes as ``Unreadable``.

    Args:
        path: the journal; earlier files that it goes on from are read first. What it says again
            after those is marked as ``restated``.
        offset: where to begin, in bytes, in this file alone; its first line may be half of one.
        head: the chain of the last entry, asked while the file is empty.
        more: files from elsewhere that may be earlier ones.

    """
    if offset:
        yield from (_entry(line) for line in whole_lines(path, offset))
        return
    seam = _Seam(path.name)
    for line in log_lines(path, head, more):
        yield from seam.take(_entry(line))
    yield from seam.left()


def _entry(line: Line) -> _JournalItem:
    if line.skipped:
        return Unreadable(line, _TOO_LONG)
    try:
        return line, decode_entry(line.data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        return Unreadable(line, _reason(error))


class _Seam:
    """Finds where a journal begins anew: what it says again, up to its ``log_restarted``.

    Where that event does not come, no writer began anew there, and nothing is said again.
    """

    def __init__(self, log: str) -> None:
        self._log = log
        self._begun = False
        self._held: list[_JournalItem] = []

    def take(self, item: _JournalItem) -> Iterator[_JournalItem]:
        """Take in the next item; yield what is known not to be a part of a seam, or to be one."""
        name = "" if isinstance(item, Unreadable) else item[1].name
        anew = self._begun and name == ev.RunOpened.NAME
        self._begun = True
        if not self._held and not anew:
            yield item
            return
        self._held.append(item)
        if name == ev.LogRestarted.NAME and self._is_own(item):
            yield from self._said_again()
        elif name not in _RESTATED:
            yield from self.left()

    def _is_own(self, item: _JournalItem) -> bool:
        event = None if isinstance(item, Unreadable) else item[1].event
        return isinstance(event, ev.LogRestarted) and event.file == self._log

    def left(self) -> Iterator[_JournalItem]:
        """Yield what was held back as it stands."""
        yield from self._held
        self._held.clear()

    def _said_again(self) -> Iterator[_JournalItem]:
        entries = [item for item in self._held if not isinstance(item, Unreadable)]
        # Behind the window's close nothing but a verdict may stand; the file alone says it then.
        closed = any(entry.name == ev.WindowClosed.NAME for _, entry in entries)
        for line, entry in entries if closed else entries[:-1]:
            yield line, Entry(ts=entry.ts, name=entry.name, event=None, restated=True)
        if not closed:
            yield entries[-1]
        self._held.clear()


def read_rows(path: Path, head: str = "") -> Iterator[Row]:
    """Yield the readable rows; ``head`` is the last row's chain, asked while the file is empty."""
    for item in scan_rows(path, head):
        if not isinstance(item, Unreadable):
            yield item[1]
