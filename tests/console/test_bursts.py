"""Keys that arrive all at once, as a paste or a slow line sends them, lose no letter."""

from pathlib import Path

import pytest
from console.apps import app_on, sample, until, until_read, until_text
from console.gates import choose, made, on_disk
from console.gates import opened as gate_opened
from textual.app import App
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from plateau_tui.console.screens.answering import AnswerScreen, PreviewScreen
from plateau_tui.console.screens.dialogs import Ask
from plateau_tui.console.screens.journal import JournalScreen
from plateau_tui.console.screens.menu import Menu
from plateau_tui.console.screens.verdict import VerdictScreen
from plateau_tui.console.widgets.pick import Pick
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.template import draft_text

pytestmark = pytest.mark.asyncio
_NAMED = {" ": "space", "-": "minus", "/": "slash", ":": "colon", "?": "question_mark"}


def burst(app: App[int], *keys: str) -> None:
    """Give the application keys as its driver does, one behind the other, and wait for none."""
    for key in keys:
        names = [key] if len(key) > 1 and not key.startswith("'") else list(key.removeprefix("'"))
        for name in names:
            character = name if len(name) == 1 else None
            app.post_message(Key(_NAMED.get(name, name), character))


@pytest.fixture
def gate(tmp_path: Path) -> RunFolder:
    return made(tmp_path, draft_text("p1", 6))


@pytest.mark.parametrize(
    "keys",
    [("ctrl+u", "'51", "enter"), ("backspace", "backspace", "backspace", "'51", "enter")],
)
async def test_a_number_of_the_gate_is_what_was_typed_though_all_of_it_came_at_once(
    gate: RunFolder, keys: tuple[str, ...]
) -> None:
    async with (app := app_on(gate)).run_test(size=(80, 24)) as pilot:
        screen = await gate_opened(pilot)
        await choose(pilot, screen, "window.interval_s")
        await pilot.press("e")
        await until(pilot, lambda: screen.query_one("#value").has_focus)
        burst(app, *keys)
        await until(pilot, lambda: screen.query_one("#fields").has_focus)
        await pilot.pause()
        assert screen.draft is not None
        assert "interval_s = 51 " in screen.draft.text
        await pilot.press("w")
        await until_text(pilot, "+interval_s = 51")
        await pilot.press("y")
        await until_text(pilot, "write: written")
        assert "interval_s = 51 " in on_disk(gate)


async def test_what_comes_behind_the_end_of_an_edit_is_in_no_field(gate: RunFolder) -> None:
    async with (app := app_on(gate)).run_test(size=(80, 24)) as pilot:
        screen = await gate_opened(pilot)
        await choose(pilot, screen, "window.cycles")
        await pilot.press("e")
        await until(pilot, lambda: screen.query_one("#value").has_focus)
        burst(app, "ctrl+u", "'33", "enter", "'7")
        await until(pilot, lambda: screen.query_one("#fields").has_focus)
        await pilot.pause()
        assert screen.draft is not None
        assert "cycles = 33 " in screen.draft.text


async def search(pilot: Pilot[int], *keys: str) -> JournalScreen:
    await until_read(pilot)
    await pilot.press("l")
    await until(pilot, lambda: isinstance(pilot.app.screen, JournalScreen))
    screen = pilot.app.screen
    assert isinstance(screen, JournalScreen)
    await until(pilot, lambda: screen._lines)
    await pilot.press("g", "slash")
    await until(pilot, lambda: screen.query_one("#search").has_focus)
    burst(pilot.app, *keys)
    await until(pilot, lambda: not screen.has_class("-searching"))
    await pilot.pause()
    return screen


async def test_a_search_of_the_journal_looks_for_all_that_was_typed(folder: RunFolder) -> None:
    async with app_on(folder).run_test(size=(80, 24)) as pilot:
        screen = await search(pilot, "'sealed", "enter")
        assert screen._search.words == "sealed"
        line = screen._chosen()
        assert line is not None
        assert line.name == "sealed"


async def test_a_note_is_all_that_was_typed(tmp_path: Path) -> None:
    folder = made(tmp_path, draft_text("p1", 3))
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("n")
        await until(pilot, lambda: isinstance(app.screen, Ask) and app.screen.query(Input))
        await until(pilot, lambda: app.focused)
        burst(app, "'two words", "enter")

        def journal() -> bytes:
            return folder.journal.read_bytes() if folder.journal.exists() else b""

        await until(pilot, lambda: b'"two words"' in journal())


async def test_the_menu_does_what_all_that_was_typed_names(folder: RunFolder) -> None:
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, Menu) and app.focused)
        burst(app, "'journal", "enter")
        await until(pilot, lambda: isinstance(app.screen, JournalScreen))


async def test_the_answers_are_all_that_was_typed(tmp_path: Path) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("v")
        await until_text(pilot, "judged 0s ago")
        verdict = app.screen
        assert isinstance(verdict, VerdictScreen)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AnswerScreen) and app.focused)
        form = app.screen
        form.query_one("#others", TextArea).focus()
        await pilot.pause()
        burst(app, "'other seed", "escape")
        await until(pilot, lambda: app.screen is verdict)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AnswerScreen) and app.focused)
        again = app.screen
        assert again.query_one("#others", TextArea).text == "other seed"
        again.query_one("#others", TextArea).text = ""
        again.query_one("#who", Input).focus()
        await pilot.pause()
        burst(app, "'op", "ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, PreviewScreen))
        await until_text(pilot, 'adjudicator = "op"')


async def test_a_tab_within_a_burst_leads_what_follows_to_the_next_field(tmp_path: Path) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("v")
        await until_text(pilot, "judged 0s ago")
        await pilot.press("a")
        await until(pilot, lambda: isinstance(app.screen, AnswerScreen) and app.focused)
        form = app.screen
        form.query_one("#others", TextArea).focus()
        await pilot.pause()
        burst(app, "'ab", "backspace", "tab", "space", "tab", "'why", "tab", "'me")
        await until(pilot, lambda: form.query_one("#who", Input).value == "me")
        assert form.query_one("#others", TextArea).text == "a"
        assert form.query_one("#case", Pick).chosen == 1
        assert form.query_one("#evidence", TextArea).text == "why"


async def test_the_arrows_of_a_burst_choose_the_word_before_enter_takes_it(gate: RunFolder) -> None:
    async with (app := app_on(gate)).run_test(size=(80, 24)) as pilot:
        screen = await gate_opened(pilot)
        await choose(pilot, screen, "gate.place")
        await pilot.press("e")
        await until(pilot, lambda: screen.query_one("#value").has_focus)
        burst(app, "down", "enter")
        await until(pilot, lambda: screen.query_one("#fields").has_focus)
        await pilot.pause()
        assert screen.draft is not None
        assert 'place = "beyond_table"' in screen.draft.text
