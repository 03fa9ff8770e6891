from collections.abc import Iterator
from pathlib import Path

import pytest
from collector.otherserver import OtherServer


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("PLATEAU_TUI_RCON_HOST", raising=False)
    monkeypatch.delenv("PLATEAU_TUI_RCON_PORT", raising=False)


@pytest.fixture
def other() -> Iterator[OtherServer]:
    with OtherServer() as server:
        yield server
