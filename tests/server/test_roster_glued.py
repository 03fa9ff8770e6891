"""A list of players with something glued to it, or with other names than it announces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.server.errors import ReplyError
from plateau_tui.server.replies import Roster, parse_online

UNITS = ("UNI-10-1", "UNI-10-2", "UNI-11-6")
HEAD = "There are {} of a max of 60 players online: "
TAILS = [
    "Saved the game",
    "12",
    "-5",
    "The time is 600",
    "Seed: [-12345]",
    "Set the time to 1000",
    "Gave 1 [Stone] to Notch",
    "Nothing changed. The player is already whitelisted",
]


def states(roster: Roster) -> list[bool | None]:
    return [roster.seen(unit) for unit in UNITS]


@pytest.mark.parametrize("tail", TAILS)
@pytest.mark.parametrize("before", [(), UNITS[:2]])
def test_a_name_with_another_answer_behind_it_is_not_absent(
    before: tuple[str, ...], tail: str
) -> None:
    named = (*before, UNITS[2])
    found = parse_online(HEAD.format(len(named)) + ", ".join(named) + tail, UNITS)
    assert found.seen(UNITS[2]) is None
    assert [found.seen(unit) for unit in before] == [True] * len(before)
    assert "UNI-11-6" in found.note
    assert found.odd


@given(st.text(max_size=30).filter(lambda tail: not tail.startswith((" ", ",", "_", "\n"))))
def test_no_tail_makes_the_last_name_absent(tail: str) -> None:
    raw = HEAD.format(1) + UNITS[2] + tail
    try:
        found = parse_online(raw, UNITS)
    except ReplyError:
        return  # it is asked again
    assert found.seen(UNITS[2]) is not False


@pytest.mark.parametrize(
    ("announced", "named", "expected"),
    [
        (16, UNITS[:2], [True, True, None]),
        (16, (), [None, None, None]),
        (1, UNITS[:2], [True, True, None]),
        (2, UNITS[:2], [True, True, False]),
        (0, (), [False, False, False]),
    ],
)
def test_who_is_not_named_is_absent_only_where_as_many_are_named_as_announced(
    announced: int, named: tuple[str, ...], expected: list[bool | None]
) -> None:
    found = parse_online(HEAD.format(announced) + ", ".join(named), UNITS)
    assert states(found) == expected
    assert bool(found.odd) is (None in expected)


@pytest.mark.parametrize(
    "names",
    [
        "Notch, UNI-10-10, jeb_",
        "Notch, .Bedrock, [AFK] Steve",
        "UNI-11-6_, UNI-10-12, Steve",
        "NotchSaved the game",
    ],
)
def test_what_hides_no_unit_is_no_matter(names: str) -> None:
    found = parse_online(HEAD.format(len(names.split(", "))) + names, UNITS)
    assert states(found) == [False, False, False]
    assert not found.odd


def test_a_decorated_name_is_read_and_asked_for_again_once() -> None:
    found = parse_online(HEAD.format(2) + "[AFK] UNI-10-1, Steve", UNITS)
    assert states(found) == [True, False, False]
    assert found.odd == {"[AFK] UNI-10-1"}


def test_of_two_odd_lists_what_both_say_counts_and_of_a_plain_one_all() -> None:
    glued = parse_online(HEAD.format(1) + "UNI-10-1Gave 1 [Stone] to UNI-11-6", UNITS)
    odd = parse_online(HEAD.format(1) + "UNI-10-1Saved the game", UNITS)
    plain = parse_online(HEAD.format(1) + "UNI-10-1", UNITS)
    assert states(glued.agreed(odd)) == [None, False, None]
    assert "UNI-11-6" in glued.agreed(odd).note
    assert states(glued.agreed(plain)) == [True, False, False]
