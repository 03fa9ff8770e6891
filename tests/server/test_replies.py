"""Replies become the value they hold, or a named error; nothing in between."""

import json
import re
import string
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plateau_tui.server import errors
from plateau_tui.server.replies import (
    Added,
    ObjectiveList,
    ScoreList,
    ScoreReading,
    classify,
    parse_added,
    parse_count,
    parse_objectives,
    parse_online,
    parse_score,
    parse_scores,
)

UNI = "UNI-10-1"
UNITS = ("UNI-10-1", "UNI-10-2", "UNI-10-10", "UNI-12-1")
T = json.loads(Path(__file__).with_name("replies-1.16.5.json").read_text("utf-8"))["replies"]


def render(key: str, *values: object) -> str:
    pieces = T[key].split("%s")
    assert len(pieces) == len(values) + 1
    return "".join(f"{piece}{value}" for piece, value in zip(pieces, (*values, ""), strict=True))


LETTERS = string.ascii_letters + string.digits + "_.-"
NAMES = st.text(LETTERS, min_size=1, max_size=16)
OBJECTIVES = st.text(LETTERS + "+", min_size=1, max_size=16)
SCORES = st.integers(-(2**31), 2**31 - 1)
COUNTS = st.integers(0, 2**31 - 1)
CALM = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="[]§"), max_size=12
)
DISPLAYS = st.recursive(
    CALM, lambda inner: st.tuples(CALM, inner, CALM).map(lambda t: f"{t[0]}[{t[1]}]: {t[2]}")
).filter(lambda text: re.search(r" has |There |Found |Unknown |TPS ", text) is None)
UNAMBIGUOUS = DISPLAYS.filter(lambda text: re.search(r"\]: -?[0-9]|\], ", text) is None)

# -- the field's table -----------------------------------------------------------------------

SCORE_ERRORS: list[tuple[str, type[errors.ReplyError]]] = [
    ("", errors.EmptyReplyError),
    ("\n", errors.EmptyReplyError),
    ("§r", errors.EmptyReplyError),
    ("Unknown scoreboard objective 'm_stone'", errors.UnknownObjectiveError),
    ("Unknown scoreboard objective 'm_dirt'", errors.MismatchError),
    ('Unknown command. Type "/help" for help.\n', errors.CommandRefusedError),
    (
        "Unknown or incomplete command, see below for errorscoreboard<--[HERE]",
        errors.CommandRefusedError,
    ),
    ("Incorrect argument for command...yers get x<--[HERE]", errors.CommandRefusedError),
    (
        "An unexpected error occurred trying to execute that command",
        errors.CommandFailedError,
    ),
    (
        "Error executing: scoreboard players get UNI-10-1 m_stone (null)",
        errors.CommandFailedError,
    ),
    ("UNI-10-2 has 5 [m_stone]", errors.MismatchError),
    ("UNI-10-10 has 5 [m_stone]", errors.MismatchError),
    ("Can't get value of m_stone for UNI-10-2; none is set", errors.MismatchError),
    ("Can't get value of m_dirt for UNI-10-1; none is set", errors.MismatchError),
    ("UNI-10-1 has 5 [m_stone]UNI-10-1 has 7 [m_dirt]", errors.GarbledReplyError),
    ("UNI-10-1 has 5 [m_stone]UNI-10-2 has 7 scores:[a]: 1", errors.GarbledReplyError),
    ("TPS from last 1m, 5m, 15m: 20.0UNI-10-1 has 5 [m_stone]", errors.GarbledReplyError),
    ("UNI-10-1 has 5 [m_stone]TPS from last 1m, 5m, 15m: 20.0", errors.GarbledReplyError),
    ("UNI-10-1 has 5 [m_stone] and more [x]", errors.GarbledReplyError),
    ("UNI-10-1 has 2147483648 [m_stone]", errors.GarbledReplyError),
    ("UNI-10-1 has 05 [m_stone]", errors.GarbledReplyError),
    ("UNI-10-1 has \u0665 [m_stone]", errors.GarbledReplyError),
    ("UNI-10-1 has 5 [m_stone", errors.GarbledReplyError),
    ("UNI-10-1 has 5", errors.GarbledReplyError),
    ("UNI-10-1 has 5 [m_stone]\n\n", errors.GarbledReplyError),
    ("Unknown request 0", errors.GarbledReplyError),
    ("\ufffd6There", errors.GarbledReplyError),
]


