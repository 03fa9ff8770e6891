"""Reading a TOML file of whatever size."""

from pathlib import Path

from plateau_tui.metric.tables import MAX_TOML_BYTES


def toml_bytes(path: Path) -> bytes:
    """Return the bytes of a TOML file, or so many of them that ``parse_toml`` refuses it.

    Raises:
        OSError: it cannot be read.

    """
    with path.open("rb") as file:
        return file.read(MAX_TOML_BYTES + 1)
