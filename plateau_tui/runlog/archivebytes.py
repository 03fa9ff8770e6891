"""The bytes of a finished log, read at any place: a plain file, or a gzipped one.

A gzipped log is never unpacked to disk or held. While it is gone through, the state of the
decompressor is put aside every few megabytes (its window of 32 KB and little more), and a reading
at any later time goes on from the nearest one before it: so a place costs at most that stretch,
whatever the file's length, and a million rows cost about 10 MB.
"""

import os
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

GZIP_MAGIC: Final = b"\x1f\x8b"
_GZIP: Final = 31
"""zlib's word for: the largest window, with a gzip header and its checksum."""
_MARK_STRIDE: Final = 4 << 20
_MAX_MARKS: Final = 512
_RAW_PIECE: Final = 1 << 16
_SKIP_PIECE: Final = 1 << 18
_CURSORS: Final = 3
"""Readings that go on side by side: two collectors' rows one behind the other are read so."""


class LogBytes(Protocol):
    """Bytes by their offset in the unpacked log; may be used from several threads."""

    @property
    def problem(self) -> str:
        """Why reading ended before the file did, or nothing."""

    @property
    def packed(self) -> bool:
        """Whether offsets are not those of the file itself."""

    def read(self, offset: int, size: int) -> bytes:
        """Return at most ``size`` bytes from ``offset``; none at the end."""

    def progress(self) -> tuple[int, int]:
        """Return how many bytes of the file were gone through, and how many it has."""


class PlainBytes:
    """A file as it stands."""

    packed = False
    problem = ""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._furthest = 0

    def read(self, offset: int, size: int) -> bytes:
        """Return at most ``size`` bytes from ``offset``; none at the end."""
        data = os.pread(self._fd, size, offset)
        self._furthest = max(self._furthest, offset + len(data))
        return data

    def progress(self) -> tuple[int, int]:
        """Return how many bytes of the file were gone through, and how many it has."""
        return self._furthest, os.fstat(self._fd).st_size


@dataclass(slots=True)
class _Cursor:
    """A decompressor: ``at`` is its place in the unpacked log, ``raw_at`` in the file."""

    inflate: "zlib._Decompress"
    at: int = 0
    raw_at: int = 0
    raw_piece: int = _RAW_PIECE

    def copy(self) -> "_Cursor":
        return _Cursor(self.inflate.copy(), self.at, self.raw_at)


class GzipBytes:
    """A gzipped file, of one member or several, as the log that it holds."""

    packed = True

    def __init__(self, fd: int) -> None:
        self.problem = ""
        self._fd = fd
        self._guard = threading.Lock()
        start = _Cursor(zlib.decompressobj(_GZIP))
        self._marks = [start]
        self._stride = _MARK_STRIDE
        self._cursors: list[_Cursor] = [start.copy()]
        self._raw_furthest = 0

    def progress(self) -> tuple[int, int]:
        """Return how many bytes of the file were gone through, and how many it has."""
        return self._raw_furthest, os.fstat(self._fd).st_size

    def read(self, offset: int, size: int) -> bytes:
        """Return at most ``size`` bytes from ``offset``; none at the end."""
        with self._guard:
            cursor = self._cursor_before(offset)
            while cursor.at < offset:
                if not self._advance(cursor, min(_SKIP_PIECE, offset - cursor.at)):
                    return b""
            return b"".join(self._pieces(cursor, size))

    def _pieces(self, cursor: _Cursor, size: int) -> Iterator[bytes]:
        while size > 0:
            data = self._advance(cursor, size)
            if not data:
                return
            size -= len(data)
            yield data

    def _cursor_before(self, offset: int) -> _Cursor:
        """Return the decompressor that gets to ``offset`` with the least work."""
        mark = max((m for m in self._marks if m.at <= offset), key=lambda m: m.at)
        going = [cursor for cursor in self._cursors if mark.at <= cursor.at <= offset]
        if going:
            found = max(going, key=lambda cursor: cursor.at)
            self._cursors.remove(found)
        else:
            found = mark.copy()
        self._cursors = [*self._cursors[-(_CURSORS - 1) :], found]
        return found

    def _advance(self, cursor: _Cursor, size: int) -> bytes:
        """Return the next bytes, at most ``size``; none at the end or where it is damaged."""
        while True:
            raw = os.pread(self._fd, cursor.raw_piece, cursor.raw_at)
            if cursor.inflate.eof:
                if not raw.strip(b"\0"):
                    return b""  # the end, or what some programs fill it up with
                cursor.inflate = zlib.decompressobj(_GZIP)
            try:
                data = cursor.inflate.decompress(raw, size)
            except zlib.error:
                if cursor.raw_piece == 1:
                    self.problem = "the compressed data is damaged"
                    return b""
                self._begin_again(cursor)
                continue
            inflate = cursor.inflate
            left = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
            cursor.raw_at += len(raw) - len(left)
            if data:
                cursor.at += len(data)
                self._note(cursor)
                return data
            if not raw and not cursor.inflate.eof:
                self.problem = "the compressed data ends in its middle"
                return b""

    def _begin_again(self, cursor: _Cursor) -> None:
        """Put a decompressor that met damage back to its place, to go on byte by byte from there.

        What it had unpacked in the same call was lost with the error.
        """
        mark = max((m for m in self._marks if m.at <= cursor.at), key=lambda m: m.at)
        again = mark.copy()
        while again.at < cursor.at and self._advance(again, min(_SKIP_PIECE, cursor.at - again.at)):
            pass
        cursor.inflate, cursor.raw_at, cursor.raw_piece = again.inflate, again.raw_at, 1

    def _note(self, cursor: _Cursor) -> None:
        self._raw_furthest = max(self._raw_furthest, cursor.raw_at)
        ripe = cursor.at >= self._marks[-1].at + self._stride
        if not ripe or cursor.inflate.eof or cursor.raw_piece == 1:
            return
        self._marks.append(cursor.copy())
        if len(self._marks) > _MAX_MARKS:
            self._marks = self._marks[::2]
            self._stride *= 2
