"""A collector whose stderr is full, closed or gone goes on, and its log holds nothing foreign."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from collector.bench import Bench, wait_for
from collector.test_truth import populate

from plateau_tui.runlog import events as ev
from plateau_tui.runlog.state import LOG_BLOCKED
from plateau_tui.sim.server import SimServer


def _full() -> "tuple[IO[bytes], str]":
    return Path("/dev/full").open("wb"), ""


def _pipe_without_reader() -> "tuple[IO[bytes], str]":
    read, write = os.pipe()
    os.close(read)
    return os.fdopen(write, "wb"), ""


def _closed() -> "tuple[IO[bytes], str]":
    return Path(os.devnull).open("wb"), "<&- >&- 2>&-"


@pytest.mark.parametrize("unheard", [_full, _pipe_without_reader, _closed])
def test_a_collector_that_nobody_can_hear_goes_on(
    tmp_path: Path, sim_server: SimServer, unheard: "Callable[[], tuple[IO[bytes], str]]"
) -> None:
    """It has something to say: its log cannot be written, and is written again."""
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.3, cycles=12)
    populate(sim_server, bench)
    stream, closed = unheard()
    command = f'exec "$0" -m plateau_tui collect "$1" {closed}'
    with stream, subprocess.Popen(
        ["/bin/sh", "-c", command, sys.executable, str(bench.folder.path)],
        env=os.environ | {"PLATEAU_TUI_RCON_PASSWORD": bench.password},
        stdin=subprocess.DEVNULL, stdout=stream, stderr=stream,
    ) as child:  # fmt: skip
        try:
            wait_for(lambda: bench.folder.rows.exists() and bench.cycles() >= 3)
            bench.folder.path.rename(bench.folder.path.with_name("away"))
            at = sim_server.commands
            wait_for(lambda: len(sim_server.commands) > len(at) + 3 * 8 or child.poll() is not None)
            bench.folder.path.with_name("away").rename(bench.folder.path)
            assert child.wait(60) == 0
        finally:
            child.kill()
    bench.assert_whole(12)
    told = [event for event in bench.events() if isinstance(event, ev.Fault | ev.Recovered)]
    assert [type(event) for event in told] == [ev.Fault, ev.Recovered]
    assert {event.code for event in told} == {LOG_BLOCKED}
