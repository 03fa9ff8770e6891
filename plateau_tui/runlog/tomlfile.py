"""Reading a TOML file of whatever size."""

from pathlib import Path

from plateau_tui.metric.tables import MAX_TOML_BYTES
from plateau_tui.plainfile import given_bytes


def toml_bytes(path: Path) -> bytes:
    """Return the bytes of a TOML file, or so many of them that ``parse_toml`` refuses it.

    Raises:
        OSError: it cannot be read, or is no plain file.

    """
    return given_bytes(path, MAX_TOML_BYTES)
