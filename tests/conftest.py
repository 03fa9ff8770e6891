"""What all tests share."""

import signal
from collections.abc import Iterator

import pytest
from hypothesis import settings

from plateau_tui.sim.run import make_server
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

# A shell's "&" and nohup have these ignored, which every process that a test starts would inherit.
for _number, _usual in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)

settings.register_profile("any-machine", deadline=None)
"""A property is never refuted by the clock of a busy machine."""
settings.load_profile("any-machine")


@pytest.fixture
def sim_server() -> Iterator[SimServer]:
    """An honest server without a body or an objective, on a real port."""
    with SimServer() as server:
        yield server


@pytest.fixture
def server() -> Iterator[SimServer]:
    """Builders against hoarders, standing still until a test gives them speed."""
    made = make_server("builders_vs_hoarders", seed=1, speed=0.0, password=DEFAULT_PASSWORD)
    with made as running:
        yield running
