"""A unit that no list ever shows: who else is online stands beside it, and only then."""

from pathlib import Path

from collector.bench import Bench, Running
from collector.history import events_of
from collector.test_weather import bench_of

from plateau_tui.runlog import events as ev
from plateau_tui.sim.server import SimServer


def strangers(bench: Bench) -> list[ev.Strangers]:
    return [event for event in events_of(bench.folder) if isinstance(event, ev.Strangers)]


def test_who_else_is_online_is_told_once_while_a_unit_was_never_seen(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.world.leave("UNI-11-1")
    sim_server.world.join("uni-11-1")
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 3)
        sim_server.world.join("Steve")
        running.until(lambda: len(strangers(bench)) == 2)
        sim_server.world.leave("uni-11-1")
        sim_server.world.join("UNI-11-1")
        seen = bench.cycles()
        running.until(lambda: bench.cycles() > seen + 1)
        sim_server.world.leave("UNI-11-1")  # it was seen by now: it has left
        seen = bench.cycles()
        running.until(lambda: bench.cycles() > seen + 1)
    told = [(event.unseen, sorted(event.names)) for event in strangers(bench)]
    assert told == [(["UNI-11-1"], ["uni-11-1"]), (["UNI-11-1"], ["Steve", "uni-11-1"])]
    bench.assert_whole()


def test_players_beside_a_whole_roster_are_nobody_s_business(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.world.join("Steve")
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 3)
    assert strangers(bench) == []
    assert b"Steve" not in bench.folder.journal.read_bytes() + bench.folder.rows.read_bytes()


def test_a_unit_that_is_renamed_in_the_window_is_told_with_the_name_that_is_like_it(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 2)
        sim_server.world.leave("UNI-11-1")
        sim_server.world.join("UNI_11_1")
        running.until(lambda: strangers(bench))
    told = [(event.unseen, event.names) for event in strangers(bench)]
    assert told == [(["UNI-11-1"], ["UNI_11_1"])]
    bench.assert_whole()
