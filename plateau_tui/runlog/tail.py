"""Following a log that somebody else writes: new whole lines, and whether the file was replaced."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PIECE: Final = 4 << 20
"""Bytes read at once, so that a long log reaches the screen in steps."""

_AGAIN: Final = 96
"""Bytes before the place that are compared at each look: a line's chain lies in them."""


@dataclass(frozen=True, slots=True)
class NewLines:
    """What one look brought.

    ``restarted`` says that the file is another one, or shorter, than at the last look: ``lines``
    then begin at its start. ``more`` says that there is more to be read at once.
    """

    lines: tuple[bytes, ...]
    restarted: bool
    more: bool


class FileTail:
    """Reads whole lines of a growing file; never waits and never locks.

    The last bytes that were read are read again at each look: a file that was emptied and has
    grown past the old place since then is told from one that only grew.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._identity: tuple[int, int] | None = None
        self._offset = 0
        self._before = b""

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
            identity = (stat.st_dev, stat.st_ino)
            restarted = self._identity is not None and (
                identity != self._identity
                or stat.st_size < self._offset
                or os.pread(file.fileno(), len(self._before), self._offset - len(self._before))
                != self._before
            )
            if restarted:
                self._offset, self._before = 0, b""
            self._identity = identity
            file.seek(self._offset)
            data = file.read(_PIECE)
            if b"\n" not in data and len(data) == _PIECE:
                data += file.readline()
        more = stat.st_size > self._offset + len(data)
        whole, newline, _ = data.rpartition(b"\n")
        if not newline:
            return NewLines((), restarted, more=False)
        self._offset += len(whole) + 1
        self._before = (self._before + data[: len(whole) + 1])[-_AGAIN:]
        return NewLines(tuple(whole.split(b"\n")), restarted, more=more)

    def _gone(self) -> NewLines:
        restarted = self._offset > 0
        self._identity, self._offset, self._before = None, 0, b""
        return NewLines((), restarted, more=False)
