"""Each fault of a log file between two cycles: what was written is kept, or its loss is named."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from logfaults.matrix import (
    ELSEWHERE,
    FILES,
    Act,
    Fault,
    FileFault,
    deleted,
    rotated,
    truncated,
)
from metric.texts import parsed
from runlog.runs import (
    Clock,
    begin,
    closed,
    finished_run,
    names_of,
    new_folder,
    write_cycle,
)

from plateau_tui.collector.recovery import recover
from plateau_tui.collector.run import OpenRun
from plateau_tui.report.gather import judge
from plateau_tui.report.snapshot import copy_log
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.chainedfile import LogWriteError
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.scan import read_rows, scan_journal
from plateau_tui.runlog.segments import segments
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.tail import FileTail
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import RunWriter

TESTS = Path(__file__).parent.parent
CYCLES = 4
UNITS = 6


@pytest.mark.parametrize("fault", ELSEWHERE, ids=lambda fault: fault.name)
def test_what_the_matrix_promises_is_held_by_a_test_that_is_there(fault: Fault) -> None:
    file, _, name = fault.held_by.partition("::")
    assert f"def {name}(" in (TESTS / file).read_text()


def descriptors() -> int:
    here = Path("/proc/self/fd")
    return len(list(here.iterdir())) if here.is_dir() else 0


def with_fault(folder: RunFolder, name: str, fault: FileFault) -> None:
    """Write four cycles and close; the fault happens to one log after the second."""
    writer = begin(folder)
    for cycle in range(CYCLES):
        write_cycle(writer, parsed(), cycle)
        if cycle == 1:
            fault.happens(folder.path / f"{name}.jsonl")
    writer.journal(closed(CYCLES))
    writer.require_written()
    writer.close()


def order(rows: Iterator[Row]) -> list[tuple[int, str]]:
    return [(row.cycle, row.uni) for row in rows]


def entries(folder: RunFolder) -> list[tuple[str, ev.Event | None]]:
    found = [item[1] for item in scan_journal(folder.journal) if isinstance(item, tuple)]
    return [(entry.name, entry.event) for entry in found if not entry.restated]


@pytest.mark.parametrize("name", ["rows", "journal"])
@pytest.mark.parametrize("fault", FILES, ids=lambda fault: fault.name)
def test_a_fault_of_a_log_is_told_and_costs_no_more_than_it_must(
    tmp_path: Path, name: str, fault: FileFault
) -> None:
    folder, before = new_folder(tmp_path / "run"), descriptors()
    with_fault(folder, name, fault)
    assert descriptors() == before
    result, wanted = verify_run(folder), [(c, u.name) for c in range(4) for u in parsed().units]
    told = [event for event, _ in entries(folder)]
    assert not fault.told or told.count(fault.told) == 1
    seen = order(read_rows(folder.rows))
    assert len(set(seen)) == len(seen)
    assert seen[-12:] == wanted[-12:]
    assert result.intact is fault.nothing_lost, result.problems
    if fault.nothing_lost:
        assert seen == wanted
        assert told.count("heartbeat") == CYCLES
        assert [told.count(once) for once in ("run_opened", "sealed", "window_opened")] == [1, 1, 1]
        assert (result.rows, result.cycles) == (24, 4)
    else:
        first = result.first
        assert first is not None
        assert first.line is not None
        assert result.condition in {"missing", "changed"}
        assert judge(folder).verdict.word == "WITHHELD"
    assert not list(folder.path.glob(".*"))


@pytest.mark.parametrize("name", ["rows", "journal"])
@pytest.mark.parametrize("fault", FILES, ids=lambda fault: fault.name)
def test_the_next_collector_goes_on_after_a_fault(
    tmp_path: Path, name: str, fault: FileFault
) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    for cycle in range(2):
        write_cycle(writer, parsed(), cycle)
    fault.happens(folder.path / f"{name}.jsonl")
    write_cycle(writer, parsed(), 2)
    writer.close()
    again = RunWriter(folder, Clock())
    run = OpenRun(folder, again, parsed())
    assert recover(run).last_cycle == 2
    assert again.state.sealed == writer.state.sealed
    assert again.state.pins == writer.state.pins
    assert again.state.window == writer.state.window
    write_cycle(again, parsed(), 3)
    again.journal(closed(CYCLES))
    again.require_written()
    again.close()
    assert order(read_rows(folder.rows))[-12:] == [
        (c, u.name) for c in (2, 3) for u in parsed().units
    ]
    assert verify_run(folder).intact is fault.nothing_lost


def test_a_file_that_is_elsewhere_is_missing_until_it_is_given_or_put_back(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    with_fault(folder, "rows", FILES[2])
    (kept,) = folder.path.glob("rows.kept-*")
    away = kept.rename(tmp_path / "taken")
    result = verify_run(folder)
    assert next(p.code for p in result.problems if p.file == "rows.jsonl") == "part_missing"
    assert result.condition == "missing"
    assert result.trustworthy["rows.jsonl"][0].first_cycle == 2
    assert verify_run(folder, more=(away,)).intact
    assert not verify_run(folder).intact
    away.rename(folder.path / "any name")
    assert verify_run(folder).intact
    assert verify_run(folder).files["rows.jsonl"] == ("any name", "rows.jsonl")


@pytest.mark.parametrize("name", ["rows", "journal"])
def test_the_export_of_a_log_in_several_files_is_one_whole_log(tmp_path: Path, name: str) -> None:
    folder, target = new_folder(tmp_path / "run"), RunFolder(tmp_path / "out")
    with_fault(folder, name, FILES[0])
    target.path.mkdir()
    copy_log(folder, target)
    assert verify_run(target).problems == []
    (kept,) = folder.path.glob(f"{name}.kept-*")
    log = f"{name}.jsonl"
    whole = kept.read_bytes() + (folder.path / log).read_bytes()
    assert (target.path / log).read_bytes() == whole
    assert judge(target).verdict == judge(folder).verdict
    assert judge(target).verdict.word == judge(finished_run(tmp_path / "plain")).verdict.word


def test_a_follower_can_read_a_log_over_all_its_files(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    with_fault(folder, "rows", FILES[1])
    tail, lines, looks = FileTail(folder.rows, joined=True), list[bytes](), 0
    while True:
        new = tail.read()
        lines += new.lines
        looks += 1
        if not new.more:
            break
    assert len(lines) == CYCLES * UNITS
    assert [json.loads(line)["cycle"] for line in lines[::UNITS]] == [0, 1, 2, 3]
    assert looks == 2


def test_three_files_are_put_in_order_by_their_chain(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    for cycle in range(CYCLES):
        write_cycle(writer, parsed(), cycle)
        if cycle < CYCLES - 1:
            folder.rows.rename(folder.path / f"rows.{'cab'[cycle]}")
    writer.journal(closed(CYCLES))
    writer.close()
    assert [s.path.name for s in segments(folder.rows)] == [
        "rows.c", "rows.a", "rows.b", "rows.jsonl"
    ]  # fmt: skip
    assert verify_run(folder).intact


def test_logs_that_were_rotated_while_nothing_ran_are_gone_on_from(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    for path in (folder.rows, folder.journal):
        rotated(path)
    assert verify_run(folder).condition == "missing"
    writer = RunWriter(folder, Clock())
    run = OpenRun(folder, writer, parsed())
    progress = recover(run)
    assert progress.last_cycle == 1
    for cycle in (2, 3):
        write_cycle(writer, parsed(), cycle)
    writer.journal(closed(CYCLES))
    writer.close()
    assert verify_run(folder).problems == []
    assert [name for name, _ in entries(folder)].count("log_restarted") == 2
    assert judge(folder).verdict.word == judge(finished_run(tmp_path / "plain")).verdict.word


def test_what_a_link_leads_to_is_never_written(tmp_path: Path) -> None:
    folder, secret = new_folder(tmp_path / "run"), tmp_path / "secret"
    secret.write_bytes(b"mine\n")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    for path in (folder.rows, folder.journal):
        path.unlink()
        path.symlink_to(secret)
    write_cycle(writer, parsed(), 1)
    writer.close()
    assert secret.read_bytes() == b"mine\n"
    assert verify_run(folder).problems == []
    for path in (folder.rows, folder.journal):
        path.unlink()
        path.symlink_to(secret)
    with pytest.raises(LogWriteError):
        RunWriter(folder, Clock())
    assert secret.read_bytes() == b"mine\n"


def test_both_logs_lost_at_once_are_both_gone_on_from(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    deleted(folder.rows)
    deleted(folder.journal)
    for cycle in (1, 2, 3):
        write_cycle(writer, parsed(), cycle)
    writer.journal(closed(CYCLES))
    writer.close()
    assert verify_run(folder).problems == []
    assert len(list(read_rows(folder.rows))) == 24


@pytest.mark.parametrize("happens", [deleted, truncated])
def test_a_journal_lost_as_the_window_opens_opens_it_once(tmp_path: Path, happens: Act) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    happens(folder.journal)
    write_cycle(writer, parsed(), 0)
    writer.close()
    assert names_of(folder).count("window_opened") == 1
    assert names_of(folder).count("pinned") == UNITS
    codes = {problem.code for problem in verify_run(folder).problems}
    assert codes <= {"part_missing"}


def test_a_journal_lost_after_the_close_stays_closed(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run")
    writer = RunWriter(folder, Clock())
    deleted(folder.journal)
    writer.journal(ev.Adjudicated(verdict="PARTIAL"))
    writer.close()
    assert read_state(folder.journal)[0].closed is not None
    assert verify_run(folder).problems == []
    alone = folder.journal.read_bytes()
    for other in folder.path.glob("journal.kept-*"):
        other.unlink()
    assert folder.journal.read_bytes() == alone
    state = read_state(folder.journal)[0]
    assert state.closed is not None
    assert state.heartbeat is not None
    assert not verify_run(folder).intact


def test_rows_cut_while_nothing_ran_are_set_aside_and_joined_when_they_are_back(
    tmp_path: Path,
) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    whole = folder.rows.read_bytes()
    os.truncate(folder.rows, len(whole) - 10)
    for last in (2, 3):  # twice: the second start finds the new file in order
        writer = RunWriter(folder, Clock())
        recover(OpenRun(folder, writer, parsed()))
        write_cycle(writer, parsed(), last)
        writer.close()
    assert [path.name for path in folder.path.glob("rows.cut-*")] == ["rows.cut-1"]
    assert verify_run(folder).condition == "missing"
    (folder.path / "rows.back").write_bytes(whole)
    assert verify_run(folder).problems == []
