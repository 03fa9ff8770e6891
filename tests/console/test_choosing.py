"""Many units in few lines: all of six pairs, which are in view, what is new, finding one."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

import msgspec.structs
import pytest
from collector.bench import gate
from console.apps import app_on, text_of, until, until_read, until_still, until_text
from metric.texts import parsed
from runlog.runs import a_row, begin, heartbeat, new_folder, write_cycle
from textual.pilot import Pilot
from textual.widgets import Input

from plateau_tui.console.screens.base import KeyBar, Line
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.console.screens.pairs import PairsScreen
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.unit import UnitScreen
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.writer import RunWriter

pytestmark = pytest.mark.asyncio
TWENTY: Final = gate(20, 600, 66)
SIX: Final = gate(6, 600, 66)


def opened_run(tmp_path: Path, text: str) -> RunWriter:
    """An open run after one cycle in which nobody had reached anything."""
    writer = begin(new_folder(tmp_path / "runs" / "many", text), text)
    write_cycle(writer, parsed(text), 0)
    return writer


@pytest.fixture
def twenty(tmp_path: Path) -> Iterator[RunWriter]:
    writer = opened_run(tmp_path, TWENTY)
    yield writer
    writer.close()


def cycle(writer: RunWriter, number: int, *turned: str, unread: Collection[str] = ()) -> None:
    """A cycle in which some units place and mine, and of some no log could be read."""
    rows = []
    for unit in parsed(TWENTY).units:
        moved = unit.name in turned
        placed, mined = ({"dirt": number}, {"stone": 1, "sand": 1}) if moved else ({}, {})
        row = a_row(parsed(TWENTY), writer.state, unit, number, dict(placed), dict(mined))
        if unit.name in unread:
            row = msgspec.structs.replace(row, mined=dict.fromkeys(row.mined))
        rows.append(row)
    writer.cycle(rows, heartbeat(number))


def shown_units(pilot: Pilot[int]) -> list[str]:
    """The names in view, or the ends of them that there is room for."""
    lines = text_of(pilot.app).splitlines()
    found = (re.match(r" ?\d+ (?:UNI|~)[A-Z0-9-]+", line) for line in lines)
    return [each[0].split()[1].lstrip("~") for each in found if each]


def in_view(pilot: Pilot[int], name: str) -> bool:
    return any(name.endswith(shown) for shown in shown_units(pilot))


def chosen_line(screen: RunScreen) -> str:
    return screen.query_one("#chosen", Line).shown


async def test_twelve_units_stand_whole_at_80x24_under_a_problem_of_one_line(
    tmp_path: Path,
) -> None:
    writer = opened_run(tmp_path, SIX)
    async with app_on(RunFolder(tmp_path / "runs" / "many")).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await until_still(pilot)
        text = text_of(pilot.app)
        assert shown_units(pilot) == [f"UNI-{kin}-{n}" for kin in (10, 11) for n in range(1, 7)]
        assert "! " in text.splitlines()[2]
        assert "shown" not in text
        assert "Behaviour only." in text
        bar = pilot.app.screen.query_one(KeyBar).lines
        assert len(bar) <= 3
        assert all(line in text for line in bar)
    writer.close()


@pytest.mark.parametrize(("size", "shown"), [((80, 24), 6), ((60, 20), 3), ((120, 40), 14)])
async def test_where_not_all_units_fit_each_arm_says_which_pairs_are_in_view(
    twenty: RunWriter, tmp_path: Path, size: tuple[int, int], shown: int
) -> None:
    del twenty
    word = " shown" if size[0] >= 80 else "\n"
    async with app_on(RunFolder(tmp_path / "runs" / "many")).run_test(size=size) as pilot:
        screen = await until_read(pilot)
        await until(pilot, lambda: f" 1-{shown}{word}" in text_of(pilot.app))
        await until_still(pilot)
        first = [f"UNI-{kin}-{n}" for kin in (10, 11) for n in range(1, shown + 1)]
        for name, seen in zip(first, shown_units(pilot), strict=True):
            assert name.endswith(seen)
        assert text_of(pilot.app).count(f" 1-{shown}{word}") == 2
        assert len(screen.query_one(KeyBar).lines) <= 3
        for _ in range(shown):
            await pilot.press("j")
        await until(pilot, lambda: f" 2-{shown + 1}{word}" in text_of(pilot.app))
        assert f" 1-{shown}{word}" in text_of(pilot.app)
        await pilot.press("end")
        await until(pilot, lambda: f" {21 - shown}-20" in text_of(pilot.app))


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_what_turned_out_of_view_is_named_and_a_key_goes_there(
    twenty: RunWriter, tmp_path: Path, size: tuple[int, int]
) -> None:
    async with app_on(RunFolder(tmp_path / "runs" / "many")).run_test(size=size) as pilot:
        screen = await until_read(pilot)
        await pilot.press("space", "]")
        await until_text(pilot, "no unit is marked")
        cycle(twenty, 1, "UNI-10-9", "UNI-11-15")
        await until(pilot, lambda: "new out of view (]): UNI-10-9 both, +1" in text_of(pilot.app))
        turned = ("UNI-10-9", "UNI-11-15", "UNI-11-2")
        cycle(twenty, 2, *turned, unread={u.name for u in parsed(TWENTY).units} - {*turned})
        await until(pilot, lambda: screen.marks["UNI-10-5"] == "!")  # all others lost a reading
        for name in ("UNI-10-9", "UNI-11-2", "UNI-11-15", "UNI-10-9"):
            await pilot.press("]")
            await until(pilot, lambda: screen.chosen() == name)  # noqa: B023 - waited for here
            await until(pilot, lambda: in_view(pilot, name))  # noqa: B023
        await until(pilot, lambda: chosen_line(screen).startswith("new out of view (]): UNI-11-2 "))
        await pilot.press("[")
        await until(pilot, lambda: screen.chosen() == "UNI-11-15")
        await pilot.press("space")
        await until_text(pilot, "seen: 40 marks cleared; turned: UNI-10")
        assert screen._said[-1].text.endswith("UNI-10-9 both, UNI-11-2 both, UNI-11-15 both")
        assert "out of view" not in text_of(pilot.app)
        assert {*screen.marks.values()} == {" "}


async def test_where_none_turned_the_key_goes_to_what_was_lost(
    twenty: RunWriter, tmp_path: Path
) -> None:
    async with app_on(RunFolder(tmp_path / "runs" / "many")).run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        await pilot.press("space")
        cycle(twenty, 1, unread=["UNI-10-7", "UNI-11-20"])
        for name in ("UNI-10-7", "UNI-11-20", "UNI-10-7"):
            await until(pilot, lambda: screen.marks["UNI-11-20"] == "!")
            await pilot.press("]")
            await until(pilot, lambda: screen.chosen() == name)  # noqa: B023 - waited for here
        assert "out of view" not in chosen_line(screen)


async def test_a_unit_is_found_by_a_part_of_its_name(twenty: RunWriter, tmp_path: Path) -> None:
    del twenty
    async with app_on(RunFolder(tmp_path / "runs" / "many")).run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        await until_still(pilot)
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(pilot.app.focused, Input))
        await pilot.press(*"1-17")
        await until(pilot, lambda: screen.chosen() == "UNI-11-17")
        assert len(shown_units(pilot)) == 12  # the field has the chosen unit's line
        await pilot.press("enter")
        await until(pilot, lambda: "UNI-11-17: beyond" in chosen_line(screen))
        assert not screen.has_class("-finding")
        await pilot.press("slash", *"uni-10-1", "down", "down", "up", "enter")
        await until(pilot, lambda: screen.chosen() == "UNI-10-10")
        await pilot.press("slash", "enter")  # the same words once more
        await until(pilot, lambda: screen.chosen() == "UNI-10-11")
        await pilot.press("slash", *"11-3", "escape")  # and back to where it began
        await until(pilot, lambda: screen.chosen() == "UNI-10-11")
        await pilot.press("slash", *"nobody", "enter")
        await until_text(pilot, "no unit has nobody in its name")
        assert screen.chosen() == "UNI-10-11"
        await pilot.press("slash", *"20", "tab", "j")
        await until(pilot, lambda: not screen.has_class("-finding"))
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is not screen)


async def test_a_pair_s_units_are_opened_from_the_pairs_which_show_the_marks(
    twenty: RunWriter, tmp_path: Path
) -> None:
    async with app_on(RunFolder(tmp_path / "runs" / "many")).run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        await pilot.press("space")
        cycle(twenty, 1, "UNI-10-2")
        await until(pilot, lambda: screen.marks["UNI-10-2"] == "*")
        await pilot.press("d")
        await until(pilot, lambda: isinstance(pilot.app.screen, PairsScreen))
        await until_text(pilot, "2 UNI-10-2   *(y)")
        for keys, name in (
            (("down", "o"), "UNI-10-2"), (("right", "enter"), "UNI-11-2"),
            (("k", "h", "o"), "UNI-10-1"), (("j",) * 19 + ("l", "o"), "UNI-11-20"),
        ):  # fmt: skip
            await pilot.press(*keys)
            await until(pilot, lambda: isinstance(pilot.app.screen, UnitScreen))
            await until_text(pilot, f"{name} pair {name.rpartition('-')[2]} ")
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(pilot.app.screen, PairsScreen))
        page = pilot.app.screen.query_one("#page")
        await pilot.press("home")
        await until(pilot, lambda: page.scroll_offset.y == 0)
        await pilot.press("k", "o")  # the last in view, for the chosen one is out of it
        await until_text(pilot, f"UNI-11-{page.size.height} pair {page.size.height} ")


async def test_what_a_key_was_answered_can_be_read_whole(twenty: RunWriter, tmp_path: Path) -> None:
    del twenty
    async with app_on(RunFolder(tmp_path / "runs" / "many")).run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        screen.hear("note: NO: " + "no answer came, the request was taken back; " * 4 + "END")
        await until(pilot, lambda: "~ (i)" in text_of(pilot.app))
        await pilot.press("i")
        await until(pilot, lambda: isinstance(pilot.app.screen, Page))
        await until(pilot, lambda: "END" in text_of(pilot.app))
        await pilot.press("escape")
        await pilot.resize_terminal(80, 60)
        await until(pilot, lambda: "END" in text_of(pilot.app))
