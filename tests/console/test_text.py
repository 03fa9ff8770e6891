import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from plateau_tui.console.lines.text import age, countdown, fold, harmless, number, pad, pad_name

ANY = st.text(st.characters(codec=None), max_size=60)
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def is_harmless(text: str) -> bool:
    return all(
        c == " "
        or (unicodedata.category(c)[0] not in "CZ" and unicodedata.bidirectional(c) not in BIDI)
        for c in text
    )


@given(ANY)
def test_no_control_or_bidirectional_character_reaches_the_screen(text: str) -> None:
    assert is_harmless(harmless(text))


@given(ANY, st.integers(0, 40))
def test_a_cut_text_fits_and_says_that_it_is_cut(text: str, width: int) -> None:
    shown = harmless(text, width)
    assert cell_len(shown) <= width
    assert is_harmless(shown)
    if shown != harmless(text) and width:
        assert shown.endswith("~")


@given(ANY, st.integers(0, 40))
def test_a_column_has_exactly_its_cells(text: str, width: int) -> None:
    assert cell_len(pad(text, width)) == width


@given(ANY, st.integers(1, 40))
def test_a_name_s_column_has_exactly_its_cells(text: str, width: int) -> None:
    assert cell_len(pad_name(text, width)) == width


def test_long_names_that_differ_at_their_end_stay_apart() -> None:
    assert pad_name("UNI-curious-0001", 8) != pad_name("UNI-curious-0002", 8)


@given(st.lists(ANY, max_size=12), st.integers(1, 90))
def test_folded_parts_fit_and_keep_their_order(parts: list[str], width: int) -> None:
    lines = fold(parts, width)
    assert all(cell_len(line) <= width for line in lines)
    kept = [harmless(part, width) for part in parts]
    assert "".join(lines).replace(" ", "") == "".join(kept).replace(" ", "")


@pytest.mark.parametrize(
    ("ms", "shown"),
    [
        (None, "-"), (-5, "now"), (0, "now"), (1, "0:01"), (59_000, "0:59"), (60_000, "1:00"),
        (60_001, "1:10"), (61_000, "1:10"), (125_000, "2:10"), (3_600_000, "1:00:00"),
    ],
)  # fmt: skip
def test_the_countdown_goes_by_ten_seconds_above_a_minute(ms: int | None, shown: str) -> None:
    assert countdown(ms) == shown


@pytest.mark.parametrize(
    ("ms", "fine", "coarse"),
    [
        (None, "?", "?"), (-9, "0s", "0s"), (12_999, "12s", "10s"), (59_999, "59s", "50s"),
        (60_000, "1m", "1m"), (7_200_000, "2h", "2h"), (172_800_000, "2d", "2d"),
        (99 * 86_400_000, "99d", "99d"), (100 * 86_400_000, "14w", "14w"),
        (800 * 86_400_000, "2y", "2y"),
    ],
)  # fmt: skip
def test_ages(ms: int | None, fine: str, coarse: str) -> None:
    assert age(ms) == fine
    assert age(ms, coarse=True) == coarse


@given(st.none() | st.integers(-(10**15), 10**15), st.integers(3, 6), st.booleans())
def test_a_count_takes_its_cells_at_most(value: int | None, cells: int, stale: bool) -> None:
    assert 0 < len(number(value, cells, stale=stale)) <= cells


@pytest.mark.parametrize(
    ("value", "cells", "shown", "old"),
    [
        (12, 5, "12", "(12)"), (12_345, 5, "12345", "(12k)"), (123_456, 5, "123k", "(>99k)"),
        (12_345_678, 5, "12M", "(12M)"), (7, 3, "7", "(7)"), (1234, 6, "1234", "(1234)"),
        (99_999, 6, "99999", "(99k)"), (-12_345_678, 5, "<0", "(<0)"), (None, 5, "?", "?"),
    ],
)  # fmt: skip
def test_a_count_that_has_no_room_is_never_shown_larger(
    value: int | None, cells: int, shown: str, old: str
) -> None:
    assert number(value, cells) == shown
    assert number(value, cells, stale=True) == (old if len(old) <= cells else "(>9k)")


def test_unknown_is_no_number() -> None:
    assert number(None) == "?" != number(0)
