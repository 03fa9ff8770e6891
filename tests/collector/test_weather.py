"""What happens to a server, a machine and a folder over a window of weeks."""

import os
import shutil
import signal
import threading
import time
from pathlib import Path

import pytest
from collector.bench import Bench, Running, finish, wait_for
from collector.history import READ_ONLY, Mutator, compare
from collector.test_truth import populate, sim_history

from plateau_tui.collector.run import DeclinedError
from plateau_tui.collector.slots import SystemClock
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.durable import LogWriteError
from plateau_tui.runlog.verify import verify_run
from plateau_tui.sim import faults as sf
from plateau_tui.sim.options import ListStyle, ServerOptions
from plateau_tui.sim.server import SimServer


def bench_of(
    tmp_path: Path, server: SimServer, interval_s: float = 0.3, cycles: int = 5000, units: int = 2
) -> Bench:
    bench = Bench.make(
        tmp_path, server.port, "simulated", interval_s=interval_s, cycles=cycles, units=units
    )
    populate(server, bench)
    return bench


def kinds(bench: Bench, kind: type[ev.Event]) -> list[ev.Event]:
    return [event for event in bench.events() if isinstance(event, kind)]


def test_an_outage_is_told_once_and_its_end_with_the_cycle_it_began_in(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    with Running(bench) as running:
        running.until(bench.rows)
        sim_server.faults.rule = lambda _command, _peer: sf.drop()
        running.until(lambda: sum(not row.rcon_ok for row in bench.rows()) >= 12)
        sim_server.faults.rule = None
        running.until(lambda: kinds(bench, ev.Recovered))
    faults = [(e.code, e.cycle) for e in kinds(bench, ev.Fault) if isinstance(e, ev.Fault)]
    ends = [e for e in kinds(bench, ev.Recovered) if isinstance(e, ev.Recovered)]
    assert len({code for code, _ in faults}) == len(faults)
    began = dict(faults)
    assert [(e.since, e.text) for e in ends] == [
        (began[e.code], f"no '{e.code}' any more") for e in ends
    ]


# -- units ----------------------------------------------------------------------------------------


def test_a_unit_that_leaves_keeps_its_counters_and_returns(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.scoreboard.set_score("UNI-10-1", "mine_stone", 5)
    with Running(bench) as running:
        running.until(bench.rows)
        sim_server.world.leave("UNI-10-1")
        running.until(lambda: any(r.online is False for r in bench.rows()))
        sim_server.world.join("UNI-10-1")
        running.until(lambda: bench.rows()[-4].online)
    away = [row for row in bench.rows() if row.online is False]
    assert {row.uni for row in away} == {"UNI-10-1"}
    assert all(row.rcon_ok and row.mined["stone"] == 5 for row in away)
    assert {row.pickaxe_hoard for row in away} == {None}
    assert {row.live_cur for row in away} == {1}


def test_a_name_in_another_case_is_not_the_unit(tmp_path: Path, sim_server: SimServer) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.world.leave("UNI-11-1")
    sim_server.world.join("uni-11-1")
    bench.collect(once=True)
    row = next(row for row in bench.rows() if row.uni == "UNI-11-1")
    assert (row.online, "case differs" in row.note) == (False, True)


# -- servers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["coloured", "grouped", "out_of_maximum", "afk"])
def test_a_plugin_that_words_the_list_costs_nothing(tmp_path: Path, style: ListStyle) -> None:
    with SimServer(options=ServerOptions(essentials=True, list_plugin=style)) as server:
        bench = bench_of(tmp_path, server)
        server.world.bodies["UNI-10-1"].inventory["wooden_pickaxe"] = 2
        bench.collect(once=True)
        assert all(row.rcon_ok and row.online for row in bench.rows())
        assert [row.pickaxe_hoard for row in bench.rows()] == [2, 0, 0, 0]
        assert server.world.bodies["UNI-10-1"].inventory["wooden_pickaxe"] == 2
        assert all(READ_ONLY.fullmatch(command) for command in server.commands)
        assert all(command.startswith("minecraft:") for command in server.commands)


def test_a_vanilla_server_is_asked_without_the_prefix(tmp_path: Path) -> None:
    with SimServer(options=ServerOptions(kind="vanilla", essentials=False)) as server:
        bench = bench_of(tmp_path, server)
        bench.collect(once=True)
        assert all(row.rcon_ok for row in bench.rows())
        assert [c for c in server.commands if c.startswith("minecraft:")] == ["minecraft:list"] * 2


def test_after_a_probe_that_removed_items_no_inventory_is_asked_for_good(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.faults.once(sf.replaced("Removed 1 items from player UNI-10-1"), "clear ")
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 2)
    bench.collect(once=True)
    clears = [command for command in sim_server.commands if "clear" in command]
    assert len(clears) == 1
    alarms = [e for e in bench.events() if isinstance(e, ev.Fault) and e.code == "items_removed"]
    assert alarms
    later = [row for row in bench.rows() if row.cycle]
    assert all(row.pickaxe_hoard is None and "removed items" in row.note for row in later)
    assert all(row.mined["stone"] == 0 for row in later)


def test_an_alarm_whose_cycle_was_never_journaled_stands_all_the_same(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.faults.once(sf.replaced("Removed 1 items from player UNI-10-1"), "clear ")
    bench.collect(once=True)
    lines = bench.folder.journal.read_bytes().splitlines(keepends=True)
    opened = next(n for n, line in enumerate(lines) if b'"event":"window_opened"' in line)
    bench.folder.journal.write_bytes(b"".join(lines[:opened]))
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 2)
    assert sum("clear" in command for command in sim_server.commands) == 1


def test_a_rollback_is_recorded_as_falls(tmp_path: Path, sim_server: SimServer) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.save()
    history = sim_history(sim_server)
    history.change("UNI-10-1", "mine_stone", 9)
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 2)
        history.record("UNI-10-1", "mine_stone", 0, lambda: sim_server.restart(0.3, rollback=True))
        running.until(lambda: kinds(bench, ev.CounterFell))
    fell = kinds(bench, ev.CounterFell)[0]
    assert isinstance(fell, ev.CounterFell)
    assert (fell.unit, fell.objective, fell.before, fell.after) == ("UNI-10-1", "mine_stone", 9, 0)
    assert compare(bench.folder, history, bench.names).wrong == []


def test_an_objective_made_anew_in_mid_window_counts_from_0_and_says_so(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.scoreboard.set_score("UNI-11-2", "mine_dirt", 6)
    with Running(bench) as running:
        running.until(bench.rows)
        sim_server.run_locked(lambda: sim_server.scoreboard.recreate("mine_dirt"))
        running.until(lambda: kinds(bench, ev.CounterFell))
    assert {r.mined["dirt"] for r in bench.rows() if r.uni == "UNI-11-2"} == {6, 0}
    assert not kinds(bench, ev.ObjectiveMissing)


def test_a_negative_counter_is_an_edit_and_unknown(tmp_path: Path, sim_server: SimServer) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.scoreboard.set_score("UNI-10-2", "mine_sand", 1)
    bench.collect(once=True)
    sim_server.scoreboard.set_score("UNI-10-2", "mine_sand", -4)
    with Running(bench) as running:
        running.until(lambda: any(row.mined["sand"] is None for row in bench.rows()))
    row = next(row for row in bench.rows() if row.mined["sand"] is None and row.read_ts)
    assert (row.rcon_ok, "-4" in row.note) == (False, True)


# -- time -----------------------------------------------------------------------------------------


def test_a_stopped_process_misses_cycles_and_reads_none_late(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    history = sim_history(sim_server)
    process = bench.start()
    with Mutator(history, bench.units, bench.objectives):
        wait_for(lambda: bench.cycles() >= 2)
        process.send_signal(signal.SIGSTOP)
        stopped = time.monotonic()
        wait_for(lambda: time.monotonic() > stopped + 1.5)
        process.send_signal(signal.SIGCONT)
        seen = bench.cycles()
        wait_for(lambda: bench.cycles() >= seen + 6)
    assert finish(process, signal.SIGTERM)[0] == 143
    bench.assert_whole()
    assert kinds(bench, ev.CyclesMissed)
    assert compare(bench.folder, history, bench.names).wrong == []


class SetClock(SystemClock):
    """A wall clock that somebody sets."""

    def __init__(self) -> None:
        super().__init__()
        self.off_ms = 0

    def wall_ms(self) -> int:
        return super().wall_ms() + self.off_ms


@pytest.mark.parametrize("off_ms", [-3_600_000, 7_200_000])
def test_a_wall_clock_that_is_set_moves_no_slot_and_no_request(
    tmp_path: Path, sim_server: SimServer, off_ms: int
) -> None:
    bench = bench_of(tmp_path, sim_server, cycles=12)
    clock = SetClock()
    with Running(bench, clock=clock) as running:
        running.until(bench.rows)
        clock.off_ms = off_ms
        running.until(lambda: kinds(bench, ev.ClockMoved))
        running.ended()
    moved = kinds(bench, ev.ClockMoved)
    assert len(moved) == 1
    assert isinstance(moved[0], ev.ClockMoved)
    assert abs(moved[0].offset_s * 1000 - off_ms) < 100
    bench.assert_whole(12)


def test_a_clock_before_the_last_row_refuses_the_start_and_writes_nothing(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    bench.collect(once=True)
    before = bench.folder.journal.read_bytes(), bench.folder.rows.read_bytes()
    clock = SetClock()
    clock.off_ms = -60_000
    with pytest.raises(DeclinedError, match="before the last row"):
        bench.collect(clock=clock)
    assert (bench.folder.journal.read_bytes(), bench.folder.rows.read_bytes()) == before


# -- the folder -----------------------------------------------------------------------------------


def test_a_full_disk_costs_no_row(
    tmp_path: Path, sim_server: SimServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = bench_of(tmp_path, sim_server)
    write, full = os.write, threading.Event()

    def limited(fd: int, data: bytes) -> int:
        path = Path(f"/proc/self/fd/{fd}").readlink()
        if full.is_set() and path.is_relative_to(bench.folder.path):
            if len(data) > 40:
                return write(fd, data[: len(data) // 2])
            raise OSError(28, "No space left on device")
        return write(fd, data)

    monkeypatch.setattr(os, "write", limited)
    said: list[str] = []
    with Running(bench, said=said) as running:
        running.until(lambda: kinds(bench, ev.Heartbeat))
        full.set()
        running.until(lambda: any("kept in memory" in text for text in said))
        start = time.monotonic()
        wait_for(lambda: time.monotonic() > start + 1.2)
        seen = bench.cycles()
        assert verify_run(bench.folder).problems == []
        full.clear()
        running.until(lambda: bench.cycles() > seen + 4)
    assert "written again" in said
    bench.assert_whole()
    blocked = [row for row in bench.rows() if 0 < row.cycle <= seen]
    assert any(row.rcon_ok for row in blocked)


def test_a_collector_that_is_told_to_end_while_the_disk_is_full_ends(
    tmp_path: Path, sim_server: SimServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = bench_of(tmp_path, sim_server)

    def full(fd: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    said: list[str] = []
    with Running(bench, said=said) as running:
        running.until(bench.rows)
        monkeypatch.setattr(os, "write", full)
        running.until(lambda: said)
        running.halt.by_signal(signal.SIGTERM)
        start = time.monotonic()
        running.ended()
        assert time.monotonic() - start < 4
    monkeypatch.undo()
    bench.collect(once=True)
    bench.assert_whole()


def test_a_collector_that_ends_with_what_it_never_wrote_does_not_end_as_if_all_was_done(
    tmp_path: Path, sim_server: SimServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plateau_tui.collector.blockage._GONE_S", 0.0)
    bench = bench_of(tmp_path, sim_server, cycles=6)
    away = bench.folder.path.with_name("away")
    with Running(bench) as running:
        running.until(bench.rows)
        bench.folder.path.rename(away)
        with pytest.raises(LogWriteError, match="was never written and ends here") as ended:
            running.ended()
    assert str(away) in str(ended.value)
    assert ended.value.exit_code == 1


def test_a_registration_that_is_edited_breaks_the_seal_and_stops_nothing(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    text = bench.folder.registration.read_bytes()
    with Running(bench) as running:
        running.until(bench.rows)
        bench.folder.registration.write_bytes(text.replace(b"margin = 0.0", b"margin = 0.1"))
        running.until(lambda: len(kinds(bench, ev.SealBroken)) == 1)
        bench.folder.registration.write_bytes(text)
        running.until(lambda: len(kinds(bench, ev.SealRestored)) == 1)
        bench.folder.registration.unlink()
        running.until(lambda: len(kinds(bench, ev.SealBroken)) == 2)
        seen = bench.cycles()
        running.until(lambda: bench.cycles() > seen + 1)
    with Running(bench) as running:  # a new collector goes on from the sealed text
        seen = bench.cycles()
        running.until(lambda: bench.cycles() > seen + 1)
    bench.folder.registration.write_bytes(text)
    bench.collect(once=True)
    assert len(kinds(bench, ev.SealRestored)) == 2
    bench.assert_whole()


def test_logs_that_vanish_under_the_collector_go_on(tmp_path: Path, sim_server: SimServer) -> None:
    bench = bench_of(tmp_path, sim_server)
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 2)
        shutil.move(bench.folder.rows, tmp_path / "rows.kept")
        running.until(bench.rows)
    bench.assert_whole()  # what was moved away is kept, and read with what follows it
    restarted = kinds(bench, ev.LogRestarted)
    assert [e.file for e in restarted if isinstance(e, ev.LogRestarted)] == ["rows.jsonl"]


# -- what is left behind --------------------------------------------------------------------------


def test_threads_and_files_are_back_where_they_were_after_many_faults(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server, interval_s=0.2)
    every = [sf.drop(), sf.reset(), sf.garbage(), sf.empty(), sf.late(0.1), sf.hang()]
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 2)
        threads = threading.active_count()
        files = len(list(Path("/proc/self/fd").iterdir()))
        turn = iter(range(10_000))
        sim_server.faults.rule = lambda _command, _peer: every[next(turn) % len(every)]
        seen = bench.cycles()
        used = time.process_time()
        running.until(lambda: bench.cycles() >= seen + 15)
        assert time.process_time() - used < 2.5
        sim_server.faults.clear()
        running.until(lambda: bench.rows()[-1].rcon_ok)
        running.until(lambda: threading.active_count() <= threads + 1)
        running.until(lambda: len(list(Path("/proc/self/fd").iterdir())) <= files + 2)


def test_forty_units_at_the_shortest_interval_write_every_cycle(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server, interval_s=0.2, cycles=12, units=20)
    history = sim_history(sim_server)
    with Mutator(history, bench.units, bench.objectives), Running(bench) as running:
        running.ended()
    bench.assert_whole(12)
    assert compare(bench.folder, history, bench.names).wrong == []
