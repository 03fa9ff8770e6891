"""The replay's screen: where it leads to, what it copies, and how far its plots go."""

from pathlib import Path

import pytest
from console.apps import (
    app_on,
    text_of,
    type_in,
    until,
    until_read,
    until_text,
)
from replay.screens import opened, press, replaying
from runlog.runs import finished_run

from plateau_tui.config import copies_folder
from plateau_tui.console.app import PlateauApp
from plateau_tui.console.replay.source import ZERO_MEANS
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.console.screens.replay import ReplayScreen
from plateau_tui.console.screens.replayplots import ReplayPlotsScreen
from plateau_tui.console.screens.replayunit import ReplayUnitScreen


@pytest.mark.asyncio
async def test_t_on_a_run_that_goes_on_opens_at_the_latest_cycle(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", cycles=6, close=False)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("t")
        await opened(pilot)
        await until_text(pilot, "REPLAY run cycle 6 of")
        await press(pilot, "comma", 5)


@pytest.mark.asyncio
async def test_y_copies_what_the_replay_shows_to_a_file(gaps: Path) -> None:
    app = replaying(gaps)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot)
        await press(pilot, "n", 2)
        await press(pilot, "n", 6)
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, Page))
        text = (copies_folder() / "old.jsonl.gz-replay-6.txt").read_text("utf-8")
        assert "as it stood in cycle 6 of 40, 2026-06-24 23:31:00 UTC" in text
        assert "> GAP: no counter was read" in text
        assert "UNI-13-6" in text
        assert ZERO_MEANS in text
        await pilot.press("escape", "o")
        await until(pilot, lambda: isinstance(app.screen, ReplayUnitScreen))
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, Page))
        text = (copies_folder() / "old.jsonl.gz-UNI-12-1-replay-6.txt").read_text("utf-8")
        assert "unit UNI-12-1 of log old.jsonl.gz, as it stood in cycle 6 of 40" in text
        assert "mine_oak_log" in text


@pytest.mark.asyncio
async def test_a_click_on_the_bar_goes_there_and_beside_it_nowhere(gaps: Path) -> None:
    app = replaying(gaps)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        for x, cycle in ((75, 40), (3, 1), (40, 21)):
            await pilot.click("#bar", offset=(x, 0))
            await until_text(pilot, f"cycle {cycle} of 40")
        for x in (1, 79):
            await pilot.click("#bar", offset=(x, 0))
            await pilot.pause()
            assert "cycle 21 of 40" in text_of(app)


@pytest.mark.asyncio
async def test_esc_leads_out_of_a_replay_that_was_opened_alone_into_no_list_of_runs(
    gaps: Path,
) -> None:
    app = PlateauApp(gaps.parent, None, {})
    app.opens = lambda: ReplayScreen(gaps, alone=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        assert "esc Back" not in text_of(app)
        await pilot.press("escape")
        await until_text(pilot, "no screen lies before this one; q leaves")
        await pilot.press("j")
        await until(pilot, lambda: "no screen lies" not in text_of(app))
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, ReplayUnitScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))


@pytest.mark.asyncio
async def test_an_answer_stands_until_the_next_key_whatever_that_does(gaps: Path) -> None:
    app = replaying(gaps)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("g")
        await type_in(pilot, "x")
        await until_text(pilot, "x is no cycle of this log: 1 to 40, nor a time")
        await pilot.press("j")
        await until(pilot, lambda: "is no cycle" not in text_of(app))


@pytest.mark.asyncio
async def test_a_jump_to_a_flag_chooses_its_unit_and_the_grid_marks_it(gaps: Path) -> None:
    app = replaying(gaps)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot)
        await pilot.press("j", "j")
        await press(pilot, "right_curly_bracket", 2)
        await until_text(pilot, "> UNI-12-1, UNI-12-2, UNI-12-3, +9 reached PRIMARY")
        assert "UNI-12-1*" in text_of(app)
        await until_text(pilot, "UNI-12-1: beyond")
        await pilot.press("right_curly_bracket")
        await until_text(pilot, "no turn of a flag after this cycle")


@pytest.mark.asyncio
async def test_sparklines_and_plots_go_up_to_the_cursor(gaps: Path) -> None:
    app = replaying(gaps)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await press(pilot, "pagedown", 3)
        assert "gaps placed" not in text_of(app)
        await pilot.press("s")
        await until_text(pilot, "gaps placed hoard")
        assert "\u2581\u2585\u2588" in text_of(app)
        await pilot.press("s")
        await until(pilot, lambda: "gaps placed" not in text_of(app))
        await pilot.press("o", "g")
        await until(pilot, lambda: isinstance(app.screen, ReplayPlotsScreen))
        await until_text(pilot, "REPLAY old.jsonl.gz cycle 3 of 40")
        await until_text(pilot, "blocks placed: 1")
        assert "(" not in text_of(app).splitlines()[-8]
        await pilot.press("n", "escape")
        await until(pilot, lambda: isinstance(app.screen, ReplayUnitScreen))
        await until_text(pilot, "UNI-12-2 pair 2")
