"""What the plot of a counter shows: what was read, gaps as gaps, marks, axes."""

from dataclasses import replace
from itertools import pairwise

from console.plotted import NAMES, run_of
from console.views import SLOT0, unit
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from plateau_tui.console.lines.plotting import (
    NAME_CELLS,
    Mark,
    column_of,
    counter_line,
    cycle_labels,
    marks_line,
    marks_of,
    means_line,
    plot_of,
    series_names,
    ticks,
    title_line,
)
from plateau_tui.console.lines.sparks import BLOCKS
from plateau_tui.console.live.series import HOARD, PLACED, SeriesKeeper

COUNTS = st.none() | st.integers(-5, 200) | st.sampled_from([-(10**12), 10**12, 2**63 - 1])


@given(counts=st.lists(COUNTS, min_size=1, max_size=66))
def test_a_line_holds_what_was_read_and_ends_at_every_gap(counts: list[int | None]) -> None:
    one, run = run_of(*counts)
    plot = plot_of(one, run, "place_dirt")
    assert plot is not None
    points = {cycle: n for xs, ys in plot.lines for cycle, n in zip(xs, ys, strict=True)}
    assert points == {i + 1: n for i, n in enumerate(counts) if n is not None}
    inside = {cycle for first, last in plot.gaps for cycle in range(first, last + 1)}
    assert inside == {i + 1 for i, n in enumerate(counts) if n is None}
    for xs, _ in plot.lines:
        assert list(xs) == list(range(xs[0], xs[-1] + 1))
    assert plot.low <= min([0, *points.values()])
    assert plot.high >= max([1, *points.values()])
    assert plot.low < plot.high


@given(
    counts=st.lists(COUNTS, min_size=1, max_size=66), columns=st.integers(1, 200),
    faults=st.lists(st.integers(0, 80), max_size=4),
)  # fmt: skip
def test_the_signs_over_a_plot_stand_in_its_columns(
    counts: list[int | None], columns: int, faults: list[int]
) -> None:
    one, run = run_of(*counts, turned={"primary": 0}, pinned_ms=SLOT0 - 1)
    plot = plot_of(one, replace(run, fault_cycles=tuple(faults)), "place_dirt")
    assert plot is not None
    line = marks_line(plot, columns)
    assert len(line) == columns
    assert line[column_of(1, len(counts), columns)] == "1"
    assert "P" not in line  # pinned before the window
    if None not in counts:
        assert "x" not in line
    if columns >= 2 * len(counts) and not faults:
        for cycle, count in enumerate(counts[1:], 2):
            assert (line[column_of(cycle, len(counts), columns)] == "x") == (count is None)


def test_what_turned_when_is_marked_and_said() -> None:
    turned = {"primary": 0, "secondary": 2, "plateau_break": 2}
    one, run = run_of(0, 3, None, 9, turned=turned, pinned_ms=SLOT0 + 3 * 600_000)
    run = replace(run, fault_cycles=(2, 50))
    assert marks_of(one, run) == (
        Mark(3, "B", "both"),
        Mark(1, "1", "PRIMARY"),
        Mark(3, "2", "SECONDARY"),
        Mark(4, "P", "pinned"),
        Mark(3, "!", "fault"),
        Mark(51, "!", "fault"),
    )
    plot = plot_of(one, run, "place_dirt")
    assert plot is not None
    assert marks_line(plot, 12) == " 1    xBx P "
    said = means_line(plot, 200)
    assert said == (
        "x not read  B both in 3  1 PRIMARY in 1  2 SECONDARY in 3  P pinned in 4  ! a fault"
    )
    assert cell_len(means_line(plot, 30)) <= 30
    whole = plot_of(*run_of(1, 2), "place_dirt")
    assert whole is not None
    assert means_line(whole, 80) == "every cycle was read"


def test_a_run_without_cycles_has_no_plot() -> None:
    one, run = run_of(1)
    assert plot_of(one, replace(run, cycle=None), "place_dirt") is None
    assert plot_of(unit(), run, "place_dirt") is None


@given(
    low=st.integers(-(10**19), 0) | st.just(1), over=st.integers(0, 10**19), most=st.integers(1, 40)
)
def test_ticks_are_whole_numbers_in_order_and_not_too_many(low: int, over: int, most: int) -> None:
    found = ticks(low, low + over, most)
    assert 1 <= len(found) <= max(1, most)
    assert found == sorted(set(found))
    assert all(low <= tick <= low + over for tick in found)
    assert len({b - a for a, b in pairwise(found)}) <= 1


def test_the_axes_name_cycles_from_one_or_their_utc_times() -> None:
    one, run = run_of(1, 2, 3)
    assert cycle_labels([1, 3], run, timed=False) == ["1", "3"]
    assert cycle_labels([1, 3], run, timed=True) == ["00:00", "00:20"]
    long = replace(run, cycle=200)
    assert cycle_labels([1, 150], long, timed=True) == ["01-01 00:00", "01-02 00:50"]
    assert cycle_labels([2], replace(run, interval_ms=1000), timed=True) == ["00:00:01"]
    assert cycle_labels([2], replace(run, slot0_ms=None), timed=True) == ["2"]
    assert title_line(one, run, PLACED, 80, timed=False) == (
        "blocks placed: 12  across: cycles from 1"
    )
    since = replace(run, since_start=True)
    assert title_line(one, since, "place_dirt", 80, timed=True) == (
        "place_dirt since start: 12  across: UTC"
    )
    assert "since" not in title_line(one, since, HOARD, 80, timed=True)
    keeper = SeriesKeeper(NAMES, 5120)
    many = replace(one, series=keeper.now)
    assert title_line(many, run, PLACED, 80, timed=False).endswith("cycles from 1, 10 to a point")


@given(counts=st.lists(COUNTS, min_size=1, max_size=66), width=st.integers(30, 120))
def test_a_counter_s_line_is_as_wide_as_asked(counts: list[int | None], width: int) -> None:
    one, run = run_of(*counts, hoard=10**12, placed=-7)
    for name in series_names(one, run, moved=False):
        line = counter_line(one, run, name, width, SLOT0, BLOCKS)
        assert cell_len(line) == width
        assert line.startswith(f"{name:{NAME_CELLS}} ")


def test_only_what_ever_moved_is_listed_when_that_is_asked() -> None:
    one, run = run_of(1)
    one = replace(one, counts={"place_dirt": 0, "mine_stone": 3})
    assert "place_dirt" in series_names(one, run, moved=False)
    assert series_names(one, run, moved=True) == [
        "blocks placed", "kinds beyond", "pickaxe hoard", "mine_stone"
    ]  # fmt: skip
