"""What others left behind a log while nothing wrote it: set aside, and never taken for the log."""

from pathlib import Path

import pytest
from logfaults.matrix import appended, rotated
from logfaults.test_files import CYCLES, entries, order
from metric.texts import parsed
from runlog.runs import Clock, closed, finished_run, write_cycle

from plateau_tui.collector.recovery import recover
from plateau_tui.collector.run import OpenRun
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import RunWriter


@pytest.mark.parametrize("name", ["rows", "journal"])
@pytest.mark.parametrize(
    "left",
    [
        b"hello\n",
        b"hello\nwor",
        b"\0" * 600 + b"\n",
        b"\n\n",
        b'{"schema":"plateau_row/1"}\n' * 9,
        b"x" * (2 << 20) + b"\nhello\n",
        (-1,),
        (2,),
        (0, -2, 3, -1),
    ],
    ids=[
        "a line",
        "and a half",
        "NULs",
        "newlines",
        "unchained",
        "endless",
        "the last line again",
        "an earlier line again",
        "several again",
    ],
)
def test_lines_left_while_nothing_ran_are_set_aside_at_the_start(
    tmp_path: Path, name: str, left: bytes | tuple[int, ...]
) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    path = folder.path / f"{name}.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    foreign = left if isinstance(left, bytes) else b"".join(lines[number] for number in left)
    appended(foreign)(path)
    assert verify_run(folder).condition in (
        {"changed", "torn"} if isinstance(left, bytes) else {"appended to"}
    )
    go_on(folder, CYCLES)
    assert verify_run(folder).problems == []
    assert order(read_rows(folder.rows)) == [(c, u.name) for c in range(4) for u in parsed().units]
    assert (folder.path / f"{name}.torn-1").read_bytes() == foreign
    told = [event for _, event in entries(folder) if isinstance(event, ev.TornTail)]
    assert told == [ev.TornTail(file=path.name, bytes=len(foreign), moved_to=f"{name}.torn-1")]
    assert path.read_bytes().startswith(whole)


@pytest.mark.parametrize("name", ["rows", "journal"])
def test_a_last_line_glued_to_what_another_program_wrote_is_kept(tmp_path: Path, name: str) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    path = folder.path / f"{name}.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"hello\nworld\n")
    go_on(folder, CYCLES)
    assert verify_run(folder).problems == []
    assert path.read_bytes().startswith(whole)
    assert (folder.path / f"{name}.torn-1").read_bytes() == b"hello\nworld\n"


@pytest.mark.parametrize("name", ["rows", "journal"])
def test_a_last_line_that_was_changed_is_never_taken_for_a_foreign_one(
    tmp_path: Path, name: str
) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    path = folder.path / f"{name}.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-120] + b"#" + whole[-119:])
    go_on(folder, CYCLES)
    assert verify_run(folder).condition == "changed"
    assert not list(folder.path.glob("*.torn-*"))


def test_a_journal_that_was_moved_away_with_a_copied_line_behind_it_is_gone_on_from_its_last(
    tmp_path: Path,
) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    appended(folder.journal.read_bytes().splitlines(keepends=True)[2])(folder.journal)
    rotated(folder.journal)
    go_on(folder, CYCLES)
    assert verify_run(folder).problems == []


def test_a_journal_of_nothing_but_foreign_lines_is_one_that_was_moved_away(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    rotated(folder.journal)
    folder.journal.write_bytes(b"hello\n")
    go_on(folder, CYCLES)
    assert verify_run(folder).problems == []
    assert (folder.path / "journal.torn-1").read_bytes() == b"hello\n"


def test_rows_of_nothing_but_foreign_lines_are_rows_that_are_gone(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    whole = folder.rows.read_bytes()
    folder.rows.write_bytes(b"hello\n")
    go_on(folder, CYCLES)
    assert verify_run(folder).condition == "missing"
    (folder.path / "rows.back").write_bytes(whole)
    assert verify_run(folder).problems == []


def go_on(folder: RunFolder, cycles: int) -> None:
    """Go on with a run of two cycles as the next collector does, and close it."""
    writer = RunWriter(folder, Clock())
    recover(OpenRun(folder, writer, parsed()))
    for cycle in range(2, cycles):
        write_cycle(writer, parsed(), cycle)
    writer.journal(closed(cycles))
    writer.require_written()
    writer.close()
