"""The flags of a console that only looks, or is shown in a browser."""

from pathlib import Path

import click
import pytest
from cli.shell import Shell
from console.apps import sample
from console.terminal import Terminal
from web.looking import held
from web.serving import HAS_EXTRA, needs_web

from plateau_tui.cli import web
from plateau_tui.cli.options import AskedLook
from plateau_tui.cli.web import Showing, serve_console


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--port", "9000"), "--port is where --web serves"),
        (("--host", "127.0.0.1"), "--host is where --web serves"),
        (("--web-writable",), "--web-writable is for --web"),
        (("--web", "--read-only", "--web-writable"), "contradict"),
        (("--web", "--port", "65536"), "65536"),
        (("--read-only", "status", "r"), "behind a command"),
        (("--web", "attach", "r"), "behind a command"),
        (("attach", "r", "--port", "9000"), "--port is where --web serves"),
        (("attach", "nowhere", "--web"), "there is no run"),
    ],
)
def test_flags_that_do_not_go_together_are_refused(
    shell: Shell, words: tuple[str, ...], told: str
) -> None:
    assert told in shell.refused(*words, code=2)


def test_without_the_extra_one_line_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "find_spec", lambda _: None)
    with pytest.raises(click.UsageError, match=r"pip install 'plateau-tui\[web\]'"):
        serve_console(Showing(web=True), (), "the runs", AskedLook(), mouse=True)


def test_a_browser_gets_a_console_that_only_looks_unless_it_was_asked_for_more() -> None:
    assert Showing(web=True).only_looks
    assert Showing(read_only=True).only_looks
    assert not Showing(web=True, writable=True).only_looks
    assert not Showing().only_looks


@needs_web
def test_a_host_that_is_none_of_this_machines_is_one_line(shell: Shell) -> None:
    told = shell.refused("--web", "--host", "192.0.2.7", code=2)
    assert "192.0.2.7 port 8000 cannot be served on" in told


def test_read_only_in_a_terminal_shows_it_and_writes_nothing(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    before = held(folder.path)
    with Terminal("attach", str(folder.path), "--read-only", cwd=tmp_path) as terminal:
        terminal.until_words("READ-ONLY")
        terminal.until_words("UNI-11-3")
        assert "Note" not in terminal.text
        terminal.send("n")
        terminal.send("?")
        terminal.until_words("Help")
        assert "run.note" not in terminal.text
        terminal.send("\x1b")
    assert held(folder.path) == before


@pytest.mark.skipif(HAS_EXTRA, reason="left out: the answer without the extra, which is installed")
def test_without_the_extra_the_command_ends_with_that_line(shell: Shell) -> None:
    assert "pip install 'plateau-tui[web]'" in shell.refused("--web", code=2)
