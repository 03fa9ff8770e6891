"""A half-open connection as it really comes about: the network goes away and comes back."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "vanishing.py"
OWN_NETWORK = ["unshare", "--user", "--map-root-user", "--net"]


def can_have_a_network() -> bool:
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return False
    tried = subprocess.run(
        [*OWN_NETWORK, "ip", "link", "set", "lo", "up"], capture_output=True, check=False
    )
    return tried.returncode == 0


def test_a_network_that_goes_away_costs_nulls_and_comes_back(tmp_path: Path) -> None:
    if not can_have_a_network():
        pytest.skip("no network namespace can be had here: a vanishing peer is left out")
    done = subprocess.run(
        [*OWN_NETWORK, sys.executable, str(SCRIPT), str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    words = done.stdout.split()
    assert words[-1] == "true"
    assert "unreachable" in words or "timed_out" in words
