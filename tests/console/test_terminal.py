"""A real terminal: how the console starts, fits, leaves, and what kills it."""

import contextlib
import fcntl
import os
import random
import re
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from collector.bench import Bench, finish, wait_for
from console.apps import draft, sample
from console.terminal import ENTERS_SCREEN, LEAVES_SCREEN, LIMIT_S, Terminal, cpu_s

from plateau_tui.collector.operate import collector_pid
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

SGR = re.compile(rb"\x1b\[([0-9;:]*)m")


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return sample(tmp_path)


def attached(folder: RunFolder, **environment: str) -> Terminal:
    return Terminal("attach", str(folder.path), cwd=folder.path.parent, environment=environment)


def colours(raw: bytes) -> set[bytes]:
    """The colour codes among all that were written: 30 to 49 and 90 to 107."""
    codes = {code for found in SGR.findall(raw) for code in re.split(rb"[;:]", found) if code}
    return {code for code in codes if 30 <= int(code) <= 49 or 90 <= int(code) <= 107}


def gone(pid: int) -> bool:
    """Whether a process has ended; a zombie has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def within_a_second() -> float:
    """Two seconds, or as much more as this machine is slower now than one that does nothing.

    Loading Textual takes a third of a second where nothing else runs.
    """
    started = time.monotonic()
    subprocess.run([sys.executable, "-c", "import textual.app"], check=True)
    return max(2.0, 6.0 * (time.monotonic() - started))


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


@pytest.mark.parametrize(("number", "code"), [(signal.SIGHUP, 129), (signal.SIGTERM, 143)])
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


ANY_KEYS = list("wrnpcxlojkfmghas?y\r\t \x1b[A\x1b[B\x1b[C\x1b[D\x1b0\x7f\x1b[5~\x1b[6~éß你\x1b")
MENU_KEYS = ["m", "m", "e", "r", "o", "a", "\x7f", "\x1b[6~", "\x1b[6~", "\x1b[5~", "\x1b[B", "\r"]
"""They crashed the framework's own palette within seconds."""


@pytest.mark.parametrize(
    ("keys", "seed"),
    [(ANY_KEYS, 0), (ANY_KEYS, 3), (MENU_KEYS, 1), (MENU_KEYS, 2)],
    ids=["any-0", "any-3", "menu-1", "menu-2"],
)
def test_keys_mashed_for_some_seconds_break_nothing(
    folder: RunFolder, keys: list[str], seed: int
) -> None:
    chosen = random.Random(seed)
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        end = time.monotonic() + 5
        while time.monotonic() < end:
            terminal.send("".join(chosen.choice(keys) for _ in range(8)))
            assert terminal.read(0.05), terminal.raw[-2000:]
        deadline = time.monotonic() + 20
        while terminal.child.isalive():
            assert time.monotonic() < deadline, terminal.text
            terminal.send("\x1b")
            terminal.read(0.3)
            terminal.send("q")
            if not terminal.read(0.3):
                break
        assert terminal.ended() == 0


@pytest.mark.parametrize("term", ["xterm-256color", "linux"])
def test_no_colour_is_written_under_no_color(folder: RunFolder, term: str) -> None:
    with attached(folder, NO_COLOR="1", TERM=term) as terminal:
        terminal.until_words("UNI-11-3")
        for keys, words in (
            ("?", "latched"), ("\x1bm", "type to narrow"), ("\x1bn", "A note"), ("\x1bo", "(UTC)"),
            ("\x1bw", "First poll of"), ("\x1b\x1b", "10 of 10"),
        ):  # fmt: skip
            for key in keys:
                terminal.send(key)
                terminal.settle()
            terminal.until_words(words)
        terminal.send("q")
        assert terminal.ended() == 0
        assert not colours(terminal.raw)
        assert b"\x1b[1;7m" in terminal.raw or b"\x1b[7m" in terminal.raw  # the chosen line


