"""How much disk a window needs, and whether there is as much: asked when a gate is sealed."""

import os
from typing import Final

from plateau_tui.metric.registration import Registration
from plateau_tui.runlog.layout import RunFolder

_ROW_BYTES: Final = 1400
"""A row with the nineteen objectives, a probe and a short note: 1,060 to 1,400 bytes measured."""
_EXTENSION_BYTES: Final = 32
"""An extension's name and count, in every row."""
_CYCLE_BYTES: Final = 700
"""A heartbeat of 350 bytes, and as much for what else is journaled in a cycle that has faults."""
_COPIES: Final = 2
"""The log itself and the export of it, which stands in the run's folder too."""
_KB: Final = 1_000
_MB: Final = 1_000_000


def cycle_bytes(registration: Registration) -> int:
    """Return about how many bytes the rows and the journal of one cycle come to."""
    row = _ROW_BYTES + _EXTENSION_BYTES * len(registration.extensions)
    return _CYCLE_BYTES + row * len(registration.units)


def log_bytes(registration: Registration) -> int:
    """Return about how many bytes rows and journal of a whole window come to."""
    return cycle_bytes(registration) * registration.window.cycles


def room_problem(folder: RunFolder, registration: Registration) -> str | None:
    """Return, in one line, that the run's file system has less room than the window needs.

    None where it has enough, and where the system does not say.
    """
    need = _COPIES * log_bytes(registration)
    try:
        there = os.statvfs(folder.path)
    except OSError:
        return None
    free = there.f_bavail * there.f_frsize
    if free >= need:
        return None
    return (
        f"this window's log and its export need about {size_told(need)}, and {folder.path} has "
        f"{size_told(free)} free: make room, or move the run to another disk"
    )


def size_told(size: int) -> str:
    """Return a size in the largest unit of which it has one: MB, KB, bytes."""
    if size >= _MB:
        return f"{size / _MB:,.0f} MB"
    return f"{size // _KB} KB" if size >= _KB else f"{size} bytes"
