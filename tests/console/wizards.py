"""What the tests of the wizard share."""

from console.apps import until, until_read, until_text
from textual.pilot import Pilot

from plateau_tui.console.app import PlateauApp
from plateau_tui.console.screens.dialogs import Confirm
from plateau_tui.console.screens.wizard import WizardScreen


async def opened(pilot: Pilot[int]) -> WizardScreen:
    await until_read(pilot)
    await pilot.press("w")
    await until_text(pilot, "next: ")
    screen = pilot.app.screen
    assert isinstance(screen, WizardScreen)
    return screen


async def register(pilot: Pilot[int]) -> None:
    """Press the key that registers, and agree."""
    await pilot.press("g")
    await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
    await pilot.press("y")


def told(app: PlateauApp) -> str:
    screen = app.screen
    assert isinstance(screen, WizardScreen)
    return "\n".join(screen._lines)
