"""No kill between two system calls of a writer costs a row, whatever befell its files before."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from logfaults import killed

MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it; no disk to wait for
PLAYED = [
    *((before, "before") for before in killed.BEFORE),
    ("nothing", "half"),
    ("both rotated", "half"),
    ("start: both rotated", "before"),
    ("start: both torn", "before"),
]


@pytest.mark.parametrize(("before", "where"), PLAYED)
def test_no_kill_between_two_system_calls_costs_a_row(
    tmp_path: Path, before: str, where: str
) -> None:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    room = MEMORY if os.access(MEMORY, os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(dir=room) as folder:
        done = subprocess.run(
            [sys.executable, killed.__file__, folder, before, where],
            env={"PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=100,
            check=True,
        )
    count, *problems = done.stdout.splitlines()
    assert problems == []
    assert int(count) >= 8
