"""Who is online: the run's own units, whole words, whatever a plugin makes of the list."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.server import errors
from plateau_tui.server.replies import Roster, parse_online

UNITS = ("UNI-10-1", "UNI-10-2", "UNI-10-10", "UNI-12-1")

ESSENTIALS = "§6There are §c{}§6 out of maximum §c20§6 players online.\n"
HIDDEN = ESSENTIALS.format("3§6/§c1")


def roster(
    *online: str, announced: int | None = None, note: str = "", others: tuple[str, ...] = ()
) -> Roster:
    number = len(online) + len(others) if announced is None else announced
    return Roster(frozenset(online), number, note, others)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("There are 0 of a max of 20 players online: ", roster()),
        ("There are 0 of a max of 20 players online:", roster()),
        (
            "There are 2 of a max of 20 players online: UNI-10-1, UNI-10-2",
            roster("UNI-10-1", "UNI-10-2"),
        ),
        ("There are 1 of a max of 20 players online: UNI-10-10", roster("UNI-10-10")),
        ("There are 1 of a max of 20 players online: Steve", roster(others=("Steve",))),
        (
            "There are 1 of a max of 20 players online: .UNI-10-1",
            roster(others=(".UNI-10-1",)),
        ),
        (
            "There are 1 of a max of 20 players online: UNI-10-1_",
            roster(others=("UNI-10-1_",)),
        ),
        (
            f"{ESSENTIALS.format(2)}§6default§r: §7[AFK]§rUNI-10-1, §4~UNI-10-2§r\n",
            roster("UNI-10-1", "UNI-10-2"),
        ),
        (
            HIDDEN + "§6Admins§r: UNI-12-1\n§6UNI-10-2§r: UNI-10-1, §x§1§2§3§4§5§6Steve",
            roster("UNI-12-1", "UNI-10-1", others=("Steve",)),
        ),
        ("There is 1 player online: UNI-10-1", roster("UNI-10-1")),
        ("There are no players online.", roster()),
        ("There are 2/20 players online: UNI-10-1, UNI-10-2", roster("UNI-10-1", "UNI-10-2")),
        ("There are currently 1 players online (max 20): UNI-10-1", roster("UNI-10-1")),
        ("\x1b[33mThere are 1 online: \x1b[0mUNI-10-1\x1b[m", roster("UNI-10-1")),
        ("UNI-10-1 There are 1 of a max of 20 players online: UNI-10-2", None),
        ("There are 2 objectives: [players], [online]", None),
        ("There are 3 tracked entities: UNI-10-1, UNI-10-2, UNI-12-1", None),
        ("There are no objectives", None),
        ("There are players online", None),
        ("There are no objectivesThere are 1 of a max of 20 players online: UNI-10-1", None),
        ("UNI-10-1, UNI-10-2", None),
        ("UNI-10-1 has 5 [players online]", None),
        ("There are 1 of a max of 20 players online: UNI-10-1There are no objectives", None),
        ("There are 1 of a max of 20 players online: UNI-10-1UNI-10-2 has 5 [a]", None),
        ("There are 1 of a max of 20 players online: UNI-10-1TPS from last 1m: 20.0", None),
        ("There are 1 of a max of 20 players online: UNI-10-1No player was found", None),
    ],
)
def test_lists_vanilla_and_plugins(raw: str, expected: Roster | None) -> None:
    if expected is None:
        with pytest.raises(errors.GarbledReplyError):
            parse_online(raw, UNITS)
    else:
        assert parse_online(raw, UNITS) == expected


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ("", errors.EmptyReplyError),
        (" \n", errors.EmptyReplyError),
        ('Unknown command. Type "/help" for help.\n', errors.CommandRefusedError),
        (
            "Unknown or incomplete command, see below for errorlist<--[HERE]",
            errors.CommandRefusedError,
        ),
        (
            "An unexpected error occurred trying to execute that command",
            errors.CommandFailedError,
        ),
        ("Unknown request c8", errors.GarbledReplyError),
    ],
)
def test_what_is_no_list(raw: str, kind: type[errors.ReplyError]) -> None:
    with pytest.raises(kind):
        parse_online(raw, UNITS)


def test_hidden_players_and_case_are_noted() -> None:
    hidden = parse_online("There are 3 of a max of 20 players online: UNI-10-1", UNITS)
    assert hidden.online == {"UNI-10-1"}
    assert hidden.announced == 3
    assert hidden.note == "list announces 3 players and names 1"
    case = parse_online("There are 1 of a max of 20 players online: uni-10-1", UNITS)
    assert case.online == frozenset()
    assert "uni-10-1" in case.note
    assert "case differs" in case.note


def test_who_else_is_online_is_named_as_the_server_writes_it_in_one_line() -> None:
    raw = "There are 3 of a max of 20 players online: UNI-10-1, [AFK] Steve, \u202ex" + "y" * 90
    assert parse_online(raw, UNITS).others == ("[AFK] Steve", "\\u202ex" + "y" * 32 + "…")


def test_undecodable_colour_codes_leave_the_names_readable() -> None:
    raw = "\ufffd6There are 1 of a max of 20 players online: \ufffdcUNI-10-1"
    found = parse_online(raw, UNITS)
    assert found.online == {"UNI-10-1"}
    assert found.note == "list came with undecodable bytes"


NAMES = st.text("UNIuni-_.10 2"[:11].replace(" ", ""), min_size=1, max_size=10)


@given(
    st.lists(NAMES, unique=True, max_size=8),
    st.lists(NAMES, unique=True, max_size=8),
    st.sampled_from(["", "[AFK]", "§a", "~", "*"]),
)
def test_whole_words_in_the_same_case(shown: list[str], units: list[str], prefix: str) -> None:
    raw = f"There are {len(shown)} of a max of 20 players online: " + ", ".join(
        prefix + name for name in shown
    )
    found = parse_online(raw, units)
    assert found.online == set(shown) & set(units)
    assert found.announced == len(shown)
