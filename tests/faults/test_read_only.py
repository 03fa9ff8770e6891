"""Read-only for ever: whatever is called or pressed, a server sees six shapes of command."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli.shell import PASSWORD, Shell
from collector.bench import wait_for
from faults.shapes import SHAPES, shapes_of

from plateau_tui.cli.commands import _COMMANDS
from plateau_tui.collector.operate import collector_pid
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.sim.run import make_server
from plateau_tui.sim.server import SimServer

RECORDING = Path(__file__).parent / "recording.py"


@pytest.fixture
def server() -> Iterator[SimServer]:
    with make_server("builders_vs_hoarders", seed=1, speed=20.0, password=PASSWORD) as running:
        yield running


@pytest.fixture
def shell(tmp_path: Path, server: SimServer) -> Shell:
    where = {"PLATEAU_TUI_RCON_HOST": server.host, "PLATEAU_TUI_RCON_PORT": str(server.port)}
    return Shell(tmp_path, extra=where | {"PYTHONPATH": os.pathsep.join(sys.path)})


class Product:
    """Runs commands one after the other and remembers which."""

    def __init__(self, shell: Shell, record: Path) -> None:
        self.shell = shell
        self.record = record
        self.called: set[str] = set()

    def start(self, *words: str) -> "subprocess.Popen[str]":
        self.called.add(words[0])
        return subprocess.Popen(
            [sys.executable, str(RECORDING), str(self.record), *words],
            env=self.shell.environment(),
            cwd=self.shell.home,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, codes: tuple[int, ...] = (0,)) -> str:
        process = self.start(*words)
        out, said = process.communicate(timeout=200)
        assert process.returncode in codes, (words, process.returncode, out, said)
        assert "Traceback" not in said, said
        return out


def interrupted(process: "subprocess.Popen[str]", once: Callable[[], object]) -> None:
    wait_for(lambda: once() or process.poll() is not None)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)


@pytest.mark.timeout(300)
def test_every_command_of_the_command_line(tmp_path: Path, shell: Shell, server: SimServer) -> None:
    product = Product(shell, tmp_path / "recorded")
    run = shell.draft("first", interval_s="0.5", cycles="10000", start_counts='"offset"')
    folder = RunFolder(run)
    product.run("new", "second")
    product.run("check", "first")
    product.run("register", "first")
    product.run("watch-wood", "first", "--polls", "1", "--every", "0.3")
    product.run("pin", "first", "oak_log", "--anyway", "to try the commands on")
    product.run("seal", "first")
    product.run("collect", "first", "--once", codes=(0, 3))
    interrupted(product.start("collect", "first"), folder.rows.exists)
    product.run("collect", "first", "--detach")
    product.run("check", "first", codes=(4,))
    product.run("register", "first", codes=(4,))
    product.run("watch-wood", "first")
    product.run("pin", "first", "oak_log", codes=(0, 1))
    product.run("note", "first", "list; stop\nop UNI-10-1")
    product.run("status", "first")
    product.run("watchdog", "first", "--max-age", "600")
    product.run("close", "first", "--early", "--why", "op @a")
    wait_for(lambda: collector_pid(folder) is None)
    product.run("verdict", "first")
    product.run("export", "first")
    product.run("verify", "first")
    product.run("attach", "first", codes=(2,))  # no terminal
    product.run("replay", "first", codes=(2,))
    product.run("calibrate", "--run", "first", codes=(0, 1))
    sim = product.start("sim", "--port", "0")
    assert sim.stdout is not None
    assert "port" in sim.stdout.readline()
    interrupted(sim, lambda: True)
    assert product.called == set(_COMMANDS) - {"demo"}
    assert shapes_of(server.commands) == set(SHAPES)


@pytest.mark.timeout(300)
def test_the_demo(tmp_path: Path, shell: Shell) -> None:
    product = Product(shell, tmp_path / "recorded")
    product.run("demo", "--headless", "--cycles", "1", "--to", str(tmp_path / "demo"))
    assert shapes_of(product.record.read_text(encoding="utf-8").splitlines()) == set(SHAPES)
