"""A real terminal: what others write over the console, a stop, and what is pasted into fields."""

import os
import re
import signal
import termios
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest
from collector.bench import wait_for
from console.gates import made
from console.terminal import LIMIT_S, Terminal, attached
from console.test_fields import EVIL, EVIL_IN_TOML, SEEN

from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.template import draft_text

WALL: Final = b"\x1b7\x1b[5;1HBroadcast message: disk full\r\n\x0e\x1b[3;9r\x1b[7m\x1b[?7h"
"""What ``wall`` and a careless program leave: words, letters as drawings, a part that scrolls."""
FIELDS: Final = (("n",), ("m",), ("l", "/"), ("t", "g"))
"""What opens each screen with a field, from a finished run's."""
HOSTILE: Final = (b"\x1b]52;c;", b"\x1b]0;", "\u202e".encode(), "\u2066".encode(), b"\xc2\x9b")


def assert_nothing_acted(terminal: Terminal) -> None:
    for each in HOSTILE:
        assert each not in terminal.raw, each


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def write_over(terminal: Terminal) -> None:
    """Let another program write on the terminal, behind the console's back."""
    terminal._stream.feed(WALL)
    assert "Broadcast message" in terminal.text


@pytest.mark.parametrize("keys", FIELDS, ids="".join)
def test_what_is_pasted_into_a_field_does_not_act(folder: RunFolder, keys: Sequence[str]) -> None:
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        for key in keys:
            terminal.send(key)
            terminal.settle()
        terminal.send(f"\x1b[200~{EVIL}\x1b[201~")
        terminal.until_words("]52;c;ZXZpbA==")
        terminal.settle()
        assert_nothing_acted(terminal)
        terminal.send("\r")
        terminal.settle()
        assert_nothing_acted(terminal)


def test_the_form_of_a_hostile_draft_sends_nothing_that_acts(tmp_path: Path) -> None:
    first, _, rest = draft_text("p1", 6).partition('variable = "')
    text = f"{first}variable = {EVIL_IN_TOML}{rest[rest.index(chr(10)) :]}"
    folder = made(tmp_path, text)
    with attached(folder) as terminal:
        terminal.until_words("g Gate")
        terminal.send("g")
        terminal.until_words("Registration of p1")
        terminal.until_words("variable")
        terminal.send("jj")
        terminal.until_words("variable: the one variable")
        terminal.send("e")
        terminal.until_words("enter keeps what is typed")
        terminal.until_words(SEEN)
        terminal.settle()
        assert_nothing_acted(terminal)
        terminal.send("!\r")
        terminal.until_words("NOT WRITTEN yet")
        terminal.send("e")
        terminal.until_words("enter keeps what is typed")
        terminal.settle()
        terminal.send(f"\x1b[200~{EVIL}\x1b[201~")
        terminal.until(lambda: terminal.text.count("ZXZpbA==") > 2)  # in its line, and twice here
        terminal.send("\r")
        terminal.settle()
        assert_nothing_acted(terminal)
        terminal.send("w")
        terminal.until_words("Write registration.toml?")
        assert_nothing_acted(terminal)
        terminal.send("y")
        wait_for(lambda: folder.registration.read_text(encoding="utf-8") != text)
        written = folder.registration.read_text(encoding="utf-8")
        assert f'variable = "{SEEN}!' in written
        assert all(line.isprintable() for line in written.splitlines())


SCREENS: Final = {
    "": "Seen", "o": "objective", "w": "First poll of", "g": "sealed, sha256",
    "l": "41 of 51 lines",
    "l/": "words to look for", "d": "NOT THE VERDICT", "v": "judged", "t": "cycle 1 of 10",
    "tg": "To which cycle?", "a": "not played yet", "f": "What a result means", "?": "Keys here",
    "m": "Menu: type", "n": "A note for the journal", "\x03": "Leave the console?",
    "og": "blocks placed",
}  # fmt: skip
"""Keys that open a screen or a question from a finished run's, and words that stand on it."""


def without_ages(text: str) -> str:
    """A screen's text but for what is counted on every second."""
    return re.sub(r"judged \d+[smh] ago", "judged", text)


def test_a_key_draws_every_screen_anew_over_what_others_wrote(folder: RunFolder) -> None:
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        terminal.settle()
        for keys, words in SCREENS.items():
            for key in keys:
                terminal.send(key)
                terminal.settle()
            terminal.until_words(words)
            terminal.settle()
            before = without_ages(terminal.text)
            write_over(terminal)
            terminal.send("\x0c")
            terminal.until(lambda: without_ages(terminal.text) == before)  # noqa: B023 - at once
            assert not terminal._screen.margins, keys  # nothing but a part of it would scroll
            for _ in keys:
                terminal.send("\x1b")
                terminal.settle()
            terminal.until_words("space Seen")