@pytest.mark.parametrize(("raw", "kind"), SCORE_ERRORS)
def test_a_score_reply_without_a_value(raw: str, kind: type[errors.ReplyError]) -> None:
    with pytest.raises(errors.ReplyError) as caught:
        parse_score(raw, UNI, "m_stone")
    assert type(caught.value) is kind
    assert caught.value.raw == raw
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("raw", "reading"),
    [
        ("UNI-10-1 has 5 [m_stone]", ScoreReading(5, "m_stone")),
        ("UNI-10-1 has 5 [m_stone]\n", ScoreReading(5, "m_stone")),
        ("UNI-10-1 has 5 [Stone [2]]", ScoreReading(5, "Stone [2]")),
        ("UNI-10-1 has 5 [Stone ]]", ScoreReading(5, "Stone ]")),
        ("UNI-10-1 has 5 [Stone [2]", ScoreReading(5, "Stone [2")),
        ("UNI-10-1 has 5 []", ScoreReading(5, "")),
        ("UNI-10-1 has -3 [§6Stone: 7]", ScoreReading(-3, "§6Stone: 7")),
        ("UNI-10-1 has 0 [m_stone]", ScoreReading(0, "m_stone")),
        ("Can't get value of m_stone for UNI-10-1; none is set", ScoreReading(None, None)),
    ],
)
def test_a_score_reply_with_one(raw: str, reading: ScoreReading) -> None:
    assert parse_score(raw, UNI, "m_stone") == reading


COUNT_ERRORS: list[tuple[str, type[errors.ReplyError]]] = [
    ("Error executing: clear UNI-12-1 minecraft:stick 0 (null)", errors.CommandFailedError),
    (
        "§6Removed§c 0 §6of§c wooden_pickaxe §6from§c UNI-12-1§6.\n",
        errors.ItemsRemovedError,
    ),
    ("\ufffd6Removed\ufffdc 0 \ufffd6of stick", errors.ItemsRemovedError),
    ("Removed 3 items from player UNI-12-1", errors.ItemsRemovedError),
    ("[Essentials] §6Removed§c 0 §6of stick", errors.ItemsRemovedError),
    (
        "Found 3 matching items on player UNI-12-1Removed 3 items from player UNI-12-1",
        errors.ItemsRemovedError,
    ),
    ("Found 3 matching items on 2 players", errors.MismatchError),
    ("No items were found on 2 players", errors.MismatchError),
    ("No items were found on player UNI-12-10", errors.MismatchError),
    ("Found 3 matching items on player UNI-12-10", errors.MismatchError),
    ("Found 3 matching items on player [AFK]UNI-12-1", errors.GarbledReplyError),
    ("No player was found", errors.NoPlayerError),
    (
        "Unknown item 'minecraft:minecraft.wooden_pickaxe'...er UNI-12-1 <--[HERE]",
        errors.CommandRefusedError,
    ),
    ("", errors.EmptyReplyError),
    ("Found 3 matching items on player UNI-12-1No player was found", errors.GarbledReplyError),
    ("Found 12", errors.GarbledReplyError),
]


@pytest.mark.parametrize(("raw", "kind"), COUNT_ERRORS)
def test_a_count_reply_without_a_value(raw: str, kind: type[errors.ReplyError]) -> None:
    with pytest.raises(errors.ReplyError) as caught:
        parse_count(raw, "UNI-12-1")
    assert type(caught.value) is kind
    assert caught.value.raw == raw
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "count"),
    [
        ("Found 3 matching items on player UNI-12-1", 3),
        ("Found 3 matching item(s) on player UNI-12-1", 3),
        ("No items were found on player UNI-12-1", 0),
        ("No items were found on player UNI-12-1\n", 0),
    ],
)
def test_a_count_reply_with_one(raw: str, count: int) -> None:
    assert parse_count(raw, "UNI-12-1") == count


def test_all_scores_of_a_player() -> None:
    glued = "UNI-10-1 has 2 scores:[m_dirt]: 5[m_stone]: 7"
    assert parse_scores(glued, UNI) == ScoreList(2, (("m_dirt", 5), ("m_stone", 7)), complete=True)
    assert parse_scores("UNI-10-1 has no scores to show", UNI) == ScoreList(0, (), complete=True)
    one = parse_scores("UNI-10-1 has 1 scores:[A [2]: x]: -5\n", UNI)
    assert one == ScoreList(1, (("A [2]: x", -5),), complete=True)


