"""The typed questions: what is sent, which server it is, and when the connection is dropped."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Mapping

import pytest
from server.scripted import PASSWORD, Connection, Scripted, answering, closed_port, soon

from plateau_tui.metric.objectives import METRIC_OBJECTIVES
from plateau_tui.server import errors
from plateau_tui.server.console import ReadOnlyConsole
from plateau_tui.server.replies import Added, ScoreReading
from plateau_tui.server.transport import Endpoint

LIST = "There are 1 of a max of 20 players online: UNI-10-1"
UNKNOWN = "Unknown or incomplete command, see below for error{}<--[HERE]"
ESSENTIALS = "§6There are §c1§6 out of maximum §c20§6 players online.\ndefault: UNI-10-1\n"
OBJECTIVE = METRIC_OBJECTIVES[0]

PAPER = {
    "minecraft:list": LIST,
    "minecraft:scoreboard players get UNI-10-1 m_dirt": "UNI-10-1 has 5 [Dirt]",
    "minecraft:scoreboard players list UNI-10-1": "UNI-10-1 has 1 scores:[Dirt]: 5",
    "minecraft:scoreboard objectives list": "There are 1 objectives: [Dirt]",
    f"minecraft:scoreboard objectives add {OBJECTIVE.name} {OBJECTIVE.criterion}": (
        f"Created new objective [{OBJECTIVE.name}]"
    ),
    "minecraft:clear UNI-10-1 minecraft:stick 0": "Found 3 matching items on player UNI-10-1",
}
VANILLA = {command.removeprefix("minecraft:"): text for command, text in PAPER.items()} | {
    "minecraft:list": UNKNOWN.format("minecraft:list")
}

Answers = Mapping[str, str] | Callable[[str], str]


class Server:
    """A scripted server that knows these answers and remembers what it was asked."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers
        self.asked: list[str] = []
        self.scripted = Scripted(answering(self.answer))

    def answer(self, command: str) -> str:
        self.asked.append(command)
        if callable(self.answers):
            return self.answers(command)
        return self.answers.get(command, UNKNOWN.format(command))


@contextlib.contextmanager
def serving(answers: Answers) -> Iterator[tuple[Server, ReadOnlyConsole]]:
    server = Server(answers)
    with server.scripted, ReadOnlyConsole(server.scripted.endpoint, PASSWORD) as console:
        yield server, console


@pytest.mark.parametrize(("answers", "namespaced"), [(PAPER, True), (VANILLA, False)])
def test_all_six_questions(answers: Mapping[str, str], namespaced: bool) -> None:
    with serving(answers) as (server, console):
        assert (console.connected, console.namespaced) == (False, None)
        console.connect(soon())
        assert (console.connected, console.namespaced) == (True, namespaced)
        assert console.peer == ("127.0.0.1", server.scripted.endpoint.port)
        assert console.online(["UNI-10-1", "UNI-10-2"]).online == {"UNI-10-1"}
        assert console.score("UNI-10-1", "m_dirt", soon()) == ScoreReading(5, "Dirt")
        assert console.scores("UNI-10-1").entries == (("Dirt", 5),)
        assert console.count_item("UNI-10-1", "stick") == 3
        assert console.add_objective(OBJECTIVE) is Added.CREATED
        assert console.objectives().displays == ("Dirt",)
        assert console.sent == len(server.asked)
        probes = [command for command in server.asked if "clear" in command]
        assert all(command.endswith(" minecraft:stick 0") for command in probes)
        console.close()
        assert (console.connected, console.namespaced) == (False, None)
        with pytest.raises(errors.ClosedError, match="connect first"):
            console.objectives()
        assert server.scripted.accepted == 1


def test_two_commands_are_sent_to_find_out_only_when_one_is_not_enough() -> None:
    with serving(PAPER) as (server, console):
        console.connect(soon())
        assert server.asked == ["minecraft:list"]
    with serving(VANILLA) as (server, console):
        console.connect(soon())
        assert server.asked == ["minecraft:list", "list"]


TPS = "TPS from last 1m, 5m, 15m: 20.0, 20.0, 20.0"


