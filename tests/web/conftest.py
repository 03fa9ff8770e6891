from collections.abc import Iterator
from pathlib import Path

import pytest

from plateau_tui.sim.run import make_server
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    for name in ("RCON_HOST", "RCON_PORT", "RCON_PASSWORD", "RUNS"):
        monkeypatch.delenv(f"PLATEAU_TUI_{name}", raising=False)
    monkeypatch.setenv("LOGNAME", "tester")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture
def server() -> Iterator[SimServer]:
    """Builders against hoarders, standing still until a test gives them speed."""
    made = make_server("builders_vs_hoarders", seed=1, speed=0.0, password=DEFAULT_PASSWORD)
    with made as running:
        yield running
