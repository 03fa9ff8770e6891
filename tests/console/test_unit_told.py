"""The unit's screen tells why there are gaps, and who is online in the unit's place."""

from dataclasses import replace
from typing import Final

import pytest
from console.views import NOW, SLOT0, unit, view, with_some
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.binding import ActiveBinding, Binding

from plateau_tui.console.help import help_text
from plateau_tui.console.lines.grid import Columns, unit_line
from plateau_tui.console.lines.problems import problems
from plateau_tui.console.lines.renamed import player_like, renamed_words
from plateau_tui.console.lines.unit import reading_lines
from plateau_tui.console.live.view import Reading, UnitView
from plateau_tui.console.screens.replayparts import STEPS
from plateau_tui.server.roster import is_like

ONE: Final = "UNI-10-1"
LOST: Final = "rcon timeout, reconnected"


def noted(*notes: str) -> UnitView:
    readings = tuple(Reading(n, SLOT0, {"place_dirt": None}, note) for n, note in enumerate(notes))
    return replace(unit(), readings=readings)


@pytest.mark.parametrize(
    ("notes", "told"),
    [
        (("", LOST), f"Note of cycle 2: {LOST}"),
        ((LOST, LOST, LOST), f"Note of cycles 1 to 3: {LOST}"),
        (("else", LOST, LOST), f"Note of cycles 2 to 3: {LOST}"),
        ((LOST, "", LOST), f"Note of cycle 3: {LOST}"),
    ],
)
def test_why_a_reading_is_missing_stands_above_the_readings(
    notes: tuple[str, ...], told: str
) -> None:
    lines = reading_lines(noted(*notes), view(), 80, NOW)
    heading = next(n for n, line in enumerate(lines) if line.startswith("objective"))
    assert told in lines[:heading]


def test_why_readings_were_missing_stands_below_them_once_they_are_read_again() -> None:
    lines = reading_lines(noted("else", LOST, LOST, ""), view(), 80, NOW)
    heading = next(n for n, line in enumerate(lines) if line.startswith("objective"))
    told = f"Note of cycles 2 to 3: {LOST}"
    assert told not in lines[:heading]
    assert told in lines[heading:]


def test_a_long_note_leaves_the_table_in_sight_and_stands_whole_below_it() -> None:
    lines = reading_lines(noted("a word " * 60), view(), 60, NOW)
    heading = next(n for n, line in enumerate(lines) if line.startswith("objective"))
    assert heading <= 7
    [cut] = [line for line in lines[:heading] if line.endswith("~")]
    assert cell_len(cut) <= 60
    assert " ".join(lines[heading:]).count("a word") > 50
    assert not any(line.startswith("Note") for line in reading_lines(unit(), view(), 60, NOW))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("UNI_10_1", "UNI_10_1 is online, likely it: name it UNI-10-1 again"),
        ("uni-10-1", "uni-10-1 is online, the case differs: name it UNI-10-1 again"),
        ("[AFK]Uni.10.1", "[AFK]Uni.10.1 is online, likely it: name it UNI-10-1 again"),
        ("UNI-10-11", ""),
        ("Steve", ""),
    ],
)
def test_who_is_likely_the_unit_is_named_where_it_is_missed(name: str, words: str) -> None:
    away = with_some({ONE}, online=False, absent_polls=4)
    run = replace(away, others=("Steve", name))
    one = run.units[0]
    assert renamed_words(one, run) == words
    assert (words in reading_lines(one, run, 80, NOW)) or not words
    [told] = [found for found in problems(run, NOW) if found.kind == "not listed"]
    assert words in told.line
    here = replace(run, units=(replace(one, online=True), *run.units[1:]))
    assert renamed_words(here.units[0], here) == ""


@given(st.text("abU-_.1", min_size=1, max_size=8))
def test_a_name_is_like_itself_in_any_case_and_with_other_signs(name: str) -> None:
    if any(c.isalnum() for c in name):
        assert is_like(name.swapcase().replace("-", "_"), name)
        assert not is_like(f"{name}x", name)


def test_nobody_is_like_a_unit_where_nobody_else_is_online() -> None:
    assert player_like(unit(), view()) is None


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("hoard", [7, 99, 107, 1234, 9999])
@pytest.mark.parametrize("beyond", [0, 2, 10])
def test_an_old_hoard_of_four_digits_is_told_in_full(width: int, hoard: int, beyond: int) -> None:
    run = view()
    columns = Columns.fit(width, run)
    old = NOW - 3 * run.interval_ms
    blocks = tuple(f"block_{n}" for n in range(beyond))
    for mined in (old, NOW):
        aged = replace(
            unit(), hoard=hoard, hoard_ms=old, beyond=beyond, beyond_blocks=blocks, mined_ms=mined
        )
        fresh = replace(aged, hoard_ms=NOW, mined_ms=NOW, hoard=7)
        line = unit_line(aged, run, columns, NOW)
        assert f"({hoard})" in line or (width == 60 and beyond == 10 and mined == old)
        assert cell_len(line) == cell_len(unit_line(fresh, run, columns, NOW))


def test_the_help_spells_keys_as_the_line_of_keys_does() -> None:
    steps = [step for step in STEPS if isinstance(step, Binding)]
    single = [replace(step, key=key) for step in steps for key in step.key.split(",")]
    found = help_text(
        ActiveBinding(None, step, enabled=True, tooltip="")  # type: ignore[arg-type]
        for step in single
    )
    for name in ("bracket", "full_stop", "slash"):
        assert name not in found.partition("The words on the screens")[0]
