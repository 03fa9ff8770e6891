"""The pairs say how old they are, what is wrong, and what they can still come to."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from console.apps import app_on, text_of, until, until_read, until_text
from console.views import NOW, view, with_units
from metric.texts import parsed
from rich.cells import cell_len
from runlog.runs import begin, new_folder, write_cycle
from textual.events import Paste

from plateau_tui.console.lines.pairs import old_in, pair_lines, read_ago, wrong_lines
from plateau_tui.console.lines.problem import Problem, Rank
from plateau_tui.console.lines.problems import problems
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.pairsofar import PairsSoFar, pairs_so_far
from plateau_tui.console.screens.pairs import PairsScreen
from plateau_tui.console.screens.unit import UnitScreen
from plateau_tui.runlog.layout import RunFolder

OLD: Final = NOW - 3 * view().interval_ms
WIDTHS: Final = (59, 79, 119)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    """An open run in which the treatment units have reached both halves."""
    writer = begin(new_folder(tmp_path / "runs" / "a"))
    for cycle in (0, 1):
        write_cycle(writer, parsed(), cycle)
    yield RunFolder(tmp_path / "runs" / "a")
    writer.close()


def pairs_of(folder: RunFolder) -> PairsSoFar:
    found, more = RunModel(folder).look()
    assert not more
    assert found is not None
    assert found.paired is not None
    return pairs_so_far(found.paired)


@pytest.mark.parametrize("width", WIDTHS)
def test_what_is_old_stands_in_brackets_in_the_cells_that_there_are(
    folder: RunFolder, width: int
) -> None:
    found = pairs_of(folder)
    fresh = pair_lines(found, width)[0].text
    assert "(" not in fresh
    run = with_units(mined_ms=OLD)
    aged = pair_lines(found, width, old=old_in(run, NOW))[0].text
    assert "yes  YES (Y) (Y)" in aged
    assert "yes  no  (n) (n)" in aged
    unlisted = pair_lines(found, width, old=old_in(with_units(online_ms=OLD), NOW))[0].text
    assert unlisted.count("(y)") == 2
    assert len({cell_len(line) for line in (fresh, aged, unlisted)}) == 1


def test_when_it_was_read_is_told_and_marked_where_that_is_old() -> None:
    assert read_ago(view(), NOW) == "read 0s ago"
    assert read_ago(with_units(read_ms=OLD), NOW) == "read 30m ago!"
    assert read_ago(with_units(read_ms=None), NOW) == ""


def test_what_voids_the_run_stands_beside_what_is_worse_just_now() -> None:
    run = view(voided=("mine_sand gone in cycle 72",), heartbeat_ms=OLD)
    told = wrong_lines(problems(run, NOW), 80)
    assert told[0].startswith("! the collector has been silent")
    assert told[1].startswith("! mine_sand gone in cycle 72: this run ends WITHHELD")
    only = wrong_lines(problems(replace(run, heartbeat_ms=NOW), NOW), 80)
    assert only[0].startswith("! mine_sand gone")
    assert len(only) <= 2
    assert wrong_lines(problems(view(), NOW), 80) == []
    two = [Problem("a", "b", grave=True, rank=Rank.FOR_GOOD)] * 2
    assert len(wrong_lines(two, 80)) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_an_old_run_s_pairs_look_old_and_say_what_to_do_and_where(
    folder: RunFolder, size: tuple[int, int]
) -> None:
    async with (app := app_on(folder)).run_test(size=size) as pilot:
        await until_read(pilot)
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, PairsScreen))
        await until_text(pilot, "(y) (Y) (Y) (Y) >>>")
        await until_text(pilot, "ago!")
        await until_text(pilot, "close it with esc, then x")


@pytest.mark.asyncio
@pytest.mark.parametrize(("keys", "made"), [(("d",), PairsScreen), (("o",), UnitScreen)])
async def test_a_paste_without_a_field_is_refused_where_it_is_seen(
    folder: RunFolder, keys: tuple[str, ...], made: type
) -> None:
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        run = await until_read(pilot)
        await pilot.press(*keys)
        await until(pilot, lambda: isinstance(app.screen, made) and app.screen.is_mounted)
        await until_text(pilot, "UNI-10-1")
        screen = app.screen
        app.post_message(Paste("npq"))
        await until(pilot, lambda: "nothing was pasted: no field" in text_of(app))
        assert app.screen is screen
        assert run in app.screen_stack
        await pilot.press("right")
        await until(pilot, lambda: "nothing was pasted" not in text_of(app))
