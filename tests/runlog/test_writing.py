"""Writing when it fails: nothing in part, nothing lost, tried again, said so."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from metric.texts import parsed
from runlog.runs import (
    begin,
    finished_run,
    heads_hold,
    input_output_error,
    lines_of,
    new_folder,
    whole_and_intact,
    write_cycle,
)

from plateau_tui.runlog import events as ev
from plateau_tui.runlog.chain import JOURNAL_GENESIS
from plateau_tui.runlog.chainedfile import ChainedFile, LogWriteError
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.writer import RunWriter

Write = Callable[[int, bytes], int]
GENESIS = "ab" * 32


# A child sets a real limit on the size of its files, as a full disk or a quota would.
_FULL = """
import resource, sys
from pathlib import Path
from metric.texts import parsed
from runlog.runs import begin, new_folder, write_cycle
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
def room(n): resource.setrlimit(resource.RLIMIT_FSIZE, (n, hard))
here = Path(sys.argv[1])
for step in range(40):
    folder = new_folder(here / f"run{step}")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    rows, journal = folder.rows.stat().st_size, folder.journal.stat().st_size
    # From no byte at all to enough for the rows but not for the heartbeat of cycle 3.
    room(rows + step * 400)
    before = folder.rows.read_bytes(), folder.journal.read_bytes()
    for cycle in (1, 2, 3):
        write_cycle(writer, parsed(), cycle)
    for path, old in zip((folder.rows, folder.journal), before):
        data = path.read_bytes()
        assert data.startswith(old) and data.endswith(b"\\n"), "written in part"
        assert data.count(b"\\n") % 6 == 0 or path == folder.journal, "a cycle in part"
    if step < 30:
        assert writer.blocked and "cannot be written" in writer.blocked, writer.blocked
        assert not writer.flush()
    room(hard)
    assert writer.flush() and writer.blocked is None
    writer.close()
