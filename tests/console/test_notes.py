"""A note's words: in the journal, or before its writer again."""

from pathlib import Path

import pytest
from console.apps import app_on, sample, type_in, until, until_read, until_text
from textual.widgets import Input

from plateau_tui.console.noting import NoteAsk
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.runs import RunsScreen

pytestmark = pytest.mark.asyncio


async def test_a_note_that_is_refused_keeps_its_words_for_the_next(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("n")
        await type_in(pilot, "typed as it closed")
        await until_text(pilot, "note: NO: ")
        await until_text(pilot, "the note's words are kept")
        for keys in (("escape",), ("space", "enter")):  # left, and refused again
            await pilot.press("n")
            await until(pilot, lambda: isinstance(app.screen, NoteAsk))
            await until_text(pilot, "These words were refused before")
            field = app.screen.query_one(Input)
            assert field.value == "typed as it closed"
            assert field.cursor_position == len(field.value)
            await pilot.press(*keys)
            await until(pilot, lambda: isinstance(app.screen, RunScreen))
        screen = app.screen
        assert isinstance(screen, RunScreen)
        await until(pilot, lambda: app.unwritten == {folder.path: "typed as it closed "})
        await pilot.press("escape")  # the run's screen is left, and another one opened
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RunScreen) and app.screen is not screen)
        await until_read(pilot)
        await pilot.press("n")
        await until_text(pilot, "These words were refused before")
        assert app.screen.query_one(Input).value == "typed as it closed "
    assert "typed as it closed" not in folder.journal.read_text()


async def test_words_that_are_struck_out_are_not_offered_again(tmp_path: Path) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        await pilot.press("n")
        await type_in(pilot, "words")
        await until(pilot, lambda: "words" in app.unwritten.values())
        await pilot.press("n")
        await type_in(pilot, "")
        await until(pilot, lambda: app.screen is screen and not app.unwritten)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, NoteAsk))
        await until(pilot, lambda: app.screen.query(Input))
        assert app.screen.query_one(Input).value == ""
