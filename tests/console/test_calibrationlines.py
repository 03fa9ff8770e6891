"""What the calibration's screens show fits the screen and leaves nothing out."""

import re

from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.calibration.apart import Told
from plateau_tui.calibration.catalog import load_target
from plateau_tui.calibration.outcome import outcome_of
from plateau_tui.calibration.tables import table_lines
from plateau_tui.console.lines.calibration import (
    folded,
    outcome_state,
    outcomes_lines,
    progress_line,
)
from plateau_tui.console.lines.text import cells

WORD = st.text("abcdefgh-:(),", min_size=1, max_size=18)
CELL = st.lists(WORD, min_size=1, max_size=6).map(" ".join)
ROWS = st.integers(2, 6).flatmap(
    lambda columns: st.lists(
        st.tuples(*[CELL] * columns), min_size=2, max_size=4
    )  # the head, and rows
)


def letters(text: str) -> list[str]:
    return sorted(re.findall("[a-h]", text))


@given(ROWS, st.integers(24, 120))
def test_a_table_fits_any_width_and_keeps_every_cell(
    rows: list[tuple[str, ...]], width: int
) -> None:
    head, *others = rows
    lines = table_lines(head, others, width)
    assert all(cells(line) <= width for line in lines)
    text = letters(" ".join(lines))
    for row in others:
        for cell in row:
            assert not set(letters(cell)) - set(text)
    assert len(text) >= len(letters(" ".join(cell for row in others for cell in row[1:])))


@given(st.lists(CELL, max_size=4), st.integers(24, 120))
def test_lines_are_broken_and_nothing_of_them_is_lost(lines: list[str], width: int) -> None:
    broken = folded(lines, width)
    assert all(cells(line) <= width for line in broken)
    assert letters(" ".join(broken)) == letters(" ".join(lines))


def test_a_hostile_line_is_made_harmless() -> None:
    assert folded(["a\x1b[31mb\u202ec"], 40) == ["a·[31mb·c"]


def test_progress_says_how_far_and_never_overflows() -> None:
    assert progress_line("x", None).startswith("x [")
    assert "begins" in progress_line("x", None)
    assert f"[{'#' * 10}{' ' * 10}] 3 of 6 runs: walks" in progress_line("x", Told(3, 6, "walks"))
    assert f"[{'#' * 20}]" in progress_line("x", Told(6, 6, "sweep"))


def test_a_refusal_stands_in_the_state_and_below_the_tables() -> None:
    outcome = outcome_of(load_target("phase-goal-3"), processes=1)
    assert outcome_state(outcome).startswith("REFUSED for 1: does not separate")
    lines = " ".join(" ".join(outcomes_lines([outcome], 59)).split())
    assert "phase-goal-3 (the old gate): REFUSED: baselines earn every" in lines
    crawler = outcome_of(load_target("engine-crawler"))
    assert outcome_state(crawler) == "not refused: does not separate; does not collapse"
