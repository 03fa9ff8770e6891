"""The calibration's keys for what the command takes as --motion, --controls and --reference."""

import json
import os
from pathlib import Path
from typing import Any

import make_references
import pytest
from calibration.gamesextra import needs_games
from console.apps import app_on, sample, text_of, until, until_text, words_of
from console.calibrating import choose, console, fifo, gate, instead, opened
from console.slowgames import GatedGame
from textual.pilot import Pilot
from textual.widgets import Input

from plateau_tui.console.screens import measuring
from plateau_tui.console.screens.base import KeyBar
from plateau_tui.console.screens.calibration import CalibrationScreen
from plateau_tui.console.screens.dialogs import Ask
from plateau_tui.console.screens.measuring import MeasureScreen
from plateau_tui.console.screens.runs import RunsScreen

SIZES = [(60, 20), (80, 24)]

__all__ = ["fifo", "gate"]


async def shown(pilot: Pilot[int]) -> CalibrationScreen:
    await until(pilot, lambda: isinstance(pilot.app.screen, RunsScreen))
    return await opened(pilot)


async def on_file(pilot: Pilot[int], target: str, typed: str) -> None:
    """Choose a target, and type the file of another reference."""
    await choose(pilot, target)
    await pilot.press("r")
    await until(pilot, lambda: isinstance(pilot.app.screen, Ask) and pilot.app.screen.query(Input))
    pilot.app.screen.query_one(Input).value = typed
    await pilot.press("enter")


def bar_of(pilot: Pilot[int]) -> str:
    return " ".join(pilot.app.screen.query_one(KeyBar).lines)


@pytest.mark.asyncio
@pytest.mark.parametrize("size", SIZES)
async def test_the_keys_stand_in_the_footer_and_the_help(size: tuple[int, int]) -> None:
    app = console()
    async with app.run_test(size=size) as pilot:
        await shown(pilot)
        for key in ("m Motion", "c Controls", "r Reference"):
            assert key in bar_of(pilot)
        assert len(pilot.app.screen.query_one(KeyBar).lines) <= 3
        assert "engine-crawler" in text_of(app)
        await pilot.press("question_mark")
        await until_text(pilot, "How every number moved (--motion)")
        for words in ("Players that look, ranked (--controls)", "another recording (--reference)",
                      "(calibration.controls)"):  # fmt: skip
            assert words in words_of(app)


@pytest.mark.asyncio
@pytest.mark.parametrize("size", SIZES)
async def test_motion_stands_above_all_else_and_goes_again(size: tuple[int, int]) -> None:
    app = console()
    async with app.run_test(size=size) as pilot:
        await shown(pilot)
        await choose(pilot, "save-levels")
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, MeasureScreen))
        await until_text(pilot, "done; j k")

        def headings() -> list[str]:
            lines = text_of(app).splitlines()
            return [line for line in lines if "save-levels" in line or "rises" in line]

        await until(pilot, lambda: len(headings()) > 1)
        assert "m Motion c Controls" in bar_of(pilot)
        top = headings()
        assert "contract save-levels" in top[0]
        assert "channel" in top[1]
        assert "engine.stars" in text_of(app)
        await pilot.press("m")
        await until(pilot, lambda: "rises" not in words_of(app))
        assert "reference" in words_of(app)
        await pilot.press("m")
        await until_text(pilot, "engine.stars")
        assert all(len(line) <= size[0] for line in text_of(app).splitlines())


@pytest.mark.asyncio
async def test_a_target_without_controls_names_those_with_some() -> None:
    app = console()
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        await choose(pilot, "save-levels")
        await pilot.press("c")
        await until_text(pilot, "save-levels has no controls; these have: breakout")
        assert isinstance(app.screen, CalibrationScreen)
        await pilot.press("o")
        await until_text(pilot, "done; j k")
        await pilot.press("c")
        await until_text(pilot, "save-levels has no controls; these have: breakout")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("key", "told"),
    [("m", "a run shows how its counters moved"), ("c", "a run has no controls"),
     ("r", "the references of a run are its treatment units")],
)  # fmt: skip
async def test_what_a_run_has_none_of_is_said_and_nothing_is_opened(
    tmp_path: Path, key: str, told: str
) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press(key)
        await until_text(pilot, told)
        assert isinstance(app.screen, CalibrationScreen)


def written(folder: Path, target: str, **changes: object) -> str:
    value: dict[str, Any] = json.loads(make_references.as_text(target))
    (folder / "mine.json").write_text(json.dumps(value | changes), "utf-8")
    return str(folder / "mine.json")


@pytest.mark.asyncio
@pytest.mark.parametrize("size", SIZES)
async def test_another_reference_is_played_and_changes_nothing_in_the_list(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    app = console()
    async with app.run_test(size=size) as pilot:
        await shown(pilot)
        await on_file(pilot, "save-levels", written(tmp_path, "save-levels", declared={}))
        await until_text(pilot, "done; j k")
        assert "Calibration on" in words_of(app)
        assert "REFUSED: level-2-saved is opaque" in words_of(app)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, CalibrationScreen))
        await until_text(pilot, "save-levels not played yet")


@pytest.mark.asyncio
async def test_a_reference_that_cannot_be_read_is_one_line_and_no_file_is_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = console()
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        await on_file(pilot, "save-levels", " [red]nowhere.json ")
        await until_text(pilot, "save-levels: [red]nowhere.json: No such file or directory")
        await until_text(pilot, "done; j k")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, CalibrationScreen))
        await on_file(pilot, "save-levels", "  ")
        await until(pilot, lambda: isinstance(app.screen, CalibrationScreen))
        (tmp_path / "twice.json").write_text('{"seed": 1, "seed": 2}')
        await on_file(pilot, "save-levels", "twice.json")
        await until_text(pilot, "the key 'seed' stands more than once")


@pytest.mark.asyncio
async def test_a_key_while_a_target_is_played_waits_for_it(
    gate: int, fifo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instead(monkeypatch, GatedGame(fifo))
    app = console()
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        await choose(pilot, "native-2048")
        await pilot.press("m")
        await until_text(pilot, f"1 of {2 + 6 + measuring.WALKS} runs: reference")
        await pilot.press("m", "m", "c")
        os.write(gate, b"." * 100)
        await until_text(pilot, "native-2048 has no controls")
        await until_text(pilot, "engine.hull")


@needs_games
@pytest.mark.asyncio
async def test_controls_are_played_with_progress_and_ranked_on_the_same_reference(
    tmp_path: Path,
) -> None:
    """A short recording without a hash: nothing is swept, and two players are left to play."""
    ours = json.loads(make_references.as_text("breakout"))
    rules = [rule for rule in ours["milestones"] if rule["id"] == "score-opened"]
    file = written(tmp_path, "breakout", milestones=rules, declared={}, inputCount=40,
                   inputs=ours["inputs"][:40])  # fmt: skip
    app = console()
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(pilot)
        await on_file(pilot, "breakout", file)
        await until(pilot, lambda: isinstance(app.screen, MeasureScreen))
        await pilot.press("c")
        await until_text(pilot, "of 2 runs: steer-from-")
        await until_text(pilot, "done; j k")
        await until_text(pilot, "steer-from-ascii @600 7 0 1 of 1 1 of 1 375")
        await until_text(pilot, "steer-from-ram @600 24 5 1 of 1 1 of 1 600")
        await until_text(pilot, "stands above the contract's top")
        await pilot.press("c")
        await until(pilot, lambda: "steer-from-ram" not in words_of(app))
        await pilot.press("c")
        await until_text(pilot, "steer-from-ram @600")  # from memory: nothing is played twice
