"""Every counter of every row, held against what the server's scoreboard held at that time."""

import random
import threading
from pathlib import Path

import pytest
from collector.bench import Bench, Running
from collector.history import READ_ONLY, History, Mutator, compare
from collector.otherserver import OtherServer
from sim.rawrcon import RawRcon

from plateau_tui.sim import faults as sf
from plateau_tui.sim.options import ServerOptions
from plateau_tui.sim.server import SimServer


def sim_history(server: SimServer) -> History:
    def put(unit: str, name: str, value: int) -> None:
        server.run_locked(lambda: server.scoreboard.set_score(unit, name, value))

    return History(put)


def other_history(server: OtherServer) -> History:
    def put(unit: str, name: str, value: int) -> None:
        with server.main:
            server.scores[unit, name] = value

    return History(put)


def populate(server: SimServer, bench: Bench) -> None:
    for unit in bench.units:
        server.world.add_body(unit)
    for name, criterion in criteria(bench).items():
        server.scoreboard.add(name, criterion)


def criteria(bench: Bench) -> dict[str, str]:
    kinds = {"place": "used", "mine": "mined", "craft": "crafted", "extra": "mined"}
    return {
        name: f"minecraft.{kinds[key.partition('/')[0]]}:minecraft.{key.partition('/')[2]}"
        for key, name in bench.names.items()
    }


def populate_other(server: OtherServer, bench: Bench) -> None:
    server.online = list(bench.units)
    server.displays = {name: name for name in bench.objectives}


def assert_true(bench: Bench, history: History, commands: tuple[str, ...]) -> None:
    found = compare(bench.folder, history, bench.names)
    assert found.wrong == []
    assert found.values > 0
    assert [c for c in commands if not READ_ONLY.fullmatch(c)] == []


def test_rows_say_what_an_honest_server_held_while_counters_moved(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.5, cycles=5)
    populate(sim_server, bench)
    history = sim_history(sim_server)
    with Mutator(history, bench.units, bench.objectives), Running(bench) as running:
        running.ended()
    bench.assert_whole(5)
    assert_true(bench, history, sim_server.commands)
    assert all(row.rcon_ok for row in bench.rows())
    assert sim_server.overlaps == 0


FAULTS = {
    "empty": sf.empty(),
    "glued": sf.glued("There are 0 of a max of 20 players online: "),
    "swapped": sf.replaced("UNI-10-2 has 7 [mine_stone]"),
    "another counter": sf.replaced("UNI-10-1 has 3 scores:[mine_stone]: 77"),
    "garbage": sf.garbage(),
    "not utf-8": sf.raw_body(b"\xa76There"),
    "drop": sf.drop(),
    "half": sf.drop_mid_reply(),
    "reset": sf.reset(),
    "late": sf.late(0.2),
    "hang": sf.hang(),
    "wrong id": sf.wrong_id(),
    "wrong type": sf.wrong_type(),
    "refused": sf.refused(),
    "twice": sf.duplicate(),
    "throws": sf.throws(),
}


@pytest.mark.parametrize("seed", [1, 2])
def test_no_fault_of_the_wire_ever_makes_a_value_wrong(
    tmp_path: Path, sim_server: SimServer, seed: int
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.5, cycles=6)
    populate(sim_server, bench)
    history = sim_history(sim_server)
    rng = random.Random(seed)

    def rule(command: str, connection: int) -> sf.Fault | None:
        return rng.choice(list(FAULTS.values())) if rng.random() < 0.12 else None

    with Mutator(history, bench.units, bench.objectives), Running(bench) as running:
        running.until(bench.rows)
        sim_server.faults.rule = rule
        running.ended()
    bench.assert_whole(bench.cycles())
    assert_true(bench, history, sim_server.commands)
    assert sim_server.overlaps == 0


def test_a_restart_in_mid_window_costs_nulls_and_no_value(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.5, cycles=8)
    populate(sim_server, bench)
    history = sim_history(sim_server)
    with Mutator(history, bench.units, bench.objectives), Running(bench) as running:
        running.until(bench.rows)
        sim_server.restart(0.9)
        running.ended()
    bench.assert_whole(bench.cycles())
    assert_true(bench, history, sim_server.commands)
    assert bench.rows()[-1].rcon_ok


def test_a_busy_server_is_read_within_the_cycle_or_not_at_all(tmp_path: Path) -> None:
    with SimServer(options=ServerOptions(busy=True), speed=1.0) as server:
        # A cycle has time for some twenty questions, and each objective is to show its name first.
        bench = Bench.make(tmp_path, server.port, "simulated", interval_s=1.0, cycles=8)
        populate(server, bench)
        history = sim_history(server)
        with Mutator(history, bench.units, bench.objectives), Running(bench) as running:
            running.ended()
        bench.assert_whole(8)
        assert_true(bench, history, server.commands)
        assert any(row.rcon_ok for row in bench.rows())
        assert server.overlaps == 0


def test_another_client_that_polls_all_the_time_never_spoils_a_value(tmp_path: Path) -> None:
    with SimServer(options=ServerOptions(wake_s=0.002)) as server:
        bench = Bench.make(tmp_path, server.port, "simulated", interval_s=0.6, cycles=6)
        populate(server, bench)
        history = sim_history(server)
        over = threading.Event()

        def poll() -> None:
            with RawRcon((server.host, server.port), "simulated") as stranger:
                while not over.wait(0.02):
                    stranger.send(1, 2, "tps")
                    stranger.read()

        thread = threading.Thread(target=poll, daemon=True)
        thread.start()
        with Mutator(history, bench.units, bench.objectives), Running(bench) as running:
            running.ended()
        over.set()
        thread.join(5)
        bench.assert_whole(6)
        ours = tuple(c for c in server.commands if c != "tps")
        assert_true(bench, history, ours)


TROUBLES = ("hang", "drop", "late", "empty", "glue", "swap", "garble")


@pytest.mark.parametrize("seed", [3, 4])
def test_a_server_with_other_habits_is_read_as_truly(
    tmp_path: Path, other: OtherServer, seed: int
) -> None:
    bench = Bench.make(tmp_path, other.port, "other", interval_s=0.5, cycles=6)
    populate_other(other, bench)
    other.slow_s = 0.001
    history = other_history(other)
    rng = random.Random(seed)
    with Mutator(history, bench.units, bench.objectives), Running(bench) as running:
        running.until(bench.rows)
        other.trouble = lambda _: rng.choice(TROUBLES) if rng.random() < 0.1 else None
        running.ended()
    bench.assert_whole(bench.cycles())
    assert_true(bench, history, tuple(other.commands))


def test_long_lists_in_several_packets_are_read_whole(tmp_path: Path, other: OtherServer) -> None:
    bench = Bench.make(tmp_path, other.port, "other", interval_s=0.6, cycles=4)
    populate_other(other, bench)
    for number in range(300):
        other.displays[f"foreign_{number}"] = f"§6A foreign objective [{number}]"
        other.scores["UNI-10-1", f"foreign_{number}"] = number
    history = other_history(other)
    with Mutator(history, bench.units, bench.objectives), Running(bench) as running:
        running.ended()
    bench.assert_whole(4)
    assert_true(bench, history, tuple(other.commands))
    assert all(row.rcon_ok for row in bench.rows())
