"""``verify --repair-copy``: keeps what can be relied on, sets the rest aside, argues nothing."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from logfaults.matrix import FILES
from metric.texts import VALID, parsed
from runlog.runs import (
    Clock,
    begin,
    closed,
    events_of,
    finished_run,
    input_output_error,
    lines_of,
    new_folder,
    relink,
    write_cycle,
)
from runlog.tampering import CASES, Case, more, on_journal, on_rows, setting, without

from plateau_tui.collector.recovery import recover
from plateau_tui.collector.run import OpenRun
from plateau_tui.report.gather import judge
from plateau_tui.runlog import repair as repairing
from plateau_tui.runlog.layout import RunFolder, RunFolderError
from plateau_tui.runlog.locks import FileLock
from plateau_tui.runlog.repair import repair_copy
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import RunWriter

ORDER = {"WITHHELD": 0, "FAIL": 0, "PARTIAL": 1, "PASS": 2}
"""The order of claims (design, Verdict)."""

SAMPLE = Path(__file__).parents[2] / "sample_runs" / "pass"
SHORT = VALID.replace("cycles = 66", "cycles = 6")
PASSING = VALID.replace("k_primary = 2", "k_primary = 1")


def everything(folder: Path) -> dict[str, tuple[int, int, int, int, bytes]]:
    """All that can be seen of a folder: inode, mode, times, bytes."""
    found = {}
    for path in (folder, *sorted(folder.rglob("*"))):
        stat = path.stat()
        data = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (
            stat.st_ino, stat.st_mode, stat.st_mtime_ns, stat.st_ctime_ns, data
        )  # fmt: skip
    return found


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_repair_touches_nothing_keeps_every_byte_and_never_raises_a_verdict(
    tmp_path: Path, case: Case
) -> None:
    run = finished_run(tmp_path / "run")
    case.tamper(run)
    before = everything(run.path)
    found = verify_run(run)
    copy = RunFolder(tmp_path / "copy")
    repair_copy(run, copy.path)
    assert everything(run.path) == before
    again = verify_run(copy)
    assert not again.intact
    assert again.condition == "repaired copy"
    assert again.first is not None
    for name in ("rows.jsonl", "journal.jsonl"):
        if (run.path / name).exists():
            put_together_again(run.path / name, copy.path)
    kept = sum(part.last - part.first + 1 for part in found.trustworthy.get("rows.jsonl", ()))
    assert again.rows == kept or not copy.has_rows or "not_sealed" in {
        problem.code for problem in again.problems
    }  # fmt: skip
    if run.registration.exists() and run.journal.exists():
        assert ORDER[judge(copy).verdict.word] <= ORDER[judge(run).verdict.word]
        assert judge(copy).verdict.word == "WITHHELD"


def put_together_again(original: Path, copy: Path) -> None:
    """Hold a log of the copy and what was set aside of it against the original's bytes."""
    whole = original.read_bytes()
    done = json.loads((copy / "repaired.json").read_text())
    parts = [part for part in done["set_aside"] if part["file"] == original.name]
    kept = (copy / original.name).read_bytes()
    out, at = b"", 0
    for part in parts:
        aside = (copy / part["moved_to"]).read_bytes()
        assert hashlib.sha256(aside).hexdigest() == part["sha256"]
        length = part["byte"] - len(out)
        out += kept[at : at + length] + aside
        at += length
        assert len(out) == part["end"]
    assert out + kept[at:] == whole
    assert kept == b"" or kept.endswith(b"\n")


def rewritten(run: RunFolder) -> None:
    """Change a row and write every chain after it anew."""
    seal = hashlib.sha256(run.registration.read_bytes()).hexdigest()
    run.rows.write_bytes(relink(setting(4, note="x")(lines_of(run.rows)), seal))


FLAWS: dict[str, Callable[[RunFolder], None]] = {
    "a row edited": on_rows(setting(8, note="x")),
    "a row deleted": on_rows(without(8, 8)),
    "a row unreadable": on_rows(lambda lines: [*lines[:7], b"nonsense\n", *lines[8:]]),
    "a journal line edited": on_journal(setting(12, live_cur=1)),
    "a journal line deleted": on_journal(without(12, 12)),
    "a journal line unreadable": on_journal(lambda li: [*li[:11], b"\0\0\n", *li[12:]]),
    "the journal's end cut off": on_journal(without(12, 99)),
    "rows cut off": on_rows(without(19, 24)),
    "rows rewritten": rewritten,
}


