"""Key y in real tmux, in real GNU screen, and in one inside the other."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from console.apps import sample
from console.terminal import Terminal
from console.test_clipboard import decoded

from plateau_tui.config import copies_folder
from plateau_tui.console.look.multiplexer import innermost

BOTH = {"TMUX": "/tmp/tmux-0/default,1,0", "STY": "1.pts-0.host"}  # noqa: S108 - never opened
OTHER = ("-c", "import os, sys; os.execvp(sys.argv[1], sys.argv[1:])")
"""Makes a terminal's Python any other program."""
needs_both = pytest.mark.skipif(
    not (shutil.which("tmux") and shutil.which("screen")), reason="tmux and GNU screen are needed"
)


@pytest.mark.parametrize(
    ("environment", "inner"),
    [
        ({}, None),
        ({"TERM": "screen"}, None),
        ({"TERM": "tmux-256color"}, "tmux"),
        ({"STY": "1.pts-0.host"}, "screen"),
        ({"TMUX": "a,1,0", "TERM": "screen-256color"}, "tmux"),
        (BOTH | {"TERM": "screen.tmux-256color"}, "screen"),
        (BOTH | {"TERM": "tmux-256color"}, "tmux"),
        (BOTH | {"TERM": "screen-256color"}, "tmux"),
    ],
)
def test_the_inner_one_is_known_by_the_variables(
    environment: Mapping[str, str], inner: str | None
) -> None:
    assert innermost(environment, pid=1) == inner  # a process without parents


@pytest.fixture
def sockets() -> Iterator[Path]:
    """A folder whose path is short enough for a socket; what still runs there is ended."""
    folder = Path(tempfile.mkdtemp(prefix="mux"))
    yield folder
    subprocess.run(["tmux", "-S", str(folder / "tmux"), "kill-server"], check=False)  # noqa: S607
    for socket in folder.glob("[0-9]*.*"):
        subprocess.run(
            ["screen", "-S", socket.name, "-X", "quit"],  # noqa: S607
            check=False,
            env=os.environ | {"SCREENDIR": str(folder)},
        )
    shutil.rmtree(folder)


def console_in(sockets: Path, run: Path, *outer_first: str) -> Terminal:
    """A console in multiplexers, the outermost named first."""
    (sockets / "tmux.conf").write_text(
        "set -s set-clipboard on\nset -g allow-passthrough on\nset -g status off\n"
    )
    (sockets / "screenrc").write_text("startup_message off\n")
    starts = {
        "screen": ["screen", "-c", str(sockets / "screenrc")],
        "tmux": ["tmux", "-S", str(sockets / "tmux"), "-f", str(sockets / "tmux.conf"), "new"],
    }
    words = [word for name in outer_first for word in starts[name]]
    words += [sys.executable, "-m", "plateau_tui", "attach", str(run)]
    clean = {"TMUX": "", "STY": "", "SCREENDIR": str(sockets), "LANG": "C.UTF-8"}
    return Terminal(*words, cwd=sockets, environment=clean, program=OTHER)


@needs_both
@pytest.mark.parametrize(
    "outer_first", [("tmux",), ("screen",), ("tmux", "screen"), ("screen", "tmux")], ids="-".join
)
def test_a_copy_gets_out_of_multiplexers_and_leaves_nothing_on_the_screen(
    tmp_path: Path, sockets: Path, outer_first: tuple[str, ...]
) -> None:
    run = sample(tmp_path).path
    with console_in(sockets, run, *outer_first) as terminal:
        terminal.until_words("UNI-11-3")
        terminal.send("y")
        terminal.until_words("sent to the clipboard; also in")
        (path,) = copies_folder().iterdir()
        text = path.read_text(encoding="utf-8")
        terminal.until(lambda: text in arrived(terminal.raw))
        terminal.send("q")
        terminal.until(lambda: "sent to the clipboard" not in terminal.words)
        assert "tmux;" not in terminal.text
        terminal.send("q")
        terminal.ended()
        assert set(arrived(terminal.raw)) == {text}  # no part of it came in its place


def arrived(raw: bytes) -> list[str]:
    """What the terminal was told to copy; tmux names no clipboard."""
    return decoded(raw.replace(b"\x1b]52;;", b"\x1b]52;c;"))