def test_colours_are_written_otherwise(folder: RunFolder) -> None:
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        assert colours(terminal.raw)


@pytest.mark.parametrize("how", ["flag", "config", "neither"])
def test_the_mouse_is_left_to_the_terminal_when_that_is_asked(
    folder: RunFolder, tmp_path: Path, how: str
) -> None:
    if how == "config":
        path = tmp_path / "config" / "plateau-tui" / "config.toml"
        path.parent.mkdir(parents=True)
        path.write_text("mouse = false\n")
    flag = ["--no-mouse"] if how == "flag" else []
    for words in ([*flag], ["attach", str(folder.path), *flag]):
        home = {"PLATEAU_TUI_RUNS": str(folder.path.parent)}
        with Terminal(*words, cwd=folder.path.parent, environment=home) as terminal:
            terminal.until_words("10 of 10")
            terminal.send("q")
            assert terminal.ended() == 0
            tracked = re.search(rb"\x1b\[\?(?:1000|1002|1003|1006|1015|1016)h", terminal.raw)
            assert bool(tracked) is (how == "neither")


@pytest.mark.parametrize(
    "environment",
    [
        {"TERM": "linux", "COLORTERM": ""},
        {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"TERM": "screen", "LC_ALL": "POSIX"},
    ],
)
def test_it_works_in_a_poor_terminal(folder: RunFolder, environment: dict[str, str]) -> None:
    with attached(folder, **environment) as terminal:
        terminal.until_words("UNI-11-3")
        assert "tbl" in terminal.text
        terminal.send("f")
        terminal.until_words("Everything this metric measures")
        terminal.send("\x1b")
        terminal.until_words("q Quit")
        terminal.until(lambda: "Everything" not in terminal.text)
        terminal.send("q")
        assert terminal.ended() == 0


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_draws_nothing_gets_one_line(folder: RunFolder, term: str) -> None:
    with attached(folder, TERM=term) as terminal:
        assert terminal.ended() == 2
        lines = terminal.raw.decode().splitlines()
    assert len(lines) == 1
    assert "plateau-tui status RUN" in lines[0]


@pytest.mark.parametrize("words", [[], ["attach", "RUN"]])
def test_without_a_terminal_there_is_one_line(folder: RunFolder, words: list[str]) -> None:
    words = [str(folder.path) if word == "RUN" else word for word in words]
    done = subprocess.run(
        [sys.executable, "-m", "plateau_tui", *words],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "plateau-tui status RUN" in done.stderr


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ('[keys]\nrun.nte = "t"\n', "run.nte is no key of the console, did you mean"),
        ('[keys]\n"run.note" = "p"\n', "two things on the run screen"),
        ("[keys\n", "cannot be read"),
        ('[colours]\nrun = "red"\n', "colours"),
    ],
)
def test_a_wrong_key_is_one_line_before_the_screen(
    folder: RunFolder, tmp_path: Path, config: str, words: str
) -> None:
    path = tmp_path / "config" / "plateau-tui" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(config)
    with attached(folder) as terminal:
        assert terminal.ended() == 2
        assert ENTERS_SCREEN not in terminal.raw
        told = " ".join(terminal.raw.decode().splitlines())
    assert words.split(",", maxsplit=1)[0] in told


def test_a_crash_exits_with_1_restores_the_terminal_and_prints_no_secret(
    folder: RunFolder,
) -> None:
    script = str(Path(__file__).with_name("crashes.py"))
    with Terminal(str(folder.path), cwd=folder.path.parent, program=(script,)) as terminal:
        terminal.until_words("UNI-11-3")
        terminal.send("o")
        assert terminal.ended() == 1
        assert LEAVES_SCREEN in terminal.raw
        after = terminal.raw.rsplit(LEAVES_SCREEN, 1)[1].decode()
        assert "the console crashed" in after
        assert "in crash" in after
        assert "canary" not in terminal.raw.decode("utf-8", "replace")
