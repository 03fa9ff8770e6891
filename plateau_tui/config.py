"""Where settings come from: flags, environment, the run's files. Passwords are never stored."""

import getpass
import os
import re
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import platformdirs

from plateau_tui.collector.run import Password, ServerAccess
from plateau_tui.metric.tables import ConfigError, Problems, Table, parse_toml, shown
from plateau_tui.plainfile import bytes_in_time
from plateau_tui.process import PASSWORD_VARIABLE, given_password
from plateau_tui.runlog.connection import read_connection
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.tomlfile import toml_bytes
from plateau_tui.server.transport import Endpoint

T = TypeVar("T", str, int)

HOST_VARIABLE: Final = "PLATEAU_TUI_RCON_HOST"
PORT_VARIABLE: Final = "PLATEAU_TUI_RCON_PORT"
RUNS_VARIABLE: Final = "PLATEAU_TUI_RUNS"
COLOUR_MODES: Final = ("truecolour", "256", "16", "none")
_KEYRING_SERVICE: Final = "plateau-tui"
_MAX_PASSWORD_FILE: Final = 4096
_PASSWORD_FILE_S: Final = 10.0
"""How long a pipe given as --password-file may take to give the password."""


@dataclass(frozen=True, slots=True)
class ConsoleConfig:
    """What config.toml says of the console: keys by binding id, the mouse, how it is drawn."""

    keys: dict[str, str]
    mouse: bool = True
    theme: str = ""
    """A theme's name; empty where the terminal decides."""
    colours: str = "auto"
    """One of ``COLOUR_MODES``, or ``auto``."""
    ascii_only: bool | None = None
    """Whether nothing beyond ASCII is drawn; None where the locale decides."""
    bell: bool = True
    """Whether the console rings where its operator has not chosen."""


def config_file() -> Path:
    """Return where the user's config.toml is looked for."""
    return platformdirs.user_config_path("plateau-tui") / "config.toml"


def themes_folder() -> Path:
    """Return where the user's own themes are looked for: ``themes`` beside config.toml."""
    return config_file().parent / "themes"


def copies_folder() -> Path:
    """Return where the console keeps what was copied: in the user's state folder."""
    return platformdirs.user_state_path("plateau-tui") / "copies"


def console_config() -> ConsoleConfig:
    """Return the console's settings: those of config.toml at its top, and its ``[keys]``.

    Raises:
        ConfigError: the file is no TOML, or has something else in it.

    """
    path = config_file()
    try:
        values = parse_toml(toml_bytes(path), str(path))
    except FileNotFoundError:
        return ConsoleConfig({})
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror or error}"]) from None
    problems = Problems(str(path))
    top = Table(values, "", problems)
    top.known("keys", "mouse", "theme", "colours", "ascii", "bell")
    mouse, ascii_only = top.truth("mouse"), top.truth("ascii")
    theme = top.text("theme", "", empty=True)
    colours = top.choice("colours", ("auto", *COLOUR_MODES), "auto")
    keys = dict(_binding_ids(top.table("keys"))) if "keys" in values else {}
    bell = top.truth("bell")
    problems.raise_if_any()
    return ConsoleConfig(keys, mouse is not False, theme, colours, ascii_only, bell is not False)


def _binding_ids(table: Table) -> Iterator[tuple[str, str]]:
    """Yield binding id -> keys; TOML reads ``run.note = "t"`` as a table ``run`` in the table."""
    for name, value in table.values.items():
        if isinstance(value, dict):
            inner = table.table(name)
            yield from ((f"{name}.{key}", inner.text(key)) for key in inner.values)
        else:
            yield name, table.text(name)


class PasswordSourceError(ValueError):
    """No password, or one that may not be used."""

    exit_code = 2


