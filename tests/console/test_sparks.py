"""Sparklines and the window's bar: as wide as asked, and what was not read is never a count."""

from dataclasses import replace
from pathlib import Path

import pytest
from console.apps import (
    SAMPLES,
    app_on,
    read_all,
    sample,
    text_of,
    until_read,
    until_still,
)
from console.views import NOW, SLOT0, unit, view, with_units
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from plateau_tui.console.lines.grid import Columns, chosen_line, columns_line, unit_line
from plateau_tui.console.lines.sparks import (
    BLOCKS,
    GAP,
    PLAIN,
    SPARK_ROOM,
    levels_for,
    spark,
    squeezed,
    top_of,
    unit_spark,
    with_sparks,
)
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.lines.windowbar import bar_columns, bar_line, readings_by, window_line
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.series import (
    BEYOND,
    HOARD,
    MOST_BUCKETS,
    PLACED,
    Series,
    SeriesKeeper,
)
from plateau_tui.console.live.shares import share
from plateau_tui.console.live.view import RunView
from plateau_tui.console.live.windowreadings import (
    MISSED,
    PARTIAL,
    SILENT,
    WHOLE,
    WindowKeeper,
    reading_of,
)
from plateau_tui.console.look.asciionly import cell_for_cell
from plateau_tui.console.screens.base import Line
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.scan import read_rows

COUNTS = st.none() | st.integers(-5, 200) | st.sampled_from([-(2**63), 10**12, 2**63 - 1, 2**80])
VALUES = st.lists(COUNTS, max_size=200)
TOPS = st.integers(-3, 10**13)
NAMES = ("place_dirt", "mine_stone")
NO_TOTALS = (None, None, None)


def kept(cycles: int, *counts: tuple[int, int | None]) -> Series:
    """A unit's series of place_dirt, as these cycles were read."""
    keeper = SeriesKeeper(NAMES, cycles)
    for cycle, count in counts:
        keeper.take(cycle, {"place_dirt": count}, NO_TOTALS)
    return keeper.now


# -- the sparkline --------------------------------------------------------------------------------


@given(values=VALUES, width=st.integers(0, 90), top=TOPS, levels=st.sampled_from([BLOCKS, PLAIN]))
def test_a_sparkline_has_the_cells_that_it_claims(
    values: list[int | None], width: int, top: int, levels: str
) -> None:
    drawn = spark(values, width, top, levels)
    assert len(drawn) == cell_len(drawn) == width
    assert set(drawn) <= set(levels) | {GAP, " "}
    assert len(drawn.rstrip()) == min(width, len(values))


@given(values=VALUES, width=st.integers(1, 90), top=TOPS)
def test_a_gap_is_never_a_count_and_a_count_never_a_gap(
    values: list[int | None], width: int, top: int
) -> None:
    drawn = spark(values, width, top)
    for value, cell in zip(squeezed(values, width), drawn, strict=False):
        assert (cell == GAP) == (value is None)
        if value is not None:
            assert (cell == BLOCKS[0]) == (value <= 0)


@given(
    a=st.integers(-10, 10**13), b=st.integers(-10, 10**13), top=TOPS,
    levels=st.sampled_from([BLOCKS, PLAIN]),
)  # fmt: skip
def test_what_is_more_is_drawn_no_lower(a: int, b: int, top: int, levels: str) -> None:
    low, high = list(spark([min(a, b), max(a, b)], 2, top, levels))
    assert levels.index(low) <= levels.index(high)
    assert spark([max(1, top)], 1, top, levels) == levels[-1]


@given(values=VALUES, width=st.integers(1, 90))
def test_a_cell_of_many_cycles_has_the_last_that_was_read(
    values: list[int | None], width: int
) -> None:
    parts = squeezed(values, width)
    assert len(parts) == min(width, len(values))
    known = [value for value in values if value is not None]
    assert [part for part in parts if part is not None][-1:] == known[-1:]
    assert all(part is None or part in known for part in parts)
    assert (None in parts) <= (None in values)


def test_a_sparkline_in_ascii_grows_too_and_keeps_its_gaps_apart() -> None:
    assert cell_for_cell(BLOCKS + GAP) == PLAIN + GAP
    assert len(set(PLAIN + GAP + " ")) == len(BLOCKS) + 2
    assert levels_for({"TERM": "linux"}) == PLAIN
    assert levels_for({"TERM": "xterm-256color"}) == levels_for({}) == BLOCKS


# -- what is kept ---------------------------------------------------------------------------------


