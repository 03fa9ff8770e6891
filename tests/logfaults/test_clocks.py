"""Clocks that jump, repeat a second, change zone or stand at 1970: no slot moves."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from collector.bench import Bench, Running
from collector.history import events_of
from collector.test_truth import populate
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.collector.run import DeclinedError
from plateau_tui.collector.slots import RunClock, SystemClock, due
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.times import format_ms, parse_ms
from plateau_tui.sim.server import SimServer

# Writes a run whose cycles lie in the hours around the change of the clocks, then prints it.
_RUN = """
import sys, time
from pathlib import Path
time.tzset()
from runlog import runs
runs.SLOT0 = int(sys.argv[2])
from runlog.runs import Clock, closed, new_folder, write_cycle, begin
from metric.texts import parsed
import plateau_tui.runlog.writer as writer_module
writer_module.secrets.token_hex = lambda n: "0123abcd"
folder = new_folder(Path(sys.argv[1]) / "run")
writer = begin(folder)
for cycle in range(12):
    write_cycle(writer, parsed(), cycle)
writer.journal(closed(12))
writer.close()
sys.stdout.buffer.write(folder.rows.read_bytes() + folder.journal.read_bytes())
"""
ZONES = (
    "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "CET-1CEST",
)  # fmt: skip
CHANGES = {
    "forward in Berlin": "2026-03-29T00:00:00.000Z",
    "back in New York": "2026-11-01T05:00:00.000Z",
}


def written(folder: Path, zone: str, slot0: str) -> bytes:
    folder.mkdir()
    path = os.pathsep.join(entry for entry in sys.path if entry)
    done = subprocess.run(
        [sys.executable, "-c", _RUN, str(folder), str(parse_ms(slot0))],
        env={"PYTHONPATH": path, "TZ": zone},
        capture_output=True,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize("slot0", CHANGES.values(), ids=CHANGES.keys())
def test_the_log_is_the_same_bytes_in_every_zone(tmp_path: Path, slot0: str) -> None:
    zones = ZONES[:4] if slot0 == CHANGES["forward in Berlin"] else ZONES[2:]
    found = {written(tmp_path / str(n), zone, slot0) for n, zone in enumerate(zones)}
    assert len(found) == 1
    assert found.pop().count(b'"heartbeat"') == 12


class Clocks(SystemClock):
    """Both clocks by hand."""

    def __init__(self, wall: int, elapsed: int = 5_000) -> None:
        super().__init__()
        self.wall, self.elapsed = wall, elapsed

    def wall_ms(self) -> int:
        return self.wall

    def elapsed_ms(self) -> int:
        return self.elapsed


LEAP = parse_ms("2016-12-31T23:59:00.000Z")


def test_a_leap_second_moves_no_slot() -> None:
    """The wall clock repeats a second, as Unix time does; elapsed time does not."""
    clock = Clocks(LEAP)
    run = RunClock(clock)
    slots = []
    for second in range(120):
        clock.elapsed += 1000
        clock.wall += 0 if second == 60 else 1000
        slots.append(due(run.now_ms(), LEAP, 10_000, 0, 66).wait_until_ms)
        assert run.wall_moved() is None
    assert slots == sorted(slots)
    assert slots[-1] - LEAP == 120_000


@given(st.integers(-(10**11), 10**11), st.integers(0, 10**9))
def test_no_jump_of_the_wall_clock_moves_the_time_of_a_run(jump: int, later: int) -> None:
    clock = Clocks(LEAP)
    run = RunClock(clock)
    clock.wall += jump
    clock.elapsed += later
    assert run.now_ms() == LEAP + later
    off = jump - later
    assert run.wall_moved() == (off if abs(off) > 2000 else None)
    assert run.wall_moved() is None  # told once


class Sleeper(SystemClock):
    """A machine that sleeps: both clocks are ahead by what it slept, and nothing ran."""

    def __init__(self) -> None:
        super().__init__()
        self.slept_ms = 0

    def wall_ms(self) -> int:
        return super().wall_ms() + self.slept_ms

    def elapsed_ms(self) -> int:
        return super().elapsed_ms() + self.slept_ms


def test_a_machine_that_slept_has_gaps_and_reads_one_cycle(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=1.0, cycles=4000)
    populate(sim_server, bench)
    clock = Sleeper()
    with Running(bench, clock=clock) as running:
        running.until(lambda: bench.cycles() >= 1)
        clock.slept_ms = 300_000
        running.until(lambda: bench.cycles() > 300)
    bench.assert_whole()
    missed = [e for e in events_of(bench.folder) if isinstance(e, ev.CyclesMissed)]
    assert missed[0].last - missed[0].first > 290
    asleep = [row for row in bench.rows() if missed[0].first <= row.cycle <= missed[0].last]
    assert {row.read_ts for row in asleep} == {None}
    assert not [e for e in events_of(bench.folder) if isinstance(e, ev.ClockMoved)]


def test_a_clock_in_1970_names_no_cycle(tmp_path: Path, sim_server: SimServer) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=1.0, cycles=60)
    populate(sim_server, bench)
    bench.collect(once=True)
    before = bench.folder.rows.read_bytes(), bench.folder.journal.read_bytes()
    for wall in (0, 59_999, parse_ms("2005-01-01T00:00:00.000Z")):
        with pytest.raises(DeclinedError, match="before the last row"):
            bench.collect(clock=Clocks(wall))
    assert (bench.folder.rows.read_bytes(), bench.folder.journal.read_bytes()) == before


@given(st.integers(0, 32_503_680_000_000 - 1))
def test_a_time_is_read_back_as_it_was_written(ms: int) -> None:
    text = format_ms(ms)
    assert parse_ms(text) == ms
