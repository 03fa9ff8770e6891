"""The memory of a process that has the password is on no disk and open to no other process."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from collector.bench import wait_for
from console.terminal import Terminal
from secrecy.home import LIMIT_S, Home
from secrecy.searching import CANARY

from plateau_tui.runlog.connection import PASSWORD_VARIABLE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="read from /proc")
_DUMPABLE = """\
import ctypes, sys
from plateau_tui.cli import main
real = main._run
def told():
    print("dumpable", ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), flush=True)
    return real()
main._run = told
main.main()
"""


@pytest.fixture(autouse=True)
def cores_allowed() -> Iterator[None]:
    """What a user may have set: core files without a limit."""
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_CORE, before)


def core_limit(pid: int) -> str:
    limits = Path(f"/proc/{pid}/limits").read_text(encoding="ascii")
    return next(line.split()[4] for line in limits.splitlines() if "core file" in line)


@pytest.mark.parametrize(
    "words",
    [
        ("attach", "r"),
        ("attach", "r", "--read-only"),
        (),
        ("watch-wood", "r", "--polls", "500"),
        ("demo",),
    ],
    ids=" ".join,
)
def test_no_command_on_a_terminal_may_leave_a_core_file(home: Home, words: tuple[str, ...]) -> None:
    home.make_run()
    environment = home.environment | {PASSWORD_VARIABLE: CANARY}
    with Terminal(*words, cwd=home.path / "tmp", environment=environment) as terminal:
        terminal.until(lambda: core_limit(terminal.pid) == "0")


@pytest.mark.parametrize("words", [("sim",), ("calibrate",), ("collect", "r")], ids=" ".join)
def test_nor_one_without_a_terminal(home: Home, words: tuple[str, ...]) -> None:
    home.make_run()
    process = home.start(*words, secret=True)
    try:
        wait_for(lambda: core_limit(process.pid) == "0", LIMIT_S)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=LIMIT_S)


def test_a_handler_that_no_limit_holds_gets_nothing_either() -> None:
    """PR_SET_DUMPABLE is off before anything else of a command is loaded."""
    done = subprocess.run(
        [sys.executable, "-c", _DUMPABLE, "--version"], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[0] == "dumpable 0", done.stderr


def test_little_is_loaded_before_the_memory_is_shut() -> None:
    """Each module takes milliseconds in which a crash would still write a core file."""
    code = "import sys, plateau_tui.cli.main; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "plateau_tui.process" in loaded
    assert not loaded & {"click", "ctypes", "platformdirs", "traceback", "plateau_tui.cli.errors"}


def test_the_workers_of_a_calibration_are_not_given_the_password(home: Home) -> None:
    home.run("calibrate", "plateau-break", "--walks", "8", "--processes", "2", secret=True)
    told = home.witnesses()
    workers = [text for text in told.values() if b"spawn_main" in text]
    assert workers, "no worker was seen"
    assert home.found() == []


def test_the_variable_is_gone_from_the_environment_of_all_that_is_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = (
        "import os, subprocess\n"
        "from plateau_tui import process\n"
        "process.take_password()\n"
        f"assert process.given_password() == {CANARY!r}\n"
        "subprocess.run(['env'], check=True)\n"
        f"assert process.environment_with_password()['{PASSWORD_VARIABLE}'] == {CANARY!r}\n"
        "print(process._given)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {PASSWORD_VARIABLE: CANARY},
        capture_output=True,
        check=True,
    )
    assert CANARY.encode() not in done.stdout
    assert b"PATH=" in done.stdout