@pytest.mark.parametrize("flaw", FLAWS.values(), ids=FLAWS.keys())
def test_also_without_its_mark_and_gone_on_with_a_copy_of_a_changed_log_argues_nothing(
    tmp_path: Path, flaw: Callable[[RunFolder], None]
) -> None:
    """Who takes the mark away, collects and closes the copy has won nothing by the repair."""
    run = finished_run(tmp_path / "run", text=SHORT, close=False)
    flaw(run)
    copy = RunFolder(tmp_path / "copy")
    repair_copy(run, copy.path)
    (copy.path / "repaired.json").unlink()
    for folder in (run, copy):
        writer = RunWriter(folder, Clock())
        recover(OpenRun(folder, writer, parsed(SHORT)))
        for cycle in range(4, 6):
            write_cycle(writer, parsed(SHORT), cycle)
        writer.journal(closed(6, early=False))
        writer.require_written()
        writer.close()
    words = judge(copy).verdict.word, judge(run).verdict.word
    assert ORDER[words[0]] <= ORDER[words[1]], words


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("flaw", FLAWS.values(), ids=FLAWS.keys())
def test_of_a_pass_that_was_tampered_with_no_repair_makes_a_pass_again(
    tmp_path: Path, flaw: Callable[[RunFolder], None], *, marked: bool
) -> None:
    run = RunFolder(Path(shutil.copytree(SAMPLE, tmp_path / "run")))
    assert judge(run).verdict.word == "PASS"
    flaw(run)
    word = judge(run).verdict.word
    copy = RunFolder(tmp_path / "copy")
    repair_copy(run, copy.path)
    if not marked:
        (copy.path / "repaired.json").unlink()
    assert ORDER[judge(copy).verdict.word] <= ORDER[word]
    assert word == "WITHHELD"


