"""Exploratory figures rest on what was read, and say what was not."""

from pathlib import Path

from metric.texts import parsed
from msgspec.structs import replace
from report.cases import CYCLES, TEXT, closed_run
from runlog.runs import a_row

from plateau_tui.report.exploratory import exploratory
from plateau_tui.report.finals import FinalCounts
from plateau_tui.report.gather import judge
from plateau_tui.runlog.state import RunState


def test_the_last_whole_reading_of_a_unit_counts() -> None:
    registration = parsed(TEXT)
    unit, finals = registration.units[0], FinalCounts(registration)
    rows = [
        a_row(registration, RunState(), unit, cycle, {"dirt": cycle}, {"stone": cycle, "sand": 1})
        for cycle in range(3)
    ]
    finals.take(rows[1])
    finals.take(replace(rows[2], placed_used=rows[2].placed_used | {"dirt": None}))
    finals.take(replace(rows[2], mined=rows[2].mined | {"dirt": -4}))
    assert finals.placed_total(unit.name, {}) == 2  # the third row read all that was placed
    assert finals.distinct_beyond(unit.name, {}, "oak_log") == 2
    outside = replace(rows[2], cycle=CYCLES, placed_used=rows[2].placed_used | {"dirt": 99})
    finals.take(outside)
    finals.take(replace(outside, cycle=0, uni="somebody"))
    assert finals.placed_total(unit.name, {}) == 2
    assert finals.placed_total("UNI-11-1", {}) is None


def test_a_start_reading_is_taken_off_and_an_unknown_one_leaves_the_unit_out() -> None:
    registration = parsed(TEXT)
    unit, finals = registration.units[0], FinalCounts(registration)
    finals.take(a_row(registration, RunState(), unit, 0, {"dirt": 5}, {"stone": 2, "sand": 1}))
    assert finals.placed_total(unit.name, {"dirt": 3}) == 2
    assert finals.placed_total(unit.name, {"dirt": None}) is None
    assert finals.distinct_beyond(unit.name, {"sand": 1}, "oak_log") == 1


def test_an_offset_gate_compares_what_came_since_the_start(tmp_path: Path) -> None:
    text = TEXT.replace('start_counts = "zero"', 'start_counts = "offset"')
    said = list(exploratory(judge(closed_run(tmp_path / "run", text=text))))
    assert said[1] == "Blocks placed in all, by pair (treatment - control): 3 - 0, 3 - 0, 3 - 0."
    assert "mean difference 3 over 3 pairs" in said[2]
    assert "their spread is unknown, not 0" in said[2]
    assert not any("%" in line for line in said)
