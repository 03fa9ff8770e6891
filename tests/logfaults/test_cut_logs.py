"""Logs that were cut, moved away, copied or changed while nothing ran: told, and for ever."""

import os
from pathlib import Path

import pytest
from logfaults.matrix import appended, rotated
from logfaults.test_files import entries
from metric.texts import parsed
from runlog.runs import Clock, begin, closed, finished_run, new_folder, write_cycle

from plateau_tui.cli.collect import _answer_without_server
from plateau_tui.collector.blockage import Blockage
from plateau_tui.collector.loop import _MISSED, _NOT_RUNNING
from plateau_tui.collector.recovery import recover
from plateau_tui.collector.run import DeclinedError, OpenRun, open_run
from plateau_tui.report.check import check_export
from plateau_tui.report.export import export_run
from plateau_tui.report.gather import judge
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import RunLock
from plateau_tui.runlog.repair import repair_copy
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.unbeaten import MISSED, MISSED_AT_ONCE, cut_text
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import RunWriter

CYCLES = 3


def without_last(path: Path, lines: int) -> None:
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:-lines]))


def closed_by_the_next(folder: RunFolder) -> None:
    writer = RunWriter(folder, Clock())
    recover(OpenRun(folder, writer, parsed()))
    writer.journal(closed(CYCLES))
    writer.close()


def faults_of(folder: RunFolder, code: str) -> list[ev.Fault]:
    told = [event for _, event in entries(folder) if isinstance(event, ev.Fault)]
    return [fault for fault in told if fault.code == code]


def test_a_journal_that_lacks_more_than_a_crash_leaves_was_cut_and_stays_told(
    tmp_path: Path,
) -> None:
    folder = finished_run(tmp_path / "run", CYCLES)
    without_last(folder.journal, 4)  # the stop, the close, two heartbeats or what stood there
    while len(beats(folder)) > 1:
        without_last(folder.journal, 1)
    before = verify_run(folder)
    assert (before.condition, before.first and before.first.code) == ("missing", "journal_cut_off")
    assert before.first is not None
    assert before.first.file == "journal.jsonl"
    closed_by_the_next(folder)
    after = verify_run(folder)
    assert [problem.code for problem in after.problems] == ["journal_cut_off"]
    assert len(faults_of(folder, "journal_cut")) == 1
    verdict = judge(folder).verdict
    assert (verdict.word, verdict.codes[0]) == ("WITHHELD", "log_broken")


def beats(folder: RunFolder) -> list[str]:
    return [name for name, _ in entries(folder) if name == "heartbeat"]


