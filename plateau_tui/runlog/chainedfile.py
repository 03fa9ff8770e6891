"""One append-only, hash-chained JSON-lines file with a single writer.

A write is one system call and an fsync. A write that fails or falls short is taken back, so that
the file holds whole lines only and the caller can try again. A file that vanished, shrank, was
replaced or overwritten under the writer is noticed before the next write; a new one goes on from
the last head.
"""

import contextlib
import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from plateau_tui.runlog.chain import split_line
from plateau_tui.runlog.durable import (
    Aside,
    LogWriteError,
    MovedBytes,
    chained,
    free_name,
    fsync_folder,
    told,
    write_all,
)
from plateau_tui.runlog.fingerprint import Fingerprint
from plateau_tui.runlog.lines import MAX_LINE_BYTES
from plateau_tui.runlog.logend import sound_end, unfinished_line

__all__ = ["Aside", "ChainedFile", "LogWriteError", "MovedBytes", "free_name", "fsync_folder"]

_COPY_BYTES: Final = 1 << 20
_END: Final = 96
"""Bytes at a file's end in which its head lies."""


def _same(path: Path, own: os.stat_result) -> bool:
    """Say whether a name is the open file's."""
    try:
        there = path.lstat()
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)


class ChainedFile:
    """The writer of one log. Not for use by several threads at once.

    ``head`` is the chain of the last line, ``size`` the length in bytes that the file must have.
    """

    def __init__(self, path: Path, genesis: str, mode: int = 0o600) -> None:
        """Open or create the file; ``genesis`` stands for the chain before the first line.

        Raises:
            LogWriteError: the file cannot be opened or its torn tail not be moved.

        """
        self.path = path
        self.head = genesis
        self.torn: MovedBytes | None = None
        self._uncut = False
        self._aside: Aside | None = None
        self._new: tuple[int, bytes, list[str]] | None = None
        self._mode = mode
        self._written = Fingerprint()
        with told(path):
            self._fd = self._open()
            try:
                self.size = os.fstat(self._fd).st_size
                os.fsync(self._fd)  # who wrote it may have died before; others will rely on it
                self._settle_tail()
                self._left = self._stamp()
            except BaseException:
                os.close(self._fd)
                raise

    def _open(self) -> int:
        self._hidden.unlink(missing_ok=True)  # of a writer that died as it began anew
        fresh = not self.path.exists()
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(self.path, flags, self._mode)
        if fresh:
            os.fchmod(fd, self._mode)
            fsync_folder(self.path.parent)
        return fd

    @property
    def _hidden(self) -> Path:
        return self.path.with_name(f".{self.path.name}.new")

    def _settle_tail(self) -> None:
        """Find the last line of the log; move what lies behind it to a side file.

        A line that only lacks its newline gets it, whatever stands behind it.
        """
        end, self.head = sound_end(self.path, self.head)
        self._written.take_from(self._fd, end)
        tail = os.pread(self._fd, min(MAX_LINE_BYTES, self.size - end), end)
        line = unfinished_line(tail, self.head)
        end += len(line)
        if end < self.size:
            self.torn = self._move_behind(end)
        if line:
            self._complete_last_line(line)

    def _complete_last_line(self, line: bytes) -> None:
        os.write(self._fd, b"\n")
        os.fsync(self._fd)
        self.size += 1
        self.head = split_line(line)[1]
        self._written.take(line + b"\n")

    def _move_behind(self, offset: int) -> MovedBytes:
        """Copy the bytes from ``offset`` on to a side file, durably, then cut them off."""
        side = free_name(self.path, "torn")
        count = self.size - offset
        try:
            self._copy_to(side, offset)
        except BaseException:
            side.unlink(missing_ok=True)  # it is tried again, and half a copy helps nobody
            raise
        fsync_folder(self.path.parent)
        os.ftruncate(self._fd, offset)
        os.fsync(self._fd)
        self.size = offset
        return MovedBytes(count, side.name)

    def _copy_to(self, side: Path, offset: int) -> None:
        with side.open("xb") as target:
            os.fchmod(target.fileno(), self._mode)
            at = offset
            while at < self.size:
                piece = os.pread(self._fd, min(_COPY_BYTES, self.size - at), at)
                if not piece:
                    break  # somebody cut the file meanwhile
                target.write(piece)
                at += len(piece)
            target.flush()
            os.fsync(target.fileno())

    def append(self, objects: Sequence[bytes]) -> list[str]:
        """Write compact JSON objects as chained lines, in one write and an fsync.

        Returns:
            the chain of each line written.

        Raises:
            LogWriteError: nothing was written; the same call can be made again.

        """
        data, chains = chained(self.head, objects)
        try:
            if self._uncut:
                self._cut_back()
            self._write(data)
        except OSError as error:
            self._uncut = True
            with contextlib.suppress(OSError):
                self._cut_back()
            reason = error.strerror or str(error)
            raise LogWriteError(
                error.errno, f"{self.path.name} cannot be written: {reason}"
            ) from None
        with told(self.path):
            left = self._stamp()
        if left[0] != self.size + len(data):
            # Not cut back: the foreign bytes would be lost. They are moved aside, ours with them.
            raise LogWriteError(
                errno.EBUSY, f"{self.path.name}: another program wrote to it at the same time"
            )
        self._wrote(data, chains)
        self._left = left
        return chains

    def _wrote(self, data: bytes, chains: Sequence[str]) -> None:
        self.head = chains[-1] if chains else self.head
        self.size += len(data)
        self._written.take(data)

    def _stamp(self) -> tuple[int, int]:
        """Return what changes whenever somebody writes to the file, and with every byte more."""
        own = os.fstat(self._fd)
        return own.st_size, own.st_ctime_ns

    def _write(self, data: bytes) -> None:
        write_all(self._fd, data)

    def _cut_back(self) -> None:
        """Take back what a failed write may have left."""
        if os.fstat(self._fd).st_size > self.size:
            os.ftruncate(self._fd, self.size)
        self._uncut = False

    def put_newline_back(self) -> bool:
        """Write the last newline again where that alone was cut off; say whether it was.

        Raises:
            LogWriteError: it cannot be written now; the call can be made again.

        """
        with told(self.path):
            cut = self.size > 0 and os.fstat(self._fd).st_size == self.size - 1
            if not cut or not self._written.holds(self._fd, end=b"\n"):
                return False
            os.write(self._fd, b"\n")
            os.fsync(self._fd)
            self._left = self._stamp()
        return True

    def lost(self) -> str | None:
        """Return why the file on disk is no longer the one that this writer left, or None.

        Raises:
            LogWriteError: the system does not say.

        """
        with told(self.path):
            try:
                there = self.path.lstat()  # a link is another file: nothing is written through it
            except FileNotFoundError:
                return "the file is gone"
            own = os.fstat(self._fd)
            if (there.st_dev, there.st_ino) != (own.st_dev, own.st_ino):
                return "another file stands in its place"
            if own.st_size < self.size:
                return f"the file was cut from {self.size} to {own.st_size} bytes"
            if not self._unchanged() and not self._end_holds():
                return "the file was overwritten in its place"
        return None

    def _unchanged(self) -> bool:
        """Say whether the file still begins with what was written; quick where nobody touched it.

        A file that was linked, or had its permissions changed, is read again once.
        """
        now = self._stamp()
        if now == self._left:
            return True
        if not self._written.holds(self._fd):
            return False
        if now[0] == self.size:
            self._left = now
        return True

    def _end_holds(self) -> bool:
        """Say whether the last line still ends in the head, so that the next one follows it."""
        end = os.pread(self._fd, min(_END, self.size), max(0, self.size - _END))
        return self.size == 0 or end.endswith(b'"' + self.head.encode("ascii") + b'"}\n')

    def edited(self) -> bool:
        """Say whether somebody changed bytes before the end since the last look; told once.

        Raises:
            LogWriteError: the file cannot be read.

        """
        with told(self.path):
            if self._unchanged():
                return False
            self._written = Fingerprint()
            self._written.take_from(self._fd, self.size)
            self._left = self._stamp()
        return True

    def foreign_bytes(self) -> MovedBytes | None:
        """Move aside bytes that another program appended; return what was moved, or None.

        Raises:
            LogWriteError: they cannot be moved; nothing changed, and it can be tried again.

        """
        with told(self.path):
            size = os.fstat(self._fd).st_size
            if self._uncut or size <= self.size:
                return None
            own, self.size = self.size, size
            try:
                return self._move_behind(own)
            except OSError:
                self.size = own
                raise

    def set_aside(self) -> Aside:
        """Give a name of its own to what stands at the path, and to what was written before.

        A deleted file is read once more through its open descriptor, and kept.

        Raises:
            LogWriteError: it cannot be done; the call can be made again.

        """
        if self._aside is None:
            with told(self.path):
                self._aside = Aside(kept=self._kept())
        if not self._aside.moved_to and self._new is None:
            with told(self.path):
                self._aside = Aside(self._link_aside(), self._aside.kept)
        return self._aside

    def _link_aside(self) -> str:
        side = free_name(self.path, "cut")
        try:
            os.link(self.path, side, follow_symlinks=False)
        except FileNotFoundError:
            return ""
        except OSError:  # a file system without links: for a moment nothing stands at the path
            self.path.rename(side)
        return side.name

    def _kept(self) -> str:
        """Return the name beside the log of what was written before; empty where it is lost."""
        own = os.fstat(self._fd)
        if not self.size or not self._written.holds(self._fd) or _same(self.path, own):
            return ""
        for other in self.path.parent.iterdir():
            if _same(other, own):
                return other.name  # renamed
        side = free_name(self.path, "kept")
        room = os.statvfs(self.path.parent)
        if room.f_bavail * room.f_frsize < self.size:
            # Waited for, as for any room: going on would give up what only this process has.
            raise OSError(errno.ENOSPC, "it was deleted, and there is no room to keep what it held")
        try:
            self._copy_to(side, 0)
        except BaseException:
            side.unlink(missing_ok=True)
            raise
        return side.name

    def begin_anew(self, objects: Sequence[bytes] = ()) -> None:
        """Put a new file at the path, whole or not at all, that goes on from the head.

        Args:
            objects: compact JSON objects, its first lines.

        Raises:
            LogWriteError: the new file cannot be made; the call can be made again.

        """
        with told(self.path):
            if self._new is None:
                data, chains = chained(self.head, objects)
                self._new = self._put_new(data), data, chains
            fsync_folder(self.path.parent)
        with contextlib.suppress(OSError):  # whatever it says, the descriptor is gone
            os.close(self._fd)
        self._fd, data, chains = self._new
        self._new = self._aside = None
        self.size, self._uncut, self._written = 0, False, Fingerprint()
        self._wrote(data, chains)
        self._left = self._stamp()

    def _put_new(self, data: bytes) -> int:
        """Put a file with these bytes at the path; return its open descriptor."""
        hidden = self._hidden
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        fd = os.open(hidden, flags, self._mode)
        try:
            os.fchmod(fd, self._mode)
            write_all(fd, data)
            hidden.replace(self.path)
        except BaseException:
            os.close(fd)
            hidden.unlink(missing_ok=True)
            raise
        return fd

    def restart(self) -> str:
        """Set aside what stands at the path and begin a new file that goes on from the head.

        Returns:
            the name of the side file, empty when nothing stood there.

        Raises:
            LogWriteError: the new file cannot be made; the call can be made again.

        """
        aside = self.set_aside()
        self.begin_anew()
        return aside.moved_to

    def close(self) -> None:
        """Close the file; what was appended is on disk already."""
        for fd in (self._fd, *(() if self._new is None else self._new[:1])):
            with contextlib.suppress(OSError):
                os.close(fd)
