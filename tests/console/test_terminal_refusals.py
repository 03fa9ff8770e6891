"""No terminal to draw on, a key that cannot be set, a crash: a line and an exit code."""

import subprocess
import sys
from pathlib import Path

import pytest
from console.terminal import (
    ENTERS_SCREEN,
    LEAVES_SCREEN,
    Terminal,
    attached,
)

from plateau_tui.runlog.layout import RunFolder


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
        ("[keys\n", "is not valid TOML"),
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
