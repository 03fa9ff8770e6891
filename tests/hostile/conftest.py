from collections.abc import Iterator
from pathlib import Path

import pytest

from plateau_tui.sim import server as sim


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("PLATEAU_TUI_RCON_HOST", raising=False)
    monkeypatch.delenv("PLATEAU_TUI_RCON_PORT", raising=False)


@pytest.fixture
def sim_server() -> Iterator[sim.SimServer]:
    with sim.SimServer() as server:
        yield server
