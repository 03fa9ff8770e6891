"""One append-only, hash-chained JSON-lines file with a single writer.

A write is one system call and an fsync. A write that fails or falls short is taken back, so that
the file holds whole lines only and the caller can try again. A file that vanished, shrank or was
replaced under the writer is noticed before the next write; a new one goes on from the last head.
"""

import contextlib
import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plateau_tui.runlog.chain import ChainFormatError, link, seal_line, split_line

_COPY_BYTES: Final = 1 << 20


class LogWriteError(OSError):
    """A log could not be written; nothing of the write remains, and it can be tried again."""

    exit_code = 1

    def __str__(self) -> str:
        return self.strerror or super().__str__()


@dataclass(frozen=True, slots=True)
class MovedBytes:
    """Bytes that belonged to no whole line, and the side file that now holds them."""

    count: int
    moved_to: str


def free_name(path: Path, word: str) -> Path:
    """Return ``<stem>.<word>-<n>`` beside ``path`` with the first ``n`` that is free."""
    n = 1
    while (candidate := path.with_name(f"{path.stem}.{word}-{n}")).exists():
        n += 1
    return candidate


def fsync_folder(folder: Path) -> None:
    """Make a new or renamed entry of ``folder`` durable."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn an error of the system into one that names the file."""
    try:
        yield
    except OSError as error:
        raise LogWriteError(error.errno, f"{path}: {error.strerror}") from error


def _tail_is_whole(tail: bytes, head: str) -> bool:
    """Say whether bytes without a newline are a whole line that follows ``head``."""
    try:
        body, chain = split_line(tail)
    except ChainFormatError:
        return False
    return link(head, body) == chain


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
        self._aside = ""
        self._mode = mode
        with _told(path):
            self._fd = self._open()
            try:
                self.size = os.fstat(self._fd).st_size
                self._settle_tail()
            except BaseException:
                os.close(self._fd)
                raise

    def _open(self) -> int:
        fresh = not self.path.exists()
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        fd = os.open(self.path, flags, self._mode)
        if fresh:
            os.fchmod(fd, self._mode)
            fsync_folder(self.path.parent)
        return fd

    def _settle_tail(self) -> None:
        """Find the last whole line; move what lies behind it to a side file."""
        whole, head = 0, self.head
        with self.path.open("rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    break
                with contextlib.suppress(ChainFormatError):
                    head = split_line(line[:-1])[1]
                whole += len(line)
        self.head = head
        if whole < self.size:
            tail = self._read_from(whole)
            if _tail_is_whole(tail, head):
                self._complete_last_line(tail)
            else:
                self.torn = self._move_behind(whole)

    def _read_from(self, offset: int) -> bytes:
        return os.pread(self._fd, self.size - offset, offset)

    def _complete_last_line(self, tail: bytes) -> None:
        os.write(self._fd, b"\n")
        os.fsync(self._fd)
        self.size += 1
        self.head = split_line(tail)[1]

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
        head, lines, chains = self.head, [], []
        for json_object in objects:
            line, head = seal_line(head, json_object)
            lines.append(line)
            chains.append(head)
        data = b"".join(lines)
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
        if os.fstat(self._fd).st_size != self.size + len(data):
            # Not cut back: the foreign bytes would be lost. They are moved aside, ours with them.
            raise LogWriteError(
                errno.EBUSY, f"{self.path.name}: another program wrote to it at the same time"
            )
        self.head = head
        self.size += len(data)
        return chains

    def _write(self, data: bytes) -> None:
        written = os.write(self._fd, data)
        if written < len(data):
            raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes could be written")
        os.fsync(self._fd)

    def _cut_back(self) -> None:
        """Take back what a failed write may have left."""
        if os.fstat(self._fd).st_size > self.size:
            os.ftruncate(self._fd, self.size)
        self._uncut = False

    def lost(self) -> str | None:
        """Return why the file on disk is no longer the one that this writer left, or None.

        Raises:
            LogWriteError: the system does not say.

        """
        with _told(self.path):
            try:
                there = self.path.stat()
            except FileNotFoundError:
                return "the file is gone"
            own = os.fstat(self._fd)
        if (there.st_dev, there.st_ino) != (own.st_dev, own.st_ino):
            return "another file stands in its place"
        if own.st_size < self.size:
            return f"the file was cut from {self.size} to {own.st_size} bytes"
        return None

    def foreign_bytes(self) -> MovedBytes | None:
        """Move aside bytes that another program appended; return what was moved, or None.

        Raises:
            LogWriteError: they cannot be moved; nothing changed, and it can be tried again.

        """
        with _told(self.path):
            size = os.fstat(self._fd).st_size
            if self._uncut or size <= self.size:
                return None
            own, self.size = self.size, size
            try:
                return self._move_behind(own)
            except OSError:
                self.size = own
                raise

    def restart(self) -> str:
        """Put what stands at the path aside and begin a new file that goes on from the head.

        Returns:
            the name of the side file, empty when nothing stood there.

        Raises:
            LogWriteError: the new file cannot be made; the call can be made again.

        """
        with _told(self.path):
            if self.path.exists():
                side = free_name(self.path, "cut")
                self.path.rename(side)
                self._aside = side.name
            fd = self._open()
        os.close(self._fd)
        self._fd, self.size, self._uncut = fd, 0, False
        moved_to, self._aside = self._aside, ""
        return moved_to

    def close(self) -> None:
        """Close the file; what was appended is on disk already."""
        with contextlib.suppress(OSError):
            os.close(self._fd)
