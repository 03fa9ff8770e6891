"""However the password is given, it is found nowhere but where its owner put it."""

import os
import subprocess

import pytest
from collector.bench import wait_for
from console.terminal import Terminal
from console.test_terminal import gone
from secrecy.home import Home, living
from secrecy.searching import CANARY, leaks

from plateau_tui.calibration import apart
from plateau_tui.cli import demo
from plateau_tui.collector.detach import Lifeline
from plateau_tui.collector.operate import collector_pid
from plateau_tui.runlog.connection import PASSWORD_VARIABLE
from plateau_tui.sim.server import SimServer


def collected(home: Home, *given: str, secret: bool = False) -> None:
    """A run from its first question to its close, with the password given in one way."""
    home.make_run()
    pid = int(home.run("collect", "r", "--detach", *given, secret=secret))
    home.until_probed()
    assert leaks("the collector", living(pid)) == []
    home.run("close", "r", "--early", "--why", "enough", secret=secret)
    wait_for(lambda: gone(pid))


def assert_nowhere(home: Home) -> None:
    """Nothing is found, and the search has seen the children that it is about."""
    assert home.found() == []
    told = home.witnesses()
    assert any(b"probe.sh" in text for text in told.values())
    assert any(b"--password-fd" in text for text in told.values())


def test_a_file(home: Home) -> None:
    collected(home, "--password-file", str(home.secret_file))
    assert_nowhere(home)


def test_the_keyring(home: Home) -> None:
    home.given_by_keyring()
    collected(home)
    assert_nowhere(home)


def test_the_environment_and_every_command(home: Home) -> None:
    collected(home, secret=True)
    home.run("export", "r", secret=True)
    assert (home.folder.path / "export" / "verdict.json").exists()
    home.run("check", "r", secret=True)
    home.run("register", "r", code=1, secret=True)
    home.run("watch-wood", "r", "--polls", "1", "--every", "0.1", code=None, secret=True)
    home.run("pin", "r", "oak_log", code=None, secret=True)
    for command in ("note", "status", "verify", "verdict"):
        home.run(command, "r", *(["x"] if command == "note" else []), code=None, secret=True)
    assert_nowhere(home)


def test_a_prompt_on_a_terminal(home: Home) -> None:
    home.make_run()
    words = ("collect", "r", "--detach")
    with Terminal(*words, cwd=home.path / "tmp", environment=home.environment) as terminal:
        terminal.until_words("RCON password")
        terminal.send(f"{CANARY}\n")
        assert terminal.ended() == 0, terminal.text
        home.said["the terminal"] = terminal.raw
    home.until_probed()
    assert_nowhere(home)


@pytest.mark.parametrize("typed", [True, False], ids=["typed in the console", "in its environment"])
def test_the_console_that_starts_a_collector(home: Home, typed: bool) -> None:
    home.make_run()
    given = {} if typed else {PASSWORD_VARIABLE: CANARY}
    environment = home.environment | given
    with Terminal("attach", "r", cwd=home.path / "tmp", environment=environment) as terminal:
        if given:
            home.own.add(terminal.pid)
        terminal.until_words("UNI-11-3")
        terminal.send("c")
        terminal.until_words("Start a collector?")
        terminal.send("y")
        if typed:
            terminal.until_words("RCON password")
            terminal.send(f"{CANARY}\r")
        terminal.until(lambda: collector_pid(home.folder))
        pid = collector_pid(home.folder)
        assert pid is not None
        home.until_probed()
        assert leaks("the collector", living(pid)) == []
        if typed or not os.geteuid():  # a user is shown no environment of ours
            assert typed is (leaks("the console", living(terminal.pid)) == [])
        terminal.send("q")
        assert terminal.ended() == 0
        home.said["the console"] = terminal.raw + terminal.text.encode()
    assert_nowhere(home)


def test_the_demo_gives_its_password_to_those_alone_that_ask_a_server(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the user has in the environment goes to none of them."""
    seen: list[dict[str, str]] = []

    def run(
        command: list[str], *, env: dict[str, str], check: bool, pass_fds: list[int]
    ) -> "subprocess.CompletedProcess[bytes]":
        seen.append(env)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setenv(PASSWORD_VARIABLE, CANARY)
    lifeline = Lifeline()
    steps = demo._Steps(home.path, "127.0.0.1", 1, "of the demo", lifeline)
    lifeline.cut()
    steps.run("check")
    steps.run("seal", server=False)
    assert [env.get(PASSWORD_VARIABLE) for env in seen] == ["of the demo", None]


def test_a_calibration_apart_is_given_none_of_our_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[dict[str, str]] = []

    def start(_command: list[str], *, env: dict[str, str], **_options: object) -> None:
        seen.append(env)
        raise FileNotFoundError

    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setenv(PASSWORD_VARIABLE, CANARY)
    with pytest.raises(FileNotFoundError):
        apart.Apart(print)
    assert "PATH" in seen[0]
    assert [key for key, value in seen[0].items() if "PLATEAU" in key or CANARY in value] == []


def test_a_password_that_is_refused_and_a_server_that_is_not_there(
    home: Home, server: SimServer
) -> None:
    home.make_run()
    given = ("--password-file", str(home.secret_file))
    server.change_password("another")
    home.run("check", "r", "--json", *given, code=3)
    home.run("collect", "r", "--detach", *given, code=3)
    server.go_down()
    home.run("collect", "r", "--once", *given, code=3)
    home.run("check", "r", "--host", "no-such-host.invalid", *given, code=3)
    assert home.found() == []


def test_a_password_file_that_cannot_be_used_is_not_cited(home: Home) -> None:
    home.make_run()
    for data, mode in (
        (CANARY.encode() + b"\xff", 0o600),
        (CANARY.encode() * 100, 0o600),
        (CANARY.encode(), 0o644),
    ):
        home.secret_file.write_bytes(data)
        home.secret_file.chmod(mode)
        home.run("check", "r", "--password-file", str(home.secret_file), code=None)
    home.extra[PASSWORD_VARIABLE] = f"{CANARY}\udcff"
    home.run("collect", "r", "--detach", code=2)
    home.own |= home.witnesses().keys()
    assert home.found() == []


def test_a_password_that_was_put_where_it_does_not_belong_is_not_repeated(home: Home) -> None:
    home.run("new", "r", "--from", str(home.path / "draft.toml"))
    text = home.folder.connection.read_text(encoding="utf-8")
    typed = CANARY.replace("\\", "\\\\").replace('"', '\\"')
    for line in ("password", "pasword", "[rcon]\npassword"):
        home.folder.connection.write_text(f'{text}\n{line} = "{typed}"\n', encoding="utf-8")
        home.run("check", "r", code=2, secret=True)
    home.folder.connection.write_text(text)
    assert home.found() == []
