"""The embedded server alone, in the foreground."""

import json
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from plateau_tui.sim.faults import Faults
from plateau_tui.sim.scenarios import SCENARIOS, Scenario, build_world
from plateau_tui.sim.server import SimServer


def make_server(
    scenario: Scenario | str,
    *,
    seed: int = 0,
    speed: float = 1.0,
    password: str,
    host: str = "127.0.0.1",
    port: int = 0,
    faults: Faults | None = None,
) -> SimServer:
    """Make the server of a scenario, not started; raises KeyError for an unknown name."""
    chosen = SCENARIOS[scenario] if isinstance(scenario, str) else scenario
    return SimServer(
        build_world(chosen, seed),
        password=password,
        host=host,
        port=port,
        options=chosen.options,
        faults=faults,
        speed=speed,
    )


def serve(
    port: int,
    seed: int,
    scenario: Scenario | str,
    speed: float,
    password: str,
    host: str = "127.0.0.1",
) -> int:
    """Serve until SIGINT or SIGTERM, then return 0.

    The first line on stdout is `{"host": …, "port": …}`; `port` 0 lets the system choose one.
    Raises OSError when the port is taken, KeyError for an unknown scenario. Signals reach only
    the main thread, so it must be called there.
    """
    ended = threading.Event()
    with (
        _told_of_the_end(ended),
        make_server(
            scenario, seed=seed, speed=speed, password=password, host=host, port=port
        ) as server,
    ):
        sys.stdout.write(json.dumps({"host": server.host, "port": server.port}) + "\n")
        sys.stdout.flush()
        ended.wait()
    return 0


@contextmanager
def _told_of_the_end(ended: threading.Event) -> Iterator[None]:
    ignored = signal.getsignal(signal.SIGINT) == signal.SIG_IGN  # behind a shell's &
    signals = (signal.SIGTERM,) if ignored else (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(each, lambda *_: ended.set()) for each in signals]
    try:
        yield
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)
