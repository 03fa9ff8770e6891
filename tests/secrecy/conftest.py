import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from collector.bench import wait_for
from console.test_terminal import gone
from secrecy.home import Home
from secrecy.searching import CANARY

from plateau_tui.collector.operate import collector_pid
from plateau_tui.sim.run import make_server
from plateau_tui.sim.scenarios import SCENARIOS
from plateau_tui.sim.server import SimServer


@pytest.fixture
def server() -> Iterator[SimServer]:
    scenario = SCENARIOS["builders_vs_hoarders"]
    with make_server(scenario, seed=1, speed=0.0, password=CANARY) as running:
        yield running


@pytest.fixture
def home(tmp_path: Path, server: SimServer) -> Iterator[Home]:
    home = Home.make(tmp_path, server.port)
    yield home
    pid = collector_pid(home.folder)
    if pid is not None:
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: gone(pid))
