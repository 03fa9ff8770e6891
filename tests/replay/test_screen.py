"""The replay's screen: every key, what it never says, and that it is right at every size."""

import re
import shutil
from pathlib import Path

import pytest
from console.apps import (
    app_on,
    sample,
    text_of,
    type_in,
    until,
    until_read,
    until_still,
    until_text,
)
from console.terminal import Terminal
from replay import earlier
from replay.screens import BUILDERS, opened, press, replaying
from textual.binding import Binding

from plateau_tui.console.app import check_console_keys
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.console.screens.replay import ReplayScreen
from plateau_tui.console.screens.replaymoving import TICK_S
from plateau_tui.console.screens.replayunit import ReplayUnitScreen
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.runs import RunsScreen
from plateau_tui.metric.tables import ConfigError


@pytest.mark.asyncio
async def test_steps_jumps_ends_and_going_to_a_cycle(gaps: Path) -> None:
    app = replaying(gaps)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        for key, cycle in (
            ("full_stop", 2), ("right", 3), ("left", 2), ("comma", 1), ("comma", 1),
            ("right_square_bracket", 2), ("n", 6), ("N", 2), ("end", 40), ("full_stop", 40),
            ("left_square_bracket", 6), ("pagedown", 8), ("pageup", 6), ("home", 1),
            ("pageup", 1), ("right_curly_bracket", 2), ("home", 1),
        ):  # fmt: skip
            await press(pilot, key, cycle)
        await pilot.press("g")
        await type_in(pilot, "7")
        await until(pilot, lambda: "cycle 7 of 40" in text_of(app))
        assert "GAP" not in text_of(app)
        assert "no counter was read in this cycle" in text_of(app)
        await press(pilot, "left_square_bracket", 6)
        assert "> GAP: no counter was read" in text_of(app)
        for wrong in ("0", "41", "x", "9" * 40):
            await pilot.press("g")
            await type_in(pilot, wrong)
            await until_text(pilot, "is no cycle of this log: 1 to 40")
            assert "cycle 6 of 40" in text_of(app)
        await press(pilot, "end", 40)
        await pilot.press("n")
        await until_text(pilot, "no change after this cycle")
        assert screen.view is not None
        assert screen.view.cycle == 39


@pytest.mark.asyncio
async def test_it_plays_pauses_and_stops_at_the_end_at_the_speed_that_was_set(gaps: Path) -> None:
    app = replaying(gaps)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        assert "paused 600x" in text_of(app)
        for key, words in (("minus", "60x"), ("minus", "10x"), ("minus", "1x"), ("minus", "1x")):
            await pilot.press(key)
            await until_text(pilot, f"paused {words}")
        for words in ("10x", "60x", "600x", "3600x", "36000x", "360000x", "360000x"):
            await pilot.press("plus")
            await until_text(pilot, f"paused {words}")
        await pilot.press("minus", "minus")
        await pilot.press("space")
        await until_text(pilot, "playing 3600x")
        await until(pilot, lambda: screen.view and screen.view.cycle and screen.view.cycle > 2)
        await pilot.press("space")
        await until_text(pilot, "paused 3600x")
        await pilot.press("equals_sign", "space")
        await until(pilot, lambda: "cycle 40 of 40" in text_of(app))
        await until_text(pilot, "paused 36000x")
        screen.action_play()
        assert screen.view is not None
        assert screen.view.cycle == 0


def test_a_tick_goes_on_by_the_speed_and_not_by_the_clock(gaps: Path) -> None:
    assert TICK_S * 600 < earlier.INTERVAL_S < TICK_S * 3600


@pytest.mark.asyncio
async def test_a_unit_is_shown_as_of_the_cursor_which_moves_there_too(gaps: Path) -> None:
    app = replaying(gaps)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await press(pilot, "right_square_bracket", 2)
        await pilot.press("j", "j", "o")
        await until(pilot, lambda: isinstance(app.screen, ReplayUnitScreen))
        await until_text(pilot, "REPLAY old.jsonl.gz cycle 2 of 40")
        await until_text(pilot, "UNI-12-3 pair 3")
        before = text_of(app)
        assert "    3" not in before.splitlines()[4]
        for key, cycle in (("n", 6), ("full_stop", 7), ("comma", 6), ("N", 2)):
            await press(pilot, key, cycle)
        await pilot.press("u")
        await until_text(pilot, "UNI-12-4 pair 4")
        await pilot.press("U", "U")
        await until_text(pilot, "UNI-12-2 pair 2")
        await pilot.press("j", "k", "space")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, ReplayScreen))
        await until_text(pilot, "playing")
        await pilot.press("space", "down", "up", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReplayUnitScreen))


@pytest.mark.asyncio
async def test_the_journal_of_the_screen_ends_at_the_cursor() -> None:
    app = replaying(BUILDERS)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot)
        assert "the window closed" not in text_of(app)
        await press(pilot, "end", 10)
        await until_text(pilot, "the window closed after 10 cycles")
        assert "was CLOSED" in text_of(app)


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (160, 40)])
@pytest.mark.parametrize("cycle", [0, 9])
async def test_it_is_never_taken_for_the_live_screen(size: tuple[int, int], cycle: int) -> None:
    app = replaying(BUILDERS)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot)
        for _ in range(cycle):
            await pilot.press("full_stop")
        await until(pilot, lambda: screen.view and screen.view.cycle == cycle)
        await until_still(pilot)
        lines = text_of(app).splitlines()
        assert lines[0].startswith("REPLAY  ")
        until_units = "\n".join(lines[: next(n for n, t in enumerate(lines) if "TREAT" in t)])
        for word in ("collector", "next ", "heartbeat", "beat ", "NO COLLECTOR"):
            assert word not in until_units
        for name in ("UNI-10-1", "UNI-10-2", "UNI-11-1", "UNI-11-2"):
            assert name in text_of(app)
        assert "Behaviour only." in text_of(app)
        assert "Quit" in lines[-1]
        assert all(len(line) <= size[0] for line in lines)
        bar = next(line for line in lines if line.startswith("1 ["))
        assert bar.endswith("] 10")
        assert bar.count("#") == 1


