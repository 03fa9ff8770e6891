"""A real terminal: what is written into poor ones, without colour, and of the mouse."""

import re
from pathlib import Path

import pytest
from console.terminal import (
    Terminal,
    attached,
)

from plateau_tui.runlog.layout import RunFolder

SGR = re.compile(rb"\x1b\[([0-9;:]*)m")


def colours(raw: bytes) -> set[bytes]:
    """The colour codes among all that were written: 30 to 49 and 90 to 107."""
    codes = {code for found in SGR.findall(raw) for code in re.split(rb"[;:]", found) if code}
    return {code for code in codes if 30 <= int(code) <= 49 or 90 <= int(code) <= 107}


@pytest.mark.parametrize("term", ["xterm-256color", "linux"])
def test_no_colour_is_written_under_no_color(folder: RunFolder, term: str) -> None:
    with attached(folder, NO_COLOR="1", TERM=term) as terminal:
        terminal.until_words("UNI-11-3")
        for keys, words in (
            ("?", "Keys here"), ("\x1bm", "type to narrow"), ("\x1bn", "A note"),
            ("\x1bo", "(UTC)"), ("\x1bw", "First poll of"), ("\x1b\x1b", "10 of 10"),
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
        terminal.until(lambda: "tbl" in terminal.text)
        terminal.send("f")
        terminal.until_words("Everything this metric measures")
        terminal.send("\x1b")
        terminal.until_words("q Quit")
        terminal.until(lambda: "Everything" not in terminal.text)
        terminal.send("q")
        assert terminal.ended() == 0
