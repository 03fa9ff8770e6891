"""The lock of a run, and the one per server endpoint.

``flock`` is released by the kernel when its holder dies, however that happens. The libraries
for this treat every error of the call as "somebody else has it"; a file system without locks
must not look like that, so the call is made here.
"""

import contextlib
import errno
import fcntl
import os
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_RETRY_S: Final = 0.02
_TAKEN: Final = frozenset({errno.EWOULDBLOCK, errno.EACCES, errno.EAGAIN})


class LockHeldError(RuntimeError):
    """Another process holds the lock; ``pid`` is its process where it could be read."""

    def __init__(self, path: Path, pid: int | None) -> None:
        self.path = path
        self.pid = pid
        super().__init__(f"{path} is held by process {pid or '(unknown)'}")


class LockUnavailableError(RuntimeError):
    """The file system gives no locks; that is not the same as a lock that is taken."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock; ``pid`` is None where the holder has not written it yet."""

    pid: int | None


def _flock(fd: int, how: int, path: Path) -> bool:
    try:
        fcntl.flock(fd, how | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _TAKEN:
            return False
        raise LockUnavailableError(
            f"{path}: this file system gives no locks ({error.strerror}); "
            "put the run on a local disk"
        ) from None
    return True


def _read_pid(fd: int) -> int | None:
    text = os.pread(fd, 32, 0).strip()
    return int(text) if text.isdigit() else None


def holder_of(path: Path) -> Holder | None:
    """Return who holds the lock at ``path`` now, or None when it is free.

    Raises:
        LockUnavailableError: the file system gives no locks.

    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        # A shared lock, for a moment: two lookers do not see each other, a writer retries.
        return None if _flock(fd, fcntl.LOCK_SH, path) else Holder(_read_pid(fd))
    finally:
        os.close(fd)


class FileLock:
    """An exclusive lock on a file, held from ``acquire`` to ``release``; a context manager."""

    def __init__(self, path: Path, wait_s: float = 1.0, mode: int = 0o600) -> None:
        self.path = path
        self._wait_s = wait_s
        self._mode = mode
        self._fd: int | None = None

    def acquire(self) -> None:
        """Take the lock and write this process's pid into the file.

        Raises:
            LockHeldError: it is still held after ``wait_s`` seconds.
            LockUnavailableError: the file system gives no locks.
            OSError: the file cannot be made.

        """
        deadline = time.monotonic() + self._wait_s
        fresh = not self.path.exists()
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, self._mode)
        try:
            if fresh:
                with contextlib.suppress(OSError):  # two came at once: the other one owns it
                    os.fchmod(fd, self._mode)
            while not _flock(fd, fcntl.LOCK_EX, self.path):
                if time.monotonic() >= deadline:
                    raise LockHeldError(self.path, _read_pid(fd))
                time.sleep(_RETRY_S)
            with contextlib.suppress(OSError):  # a full disk does not take the lock away
                os.ftruncate(fd, 0)
                os.pwrite(fd, f"{os.getpid()}\n".encode("ascii"), 0)
        except BaseException:
            os.close(fd)
            raise
        self._fd = fd

    def release(self) -> None:
        """Give the lock back; the file stays, so that no two holders lock different files."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
