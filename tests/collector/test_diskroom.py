"""What a window needs of a disk is known when its gate is sealed, and said where there is less."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner
from collector.bench import Bench, gate

from plateau_tui.cli.commands import group
from plateau_tui.collector.diskroom import log_bytes, room_problem, size_told
from plateau_tui.metric.registration import parse_registration
from plateau_tui.resources import game_ids, shipped
from plateau_tui.runlog.layout import RunFolder, create_run
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.writer import open_journal

RUNS = sorted(path.parent for path in shipped("sample_runs").glob("*/rows.jsonl"))


def free(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    there = os.statvfs("/")
    told = os.statvfs_result((1, 1, size, size, size, *tuple(there)[5:10]))
    monkeypatch.setattr(os, "statvfs", lambda _path: told)


@pytest.mark.parametrize("run", RUNS, ids=[run.name for run in RUNS])
def test_the_estimate_holds_for_real_logs_and_is_not_twice_what_they_are(run: Path) -> None:
    registration = parse_registration((run / "registration.toml").read_bytes(), game_ids())
    cycles = 1 + max(row.cycle for row in read_rows(run / "rows.jsonl"))
    share = cycles / registration.window.cycles
    rows = (run / "rows.jsonl").stat().st_size
    assert rows <= log_bytes(registration) * share <= 2.5 * rows


def test_the_log_of_twelve_units_over_ten_thousand_cycles() -> None:
    registration = parse_registration(gate(6, 0.2, 10_000).encode(), game_ids())
    assert 138_000_000 < log_bytes(registration) < 200_000_000


def test_a_disk_with_too_little_room_is_told_in_one_line_and_the_gate_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = RunFolder(tmp_path / "run")
    create_run(folder, {"registration.toml": gate(2, 600, 1000)}, 0o700)
    open_journal(folder)
    free(monkeypatch, 5_000_000)
    done = CliRunner().invoke(group, ["seal", str(folder.path)])
    assert done.exit_code == 0
    (line,) = [line for line in done.stderr.splitlines() if "free" in line]
    assert "need about 13 MB" in line
    assert "has 5 MB free" in line
    assert "sealed" in done.stdout


def test_room_enough_is_not_spoken_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench.make(tmp_path, 1, "x", cycles=1000)
    registration = parse_registration(bench.folder.registration.read_bytes(), game_ids())
    need = 2 * log_bytes(registration)
    free(monkeypatch, need)
    assert room_problem(bench.folder, registration) is None
    free(monkeypatch, need - 1)
    assert "free" in (room_problem(bench.folder, registration) or "")


def test_a_system_that_does_not_say_is_not_guessed_at(tmp_path: Path) -> None:
    registration = parse_registration(gate(2, 600, 1000).encode(), game_ids())
    assert room_problem(RunFolder(tmp_path / "none"), registration) is None


def test_a_small_need_and_a_small_disk_are_told_as_two_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench.make(tmp_path, 1, "x", cycles=60)
    registration = parse_registration(bench.folder.registration.read_bytes(), game_ids())
    free(monkeypatch, 280_999)
    told = room_problem(bench.folder, registration) or ""
    assert f"need about {2 * log_bytes(registration) // 1000} KB, and " in told
    assert " has 280 KB free: make room" in told
    sizes = (0, 999, 1000, 999_999, 1_000_000, 12_600_000)
    assert [size_told(size) for size in sizes] == [
        "0 bytes", "999 bytes", "1 KB", "999 KB", "1 MB", "13 MB"
    ]  # fmt: skip