"""


def test_a_full_disk_loses_no_cycle_and_leaves_no_half_one(tmp_path: Path) -> None:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    subprocess.run(
        [sys.executable, "-c", _FULL, str(tmp_path)], env={"PYTHONPATH": path}, check=True
    )
    for step in range(40):
        folder = RunFolder(tmp_path / f"run{step}")
        whole_and_intact(folder, 4)
        assert not list(folder.path.glob("*.torn-*"))
        assert not list(folder.path.glob("*.cut-*"))


@pytest.mark.parametrize("taken", [0, 1, 100, 2000])
def test_a_short_write_is_taken_back_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken: int
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    folder, real = writer.folder, os.write
    write_cycle(writer, parsed(), 0)
    before = folder.rows.read_bytes()

    def short(fd: int, data: bytes) -> int:
        return real(fd, data[:taken])

    with monkeypatch.context() as full:
        full.setattr(os, "write", short)
        write_cycle(writer, parsed(), 1)
        assert folder.rows.read_bytes() == before
        assert writer.blocked is not None
        assert "rows.jsonl cannot be written" in writer.blocked
        with pytest.raises(LogWriteError, match="make room"):
            writer.require_written()
    writer.require_written()
    writer.close()
    whole_and_intact(folder, 2)


def test_a_failed_fsync_is_a_failed_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", input_output_error)
        write_cycle(writer, parsed(), 0)
        assert writer.folder.rows.read_bytes() == b""
    assert writer.flush()
    writer.close()
    whole_and_intact(writer.folder, 1)


def test_a_write_that_cannot_be_taken_back_at_once_is_taken_back_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    real = os.write
    with monkeypatch.context() as broken:
        broken.setattr(os, "write", lambda fd, data: real(fd, data[:50]))
        broken.setattr(os, "ftruncate", input_output_error)
        write_cycle(writer, parsed(), 0)
        assert not writer.flush()
    assert writer.flush()
    writer.close()
    whole_and_intact(writer.folder, 1)
    assert not list(writer.folder.path.glob("rows.*-1"))


def test_every_cycle_is_one_write_of_its_rows_then_one_of_its_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, bytes]] = []
    writer = begin(new_folder(tmp_path / "run"))
    real_write, real_sync = os.write, os.fsync

    def write(fd: int, data: bytes) -> int:
        calls.append(("write", data))
        return real_write(fd, data)

    def fsync(fd: int) -> None:
        calls.append(("fsync", b""))
        real_sync(fd)

    monkeypatch.setattr(os, "write", write)
    monkeypatch.setattr(os, "fsync", fsync)
    write_cycle(writer, parsed(), 0)
    writer.close()
    assert [kind for kind, _ in calls] == ["write", "fsync", "write", "fsync"]
    assert calls[0][1] == writer.folder.rows.read_bytes()
    assert calls[2][1].count(b"\n") == 2
    assert b'"heartbeat"' in calls[2][1]


def test_rows_that_stand_are_not_written_again_when_their_heartbeat_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    real = os.write

    def rows_only(fd: int, data: bytes) -> int:
        return real(fd, data if data.startswith(b'{"schema"') else b"")

    with monkeypatch.context() as broken:
        broken.setattr(os, "write", rows_only)
        write_cycle(writer, parsed(), 0)
        write_cycle(writer, parsed(), 1)
        assert len(lines_of(writer.folder.rows)) == 6
    assert writer.flush()
    assert writer.state.heartbeat is not None
    assert writer.state.heartbeat.cycle == 1
    writer.close()
    whole_and_intact(writer.folder, 2)


def test_a_system_that_does_not_say_whether_a_line_stands_blocks_and_doubles_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    with monkeypatch.context() as broken:
        broken.setattr(ChainedFile, "_stamp", input_output_error)
        write_cycle(writer, parsed(), 0)
        assert writer.blocked is not None
    assert writer.flush()
    write_cycle(writer, parsed(), 1)
    writer.close()
    whole_and_intact(writer.folder, 2)


def test_a_journal_that_begins_anew_does_so_whatever_the_lost_one_s_end_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    write_cycle(writer, parsed(), 0)
    writer.folder.journal.rename(writer.folder.path / "journal.old")
    lost = writer._journal._fd
    real = os.close

    def failing(fd: int) -> None:
        real(fd)
        if fd == lost:
            input_output_error()

    with monkeypatch.context() as broken:
        broken.setattr(os, "close", failing)
        write_cycle(writer, parsed(), 1)
    writer.close()
    whole_and_intact(writer.folder, 2)


def test_pending_cycles_never_move_the_state_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    real = os.write
    written: list[bytes] = []

    def one_cycle(fd: int, data: bytes) -> int:
        written.append(data)
        return real(fd, data if len(written) <= 2 else b"")

    with monkeypatch.context() as broken:
        broken.setattr(os, "write", lambda fd, _: real(fd, b""))
        for cycle in range(3):
            write_cycle(writer, parsed(), cycle)
        broken.setattr(os, "write", one_cycle)
        assert not writer.flush()
        assert writer.state.heartbeat is not None
        assert writer.state.heartbeat.cycle == 2
    assert writer.flush()
    writer.close()
    whole_and_intact(writer.folder, 3)


def test_what_cannot_be_encoded_fails_at_once_and_blocks_nothing(tmp_path: Path) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    with pytest.raises(TypeError):
        writer.journal(ev.Request(id="1", op="note", args={"x": object()}))
    write_cycle(writer, parsed(), 0)
    assert writer.blocked is None
    writer.close()
    whole_and_intact(writer.folder, 1)


def test_an_error_is_told_without_the_systems_number(tmp_path: Path) -> None:
    with pytest.raises(LogWriteError) as caught:
        ChainedFile(tmp_path / "no" / "rows.jsonl", GENESIS)
    assert "[Errno" not in str(caught.value)
    assert "rows.jsonl: No such file" in str(caught.value)


def test_a_run_is_appended_to_and_never_rewritten(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    rows, journal = folder.rows.read_bytes(), folder.journal.read_bytes()
    writer = RunWriter(folder, lambda: 0)
    writer.open_rows(12)
    write_cycle(writer, parsed(), 2)
    writer.close()
    assert folder.rows.read_bytes().startswith(rows)
    assert folder.journal.read_bytes().startswith(journal)
    assert heads_hold(folder.journal.read_bytes(), JOURNAL_GENESIS)
    whole_and_intact(folder, 3)
