"""An arm's heading keeps what tells most where it has no room; the keys stay in sight."""

from dataclasses import replace
from pathlib import Path

import pytest
from console.apps import app_on, sample, until_read
from console.views import NOW, view, with_some
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from plateau_tui.console.lines.grid import arm_line, header_lines
from plateau_tui.console.screens.base import KeyBar

UNKNOWN = {"primary": None, "secondary": None, "plateau_break": None}


def test_words_go_before_the_label_and_the_label_before_how_many_are_live() -> None:
    run = view()
    assert arm_line(run, "treatment", 60, NOW, (1, 2)) == (
        "T curiosity  3 of 3 PRIM  0 of 3 SEC  0 of 3 both  1-2 shown"
    )
    away = with_some({"UNI-10-1"}, absent_polls=9, online=False)
    assert arm_line(away, "treatment", 60, NOW, (1, 2)) == (
        "T curios~  2 live  3 of 3 PRIM  0 of 3 SEC  0 of 3 both  1-2"
    )
    dark = with_some({unit.name for unit in away.units}, away, **UNKNOWN)
    assert arm_line(dark, "treatment", 60, NOW, (1, 2)) == (
        "T  0 of 3 PRIM, 3 ?  0 of 3 SEC, 3 ?  0 of 3 both, 3 ?  1-2"
    )
    assert arm_line(dark, "treatment", 69, NOW, (1, 2)) == (
        "T  2 live  0 of 3 PRIM, 3 ?  0 of 3 SEC, 3 ?  0 of 3 both, 3 ?  1-2"
    )


@given(
    width=st.integers(60, 160),
    label=st.text(max_size=40),
    away=st.sets(st.sampled_from(["UNI-10-1", "UNI-10-2"])),
    shown=st.none() | st.just((1, 2)),
)
def test_the_heading_fits_and_always_has_its_three_counts(
    width: int, label: str, away: set[str], shown: tuple[int, int] | None
) -> None:
    run = with_some(away, absent_polls=9, online=False)
    run = replace(run, arms={**run.arms, "treatment": label})
    line = arm_line(run, "treatment", width, NOW, shown)
    assert cell_len(line) <= width
    assert line.count(" of 3 ") == 3
    assert ("1-2" in line) or shown is None
    assert (f"{3 - len(away)} live" in line) == bool(away) or label


@pytest.mark.parametrize(("width", "word"), [(60, "wood unpinned"), (80, "wood not pinned")])
def test_a_run_without_pins_is_not_said_to_have_no_wood(width: int, word: str) -> None:
    run = with_some({unit.name for unit in view().units}, baseline=None)
    assert word in header_lines(run, NOW, width)[1]


@pytest.mark.asyncio
async def test_every_key_that_a_text_names_stands_in_the_narrow_line_of_keys(
    tmp_path: Path,
) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(60, 20)) as pilot:
        await until_read(pilot)
        lines = app.screen.query_one(KeyBar).lines
        assert len(lines) == 3
        assert " i / [ ] j k " in lines[-1]
        assert all(cell_len(line) <= 60 for line in lines)
