"""A question that was given up is listened for, and nothing is ever sent on its connection."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from server.scripted import Connection, Script, Scripted, linked, soon, wait_for

from plateau_tui.server.errors import CancelledError, TimedOutError
from plateau_tui.server.lost import Outcome
from plateau_tui.server.transport import Transport


@contextmanager
def lost(script: Script) -> Iterator[Transport]:
    """Give a transport that has just given up its first command."""
    with linked(script) as transport:
        with pytest.raises(TimedOutError):
            transport.command("list", time.monotonic() + 0.1)
        yield transport


def outcome(transport: Transport, seconds: float = 3.0) -> Outcome:
    assert transport.lost is not None
    return transport.lost.outcome(soon(seconds))


def after(go: threading.Event, answer: bytes | str | None) -> Script:
    """Answer the first command once ``go`` is set; end the connection where there is no answer."""

    def script(connection: Connection) -> None:
        connection.login()
        connection.read()
        assert go.wait(10)
        if answer is not None:
            connection.reply(answer)

    return script


def test_a_late_answer_says_that_the_server_is_done_with_it() -> None:
    go = threading.Event()
    with lost(after(go, "late")) as transport:
        assert transport.socket is None
        assert outcome(transport, 0.15) is Outcome.UNDER_WAY
        go.set()
        assert outcome(transport) is Outcome.ANSWERED


def test_an_empty_late_answer_is_an_answer() -> None:
    go = threading.Event()
    with lost(after(go, "")) as transport:
        go.set()
        assert outcome(transport) is Outcome.ANSWERED


def test_the_end_of_the_connection_ends_the_wait() -> None:
    go = threading.Event()
    with lost(after(go, None)) as transport:
        go.set()
        assert outcome(transport) is Outcome.ENDED


def test_a_reset_ends_the_wait() -> None:
    go = threading.Event()

    def script(connection: Connection) -> None:
        connection.login()
        connection.read()
        assert go.wait(10)
        connection.reset()

    with lost(script) as transport:
        go.set()
        assert outcome(transport) is Outcome.ENDED


def test_the_server_hears_at_once_that_nothing_more_comes() -> None:
    heard: list[bytes] = []

    def script(connection: Connection) -> None:
        connection.login()
        connection.read()
        heard.append(connection.sock.recv(1460))

    with lost(script) as transport:
        wait_for(lambda: heard == [b""])
        assert outcome(transport) is Outcome.ENDED


def test_an_answer_that_stops_half_way_is_listened_for_too() -> None:
    go = threading.Event()

    def script(connection: Connection) -> None:
        connection.login()
        connection.read()
        connection.raw(b"\x20\0\0\0")
        assert go.wait(10)

    with lost(script) as transport:
        assert outcome(transport, 0.1) is Outcome.UNDER_WAY
        go.set()
        assert outcome(transport) is Outcome.ENDED


def test_a_login_that_times_out_loses_no_question() -> None:
    with Scripted(Connection.hold) as server:
        transport = Transport(server.endpoint, "any")
        with pytest.raises(TimedOutError):
            transport.connect(time.monotonic() + 0.1)
        assert transport.lost is None


def test_a_stop_ends_the_wait() -> None:
    go = threading.Event()
    with lost(after(go, None)) as transport:
        threading.Timer(0.1, transport.abort).start()
        with pytest.raises(CancelledError):
            outcome(transport, 10)
        go.set()


def test_the_transport_can_connect_again_beside_it_and_ends_both() -> None:
    served: list[Connection] = []

    def script(connection: Connection) -> None:
        served.append(connection)
        connection.login()
        connection.read()
        if len(served) == 1:
            connection.hold()
        connection.reply("fine")
        connection.hold()

    with lost(script) as transport:
        transport.connect(soon())
        assert transport.command("list") == "fine"
        assert outcome(transport, 0.0) is Outcome.UNDER_WAY
        transport.disconnect()
        assert transport.lost is None
