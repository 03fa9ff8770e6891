"""The password in what a server says: taken out whole, and nothing else altered by it."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server.scripted import PASSWORD, Connection, Scripted, answering, linked, packet

from plateau_tui.metric.objectives import METRIC_OBJECTIVES, OBJECTIVE_NAME
from plateau_tui.server.commands import PLAYER_NAME
from plateau_tui.server.console import ReadOnlyConsole
from plateau_tui.server.errors import ReplyError
from plateau_tui.server.secret import HIDDEN, Secret, why_not_hidden
from plateau_tui.server.transport import FULL_REPLY, Transport

LONG = "CanaryQ7z9Lm3x8Kp5Wv"
ANSWERS = (
    "There are 12 of a max of 20 players online: UNI-10-1, UNI-11-1",
    "UNI-10-1 has 1234567 [mine_stone]",
    "Can't get value of mine_stone for UNI-10-1; none is set",
    "UNI-10-1 has 2 scores:[mine_stone]: 12345[place_dirt]: 7",
    "There are 2 objectives: [mine_stone], [place_dirt]",
    "Found 64 matching items on player UNI-10-1",
    "Unknown or incomplete command, see below for errorminecraft:list<--[HERE]",
)


@given(
    st.text(min_size=4, max_size=40).filter(lambda text: why_not_hidden(text) is None),
    st.text(max_size=60),
    st.text(max_size=60),
)
def test_a_password_is_in_no_text_that_was_searched_for_it(
    password: str, before: str, after: str
) -> None:
    secret = Secret(password)
    for said in (password, password.upper(), password.lower()):
        if said.casefold() == password.casefold() and len(said) == len(password):
            assert said not in secret.hidden_in(before + said + after)


@given(st.text("§abc4\x1b[31m", max_size=8), st.integers(1, len(LONG) - 1))
def test_colour_codes_between_its_characters_hide_it_from_nobody(noise: str, at: int) -> None:
    secret = Secret(LONG)
    for code in ("§4", "\ufffdr", "\x1b[31m", "§4§l", "\x1b[0;1m"):
        said = f"{noise}({LONG[:at]}{code}{LONG[at:]})"
        assert LONG[:at] not in secret.hidden_in(said)
        assert LONG[at:] not in secret.hidden_in(said)


@given(st.text(max_size=5), st.sampled_from(ANSWERS))
def test_a_password_that_could_spoil_an_answer_is_left_in_it(password: str, answer: str) -> None:
    """Whatever the password: an ordinary answer stays what it is, or is none any more."""
    hidden = Secret(password).hidden_in(answer)
    assert hidden == answer or HIDDEN in hidden


@pytest.mark.parametrize(
    "password",
    ["", "1", "has", "a b", "1234", "1234567890", "-123", "minecraft", "Players", "mine_stone",
     "stone", "online", "scores"],
)  # fmt: skip
@pytest.mark.parametrize("answer", ANSWERS)
def test_what_is_read_is_not_altered_by_a_password_like_it(password: str, answer: str) -> None:
    assert why_not_hidden(password) is not None
    assert Secret(password).hidden_in(answer) == answer


@pytest.mark.parametrize("password", ["9f3b", "12345678901", "hunter2!", "correct horse", LONG])
def test_others_are_hidden_and_are_told_to_be(password: str) -> None:
    assert why_not_hidden(password) is None
    assert Secret(password).hidden_in(f"<{password}>") == f"<{HIDDEN}>"


def test_why_one_is_not_hidden_never_cites_it() -> None:
    for password in ("q7z", "8731", "objectives add"):
        why = why_not_hidden(password)
        assert why is not None
        assert password not in why


def test_what_stands_in_its_place_is_no_name_of_a_player_or_an_objective() -> None:
    bare = HIDDEN.strip("<>")
    assert PLAYER_NAME.fullmatch(bare) is None
    assert OBJECTIVE_NAME.fullmatch(bare) is None
    assert not set(HIDDEN) & set(string.digits)


def test_a_name_that_counts_is_left_whole_from_when_it_is_known() -> None:
    secret = Secret("spruce9")
    assert "spruce9" not in secret.hidden_in("has 5 [mine_spruce9]")
    secret.keep([o.name for o in METRIC_OBJECTIVES])
    assert "spruce9" not in secret.hidden_in("has 5 [mine_spruce9]")
    secret.keep(["MINE_SPRUCE9"])
    assert secret.hidden_in("has 5 [mine_spruce9]") == "has 5 [mine_spruce9]"


def test_a_password_that_two_packets_share_is_taken_out() -> None:
    at = FULL_REPLY - len(PASSWORD) // 2
    said = "x" * at + PASSWORD + "y" * 100

    def script(connection: Connection) -> None:
        connection.login()
        connection.read()
        first = connection.last
        connection.reply(said[:FULL_REPLY])
        connection.read()
        connection.raw(packet(first, said[FULL_REPLY:]))
        connection.reply("Unknown request c8")

    with Scripted(script) as server, Transport(server.endpoint, PASSWORD) as transport:
        answer = transport.command("list")
    assert answer == "x" * at + HIDDEN + "y" * 100


def test_an_error_cut_in_the_middle_of_it_shows_none_of_it() -> None:
    with linked(answering(lambda command: f"Error {command} {'x' * 95}{PASSWORD}")) as transport:
        assert PASSWORD[:4] not in transport.command("list")


@pytest.mark.parametrize(
    "said",
    [
        "Error executing: {command} ({password})",
        "Unknown command {password}.",
        "{password} has 5 [{password}]",
        "Unknown scoreboard objective '{password}'",
        "{password}",
    ],
)
def test_no_error_of_a_question_holds_it(said: str) -> None:
    def answer(command: str) -> str:
        if command.endswith("list"):
            return "There are 1 of a max of 20 players online: UNI-10-1"
        return said.format(command=command, password=PASSWORD)

    with Scripted(answering(answer)) as server:
        console = ReadOnlyConsole(server.endpoint, PASSWORD)
        console.connect()
        with console, pytest.raises(ReplyError) as caught:
            console.score("UNI-10-1", "mine_stone")
    assert PASSWORD not in str(caught.value) + caught.value.raw
    assert PASSWORD[:8] not in str(caught.value)


def test_neither_others_online_nor_display_names_hold_it() -> None:
    said = {
        "minecraft:list": f"There are 2 of a max of 20 players online: UNI-10-1, {PASSWORD}",
        "minecraft:scoreboard objectives list": f"There are 1 objectives: [{PASSWORD}]",
        "minecraft:scoreboard players list UNI-10-1": f"UNI-10-1 has 1 scores:[{PASSWORD}]: 5",
        "minecraft:scoreboard players get UNI-10-1 x": f"UNI-10-1 has 5 [{PASSWORD}]",
    }
    with Scripted(answering(said.__getitem__)) as server:
        console = ReadOnlyConsole(server.endpoint, PASSWORD)
        console.connect()
        with console:
            roster = console.online(["UNI-10-1"])
            assert roster.online == {"UNI-10-1"}
            assert (roster.others, roster.note) == ((HIDDEN,), "")
            assert console.objectives().displays == (HIDDEN,)
            assert console.scores("UNI-10-1").entries == ((HIDDEN, 5),)
            assert console.score("UNI-10-1", "x").display == HIDDEN


def test_a_unit_whose_name_holds_the_password_is_found() -> None:
    unit = f"U-{PASSWORD}"[:16]
    password = unit[2:]

    def script(connection: Connection) -> None:
        connection.read()
        connection.raw(packet(connection.last, b"", 2))
        while True:
            connection.read()
            connection.reply(f"There are 1 of a max of 20 players online: {unit}")

    with Scripted(script) as server:
        console = ReadOnlyConsole(server.endpoint, password)
        console.connect()
        with console:
            assert console.online([unit]).online == {unit}
