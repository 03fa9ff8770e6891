"""What the tests of the replay's screen share: it on a log, read to its end, and its keys."""

from pathlib import Path
from typing import Final

from console.apps import SAMPLES, text_of, until, until_still
from textual.pilot import Pilot

from plateau_tui.console.app import PlateauApp
from plateau_tui.console.screens.replay import ReplayScreen
from plateau_tui.runlog.archive import open_archive

BUILDERS: Final = SAMPLES / "builders_vs_hoarders"


def replaying(path: Path, keys: dict[str, str] | None = None, **wood: str) -> PlateauApp:
    app = PlateauApp(path.parent, None, keys or {})
    app.opens = lambda: ReplayScreen(path, open_archive(path), wood)
    return app


async def opened(pilot: Pilot[int]) -> ReplayScreen:
    """Wait until the log on screen is read to its end, and return its screen."""
    await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
    screen = pilot.app.screen
    assert isinstance(screen, ReplayScreen)
    await until(pilot, lambda: screen.timeline.done and screen.view is not None)
    await until_still(pilot)
    return screen


async def press(pilot: Pilot[int], key: str, cycle: int) -> None:
    """Press a key and wait until the header names a cycle, counted from 1."""
    await pilot.press(key)
    await until(pilot, lambda: f"cycle {cycle} of" in text_of(pilot.app).splitlines()[0])