def test_a_read_only_console_draws_anew_and_the_key_can_be_another(
    folder: RunFolder, tmp_path: Path
) -> None:
    config = tmp_path / "config" / "plateau-tui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[keys]\n"app.redraw" = "f6"\n')
    with Terminal("attach", "--read-only", str(folder.path), cwd=folder.path.parent) as terminal:
        terminal.until_words("UNI-11-3")
        terminal.send("?")
        terminal.until_words("Keys here")
        for _ in range(60):
            if "app.redraw" in terminal.text:
                break
            terminal.send("\x1b[6~")
            terminal.settle(0.1)
        shown = next(line for line in terminal.text.splitlines() if "app.redraw" in line)
        assert "f6" in shown
        terminal.settle()
        before = terminal.text
        write_over(terminal)
        terminal.send("\x1b[17~")
        terminal.until(lambda: terminal.text == before)


# -- a stop -----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGTSTP])
def test_after_a_stop_it_draws_anew_takes_keys_in_order_and_leaves_the_terminal_as_it_was(
    folder: RunFolder, number: signal.Signals
) -> None:
    with attached(folder) as terminal:
        descriptor = terminal.child.child_fd
        terminal.until_words("UNI-11-3")
        terminal.settle()
        before, modes = terminal.text, termios.tcgetattr(descriptor)
        for _ in range(3):
            os.kill(terminal.pid, number)
            wait_for(lambda: state_of(terminal.pid) == "T")
            terminal.settle()
            write_over(terminal)
            cooked = termios.tcgetattr(descriptor)
            cooked[3] |= termios.ECHO | termios.ICANON | termios.ISIG  # as a shell sets it
            termios.tcsetattr(descriptor, termios.TCSANOW, cooked)
            os.kill(terminal.pid, signal.SIGCONT)
            terminal.until(lambda: terminal.text == before)
            terminal.settle()
            assert terminal.text == before
            assert termios.tcgetattr(descriptor)[3] == modes[3]
        threads = len(list(Path(f"/proc/{terminal.pid}/task").iterdir()))
        terminal.send("\x1b[B")
        terminal.settle()
        terminal.send("n")
        terminal.until_words("A note for the journal")
        words = "".join(f"{number:02d}\x1b[D\x1b[C" for number in range(30))
        terminal.send(words)
        terminal.until_words("".join(f"{number:02d}" for number in range(30)))
        assert threads < 12
        terminal.send("\x1b")
        terminal.settle()
        terminal.send("q")
        assert terminal.ended() == 0


SHELL: Final = """\
import fcntl, os, signal, subprocess, sys, termios, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = subprocess.Popen(
    [sys.executable, "-m", "plateau_tui", "attach", sys.argv[1]], process_group=0)
def front(group): os.tcsetpgrp(0, group)
front(child.pid)
before = termios.tcgetattr(0)
print(f"child {child.pid}", file=open(sys.argv[2], "w"), flush=True)
for word in iter(open(sys.argv[3]).readline, ""):
    if word == "fg\\n":
        front(child.pid)
    if word == "front\\n":
        front(os.getpgrp())
    if word in ("bg\\n", "fg\\n"):
        os.killpg(child.pid, signal.SIGCONT)
    if word == "wait\\n":
        child.wait()
        front(os.getpgrp())
        print("echo is", bool(termios.tcgetattr(0)[3] & termios.ECHO), flush=True)
"""


def test_in_the_background_it_draws_nothing_and_stops_again(
    folder: RunFolder, tmp_path: Path
) -> None:
    told, asked = tmp_path / "told", tmp_path / "asked"
    os.mkfifo(asked)
    shell = Terminal(
        str(folder.path), str(told), str(asked), cwd=folder.path.parent, program=("-c", SHELL)
    )
    with shell as terminal:
        ask = os.open(asked, os.O_RDWR)
        try:
            terminal.until_words("UNI-11-3")
            terminal.settle()
            wait_for(lambda: told.exists() and told.read_text().endswith("\n"))
            pid = int(told.read_text().split()[1])
            before = terminal.text
            os.kill(pid, signal.SIGSTOP)
            wait_for(lambda: state_of(pid) == "T")
            os.write(ask, b"front\n")
            terminal.settle()
            seen = len(terminal.raw)
            for _ in range(40):
                os.write(ask, b"bg\n")
                time.sleep(0.02)  # each a chance to draw; what is asserted is that none did
            wait_for(lambda: state_of(pid) == "T")
            terminal.settle()
            assert len(terminal.raw) == seen
            write_over(terminal)
            os.write(ask, b"fg\n")
            terminal.until(lambda: terminal.text == before)
            terminal.send("q")
            os.write(ask, b"wait\n")
            terminal.until_words("echo is True")
        finally:
            os.close(ask)


def test_a_stopped_console_that_is_told_to_end_ends(folder: RunFolder) -> None:
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        os.kill(terminal.pid, signal.SIGTSTP)
        wait_for(lambda: state_of(terminal.pid) == "T")
        os.kill(terminal.pid, signal.SIGTERM)
        os.kill(terminal.pid, signal.SIGCONT)
        assert terminal.ended(LIMIT_S) == 128 + signal.SIGTERM
