"""A copy of a run's log at one moment, its files consistent with each other.

The journal is copied first: what a writer adds to the rows after that has no heartbeat in the
copy and is left out of it. Where nothing writes, files are copied as they are, whatever is wrong
with them.
"""

import shutil
from pathlib import Path

from plateau_tui.report.names import ATTESTATION
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.leftover import copy_left
from plateau_tui.runlog.locks import LockUnavailableError, holder_of
from plateau_tui.runlog.scan import whole_lines
from plateau_tui.runlog.segments import copy_joined
from plateau_tui.runlog.state import RunState, read_state


def copy_log(source: RunFolder, target: RunFolder) -> RunState:
    """Copy rows, journal, registration and attestation; return what the copied journal says.

    A log that does not exist yet becomes an empty file. Sound rows of a file that was cut under
    its writer, and that the log lacks, come along in a file of their own.

    Raises:
        OSError: a file cannot be read or written.

    """
    held = _held(source)
    _copy(source.journal, target.journal)
    _copy(source.rows, target.rows)
    state, _ = read_state(target.journal)
    if state.closed is None and (held or _size(source.journal) != _size(target.journal)):
        _cut_to_whole_lines(target.journal)
        rows = 0 if state.heartbeat is None else state.heartbeat.rows
        _cut_to_whole_lines(target.rows, rows)
    if state.sealed is not None:
        copy_left(source.rows, state.sealed.sha256, target.rows)
    for name in (source.registration.name, ATTESTATION):
        if (source.path / name).exists():
            shutil.copyfile(source.path / name, target.path / name)
    return state


def _held(folder: RunFolder) -> bool:
    try:
        return holder_of(folder.lock) is not None
    except (LockUnavailableError, OSError):
        return False


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _copy(source: Path, target: Path) -> None:
    if source.exists():
        copy_joined(source, target)
    else:
        target.touch()


def _cut_to_whole_lines(path: Path, limit: int | None = None) -> None:
    """Cut a file behind its last whole line, or behind the first ``limit`` ones."""
    end = 0
    for line in whole_lines(path):
        if limit is not None and line.number > limit:
            break
        end = line.byte + len(line.data) + 1
    with path.open("r+b") as file:
        file.truncate(end)