@pytest.mark.parametrize(
    ("prefixed", "short", "kind"),
    [
        ("", LIST, errors.EmptyReplyError),
        (UNKNOWN.format("minecraft:list"), "", errors.EmptyReplyError),
        (UNKNOWN.format("minecraft:list"), LIST + TPS, errors.GarbledReplyError),
        (UNKNOWN.format("minecraft:list"), TPS, errors.GarbledReplyError),
        (UNKNOWN.format("minecraft:list"), LIST + ", a", errors.GarbledReplyError),
        (UNKNOWN.format("minecraft:list"), UNKNOWN.format("list"), errors.WrongServerError),
        (UNKNOWN.format("minecraft:list"), ESSENTIALS, errors.WrongServerError),
        (UNKNOWN.format("minecraft:list"), "ok", errors.WrongServerError),
        (UNKNOWN.format("tps"), LIST, errors.MismatchError),
        ('Unknown command. Type "/help" for help.\n', LIST, errors.WrongServerError),
        (TPS, LIST, errors.GarbledReplyError),
        (LIST + TPS, LIST, errors.GarbledReplyError),
        ("\ufffd\ufffd There are", LIST, errors.GarbledReplyError),
        ("hello", "hello", errors.WrongServerError),
        ("Server received, But no response!!", "", errors.WrongServerError),
        (
            "An unexpected error occurred trying to execute that command",
            LIST,
            errors.CommandFailedError,
        ),
        ("Error executing: minecraft:list (null)", LIST, errors.CommandFailedError),
        ("Error executing: tps (null)", LIST, errors.MismatchError),
    ],
)
def test_which_server_it_is_not(prefixed: str, short: str, kind: type[errors.ServerError]) -> None:
    with serving({"minecraft:list": prefixed, "list": short}) as (server, console):
        with pytest.raises(errors.ServerError) as caught:
            console.connect(soon())
        assert type(caught.value) is kind
        assert str(caught.value).isprintable()
        assert (console.connected, console.namespaced) == (False, None)
        assert set(server.asked) <= {"minecraft:list", "list"}


@pytest.mark.parametrize(
    "first",
    ["some plugin's words", UNKNOWN.format("tps"), 'Unknown command. Type "/help" for help.'],
)
def test_a_strangers_answer_in_place_of_ours_does_not_make_it_another_server(first: str) -> None:
    for second in (LIST, UNKNOWN.format("minecraft:list")):
        replies = iter([first, second])
        server = Server(lambda _, replies=replies: next(replies))  # type: ignore[misc]
        console = ReadOnlyConsole(server.scripted.endpoint, PASSWORD)
        with server.scripted, pytest.raises(errors.ReplyError) as caught:
            console.connect(soon())
        assert caught.value.ask_again


def test_another_clients_list_at_connect_is_found_out_by_the_first_refusal() -> None:
    first = iter([LIST])
    with serving(lambda command: next(first, VANILLA.get(command, UNKNOWN.format(command)))) as (
        _,
        console,
    ):
        console.connect(soon())
        decided = [console.namespaced]
        with pytest.raises(errors.MismatchError):
            console.objectives(soon())
        console.connect(soon())
        assert [*decided, console.namespaced] == [True, False]
        assert console.objectives(soon()).complete


@pytest.mark.parametrize(
    ("raw", "kind", "kept"),
    [
        ("", errors.EmptyReplyError, False),
        ("UNI-10-2 has 5 [m_dirt]", errors.MismatchError, False),
        ("UNI-10-1 has 5 [m_dirt]" + TPS, errors.GarbledReplyError, False),
        ("Unknown scoreboard objective 'm_dirt'", errors.UnknownObjectiveError, True),
        ("Incorrect argument for command...0-1 m_dirt<--[HERE]", errors.CommandRefusedError, True),
        (UNKNOWN.format("tps"), errors.MismatchError, False),
        ("Error executing: tps (null)", errors.MismatchError, False),
        (
            "Error executing: minecraft:scoreboard players get UNI-10-1 m_dirt (null)",
            errors.CommandFailedError,
            True,
        ),
        (
            "An unexpected error occurred trying to execute that command",
            errors.CommandFailedError,
            True,
        ),
    ],
)
def test_only_an_answer_that_a_fresh_connection_may_cure_drops_this_one(
    raw: str, kind: type[errors.ReplyError], kept: bool
) -> None:
    answers = {**PAPER, "minecraft:scoreboard players get UNI-10-1 m_dirt": raw}
    with serving(answers) as (server, console):
        console.connect(soon())
        with pytest.raises(kind):
            console.score("UNI-10-1", "m_dirt", soon())
        assert console.connected == kept
        if not kept:
            console.connect(soon())
            assert server.scripted.accepted == 2
        assert console.scores("UNI-10-1", soon()).complete


