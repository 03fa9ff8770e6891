"""How long one cycle's counters take: our short form against the seed's literal loop.

Both read 12 units on one simulated server that runs one command a tick (50 ms), in one run. The
literal loop is plain ``mcrcon``: 19 ``scoreboard players get`` for each unit (seed §2b). What is
compared is the span: first counter asked to last counter answered. The list of objectives that
our cycle asks behind the counters is one tick more, the roster and the inventories come on top
of both.

    .venv/bin/python benchmarks/cycle.py
"""

import functools
import threading
import time

from mcrcon import MCRcon

from plateau_tui.collector.cycle import CycleReader
from plateau_tui.collector.run import Password, ServerAccess, wall_ms
from plateau_tui.metric.objectives import METRIC_OBJECTIVES
from plateau_tui.metric.registration import Registration, parse_registration
from plateau_tui.resources import game_ids
from plateau_tui.runlog.template import draft_text
from plateau_tui.server.transport import Endpoint
from plateau_tui.sim.options import ServerOptions
from plateau_tui.sim.scenarios import SCENARIOS, build_world
from plateau_tui.sim.server import SimServer

TICK_S = 0.05
PASSWORD = "benchmark"  # noqa: S105 - of a simulated server on loopback


def ours(host: str, port: int, registration: Registration) -> float:
    """Return the span of one of our cycles in seconds.

    It is the second: the first one asks both forms and proves that they agree.
    """
    access = ServerAccess(Endpoint(host, port), Password(PASSWORD))
    session = access.session(threading.Event(), registration.window.interval_ms)
    reader = CycleReader(session, registration, wall_ms)
    reader.read(0, time.monotonic() + 120, inventory=False)
    reading = reader.read(1, time.monotonic() + 120, inventory=False)
    span = reading.counters.span_ms
    if span is None or not all(unit.ok for unit in reading.counters.units.values()):
        raise SystemExit("the cycle was not read whole")
    return span / 1000


def literal(host: str, port: int, registration: Registration) -> float:
    """Return the span of the seed's loop in seconds."""
    with MCRcon(host, PASSWORD, port) as client:
        started = time.monotonic()
        for unit in registration.units:
            for objective in METRIC_OBJECTIVES:
                client.command(f"minecraft:scoreboard players get {unit.name} {objective.name}")
        return time.monotonic() - started


def main() -> None:
    """Print both spans in seconds and in ticks, and their ratio."""
    scenario = SCENARIOS["twelve"]
    registration = parse_registration(draft_text("cycle", 6).encode(), game_ids())
    world = build_world(scenario, 1)
    server = SimServer(world, password=PASSWORD, options=ServerOptions(busy=True, tick_s=TICK_S))
    with server:
        for objective in METRIC_OBJECTIVES:
            add = functools.partial(server.scoreboard.add, objective.name, objective.criterion)
            server.run_locked(add)
        server.step(1200)
        spans = {
            "short form": ours(server.host, server.port, registration),
            "literal loop": literal(server.host, server.port, registration),
        }
    for name, span in spans.items():
        print(f"{name:13} {span:7.2f} s  {span / TICK_S:6.1f} ticks")
    print(f"ratio         {spans['literal loop'] / spans['short form']:7.1f}")


if __name__ == "__main__":
    main()