@given(
    cycles=st.integers(1, 5000),
    read=st.lists(st.tuples(st.integers(0, 6000), COUNTS), max_size=60),
)
def test_a_series_is_what_was_read_in_order_and_no_more_than_its_buckets(
    cycles: int, read: list[tuple[int, int | None]]
) -> None:
    series = kept(cycles, *sorted(read, key=lambda each: each[0]))
    expected: dict[int, int | None] = {}
    for cycle, count in sorted(read, key=lambda each: each[0]):
        if cycle < cycles:
            place = cycle // series.per
            expected[place] = expected.get(place) if count is None else count
    most = 2**63 - 1
    near = {place: None if n is None else max(-most, min(most, n)) for place, n in expected.items()}
    buckets = series.over("place_dirt", cycles)
    assert len(buckets) == -(-cycles // series.per) <= MOST_BUCKETS
    assert {place: n for place, n in enumerate(buckets) if n is not None} == {
        place: n for place, n in near.items() if n is not None
    }
    assert set(series.over("mine_stone", cycles)) == {None}


def test_a_series_once_given_never_changes() -> None:
    keeper = SeriesKeeper(NAMES, 4)
    keeper.take(0, {"place_dirt": 1}, (7, 8, 9))
    first = keeper.now
    assert keeper.now is first
    keeper.take(2, {"place_dirt": 5}, NO_TOTALS)
    assert keeper.now is not first
    assert first.buckets("place_dirt") == (1,)
    assert first.over("place_dirt", 4) == (1, None, None, None)
    assert [first.buckets(name) for name in (PLACED, BEYOND, HOARD)] == [(7,), (8,), (9,)]
    assert keeper.now.buckets("place_dirt") == (1, None, 5)
    keeper.take(1, {"place_dirt": 9}, NO_TOTALS)  # what comes late is left out
    assert keeper.now.buckets("place_dirt") == (1, None, 5)
    with pytest.raises(KeyError):
        first.buckets("no such counter")


def test_a_long_window_takes_no_more_memory_than_a_short_one() -> None:
    series = kept(100_000, *((cycle, cycle) for cycle in range(0, 100_000, 7)))
    assert len(series.buckets("place_dirt")) == 511 < MOST_BUCKETS
    assert series.buckets("place_dirt")[-1] == 99_995


def test_the_series_of_a_run_are_what_its_rows_say(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    run = read_all(RunModel(folder))
    rows = list(read_rows(folder.rows))
    for shown in run.units:
        own = [row for row in rows if row.uni == shown.name]
        assert shown.series is not None
        assert shown.series.buckets(PLACED) == tuple(row.placed_used_total for row in own)
        assert shown.series.buckets(HOARD) == tuple(row.pickaxe_hoard for row in own)
        assert shown.series.buckets(BEYOND) == tuple(row.distinct_mined_beyond for row in own)
        assert shown.series.buckets("place_dirt") == tuple(row.placed_used["dirt"] for row in own)
        first = next((row.cycle for row in own if row.primary), None)
        assert shown.turned.get("primary") == first
        assert shown.pinned_ms is not None
    assert run.window == bytes(len({row.cycle for row in rows}))


def test_a_run_that_was_not_read_is_gaps_and_not_a_line_of_zeros() -> None:
    run = read_all(RunModel(RunFolder(SAMPLES / "withheld_8_not_read")))
    drawn = {u.role: unit_spark(u, run, PLACED, 6, BLOCKS) for u in run.units}
    assert drawn == {"treatment": "▁▁xxxx", "control": "▁▁▁▁▁▁"}
    assert run.window == bytes([WHOLE, WHOLE, PARTIAL, PARTIAL, PARTIAL, PARTIAL])


# -- in the grid ----------------------------------------------------------------------------------


def grown(pairs: int = 3) -> RunView:
    """A run in its fifth cycle with a gap in the third, of so many pairs."""
    keeper = SeriesKeeper(NAMES, 66)
    for cycle, count in enumerate((0, 3, None, 9, 12)):
        keeper.take(cycle, {"place_dirt": count}, (count, None, 10**12))
    units = tuple(
        replace(unit(f"UNI-{kin}-{pair + 1}", role, pair), series=keeper.now)
        for kin, role in ((10, "treatment"), (11, "control"))
        for pair in range(pairs)
    )
    return replace(view(), units=units)


@pytest.mark.parametrize("width", [60, 70, 80, 95, 99, 110, 120, 150, 200, 300])
@pytest.mark.parametrize("pairs", [3, 20])
def test_the_grid_has_sparklines_where_there_is_room_and_fits(width: int, pairs: int) -> None:
    run = grown(pairs)
    columns = Columns.fit(width, run, BLOCKS)
    line = unit_line(run.units[0], run, columns, NOW)
    heading = columns_line(columns)
    assert cell_len(line) <= width
    assert cell_len(heading) <= width
    assert ("▁▃x▇█" in line) == (width >= 99)
    assert (heading.count("placed") == 2) == ("▁▃x▇█" in line)
    assert Columns.fit(width, run).sparks == 0
    assert Columns.fit(width, with_units(), BLOCKS).sparks == 0


@pytest.mark.parametrize("width", [60, 70, 74, 75, 76, 80, 95, 99, 150, 300])
@pytest.mark.parametrize("pairs", [3, 20])
def test_sparklines_in_the_place_of_the_blocks_fit_an_arm_of_80_cells(
    width: int, pairs: int
) -> None:
    run, least = grown(pairs), 74 + 2 * (pairs > 9)
    columns = Columns.fit(width, run, BLOCKS, instead=True)
    one = replace(run.units[0], beyond=6, beyond_blocks=("stone", "dirt"))
    line, heading = unit_line(one, run, columns, NOW), columns_line(columns)
    assert cell_len(line) <= width
    assert cell_len(heading) <= width
    assert ("▁▃x▇█" in line) == (width >= least)
    assert ("stone" in line) == (least > width >= 70)
    assert len(line) == len(heading)
    assert " 6 " in line


def test_all_units_are_drawn_in_one_scale() -> None:
    run = grown()
    keeper = SeriesKeeper(NAMES, 66)
    keeper.take(4, {}, (1200, None, None))
    run = replace(run, units=(*run.units, replace(unit("more"), series=keeper.now)))
    assert top_of(run, PLACED) == 1200
    assert unit_spark(run.units[0], run, PLACED, 5, BLOCKS) == "▁▂x▂▂"
    assert unit_spark(run.units[0], run, PLACED, 5, BLOCKS, alone=True) == "▁▃x▇█"
    assert unit_spark(run.units[-1], run, PLACED, 5, BLOCKS) == "xxxx█"
    assert unit_spark(unit(), run, PLACED, 5, BLOCKS) == " " * 5


@given(width=st.integers(60, 240), text=st.text(st.characters(codec="utf-8"), max_size=200))
def test_the_chosen_line_keeps_its_words_and_its_width(width: int, text: str) -> None:
    run = grown()
    line = harmless(text, width)
    drawn = with_sparks(line, run.units[0], run, width, BLOCKS)
    assert drawn.startswith(line)
    assert cell_len(drawn) <= width
    if width - cell_len(line) >= SPARK_ROOM:
        assert "placed ▁▃x▇█" in drawn
    assert with_sparks(line, unit(), run, width, BLOCKS) == line


def test_the_chosen_line_counts_the_kinds_that_a_sparkline_leaves_no_room_to_name() -> None:
    one = replace(unit(), beyond_blocks=("stone", "dirt", "sand", "gravel", "coal_ore"))
    whole = chosen_line(one, view(), NOW)
    assert whole.endswith("beyond stone, dirt, sand, gravel, coal_ore")
    assert chosen_line(one, view(), NOW, room=len(whole)) == whole
    assert chosen_line(one, view(), NOW, room=len(whole) - 1).endswith("gravel, +1")
    assert chosen_line(one, view(), NOW, room=0).endswith("beyond stone, dirt, +3")


# -- the window -----------------------------------------------------------------------------------

READINGS = st.lists(st.sampled_from([WHOLE, PARTIAL, SILENT, MISSED]), max_size=120).map(bytes)


@given(readings=READINGS, more=st.integers(0, 200), width=st.integers(60, 240), data=st.data())
def test_the_bar_is_as_wide_as_its_line_whatever_was_read(
    readings: bytes, more: int, width: int, data: st.DataObject
) -> None:
    cycles = max(1, len(readings) + more)
    columns = bar_columns(cycles, width)
    found = readings_by(readings, columns, cycles)
    assert len(found) == columns
    here = data.draw(st.none() | st.integers(0, cycles - 1))
    line = bar_line(found, here, cycles, width, window=cycles)
    assert cell_len(line) == width
    assert line.count("#") == (here is not None)
    if here is None:
        bar = line[line.index("[") + 1 : line.index("]")]
        for mark, worst in (("=", WHOLE), ("~", PARTIAL)):
            assert (mark in bar) == (worst in found)
        assert ("x" in bar) == bool({SILENT, MISSED} & {*found})
        assert ("." in bar) == (None in found)


@given(readings=READINGS, more=st.integers(0, 500), columns=st.integers(1, 240))
def test_no_gap_is_lost_when_the_bar_has_fewer_columns_than_cycles(
    readings: bytes, more: int, columns: int
) -> None:
    cycles = max(1, len(readings) + more)
    found = readings_by(readings, columns, cycles)
    assert {*found} - {None} == {*found} & {*readings}
    assert max((each for each in found if each is not None), default=None) == max(
        readings, default=None
    )


def test_a_cycle_is_read_in_part_unless_its_units_agree() -> None:
    assert [reading_of(counts) for counts in ((1, 0), (1, None), (None, None))] == [
        WHOLE, PARTIAL, SILENT
    ]  # fmt: skip
    keeper = WindowKeeper(6)
    for cycle, reading in ((0, 0), (0, 0), (1, 2), (1, 2), (4, 0), (4, 2), (9, 0)):
        keeper.take(cycle, reading)
    assert keeper.now == bytes([WHOLE, SILENT, MISSED, MISSED, PARTIAL])
    keeper.take(2, WHOLE)
    assert keeper.now[2] == WHOLE


def test_the_bar_says_where_we_are_while_the_window_is_open() -> None:
    run = replace(view(), window=bytes([0, 0, 2, 1, 0]), cycles=10)
    line = window_line(run, SLOT0 + 6 * run.interval_ms + 1, 17)
    assert line == "1 [==x~=.#...] 10"
    assert window_line(replace(run, slot0_ms=None), NOW, 80) == ""
    closed = window_line(replace(run, stage="closed"), NOW, 80)
    assert "#" not in closed
    assert {*closed[closed.index("[") + 1 : closed.index("]")]} == {*"=x~."}
    for ms in (-(10**15), 10**15):  # a clock that stands wrong
        assert window_line(run, SLOT0 + ms, 80).count("#") == 1


@given(
    room=st.integers(6, 80), pairs=st.integers(1, 12), width=st.integers(60, 220),
    wide=st.booleans(), answering=st.booleans(),
)  # fmt: skip
def test_the_bar_takes_its_line_from_the_journal_and_never_the_last(
    room: int, pairs: int, width: int, wide: bool, answering: bool
) -> None:
    without = share(room, pairs, width, wide=wide, answering=answering)
    shares = share(room, pairs, width, wide=wide, answering=answering, window=True)
    assert (shares.arms, shares.below + shares.bar) == (without.arms, without.below)
    assert not without.bar
    assert shares.below - shares.problem >= 2 or not shares.bar


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(80, 24), (120, 36), (60, 20)])
async def test_six_units_a_bar_and_a_sparkline_stand_on_the_run_s_screen(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    wide = size == (120, 36)
    app = app_on(sample(tmp_path, "withheld_8_not_read") if wide else sample(tmp_path))
    async with app.run_test(size=size) as pilot:
        screen = await until_read(pilot)
        await pilot.press("space")
        await until_still(pilot)
        lines = text_of(app).splitlines()
        units = [line for line in lines if line[2:].startswith("UNI-1")]
        assert len(units) == (12 if wide else 6)
        bar = screen.query_one("#window", Line)
        assert bar.display == (size != (60, 20))
        assert any(line.startswith("1 [==") for line in lines) == bar.display
        assert sum("▁▁xxxx" in line for line in units) == (6 if wide else 0)
        chosen = screen.query_one("#chosen", Line).shown
        assert ("  placed " in chosen) == (size != (60, 20))
        assert chosen.split("  placed ")[-1].split()[0] in (
            {"▁▁xxxx"} if wide else {"▆▆▆▇▇▇▇███"} if bar.display else {"UNI-10-1:"}
        )
        await pilot.press("s")
        await until_still(pilot)
        drawn = [line for line in text_of(app).splitlines() if line[2:].startswith("UNI-1")]
        assert (drawn != units) == bar.display
        shown = "\n".join(drawn)
        assert any(mark in shown for mark in "▁▂█") == bar.display
        assert ("stone" in shown) == (not bar.display and "stone" in "\n".join(units))
        assert ("s Sparks" in text_of(app)) == bar.display
        await pilot.press("s")
        await until_still(pilot)
        again = [line for line in text_of(app).splitlines() if line[2:].startswith("UNI-1")]
        assert again == units


def test_a_sparkline_that_changes_lays_nothing_out_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    laid_out: list[bool] = []
    monkeypatch.setattr(Line, "update", lambda _, __, *, layout: laid_out.append(layout))
    line = Line("placed ▁▂x")
    for text in ("placed ▁▂▃", "placed ▁▂▃", "placed 日x", "placed ▁▂▃▄", "a", "a\n▁", "b\n▂"):
        line.show(text)
    assert laid_out == [False, False, True, True, True, True]
