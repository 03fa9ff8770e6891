"""``watchdog``: 1 when the heart stands still, 0 when it beats or none is due; reads little."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from collector.bench import Bench, finish, wait_for
from collector.test_truth import populate
from metric.texts import parsed
from runlog.runs import (
    SLOT0,
    Clock,
    begin,
    closed,
    finished_run,
    heartbeat,
    lines_of,
    new_folder,
    sealed,
    write_cycle,
)

from plateau_tui.cli import watchdog
from plateau_tui.cli.watchdog import look
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import FileLock
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.times import parse_ms
from plateau_tui.runlog.writer import RunWriter
from plateau_tui.sim.server import SimServer


def cli(run: Path | str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "plateau_tui", "watchdog", str(run), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def last_ts(folder: RunFolder) -> str:
    ts = json.loads(lines_of(folder.journal)[-1])["ts"]
    assert isinstance(ts, str)
    return ts


def beating(path: Path, cycles: int = 3) -> tuple[RunFolder, int]:
    """A run in its window, and when its last heartbeat was."""
    folder = finished_run(path, cycles, close=False)
    ts = read_state(folder.journal)[0].heartbeat_ts
    assert ts is not None
    return folder, parse_ms(ts)


def test_a_live_collector_is_well_and_a_killed_one_is_not(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.5, cycles=5000)
    populate(sim_server, bench)
    process = bench.start()
    wait_for(bench.rows)
    done = cli(bench.folder.path, "--max-age", "60", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert said["ok"] is True
    assert said["collector"] == {"running": True, "pid": process.pid}
    assert finish(process, 9)[0] == -9
    start = time.monotonic()
    wait_for(lambda: time.monotonic() > start + 1.1)
    done = cli(bench.folder.path, "--max-age", "1")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "no collector holds the run" in done.stderr
    assert "plateau-tui collect run --detach" in done.stderr


def test_it_is_stale_a_millisecond_after_its_age_and_not_before(tmp_path: Path) -> None:
    folder, beat = beating(tmp_path / "run")
    assert look(folder, 900, beat + 900_000).ok
    stale = look(folder, 900, beat + 900_001)
    assert (stale.ok, stale.cycle, stale.running, stale.state) == (False, 2, False, "open")
    assert "of cycle 2" in stale.text
    assert "900 s old, more than 900 s" in stale.text


def test_a_collector_that_holds_the_run_and_writes_nothing_is_told_as_that(tmp_path: Path) -> None:
    folder, beat = beating(tmp_path / "run")
    with FileLock(folder.lock):
        stale = look(folder, 1500, beat + 1_501_000)
    assert (stale.ok, stale.running, stale.pid) == (False, True, os.getpid())
    assert f"process {os.getpid()} holds the run" in stale.text
    assert "collector.log" in stale.text


def test_a_heartbeat_in_the_future_is_told_as_a_clock_that_was_set_back(tmp_path: Path) -> None:
    folder, beat = beating(tmp_path / "run")
    found = look(folder, 900, beat - 3_600_000)
    assert (found.ok, found.age_s) == (False, -3600.0)
    assert "3600 s in the future: the clock was set back" in found.text
    assert look(folder, 900, beat - 1500).age_s == 0


STAGES: dict[str, list[ev.Event]] = {
    "draft": [],
    "sealed": [sealed()],
    "registered": [
        sealed(),
        ev.Registered(created=[], existing=[], start={}, criterion_not_verifiable=[]),
    ],
}


@pytest.mark.parametrize("state", STAGES)
def test_before_the_window_no_heartbeat_is_due_and_it_says_what_the_run_is(
    tmp_path: Path, state: str
) -> None:
    folder = new_folder(tmp_path / "run")
    writer = RunWriter(folder, Clock())
    for event in STAGES[state]:
        writer.journal(event)
    writer.journal(*(ev.Note(text="x" * 3000) for _ in range(100)))  # more than is read at once
    writer.close()
    found = look(folder, 1, SLOT0 + 10**9)
    assert (found.ok, found.state, found.age_s) == (True, state, None)
    assert "no heartbeat is due" in found.text


@pytest.mark.parametrize("state", ["sealed", "registered"])
def test_a_collector_that_cannot_open_the_window_is_told_once_it_has_had_its_time(
    tmp_path: Path, state: str
) -> None:
    folder = new_folder(tmp_path / "run")
    clock = Clock()
    writer = RunWriter(folder, clock)
    writer.journal(ev.CollectorStarted(pid=1, tool="x", once=True))  # of no sealed run
    for event in STAGES[state]:
        writer.journal(event)
    assert look(folder, 1, SLOT0 + 10**9).ok
    started = ev.CollectorStarted(pid=1, tool="x", once=True)
    writer.journal(started)
    first_ms = parse_ms(last_ts(folder))
    clock.ms += 90_000
    writer.journal(started)  # a timer's next try
    writer.close()
    assert look(folder, 60, first_ms + 60_000).ok
    found = look(folder, 60, first_ms + 61_000)
    assert (found.ok, found.state, found.age_s) == (False, state, None)
    assert "first started 61 s ago, and the window is not open yet" in found.text
    assert "plateau-tui check run" in found.text


def test_a_closed_run_needs_no_heartbeat(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run")
    assert look(folder, 1, SLOT0 + 10**9).state == "closed"
    writer = RunWriter(folder, Clock())
    writer.journal(ev.Adjudicated(verdict="FAIL", final=False))
    assert look(folder, 1, SLOT0 + 10**9).state == "closed"
    writer.journal(ev.Adjudicated(verdict="FAIL"))
    writer.close()
    found = look(folder, 1, SLOT0 + 10**9)
    assert (found.ok, found.state) == (True, "adjudicated")


def test_usage_errors_are_2_and_print_nothing_on_stdout(tmp_path: Path) -> None:
    folder, _ = beating(tmp_path / "run")
    for run, arguments in (
        (folder.path, ()),
        (folder.path, ("--max-age", "0")),
        (folder.path, ("--max-age", "nan")),
        (folder.path, ("--max-age", "inf")),
        (folder.path, ("--max-age", "soon")),
        (tmp_path / "none", ("--max-age", "1")),
        (tmp_path, ("--max-age", "1")),
    ):
        done = cli(run, *arguments, "--json")
        assert (done.returncode, done.stdout) == (2, ""), arguments
        assert done.stderr.count("\n") == 1


def test_a_run_is_found_by_its_name_in_the_folder_of_runs(tmp_path: Path) -> None:
    finished_run(tmp_path / "run")
    done = cli("run", "--max-age", "1", "--runs", str(tmp_path))
    assert (done.returncode, done.stdout) == (
        0, "run: closed; the window is closed, no heartbeat is due\n"
    )  # fmt: skip


def test_no_journal_is_never_well(tmp_path: Path) -> None:
    folder, beat = beating(tmp_path / "run")
    folder.journal.unlink()
    assert not look(folder, 900, beat).ok


def test_of_a_long_journal_only_the_end_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, beat = beating(tmp_path / "run")
    lines = lines_of(folder.journal)
    folder.journal.write_bytes(b"".join([*lines[:3], *lines[3:] * 4000]))
    assert folder.journal.stat().st_size > 8_000_000
    read = []
    real = os.pread

    def counted(fd: int, count: int, offset: int) -> bytes:
        data = real(fd, count, offset)
        read.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", counted)
    assert look(folder, 900, beat).ok
    assert sum(read) < 100_000


def test_what_is_being_written_is_left_alone_and_what_is_unreadable_passed_over(
    tmp_path: Path,
) -> None:
    folder, beat = beating(tmp_path / "run")
    whole = folder.journal.read_bytes()
    for tail in (b'{"ts":"2026', b"\xc2", b"\0" * 70_000, b"nonsense\n", b'{"ts":1,"event":[]}\n',
                 b"[" * 100_000 + b"\n", b'{"ts":"soon","event":"heartbeat"}\n'):  # fmt: skip
        folder.journal.write_bytes(whole + tail)
        assert look(folder, 900, beat).cycle == 2
    heart = ev.encode_event("2026-01-01T09:00:00.000Z", heartbeat(9))[:-1] + b',"chain":"0"}'
    folder.journal.write_bytes(whole + heart)
    assert look(folder, 900, beat).cycle == 2
    folder.journal.write_bytes(whole + heart + b"\n")
    assert look(folder, 900, parse_ms("2026-01-01T09:00:00.000Z")).cycle == 9


def test_every_cut_of_a_journal_gives_the_last_whole_heartbeat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "_PIECE", 97)
    folder, beat = beating(tmp_path / "run", 2)
    whole = folder.journal.read_bytes()
    for cut in range(0, len(whole), 53):
        folder.journal.write_bytes(whole[:cut])
        lines = whole[:cut].split(b"\n")[:-1]
        beats = [json.loads(li)["cycle"] for li in lines if b'"event":"heartbeat"' in li]
        found = look(folder, 10**6, beat)
        opened = any(b'"event":"window_opened"' in line for line in lines)
        assert found.cycle == (beats[-1] if beats else 0 if opened else None)


def test_it_loads_nothing_heavy() -> None:
    code = (
        "import sys, plateau_tui.cli.watchdog; "
        "print([m for m in sys.modules if m.startswith(('plateau_tui.metric', "
        "'plateau_tui.collector', 'plateau_tui.server', 'textual', 'scipy', 'numpy', "
        "'matplotlib', 'tomlkit', 'hypothesis'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_window_that_closed_after_cycles_of_faults_is_closed(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    writer.journal(*(ev.Fault(code=f"f{n}", text="x" * 500) for n in range(300)))
    writer.require_written()
    ts = read_state(folder.journal)[0].heartbeat_ts
    assert ts is not None
    assert look(folder, 60, parse_ms(ts)).cycle == 0
    writer.journal(closed(1))
    writer.close()
    assert look(folder, 60, SLOT0 + 10**10).state == "closed"


def test_an_age_shorter_than_the_interval_is_not_blamed_on_the_disk(tmp_path: Path) -> None:
    folder, last_ms = beating(tmp_path / "r")
    interval_s = parsed().window.interval_ms / 1000
    with FileLock(folder.lock):
        young = look(folder, 0.0001, last_ms + 1)
        due = look(folder, 0.0001, last_ms + round(interval_s * 1000))
        late = look(folder, 0.0001, last_ms + round(interval_s * 3000))
    for found in (young, due):
        assert not found.ok
        assert f"one comes every {interval_s:g} s: give --max-age more than" in found.text
    assert "it writes nothing: make room on its disk" in late.text
    assert "do NOT restart it" in late.text
