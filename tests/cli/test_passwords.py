import os
import signal
import socket
import time
from pathlib import Path

import keyring
import pytest
from cli.shell import PASSWORD, Shell
from report.cases import closed_run
from secrecy.home import living

from plateau_tui.config import PasswordSourceError, find_password
from plateau_tui.server.transport import Endpoint
from plateau_tui.sim.server import SimServer

ENDPOINT = Endpoint("127.0.0.1", 25575)


@pytest.fixture
def no_password(connected: Shell) -> Shell:
    connected.password = None
    connected.draft("r")
    return connected


def test_without_any_password_one_line_says_where_it_may_come_from(no_password: Shell) -> None:
    line = no_password.refused("check", "r", code=2)
    assert "PLATEAU_TUI_RCON_PASSWORD" in line
    assert "--password-file" in line


def test_what_needs_no_server_needs_no_password(shell: Shell) -> None:
    shell.password = None
    closed_run(shell.runs / "closed")
    for words in ((), ("--once",), ("--detach",)):
        done = shell.run("collect", "closed", *words)
        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr == "plateau-tui: the window is closed already; nothing was read\n"
    assert "no objective is ever added" in shell.refused("register", "closed", code=1)
    shell.draft("draft")
    assert "not sealed" in shell.refused("collect", "draft", code=1)
    assert "no log" in shell.refused("watch-wood", "draft", "--also", "stone", code=1)


def test_a_slot_that_is_recorded_already_needs_no_password(connected: Shell) -> None:
    # A cadence whose slot in progress has a minute left.
    interval = next(i for i in range(3600, 3000, -100) if time.time() % i < i - 60)
    connected.draft("r", interval_s=str(interval), cycles="66")
    connected.run("register", "r")
    connected.run("seal", "r")
    assert connected.run("collect", "r", "--once").returncode == 0
    connected.password = None
    done = connected.run("collect", "r", "--once")
    assert done.returncode == 0
    assert "this slot is recorded already; nothing was read" in done.stderr
    assert "no RCON password" in connected.refused("collect", "r", code=2)


def test_a_run_that_a_collector_holds_is_refused_before_the_password(connected: Shell) -> None:
    connected.draft("r", interval_s="1", cycles="500")
    connected.run("register", "r")
    connected.run("seal", "r")
    pid = int(connected.run("collect", "r", "--detach").stdout)
    try:
        connected.password = None
        for words in (("check", "r"), ("register", "r"), ("collect", "r")):
            assert f"process {pid} holds the run" in connected.refused(*words, code=4)
    finally:
        os.kill(pid, signal.SIGTERM)


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_a_password_file_may_end_in_one_newline(no_password: Shell, ending: str) -> None:
    file = no_password.home / "pw"
    file.write_bytes((PASSWORD + ending).encode())
    file.chmod(0o600)
    assert no_password.json("check", "r", "--password-file", str(file))["connected"] is True


def test_only_one_newline_is_dropped(no_password: Shell) -> None:
    file = no_password.home / "pw"
    file.write_text(PASSWORD + "\n\n", encoding="utf-8")
    file.chmod(0o600)
    assert "password" in no_password.refused("check", "r", "--password-file", str(file), code=3)


def test_a_password_file_that_others_can_read_is_refused(no_password: Shell) -> None:
    file = no_password.home / "pw"
    file.write_text(PASSWORD, encoding="utf-8")
    file.chmod(0o640)
    line = no_password.refused("check", "r", "--password-file", str(file), code=2)
    assert f"chmod 600 {file}" in line


def test_the_file_comes_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "pw"
    file.write_text("from-file", encoding="utf-8")
    file.chmod(0o600)
    monkeypatch.setenv("PLATEAU_TUI_RCON_PASSWORD", "from-environment")
    assert find_password(str(file), ENDPOINT).reveal() == "from-file"
    assert find_password(None, ENDPOINT).reveal() == "from-environment"


def test_the_keyring_is_asked_after_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyring, "get_password", lambda service, name: f"{service}/{name}")
    monkeypatch.delenv("PLATEAU_TUI_RCON_PASSWORD", raising=False)
    assert find_password(None, ENDPOINT).reveal() == "plateau-tui/127.0.0.1:25575"
    monkeypatch.setenv("PLATEAU_TUI_RCON_PASSWORD", "from-environment")
    assert find_password(None, ENDPOINT).reveal() == "from-environment"


def test_an_empty_password_is_refused_before_any_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PLATEAU_TUI_RCON_PASSWORD", "\n")
    with pytest.raises(PasswordSourceError, match="empty"):
        find_password(None, ENDPOINT)


def test_a_wrong_password_is_tried_once_and_said_plainly(
    connected: Shell, server: SimServer
) -> None:
    connected.draft("r")
    connected.password = "wrong-canary"
    line = connected.refused("check", "r", code=3)
    assert "rcon.password" in line
    assert "wrong-canary" not in line
    assert server.refusals == 1


def test_a_password_in_connection_toml_is_refused(connected: Shell) -> None:
    folder = connected.draft("r")
    with folder.joinpath("connection.toml").open("a", encoding="utf-8") as file:
        file.write('password = "x"\n')
    assert "does not belong into a file" in connected.refused("check", "r", code=2)


def test_nothing_listens_is_exit_code_3_and_says_what_to_do(shell: Shell) -> None:
    shell.draft("r")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = shell.refused("check", "r", "--port", str(port), code=3)
    assert "refused the connection" in line
    assert "enable-rcon" in line


def test_no_file_of_a_run_ever_holds_the_password(connected: Shell, server: SimServer) -> None:
    folder = connected.draft("r", interval_s="0.3", cycles="2")
    for words in (("register", "r"), ("seal", "r"), ("collect", "r")):
        assert connected.run(*words).returncode == 0
    server.change_password("another")
    connected.run("check", "r")
    files = [path for path in connected.home.rglob("*") if path.is_file()]
    assert folder / "rows.jsonl" in files
    assert not [path for path in files if PASSWORD.encode() in path.read_bytes()]


def test_the_collectors_arguments_and_environment_never_hold_the_password(
    connected: Shell,
) -> None:
    connected.draft("r", interval_s="0.5", cycles="200")
    connected.run("register", "r")
    connected.run("seal", "r")
    pid = int(connected.run("collect", "r", "--detach").stdout)
    try:
        seen = living(pid)
        assert b"collect" in seen
        assert PASSWORD.encode() not in seen
    finally:
        os.kill(pid, signal.SIGTERM)
