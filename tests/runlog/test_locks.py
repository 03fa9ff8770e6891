"""The lock of a run: one holder, released by the kernel, and an error is not a holder."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plateau_tui.runlog.locks import (
    FileLock,
    Holder,
    LockHeldError,
    LockUnavailableError,
    holder_of,
)

_HOLD = """
import sys
from pathlib import Path
from plateau_tui.runlog.locks import FileLock
FileLock(Path(sys.argv[1])).acquire()
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def holding(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """A real process that holds the lock until its stdin ends or it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)},
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        try:
            yield child
        finally:
            child.kill()


def test_a_second_process_is_refused_and_told_who_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "collector.lock"
    with holding(path) as child:
        with pytest.raises(LockHeldError) as caught:
            FileLock(path, wait_s=0).acquire()
        assert caught.value.pid == child.pid
        assert holder_of(path) == Holder(child.pid)


def test_kill_9_of_the_holder_frees_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "collector.lock"
    with holding(path) as child:
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert holder_of(path) is None
        with FileLock(path, wait_s=0):
            assert holder_of(path) == Holder(os.getpid())
    assert holder_of(path) is None


def test_waiting_gets_the_lock_when_its_holder_ends(tmp_path: Path) -> None:
    path = tmp_path / "collector.lock"
    with holding(path) as child:
        assert child.stdin is not None
        child.stdin.close()
        with FileLock(path, wait_s=30):
            assert path.read_text() == f"{os.getpid()}\n"


def test_a_child_of_the_holder_does_not_keep_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "collector.lock"
    lock = FileLock(path)
    lock.acquire()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        lock.release()
        assert holder_of(path) is None
        child.kill()


@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EBADF, errno.EINVAL, errno.EOPNOTSUPP])
def test_a_lock_error_is_not_a_lock_that_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def broken(fd: int, how: int) -> None:
        raise OSError(code, os.strerror(code))

    path = tmp_path / "collector.lock"
    path.touch()
    monkeypatch.setattr(fcntl, "flock", broken)
    with pytest.raises(LockUnavailableError, match="no locks"):
        FileLock(path, wait_s=0).acquire()
    with pytest.raises(LockUnavailableError, match=r"collector\.lock"):
        holder_of(path)


def test_no_file_and_a_left_over_file_are_nobodys_lock(tmp_path: Path) -> None:
    path = tmp_path / "collector.lock"
    assert holder_of(path) is None
    path.write_text("4711\n")
    assert holder_of(path) is None


@pytest.mark.parametrize("text", [b"", b"\0" * 32, b"nobody", b"12 34", b"-5"])
def test_a_pid_that_cannot_be_read_is_unknown_and_held_all_the_same(
    tmp_path: Path, text: bytes
) -> None:
    path = tmp_path / "collector.lock"
    path.write_bytes(text)
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert holder_of(path) == Holder(None)
        with pytest.raises(LockHeldError, match="unknown"):
            FileLock(path, wait_s=0).acquire()


def test_a_lock_file_has_the_runs_permissions_whatever_the_umask(tmp_path: Path) -> None:
    path, before = tmp_path / "collector.lock", os.umask(0o077)
    try:
        with FileLock(path, mode=0o660):
            assert path.stat().st_mode & 0o777 == 0o660
    finally:
        os.umask(before)


def test_lookers_do_not_see_each_other(tmp_path: Path) -> None:
    path = tmp_path / "collector.lock"
    path.touch()
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_SH)
        assert holder_of(path) is None


def test_who_waited_and_who_comes_later_never_lock_two_files(tmp_path: Path) -> None:
    """A lock's file that went away with its holder would be two: one opened, one made anew."""
    path = tmp_path / "collector.lock"
    with FileLock(path):
        waiting = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(waiting, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(LockHeldError):
            FileLock(path, wait_s=0).acquire()
    finally:
        os.close(waiting)
