"""A finished log, opened for reading at any place: the rows of a run, or a bare file of rows."""

import os
import stat
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from plateau_tui.runlog.archivebytes import GZIP_MAGIC, GzipBytes, LogBytes, PlainBytes
from plateau_tui.runlog.archivepacked import packed_words
from plateau_tui.runlog.archiverows import (
    UNREADABLE,
    ArchiveKind,
    DecodeRow,
    EarlierRows,
    decoder_of,
    kind_of_line,
)
from plateau_tui.runlog.layout import RunFolder

_SEARCHED: Final = 16 << 20
"""Bytes in which the first row must lie."""
_PIECE: Final = 1 << 20
_OPENS: Final = "a run folder, an export, or rows of plateau_row/1 or phase2_red/1 (.jsonl, .gz)"


class ArchiveError(ValueError):
    """A log that cannot be replayed."""

    exit_code = 2


@dataclass(slots=True)
class _Open:
    """An open file, closed when nobody reads it any more."""

    fd: int
    __weakref__: object = field(init=False, repr=False)


@dataclass(frozen=True, slots=True)
class Archive:
    """The rows of a finished log. ``run`` is the folder that they were found in, if it is a run.

    ``decode`` turns a line into a row; ``data`` gives the bytes.
    """

    name: str
    path: Path
    kind: ArchiveKind
    decode: DecodeRow
    data: LogBytes
    identity: tuple[int, int]
    run: RunFolder | None
    _file: _Open

    @property
    def roles_assumed(self) -> bool:
        """Whether the file names arms of which it does not say which is the treatment."""
        return isinstance(self.decode, EarlierRows) and self.decode.assumed


def open_archive(path: Path) -> Archive:
    """Open a run folder, an export or a bare file of rows; nothing is written or started.

    Raises:
        ArchiveError: there is none, or nothing of it can be replayed; the message says why, and of
            a packed folder that it must be unpacked.
        RunFolderError: the folder is no run.

    """
    if path.is_dir():
        folder = RunFolder(path).require()
        return _open(folder.rows, path.name or str(path), folder)
    beside = RunFolder(path.parent)
    of_a_run = path.name == beside.rows.name and beside.journal.is_file()
    return _open(path, path.name, beside if of_a_run else None)


def _open(path: Path, name: str, run: RunFolder | None) -> Archive:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        if run is not None:
            raise ArchiveError(
                f"{name} has no rows yet; look at it with: plateau-tui attach RUN"
            ) from None
        raise ArchiveError(f"there is no {path}; replay opens {_OPENS}") from None
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror}") from None
    file = _Open(fd)
    weakref.finalize(file, os.close, fd)
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        raise ArchiveError(f"{path} is no file; replay opens {_OPENS}")
    if found.st_size == 0:
        raise ArchiveError(f"{path} is empty: there is no row to replay")
    try:
        packed = os.pread(fd, len(GZIP_MAGIC), 0) == GZIP_MAGIC
        data: LogBytes = GzipBytes(fd) if packed else PlainBytes(fd)
        several = packed_words(data)
        if several:
            raise ArchiveError(f"{path} {several}")
        kind = _kind(data, path)
    except OSError as error:
        raise ArchiveError(f"{path} cannot be read: {error.strerror}") from None
    return Archive(
        name, path, kind, decoder_of(kind), data, (found.st_dev, found.st_ino), run, file
    )


def _kind(data: LogBytes, path: Path) -> ArchiveKind:
    """Return what rows a log has, by its first line that is one.

    Raises:
        ArchiveError: none of its first lines is.

    """
    offset, rest, first = 0, b"", ""
    while offset < _SEARCHED:
        piece = data.read(offset, _PIECE)
        offset += len(piece)
        lines = (rest + piece).split(b"\n")
        rest = lines.pop() if piece else b""
        for line in lines:
            kind, instead = kind_of_line(line)
            if kind is not None and _is_row(kind, line):
                return kind
            first = first or instead or "a row that cannot be read"
        if not piece:
            break
    if offset == 0 and not data.problem:
        raise ArchiveError(f"{path} is empty: there is no row to replay")
    why = f" ({data.problem})" if data.problem else ""
    where = f" in its first {_SEARCHED >> 20} MB" if offset >= _SEARCHED else ""
    told = f"{where}{why}; its first line is {first}" if first else f"{where}{why}"
    raise ArchiveError(f"{path} holds no row that can be read{told}; replay opens {_OPENS}")


def _is_row(kind: ArchiveKind, line: bytes) -> bool:
    try:
        decoder_of(kind)(line)
    except UNREADABLE:
        return False
    return True
