"""What the tests of the calibration's screens share: opening them, choosing, targets that wait."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from console.apps import SAMPLES, app_on, until, until_read, until_still
from console.slowgames import TESTS
from textual.pilot import Pilot
from textual.widgets import OptionList

from plateau_tui.calibration.target import Target
from plateau_tui.console.app import PlateauApp
from plateau_tui.console.screens import measuring
from plateau_tui.console.screens.calibration import CalibrationScreen
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.runlog.layout import RunFolder


@pytest.fixture
def fifo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    made = tmp_path / "fifo"
    os.mkfifo(made)
    return made


@pytest.fixture
def gate(fifo: Path) -> Iterator[int]:
    """A descriptor of which every byte lets a run of ``GatedGame`` go."""
    fd = os.open(fifo, os.O_RDWR)
    yield fd
    os.close(fd)


def instead(monkeypatch: pytest.MonkeyPatch, target: Target) -> None:
    """Let a target of the test be played under whatever name is chosen."""
    monkeypatch.setattr(measuring, "load_target", lambda _: target)


def console(run: RunFolder | None = None) -> PlateauApp:
    return app_on(run) if run else PlateauApp(SAMPLES, None, {})


async def opened(pilot: Pilot[int]) -> CalibrationScreen:
    """Open the screen with its key and wait until it has looked at every target."""
    if isinstance(pilot.app.screen, RunScreen):
        await until_read(pilot)
    await pilot.press("a")
    await until(pilot, lambda: isinstance(pilot.app.screen, CalibrationScreen))
    screen = pilot.app.screen
    assert isinstance(screen, CalibrationScreen)
    await until(pilot, lambda: screen.looked)
    await until_still(pilot)
    return screen


async def play(pilot: Pilot[int], name: str) -> None:
    await choose(pilot, name)
    await pilot.press("enter")


async def choose(pilot: Pilot[int], name: str) -> None:
    options = pilot.app.screen.query_one("#targets", OptionList)
    options.highlighted = options.get_option_index(name)
    await pilot.pause()