def test_a_torn_tail_goes_to_a_side_file_and_the_rest_stays(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", 2, close=False)
    rows, journal = run.rows.read_bytes(), run.journal.read_bytes()
    run.rows.write_bytes(rows + b'{"half')
    run.journal.write_bytes(journal + b"\xc2")
    copy = RunFolder(tmp_path / "copy")
    done = repair_copy(run, copy.path)
    assert done.found.condition == "torn"
    assert (copy.rows.read_bytes(), copy.journal.read_bytes()) == (rows, journal)
    assert (copy.path / "rows.torn-1").read_bytes() == b'{"half'
    assert (copy.path / "journal.torn-1").read_bytes() == b"\xc2"
    assert [p.code for p in verify_run(copy).problems] == ["repaired_copy"]
    readme = (copy.path / "REPAIRED.txt").read_text()
    assert "torn tail" in readme
    assert "rows 1-12 (cycles 0-1), bytes 0 to" in readme
    assert str(tmp_path) not in readme + (copy.path / "repaired.json").read_text()


def test_side_files_of_the_original_are_kept_under_their_names(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", 1, close=False)
    (run.path / "rows.torn-1").write_bytes(b"old")
    run.rows.write_bytes(run.rows.read_bytes() + b"new")
    copy = RunFolder(tmp_path / "copy")
    repair_copy(run, copy.path)
    assert (copy.path / "rows.torn-1").read_bytes() == b"old"
    assert (copy.path / "rows.torn-2").read_bytes() == b"new"


def test_an_intact_run_is_copied_as_it_is(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run")
    copy = RunFolder(tmp_path / "copy")
    assert repair_copy(run, copy.path).set_aside == ()
    assert verify_run(copy).intact
    assert copy.rows.read_bytes() == run.rows.read_bytes()
    assert not (copy.path / "repaired.json").exists()


def test_a_changed_gate_stays_changed_and_the_sealed_one_lies_beside(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run")
    run.registration.write_text(PASSING)
    copy = RunFolder(tmp_path / "copy")
    repair_copy(run, copy.path)
    assert copy.registration.read_text() == PASSING
    assert (copy.path / "registration.sealed.toml").read_text() == VALID
    assert judge(copy).verdict.word == "WITHHELD"


def test_a_run_that_is_being_written_is_copied_without_being_touched(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    with FileLock(folder.lock):
        with folder.rows.open("ab") as file:
            file.write(b'{"schema":"being wr')
        before = everything(folder.path)
        done = repair_copy(folder, tmp_path / "copy")
        assert everything(folder.path) == before
    assert done.held
    assert "collector was at work" in (tmp_path / "copy" / "REPAIRED.txt").read_text()
    assert not (tmp_path / "copy" / "collector.lock").exists()
    writer.close()


def test_requests_locks_and_links_are_not_copied(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run")
    on_rows(more(b"torn"))(run)
    (run.mailbox / "1.json").write_text("{}")
    (run.path / "link").symlink_to("/etc/hostname")
    os.mkfifo(run.path / "pipe")
    run.lock.touch()
    done = repair_copy(run, tmp_path / "copy")
    assert set(done.left_out) == {"mailbox", "link", "pipe", "collector.lock"}
    assert list((tmp_path / "copy" / "mailbox").iterdir()) == []


@pytest.mark.parametrize("where", ["in use", "a file", "inside", "itself", "a link"])
def test_a_target_that_is_in_use_or_inside_the_run_is_refused(tmp_path: Path, where: str) -> None:
    run = finished_run(tmp_path / "run", 1)
    target = tmp_path / "copy"
    match where:
        case "in use":
            target.mkdir()
            (target / "mine").write_text("mine")
        case "a file":
            target.write_text("mine")
        case "a link":
            (tmp_path / "real").mkdir()
            target.symlink_to(tmp_path / "real")
        case "inside":
            target = run.path / "copy"
        case _:
            target = run.path
    before = everything(tmp_path)
    with pytest.raises(RunFolderError):
        repair_copy(run, target)
    assert everything(tmp_path) == before


def test_a_copy_that_cannot_be_finished_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = finished_run(tmp_path / "run", 1)
    on_rows(more(b"torn"))(run)
    monkeypatch.setattr(repairing, "_write", input_output_error)
    with pytest.raises(OSError, match="Input"):
        repair_copy(run, tmp_path / "copy")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_log_in_several_files_is_copied_with_all_of_them(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    for cycle in range(3):
        write_cycle(writer, parsed(), cycle)
        if cycle == 1:
            FILES[0].happens(folder.rows)
    writer.close()
    on_rows(more(b"torn"))(folder)
    repair_copy(folder, tmp_path / "copy")
    again = verify_run(RunFolder(tmp_path / "copy"))
    assert again.files["rows.jsonl"] == ("rows.kept-1", "rows.jsonl")
    assert again.rows == 18


# -- the command ----------------------------------------------------------------------------------


def cli(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "plateau_tui", "verify", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_command_says_what_broke_first_what_it_is_and_what_still_stands(
    tmp_path: Path,
) -> None:
    run = finished_run(tmp_path / "run")
    rows = run.rows.read_bytes()
    ends = [n for n, byte in enumerate(rows, start=1) if byte == ord("\n")]
    on_rows(setting(8, note="x"))(run)
    changed = run.rows.read_bytes()
    assert changed[: ends[6]] == rows[: ends[6]]
    done = cli(str(run.path), "--repair-copy", str(tmp_path / "copy"))
    assert done.returncode == 1
    assert f"first: rows.jsonl line 8 (byte {ends[6]}): chain_broken" in done.stdout
    assert "changed after it was written; this is no torn tail" in done.stdout
    head = json.loads(lines_of(run.rows)[5])["chain"]
    stands = f"rows.jsonl: rows 1-6 (cycle 0), bytes 0 to {ends[5]}, are intact; head {head}"
    assert f"still trustworthy: {stands}" in done.stdout
    assert "rows 9-24 (cycles 1-3)" in done.stdout
    assert "it argues nothing, see REPAIRED.txt" in done.stdout
    again = cli(str(run.path), "--json")
    said = json.loads(again.stdout)
    assert said["condition"] == "changed"
    assert (said["first"]["line"], said["first"]["byte"]) == (8, ends[6])
    assert [(p["first"], p["last"]) for p in said["trustworthy"]["rows.jsonl"]] == [
        (1, 6), (9, 24)
    ]  # fmt: skip
    copied = json.loads(cli(str(tmp_path / "copy"), "--json").stdout)
    assert copied["intact"] is False
    assert copied["condition"] == "repaired copy"


def test_a_torn_tail_is_told_from_tampering(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run", 2, close=False)
    on_rows(more(b'{"half'))(run)
    said = json.loads(cli(str(run.path), "--json").stdout)
    assert said["condition"] == "torn"
    assert said["first"]["byte"] == run.rows.stat().st_size - 6
    assert [(p["first"], p["last"]) for p in said["trustworthy"]["rows.jsonl"]] == [(1, 12)]


def test_an_earlier_file_can_be_given_to_look_but_not_to_repair(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    for cycle in range(2):
        write_cycle(writer, parsed(), cycle)
        if cycle == 0:
            folder.rows.rename(tmp_path / "rows.1")
    writer.close()
    for kept in folder.path.glob("rows.kept-*"):
        kept.unlink()
    assert json.loads(cli(str(folder.path), "--json").stdout)["condition"] == "missing"
    given = ("--earlier", str(tmp_path / "rows.1"))
    done = cli(str(folder.path), "--json", *given)
    assert json.loads(done.stdout)["files"]["rows.jsonl"] == ["rows.1", "rows.jsonl"]
    assert done.returncode == 0
    both = cli(str(folder.path), *given, "--repair-copy", str(tmp_path / "copy"))
    assert (both.returncode, both.stdout) == (2, "")
    assert not (tmp_path / "copy").exists()


def test_a_well_chained_lie_is_relied_on_no_further(tmp_path: Path) -> None:
    run = finished_run(tmp_path / "run")
    on_rows(setting(10, primary=True), chained=True)(run)
    trust = verify_run(run).trustworthy["rows.jsonl"]
    assert [(part.first, part.last) for part in trust] == [(1, 6)]


def test_a_heartbeat_that_cannot_be_right_ends_what_is_relied_on_in_the_journal(
    tmp_path: Path,
) -> None:
    run = finished_run(tmp_path / "run")
    beats = [n for n, e in enumerate(events_of(run), start=1) if e["event"] == "heartbeat"]
    on_journal(setting(beats[1], rows_head="0" * 64), chained=True)(run)
    result = verify_run(run)
    trust = result.trustworthy["journal.jsonl"]
    assert [(part.first, part.last) for part in trust] == [(1, beats[1] - 1)]
