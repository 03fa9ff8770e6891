"""The demonstration takes its collector along, whichever way it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
from cli.shell import Shell
from collector.bench import wait_for
from collector.history import events_of

from plateau_tui.collector.detach import Lifeline, end_with
from plateau_tui.collector.halt import Halt
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.verify import verify_run

ENDED = {signal.SIGTERM: 143, signal.SIGKILL: -9}
"""How it is ended, and its exit code: one that it can see to, and one that it cannot."""


def processes_of(folder: RunFolder) -> list[int]:
    """Return the processes at work on a run, by their arguments; zombies have none."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if str(folder.path).encode() in words and int(path.parent.name) != os.getpid():
            found.append(int(path.parent.name))
    return found


def happened(folder: RunFolder, kind: type[ev.Event]) -> bool:
    return any(isinstance(event, kind) for event in events_of(folder))


@pytest.fixture
def folder(shell: Shell) -> Iterator[RunFolder]:
    made = RunFolder(shell.home / "demo")
    yield made
    for pid in processes_of(made):  # of a test that failed
        os.kill(pid, signal.SIGKILL)


def words(folder: RunFolder) -> list[str]:
    cycles = "600"  # it would be ten minutes until they end by themselves
    return ["-m", "plateau_tui", "demo", "--headless", "--cycles", cycles, "--to", str(folder.path)]


def begun(shell: Shell, folder: RunFolder) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, *words(folder)],
        env=shell.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def assert_gone_in_order(folder: RunFolder) -> None:
    wait_for(lambda: not processes_of(folder))
    stopped = [event for event in events_of(folder) if isinstance(event, ev.CollectorStopped)]
    assert [event.reason for event in stopped] == [f"signal {signal.SIGTERM:d}"]
    assert verify_run(folder).intact


@pytest.mark.parametrize("signum", ENDED)
def test_a_demo_ended_by_a_signal_leaves_no_collector(
    shell: Shell, folder: RunFolder, signum: signal.Signals
) -> None:
    demo = begun(shell, folder)
    wait_for(lambda: happened(folder, ev.Heartbeat), 60)
    assert len(processes_of(folder)) >= 2
    demo.send_signal(signum)
    assert demo.wait(20) == ENDED[signum]
    assert_gone_in_order(folder)


def test_a_demo_whose_terminal_closes_leaves_no_collector(shell: Shell, folder: RunFolder) -> None:
    terminal = pexpect.spawn(
        sys.executable,
        words(folder),
        env=shell.environment(),
        timeout=60,
    )
    terminal.expect_exact(" of 600: ")
    terminal.close(force=False)
    assert_gone_in_order(folder)


def test_a_demo_ended_in_an_earlier_step_ends_that_step(shell: Shell, folder: RunFolder) -> None:
    demo = begun(shell, folder)
    wait_for(lambda: happened(folder, ev.Registered), 60)
    demo.send_signal(signal.SIGTERM)
    assert demo.wait(20) == ENDED[signal.SIGTERM]
    wait_for(lambda: not processes_of(folder))


def test_a_lifeline_halts_when_it_is_cut_and_not_before() -> None:
    lifeline, halt = Lifeline(), Halt()
    end_with(os.dup(lifeline.fd), halt)
    assert not halt.event.wait(0.05)
    lifeline.cut()
    lifeline.cut()
    assert halt.event.wait(20)
    assert halt.signum == signal.SIGTERM
