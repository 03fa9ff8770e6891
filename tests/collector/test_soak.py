"""Everything at once, at random, for as long as ``PLATEAU_TUI_SOAK`` says (seconds).

Off by default. The real command line against a server that misbehaves, restarts, renames and
swaps displays, while the collector is stopped, killed and started again.
"""

import os
import random
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from collector.bench import Bench, wait_for
from collector.history import READ_ONLY, Compared, History, Mutator, compare
from collector.otherserver import OtherServer
from collector.test_displays import bracketed, doubled, impostor, rename, swap
from collector.test_truth import (
    FAULTS,
    TROUBLES,
    other_history,
    populate,
    populate_other,
    sim_history,
)

from plateau_tui.sim import faults as sf
from plateau_tui.sim.server import SimServer

SECONDS = float(os.environ.get("PLATEAU_TUI_SOAK", "0"))
CHANGES_APART_S = 2.5
"""Display names that change and change back while one cycle is read can be told by nobody: the
longest cycle here is one that a SIGSTOP of a second stretches. Nor can a swap in a server's list
that is sorted by what it shows; no server of this kind sorts it so (test_displays has that one)."""

pytestmark = [
    pytest.mark.skipif(not SECONDS, reason="set PLATEAU_TUI_SOAK=60 for a minute of it"),
    pytest.mark.timeout(SECONDS * 2 + 120),
]


def nap(seconds: float) -> None:
    until = time.monotonic() + seconds
    wait_for(lambda: time.monotonic() > until)


def disturb(bench: Bench, rng: random.Random, acts: list[object]) -> None:
    """Run collectors, with what befalls them, until the time is over."""
    end = time.monotonic() + SECONDS

    # On a busy machine the first cycles can be late, and without a window nothing is judged; the
    # test's own time limit ends a wait for one that never opens.
    def goes_on() -> bool:
        return time.monotonic() < end or not bench.cycles()

    while goes_on():
        process = bench.start()
        dies_at = time.monotonic() + rng.uniform(0.3, 6)
        while time.monotonic() < dies_at and goes_on():
            act = rng.choice(acts)
            assert callable(act)
            act()
            if rng.random() < 0.1:
                process.send_signal(signal.SIGSTOP)
                nap(rng.random())
                process.send_signal(signal.SIGCONT)
            nap(0.3)
        how = rng.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
        process.send_signal(how)
        _, said = process.communicate(timeout=10)
        assert "Traceback" not in said, said


def judge(bench: Bench, history: History, commands: Sequence[str], overlaps: int) -> None:
    assert bench.cli("close", "--early", "--why", "enough").returncode == 0
    found = compare(bench.folder, history, bench.names)
    print(figures(found, len(commands), overlaps))  # noqa: T201 - what a soak is run for
    bench.assert_whole()
    assert found.wrong == []
    assert [command for command in commands if not READ_ONLY.fullmatch(command)] == []


def figures(found: Compared, commands: int, overlaps: int) -> str:
    return (
        f"{found.rows} rows, {found.values} values, {found.nulls} nulls, {len(found.wrong)} wrong; "
        f"{commands} commands, {overlaps} overlaps"
    )


@pytest.mark.parametrize(("seed", "interval_s"), [(1, 0.5), (2, 1.0)])
def test_the_simulated_server_and_its_faults(
    tmp_path: Path, sim_server: SimServer, seed: int, interval_s: float
) -> None:
    bench = Bench.make(
        tmp_path, sim_server.port, "simulated", interval_s=interval_s, cycles=100_000
    )
    populate(sim_server, bench)
    history, rng = sim_history(sim_server), random.Random(seed)
    rate = [0.0]

    def rule(_command: str, _peer: int) -> sf.Fault | None:
        return rng.choice(list(FAULTS.values())) if rng.random() < rate[0] else None

    sim_server.faults.rule = rule
    acts = [
        lambda: rate.__setitem__(0, 0.0),
        lambda: rate.__setitem__(0, 0.1),
        lambda: rate.__setitem__(0, 0.3),
        lambda: sim_server.restart(0.4),
        sim_server.drop_connections,
        lambda: sim_server.world.leave("UNI-10-1"),
        lambda: sim_server.world.join("UNI-10-1"),
    ]
    with Mutator(history, bench.units, bench.objectives):
        disturb(bench, rng, list(acts))
    judge(bench, history, sim_server.commands, sim_server.overlaps)


@pytest.mark.parametrize(("seed", "interval_s"), [(3, 0.5), (4, 1.0)])
def test_the_other_server_and_its_display_names(
    tmp_path: Path, other: OtherServer, seed: int, interval_s: float
) -> None:
    bench = Bench.make(tmp_path, other.port, "other", interval_s=interval_s, cycles=100_000)
    populate_other(other, bench)
    history, rng = other_history(other), random.Random(seed)
    rate = [0.0]
    other.trouble = lambda _: rng.choice(TROUBLES) if rng.random() < rate[0] else None

    def plain(server: OtherServer) -> None:
        server.displays = {name: name for name in bench.objectives}

    changed = [float("-inf")]

    def change() -> None:
        if time.monotonic() - changed[0] < CHANGES_APART_S:
            return
        changed[0] = time.monotonic()
        with other.main:
            rng.choice([plain, swap, rename, impostor, doubled, bracketed])(other)

    def restart() -> None:
        other.go_down()
        other.come_up()

    acts = [
        lambda: rate.__setitem__(0, 0.0),
        lambda: rate.__setitem__(0, 0.2),
        lambda: setattr(other, "slow_s", rng.choice([0.0, 0.002, 0.01])),
        change,
        change,
        restart,
    ]
    with Mutator(history, bench.units, bench.objectives):
        disturb(bench, rng, list(acts))
    judge(bench, history, other.commands, other.overlaps)
