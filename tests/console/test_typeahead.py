"""What is typed ahead of the screen goes where the keys before it led, letter by letter."""

from pathlib import Path

import pytest
from console.apps import app_on, sample, until, until_read, until_text
from console.gates import choose, made
from console.gates import opened as gate_opened
from console.terminal import attached
from console.test_bursts import burst
from textual.events import Paste
from textual.widgets import Input

from plateau_tui.console.screens.dialogs import Confirm
from plateau_tui.console.screens.gate import GateScreen
from plateau_tui.console.screens.journal import JournalScreen
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.scan import scan_journal
from plateau_tui.runlog.template import draft_text


def noted(folder: RunFolder) -> list[str]:
    items = [] if not folder.journal.exists() else list(scan_journal(folder.journal))
    events = [item[1].event for item in items if isinstance(item, tuple)]
    return [getattr(event, "text", "") for event in events if event and event.NAME == "note"]


@pytest.fixture
def draft(tmp_path: Path) -> RunFolder:
    return made(tmp_path, draft_text("p1", 6))


@pytest.mark.asyncio
@pytest.mark.parametrize("words", ["hello world", "l q x v", "3 am: q?"])
async def test_a_note_that_came_in_one_burst_is_a_note_and_no_keys(
    draft: RunFolder, words: str
) -> None:
    async with (app := app_on(draft)).run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        burst(app, "n", f"'{words}", "enter")
        await until(pilot, lambda: noted(draft))
        assert noted(draft) == [words]
        assert app.screen is screen


@pytest.mark.asyncio
async def test_what_is_pasted_behind_the_key_that_asks_is_its_answer(draft: RunFolder) -> None:
    async with (app := app_on(draft)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        burst(app, "n")
        app.post_message(Paste("out of a clipboard"))
        burst(app, "enter")
        await until(pilot, lambda: noted(draft))
        assert noted(draft) == ["out of a clipboard"]


@pytest.mark.asyncio
async def test_an_edit_of_the_gate_in_one_burst_is_one_and_no_seal_is_asked(
    draft: RunFolder,
) -> None:
    async with (app := app_on(draft)).run_test(size=(80, 24)) as pilot:
        screen = await gate_opened(pilot)
        await choose(pilot, screen, "window.cycles")
        burst(app, "e", "ctrl+u", "'789", "enter")
        await until(pilot, lambda: screen.draft is not None and "= 789 " in screen.draft.text)
        assert app.screen is screen
        await choose(pilot, screen, "variable")
        burst(app, "e", "ctrl+u", "'soil", "enter")
        await until(pilot, lambda: screen.draft is not None and '"soil"' in screen.draft.text)
        assert app.screen is screen
        assert isinstance(app.screen, GateScreen)


@pytest.mark.asyncio
async def test_a_key_right_behind_the_enter_that_ends_an_edit_begins_the_next(
    draft: RunFolder,
) -> None:
    async with (app := app_on(draft)).run_test(size=(80, 24)) as pilot:
        screen = await gate_opened(pilot)
        await choose(pilot, screen, "window.cycles")
        field = screen.query_one("#value", Input)
        for number in ("789", "123", "456"):
            burst(app, "e", "ctrl+u", f"'{number}", "enter", "e")
            await until(pilot, lambda: screen.draft is not None and number in screen.draft.text)  # noqa: B023 - at once
            await until(pilot, lambda: field.display and field.has_focus)
            assert field.value == number
            burst(app, "enter")
            await until(pilot, lambda: screen.query_one("#fields").has_focus)


@pytest.mark.asyncio
async def test_a_screen_and_a_search_of_it_may_be_asked_for_in_one_burst(tmp_path: Path) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        burst(app, "l", "/", "'sealed", "enter")
        await until(pilot, lambda: isinstance(app.screen, JournalScreen))
        screen = app.screen
        assert isinstance(screen, JournalScreen)
        await until(pilot, lambda: screen._search.words == "sealed")
        burst(app, "escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))


@pytest.mark.asyncio
async def test_a_hundred_keys_in_one_burst_are_a_hundred_letters(draft: RunFolder) -> None:
    words = "abcdefghij" * 10
    async with (app := app_on(draft)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        burst(app, "n", f"'{words}", *["backspace"] * 3, "enter")
        await until(pilot, lambda: noted(draft))
        assert noted(draft) == [words[:-3]]


def test_a_note_in_one_write_to_a_real_terminal_is_a_note(draft: RunFolder) -> None:
    with attached(draft) as terminal:
        terminal.until_words("UNI-11-6")
        terminal.send("nwhile it lagged\r")
        terminal.until(lambda: noted(draft))
        assert noted(draft) == ["while it lagged"]
        terminal.send("q")
        assert terminal.ended() == 0


@pytest.mark.parametrize("sent", [b"\xe9j", b"\x1b[M \xf0\xf0", b"caf\xe9 \xff\xfe"])
def test_bytes_that_are_not_utf_8_are_told_and_end_nothing(folder: RunFolder, sent: bytes) -> None:
    with attached(folder) as terminal:
        terminal.until_words("UNI-11-3")
        terminal.child.send(sent)
        terminal.child.send(b"j")
        terminal.until_words("not UTF-8")
        terminal.send("?")
        terminal.until_words("Help")
        terminal.send("\x1b")
        terminal.settle()
        terminal.send("q")
        assert terminal.ended() == 0


@pytest.mark.asyncio
async def test_a_yes_that_was_sent_before_the_question_stood_there_agrees_to_nothing(
    draft: RunFolder,
) -> None:
    """In what a terminal pastes unmarked any letter may be one."""
    async with (app := app_on(draft)).run_test(size=(80, 24)) as pilot:
        screen = await gate_opened(pilot)
        await choose(pilot, screen, "window.cycles")
        burst(app, "e", "ctrl+u", "'33", "enter")
        await until(pilot, lambda: screen.changed)
        burst(app, "escape", "y", "y")
        await until_text(pilot, "Leave without writing?")
        await pilot.pause()
        assert isinstance(app.screen, Confirm)
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
