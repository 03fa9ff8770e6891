"""How the run's screen shares its lines: what a problem takes is the journal's, never a unit's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.console.live.shares import most_lines, share

ROOMS = st.integers(6, 80)


@given(room=ROOMS, pairs=st.integers(1, 12), width=st.integers(60, 220), wide=st.booleans())
def test_units_have_the_same_lines_whatever_is_wrong_or_awaited(
    room: int, pairs: int, width: int, wide: bool
) -> None:
    quiet = share(room, pairs, width, wide=wide, answering=False)
    busy = share(room, pairs, width, wide=wide, answering=True)
    assert (quiet.arms, quiet.below) == (busy.arms, busy.below)
    assert 1 <= busy.problem <= quiet.problem <= most_lines(width)
    assert quiet.problem <= max(1, quiet.below)
    assert (quiet.units, quiet.columns) == (busy.units, busy.columns)
    assert busy.problem < busy.below or busy.problem == 1


def test_six_units_stand_whole_at_80x24_and_60x20_with_three_lines_of_keys() -> None:
    for width, height, fence in ((80, 24, 1), (60, 20, 2)):
        shares = share(height - 2 - 1 - fence - 3, 3, width, wide=False, answering=False)
        assert shares.arms // 2 >= 2 + 3
        assert shares.problem == 2


@given(
    room=ROOMS, pairs=st.integers(1, 12), width=st.integers(60, 220), wide=st.booleans(),
    answering=st.booleans(), wanted=st.integers(0, 4),
)  # fmt: skip
def test_for_a_second_problem_units_give_up_what_it_lacks_and_two_of_an_arm_stay(
    room: int, pairs: int, width: int, *, wide: bool, answering: bool, wanted: int
) -> None:
    before = share(room, pairs, width, wide=wide, answering=answering)
    shares = share(room, pairs, width, wide=wide, answering=answering, wanted=wanted)
    assert shares.units >= min(before.units, 2)
    assert shares.problems >= min(wanted, before.below - answering)
    if shares.units > 2:
        assert shares.problems >= wanted
    if before.below >= wanted + answering:
        assert shares.arms == before.arms
    abreast = 1 if wide else 2
    assert before.arms - shares.arms == (before.units - shares.units) * abreast
    assert shares.arms + shares.below == room


def test_six_pairs_give_one_unit_of_each_arm_for_two_problems_of_two_lines() -> None:
    in_80 = share(24 - 2 - 1 - 1 - 3, 6, 80, wide=False, answering=False, wanted=4)
    assert (in_80.units, in_80.problems) == (5, 4)
    assert share(24 - 2 - 1 - 1 - 3, 6, 80, wide=False, answering=False, wanted=2).units == 6
    in_60 = share(20 - 2 - 1 - 2 - 3, 6, 60, wide=False, answering=False, wanted=4)
    assert (in_60.units, in_60.problems) == (2, 4)


def test_a_narrow_terminal_with_room_gives_a_problem_three_lines() -> None:
    assert share(20, 3, 60, wide=False, answering=False).problem == 3


@pytest.mark.parametrize("wide", [True, False])
def test_many_units_leave_two_lines_to_the_problem_and_the_journal(wide: bool) -> None:
    shares = share(16, 40, 160, wide=wide, answering=False)
    assert shares.arms == 14
    assert shares.below == 2


def test_six_pairs_at_60x20_show_three_units_an_arm_before_a_second_line_of_the_journal() -> None:
    shares = share(20 - 2 - 1 - 2 - 3, 6, 60, wide=False, answering=False)
    assert shares.arms // 2 == 2 + 3
    assert (shares.problem, shares.below) == (2, 2)


@given(room=st.integers(8, 80), pairs=st.integers(1, 20), width=st.integers(60, 220))
def test_the_lower_arm_s_heading_is_given_up_only_for_a_unit_more_in_each_arm(
    room: int, pairs: int, width: int
) -> None:
    shares = share(room, pairs, width, wide=False, answering=False)
    headings = 4 if shares.columns else 3
    assert shares.arms == headings + 2 * shares.units
    assert shares.arms + shares.below == room
    assert shares.units == min(pairs, (room - 2 - headings) // 2)
    assert shares.columns == (min(pairs, (room - 2 - 4) // 2) == min(pairs, (room - 2 - 3) // 2))
    abreast = share(room, pairs, width, wide=True, answering=False)
    assert abreast.columns
    assert abreast.arms == 2 + abreast.units


def test_six_pairs_stand_whole_at_80x24_with_three_lines_of_keys_and_a_line_of_the_journal() -> (
    None
):
    shares = share(24 - 2 - 1 - 1 - 3, 6, 80, wide=False, answering=False)
    assert (shares.units, shares.columns, shares.below) == (6, False, 2)
    with_two = share(24 - 2 - 1 - 1 - 2, 6, 80, wide=False, answering=False)
    assert (with_two.units, with_two.columns, with_two.below) == (6, True, 2)


@given(room=ROOMS, pairs=st.integers(1, 12), width=st.integers(60, 220), answering=st.booleans())
def test_more_than_the_worst_problem_stands_there_only_where_the_journal_keeps_two_lines(
    room: int, pairs: int, width: int, *, answering: bool
) -> None:
    shares = share(room, pairs, width, wide=False, answering=answering, window=True)
    assert shares.problems >= shares.problem
    if shares.problems > shares.problem:
        assert shares.below - shares.problems == 2 + answering
    one = share(24 - 2 - 1 - 1 - 3, 6, 80, wide=False, answering=False)
    assert one.problems == one.problem
    many = share(40 - 2 - 1 - 1 - 2, 3, 120, wide=False, answering=False)
    assert many.problems >= 3 * many.problem
