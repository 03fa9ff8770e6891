"""``connection.toml``: where RCON listens, and the probe. Never a password, never sealed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plateau_tui.metric.tables import ConfigError, Problems, Table, parse_toml
from plateau_tui.process import PASSWORD_VARIABLE, environment_without_password
from plateau_tui.runlog.tomlfile import toml_bytes

__all__ = [
    "DEFAULT_HOST",
    "DEFAULT_PORT",
    "PASSWORD_VARIABLE",
    "ConnectionFile",
    "ProbeCommand",
    "environment_without_password",
    "read_connection",
]

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 25575
_MAX_PROBE_S: Final = 600

CONNECTION_TEMPLATE: Final = """\
# Where the server's RCON listens. Not sealed; never put the password here.
host = "{host}"
port = {port}

# A probe is any command that prints one JSON object a line ("uni", "arm", telemetry keys).
# [probe]
# command = ["python3", "probe.py"]
# timeout_s = 5
"""


@dataclass(frozen=True, slots=True)
class ProbeCommand:
    """A program and its arguments, and how long it may take in seconds."""

    command: tuple[str, ...]
    timeout_s: float


@dataclass(frozen=True, slots=True)
class ConnectionFile:
    """What ``connection.toml`` says."""

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    probe: ProbeCommand | None = None


def read_connection(path: Path) -> ConnectionFile:
    """Read ``connection.toml``; a file that does not exist means the defaults.

    Raises:
        ConfigError: names every problem by its key's path.

    """
    try:
        text = toml_bytes(path)
    except FileNotFoundError:
        return ConnectionFile()
    except OSError as error:
        raise ConfigError(path.name, [f"cannot be read: {error.strerror}"]) from None
    problems = Problems(path.name)
    connection = _connection(Table(parse_toml(text, path.name), "", problems))
    problems.raise_if_any()
    return connection


def _connection(top: Table) -> ConnectionFile:
    if any("password" in key.lower() for key in top.values):
        top.wrong("password", f"does not belong into a file: use {PASSWORD_VARIABLE}")
        return ConnectionFile()
    top.known("host", "port", "probe")
    return ConnectionFile(
        host=top.text("host", DEFAULT_HOST),
        port=top.integer("port", DEFAULT_PORT, low=1, high=65535),
        probe=_probe(top.table("probe")) if "probe" in top.values else None,
    )


def _probe(table: Table) -> ProbeCommand:
    table.known("command", "timeout_s")
    command = table.texts("command", required=True)
    if not command:
        table.wrong("command", "must name a program")
    if "timeout_s" not in table.values:
        return ProbeCommand(command, 5.0)
    rule = f"above 0 and at most {_MAX_PROBE_S}"
    return ProbeCommand(command, table.number("timeout_s", rule, lambda s: 0 < s <= _MAX_PROBE_S))