def test_a_link_error_drops_the_connection() -> None:
    def script(connection: Connection) -> None:
        connection.login()
        connection.read()
        connection.reply(LIST)
        connection.read()

    with Scripted(script) as server, ReadOnlyConsole(server.endpoint, PASSWORD) as console:
        console.connect(soon())
        with pytest.raises(errors.ClosedError):
            console.objectives(soon())
        assert (console.connected, console.namespaced) == (False, None)


def test_removed_items_stop_all_probing() -> None:
    probe = "minecraft:clear UNI-10-1 minecraft:stick 0"
    answers = {**PAPER, probe: "§6Removed§c 0 §6of§c stick §6from§c UNI-10-1§6.\n"}
    with serving(answers) as (server, console):
        console.connect(soon())
        for _ in range(3):
            with pytest.raises(errors.ItemsRemovedError, match="ALARM"):
                console.count_item("UNI-10-1", "stick", soon())
        assert server.asked.count(probe) == 1
        assert console.objectives(soon()).displays == ("Dirt",)


@pytest.mark.parametrize("name", ["@a", "*", "UNI 1", "UNI-1\n", "", "x" * 17, "UNI-1;stop"])
def test_a_bad_name_is_refused_and_nothing_sent(name: str) -> None:
    with serving(PAPER) as (server, console):
        console.connect(soon())
        for ask in (
            lambda: console.score(name, "m_dirt"),
            lambda: console.scores(name),
            lambda: console.count_item(name, "stick"),
        ):
            with pytest.raises(ValueError, match="nothing was sent"):
                ask()
        assert server.asked == ["minecraft:list"]
        assert console.connected


def test_two_threads_never_have_two_commands_in_flight() -> None:
    under_way: list[int] = []
    most: list[int] = []

    def slow(command: str) -> str:
        under_way.append(1)
        most.append(len(under_way))
        time.sleep(0.01)
        under_way.pop()
        return PAPER[command]

    with serving(slow) as (_, console):
        console.connect(soon())
        failures: list[BaseException] = []

        def work() -> None:
            try:
                for _ in range(5):
                    assert console.scores("UNI-10-1", soon(5)).complete
            except BaseException as error:  # noqa: BLE001 - shown below, on the main thread
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
        assert not failures
        assert max(most) == 1


def test_abort_ends_a_question_from_another_thread() -> None:
    waiting = threading.Event()

    def script(connection: Connection) -> None:
        connection.login()
        connection.read()
        connection.reply(LIST)
        connection.read()
        waiting.set()
        connection.hold()

    with Scripted(script) as server, ReadOnlyConsole(server.endpoint, PASSWORD) as console:
        console.connect(soon())

        def stop() -> None:
            waiting.wait(5)
            console.abort()

        thread = threading.Thread(target=stop)
        thread.start()
        start = time.monotonic()
        with pytest.raises(errors.CancelledError):
            console.objectives(soon(10))
        assert time.monotonic() - start < 1
        thread.join(5)
        assert not console.connected


def test_a_server_that_accepts_and_never_answers_the_first_question() -> None:
    def script(connection: Connection) -> None:
        connection.login()
        connection.hold()

    with Scripted(script) as server, ReadOnlyConsole(server.endpoint, PASSWORD) as console:
        start = time.monotonic()
        with pytest.raises(errors.TimedOutError):
            console.connect(soon(0.3))
        assert time.monotonic() - start < 0.8
        assert not console.connected


def test_refused_and_wrong_password_come_through() -> None:
    console = ReadOnlyConsole(Endpoint("127.0.0.1", closed_port()), PASSWORD)
    with pytest.raises(errors.RefusedError):
        console.connect(soon())
    with Scripted(answering(lambda _: LIST)) as server:
        console = ReadOnlyConsole(server.endpoint, "secret-9000")
        with pytest.raises(errors.PasswordError) as caught:
            console.connect(soon())
        assert "secret-9000" not in str(caught.value) + repr(console) + repr(vars(console))


def test_a_long_score_list_is_read_whole() -> None:
    entries = "".join(f"[objective_{number}]: {number}" for number in range(500))
    text = f"UNI-10-1 has 500 scores:{entries}"
    assert len(text) > 8192
    with serving({**PAPER, "minecraft:scoreboard players list UNI-10-1": text}) as (_, console):
        console.connect(soon())
        assert console.scores("UNI-10-1", soon()).complete
        assert console.objectives(soon()).displays == ("Dirt",)