def test_a_journal_that_lacks_one_heartbeat_is_what_a_crash_leaves(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", CYCLES, close=False)
    while len(beats(folder)) > CYCLES - 1:
        without_last(folder.journal, 1)
    assert verify_run(folder).condition == "torn"
    closed_by_the_next(folder)
    assert verify_run(folder).problems == []


def test_missed_cycles_are_written_many_at_once_and_no_other_ones_are() -> None:
    assert _MISSED.startswith(MISSED)
    assert _NOT_RUNNING.startswith(MISSED)
    missed = dict.fromkeys(range(MISSED_AT_ONCE), True)
    assert cut_text({}) is None
    assert cut_text({7: False}) is None
    assert cut_text(missed) is None
    assert cut_text(missed | {3: False}) is not None
    assert cut_text(missed | {MISSED_AT_ONCE: True}) is not None


def test_a_journal_cut_before_its_seal_is_named_at_its_end(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", CYCLES)
    first = folder.journal.read_bytes().splitlines(keepends=True)[0]
    folder.journal.write_bytes(first)
    found = verify_run(folder)
    assert found.first is not None
    assert (found.first.code, found.first.file) == ("journal_cut_off", "journal.jsonl")
    assert (found.first.line, found.first.byte) == (2, len(first))
    assert found.condition == "missing"


@pytest.mark.parametrize("name", [".1", "-20261201"])
def test_a_run_whose_logs_were_rotated_while_nothing_ran_is_still_that_run(
    tmp_path: Path, name: str
) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    for path in (folder.rows, folder.journal):
        path.rename(f"{path}{name}")
    state, _ = read_state(folder.journal)
    assert state.stage(parsed()) == "open"
    assert _answer_without_server(folder, once=False) == ""


def test_rows_without_their_journal_are_never_sealed_again(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    folder.journal.unlink()
    with pytest.raises(DeclinedError, match="do NOT seal it again"):
        _answer_without_server(folder, once=True)
    with pytest.raises(DeclinedError, match="put the journal back"), open_run(folder):
        pass
    rotated(folder.rows)
    with pytest.raises(DeclinedError, match="do NOT seal"), open_run(folder):
        pass
    assert not folder.journal.exists()


@pytest.mark.parametrize("other", ["foreign", "cut"])
def test_rows_beside_a_journal_without_a_seal_are_no_draft_s(tmp_path: Path, other: str) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    journal = folder.journal.read_bytes()
    folder.journal.rename(folder.path / "journal.jsonl.1")
    if other == "cut":
        folder.journal.write_bytes(journal.splitlines(keepends=True)[0])
    else:
        draft = new_folder(tmp_path / "other")
        RunWriter(draft, Clock()).close()
        folder.journal.write_bytes(draft.journal.read_bytes())
    with pytest.raises(DeclinedError, match=r"has no seal.* do NOT seal it again.* move it away"):
        _answer_without_server(folder, once=False)
    with pytest.raises(DeclinedError, match="do NOT seal"), open_run(folder):
        pass
    (folder.path / "journal.jsonl.1").rename(folder.journal)
    assert _answer_without_server(folder, once=False) == ""


@pytest.mark.parametrize("name", ["rows", "journal"])
def test_a_byte_flipped_while_nothing_ran_is_told_once_by_the_next_collector(
    tmp_path: Path, name: str
) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    path = folder.path / f"{name}.jsonl"
    data = bytearray(path.read_bytes())
    at = data.index(b"2026-", len(data) // 2)
    data[at] ^= 1
    path.write_bytes(data)
    for _ in range(2):
        writer = RunWriter(folder, Clock())
        recover(OpenRun(folder, writer, parsed()))
        writer.close()
    (told,) = faults_of(folder, "log_edited")
    assert told.text.startswith(f"{path.name} was changed at line ")


def test_a_log_that_nobody_touched_is_never_called_changed(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    rotated(folder.rows)
    rotated(folder.journal)
    closed_by_the_next(folder)
    assert faults_of(folder, "log_edited") == []


@pytest.mark.parametrize("name", ["rows", "journal"])
def test_a_copy_behind_a_log_is_called_a_copy(tmp_path: Path, name: str) -> None:
    folder = finished_run(tmp_path / "run", 2, close=False)
    path = folder.path / f"{name}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    appended(b"".join(lines[1:3]))(path)
    found = verify_run(folder)
    assert [(p.code, p.file, p.line) for p in found.problems] == [
        ("copied_tail", path.name, len(lines) + 1)
    ]
    assert found.condition == "appended to"


def test_sound_rows_of_a_file_that_was_cut_are_named_exported_and_repaired(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    for cycle in (0, 1):
        write_cycle(writer, parsed(), cycle)
    os.truncate(folder.rows, folder.rows.stat().st_size - 10)
    write_cycle(writer, parsed(), 2)
    writer.journal(closed(3))
    writer.close()
    found = verify_run(folder)
    units = len(parsed().units)
    kept, own = found.trustworthy["rows.jsonl"][:-1], found.trustworthy["rows.jsonl"][-1]
    assert {part.file for part in kept} == {"rows.cut-1"}
    assert (kept[0].first, kept[-1].last) == (1, 2 * units - 1)
    assert (own.file, own.first, own.last) == ("rows.jsonl", 1, units)
    assert found.first is not None
    assert "rows.cut-1 holds what was left of it" in found.first.text
    once = export_run(folder, tmp_path / "once").path
    twice = export_run(RunFolder(once), tmp_path / "twice").path
    for exported in (once, twice):
        told = verify_run(RunFolder(exported)).trustworthy["rows.jsonl"]
        assert [(s.file, s.first, s.last) for s in told] == [
            (s.file, s.first, s.last) for s in found.trustworthy["rows.jsonl"]
        ]
        checked = check_export(RunFolder(exported)).result
        assert [p.code for p in checked.problems] == [p.code for p in found.problems]
    left = twice / "rows.cut-1"
    (twice / "plots" / left.name).write_bytes(left.read_bytes())
    codes = [p.code for p in check_export(RunFolder(twice)).result.problems]
    assert "file_unexpected" in codes  # only where it is looked for
    left.write_bytes(left.read_bytes()[:-2])
    assert "checksum_differs" in [p.code for p in check_export(RunFolder(twice)).result.problems]
    copy = RunFolder(tmp_path / "copy")
    repair_copy(folder, copy.path)
    assert len(list(read_rows(copy.rows))) == 3 * units - 1
    assert verify_run(copy).condition == "repaired copy"


def test_a_folder_that_was_moved_is_named_with_where_it_stands(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    lock = RunLock(folder.lock)
    lock.acquire()
    writer = RunWriter(folder, Clock(), lock)
    away = folder.path.rename(tmp_path / "away")
    writer.journal(ev.Note(text="held"))
    assert writer.blocked
    assert writer.folder_gone is not None
    assert f"it stands at {away}" in writer.folder_gone
    away.rename(folder.path)
    assert writer.flush()
    assert not writer.folder_gone
    writer.close()
    lock.release()


def test_a_folder_that_does_not_come_back_is_waited_for_an_interval_and_a_full_disk_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, said = [0.0], list[str]()
    monkeypatch.setattr("plateau_tui.collector.blockage.time.monotonic", lambda: now[0])
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    blocked = Blockage(OpenRun(folder, writer, parsed()), said.append)
    for now[0] in (0.0, 1e6):
        assert not blocked.is_gone_for(60)
    away = folder.path.rename(tmp_path / "away")
    for now[0], over in ((1e6, False), (1e6 + 59, False), (1e6 + 61, True)):
        assert blocked.is_gone_for(60) is over
    write_cycle(writer, parsed(), 0)
    assert writer.blocked
    assert blocked.lost is not None
    assert "what was read of 1 cycle was never written" in blocked.lost
    away.rename(folder.path)
