from dataclasses import replace

import pytest
from console.views import NOW, unit, view, with_units
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from plateau_tui.console.lines import (
    Columns,
    arm_line,
    chosen_line,
    columns_line,
    header_lines,
    unit_line,
)
from plateau_tui.console.unitlines import reading_lines
from plateau_tui.console.view import RunView, UnitView

WIDTHS = [60, 69, 70, 74, 80, 99, 120, 200]
NAMES = ["UNI-10-1", "a", "sixteen_letters_", "UNI-curious-0001"]


def line_of(one: UnitView, run: RunView, width: int) -> str:
    return unit_line(one, run, Columns.fit(width, run), NOW)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", NAMES)
def test_a_unit_s_line_fits_and_stands_under_its_heading(width: int, name: str) -> None:
    one = replace(
        unit(name), placed=12_345_678, hoard=99_999, gaps=1234, whole=False, table_only=True,
        beyond=9, beyond_blocks=("stone", "cobblestone", "dirt", "sand", "gravel"), pair=11,
        read_ms=NOW - 90 * 86_400_000, online=False,
    )  # fmt: skip
    run = view(units=(one, unit("UNI-11-1", "control")))
    line = line_of(one, run, width)
    heading = columns_line(Columns.fit(width, run))
    assert cell_len(line) <= width
    assert cell_len(heading) <= width
    assert line.index("(tbl)") == heading.index("PRIM")


@pytest.mark.parametrize("width", WIDTHS)
@given(name=st.text(max_size=90), label=st.text(max_size=90), wood=st.text(max_size=90))
def test_hostile_words_never_break_the_header(width: int, name: str, label: str, wood: str) -> None:
    run = with_units(baseline=wood)
    run = replace(run, name=name, arms={"treatment": label, "control": label})
    lines = [*header_lines(run, NOW, width), arm_line(run, "treatment", width)]
    assert all(cell_len(line) <= width for line in lines)
    assert all(line.isprintable() or "\n" not in line for line in lines)


@pytest.mark.parametrize("width", [60, 80])
def test_the_header_says_all_of_it(width: int) -> None:
    text = " ".join(header_lines(view(), NOW, width))
    for word in ("run", "OPEN", "cycle 5 of 66", "next", "collector 4242", "4", "RCON ok",
                 "b9648cb1", "oak_log", "gaps 0"):  # fmt: skip
        assert word in text
    assert len(header_lines(view(), NOW, width)) == 2


def test_states_look_different_without_colour() -> None:
    run = view()
    old = NOW - 2 * run.interval_ms - 60_000
    looks = {
        line_of(replace(unit(), **changes), run, 80)
        for changes in (
            {"primary": None}, {"primary": True}, {"primary": False}, {"table_only": True},
            {"primary": True, "read_ms": old}, {"primary": None, "read_ms": old},
            {"secondary": True}, {"secondary": True, "other_log": True},
            {"whole": False, "gaps": 1}, {"gaps": 1}, {"online": None}, {"online": False},
            {"placed": None}, {"placed": 0}, {"hoard": None}, {"beyond": None},
        )
    }  # fmt: skip
    assert len(looks) == 16


def test_an_arm_counts_what_is_known_and_what_is_not() -> None:
    run = view()
    units = (replace(run.units[0], primary=None), *run.units[1:])
    assert "2 of 3 PRIMARY (1 ?)" in arm_line(replace(run, units=units), "treatment", 80)


def test_no_percentages() -> None:
    run = view()
    lines = [*header_lines(run, NOW, 80), arm_line(run, "control", 80), line_of(unit(), run, 80)]
    assert "%" not in "".join(lines)


def test_the_chosen_unit_is_told_in_full() -> None:
    one = replace(unit(), table_only=True, other_log=True, whole=False, gaps=2)
    assert chosen_line(one) == (
        "UNI-10-1: beyond stone, coal_ore; PRIMARY by the table alone; "
        "SECONDARY by another log; gap in its last reading"
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_the_unit_s_table_fits_and_marks_gaps(width: int) -> None:
    lines = reading_lines(unit(), view(), width, NOW)
    assert all(cell_len(line) <= width for line in lines[:-1])
    stone = next(line for line in lines if line.startswith("mine_stone"))
    assert "3!" in stone
    assert stone.rstrip().endswith("--")
    assert "never" in stone


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ({}, 0), ({"collector_pid": None}, None), ({"stage": "closed"}, None),
        ({"cycle": 65}, None), ({"cycle": 5}, 600_000), ({"slot0_ms": None, "cycle": None}, 0),
    ],
)  # fmt: skip
def test_the_next_poll(changes: dict[str, object], left: int | None) -> None:
    slot = view(**changes).next_slot_ms(NOW)
    assert (None if slot is None else slot - NOW) == left


def test_unknown_kinds_are_not_called_nothing() -> None:
    one = replace(unit(), beyond_blocks=())
    assert "beyond nothing" in chosen_line(replace(one, beyond=0))
    assert "beyond ?" in chosen_line(replace(one, beyond=None))
