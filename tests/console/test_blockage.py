"""A log that cannot be written is told by the console while it lasts: the journal cannot."""

import errno
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from collector.bench import Bench, gate
from console.apps import read_all, sample
from console.views import NOW, view
from metric.texts import parsed
from runlog.runs import begin, new_folder, write_cycle

from plateau_tui.collector.blockage import Blockage
from plateau_tui.collector.diskroom import cycle_bytes
from plateau_tui.collector.run import open_run
from plateau_tui.console.attention.bell import Alarm
from plateau_tui.console.jobs import run_job
from plateau_tui.console.lines.problems import problems
from plateau_tui.console.live.blockage import KEPT_IN_MEMORY, BlockageLook
from plateau_tui.console.live.model import RunModel
from plateau_tui.metric.registration import parse_registration
from plateau_tui.resources import game_ids
from plateau_tui.runlog.layout import RunFolder

OLD = "2026-01-05T01:00:00.000Z"
LATER = "2126-01-05T01:00:00.000Z"
DENIED = "rows.jsonl cannot be written: Permission denied"


def room(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Let every file system have so much room."""
    told = os.statvfs_result((1, 1, size, size, size, 1, 1, 1, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda _path: told)


# -- what is asked of the disk and of the collector's words ---------------------------------------


@pytest.mark.parametrize("pairs", [1, 40])
def test_a_disk_is_full_where_two_cycles_have_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pairs: int
) -> None:
    registration = parse_registration(gate(pairs, 600, 100).encode(), game_ids())
    look, need = BlockageLook(RunFolder(tmp_path)), max(65536, 2 * cycle_bytes(registration))
    room(monkeypatch, need)
    assert look.look(registration, OLD) == ""
    room(monkeypatch, need - 1)
    assert look.look(registration, OLD).startswith("the disk is full (")
    room(monkeypatch, 12)
    assert look.look(registration, None) == "the disk is full (12 bytes free)"


def test_what_the_collector_said_last_holds_until_it_or_the_journal_says_otherwise(
    tmp_path: Path,
) -> None:
    folder, registration = RunFolder(tmp_path), parsed()
    look = BlockageLook(folder)
    assert look.look(registration, OLD) == ""  # there is no such file
    blocked = f"plateau-tui: {DENIED}{KEPT_IN_MEMORY}\n"
    folder.collector_log.write_text("plateau-tui: before\n" + blocked)
    assert look.look(registration, OLD) == DENIED
    assert look.look(registration, LATER) == ""  # the journal was written after it
    assert look.look(registration, None) == ""  # nobody is left who keeps anything
    with folder.collector_log.open("a") as file:
        file.write("plateau-tui: written again\n")
    assert look.look(registration, OLD) == ""
    folder.collector_log.write_bytes(b"\xff" * 9000 + b"\n" + blocked.encode())
    assert look.look(registration, OLD) == DENIED
    folder.collector_log.unlink()
    os.mkfifo(folder.collector_log)  # is not waited for
    assert look.look(registration, OLD) == ""


def test_the_words_are_those_of_a_real_collector_that_is_blocked(tmp_path: Path) -> None:
    bench = Bench.make(tmp_path, 1, "x")
    said: list[str] = []
    with open_run(bench.folder) as run:
        watch = Blockage(run, said.append)
        run.writer.blocked = DENIED
        watch.look(3)
        run.writer.blocked = None
        watch.look(3)
    assert said == [f"{DENIED}{KEPT_IN_MEMORY}", "written again"]


# -- what is told of it ---------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "most"), [(80, 2), (60, 3), (80, 1), (60, 1)])
def test_a_full_disk_is_told_first_and_in_the_place_of_its_silence_and_that_nothing_is_killed(
    width: int, most: int
) -> None:
    run = view(blocked="the disk is full (0 bytes free)", heartbeat_ms=NOW - 1_900_000)
    first, *others = problems(run, NOW)
    assert first.text.startswith("the disk is full (0 bytes free)")
    assert first.grave
    assert not [problem for problem in others if "silent" in problem.text]
    told = " ".join(first.fold(width, most, "! (+2 more: l p) "))
    assert "disk is full" in told
    assert "make room" in told
    assert "kill" in told
    assert "do not kill process 4242: its memory alone has what it reads" in first.remedy
    alarm = Alarm()
    alarm.take(view(), NOW)
    assert len(alarm.take(run, NOW)) == 1
    assert alarm.take(replace(run, blocked="the disk is full (8 KB free)"), NOW) == []
    assert problems(replace(run, stage="closed"), NOW) == []


def test_without_a_collector_nothing_is_in_memory_and_one_could_not_write() -> None:
    run = view(blocked="the disk is full (0 bytes free)", collector_pid=None)
    told = [problem.line for problem in problems(run, NOW)]
    assert any("make room: no collector can write" in line for line in told)
    assert not any("kill" in line for line in told)


def test_polls_that_are_held_in_memory_are_not_written_and_not_missed() -> None:
    run, later = view(blocked="the disk is full (0 bytes free)"), NOW + 3 * view().interval_ms
    texts = {problem.text.partition("; ")[2] for problem in problems(run, later)}
    assert "3 polls not written so far" in texts
    nobody = replace(run, collector_pid=None)
    assert any("missed so far" in problem.text for problem in problems(nobody, later))


def test_the_model_asks_the_disk_anew_though_no_line_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = RunModel(sample(tmp_path))
    assert read_all(model).blocked == ""
    room(monkeypatch, 1000)
    assert read_all(model).blocked == "the disk is full (1 KB free)"
    monkeypatch.undo()
    assert read_all(model).blocked == ""


ON_A_FULL_DISK = """
import sys
from pathlib import Path
from console.test_blockage import told_on_a_full_disk
sys.stdout.write(told_on_a_full_disk(Path(sys.argv[1])))
"""


def told_on_a_full_disk(where: Path) -> str:
    """Fill a real file system up under a run and return what the console says, as JSON."""
    mount = shutil.which("mount")
    words = [str(mount), "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(where)]
    if mount is None or subprocess.run(words, capture_output=True, check=False).returncode:
        return json.dumps(None)
    folder = new_folder(where / "run")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    model = RunModel(folder)
    before = read_all(model).blocked
    (where / "filler").write_bytes(b"")
    with (where / "filler").open("ab", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError:
            pass
    write_cycle(writer, parsed(), 1)
    during = read_all(model).blocked
    (where / "filler").unlink()
    writer.require_written()
    after = read_all(model).blocked
    writer.close()
    return json.dumps([before, during, after])


def test_a_real_disk_that_is_full_is_told_while_it_is(tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("no unshare here: the size that the system would tell is tried alone")
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [unshare, "-rm", sys.executable, "-c", ON_A_FULL_DISK, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=100,
        check=False,
    )  # fmt: skip
    if (done.returncode and "unshare" in done.stderr) or done.stdout == "null":
        pytest.skip("no tmpfs can be mounted here")
    assert json.loads(done.stdout) == ["", "the disk is full (0 bytes free)", ""], done.stderr


def test_a_request_that_the_machine_refuses_is_told_in_words_and_not_as_an_error_number() -> None:
    def full() -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/runs/p1/mailbox/1.json")

    done = run_job("note", full)
    assert not done.ok
    assert done.text == (
        "/runs/p1/mailbox/1.json: No space left on device; make room there, then ask again"
    )
