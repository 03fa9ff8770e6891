"""Registering against a server that fails: what is temporary ends nothing, what is not is told."""

from pathlib import Path

import pytest
from collector.bench import Bench, Running

from plateau_tui.collector.run import DeclinedError
from plateau_tui.sim import faults as sf
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

BROKEN = sf.replaced("An unexpected error occurred trying to execute that command")


def test_a_command_that_breaks_inside_the_server_is_asked_again(tmp_path: Path) -> None:
    with SimServer() as server:
        bench = Bench.make(tmp_path, server.port, DEFAULT_PASSWORD, interval_s=0.5, cycles=100)
        server.faults.once(BROKEN, "objectives add", times=2)
        with Running(bench) as running:
            running.until(bench.rows)
        assert {each.name for each in server.scoreboard.objectives()} == set(bench.objectives)


def test_a_command_that_always_breaks_ends_the_start_and_is_named(tmp_path: Path) -> None:
    with SimServer() as server:
        bench = Bench.make(tmp_path, server.port, DEFAULT_PASSWORD, interval_s=0.5, cycles=100)
        server.faults.always(BROKEN, "objectives add mine_dirt ")
        with pytest.raises(DeclinedError, match="mine_dirt: the command failed inside the server"):
            bench.collect()
        assert sum("add mine_dirt" in command for command in server.commands) == 3
