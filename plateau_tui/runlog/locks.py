"""The lock of a run, and the one per server endpoint.

``flock`` is released by the kernel when its holder dies, however that happens. The libraries
for this treat every error of the call as "somebody else has it"; a file system without locks
must not look like that, so the call is made here.

Whoever removes or replaces a lock file takes nobody's lock away: a run is held by its folder too,
and a holder looks whether its lock still stands under its name before it writes.
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
_MOST_MOVED: Final = 100
_TAKEN: Final = frozenset({errno.EWOULDBLOCK, errno.EACCES, errno.EAGAIN})


class LockHeldError(RuntimeError):
    """Another process holds the lock; ``pid`` is its process where it could be read."""

    def __init__(self, path: Path, pid: int | None) -> None:
        self.path = path
        self.pid = pid
        super().__init__(f"{path} is held by process {pid or '(unknown)'}")


_DELETED: Final = " (deleted)"


class RunTakenError(RuntimeError):
    """The lock of a run was lost to another process; nothing may be written any more."""

    exit_code = 4

    def __init__(self, folder: Path, pid: int | None) -> None:
        super().__init__(
            f"another collector holds the run {folder.name} (process {pid or 'unknown'}): its "
            "collector.lock was removed or replaced under this one, which ends and writes nothing "
            "more; leave the other one running, and the lock alone"
        )


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
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe must not wait
    except FileNotFoundError:
        return None
    try:
        # A shared lock, for a moment: two lookers do not see each other, a writer retries.
        return None if _flock(fd, fcntl.LOCK_SH, path) else Holder(_read_pid(fd))
    finally:
        os.close(fd)


def _is(path: Path, fd: int) -> bool:
    """Say whether an open file, or folder, is what stands under a name."""
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    own = os.fstat(fd)
    return (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)


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
        for _ in range(_MOST_MOVED):
            fd = self._lock(deadline)
            if _is(self.path, fd):
                break
            os.close(fd)  # removed or replaced meanwhile: what is locked has no name any more
        else:
            raise LockUnavailableError(f"{self.path} is replaced again and again; end what does so")
        with contextlib.suppress(OSError):  # a full disk does not take the lock away
            os.ftruncate(fd, 0)
            os.pwrite(fd, f"{os.getpid()}\n".encode("ascii"), 0)
        self._fd = fd

    def _lock(self, deadline: float) -> int:
        """Return the file, opened and locked; ``deadline`` is a second of ``time.monotonic()``."""
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
        except BaseException:
            os.close(fd)
            raise
        return fd

    @property
    def stands(self) -> bool:
        """Whether the file under the lock's name is the one that this process locked.

        Raises:
            OSError: the system does not say.

        """
        return self._fd is not None and _is(self.path, self._fd)

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


class RunLock:
    """The lock of a run: its folder, which nobody takes for a stale lock, and its lock file.

    The folder's lock is what keeps a second writer out, the file is what everybody looks at. A
    file system that locks no folders (NFS) has the file alone.
    """

    def __init__(self, path: Path, wait_s: float = 1.0, mode: int = 0o600) -> None:
        """Prepare the lock whose file is ``path``; ``wait_s`` seconds are waited for another."""
        self._folder = path.parent
        self._wait_s = wait_s
        self._file = FileLock(path, wait_s, mode)
        self._mode = mode
        self._fd: int | None = None
        self._taken: RunTakenError | None = None

    def acquire(self) -> None:
        """Take the lock.

        Raises:
            LockHeldError: another process holds it after ``wait_s`` seconds.
            LockUnavailableError: the file system gives no locks.
            OSError: the lock's file cannot be made.

        """
        fd = self._take_folder()
        try:
            lock = FileLock(self._file.path, self._wait_s, self._mode)
            lock.acquire()
        except BaseException:
            if fd != self._fd:
                os.close(fd)
            raise
        if fd != self._fd:
            self._close_folder()
        self._file.release()
        self._file, self._fd = lock, fd

    def _take_folder(self) -> int:
        """Return the run's folder, opened and, where its file system can do that, locked."""
        if self._fd is not None and _is(self._folder, self._fd):
            return self._fd
        deadline = time.monotonic() + self._wait_s
        fd = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            while not self._folder_locked(fd):
                if time.monotonic() >= deadline:
                    holder = holder_of(self._file.path)
                    raise LockHeldError(self._file.path, holder.pid if holder else None)
                time.sleep(_RETRY_S)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def _folder_locked(self, fd: int) -> bool:
        try:
            return _flock(fd, fcntl.LOCK_EX, self._folder)
        except LockUnavailableError:
            return True  # its file has to do

    def keep(self) -> bool:
        """Take the lock again where it was removed or replaced; say whether it had to be.

        Raises:
            RunTakenError: another process holds the run now; so it stays, whatever that one does.
            OSError: it cannot be seen, or not be taken now.

        """
        if self._taken is not None:
            raise self._taken
        if self._fd is None:
            raise ValueError("the lock is not held")
        if self._file.stands and _is(self._folder, self._fd):
            return False
        try:
            self.acquire()
        except LockHeldError as error:
            self._taken = RunTakenError(self._folder, error.pid)
            raise self._taken from None
        except LockUnavailableError as error:
            raise OSError(errno.ENOLCK, str(error)) from None
        return True

    @property
    def folder_now(self) -> str | None:
        """Where the locked folder stands by now; None where that cannot be seen, or it is gone."""
        try:
            now = str(Path(f"/proc/self/fd/{self._fd}").readlink())
        except OSError:
            return None
        return None if now.endswith(_DELETED) else now

    def release(self) -> None:
        """Give the lock back; its file stays."""
        self._file.release()
        self._close_folder()

    def _close_folder(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