@pytest.mark.parametrize(
    "raw",
    [
        "UNI-10-1 has 3 scores:[m_dirt]: 5[m_stone]: 7",
        "UNI-10-1 has 1 scores:[m_dirt]: 5[m_stone]: 7",
        "UNI-10-1 has 2 scores:[a]: 5 [b]: 7",
        "UNI-10-1 has 2 scores:[=]|[=]: 1[m_dirt]|[]: 5[x]: 2",
        "UNI-10-1 has 1 scores:",
    ],
)
def test_scores_that_do_not_add_up_are_incomplete(raw: str) -> None:
    assert not parse_scores(raw, UNI).complete


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ("UNI-10-2 has 2 scores:[m_dirt]: 5[m_stone]: 7", errors.MismatchError),
        ("UNI-10-2 has no scores to show", errors.MismatchError),
        ("UNI-10-1 has 1 scores:[a]: 5UNI-10-2 has 1 scores:[b]: 7", errors.GarbledReplyError),
        ("UNI-10-1 has 1 scores:[a]: 5UNI-10-2 has no scores to show", errors.GarbledReplyError),
        ("UNI-10-1 has 1 scores:[a]: 5There are 1 objectives: [b]", errors.GarbledReplyError),
        ("UNI-10-1 has 2 scores:[a]: 5[b]: 7TPS from last 1m: 20.0", errors.GarbledReplyError),
        ("UNI-10-1 has 2 scores:[a]: 5[b]: ", errors.GarbledReplyError),
        ("UNI-10-1 has no scores to showUNI-10-1 has 5 [a]", errors.GarbledReplyError),
        ("UNI-10-1 has 5 [m_stone]", errors.GarbledReplyError),
        ("There are 3 tracked entities: UNI-10-1, a, b", errors.GarbledReplyError),
        ("", errors.EmptyReplyError),
    ],
)
def test_score_lists_of_others_and_glued_ones(raw: str, kind: type[errors.ReplyError]) -> None:
    with pytest.raises(kind):
        parse_scores(raw, UNI)


def test_a_long_hostile_text_costs_no_square() -> None:
    for raw in (
        "UNI-10-1 has 5 scores:" + "[" * 200_000,
        "Expected " * 50_000,
        "There are 5 objectives: " + "[a" * 100_000,
        "There are 5 " * 50_000,
        "Can't get value of " + "a for " * 50_000,
    ):
        for parse in PARSERS:
            with pytest.raises(errors.ReplyError):
                parse(raw)


@pytest.mark.parametrize(
    ("raw", "listed"),
    [
        ("There are no objectives", ObjectiveList(0, (), complete=True)),
        ("There are 1 objectives: [x]", ObjectiveList(1, ("x",), complete=True)),
        (
            "There are 2 objectives: [Stone [2]], [m_dirt]",
            ObjectiveList(2, ("Stone [2]", "m_dirt"), complete=True),
        ),
        ("There are 1 objectives: [a], [b]", ObjectiveList(1, ("a", "b"), complete=False)),
        ("There are 2 objectives: [a][b]", ObjectiveList(2, ("a][b",), complete=False)),
        ("There are 3 objectives: [a], [b]", ObjectiveList(3, ("a", "b"), complete=False)),
    ],
)
def test_objectives(raw: str, listed: ObjectiveList) -> None:
    assert parse_objectives(raw) == listed


@pytest.mark.parametrize(
    "raw",
    [
        "There are no objectivesThere are 2 objectives: [a], [b]",
        "There are 1 objectives: [a]There are 1 objectives: [b]",
        "There are 1 objectives: [a]UNI-10-1 has 5 [b]",
        "There are 0 of a max of 20 players online: ",
    ],
)
def test_objectives_glued_or_swapped(raw: str) -> None:
    with pytest.raises(errors.GarbledReplyError):
        parse_objectives(raw)


def test_what_became_of_an_objective() -> None:
    assert parse_added("Created new objective [m_stone]", "m_stone") is Added.CREATED
    assert parse_added("An objective already exists by that name", "m") is Added.EXISTING
    for raw in (
        "Objective names cannot be longer than 16 characters",
        "Objective names cannot be longer than 16 characters...stone<--[HERE]",
        "Unknown criterion 'minecraft.mined:minecraft.grass'",
        "Unknown criterion 'minecraft.mined:minecraft.grass'...d:minecraft.grass<--[HERE]",
    ):
        with pytest.raises(errors.ObjectiveRefusedError, match="registration"):
            parse_added(raw, "m_stone")
    with pytest.raises(errors.MismatchError):
        parse_added("Created new objective [m_dirt]", "m_stone")
    with pytest.raises(errors.MismatchError):
        parse_added("Created new objective [m_stone]Created new objective [x]", "m_stone")
    with pytest.raises(errors.EmptyReplyError):
        parse_added("", "m_stone")


def test_what_a_fresh_connection_may_cure() -> None:
    cured = {errors.EmptyReplyError, errors.MismatchError, errors.GarbledReplyError}
    kinds = errors.ReplyError.__subclasses__()
    assert len(kinds) == 9
    for kind in kinds:
        assert kind("x", "raw").ask_again == (kind in cured)
    codes = [kind.code for kind in (*kinds, *errors.LinkError.__subclasses__())]
    assert len(set(codes)) == len(codes)


# -- properties ------------------------------------------------------------------------------

PARSERS: list[Callable[[str], object]] = [
    lambda raw: parse_score(raw, UNI, "m_stone"),
    lambda raw: parse_scores(raw, UNI),
    lambda raw: parse_count(raw, UNI),
    parse_objectives,
    lambda raw: parse_added(raw, "m_stone"),
    lambda raw: parse_online(raw, UNITS),
]