def operator_name() -> str:
    """Return the name of who is at the keyboard."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def runs_folder(given: str | None) -> Path:
    """Return the folder of runs: the flag, the environment, the user's data folder."""
    chosen = given or os.environ.get(RUNS_VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_data_path("plateau-tui") / "runs"


def endpoint_of(folder: RunFolder, host: str | None, port: int | None) -> Endpoint:
    """Return where RCON listens: flags, then the environment, then connection.toml.

    Its ``source`` names what to change where that is wrong: a flag that only repeats what the
    environment or the file says, as a detached collector is given, hides neither.

    Raises:
        ConfigError: connection.toml, the environment's port or the host cannot be used.

    """
    file = read_connection(folder.connection)
    host_here, port_here = os.environ.get(HOST_VARIABLE), _port_from_environment()
    host, host_source = _setting(
        (host, "--host"), (host_here, HOST_VARIABLE), (file.host, folder.connection.name)
    )
    port, port_source = _setting(
        (port, "--port"), (port_here, PORT_VARIABLE), (file.port, folder.connection.name)
    )
    source = " and ".join(dict.fromkeys((host_source, port_source)))
    try:
        return Endpoint(host, port, source)
    except ValueError as error:
        raise ConfigError(source, [str(error)]) from None


def _setting(
    flag: tuple[T | None, str], here: tuple[T | None, str], file: tuple[T, str]
) -> tuple[T, str]:
    """Return the first value that is given, and the name of what has to be changed to change it."""
    below, name = (here[0], here[1]) if here[0] else file
    value = flag[0] or below
    return value, name if value == below else flag[1]


def _port_from_environment() -> int | None:
    text = os.environ.get(PORT_VARIABLE)
    if not text:
        return None
    digits = re.fullmatch(r"[0-9]{1,5}", text) is not None
    if not digits or not 1 <= int(text) <= 65535:  # noqa: PLR2004 - the last TCP port
        raise ConfigError(PORT_VARIABLE, [f"{shown(repr(text), 60)} is not a port from 1 to 65535"])
    return int(text)


def server_access(
    folder: RunFolder, host: str | None, port: int | None, password_file: str | None
) -> ServerAccess:
    """Return the endpoint and the password for a command that talks to the server.

    Raises:
        ConfigError: the endpoint cannot be determined.
        PasswordSourceError: there is no password to use.

    """
    endpoint = endpoint_of(folder, host, port)
    return ServerAccess(endpoint, find_password(password_file, endpoint))


def find_password(
    password_file: str | None, endpoint: Endpoint, *, prompt: bool = True
) -> Password:
    """Return the RCON password: file, environment, keyring, prompt; one newline is dropped.

    Raises:
        PasswordSourceError: none was found, it is empty, or its file is open to others.

    """
    text = _given_password(password_file, endpoint)
    if text is None and prompt and sys.stdin.isatty() and sys.stderr.isatty():
        text = getpass.getpass(f"RCON password for {endpoint}: ", stream=sys.stderr)
    if text is None:
        raise PasswordSourceError(
            f"no RCON password: set {PASSWORD_VARIABLE}, or use --password-file FILE"
        )
    text = text.removesuffix("\n").removesuffix("\r")
    if not text:
        raise PasswordSourceError("the RCON password is empty; a server never takes that")
    if not text.isascii() and text != text.encode("utf-8", "replace").decode("utf-8"):
        raise PasswordSourceError("the RCON password is not UTF-8 text; set it anew")
    return Password(text)


def _given_password(password_file: str | None, endpoint: Endpoint) -> str | None:
    if password_file is not None:
        return _password_from_file(Path(password_file))
    from_environment = given_password()
    if from_environment is not None:
        return from_environment
    return _password_from_keyring(endpoint)


def _is_credential(path: Path) -> bool:
    """Say whether a file is one that systemd gave to this service (``LoadCredential=``).

    It belongs to root and is readable by us through an access list, whose mask stands where the
    group's permissions do; its folder lets nobody else in.
    """
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    return bool(folder) and path.parent.resolve() == Path(folder or "/").resolve()


def _password_from_file(path: Path) -> str:
    try:
        mode, data = bytes_in_time(path, _MAX_PASSWORD_FILE, _PASSWORD_FILE_S)
    except OSError as error:
        raise PasswordSourceError(f"{path} cannot be read: {error.strerror}") from None
    open_to = stat.S_IROTH if _is_credential(path) else stat.S_IRGRP | stat.S_IROTH
    if stat.S_ISREG(mode) and mode & open_to:
        raise PasswordSourceError(f"{path} can be read by others: chmod 600 {path}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise PasswordSourceError(f"{path} is not UTF-8 text") from None


def _password_from_keyring(endpoint: Endpoint) -> str | None:
    try:
        import keyring  # noqa: PLC0415 - an extra, and heavy
    except ImportError:
        return None
    try:
        found: str | None = keyring.get_password(
            _KEYRING_SERVICE, f"{endpoint.host}:{endpoint.port}"
        )
    except Exception:  # noqa: BLE001 - a broken backend raises anything: then there is no keyring
        return None
    return found
