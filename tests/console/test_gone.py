"""An objective that is gone is one fact of the run: no unit is marked for it, nor has a gap."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

import msgspec.structs
import pytest
from console.apps import app_on, read_all, text_of, until, until_read
from console.views import NOW
from hypothesis import given
from hypothesis import strategies as st
from metric.texts import parsed
from runlog.runs import begin, cycle_rows, heartbeat, new_folder, write_cycle

from plateau_tui.console.attention.seen import LOST, Kept, News, acknowledged
from plateau_tui.console.lines.grid import header_lines
from plateau_tui.console.live.gone import GoneKeeper, but_gone
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.view import RunView
from plateau_tui.console.live.windowreadings import PARTIAL, SILENT, WHOLE
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.status import run_status
from plateau_tui.runlog.writer import RunWriter

STICK: Final = "craft_stick"
SAND: Final = "mine_sand"
ONE: Final = "UNI-11-1"


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[RunWriter]:
    """An open run after one whole cycle."""
    made = begin(new_folder(tmp_path / "runs" / "a"))
    write_cycle(made, parsed(), 0)
    yield made
    made.close()


@pytest.fixture
def folder(writer: RunWriter, tmp_path: Path) -> RunFolder:
    del writer
    return RunFolder(tmp_path / "runs" / "a")


def cycle(
    writer: RunWriter,
    number: int,
    *events: ev.Event,
    sticks: bool = False,
    silent: Collection[str] = (),
) -> None:
    """A cycle in which nobody's sticks are known unless ``sticks``, and of some nothing is."""
    rows = []
    for row in cycle_rows(parsed(), writer.state, number):
        lost = row
        if not sticks:
            lost = msgspec.structs.replace(row, crafted=row.crafted | {"stick": None})
        if row.uni in silent:
            lost = msgspec.structs.replace(
                lost,
                placed_used=dict.fromkeys(row.placed_used),
                mined=dict.fromkeys(row.mined),
                crafted=dict.fromkeys(row.crafted),
            )
        rows.append(lost)
    writer.cycle(rows, *events, heartbeat(number))


def gone(number: int, name: str = STICK) -> ev.ObjectiveMissing:
    return ev.ObjectiveMissing(objective=name, cycle=number)


def gaps(view: RunView) -> dict[str, int]:
    return {unit.name: unit.gaps for unit in view.units if unit.gaps}


def seen_now(view: RunView) -> News:
    news = News()
    news.reset(acknowledged(Kept(), view), view)
    return news


def lost(news: News) -> set[str]:
    """Who is said to have lost a reading."""
    return {name for name in news.found if "a reading lost" in news.of(name)}


def test_what_is_gone_for_all_marks_no_unit_and_is_no_gap_of_one(
    folder: RunFolder, writer: RunWriter
) -> None:
    model = RunModel(folder)
    news = seen_now(read_all(model))
    cycle(writer, 1, gone(1))
    for number in (2, 3, 4):
        cycle(writer, number)
        news.take(read_all(model))
        assert lost(news) == set()
    view = read_all(model)
    assert gaps(view) == {}
    assert all(unit.whole for unit in view.units)
    assert view.window == bytes([WHOLE] * 5)
    assert (view.gaps, view.gone_gaps) == (4, 4)
    assert view.missing == (STICK,)
    assert "gaps 0+4" in " ".join(header_lines(view, NOW, 80))
    status = run_status(folder, read_state(folder.journal)[0], parsed(), NOW)
    assert status.gaps == 4  # the contract counts every cycle with any null


def test_a_loss_beyond_it_is_told_of_the_unit_that_lost(
    folder: RunFolder, writer: RunWriter
) -> None:
    model = RunModel(folder)
    cycle(writer, 1, gone(1))
    news = seen_now(read_all(model))
    cycle(writer, 2, silent={ONE})
    cycle(writer, 3)
    news.take(view := read_all(model))
    assert lost(news) == {ONE}
    assert news.marks[ONE] == LOST
    assert gaps(view) == {ONE: 1}
    assert view.window == bytes([WHOLE, WHOLE, PARTIAL, WHOLE])
    assert (view.gaps, view.gone_gaps) == (3, 2)


def test_one_that_came_back_is_a_unit_s_again(folder: RunFolder, writer: RunWriter) -> None:
    cycle(writer, 1, gone(1))
    cycle(writer, 2, sticks=True)
    cycle(writer, 3)
    assert set(gaps(read_all(RunModel(folder))).values()) == {1}
    cycle(writer, 4, gone(4))
    view = read_all(RunModel(folder))
    assert set(gaps(view).values()) == {1}
    assert view.window == bytes([WHOLE, WHOLE, WHOLE, PARTIAL, WHOLE])


def test_rows_that_are_read_before_the_journal_tells_are_counted_anew(
    folder: RunFolder, writer: RunWriter
) -> None:
    model = RunModel(folder)
    news = seen_now(read_all(model))
    cycle(writer, 1)  # its rows are there, and the word about them is not yet
    news.take(read_all(model))
    assert lost(news) == {unit.name for unit in parsed().units}
    writer.journal(gone(1))
    news.take(view := read_all(model))
    assert gaps(view) == {}
    assert view.window == bytes([WHOLE, WHOLE])
    assert lost(news) == set()


def test_where_everything_is_gone_nothing_was_read(folder: RunFolder, writer: RunWriter) -> None:
    names = [objective.name for objective in parsed().objectives]
    everybody = {unit.name for unit in parsed().units}
    cycle(writer, 1, *(gone(1, name) for name in names), silent=everybody)
    view = read_all(RunModel(folder))
    assert view.window == bytes([WHOLE, SILENT])
    assert gaps(view) == {}


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12))
def test_an_objective_is_gone_from_where_it_is_told_until_it_is_read(
    cycles: list[tuple[bool, bool]],
) -> None:
    keeper, expected = GoneKeeper(), False
    for number, (told, read) in enumerate(cycles):
        if told:
            assert not keeper.take_event(gone(number))  # its rows are still to come
            expected = True
        assert keeper.at(number) == (frozenset({STICK}) if expected else frozenset())
        known = {SAND: 1} | ({STICK: 1} if read else {})
        keeper.take_row(number, known)
        if read and not told:
            expected = False
        if read and told:  # some unit was read before it was dropped
            assert keeper.at(number) == {STICK}


def test_a_word_about_rows_that_were_taken_in_asks_for_them_anew() -> None:
    keeper = GoneKeeper()
    keeper.take_row(4, {SAND: 1})
    assert not keeper.take_event(gone(5))
    assert keeper.take_event(gone(3, SAND))
    keeper.begin_rows()
    assert not keeper.take_event(gone(4, "mine_dirt"))


def test_only_what_the_server_knows_can_be_lost() -> None:
    counts = {STICK: None, SAND: 3}
    assert list(but_gone(counts, frozenset())) == [None, 3]
    assert list(but_gone(counts, frozenset({STICK}))) == [3]


@pytest.mark.asyncio
async def test_acknowledged_once_it_stays_so_while_an_objective_is_gone(
    folder: RunFolder, writer: RunWriter
) -> None:
    cycle(writer, 1, gone(1))
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        await pilot.press("space")
        cycle(writer, 2, silent={ONE})
        await until(pilot, lambda: screen.view is not None and screen.view.cycle == 2)
        await until(pilot, lambda: f"{ONE}!" in text_of(app))
        assert "UNI-10-1 " in text_of(app)
        assert "UNI-11-2 " in text_of(app)
