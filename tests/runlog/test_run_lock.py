"""The lock of a run outlives its file: removed or replaced, it lets no second writer in."""

import errno
import fcntl
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from metric.texts import parsed
from runlog.runs import (
    SLOT0,
    Clock,
    begin,
    closed,
    events_of,
    finished_run,
    names_of,
    new_folder,
    whole_and_intact,
    write_cycle,
)

from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import (
    FileLock,
    Holder,
    LockHeldError,
    RunLock,
    RunTakenError,
    holder_of,
)
from plateau_tui.runlog.writer import RunWriter

Act = Callable[[Path], None]


def removed(path: Path) -> None:
    path.unlink()


def replaced(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    copy.replace(path)


BOTH = pytest.mark.parametrize("happens", [removed, replaced])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return tmp_path / "run" / "collector.lock"


def held(path: Path) -> RunLock:
    lock = RunLock(path, wait_s=0)
    lock.acquire()
    return lock


@pytest.fixture
def no_folder_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that locks files, but no folders."""
    real = fcntl.flock

    def files_only(fd: int, how: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        real(fd, how)

    monkeypatch.setattr(fcntl, "flock", files_only)


@BOTH
def test_a_lock_without_its_file_is_held_all_the_same(path: Path, happens: Act) -> None:
    lock = held(path)
    happens(path)
    with pytest.raises(LockHeldError):
        RunLock(path, wait_s=0).acquire()
    assert lock.keep()
    assert not lock.keep()
    assert holder_of(path) == Holder(os.getpid())
    lock.release()
    assert holder_of(path) is None
    held(path).release()


def test_who_is_refused_leaves_no_lock_file_behind(path: Path) -> None:
    lock = held(path)
    path.unlink()
    with pytest.raises(LockHeldError):
        RunLock(path, wait_s=0).acquire()
    assert not path.exists()
    lock.release()


def test_who_is_refused_for_the_file_keeps_no_folder(path: Path) -> None:
    with FileLock(path), pytest.raises(LockHeldError):
        RunLock(path, wait_s=0).acquire()
    held(path).release()


@BOTH
@pytest.mark.usefixtures("no_folder_locks")
def test_a_lock_that_another_has_by_now_is_lost_for_good(path: Path, happens: Act) -> None:
    lock = held(path)
    happens(path)
    other = held(path)
    with pytest.raises(RunTakenError, match="another collector holds the run run"):
        lock.keep()
    other.release()
    with pytest.raises(RunTakenError):
        lock.keep()
    lock.release()


@pytest.mark.usefixtures("no_folder_locks")
def test_without_locks_of_folders_the_file_is_taken_again(path: Path) -> None:
    lock = held(path)
    with pytest.raises(LockHeldError):
        RunLock(path, wait_s=0).acquire()
    path.unlink()
    assert lock.keep()
    assert not lock.keep()
    with pytest.raises(LockHeldError):
        RunLock(path, wait_s=0).acquire()
    lock.release()


def test_a_folder_in_the_runs_place_is_another_writers_if_it_is_held(path: Path) -> None:
    lock, folder = held(path), path.parent
    folder.rename(folder.with_name("away"))
    with pytest.raises(FileNotFoundError):
        lock.keep()
    shutil.copytree(folder.with_name("away"), folder)
    assert lock.keep()
    folder.rename(folder.with_name("copy"))
    folder.mkdir()
    other = held(path)
    with pytest.raises(RunTakenError):
        lock.keep()
    for each in (lock, other):
        each.release()


def test_a_file_that_goes_in_the_moment_it_is_locked_is_no_lock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = fcntl.flock

    def racing(fd: int, how: int) -> None:
        monkeypatch.undo()
        real(fd, how)
        path.unlink()

    monkeypatch.setattr(fcntl, "flock", racing)
    with FileLock(path, wait_s=0) as lock:
        assert lock.stands
        assert holder_of(path) == Holder(os.getpid())


# -- the writer ---------------------------------------------------------------------------------


def going_on(folder: RunFolder, lock: RunLock) -> RunWriter:
    writer = RunWriter(folder, Clock(SLOT0), lock)
    writer.open_rows(6)
    return writer


def told(folder: RunFolder) -> list[str]:
    return [str(event["event"]) for event in events_of(folder) if event.get("code") == "lock_lost"]


@BOTH
def test_a_writer_takes_its_lock_again_and_says_so_once(tmp_path: Path, happens: Act) -> None:
    folder = finished_run(tmp_path / "run", 1, close=False)
    lock = held(folder.lock)
    writer = going_on(folder, lock)
    happens(folder.lock)
    write_cycle(writer, parsed(), 1)
    write_cycle(writer, parsed(), 2)
    assert told(folder) == ["fault", "recovered"]
    happens(folder.lock)
    assert writer.flush()  # with nothing to write
    assert holder_of(folder.lock) == Holder(os.getpid())
    assert told(folder) == ["fault", "recovered"] * 2
    writer.close()
    lock.release()
    whole_and_intact(folder, 3)


def test_nothing_of_a_lock_is_said_behind_the_close(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 1, close=False)
    lock = held(folder.lock)
    writer = going_on(folder, lock)
    writer.journal(closed(1))
    folder.lock.unlink()
    writer.journal(ev.Adjudicated(verdict="PARTIAL"))
    assert names_of(folder)[-2:] == ["window_closed", "adjudicated"]
    writer.close()
    lock.release()


@pytest.mark.usefixtures("no_folder_locks")
def test_a_writer_whose_run_another_has_writes_nothing_ever_again(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 1, close=False)
    lock = held(folder.lock)
    writer = going_on(folder, lock)
    folder.lock.unlink()
    heir_lock = held(folder.lock)
    heir = going_on(folder, heir_lock)
    write_cycle(heir, parsed(), 1)
    before = {path.name: path.read_bytes() for path in folder.path.glob("*.*")}
    with pytest.raises(RunTakenError):
        write_cycle(writer, parsed(), 1)
    heir.close()
    heir_lock.release()
    for again in (writer.flush, writer.require_written, lambda: writer.journal(ev.Note(text="n"))):
        with pytest.raises(RunTakenError):
            again()
    assert {path.name: path.read_bytes() for path in folder.path.glob("*.*")} == before
    writer.close()
    lock.release()
    whole_and_intact(folder, 2)


def test_a_lock_that_cannot_be_looked_at_keeps_what_is_to_be_written_in_memory(
    tmp_path: Path,
) -> None:
    folder = new_folder(tmp_path / "run")
    begin(folder).close()
    lock = held(folder.lock)
    writer = RunWriter(folder, Clock(SLOT0), lock)
    writer.open_rows(0)
    folder.path.rename(tmp_path / "away")
    assert writer.flush()  # nothing waits
    write_cycle(writer, parsed(), 0)
    assert writer.blocked is not None
    (tmp_path / "away").rename(folder.path)
    assert writer.flush()
    assert told(folder) == []
    writer.close()
    lock.release()
    whole_and_intact(folder, 1)
