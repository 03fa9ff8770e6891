"""A real terminal: how the console starts, fits, leaves, and what kills it."""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from collector.bench import Bench, finish, wait_for
from console.apps import draft
from console.terminal import (
    ENTERS_SCREEN,
    LEAVES_SCREEN,
    LIMIT_S,
    Terminal,
    attached,
    cpu_s,
    within_a_second,
)

from plateau_tui.collector.operate import collector_pid
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer


def gone(pid: int) -> bool:
    """Whether a process has ended; a zombie has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_it_starts_shows_the_run_and_quits_within_a_second(folder: RunFolder) -> None:
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        assert ENTERS_SCREEN in terminal.raw
        terminal.send("q")
        asked = time.monotonic()
        assert terminal.ended() == 0
        assert time.monotonic() - asked < within_a_second()
        assert LEAVES_SCREEN in terminal.raw


def test_without_a_command_it_shows_the_runs(folder: RunFolder) -> None:
    with Terminal(
        cwd=folder.path.parent, environment={"PLATEAU_TUI_RUNS": str(folder.path.parent)}
    ) as terminal:
        terminal.until_words("closed 10 of 10")
        terminal.send("\r")
        terminal.until_words("UNI-11-3")


def test_it_fits_every_size_and_comes_back(folder: RunFolder) -> None:
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        for size in ((40, 10), (1, 1), (0, 0), (20, 5)):
            terminal.resize(*size)
            if size > (1, 1):
                terminal.until_words(f"need 60x20, have {size[0]}x{size[1]}")
        for columns, rows in ((60, 20), (200, 60), (80, 24)):
            terminal.resize(columns, rows)
            terminal.until(
                lambda: "UNI-11-3" in terminal.text and "q Quit" in terminal.text.splitlines()[-1]
            )
        terminal.send("q")
        assert terminal.ended() == 0


def test_sizes_in_quick_succession_end_at_the_last(folder: RunFolder) -> None:
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        for size in ((40, 10), (1, 1), (0, 0), (120, 40), (60, 20)):
            terminal.resize(*size)
        terminal.until(
            lambda: "UNI-11-3" in terminal.text and "q Quit" in terminal.text.splitlines()[-1]
        )


@pytest.mark.parametrize("size", [(0, 0), (1, 1)])
def test_it_starts_in_a_terminal_of_no_size(folder: RunFolder, size: tuple[int, int]) -> None:
    with Terminal("attach", str(folder.path), cwd=folder.path.parent, size=(80, 24)) as terminal:
        terminal.child.setwinsize(*size)
        terminal.until(lambda: ENTERS_SCREEN in terminal.raw)
        terminal.resize(80, 24)
        terminal.until_words("UNI-11-3")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGHUP, 129), (signal.SIGTERM, 143)]
)
def test_a_signal_ends_it_at_once_and_leaves_the_terminal_in_order(
    folder: RunFolder, number: signal.Signals, code: int
) -> None:
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        os.kill(terminal.pid, number)
        asked = time.monotonic()
        assert terminal.ended() == code
        assert time.monotonic() - asked < 1.0 + within_a_second()
        assert LEAVES_SCREEN in terminal.raw


@pytest.mark.parametrize("words", [(), ("replay",), ("demo",)], ids=["bare", "replay", "demo"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_every_console_with_its_code(
    folder: RunFolder, words: tuple[str, ...], number: signal.Signals, code: int
) -> None:
    target = {"replay": (str(folder.path),), "demo": ("--to", str(folder.path.parent / "d"))}
    own = {"PLATEAU_TUI_RUNS": str(folder.path.parent)}
    typed = (*words, *target.get("".join(words), ()))
    with Terminal(*typed, cwd=folder.path.parent, environment=own) as terminal:
        terminal.until(lambda: ENTERS_SCREEN in terminal.raw)
        terminal.until_words("Menu")
        os.kill(terminal.pid, number)
        assert terminal.ended() == code
        assert b"Traceback" not in terminal.raw


@contextlib.contextmanager
def on_own_pty(
    folder: RunFolder, *, controlling: bool
) -> Iterator[tuple["subprocess.Popen[bytes]", int]]:
    """The console on a pty whose master is ours; its session's own terminal, or merely open."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, b"\x18\x00\x50\x00\x00\x00\x00\x00")
    code = (
        "import fcntl, runpy, sys, termios\n"
        f"{'fcntl.ioctl(0, termios.TIOCSCTTY, 0)' if controlling else ''}\n"
        "sys.argv = ['plateau-tui', 'attach', sys.argv[1]]\n"
        "runpy.run_module('plateau_tui', run_name='__main__')\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder.path)],
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
        env=os.environ | {"TERM": "xterm"},
    )  # fmt: skip
    os.close(slave)
    try:
        yield process, master
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