@pytest.mark.asyncio
async def test_t_opens_it_on_the_run_and_on_the_chosen_one_of_the_list(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("t")
        await opened(pilot)
        await until_text(pilot, "REPLAY builders_vs_hoarders cycle 1 of 10")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await until_text(pilot, "builders_vs_hoarders")
        await pilot.press("t")
        await opened(pilot)


@pytest.mark.asyncio
async def test_a_log_that_cannot_be_read_says_why_and_leaves_by_its_key(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    folder.rows.unlink()
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("t")
        await until_text(pilot, "has no rows yet")
        for key in ("space", "full_stop", "n", "end", "home", "g", "o", "l", "plus", "j"):
            await pilot.press(key)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))


@pytest.mark.asyncio
async def test_what_must_be_said_of_an_earlier_file_stands_on_its_screen(gaps: Path) -> None:
    for size in ((60, 20), (80, 24)):
        app = replaying(gaps)
        async with app.run_test(size=size) as pilot:
            await opened(pilot)
            await until_text(pilot, "so a 'no' may be a '?'")
            assert "a 0 here may be a counter that was not read" in " ".join(text_of(app).split())


@pytest.mark.asyncio
async def test_names_and_notes_of_a_log_are_plain_text(tmp_path: Path) -> None:
    evil = "[@click=app.quit]x[/]\x1b[31m\u202e"
    made = [
        earlier.a_row((role, 12, evil + role), earlier.T0, "L1", None) | {"arm": role}
        for role in ("treatment", "control")
    ]
    app = replaying(earlier.write(tmp_path / "[b]old.jsonl", made))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        shown = text_of(app)
        assert "[b]old.jsonl" in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        await pilot.press("o")
        await until_text(pilot, "[@click=app.quit]x[/]")


@pytest.mark.asyncio
async def test_every_key_is_in_the_footer_the_help_and_the_menu_and_can_be_set(gaps: Path) -> None:
    keys = {"replay.play": "x", "replay.next": "f5", "replay.go": "ctrl+g"}
    check_console_keys(keys)
    app = replaying(gaps, keys)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(pilot)
        await press(pilot, "f5", 2)
        await pilot.press("x")
        await until_text(pilot, "playing")
        await pilot.press("x")
        foot = " ".join(text_of(app).splitlines()[-2:])
        own = "x Play|, Prev|f5 Next|[ Change-|] Change+|- Slower|+ Faster|home First|end Last"
        for word in f"{own}|^g Go|o Unit|d Pairs|l Journal|/ Find".split("|"):
            assert word in foot
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Page))
        text = app.screen._text  # type: ignore[attr-defined] # the page's own
        ids = [b.id for b in ReplayScreen.BINDINGS if isinstance(b, Binding)]
        assert all(f"({each})" in text for each in ids)
        await pilot.press("escape")
        commands = [c.title for c in app.get_system_commands(app.screen)]
        named = "Play Prev Next Change- Change+ First Last Go Pairs Journal Find"
        assert set(named.split()) <= set(commands)


def test_a_key_cannot_do_two_things_on_the_replay() -> None:
    with pytest.raises(ConfigError, match="would do two things on the replay screen"):
        check_console_keys({"replay.go": "space"})


def test_in_a_real_terminal_it_opens_moves_and_leaves_it_as_it_was(tmp_path: Path) -> None:
    run = Path(shutil.copytree(BUILDERS, tmp_path / "run"))
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    with Terminal("replay", str(run), cwd=tmp_path) as terminal:
        terminal.until_words("REPLAY run cycle 1 of 10")
        terminal.until_words("UNI-11-3")
        terminal.send(".")
        terminal.until_words("cycle 2 of 10")
        terminal.send("\x1b[F")
        terminal.until_words("cycle 10 of 10")
        terminal.send("\x1b[D")
        terminal.until_words("cycle 9 of 10")
        terminal.send("q")
        assert terminal.ended() == 0
    after = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    assert after == before


@pytest.mark.asyncio
async def test_what_voids_a_run_stands_beside_every_change_after_it_and_over_the_pairs() -> None:
    app = replaying(BUILDERS.with_name("withheld_4_objective_lost"))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await pilot.press("end")
        await until(pilot, lambda: screen.view is not None and bool(screen.view.voided))
        assert screen.view is not None
        first = screen.view.missing or ()
        assert "mine_sand" in (*first, *screen.view.voided[0].split())
        cycle = int(re.findall(r"gone in cycle (\d+)", screen.view.voided[0])[0])
        await pilot.press("g")
        await type_in(pilot, str(cycle))
        await until_text(pilot, "! can only end WITHHELD; > ")
        await pilot.press("d")
        await until_text(
            pilot, f"! mine_sand gone in cycle {cycle}: this run can only end WITHHELD"
        )
        await pilot.press("escape", "home")
        await until(pilot, lambda: "WITHHELD" not in text_of(app))
