"""What every screen does alike: the order of its keys, ctrl+c, a terminal that is too small."""

import re
from pathlib import Path

import pytest
from console.apps import (
    app_on,
    every_screen,
    sample,
    tell_in_journal,
    text_of,
    until,
    until_read,
    until_text,
    words_of,
)
from console.gates import made
from console.gates import opened as gate_opened
from textual.widgets import Input

from plateau_tui.console.app import Interrupt
from plateau_tui.console.screens.base import KeyBar
from plateau_tui.console.screens.dialogs import Ask, Confirm, Page
from plateau_tui.console.screens.journal import JournalScreen
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.verdict import VerdictScreen
from plateau_tui.console.screens.wizard import WizardScreen
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.template import draft_text

pytestmark = pytest.mark.asyncio


async def test_the_keys_that_every_screen_has_stand_last_and_in_one_order(
    folder: RunFolder,
) -> None:
    seen = set()
    async with (app := app_on(folder)).run_test(size=(120, 36)) as pilot:
        await until_read(pilot)
        async for name in every_screen(pilot):
            for bar in app.screen.query(KeyBar):
                seen.add(name)
                words = " ".join(bar.lines)
                assert re.search(r" f Fence (m|\^p) Menu \? Help q Quit$", words), (name, words)
                assert name == "runs" or " esc Back f Fence" in words, (name, words)
    assert {"run", "gate", "calibration", "verdict", "wizard", "runs"} <= seen


async def test_the_gate_s_own_quit_stands_last_too(tmp_path: Path) -> None:
    folder = made(tmp_path, draft_text("p1", 3))
    async with app_on(folder).run_test(size=(120, 36)) as pilot:
        screen = await gate_opened(pilot)
        words = " ".join(screen.query_one(KeyBar).lines)
        assert words.endswith("k Up esc Back f Fence m Menu ? Help q Quit")


@pytest.mark.parametrize("keys", [("w",), ("n",), ("l", "slash")])
async def test_ctrl_c_asks_on_every_screen_and_a_no_goes_on_there(
    folder: RunFolder, keys: tuple[str, ...]
) -> None:
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press(*keys)
        await pilot.pause()
        before = app.screen
        await pilot.press("ctrl+c", "ctrl+c")
        await until(pilot, lambda: isinstance(app.screen, Interrupt))
        await until_text(pilot, "Leave the console? (q leaves, too)")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is before)
        await pilot.press("ctrl+c")
        await until(pilot, lambda: isinstance(app.screen, Interrupt))
        await pilot.press("y")
        await until(pilot, lambda: app._exit)


async def test_ctrl_c_copies_what_is_selected_in_a_field(folder: RunFolder) -> None:
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, Ask) and app.focused)
        field = app.screen.query_one(Input)
        field.value = "some words"
        field.select_all()
        await pilot.press("ctrl+c")
        await until(pilot, lambda: app.clipboard == "some words")
        assert isinstance(app.screen, Ask)


async def test_below_the_least_size_a_question_says_what_it_needs_and_takes_no_yes(
    tmp_path: Path,
) -> None:
    folder = sample(tmp_path)
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, VerdictScreen))
        await until_text(pilot, "judged 0s ago")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.resize_terminal(50, 12)
        await until(pilot, lambda: text_of(app).split() == ["need", "60x20,", "have", "50x12"])
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, VerdictScreen))
        await pilot.resize_terminal(80, 24)
        await until_text(pilot, "nothing is exported")
    assert not (folder.path / "export").exists()


async def test_a_page_says_what_it_needs_however_it_came_to_be_too_small(
    folder: RunFolder,
) -> None:
    async with (app := app_on(folder)).run_test(size=(50, 12)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, Page))
        await until(pilot, lambda: text_of(app).split() == ["need", "60x20,", "have", "50x12"])
        await pilot.resize_terminal(80, 24)
        await until_text(pilot, "Everything this metric measures")
        await until(pilot, lambda: app.focused is not None)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))


async def test_whether_the_bell_rings_stands_in_the_line_of_keys(folder: RunFolder) -> None:
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        assert "b Bell on " in text_of(app)
        await pilot.press("b")
        await until(pilot, lambda: "b Bell off " in text_of(app))
        await pilot.press("b")
        await until(pilot, lambda: "b Bell on " in text_of(app))


async def test_seen_says_how_many_marks_it_cleared_and_that_nothing_is_new(
    folder: RunFolder,
) -> None:
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("space")
        await until_text(pilot, "seen: 6 marks cleared")
        await pilot.press("space")
        await until_text(pilot, "nothing new")
        assert isinstance(app.screen, RunScreen)


@pytest.mark.parametrize(
    ("final", "told"), [(True, "adjudicated: WITHHELD"), (False, "closed: WITHHELD (not final)")]
)
async def test_the_journal_of_a_run_that_is_over_says_how_it_ended(
    tmp_path: Path, final: bool, told: str
) -> None:
    folder = sample(tmp_path)
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, JournalScreen))
        await until_text(pilot, "closed: nothing more is read")
        tell_in_journal(folder, ev.Adjudicated(by="op", verdict="WITHHELD", final=final))
        await until(pilot, lambda: told in text_of(app))
        assert "nothing is wrong" not in words_of(app)


async def test_leaving_the_wizard_shows_no_watch_that_never_was(tmp_path: Path) -> None:
    folder = made(tmp_path, draft_text("p1", 3))
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, WizardScreen))
        await until_text(pilot, "to do: check, register, watch, pin, seal")
        assert "[-]" not in text_of(app)
        assert "last watch" not in words_of(app)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        assert "leaving the wizard" not in words_of(app)