@pytest.mark.parametrize("controlling", [True, False])
def test_a_terminal_that_vanishes_ends_it_without_spinning(
    folder: RunFolder, controlling: bool
) -> None:
    with on_own_pty(folder, controlling=controlling) as (process, master):
        seen = b""
        deadline = time.monotonic() + LIMIT_S
        while b"UNI-11-3" not in seen:
            seen += os.read(master, 65536)
            assert time.monotonic() < deadline
        used = cpu_s(process.pid)
        os.close(master)
        closed = time.monotonic()
        while not gone(process.pid):
            assert time.monotonic() - closed < LIMIT_S
            with contextlib.suppress(FileNotFoundError, IndexError):
                used_since = cpu_s(process.pid) - used
                assert used_since < 2.0
            time.sleep(0.02)
        assert process.wait() == 129
        assert time.monotonic() - closed < 2.0 + within_a_second()


def test_a_console_that_is_killed_harms_neither_collector_nor_the_next_console(
    tmp_path: Path, server: SimServer
) -> None:
    bench = Bench.make(tmp_path, server.port, DEFAULT_PASSWORD, units=3, interval_s=0.5, cycles=900)
    assert bench.cli("register").returncode == 0
    process = bench.start()
    wait_for(bench.rows)
    with attached(bench.folder) as first, attached(bench.folder) as second:
        for terminal in (first, second):
            terminal.until_words("OPEN")
            terminal.until_words(f"collector {process.pid}")
        first.child.kill(signal.SIGKILL)
        assert first.ended() == -signal.SIGKILL
        second.send("q")
        assert second.ended() == 0
        cycles = bench.cycles()
        wait_for(lambda: bench.cycles() > cycles + 1)
    with attached(bench.folder) as again:  # detached and attached: everything is there
        again.until_words("OPEN")
        again.until_words("RCON ok")
        again.send("n")
        again.until_words("A note for the journal")
        again.send("back again\r")
        again.until(
            lambda: any(e.text == "back again" for e in bench.events() if isinstance(e, ev.Note))
        )
        again.send("q")
        assert again.ended() == 0
    assert collector_pid(bench.folder) == process.pid
    finish(process, signal.SIGTERM)


@pytest.mark.parametrize("step", ["c", "g", "w"])
def test_it_quits_within_a_second_while_a_silent_server_is_asked(
    tmp_path: Path, server: SimServer, step: str
) -> None:
    folder = draft(tmp_path, server.port)
    server.faults.mute = True
    with attached(folder, PLATEAU_TUI_RCON_PASSWORD=DEFAULT_PASSWORD) as terminal:
        terminal.until_words("w Wizard")
        terminal.send("w")
        terminal.until_words("next: c looks")
        terminal.send(step)
        if step == "g":
            terminal.until_words("Register the objectives?")
            terminal.send("y")
        terminal.until_words("under way")
        terminal.send("q")
        asked = time.monotonic()
        assert terminal.ended() == 0
        assert time.monotonic() - asked < within_a_second()


def test_it_quits_within_a_second_while_a_request_is_unanswered(folder: RunFolder) -> None:
    hold = (
        "import sys, time\nfrom pathlib import Path\n"
        "from plateau_tui.runlog.locks import FileLock\n"
        "lock = FileLock(Path(sys.argv[1])); lock.acquire(); print('held', flush=True)\n"
        "time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", hold, str(folder.lock)], stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == b"held\n"
        line = (
            '{"ts":"2026-01-01T00:00:00.000Z","event":"collector_started",'
            f'"pid":{holder.pid},"tool":"t","once":false,"chain":"0"}}\n'
        )
        with folder.journal.open("a") as journal:
            journal.write(line)
        with attached(folder) as terminal:
            terminal.until_words(f"collector {holder.pid}")
            terminal.send("r")
            terminal.until_words("read now ...")
            wait_for(lambda: list(folder.mailbox.glob("*.json")))
            terminal.send("q")
            asked = time.monotonic()
            assert terminal.ended() == 0
            assert time.monotonic() - asked < within_a_second()
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
