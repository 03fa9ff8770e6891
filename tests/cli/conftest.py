from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.shell import PASSWORD, Shell

from plateau_tui.sim.run import make_server
from plateau_tui.sim.scenarios import SCENARIOS
from plateau_tui.sim.server import SimServer


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def server() -> Iterator[SimServer]:
    scenario = SCENARIOS["builders_vs_hoarders"]
    with make_server(scenario, seed=1, speed=0.0, password=PASSWORD) as running:
        yield running


@pytest.fixture
def connected(shell: Shell, server: SimServer) -> Shell:
    shell.extra = {"PLATEAU_TUI_RCON_HOST": server.host, "PLATEAU_TUI_RCON_PORT": str(server.port)}
    return shell
