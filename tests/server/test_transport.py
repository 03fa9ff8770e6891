"""The wire: every fault of the facts page, against real sockets."""

import errno
import signal
import socket
import struct
import threading
import time
import traceback
from dataclasses import replace

import pytest
from server.scripted import (
    PASSWORD,
    Connection,
    Script,
    Scripted,
    answering,
    closed_port,
    linked,
    packet,
    soon,
    wait_for,
)

from plateau_tui.server import errors
from plateau_tui.server.transport import Endpoint, Transport, resolve

# -- the plain case --------------------------------------------------------------------------


def test_commands_are_answered_one_by_one_on_one_connection() -> None:
    with linked(answering(lambda command: f"<{command}>")) as transport:
        assert transport.peer is not None
        assert transport.peer[0] == "127.0.0.1"
        for command in ("list", "minecraft:list", "scoreboard objectives list"):
            assert transport.command(command) == f"<{command}>"


def test_works_off_the_main_thread_and_leaves_signals_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*_: object) -> None:
        pytest.fail("signals belong to the program")

    monkeypatch.setattr(signal, "signal", never)
    monkeypatch.setattr(signal, "alarm", never)
    answers: list[str] = []

    def work() -> None:
        with (
            Scripted(answering(lambda _: "ok")) as server,
            Transport(server.endpoint, PASSWORD) as t,
        ):
            answers.append(t.command("list"))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(5)
    assert answers == ["ok"]


def test_every_packet_has_a_fresh_positive_id_and_travels_alone() -> None:
    seen: list[tuple[int, int]] = []

    def script(connection: Connection) -> None:
        connection.login()
        seen.append((connection.last, 3))
        while True:
            request, kind, _ = connection.read()
            seen.append((request, kind))
            connection.reply("x" * 4096 if kind == 2 else "Unknown request c8")

    with linked(script) as transport:
        for _ in range(3):
            transport.command("list")
    ids = [request for request, _ in seen]
    assert len(set(ids)) == len(ids) == 7
    assert min(ids) > 0
    assert {kind for _, kind in seen} == {3, 2, 200}


def test_ipv6_loopback_also_in_brackets() -> None:
    try:
        server = Scripted(answering(lambda _: "six"), socket.AF_INET6)
    except OSError:
        pytest.skip("no IPv6 here")
    with server, Transport(Endpoint("[::1]", server.endpoint.port), PASSWORD) as transport:
        assert transport.command("list") == "six"
        assert transport.peer == ("::1", server.endpoint.port)


def test_a_host_name_whose_first_address_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = closed_port()
    with Scripted(answering(lambda _: "two")) as server:
        found = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))
            for port in (closed, server.endpoint.port)
        ]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
        with Transport(Endpoint("mc.example", 25575), PASSWORD) as transport:
            assert transport.command("list") == "two"


def test_resolve_gives_a_numeric_address() -> None:
    assert resolve(Endpoint("127.0.0.1", 25575), soon()) == ("127.0.0.1", 25575)
    assert resolve(Endpoint("localhost", 25575), soon())[0] in {"127.0.0.1", "::1"}


@pytest.mark.parametrize(
    ("host", "port"), [("", 25575), (" h", 1), ("h\n", 1), ("h\0", 1), ("h", 0), ("h", 65536)]
)
def test_an_endpoint_is_checked(host: str, port: int) -> None:
    with pytest.raises(ValueError, match=r"host|port"):
        Endpoint(host, port)


# -- no connection ---------------------------------------------------------------------------


def test_refused() -> None:
    with pytest.raises(errors.RefusedError, match="start the server"):
        Transport(Endpoint("127.0.0.1", closed_port()), PASSWORD).connect(soon())


