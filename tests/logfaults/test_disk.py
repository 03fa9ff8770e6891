"""A disk that is full, or a folder that turns read-only under the writer, costs no row."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from logfaults import mounted


@pytest.fixture
def room() -> Iterator[Path]:
    """A folder that every account can go into, as a test that gives up being root must."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def played(room: Path, what: str, *before: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.run(
        [*before, sys.executable, mounted.__file__, str(room), what],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_a_file_system_that_is_full_costs_no_row(room: Path) -> None:
    unshare = shutil.which("unshare")
    if unshare is None:
        pytest.skip("no unshare here: the full file system is left out, the size limit is not")
    done = played(room, "full", unshare, "-rm")
    if "unmountable" in done.stdout or (done.returncode and "unshare" in done.stderr):
        pytest.skip("no tmpfs can be mounted: it is left out, the size limit is not")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_a_folder_that_turns_read_only_costs_no_row(room: Path) -> None:
    done = played(room, "read-only")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
