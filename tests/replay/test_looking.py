"""What the live console shows of a run, the replay shows of a moment: pairs, journal, all units.

The judge is the live code on a run that was cut off after that moment's cycle.
"""

import threading
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from console.apps import text_of, until, until_still, until_text
from replay.judging import cut, live
from replay.screens import SIX, TWENTY, a_run, lines_of, on, opened, press, replaying, shows

from plateau_tui.console.lines.pairs import header_lines, old_in, pair_lines, table_lines
from plateau_tui.console.live.pairsofar import pairs_so_far
from plateau_tui.console.screens import replay, replayparts
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.console.screens.replay import ReplayScreen
from plateau_tui.console.screens.replayjournal import ReplayJournalScreen
from plateau_tui.console.screens.replaypairs import ReplayPairsScreen
from plateau_tui.console.screens.replayplots import ReplayPlotsScreen
from plateau_tui.console.screens.replayunit import ReplayUnitScreen

# -- pairs ----------------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_the_pairs_of_a_moment_are_the_live_ones_of_a_run_that_ended_there(
    tmp_path: Path,
) -> None:
    run = a_run(tmp_path / "run", SIX)
    app = replaying(run.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await press(pilot, "full_stop", 2)
        await pilot.press("d")
        await on(pilot, ReplayPairsScreen)
        screen = app.screen
        for key, cycle in ((".", 3), ("right_curly_bracket", 4), ("right_square_bracket", 6)):
            await pilot.press("full_stop" if key == "." else key)
            judge = live(cut(run, cycle - 1, tmp_path / f"cut-{cycle}"))
            assert judge.paired is not None
            found = pairs_so_far(judge.paired)
            now = max(unit.read_ms or 0 for unit in judge.units)
            await until_text(pilot, f"REPLAY run cycle {cycle} of 66")
            expected = "\n".join(header_lines(found, "run", 80))
            await until(pilot, partial(shows, screen, "#heading", expected))
            assert "NOT THE VERDICT" in expected
            shown = lines_of(screen, "#lines").splitlines()
            pairs = [line.text for line in pair_lines(found, 79, {}, old_in(judge, now))]
            assert shown[: len(pairs) + 5] == [*pairs, "", *table_lines(found, 79)]
            assert any(">>>" in line for line in shown[:6])


@pytest.mark.asyncio
async def test_a_unit_opens_from_its_pair_and_both_go_along_with_the_cursor(tmp_path: Path) -> None:
    app = replaying(a_run(tmp_path / "run", SIX).path)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await pilot.press("d")
        await on(pilot, ReplayPairsScreen)
        await until_text(pilot, "1 UNI-10-1 yes")
        await pilot.press("j", "l", "o")
        await on(pilot, ReplayUnitScreen)
        await until_text(pilot, "UNI-11-2 pair 2")
        await press(pilot, "full_stop", 2)
        await pilot.press("escape")
        await until_text(pilot, "as if the window ended with cycle 2 of 66")
        screen.action_last()
        await until_text(pilot, "as if the window ended with cycle 12 of 66")
        screen.action_first()
        assert "cycle 12" not in text_of(app)
        await until_text(pilot, "as if the window ended with cycle 1 of 66")
        await pilot.press("comma", "left_curly_bracket")
        await until_text(pilot, "no turn of a flag before this cycle")
        await pilot.press("y")
        await on(pilot, Page)
        await until_text(pilot, "REPLAY of the pairs of log run, as it stood in cycle 1 of 66")


@pytest.mark.asyncio
async def test_the_pairs_of_rows_alone_say_what_is_assumed_of_them(gaps: Path) -> None:
    app = replaying(gaps, None, **{"": "oak_log"})
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await press(pilot, "end", 40)
        await pilot.press("d")
        await on(pilot, ReplayPairsScreen)
        await until_text(pilot, "Rows alone: no gate is known")
        await until_text(pilot, "tells of no players' list: a unit that was read counts as live")
        await until_text(pilot, "1 UNI-12-1 yes YES no no =-- UNI-13-1 yes YES no no")
        await until_text(pilot, "6 live pairs of 6")


# -- the units ------------------------------------------------------------------------------------


def units_of(app_text: str) -> list[str]:
    """The names of the units whose lines are in view."""
    lines = [line.split() for line in app_text.splitlines()]
    return [line[1] for line in lines if len(line) > 5 and line[1].startswith(("UNI-", "~"))]


@pytest.mark.asyncio
async def test_all_six_units_of_both_arms_stand_on_80x24_of_any_kind_of_log(
    tmp_path: Path, gaps: Path
) -> None:
    for path, kin in ((a_run(tmp_path / "run", SIX).path, 10), (gaps, 12)):
        app = replaying(path)
        async with app.run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            text = text_of(app)
            names = [f"UNI-{kin + more}-{n}" for more in (0, 1) for n in range(1, 7)]
            assert units_of(text) == names
            assert "out of view" not in text
            assert "Quit" in text.splitlines()[-1]
            assert len(text.splitlines()) == 24


@pytest.mark.asyncio
async def test_forty_units_scroll_and_say_how_many_are_out_of_view(tmp_path: Path) -> None:
    app = replaying(a_run(tmp_path / "run", TWENTY).path)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        assert len(units_of(text_of(app))) == 12
        await until_text(pilot, "28 units out of view (/); UNI-10-1: beyond nothing")
        assert text_of(app).count("1-6 shown") == 2
        for _ in range(7):
            await pilot.press("j")
        await until_text(pilot, "3-8 shown")
        await pilot.press("slash", *"11-17", "enter")
        await until_text(pilot, "UNI-11-17: beyond nothing")
        assert "UNI-11-17" in units_of(text_of(app))
        await until_still(pilot)
        assert "Quit" in text_of(app).splitlines()[-1]
        await pilot.press("o")
        await on(pilot, ReplayUnitScreen)
        await until_text(pilot, "UNI-11-17 pair 17")


@pytest.mark.asyncio
async def test_the_keys_of_the_field_are_its_own_and_leave_the_cursor(tmp_path: Path) -> None:
    app = replaying(a_run(tmp_path / "run", SIX).path)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await press(pilot, "full_stop", 2)
        await pilot.press("slash", "1", "1", "home", "minus", "end", "comma", "pagedown", "space")
        await until(pilot, lambda: screen.finds)
        assert screen.cursor.cycle == 1
        assert not screen.cursor.plays
        await pilot.press("enter")
        await until_text(pilot, "no unit has -11, in its name")
        await pilot.press("slash", "1", "1", "minus", "5")
        await until_text(pilot, "UNI-11-5")
        assert screen.chosen() == "UNI-11-5"
        await pilot.press("escape")
        await until(pilot, lambda: screen.chosen() == "UNI-10-1")
        assert app.screen is screen


@pytest.mark.asyncio
async def test_a_search_that_began_before_the_log_was_read_leaves_the_keys_their_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, read_log = threading.Event(), replayparts.read_log

    def wait_and_read(*given: Any) -> None:  # noqa: ANN401 - as they come
        go.wait(30)
        read_log(*given)

    monkeypatch.setattr(replay, "read_log", wait_and_read)
    app = replaying(a_run(tmp_path / "run", TWENTY).path)
    async with app.run_test(size=(80, 24)) as pilot:
        await on(pilot, ReplayScreen)
        await pilot.press("slash")
        go.set()
        screen = await opened(pilot)
        assert screen.finds
        await pilot.press("1", "enter")
        await until(pilot, lambda: "Quit" in text_of(app).splitlines()[-1])
        assert len(text_of(app).splitlines()) == 24


# -- along with the cursor ------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_the_keys_of_the_cursor_move_it_on_every_screen_over_a_replay(tmp_path: Path) -> None:
    app = replaying(a_run(tmp_path / "run", SIX).path)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        for opening, kind in (
            (("o",), ReplayUnitScreen),
            (("o", "g"), ReplayPlotsScreen),
            (("d",), ReplayPairsScreen),
            (("l",), ReplayJournalScreen),
        ):
            screen.action_first()
            for key in opening:
                await pilot.press(key)
                await until_still(pilot)
            await on(pilot, kind)
            for key, cycle in (
                ("full_stop", 2), ("right_square_bracket", 4), ("right_curly_bracket", 6),
                ("comma", 5), ("left_square_bracket", 4), ("left_curly_bracket", 2),
            ):  # fmt: skip
                await pilot.press(key)
                await until_text(pilot, f"REPLAY run cycle {cycle} of 66")
            await pilot.press("space")
            await until(pilot, lambda: screen.cursor.plays)
            await pilot.press("space")
            await until(pilot, lambda: not screen.cursor.plays)
            while app.screen is not screen:
                await pilot.press("escape")
                await until_still(pilot)
