"""Keys and words that come early, late or twice, and answers that hide nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from console.apps import BUILDERS, app_on, sample, text_of, until, until_read, until_text
from textual.app import SystemCommand
from textual.events import Resize
from textual.widgets import OptionList

from plateau_tui.console.app import PlateauApp
from plateau_tui.console.messages import JobDone, Progress, RunRead
from plateau_tui.console.screens.base import BaseScreen
from plateau_tui.console.screens.dialogs import Ask, Page
from plateau_tui.console.screens.gate import GateScreen
from plateau_tui.console.screens.menu import Menu
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.runs import RunsScreen
from plateau_tui.console.screens.unit import UnitScreen
from plateau_tui.console.screens.wizard import WizardScreen
from plateau_tui.console.widgets.choices import Choices
from plateau_tui.runlog.layout import RunFolder

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize("typed", ["", "e", "no such key at all"])
async def test_the_menu_takes_every_key_in_any_state_of_its_list(
    tmp_path: Path, typed: str
) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        run = await until_read(pilot)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, Menu))
        menu = app.screen
        assert isinstance(menu, Menu)
        moves = ("page_down", "page_up", "cursor_down", "cursor_up", "first", "last")
        for move in moves:
            menu._narrow(typed)  # its lines are not laid out before the next pause
            menu.query_one(Choices)._clear_caches()
            menu.action_choices(move)
            menu.query_one(Choices).action_select()
            menu._narrow("")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.screen is not menu)
        assert run in app.screen_stack or isinstance(app.screen, RunsScreen)


async def test_a_menu_that_is_entered_twice_does_what_was_chosen_once(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        run = await until_read(pilot)
        done: list[str] = []

        async def once() -> None:
            done.append("done")

        menu = Menu([SystemCommand("Once", "for a test", once)])
        app.push_screen(menu, lambda command: done.append(command.title if command else "left"))
        await until(pilot, lambda: app.screen is menu and menu._found)
        menu._choose(0)
        menu._choose(0)
        menu.action_leave()
        await until(pilot, lambda: app.screen is run and done)
        await pilot.pause()
        assert done == ["Once"]


async def test_a_list_without_lines_or_size_takes_every_key(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        await pilot.resize_terminal(20, 5)  # all lists are hidden, and have no lines then
        await pilot.pause()
        for choices in (*screen.query(Choices), *app.screen_stack[-2].query(Choices)):
            choices.highlighted = 0
            choices._clear_caches()
            for move in ("page_down", "page_up", "cursor_down", "cursor_up", "first", "last"):
                getattr(choices, f"action_{move}")()
            choices.action_select()
            choices.clear_options()
            for move in ("page_down", "page_up", "first", "last", "select"):
                getattr(choices, f"action_{move}")()


async def test_the_chosen_line_is_told_from_the_others_without_colour(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))

    def reverse_lines() -> list[str]:
        strips = app.screen._compositor.render_strips(app.size)
        marked = (
            "".join(part.text for part in strip if part.style is not None and part.style.reverse)
            for strip in strips
        )
        return [line for line in marked if "on " in line or "10 of 10" in line]

    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await until(pilot, lambda: [line[2:10] for line in reverse_lines()] == ["UNI-10-1"])
        await pilot.press("j", "j", "j")
        await until(pilot, lambda: [line[2:10] for line in reverse_lines()] == ["UNI-11-1"])
        await pilot.press("escape")
        await until(pilot, lambda: [line[:8] for line in reverse_lines()] == [BUILDERS[:8]])


async def test_a_chosen_run_is_opened_though_the_list_has_changed_since(tmp_path: Path) -> None:
    sample(tmp_path)
    app = PlateauApp(tmp_path / "runs", None, {})
    async with app.run_test(size=(80, 24)) as pilot:
        await until_text(pilot, "10 of 10")
        screen = app.screen
        assert isinstance(screen, RunsScreen)
        choices = screen.query_one(Choices)
        stale = OptionList.OptionSelected(choices, choices.options[0], 0)
        gone, screen._entries = screen._entries, ()
        screen._open(stale)
        assert isinstance(app.screen, RunsScreen)
        screen._entries = gone
        screen._open(stale)
        assert (await until_read(pilot)).folder.path.name == BUILDERS


async def test_a_screen_that_closes_takes_no_key_and_no_word_any_more(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        run = await until_read(pilot)
        for key in ("o", "w"):
            await pilot.press(key)
            await until(pilot, lambda: app.screen is not run)
            closing = app.screen
            app.pop_screen()
            assert not await app.run_action("scroll(1)", default_namespace=closing)
            closing.post_message(Progress("too late"))
            closing.post_message(JobDone("check", "too late", ok=True))
            closing.post_message(RunRead(run.view, ""))
            closing.post_message(Resize(app.size, app.size))
            await until(pilot, lambda: app.screen is run)
            await pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_an_answer_hides_no_unit_and_no_key(tmp_path: Path, size: tuple[int, int]) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=size, notifications=True) as pilot:
        await until_read(pilot)
        before = text_of(app).splitlines()
        await pilot.press("r")
        await until_text(pilot, "> read now: NO: no collector runs")
        app.notify("a word of the framework")
        await until_text(pilot, "> a word of the framework")
        after = text_of(app).splitlines()
        tail = app.screen.query_one("#journal").region
        assert tail.height >= (2 if size > (60, 20) else 1)
        outside = [y for y in range(size[1]) if not tail.y <= y < tail.bottom]
        assert [before[y] for y in outside] == [after[y] for y in outside]


async def test_an_answer_that_comes_when_its_run_was_left_names_the_run(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        app.post_message(JobDone("note", "noted", ok=True, run=folder.path))
        await until_text(pilot, f"{BUILDERS}: note: noted")


async def test_collecting_is_refused_at_once_where_something_is_missing(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        run = await until_read(pilot)
        await pilot.press("c")
        await until_text(pilot, "> the window is closed: nothing is left to collect")
        folder.journal.unlink()
        folder.rows.unlink()
        await until_text(pilot, "DRAFT")
        await pilot.press("c")
        await until_text(pilot, "> no seal yet: w opens the wizard, and s there seals the gate")
        assert app.screen is run


async def test_a_page_that_opens_by_itself_is_closed_by_no_key_at_first(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        page = Page("The end", "words", settle_s=3600.0)
        app.push_screen(page)
        await until_text(pilot, "The end")
        await pilot.press("enter", "q", "escape")
        assert app.screen is page
        page._settled_at = 0.0
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))


async def test_only_a_screen_that_is_seen_is_drawn(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        run = await until_read(pilot)
        runs = app.screen_stack[-2]
        assert isinstance(runs, BaseScreen)
        assert (runs.is_current, run.is_current) == (False, True)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, UnitScreen))
        assert not run.is_current
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Page))
        assert not run.is_current
        await pilot.press("escape", "escape", "w")
        await until(pilot, lambda: isinstance(app.screen, WizardScreen))
        await pilot.press("escape", "question_mark")
        await until(pilot, lambda: isinstance(app.screen, Page))
        assert run.is_current


async def test_the_list_reads_no_file_while_a_run_lies_over_it(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        runs = app.screen_stack[-2]
        assert isinstance(runs, RunsScreen)
        assert runs._halted()
        await pilot.press("escape")
        await until_text(pilot, "10 of 10")
        assert not runs._halted()


async def test_keys_that_are_on_their_way_when_a_screen_closes_do_nothing_twice(
    tmp_path: Path,
) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        run = await until_read(pilot)
        for action in ("back", "wizard", "open", "journal"):
            await pilot.press("m")
            await pilot.press("escape")
            getattr(run, f"action_{action}")()
            getattr(run, f"action_{action}")()
            await pilot.pause()
            assert len(app.screen_stack) >= 2
            while app.screen is not run and run in app.screen_stack:
                app.pop_screen()
            if run not in app.screen_stack:
                await pilot.press("o")
                run = await until_read(pilot)
        run.action_note()
        run.action_note()
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is run)


@pytest.mark.parametrize("made", [RunScreen, GateScreen, WizardScreen])
async def test_a_word_that_comes_before_a_screen_has_its_parts_breaks_nothing(
    tmp_path: Path, made: Callable[[RunFolder], BaseScreen]
) -> None:
    folder = sample(tmp_path)
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        screen = made(folder)
        app.push_screen(screen)
        assert not screen.is_seen
        screen.resized()
        app.notify("a word that came early")
        app.post_message(JobDone("note", "an early answer", ok=True, run=folder.path))
        await until(pilot, lambda: screen.is_seen)
        await until(pilot, lambda: any("an early answer" in w for w in heard(app)))


def heard(app: PlateauApp) -> list[str]:
    runs = [screen for screen in app.screen_stack if isinstance(screen, RunScreen)]
    return [said.text for screen in runs for said in screen._said]


async def test_an_answer_that_comes_while_the_console_ends_breaks_nothing(tmp_path: Path) -> None:
    """An application that ends takes the parts of its screens away before the screens."""
    async with (app := app_on(sample(tmp_path))).run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        await screen.query_one("#whole").remove()
        app._running = False
        assert not screen.is_seen
        screen.hear("too late", "note")
        screen.post_message(RunRead(screen.view, ""))
        await pilot.pause()
        for timer in tuple(screen._timers):  # an application that runs would have the parts
            timer.stop()
        app._running = True
        app.pop_screen()
