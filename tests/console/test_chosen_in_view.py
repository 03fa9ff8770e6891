"""The chosen line of a list stays in sight, whatever becomes of the terminal."""

from pathlib import Path
from typing import Final

import pytest
from collector.bench import gate
from console.apps import app_on, until, until_read, until_still
from console.gates import made, opened
from console.terminal import Terminal, attached
from metric.texts import parsed
from runlog.runs import begin, new_folder, write_cycle
from textual.pilot import Pilot
from textual.widgets import OptionList

from plateau_tui.console.screens.replay import ReplayScreen
from plateau_tui.console.screens.runs import RunsScreen
from plateau_tui.console.widgets.arm import UnitList
from plateau_tui.runlog.layout import RunFolder, create_run

asynchronous = pytest.mark.asyncio
SIZES: Final = ((120, 50), (80, 24), (60, 20), (40, 10), (80, 24), (160, 24), (60, 20), (80, 24))
"""A terminal made larger, smaller, too small, wide, and back."""
PAIRS: Final = 20
TEXT: Final = gate(PAIRS, 600, 66)
LAST: Final = [unit.name for unit in parsed(TEXT).units][-1]


@pytest.fixture
def forty(tmp_path: Path) -> RunFolder:
    """A run of forty units, of which no line of a small terminal's grid has room for all."""
    folder = new_folder(tmp_path / "runs" / "forty", TEXT)
    writer = begin(folder, TEXT)
    for cycle in range(2):
        write_cycle(writer, parsed(TEXT), cycle)
    writer.close()
    return folder


def rows_in_view(units: OptionList) -> range:
    top = int(units.scroll_offset.y)
    return range(top, top + units.size.height)


async def assert_stays_in_view(pilot: Pilot[int], chosen: OptionList) -> None:
    """At every size the chosen line is seen, and is the one that was chosen."""
    place = chosen.highlighted
    assert place is not None
    for size in SIZES:
        await pilot.resize_terminal(*size)
        await until_still(pilot)
        if size < (60, 20):
            continue
        await until(pilot, lambda: place in rows_in_view(chosen))
        await until_still(pilot)
        assert chosen.highlighted == place
        assert place in rows_in_view(chosen), size


@asynchronous
@pytest.mark.parametrize(("arm", "key"), [("treatment", "end"), ("control", "end")])
async def test_the_chosen_unit_of_a_run_stays_in_view(forty: RunFolder, arm: str, key: str) -> None:
    async with app_on(forty).run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        units = screen.query_one(f"#{arm} UnitList", UnitList)
        units.focus()
        await pilot.press(key)
        await until(pilot, lambda: units.highlighted == PAIRS - 1)
        await assert_stays_in_view(pilot, units)
        await pilot.press("k")
        await until(pilot, lambda: units.highlighted == PAIRS - 2)
        assert PAIRS - 2 in rows_in_view(units)


@asynchronous
async def test_the_chosen_unit_of_a_replay_stays_in_view(forty: RunFolder) -> None:
    async with (app := app_on(forty)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("t")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        await until_still(pilot)
        units = app.screen.query_one("#control UnitList", UnitList)
        units.focus()
        units.highlighted = PAIRS - 1
        await until(pilot, lambda: PAIRS - 1 in rows_in_view(units))
        await assert_stays_in_view(pilot, units)


@asynchronous
async def test_the_chosen_field_of_the_registration_stays_in_view(tmp_path: Path) -> None:
    async with app_on(made(tmp_path, TEXT)).run_test(size=(80, 24)) as pilot:
        fields = (await opened(pilot)).query_one("#fields", OptionList)
        await pilot.press("end")
        await until(pilot, lambda: fields.highlighted == fields.option_count - 1)
        await assert_stays_in_view(pilot, fields)


@asynchronous
async def test_the_chosen_run_of_a_long_list_stays_in_view(forty: RunFolder) -> None:
    for number in range(40):
        folder = RunFolder(forty.path.with_name(f"run{number:02d}"))
        create_run(folder, {"registration.toml": TEXT}, 0o700)
    async with (app := app_on(forty)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        runs = app.screen.query_one("#runs", OptionList)
        await until(pilot, lambda: runs.option_count == 41)
        await pilot.press("end")
        await until(pilot, lambda: runs.highlighted == 40)
        await assert_stays_in_view(pilot, runs)


def unit_lines(terminal: Terminal) -> list[str]:
    """The lines of the grid, without the line that tells of the chosen unit."""
    return [line for line in terminal.text.splitlines() if line[:2].strip().isdigit()]


def test_in_a_real_terminal_the_last_unit_is_in_the_grid_after_it_grew_and_shrank(
    forty: RunFolder,
) -> None:
    with attached(forty) as terminal:
        terminal.until_words("q Quit")
        terminal.settle()
        terminal.send("\t\x1b[F")
        terminal.until(lambda: any(LAST[-6:] in line for line in unit_lines(terminal)))
        for size in ((120, 50), (80, 24), (60, 20), (80, 24)):
            terminal.resize(*size)
            terminal.settle()
            terminal.until(lambda: any(LAST[-6:] in line for line in unit_lines(terminal)))
