"""Following a log that somebody else writes: new whole lines, and whether the file was replaced."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Final

from plateau_tui.runlog.fingerprint import Fingerprint
from plateau_tui.runlog.lines import length_of_rest
from plateau_tui.runlog.segments import earlier_lines, segments

_PIECE: Final = 4 << 20
"""Bytes read at once, so that a long log reaches the screen in steps."""

_AGAIN: Final = 4
"""Mebibytes of what was read that are compared at each look at a file that grew."""


@dataclass(frozen=True, slots=True)
class NewLines:
    """What one look brought.

    ``restarted`` says that the file is another one, or shorter, or overwritten since the last
    look: ``lines`` then begin at the log's start. ``more`` says that there is more to be read at
    once.
    """

    lines: tuple[bytes, ...]
    restarted: bool
    more: bool


class FileTail:
    """Reads whole lines of a growing file; never waits and never locks.

    What was read is compared again at later looks: a file that was overwritten in its place, by
    as many bytes or by more, is told from one that only grew. At once where it did not grow or
    is short; by turns in a long one that grows. With ``joined`` a log that goes on from an earlier
    file beside it begins with that file's lines.
    """

    def __init__(self, path: Path, *, joined: bool = False) -> None:
        self.path = path
        self._joined = joined
        self._identity: tuple[int, int] | None = None
        self._seen: tuple[int, int] | None = None
        self._read = Fingerprint()
        self._earlier: Iterator[tuple[bytes, ...]] | None = None
        self._earlier_size = self._earlier_taken = 0
        self._more = False

    @property
    def share(self) -> float:
        """Which part of the log's bytes was read by the last look, 0 to 1, earlier files too."""
        size = self._earlier_size + (self._seen[0] if self._seen else 0)
        return min(1.0, (self._earlier_taken + self._read.size) / size) if size else 0.0

    def read(self) -> NewLines:
        """Return the whole lines that are new since the last look.

        Raises:
            OSError: the file exists and cannot be read.

        """
        try:
            file = self.path.open("rb")
        except FileNotFoundError:
            return self._gone()
        with file:
            stat = os.fstat(file.fileno())
            identity, seen = (stat.st_dev, stat.st_ino), (stat.st_size, stat.st_ctime_ns)
            if identity == self._identity and seen == self._seen and not self._more:
                return NewLines((), restarted=False, more=False)
            restarted = self._identity is not None and (
                identity != self._identity or self._overwritten(file, seen)
            )
            if restarted:
                self._read, self._earlier = Fingerprint(), None
            self._identity, self._seen = identity, seen
            lines = self._next_lines(file, stat.st_size)
        return NewLines(lines, restarted, more=self._more)

    def _overwritten(self, file: BufferedReader, seen: tuple[int, int]) -> bool:
        if seen == self._seen:
            return False
        grew = self._seen is not None and seen[0] > self._seen[0]
        return seen[0] < self._read.size or not self._read.holds(
            file.fileno(), _AGAIN if grew else None
        )

    def _next_lines(self, file: BufferedReader, size: int) -> tuple[bytes, ...]:
        file.seek(self._read.size)
        data = file.read(_PIECE)
        whole, newline, _ = data.rpartition(b"\n")
        self._more = False
        end = self._read.size + len(whole) + 1
        if not newline:
            # No line of ours is so long: it is passed over, however long it is.
            if len(data) < _PIECE or length_of_rest(file) is None:
                return ()
            end = file.tell()
        if self._earlier is None:
            files = segments(self.path)[:-1] if self._joined else ()
            self._earlier = earlier_lines(files, _PIECE)
            self._earlier_size, self._earlier_taken = sum(f.size for f in files), 0
        earlier = next(self._earlier, None)
        if earlier is not None:
            self._more = True
            self._earlier_taken += sum(map(len, earlier)) + len(earlier)
            return earlier
        self._more = size > max(end, self._read.size + len(data))
        self._read.take_from(file.fileno(), end)
        return tuple(whole.split(b"\n"))

    def _gone(self) -> NewLines:
        restarted = self._read.size > 0 or self._more
        self._identity = self._seen = self._earlier = None
        self._read, self._more = Fingerprint(), False
        self._earlier_size = self._earlier_taken = 0
        return NewLines((), restarted, more=False)
