"""A session's patience, its lock, and its end."""

import threading
import time
from pathlib import Path

import pytest
from collector.otherserver import OtherServer

from plateau_tui.collector.endpoint_lock import EndpointBusyError, EndpointLock
from plateau_tui.collector.run import Password, ServerAccess
from plateau_tui.collector.session import Session, SessionOverError
from plateau_tui.server.console import ReadOnlyConsole
from plateau_tui.server.errors import EmptyReplyError, LinkError
from plateau_tui.server.replies import Roster
from plateau_tui.server.transport import Endpoint


def session_of(server: OtherServer, stop: threading.Event, interval_ms: int = 2000) -> Session:
    access = ServerAccess(Endpoint("127.0.0.1", server.port), Password("other"))
    return access.session(stop, interval_ms)


def online(console: ReadOnlyConsole, deadline: float) -> Roster:
    return console.online(["UNI-10-1"], deadline)


def soon() -> float:
    return time.monotonic() + 0.05


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "127.0.1.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::"],  # noqa: S104 - as dialled
)
def test_all_loopback_addresses_are_one_server(address: str) -> None:
    mine, theirs = EndpointLock(threading.Event()), EndpointLock(threading.Event())
    assert mine.acquire("127.0.0.1", 25575, soon()) is None
    with pytest.raises(EndpointBusyError, match="take turns"):
        theirs.acquire(address, 25575, soon())
    assert theirs.acquire(address, 25576, soon()) is None
    mine.release()
    theirs.release()


def test_other_addresses_are_other_servers() -> None:
    mine, theirs = EndpointLock(threading.Event()), EndpointLock(threading.Event())
    assert mine.acquire("10.0.0.1", 25575, soon()) is None
    assert theirs.acquire("10.0.0.2", 25575, soon()) is None
    mine.release()
    theirs.release()


def test_a_state_folder_that_cannot_be_used_is_said_and_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, other: OtherServer
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    session = session_of(other, threading.Event())
    session.begin(time.monotonic() + 2)
    session.ask(online)
    assert list(session.faults) == ["endpoint_lock_unavailable"]
    session.end()


def test_a_bad_answer_is_asked_again_at_once_on_a_fresh_connection(other: OtherServer) -> None:
    session = session_of(other, threading.Event())
    bad = iter([None, "empty"])  # the first list is the connection's own
    other.trouble = lambda _command: next(bad, None)
    session.begin(time.monotonic() + 2)
    assert session.ask(online).online == frozenset()
    assert len(other.logins) == 2
    assert list(session.faults) == ["empty_reply"]
    session.end()
    assert not session.console.connected


def test_an_answer_that_stays_bad_is_given_up_after_three_tries(other: OtherServer) -> None:
    session = session_of(other, threading.Event())
    asked: list[str] = []

    def trouble(command: str) -> str | None:
        asked.append(command)
        return "empty" if "scoreboard" in command else None

    other.trouble = trouble
    session.begin(time.monotonic() + 2)
    with pytest.raises(EmptyReplyError):
        session.ask(lambda console, deadline: console.scores("UNI-10-1", deadline))
    assert sum("scoreboard" in command for command in asked) == 3
    session.end()


def test_a_lost_question_is_not_retried_while_its_answer_may_be_under_way(
    other: OtherServer,
) -> None:
    session = session_of(other, threading.Event(), 1000)
    late = iter([None, "late"])  # 0.3 s, where a command has 0.25 s
    other.trouble = lambda _command: next(late, None)
    session.begin(time.monotonic() + 2)
    session.ask(online)
    assert other.overlaps == 0
    session.end()


def test_a_stop_ends_a_question_that_hangs(other: OtherServer) -> None:
    stop = threading.Event()
    session = session_of(other, stop, 60_000)
    other.trouble = lambda _command: "hang"
    session.begin(time.monotonic() + 30)
    threading.Timer(0.2, stop.set).start()
    start = time.monotonic()
    with pytest.raises(SessionOverError) as over:
        session.ask(online)
    assert over.value.code == "cancelled"
    assert time.monotonic() - start < 2
    session.end()


def test_a_machine_that_slept_ends_the_session_whatever_the_deadline_says(
    other: OtherServer,
) -> None:
    session = session_of(other, threading.Event())
    slept = False
    session.begin(time.monotonic() + 30, lambda: slept)
    session.ask(online)
    slept = True
    with pytest.raises(SessionOverError) as over:
        session.ask(online)
    assert over.value.code == "deadline"
    session.console.close()
    session.end()


def test_a_connection_is_kept_below_a_minute_and_dropped_after_any_fault(
    other: OtherServer,
) -> None:
    for interval_ms, kept in ((2000, True), (60_000, False)):
        session = session_of(other, threading.Event(), interval_ms)
        session.begin(time.monotonic() + 2)
        session.ask(online)
        session.end()
        assert session.console.connected is kept
        session.begin(time.monotonic() + 2)
        session.note("any", "fault")
        session.ask(online)
        session.end()
        assert not session.console.connected


def test_a_server_that_loses_every_question_is_a_link_error_not_a_value(
    other: OtherServer,
) -> None:
    session = session_of(other, threading.Event())
    other.trouble = lambda command: "drop" if "scoreboard" in command else None
    session.begin(time.monotonic() + 2)
    with pytest.raises(LinkError):
        session.ask(lambda console, deadline: console.scores("UNI-10-1", deadline))
    session.end()
