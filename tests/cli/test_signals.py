"""Ctrl-C at any moment of a command's beginning, and signals that were ignored before it began."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.shell import Shell
from collector.bench import wait_for

_KILLED_WHERE = """\
import os, signal, sys, importlib.abc
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            {act}
        return None
sys.meta_path.insert(0, Finder())
from plateau_tui.cli.main import main
main()
"""
TOLD = (b"", b"plateau-tui: ended")
_NOW = 'os.kill(os.getpid(), signal.SIGINT); print("went on", flush=True)'
_IN_A_CLASS = (
    'type("C", (), {"x": type("D", (), {"__set_name__": lambda *_: '
    "os.kill(os.getpid(), signal.SIGINT)})()})"
)


def run(shell: Shell, code: str, *words: str) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        env=shell.environment(),
        cwd=shell.home,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    "module", ["click", "plateau_tui.cli.errors", "plateau_tui.cli.commands", "plateau_tui.cli.new"]
)
def test_ctrl_c_waits_until_what_is_being_loaded_is_loaded(shell: Shell, module: str) -> None:
    done = run(shell, _KILLED_WHERE.format(module=module, act=_NOW), "new", "r")
    assert (done.returncode, done.stdout) == (130, b"went on\n")
    assert done.stderr.strip() in TOLD
    assert not (shell.runs / "r").exists()


@pytest.mark.parametrize("act", [_NOW, _IN_A_CLASS], ids=["plain", "in the making of a class"])
def test_ctrl_c_in_what_a_command_loads_later_is_no_crash(shell: Shell, act: str) -> None:
    shell.draft("r")
    module = "plateau_tui.cli.wrong"  # loaded by status in the middle of its work
    done = run(shell, _KILLED_WHERE.format(module=module, act=act), "status", "r")
    assert done.returncode == 130
    assert done.stderr.strip() in TOLD


def collecting(
    shell: Shell, before: Callable[[], object] | None = None
) -> "tuple[subprocess.Popen[bytes], Path]":
    """Return a collector that has begun, which does ``before`` first, and where its rows are."""
    folder = shell.draft("r", interval_s="0.3", cycles="5000")
    shell.run("register", "r")
    shell.run("seal", "r")
    process = subprocess.Popen(
        [sys.executable, "-m", "plateau_tui", "collect", "r"],
        env=shell.environment(),
        cwd=shell.home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=before,  # noqa: PLW1509 - no threads
    )
    rows = folder / "rows.jsonl"
    wait_for(rows.exists)
    return process, rows


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT])
def test_what_was_ignored_before_a_collector_began_stays_ignored(
    connected: Shell, number: signal.Signals
) -> None:
    """``nohup plateau-tui collect RUN``, and ``&`` in a script."""
    process, rows = collecting(connected, lambda: signal.signal(number, signal.SIG_IGN))
    process.send_signal(number)
    size = rows.stat().st_size
    wait_for(lambda: rows.stat().st_size > size + 10_000)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 143


def test_what_was_not_ignored_ends_it(connected: Shell) -> None:
    process, _ = collecting(connected)
    process.send_signal(signal.SIGHUP)
    assert process.wait(20) == 129
