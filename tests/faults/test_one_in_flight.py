"""One command in flight per server: what a question that was given up keeps us from asking."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from collector.bench import Running, wait_for
from faults.stage import Stage, staged
from server.scripted import Connection, Scripted

from plateau_tui.collector.run import Password, ServerAccess
from plateau_tui.collector.session import Session, SessionOverError
from plateau_tui.server.console import ReadOnlyConsole
from plateau_tui.server.roster import Roster
from plateau_tui.server.transport import Endpoint
from plateau_tui.sim import faults as sf
from plateau_tui.sim.server import SimServer

LIST = "There are 0 of a max of 20 players online: "


def session_of(endpoint: Endpoint, password: str, interval_ms: int, seconds: float) -> Session:
    access = ServerAccess(endpoint, Password(password))
    session = access.session(threading.Event(), interval_ms)
    session.begin(time.monotonic() + seconds)
    return session


def online(console: ReadOnlyConsole, deadline: float) -> Roster:
    return console.online(["UNI-10-1"], deadline)


class Deaf:
    """A server that answers its n-th command when told to, and the others at once.

    A client that has gone is nothing to it: only an answer ends a command.
    """

    def __init__(self, deaf: Callable[[int], bool]) -> None:
        self.deaf = deaf
        self.go = threading.Event()
        self.received: list[float] = []
        self.answered: list[float] = []

    def script(self, connection: Connection) -> None:
        connection.login()
        while True:
            connection.read()
            self.received.append(time.monotonic())
            if self.deaf(len(self.received)):
                self.go.wait(20)
            self.answered.append(time.monotonic())
            connection.reply(LIST)


def test_nothing_is_asked_before_the_late_answer_is_in() -> None:
    deaf = Deaf(lambda number: number == 1)
    with Scripted(deaf.script) as server:
        session = session_of(server.endpoint, "canary-0451", 8000, 20)
        threading.Timer(2.6, deaf.go.set).start()  # a command has 2 s
        session.ask(online)
        assert deaf.received[1] >= deaf.answered[0]
        assert list(session.faults) == ["timed_out"]
        session.console.close()
        session.end()


def test_a_question_lost_in_one_session_keeps_the_next_one_waiting() -> None:
    deaf = Deaf(lambda number: number == 1)
    with Scripted(deaf.script) as server:
        session = session_of(server.endpoint, "canary-0451", 8000, 0.3)
        with pytest.raises(SessionOverError):
            session.ask(online)
        session.end()
        session.begin(time.monotonic() + 0.3)
        with pytest.raises(SessionOverError, match="may still be under way"):
            session.ask(online)
        assert list(session.faults) == ["timed_out"]
        session.end()
        assert len(deaf.received) == 1
        session.begin(time.monotonic() + 10)
        deaf.go.set()
        session.ask(online)
        assert deaf.received[1] >= deaf.answered[0]
        session.console.close()
        session.end()


def test_a_tunnel_that_ends_a_connection_speaks_for_no_server() -> None:
    """The server behind it may still be at the question: it is waited for a while all the same."""
    received: list[float] = []

    def script(connection: Connection) -> None:
        connection.login()
        while True:
            connection.read()
            received.append(time.monotonic())
            if len(received) == 1:
                connection.pause(2.1)  # a command has 2 s
                return
            connection.reply(LIST)

    with Scripted(script) as server:
        session = session_of(server.endpoint, "canary-0451", 8000, 20)
        session.ask(online)
        assert received[1] - received[0] >= 2 + 1.5 - 0.2
        session.console.close()
        session.end()


def test_patience_ends_and_grows_with_each_question_that_is_lost() -> None:
    deaf = Deaf(lambda number: number <= 3)
    with Scripted(deaf.script) as server:
        session = session_of(server.endpoint, "canary-0451", 800, 20)
        session.ask(online)
        first, second, third, fourth = deaf.received[:4]
        # Of an interval: a command has a quarter, patience is a half, then one, then two. What
        # the server's thread notes can be late on a busy machine, by less than the next is longer.
        assert second - first >= 0.6 - 0.2
        assert third - second >= 1.0 - 0.2
        assert fourth - third >= 1.8 - 0.2
        deaf.go.set()
        session.console.close()
        session.end()


def test_a_late_answer_delays_and_is_never_overlapped(tmp_path: Path) -> None:
    # A command has a quarter of a second; what is late by a tenth is in long before patience ends.
    with SimServer() as server:
        stage = Stage(tmp_path, server, interval_s=1.0)
        late_answers(stage)
    stage.assert_true()
    assert server.overlaps == 0


def late_answers(stage: Stage) -> None:
    with stage.counting(), Running(stage.bench):
        stage.await_healthy()
        for _ in range(4):
            stage.server.faults.once(sf.freeze(0.35), "players list")
            wait_for(lambda: not stage.server.faults.pending(), 60)
            stage.await_healthy()


def test_a_long_freeze_lets_few_questions_pile_up(tmp_path: Path) -> None:
    with staged(tmp_path) as stage, stage.counting(), Running(stage.bench):
        stage.await_healthy()
        asked = len(stage.server.log)
        stage.server.freeze(3600)
        stage.await_cycles(16)
        waiting = len(stage.server.log) - asked
        stage.server.thaw()
        stage.await_healthy()
    stage.assert_true()
    assert waiting <= 8  # one a cycle and more, were each asked anew
