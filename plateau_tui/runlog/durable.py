"""Files that are written durably or not at all, and the errors that say why not."""

import contextlib
import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from plateau_tui.runlog.chain import seal_line


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


@dataclass(frozen=True, slots=True)
class Aside:
    """Where the files of a log went that has to begin anew; names beside it, or empty.

    ``moved_to`` is what stood in its place, ``kept`` what its writer had written.
    """

    moved_to: str = ""
    kept: str = ""


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
def told(path: Path) -> Iterator[None]:
    """Turn an error of the system into one that names the file."""
    try:
        yield
    except OSError as error:
        raise LogWriteError(error.errno, f"{path}: {error.strerror}") from error


def chained(head: str, objects: Sequence[bytes]) -> tuple[bytes, list[str]]:
    """Return the bytes of chained lines, and the chain of each."""
    lines, chains = [], []
    for json_object in objects:
        line, head = seal_line(head, json_object)
        lines.append(line)
        chains.append(head)
    return b"".join(lines), chains


def write_all(fd: int, data: bytes) -> None:
    """Write bytes in one system call and make them durable.

    Raises:
        OSError: the call failed or fell short; a part of the bytes may stand there.

    """
    written = os.write(fd, data)
    if written < len(data):
        raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes could be written")
    os.fsync(fd)
