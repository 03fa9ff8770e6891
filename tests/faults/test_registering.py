"""Registering against a server that fails: what is temporary ends nothing, what is not is told."""

import json
from pathlib import Path

import pytest
from collector.bench import Bench, Running

from plateau_tui.collector.run import DeclinedError
from plateau_tui.runlog import events as ev
from plateau_tui.sim import faults as sf
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

THROWN = {
    "in the game": sf.replaced("An unexpected error occurred trying to execute that command"),
    "in a plugin": sf.throws(),
}
thrown = pytest.mark.parametrize("fault", THROWN.values(), ids=list(THROWN))


def bench_on(server: SimServer, tmp_path: Path) -> Bench:
    return Bench.make(tmp_path, server.port, DEFAULT_PASSWORD, interval_s=0.5, cycles=100)


def registered(bench: Bench) -> dict[str, str]:
    """Return what the journal says of each objective."""
    return {e.name: e.status for e in bench.events() if isinstance(e, ev.ObjectiveEvent)}


@thrown
def test_a_command_that_throws_is_asked_again(
    tmp_path: Path, sim_server: SimServer, fault: sf.Fault
) -> None:
    bench = bench_on(sim_server, tmp_path)
    sim_server.faults.once(fault, "objectives add", times=2)
    with Running(bench) as running:
        running.until(bench.rows)
    assert {each.name for each in sim_server.scoreboard.objectives()} == set(bench.objectives)


@thrown
def test_a_command_that_always_throws_ends_the_start_and_is_named(
    tmp_path: Path, sim_server: SimServer, fault: sf.Fault
) -> None:
    bench = bench_on(sim_server, tmp_path)
    # Nothing is made, and no reading of it is answered: a fault changes only what is seen.
    sim_server.faults.always(fault, "objectives add mine_dirt ")
    sim_server.faults.always(sf.replaced("Unknown scoreboard objective 'mine_dirt'"), "mine_dirt$")
    with pytest.raises(DeclinedError, match="mine_dirt: the command failed inside the server"):
        bench.collect()
    assert sum("add mine_dirt" in command for command in sim_server.commands) == 3


def test_an_objective_that_is_there_although_its_command_throws_is_an_existing_one(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_on(sim_server, tmp_path)
    command = "scoreboard objectives add mine_dirt minecraft.mined:minecraft.dirt"
    # It runs, and is said to have thrown.
    fault = sf.replaced(f"Error executing: minecraft:{command} (null)")
    sim_server.faults.always(fault, "objectives add mine_dirt ")
    with Running(bench) as running:
        running.until(bench.rows)
    assert registered(bench) == dict.fromkeys(bench.objectives, "created") | {
        "mine_dirt": "existing"
    }


def test_a_start_reading_that_throws_once_is_asked_again(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_on(sim_server, tmp_path)
    assert bench.cli("register").returncode == 0
    sim_server.scoreboard.remove("mine_dirt")
    sim_server.scoreboard.add("mine_dirt", "minecraft.mined:minecraft.dirt")
    other = Bench.make(tmp_path, sim_server.port, DEFAULT_PASSWORD, name="other")
    sim_server.faults.once(sf.throws(), "players get", times=2)
    done = other.cli("register", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["failed"] == {}


def test_a_server_on_which_everything_throws_is_told_in_one_short_line(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_on(sim_server, tmp_path)
    sim_server.faults.always(sf.throws(), "scoreboard")
    done = bench.cli("collect")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "place_cobble: the command failed inside the server" in done.stderr
    assert "and 16 more" in done.stderr
    assert len(done.stderr) < 1000


def test_a_list_that_throws_at_the_login_does_not_make_it_another_kind_of_server(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_on(sim_server, tmp_path)
    sim_server.faults.once(sf.throws(), "list$", times=2)
    done = bench.cli("check", "--json")
    assert done.returncode == 0, done.stderr