@given(st.text())
def test_arbitrary_text_never_becomes_a_value(raw: str) -> None:
    for parse in PARSERS:
        with pytest.raises(errors.ReplyError) as caught:
            parse(raw)
        assert caught.value.raw == raw
        assert str(caught.value).isprintable()
    with pytest.raises(errors.ReplyError):
        classify(raw)


@given(NAMES, OBJECTIVES, SCORES, DISPLAYS)
@example("Removed", "a", 0, "a")
def test_scores_round_trip(player: str, objective: str, value: int, display: str) -> None:
    raw = render("commands.scoreboard.players.get.success", player, value, f"[{display}]")
    assert parse_score(raw, player, objective) == ScoreReading(value, display)
    unset = render("commands.scoreboard.players.get.null", objective, player)
    assert parse_score(unset, player, objective) == ScoreReading(None, None)
    for other in (player + "x", player[:-1] + "~", player.swapcase() + "_"):
        with pytest.raises(errors.MismatchError):
            parse_score(raw, other, objective)
        with pytest.raises(errors.MismatchError):
            parse_score(unset, other, objective)


@given(NAMES, st.lists(st.tuples(UNAMBIGUOUS, SCORES), max_size=6))
def test_score_lists_round_trip(player: str, entries: list[tuple[str, int]]) -> None:
    raw = render("commands.scoreboard.players.list.entity.success", player, len(entries))
    raw += "".join(
        render("commands.scoreboard.players.list.entity.entry", f"[{display}]", value)
        for display, value in entries
    )
    assert parse_scores(raw, player) == ScoreList(len(entries), tuple(entries), complete=True)


@given(
    NAMES,
    st.lists(st.tuples(st.text(st.sampled_from("ab[]: 5-,"), max_size=9), SCORES), max_size=5),
)
def test_a_complete_score_list_is_the_right_one(
    player: str, entries: list[tuple[str, int]]
) -> None:
    raw = f"{player} has {len(entries)} scores:" + "".join(
        f"[{display}]: {value}" for display, value in entries
    )
    got = parse_scores(raw, player)
    assert not got.complete or got.entries == tuple(entries)


@given(NAMES, COUNTS, st.sampled_from(["items", "item(s)"]))
def test_counts_round_trip(player: str, count: int, word: str) -> None:
    raw = render("commands.clear.test.single", count, player).replace(
        "matching items", f"matching {word}"
    )
    assert parse_count(raw, player) == count
    assert parse_count(render("clear.failed.single", player), player) == 0
    with pytest.raises(errors.MismatchError):
        parse_count(raw, player + "0")
    with pytest.raises(errors.ItemsRemovedError):
        parse_count(render("commands.clear.success.single", count, player), player)


@given(st.lists(UNAMBIGUOUS, min_size=1, max_size=6))
def test_objective_lists_round_trip(displays: list[str]) -> None:
    shown = ", ".join(f"[{display}]" for display in displays)
    raw = render("commands.scoreboard.objectives.list.success", len(displays), shown)
    assert parse_objectives(raw) == ObjectiveList(len(displays), tuple(displays), complete=True)


VALID = st.one_of(
    st.builds(lambda n, v, d: f"{n} has {v} [{d}]", NAMES, SCORES, OBJECTIVES),
    st.builds(lambda n, v, d: f"{n} has 1 scores:[{d}]: {v}", NAMES, SCORES, OBJECTIVES),
    st.builds(lambda n, d: f"Can't get value of {d} for {n}; none is set", NAMES, OBJECTIVES),
    st.builds(lambda n, v: f"Found {v} matching items on player {n}", NAMES, COUNTS),
    st.builds(lambda d: f"There are 1 objectives: [{d}]", OBJECTIVES),
    st.builds(lambda n: f"There are 1 of a max of 20 players online: {n}", NAMES),
    st.builds(lambda n: f"{n} has no scores to show", NAMES),
    st.sampled_from(
        [
            "There are no objectives",
            "No player was found",
            "TPS from last 1m, 5m, 15m: 20.0, 20.0, 20.0",
            "Unknown request c8",
            "An objective already exists by that name",
        ]
    ),
)


@given(VALID, VALID, st.sampled_from(["", "\n"]))
def test_two_replies_glued_together_are_never_a_value(one: str, two: str, between: str) -> None:
    name = next(iter(re.findall(r"[A-Za-z0-9_.-]+", one)), UNI)
    named: list[Callable[[str], object]] = [
        lambda raw: parse_score(raw, name, "m"),
        lambda raw: parse_scores(raw, name),
        lambda raw: parse_count(raw, name),
    ]
    for parse in PARSERS + named:
        with pytest.raises(errors.ReplyError):
            parse(one + between + two)
