"""Collectors that die at any moment: no row is lost, none doubled, every chain goes on."""

import contextlib
import random
import subprocess
import sys
from pathlib import Path

import pytest
from collector import dies
from collector.bench import Bench, finish, wait_for
from collector.history import Mutator, compare
from collector.test_truth import populate, sim_history

from plateau_tui.collector.run import ServerUnavailableError
from plateau_tui.runlog import events as ev
from plateau_tui.sim.server import SimServer

KILLS = 30


def test_thirty_kills_at_random_moments_leave_a_whole_log(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.2, cycles=5000)
    populate(sim_server, bench)
    history = sim_history(sim_server)
    rng = random.Random(5)
    kept: list[bytes] = []
    with Mutator(history, bench.units, bench.objectives, every_s=0.02):
        for _ in range(KILLS):
            size = bench.folder.journal.stat().st_size
            process = bench.start()
            wait_for(lambda size=size: bench.folder.journal.stat().st_size > size)  # type: ignore[misc]
            wait_s = rng.random() * 0.35
            try:
                process.communicate(timeout=wait_s)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            data = bench.folder.rows.read_bytes() if bench.folder.rows.exists() else b""
            whole = data[: data.rfind(b"\n") + 1].splitlines()
            assert whole[: len(kept)] == kept  # what once stood there whole stays
            kept = whole
        done = bench.cli("close", "--early", "--why", "enough")
    assert done.returncode == 0, done.stderr
    bench.assert_whole()
    assert compare(bench.folder, history, bench.names).wrong == []
    assert bench.cycles() > KILLS


@pytest.mark.parametrize("recorded", [0, 1, 2], ids=["opening", "going on", "closing"])
@pytest.mark.parametrize("how", ["before", "half", "all but one", "after"])
def test_death_between_any_two_system_calls_is_made_good(
    tmp_path: Path, sim_server: SimServer, how: str, recorded: int
) -> None:
    cycles = 3 if recorded == 2 else 5000
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=1.5, cycles=cycles)
    populate(sim_server, bench)
    while bench.cycles() < recorded:
        with contextlib.suppress(ServerUnavailableError):
            bench.collect(once=True)
    script = [sys.executable, dies.__file__, str(bench.folder.path), str(sim_server.port)]
    done = subprocess.run(
        [*script, "simulated", how, "200"], capture_output=True, text=True, timeout=100, check=True
    )
    died, *problems = done.stdout.splitlines()
    assert problems == []
    assert int(died) > 3


def test_a_death_between_the_first_rows_and_the_opening_of_the_window_is_made_good(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.5, cycles=4)
    populate(sim_server, bench)
    bench.collect(once=True)
    lines = bench.folder.journal.read_bytes().splitlines(keepends=True)
    opened = next(n for n, line in enumerate(lines) if b'"event":"window_opened"' in line)
    bench.folder.journal.write_bytes(b"".join(lines[:opened]))
    rows = bench.folder.rows.read_bytes().splitlines(keepends=True)
    bench.folder.rows.write_bytes(b"".join(rows[:2]) + rows[2][:40])
    process = bench.start()
    assert finish(process)[0] == 0
    bench.assert_whole(4)
    late = [e for e in bench.events() if isinstance(e, ev.Heartbeat) and e.late]
    assert [beat.cycle for beat in late] == [0]


def test_a_whole_last_row_without_its_newline_is_kept_and_not_doubled(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.3, cycles=4)
    populate(sim_server, bench)
    bench.collect(once=True)
    lines = bench.folder.journal.read_bytes().splitlines(keepends=True)
    opened = next(n for n, line in enumerate(lines) if b'"event":"window_opened"' in line)
    bench.folder.journal.write_bytes(b"".join(lines[:opened]))
    rows = bench.folder.rows.read_bytes()
    bench.folder.rows.write_bytes(rows[:-1])
    bench.collect()
    bench.assert_whole(4)
    assert bench.folder.rows.read_bytes().startswith(rows)
