"""Where the jumps of a replay lead: to what changed, to flags, to a time, by a screenful."""

from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric.texts import parsed
from replay import earlier
from replay.earlier import INTERVAL_S, T0, rows, write
from replay.reading import last, read, shown
from runlog.runs import Counts, a_row, begin, cycle_rows, heartbeat, new_folder, opened

from plateau_tui.console.lines.windowbar import (
    FEW,
    bar_columns,
    bar_line,
    column_of,
    cycle_at,
    few_by,
    readings_by,
)
from plateau_tui.console.live.windowreadings import PARTIAL, WHOLE
from plateau_tui.console.replay.cursor import Cursor
from plateau_tui.console.replay.goto import wanted_step
from plateau_tui.console.replay.onepass import named
from plateau_tui.console.replay.timeline import Timeline
from plateau_tui.metric.objectives import PLACE_BLOCKS
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.times import format_ms

INTERVAL_MS: Final = INTERVAL_S * 1000
T0_TEXT: Final = "2026-06-24 22:41"


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Timeline:
    """Three days of the earlier collector from 22:41 UTC on; the cycles 200 to 219 are missing."""
    kept = (row for row in rows(432) if not 199 <= _cycle_of(row) < 219)
    return read(write(tmp_path_factory.mktemp("days") / "old.jsonl.gz", kept))


def _cycle_of(row: earlier.Json) -> int:
    return (int(str(row["cycle"])) - T0) // INTERVAL_S


# -- to what changed ------------------------------------------------------------------------------


def test_a_gap_is_one_stop_however_long_and_its_end_is_told_and_is_none(tmp_path: Path) -> None:
    timeline = read(write(tmp_path / "old.jsonl", rows(30, gaps={5, 6, 7, 12, 20, 21})))
    stops, step = [], 1
    while (found := timeline.next_change(step)) is not None:
        stops.append(step := found)
    assert stops == [5, 12, 20]
    assert timeline.moment(8).changed == ("every counter was read again",)
    back, step = [], 29
    while (found := timeline.change_before(step)) is not None:
        back.append(step := found)
    assert back == [20, 12, 5, 1]


def test_a_gap_and_a_turn_name_their_units_and_the_others_are_counted(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer, registration = begin(folder), parsed()
    units = registration.units
    unread: Counts = dict.fromkeys(PLACE_BLOCKS)
    for cycle in range(6):
        made = cycle_rows(registration, writer.state, cycle)
        made[0] = a_row(registration, writer.state, units[0], cycle, {"dirt": cycle // 4})
        for place in range(1, 6) if cycle == 2 else (1,) if cycle == 3 else ():
            made[place] = a_row(registration, writer.state, units[place], cycle, unread, {})
        events: list[ev.Event] = [heartbeat(cycle)]
        if cycle == 0:
            events.insert(0, opened())
        if cycle == 3:
            events.insert(0, ev.Recovered(code="timeout", text="it answers", cycle=3))
        writer.cycle(made, *events)
    writer.require_written()
    writer.close()
    timeline = read(folder.path)
    names = [unit.name for unit in units]
    expected = f"GAP: not every counter was read of {names[1]}, {names[2]}, {names[3]}, +2"
    assert expected in timeline.moment(2).changed
    assert (timeline.next_change(1), timeline.next_change(2)) == (2, 4)
    assert f"{names[0]} reached PRIMARY" in timeline.moment(4).changed
    assert timeline.next_flag(2) == 4
    assert timeline.turned_in(4) == (names[0],)
    assert (timeline.flag_before(5), timeline.next_flag(4)) == (4, None)
    assert shown(timeline, 3).units[1].whole is False
    assert timeline.moment(3).state.unread_in(3) == [names[1]]


def test_so_many_names_are_told_and_all_others_counted() -> None:
    assert named(["a"]) == "a"
    assert named(["a", "b", "c"]) == "a, b, c"
    assert named(["a", "b", "c", "d"]) == "a, b, c, +1"
    assert named(["a", "b", "c"], 1) == "a, +2"


# -- to a cycle or a time -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("1", "2026-06-24 22:41"),
        (" 3 ", "2026-06-24 23:01"),
        ("+2", "2026-06-25 15:41"),
        ("-2", "2026-06-25 15:01"),
        ("-90000", "2026-06-24 22:41"),
        ("+90000", "2026-06-27 22:31"),
        ("-3h", "2026-06-25 12:21"),
        ("+ 90m", "2026-06-25 16:51"),
        ("+2d", "2026-06-27 15:21"),
        ("2026-06-25 03:00", "2026-06-25 02:51"),
        ("2026-06-25T03:01:00.000Z", "2026-06-25 03:01"),
        ("2026-06-25 03:01 UTC", "2026-06-25 03:01"),
        ("06-25 03:01", "2026-06-25 03:01"),
        ("6-27", "2026-06-27 00:01"),
        ("2026-06-24", "2026-06-24 22:41"),
        ("03:01", "2026-06-25 03:01"),
    ],
)
def test_a_cycle_a_time_or_a_step_leads_to_what_stood_then(
    days: Timeline, text: str, when: str
) -> None:
    wanted = wanted_step(text, days, 100, INTERVAL_MS)
    assert wanted.step is not None
    assert format_ms(days.slot_of(wanted.step))[:16].replace("T", " ") == when
    assert wanted.told == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0", "0 is no cycle of this log: 1 to 432"),
        ("433", "433 is no cycle of this log: 1 to 432"),
        ("9" * 40, "999999999999~ is no cycle of this log: 1 to 432"),
        ("x", "x is no cycle of this log: 1 to 432, nor a time (01-18 03:00) or a step (+5)"),
        ("25:00", "nor a time"),
        ("02-30", "nor a time"),
        ("-", "nor a time"),
        ("2026-06-23", f"2026-06-23 is before this log, which begins {T0_TEXT} UTC"),
        ("2026-06-28 00:00", "is after this log, which ends 2026-06-27 22:31 UTC"),
        ("", ""),
    ],
)
def test_what_leads_nowhere_says_where_the_log_begins_or_ends(
    days: Timeline, text: str, told: str
) -> None:
    wanted = wanted_step(text, days, 100, INTERVAL_MS)
    assert wanted.step is None
    assert told in wanted.told


