"""Where a password may come from, at the edges: each ends in a password or in one line."""

import os
from pathlib import Path

import keyring
import pytest

from plateau_tui.collector.run import Password
from plateau_tui.config import PasswordSourceError, endpoint_of, find_password
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.connection import PASSWORD_VARIABLE, environment_without_password
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.server.transport import Endpoint

ENDPOINT = Endpoint("127.0.0.1", 25575)


@pytest.fixture(autouse=True)
def nothing_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (PASSWORD_VARIABLE, "CREDENTIALS_DIRECTORY", "PLATEAU_TUI_RCON_PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(keyring, "get_password", lambda *_: None)


def secret_file(folder: Path, mode: int) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "rcon"
    path.write_text("of systemd", encoding="utf-8")
    path.chmod(mode)
    return path


def test_a_credential_of_systemd_is_taken_though_its_list_of_access_looks_like_a_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``LoadCredential=`` gives a file of root's, which an access list lets the service read."""
    path = secret_file(tmp_path / "credentials", 0o440)
    with pytest.raises(PasswordSourceError, match="chmod 600"):
        find_password(str(path), ENDPOINT)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(path.parent))
    assert find_password(str(path), ENDPOINT).reveal() == "of systemd"
    with pytest.raises(PasswordSourceError, match="chmod 600"):
        find_password(str(secret_file(tmp_path / "elsewhere", 0o440)), ENDPOINT)
    path.chmod(0o444)
    with pytest.raises(PasswordSourceError, match="chmod 600"):
        find_password(str(path), ENDPOINT)


def test_a_keyring_that_is_broken_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: str) -> str:
        raise TypeError("a backend without a bus")

    monkeypatch.setattr(keyring, "get_password", broken)
    with pytest.raises(PasswordSourceError, match="no RCON password"):
        find_password(None, ENDPOINT)


def test_a_password_that_is_no_text_is_refused_without_being_cited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, os.fsdecode(b"kn9f3b7c\xff"))
    with pytest.raises(PasswordSourceError, match="not UTF-8 text") as caught:
        find_password(None, ENDPOINT)
    assert "9f3b7c" not in str(caught.value)


@pytest.mark.parametrize("port", ["\u00b2", "1" * 5000, "-1", "0", "65536", "1e3", " 1", "\u0663"])
def test_a_port_in_the_environment_that_is_none_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, port: str
) -> None:
    monkeypatch.setenv("PLATEAU_TUI_RCON_PORT", port)
    with pytest.raises(ConfigError, match="is not a port") as caught:
        endpoint_of(RunFolder(tmp_path), None, None)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "port", "here", "source"),
    [
        (None, None, "", "connection.toml"),
        ("mc.example", 1234, "", "connection.toml"),  # as a detached collector is started
        ("other", None, "", "--host and connection.toml"),
        ("other", 4321, "", "--host and --port"),
        (None, None, "other", "PLATEAU_TUI_RCON_HOST and connection.toml"),
        ("other", 1234, "other", "PLATEAU_TUI_RCON_HOST and connection.toml"),
    ],
)
def test_an_endpoint_says_what_has_to_be_changed_to_change_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    host: str | None,
    port: int | None,
    here: str,
    source: str,
) -> None:
    (tmp_path / "connection.toml").write_text('host = "mc.example"\nport = 1234\n')
    monkeypatch.setenv("PLATEAU_TUI_RCON_HOST", here)
    found = endpoint_of(RunFolder(tmp_path), host, port)
    assert found.source == source
    assert found.host == (host or here or "mc.example")
    assert found.port == (port or 1234)


def test_a_host_that_is_none_is_told_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "connection.toml").write_text('host = "a b"\n')
    with pytest.raises(ConfigError, match=r"connection\.toml: 'a b' is no host"):
        endpoint_of(RunFolder(tmp_path), None, None)


def test_no_child_is_given_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, "9f3b7c")
    given = environment_without_password()
    assert "PATH" in given
    assert PASSWORD_VARIABLE not in given


@pytest.mark.parametrize("text", ["9f3b7c", "9f'3b\\7c", "9f\u00e93b", "9f\n3b"])
def test_a_message_that_cites_a_password_is_told_without_it(text: str) -> None:
    password = Password(text)
    for message in (f"bad: {text}", f"bad: {text!r}", repr(ValueError(text))):
        hidden = password.hidden_in(message)
        assert "<password>" in hidden
        assert text not in hidden
        assert repr(text)[1:-1] not in hidden
    assert password.hidden_in("nothing of it") == "nothing of it"
    assert text not in repr(password)
