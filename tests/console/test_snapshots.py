"""What the screens look like, as pictures, on recorded runs under a stopped clock.

The runs stand in tests/console/runs, so that no picture changes with what is shipped.

After a change that is meant: pytest tests/console/test_snapshots.py --snapshot-update
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from console.apps import text_of, until, until_read, until_still
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from plateau_tui.console.app import PlateauApp
from plateau_tui.console.screens.dialogs import Confirm
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.starting import MEANING
from plateau_tui.runlog.layout import RunFolder

pytestmark = pytest.mark.usefixtures("stopped_clock")
SIZES = [(80, 24), (120, 36)]

Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no picture hold the place where the project stands."""
    monkeypatch.chdir(Path(__file__).parent)


def console(run: str | None) -> PlateauApp:
    runs = Path("runs")
    return PlateauApp(runs, RunFolder(runs / run) if run else None, {})


def pressing(*keys: str) -> Callable[[Pilot[int]], Awaitable[None]]:
    async def before(pilot: Pilot[int]) -> None:
        app: App[int] = pilot.app
        if isinstance(app.screen, RunScreen):
            await until_read(pilot)
        else:
            await until(pilot, lambda: "p1_inventory" in text_of(app))
            await until(pilot, lambda: "reading ..." not in text_of(app))
        for key in keys:
            await pilot.press(key)
            await until_still(pilot)
        for field in app.screen.query(Input):
            field.cursor_blink = False
        await until_still(pilot)

    return before


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36"])
@pytest.mark.parametrize(
    ("run", "keys"),
    [
        pytest.param(None, (), id="runs"),
        pytest.param("builders_vs_hoarders", (), id="builders"),
        pytest.param("hoarders_vs_hoarders", ("j", "j", "j"), id="hoarders"),
        pytest.param("p1_inventory", (), id="inventory-only"),
        pytest.param("builders_vs_hoarders", ("o",), id="unit"),
        pytest.param("p1_inventory", ("o",), id="unit-of-gaps"),
        pytest.param("builders_vs_hoarders", ("w",), id="wizard"),
        pytest.param("builders_vs_hoarders", ("l",), id="journal"),
        pytest.param("builders_vs_hoarders", ("f",), id="fence"),
        pytest.param("builders_vs_hoarders", ("question_mark",), id="help"),
        pytest.param("builders_vs_hoarders", ("n",), id="note"),
        pytest.param("builders_vs_hoarders", ("m", "p"), id="menu"),
    ],
)
def test_the_screen_looks_as_it_did(
    snap_compare: Compare, run: str | None, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    assert snap_compare(console(run), terminal_size=size, run_before=pressing(*keys))


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36"])
def test_the_question_looks_as_it_did(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def ask(pilot: Pilot[int]) -> None:
        await until_read(pilot)
        pilot.app.push_screen(Confirm("Start a collector?", MEANING))
        await until_still(pilot)

    app = console("builders_vs_hoarders")
    assert snap_compare(app, terminal_size=size, run_before=ask)


@pytest.mark.parametrize("size", [(60, 20), (160, 40), (40, 10)], ids=["60x20", "160x40", "40x10"])
def test_the_grid_looks_as_it_did_in_other_sizes(
    snap_compare: Compare, size: tuple[int, int]
) -> None:
    assert snap_compare(console("builders_vs_hoarders"), terminal_size=size, run_before=pressing())
