"""An export is one moment of a run: its files fit each other, whoever writes meanwhile."""

import threading
from pathlib import Path

import pytest
from metric.texts import parsed
from report.cases import ANSWERS, CYCLES, TEXT, closed_run, files_of
from runlog.runs import begin, new_folder, write_cycle

from plateau_tui.metric.tables import ConfigError
from plateau_tui.report import snapshot
from plateau_tui.report.check import check_export
from plateau_tui.report.export import export_run
from plateau_tui.report.gather import judge
from plateau_tui.report.place import PlaceError
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import FileLock
from plateau_tui.runlog.writer import RunWriter

LONG = TEXT.replace(f"cycles = {CYCLES}", "cycles = 5000")


def an_open_run(path: Path, cycles: int) -> tuple[RunFolder, RunWriter]:
    folder = new_folder(path, LONG)
    writer = begin(folder, LONG)
    for cycle in range(cycles):
        write_cycle(writer, parsed(LONG), cycle)
    return folder, writer


@pytest.mark.parametrize("held", [True, False], ids=["held", "taken up meanwhile"])
def test_what_is_written_between_two_copies_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: bool
) -> None:
    folder, writer = an_open_run(tmp_path / "run", 3)
    copy = snapshot._copy

    def copy_and_write(source: Path, target: Path) -> None:
        copy(source, target)
        if source == folder.journal:
            write_cycle(writer, parsed(LONG), 3)
            with folder.rows.open("ab") as file:
                file.write(b'{"half a')

    monkeypatch.setattr(snapshot, "_copy", copy_and_write)
    lock = FileLock(folder.lock)
    if held:
        lock.acquire()
    done = export_run(folder)
    lock.release()
    checked = check_export(RunFolder(done.path))
    assert checked.result.problems == []
    assert (checked.result.rows, checked.result.cycles) == (18, 3)
    assert done.judged.verdict.rows_that_apply == (2,)
    writer.close()


def test_exports_while_a_collector_writes_all_hold(tmp_path: Path) -> None:
    folder, writer = an_open_run(tmp_path / "run", 1)
    stop = threading.Event()

    def write() -> None:
        cycle = 1
        while not stop.is_set() and cycle < 5000:
            write_cycle(writer, parsed(LONG), cycle)
            cycle += 1

    with FileLock(folder.lock):
        thread = threading.Thread(target=write)
        thread.start()
        try:
            for _ in range(3):
                done = export_run(folder)
                assert done.judged.checked.problems == []
                assert done.judged.verdict.rows_that_apply == (2,)
                assert done.judged.checked.rows == 6 * done.judged.checked.cycles > 0
        finally:
            stop.set()
            thread.join()
    writer.close()


def test_a_log_that_is_amiss_is_exported_as_it_is(tmp_path: Path) -> None:
    folder = closed_run(tmp_path / "run")
    with folder.rows.open("ab") as file:
        file.write(b'{"torn')
    export = export_run(folder).path
    assert (export / "rows.jsonl").read_bytes() == folder.rows.read_bytes()
    found = {p.code for p in check_export(RunFolder(export)).result.problems}
    assert found == {"torn_tail"}
    assert judge(folder).verdict == judge(RunFolder(export)).verdict


def test_a_draft_can_be_exported_and_claims_nothing(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run", TEXT)
    done = export_run(folder)
    assert done.judged.verdict.word == "WITHHELD"
    assert (done.path / "rows.jsonl").read_bytes() == b""


def test_an_attestation_that_cannot_be_used_leaves_the_earlier_export(tmp_path: Path) -> None:
    folder = closed_run(tmp_path / "run")
    export_run(folder)
    before = files_of(folder.path)
    (folder.path / "attestation.toml").write_bytes(b"x = 1\n")
    with pytest.raises(ConfigError):
        export_run(folder)
    (folder.path / "attestation.toml").unlink()
    assert files_of(folder.path) == before


def test_a_file_that_cannot_be_drawn_leaves_the_earlier_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = closed_run(tmp_path / "run")
    export_run(folder)
    before = files_of(folder.path)
    (folder.path / "attestation.toml").write_bytes(ANSWERS)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("plateau_tui.report.export.draw_plots", full)
    with pytest.raises(PlaceError, match="No space left on device"):
        export_run(folder)
    after = files_of(folder.path)
    assert after.pop("attestation.toml") == ANSWERS
    assert after == before
