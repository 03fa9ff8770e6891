"""A file that changes under its writer: journaled, moved aside, gone on from the last head."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from metric.texts import VALID, parsed
from runlog.runs import (
    begin,
    events_of,
    heads_hold,
    input_output_error,
    lines_of,
    names_of,
    new_folder,
    sealed,
    whole_and_intact,
    write_cycle,
)

from plateau_tui.runlog import chainedfile
from plateau_tui.runlog.chainedfile import ChainedFile, LogWriteError
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import RunWriter

GENESIS = "ab" * 32


def truncated(path: Path) -> None:
    os.truncate(path, 0)


def shortened(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 10)


def renamed(path: Path) -> None:
    path.rename(path.with_name("rotated"))


def replaced(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    copy.replace(path)


REASONS = {
    "truncated": "the file was cut from",
    "shortened": "the file was cut from",
    "renamed": "the file is gone",
    "unlink": "the file is gone",
    "replaced": "another file stands in its place",
}
"""What the journal calls it."""


@pytest.mark.parametrize("happens", [truncated, shortened, renamed, Path.unlink, replaced])
def test_rows_that_vanish_shrink_or_are_swapped_go_on_in_a_new_file(
    tmp_path: Path, happens: Callable[[Path], None]
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    folder = writer.folder
    write_cycle(writer, parsed(), 0)
    head = writer.rows_head
    happens(folder.rows)
    write_cycle(writer, parsed(), 1)
    write_cycle(writer, parsed(), 2)
    writer.close()
    assert heads_hold(folder.rows.read_bytes(), head)
    assert len(lines_of(folder.rows)) == 12
    told = [event for event in events_of(folder) if event["event"] == "log_restarted"]
    assert [(event["file"], event["head"]) for event in told] == [("rows.jsonl", head)]
    assert REASONS[happens.__name__] in str(told[0]["reason"])
    moved_to, kept = str(told[0]["moved_to"]), str(told[0]["kept"])
    assert (moved_to == "rows.cut-1") == (happens not in {renamed, Path.unlink})
    assert not moved_to or (folder.path / moved_to).exists()
    counted = [event["rows"] for event in events_of(folder) if event["event"] == "heartbeat"]
    assert counted == [6, 12, 18]
    # What was only moved, deleted or swapped is still read; what was cut off is gone.
    assert verify_run(folder).intact == (happens not in {truncated, shortened})
    assert bool(kept) == verify_run(folder).intact


@pytest.mark.parametrize("happens", [truncated, shortened, renamed, Path.unlink, replaced])
def test_a_journal_that_is_lost_goes_on_with_what_the_run_stands_on(
    tmp_path: Path, happens: Callable[[Path], None]
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    folder = writer.folder
    write_cycle(writer, parsed(), 0)
    before = events_of(folder)
    happens(folder.journal)
    write_cycle(writer, parsed(), 1)
    state = writer.state
    writer.close()
    names = names_of(folder)
    assert names[0] == "run_opened"
    assert names[-2:] == ["log_restarted", "heartbeat"]
    assert heads_hold(folder.journal.read_bytes(), str(before[-1]["chain"]))
    again = RunWriter(folder, lambda: 0)
    again.close()
    assert again.state.sealed == state.sealed == sealed(VALID)
    assert again.state.pins == state.pins
    assert again.state.start == state.start
    assert again.state.window == state.window
    assert again.state.collector_id == state.collector_id


@pytest.mark.parametrize("foreign", [b"x", b"a line\n", b"\0" * 5000, b'{"half":', b"\n\n"])
@pytest.mark.parametrize("name", ["rows", "journal"])
def test_foreign_bytes_at_the_end_move_aside_and_are_journaled(
    tmp_path: Path, name: str, foreign: bytes
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    folder = writer.folder
    write_cycle(writer, parsed(), 0)
    with (folder.path / f"{name}.jsonl").open("ab") as file:
        file.write(foreign)
    write_cycle(writer, parsed(), 1)
    writer.close()
    whole_and_intact(folder, 2)
    assert (folder.path / f"{name}.torn-1").read_bytes() == foreign
    told = [event for event in events_of(folder) if event["event"] == "torn_tail"]
    assert [(t["file"], t["bytes"], t["moved_to"]) for t in told] == [
        (f"{name}.jsonl", len(foreign), f"{name}.torn-1")
    ]


def test_a_program_that_writes_in_the_same_moment_costs_nobody_a_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    folder, real = writer.folder, os.write
    write_cycle(writer, parsed(), 0)

    def racing(fd: int, data: bytes) -> int:
        monkeypatch.undo()
        real(fd, b"foreign\n")
        return real(fd, data)

    monkeypatch.setattr(os, "write", racing)
    write_cycle(writer, parsed(), 1)
    assert writer.flush()
    writer.close()
    whole_and_intact(folder, 2)
    assert (folder.path / "rows.torn-1").read_bytes().startswith(b"foreign\n")
    assert "torn_tail" in names_of(folder)


def test_a_full_disk_with_foreign_bytes_fills_itself_with_no_side_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    folder = writer.folder
    write_cycle(writer, parsed(), 0)
    with folder.rows.open("ab") as file:
        file.write(b"foreign")
    with monkeypatch.context() as full:
        full.setattr(os, "fsync", input_output_error)
        write_cycle(writer, parsed(), 1)
        for _ in range(5):
            assert not writer.flush()
        assert not list(folder.path.glob("rows.torn-*"))
    assert writer.flush()
    writer.close()
    whole_and_intact(folder, 2)
    assert [path.name for path in folder.path.glob("rows.torn-*")] == ["rows.torn-1"]


def test_a_folder_that_cannot_be_looked_into_blocks_and_does_not_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    real = Path.stat

    def denied(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path.name.endswith(".jsonl"):
            raise PermissionError(13, "Permission denied")
        return real(path, follow_symlinks=follow_symlinks)

    with monkeypatch.context() as broken:
        broken.setattr(Path, "stat", denied)
        write_cycle(writer, parsed(), 0)
        assert writer.blocked is not None
        assert "Permission denied" in writer.blocked
    assert writer.flush()
    writer.close()
    whole_and_intact(writer.folder, 1)


def test_a_vanished_folder_blocks_until_it_is_back(tmp_path: Path) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    folder = writer.folder
    write_cycle(writer, parsed(), 0)
    folder.path.rename(tmp_path / "away")
    write_cycle(writer, parsed(), 1)
    assert writer.blocked is not None
    (tmp_path / "away").rename(folder.path)
    assert writer.flush()
    writer.close()
    whole_and_intact(folder, 2)


def test_a_restart_that_fails_half_way_still_names_the_side_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "rows.jsonl"
    file = ChainedFile(path, GENESIS)
    file.append([b'{"a":1}'])
    os.truncate(path, 3)
    with monkeypatch.context() as broken:
        broken.setattr(chainedfile, "fsync_folder", input_output_error)
        with pytest.raises(LogWriteError):
            file.restart()
    path.unlink(missing_ok=True)
    assert file.restart() == "rows.cut-1"
    file.close()


@pytest.mark.parametrize("size", [200, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2 << 20])
def test_a_newline_is_put_back_at_any_size_and_behind_nothing_else(
    tmp_path: Path, size: int
) -> None:
    path = tmp_path / "rows.jsonl"
    file = ChainedFile(path, GENESIS)
    file.append([b'{"a":"' + b"x" * (size - 84) + b'"}'])
    whole = path.read_bytes()
    assert len(whole) == size
    assert not file.put_newline_back()
    os.truncate(path, size - 1)
    assert file.put_newline_back()
    assert path.read_bytes() == whole
    assert file.lost() is None
    for other in (whole[:-2] + b"#", b"#" + whole[1:-1], whole[:-2]):
        path.write_bytes(other)
        assert not file.put_newline_back()
        assert path.read_bytes() == other
    file.close()


def test_a_newline_that_cannot_be_put_back_now_is_put_back_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = begin(new_folder(tmp_path / "run"))
    write_cycle(writer, parsed(), 0)
    os.truncate(writer.folder.rows, writer.folder.rows.stat().st_size - 1)
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", input_output_error)
        write_cycle(writer, parsed(), 1)
        assert writer.blocked is not None
    assert writer.flush()
    writer.close()
    whole_and_intact(writer.folder, 2)