@pytest.mark.parametrize("text", ["205", "2026-06-26 09:30"])
def test_where_there_are_no_rows_it_is_the_cycle_before_and_that_is_said(
    days: Timeline, text: str
) -> None:
    wanted = wanted_step(text, days, 100, INTERVAL_MS)
    assert wanted.step is not None
    assert days.cycle_of(wanted.step) == 198
    assert "no rows" in wanted.told


@given(text=st.text(st.sampled_from("0123456789-+:TZ .mhd\x1b\u0661"), max_size=30))
def test_any_text_leads_somewhere_in_the_log_or_nowhere(days: Timeline, text: str) -> None:
    wanted = wanted_step(text, days, 100, INTERVAL_MS)
    assert wanted.step is None or 0 <= wanted.step < len(days)


# -- by a screenful -------------------------------------------------------------------------------


def test_a_screenful_is_a_twentieth_of_the_window_and_gets_over_any_hole(days: Timeline) -> None:
    cursor = Cursor(days)
    cursor.interval_ms, cursor.cycles = INTERVAL_MS, last(days).cycles
    seen = [cursor.cycle]
    while cursor.step < len(days) - 1:
        cursor.page(1)
        seen.append(cursor.cycle)
    assert seen[:3] == [0, 21, 42]
    assert len(seen) <= 23
    assert seen == sorted(set(seen))
    while cursor.step:
        before = cursor.step
        cursor.page(-1)
        assert cursor.step < before
    cursor.page(-1)
    assert cursor.step == 0


# -- on the bar -----------------------------------------------------------------------------------


@given(cycles=st.integers(1, 4000), width=st.integers(60, 240), data=st.data())
def test_the_cursor_stands_in_the_column_of_its_cycle_and_a_click_there_comes_near_it(
    cycles: int, width: int, data: st.DataObject
) -> None:
    cycle = data.draw(st.integers(0, cycles - 1))
    columns = bar_columns(cycles, width)
    marked = bytes([WHOLE]) * cycle + bytes([PARTIAL]) + bytes([WHOLE]) * (cycles - cycle - 1)
    here = column_of(cycle, columns, cycles)
    assert readings_by(marked, columns, cycles)[here] == PARTIAL
    line = bar_line(readings_by(marked, columns, cycles), cycle, cycles, width, window=cycles)
    clicked = cycle_at(line.index("#"), cycles, width)
    assert clicked is not None
    assert column_of(clicked, columns, cycles) == here
    assert clicked <= cycle < clicked + max(1, -(-cycles // columns))
    assert cycle_at(2, cycles, width) is None
    assert cycle_at(3 + columns, cycles, width) is None


def test_a_few_cycles_of_many_that_were_read_in_part_have_a_mark_of_their_own() -> None:
    readings = bytes([PARTIAL, *[WHOLE] * 9] + [PARTIAL] * 5 + [WHOLE] * 5 + [WHOLE] * 10)
    found, few = readings_by(readings, 3, 30), few_by(readings, 3, 30)
    line = bar_line(found, None, 30, 80, window=30, few=few)
    assert line == f"1 [{FEW}~=] 30"
    single = bytes([PARTIAL, WHOLE])
    assert few_by(single, 2, 2) == (False, True)
    assert bar_line(readings_by(single, 2, 2), None, 2, 80, window=2, few=few_by(single, 2, 2)) == (
        "1 [~=] 2"
    )


def test_the_bar_of_a_log_says_the_same_as_that_of_the_live_run(tmp_path: Path) -> None:
    timeline = read(write(tmp_path / "old.jsonl", rows(90, gaps={5, 40, 41, 42, 43, 44})))
    readings = bytes(timeline.readings_by(90, 90))  # type: ignore[arg-type] # all are recorded
    assert timeline.readings_by(9, 90) == list(readings_by(readings, 9, 90))
    assert timeline.few_by(9, 90) == list(few_by(readings, 9, 90))
