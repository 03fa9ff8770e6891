"""Faults at random, one after the other and at once, through a real collector's process."""

import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from collector.bench import finish, wait_for
from faults.matrix import SERVER_FAULTS, WIRE, ServerFault
from faults.process import HAVE_PROC, Held
from faults.stage import LEAVER, Stage, staged

from plateau_tui.runlog import events as ev
from plateau_tui.sim import faults as sf
from plateau_tui.sim.options import ServerOptions

pytestmark = [
    pytest.mark.skipif(not HAVE_PROC, reason="no /proc: a process cannot be looked into"),
    pytest.mark.timeout(300),
]

STEPS = 22
MEMORY_KB = 12_000
CPU_SHARE = 0.6
"""Of one core: a loop that spins takes all of it."""


@contextmanager
def collecting(stage: Stage) -> Iterator["subprocess.Popen[str]"]:
    process = stage.bench.start()
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def acts(stage: Stage, rng: random.Random, rate: list[float]) -> list[Callable[[], None]]:
    server = stage.server
    return [
        lambda: rate.__setitem__(0, 0.0),
        lambda: rate.__setitem__(0, 0.1),
        lambda: rate.__setitem__(0, 0.3),
        lambda: server.restart(rng.uniform(0.0, 0.4)),
        server.drop_connections,
        lambda: server.freeze(rng.uniform(0.05, 0.5)),
        lambda: server.world.leave(LEAVER),
        lambda: server.world.join(LEAVER),
        lambda: setattr(server.faults, "refuse_logins", rng.random() < 0.5),
        stage.stranger_comes_or_leaves,
    ]


def lasts(seconds: float) -> None:
    until = time.monotonic() + seconds
    wait_for(lambda: time.monotonic() >= until)


def disturb(stage: Stage, rng: random.Random, rate: list[float], steps: int) -> None:
    """Let things happen, each followed by a moment in which some of the wire's faults do."""
    every = acts(stage, rng, rate)
    for _ in range(steps):
        rng.choice(every)()
        lasts(rng.uniform(0.05, 0.3))


@pytest.mark.parametrize("seed", [1, 2])
def test_a_mixture_costs_nulls_and_nothing_else(tmp_path: Path, seed: int) -> None:
    rng, rate = random.Random(seed), [0.0]
    kinds = list(WIRE.values())

    def rule(command: str, _peer: int) -> sf.Fault | None:
        return rng.choice(kinds) if command != "tps" and rng.random() < rate[0] else None

    with staged(tmp_path, ServerOptions(wake_s=0.001)) as stage, stage.counting():
        with collecting(stage) as process:
            stage.await_healthy()
            stage.server.faults.rule = rule
            disturb(stage, rng, rate, STEPS // 2)
            assert finish(process, signal.SIGKILL)[0] == -signal.SIGKILL
        stage.calm()
        rate[0] = 0.0
        with collecting(stage) as process:
            stage.await_healthy()
            before, start = Held.by(process.pid), time.monotonic()
            stage.server.faults.rule = rule
            disturb(stage, rng, rate, STEPS)
            stage.calm()
            healthy = stage.await_healthy()
            wall = time.monotonic() - start
            after = Held.by(process.pid)
            wait_for(lambda: Held.by(process.pid).threads <= before.threads + 1)
            wait_for(lambda: Held.by(process.pid).descriptors <= before.descriptors + 1)
            assert after.cpu_s - before.cpu_s < CPU_SHARE * wall
            assert after.memory_kb - before.memory_kb < MEMORY_KB
            code, said, _ = finish(process, signal.SIGTERM)
        assert (code, "Traceback" in said) == (143, False), said
        stage.assert_true()
        assert open_faults(stage, healthy) == set()
        assert len(stage.told() & {code for fault in SERVER_FAULTS for code in fault.told}) >= 3


def open_faults(stage: Stage, cycle: int) -> set[str]:
    """Return the faults that the journal tells of before a cycle and never ends."""
    wrong: set[str] = set()
    for event in stage.journal():
        if isinstance(event, ev.CollectorStarted):
            wrong.clear()  # a collector knows nothing of what a dead one saw
        if isinstance(event, ev.Fault) and (event.cycle or 0) <= cycle:
            wrong.add(event.code)
        if isinstance(event, ev.Recovered):
            wrong.discard(event.code)
    return wrong


SPINNING = ("refused", "reset", "half-open", "garbage bytes", "not RCON")


def test_a_collector_in_trouble_takes_little_time_of_the_processor(tmp_path: Path) -> None:
    faults = {fault.name: fault for fault in SERVER_FAULTS}
    with staged(tmp_path) as stage, collecting(stage) as process:
        stage.await_healthy()
        for name in SPINNING:
            fault: ServerFault = faults[name]
            fault.begin(stage)
            stage.await_cycles(1)
            before, start = Held.by(process.pid).cpu_s, time.monotonic()
            stage.await_cycles(2)
            used, wall = Held.by(process.pid).cpu_s - before, time.monotonic() - start
            assert used < CPU_SHARE * wall, f"{name}: {used:.2f} s of {wall:.2f} s"
            fault.end(stage)
            stage.await_healthy()
        assert finish(process, signal.SIGTERM)[0] == 143
        stage.assert_true()