def test_every_refusal_of_the_link_names_what_the_address_is_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def told(endpoint: Endpoint, limit_s: float = 3) -> str:
        with pytest.raises(errors.ServerError) as caught:
            Transport(replace(endpoint, source="a.toml"), "wrong").connect(soon(limit_s))
        return str(caught.value)

    closed = Endpoint("127.0.0.1", closed_port())
    said = [told(closed), told(Endpoint("a..b", 25575))]
    with Scripted(answering(lambda _: "")) as server:
        said.append(told(server.endpoint))
    with Scripted(lambda connection: connection.sock.close()) as server:
        said.append(told(server.endpoint))
    hole, fillers = full_listener()
    try:
        said.append(told(Endpoint("127.0.0.1", hole.getsockname()[1]), 0.3))
    finally:
        for sock in (hole, *fillers):
            sock.close()
    for status in (errno.EHOSTUNREACH, errno.ETIMEDOUT):
        monkeypatch.setattr(socket.socket, "connect_ex", lambda *_, status=status: status)
        said.append(told(closed))
    assert len(set(said)) == len(said)
    assert [line for line in said if not line.endswith("; the address is from a.toml")] == []
    assert replace(closed, source="a.toml") == closed


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a..b", "x" * 80, "1.2.3.4.5.example."])
def test_unresolvable(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def look_up(name: str, port: int, **kwargs: int) -> object:
        if "example" in name or "invalid" in name:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(name, port, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(errors.UnresolvableError, match="spelling"):
        Transport(Endpoint(host, 25575), PASSWORD).connect(soon())


def test_unreachable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "connect_ex", lambda *_: errno.EHOSTUNREACH)
    with pytest.raises(errors.UnreachableError, match="EHOSTUNREACH"):
        Transport(Endpoint("127.0.0.1", 25575), PASSWORD).connect(soon())


def test_a_hanging_look_up_ends_at_the_deadline_and_is_not_piled_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release = threading.Event()

    def hang(*_: object, **__: object) -> list[object]:
        release.wait(20)
        return []

    def hanging() -> int:
        return sum(thread.name == "rcon-look-up" for thread in threading.enumerate())

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    try:
        for _ in range(6):
            start = time.monotonic()
            with pytest.raises(errors.TimedOutError, match="looking up"):
                Transport(Endpoint("mc.example", 25575), PASSWORD).connect(soon(0.1))
            assert time.monotonic() - start < 0.5
        assert hanging() <= 4
    finally:
        release.set()
        wait_for(lambda: hanging() == 0)


def full_listener() -> tuple[socket.socket, list[socket.socket]]:
    """Return a listener whose queue is full: Linux then swallows the next SYN."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    fillers = []
    for _ in range(4):
        filler = socket.socket()
        filler.settimeout(0)
        filler.connect_ex(listener.getsockname())
        fillers.append(filler)
    return listener, fillers


def test_an_address_that_swallows_packets_ends_at_the_deadline_and_leaves_time_for_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hole, fillers = full_listener()
    port = hole.getsockname()[1]
    try:
        start = time.monotonic()
        with pytest.raises(errors.TimedOutError, match="connecting"):
            Transport(Endpoint("127.0.0.1", port), PASSWORD).connect(soon(0.4))
        assert 0.3 < time.monotonic() - start < 0.9
        with Scripted(answering(lambda _: "second")) as server:
            found = [
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", each))
                for each in (port, server.endpoint.port)
            ]
            monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
            transport = Transport(Endpoint("mc.example", 25575), PASSWORD)
            transport.connect(soon(0.8))
            assert transport.command("list") == "second"
            transport.disconnect()
    finally:
        for sock in (hole, *fillers):
            sock.close()


# -- login -----------------------------------------------------------------------------------


def test_a_wrong_password_is_final_and_closes() -> None:
    with Scripted(answering(lambda _: "")) as server:
        transport = Transport(server.endpoint, "wrong")
        with pytest.raises(
            errors.PasswordError, match=r"refused the RCON password.*rcon\.password"
        ):
            transport.connect(soon())
        assert transport.socket is None
        assert server.accepted == 1


@pytest.mark.parametrize("password", ["", "x" * 1447, "é" * 724, "pw\0"])
def test_a_password_that_cannot_be_one_is_not_sent(password: str) -> None:
    with Scripted(answering(lambda _: "")) as server:
        with pytest.raises(errors.PasswordError) as caught:
            Transport(server.endpoint, password).connect(soon())
        assert server.accepted == 0
        assert not password or password not in str(caught.value)


def closes(connection: Connection) -> None:
    connection.read()


def resets(connection: Connection) -> None:
    connection.read()
    connection.reset()


def sends(data: bytes) -> Script:
    def script(connection: Connection) -> None:
        connection.read()
        connection.raw(data)
        connection.hold()

    return script


@pytest.mark.parametrize(
    "script",
    [
        closes,
        resets,
        sends(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        sends(b"SSH-2.0-OpenSSH_9.6\r\n"),
        sends(struct.pack("<i", 9)),
        sends(struct.pack("<i", 16385)),
        sends(struct.pack("<i", -1)),
        sends(struct.pack("<iii", 10, 1, 2) + b"xx"),
    ],
)
def test_what_is_not_rcon_is_named_at_once(script: Script) -> None:
    with Scripted(script) as server:
        start = time.monotonic()
        with pytest.raises(errors.NotRconError, match="25575 by default; 25565 is the game"):
            Transport(server.endpoint, PASSWORD).connect(soon(5))
        assert time.monotonic() - start < 2


def test_a_silent_game_port_times_out_and_names_the_ports() -> None:
    with Scripted(Connection.hold) as server:
        transport = Transport(server.endpoint, PASSWORD)
        with pytest.raises(errors.TimedOutError, match="25565"):
            transport.connect(soon(0.3))
        assert transport.socket is None


def test_a_login_answered_with_a_foreign_id() -> None:
    with Scripted(sends(packet(77777, b"", 2))) as server, pytest.raises(errors.ProtocolError):
        Transport(server.endpoint, PASSWORD).connect(soon())


def test_a_login_answered_as_another_game_does() -> None:
    def script(connection: Connection) -> None:
        connection.read()
        connection.reply("", kind=0)
        connection.hold()

    with Scripted(script) as server, pytest.raises(errors.WrongServerError):
        Transport(server.endpoint, PASSWORD).connect(soon())


def test_the_password_is_in_no_repr_message_or_traceback() -> None:
    refusing: list[Script] = [closes, Connection.hold, sends(packet(-1, b"", 2)), sends(b"HTTP")]
    for script in refusing:
        with Scripted(script) as server:
            transport = Transport(server.endpoint, PASSWORD)
            try:
                transport.connect(soon(0.2))
            except errors.ServerError as error:
                frames = traceback.TracebackException.from_exception(error, capture_locals=True)
                # Down from connect: the frame of this test holds nothing but the constant's name.
                text = "".join(frames.format()) + repr(error) + str(error) + repr(error.args)
                context = repr(error.__context__) + repr(error.__cause__)
                assert PASSWORD not in text + context
            else:
                pytest.fail("connected")
        assert PASSWORD not in repr(transport) + str(transport) + repr(vars(transport))
