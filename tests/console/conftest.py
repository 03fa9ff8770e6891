from pathlib import Path

import pytest
from console.apps import NOW_MS, sample

from plateau_tui.console import clock
from plateau_tui.runlog.layout import RunFolder


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("STATE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    for name in ("RCON_HOST", "RCON_PORT", "RCON_PASSWORD", "RUNS"):
        monkeypatch.delenv(f"PLATEAU_TUI_{name}", raising=False)
    monkeypatch.setenv("LOGNAME", "tester")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW_MS)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A finished sample run."""
    return sample(tmp_path)
