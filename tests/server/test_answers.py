"""Answers on the wire: whole or an error, in time or an error, and never another's."""

import contextlib
import resource
import socket
import struct
import threading
import time
from collections.abc import Callable

import pytest
from server.scripted import (
    PASSWORD,
    Connection,
    Scripted,
    after_login,
    answering,
    linked,
    one_answer,
    packet,
    soon,
    wait_for,
)

from plateau_tui.server import errors
from plateau_tui.server.transport import Endpoint, Transport

# -- answers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0, 1, 4095, 4096, 4097, 8192, 8230, 20000])
@pytest.mark.parametrize("character", ["a", "§", "€"])
def test_answers_of_any_length_come_whole(length: int, character: str) -> None:
    replies = iter([character * length, "next"])
    with linked(answering(lambda _: next(replies))) as transport:
        assert transport.command("list") == character * length
        assert transport.command("list") == "next"


def test_three_packets_50_ms_apart() -> None:
    parts = ("a" * 4096, "b" * 4096, "c" * 38)
    with linked(one_answer(*parts, pause=0.05)) as transport:
        assert transport.command("list") == "".join(parts)


def test_the_marker_is_not_sent_before_the_first_packet_is_in() -> None:
    early = threading.Event()

    def script(connection: Connection) -> None:
        connection.login()
        request, _, _ = connection.read()
        connection.sock.settimeout(0.2)
        with contextlib.suppress(TimeoutError):
            connection.read()
            early.set()
        connection.raw(packet(request, "a" * 4096))
        connection.read()
        connection.reply("Unknown request c8")
        connection.hold()

    with linked(script) as transport:
        assert transport.command("list") == "a" * 4096
        assert not early.is_set()


def test_a_character_cut_by_a_packet_border() -> None:
    first = b"a" * 4095 + b"\xc2"
    with linked(one_answer(first, b"\xa7z")) as transport:
        assert transport.command("list") == "a" * 4095 + "§z"


def test_bytes_that_are_no_utf8_become_visible() -> None:
    with linked(one_answer(b"\xa76There")) as transport:
        assert transport.command("list") == "\ufffd6There"


def faulty(kind: str) -> Callable[[Connection], None]:
    def send(connection: Connection) -> None:
        request = connection.last
        good = packet(request, "There are no objectives")
        full = packet(request, "a" * 4096)
        stream = {
            "foreign id": packet(request + 1000, "x"),
            "login lost": packet(-1, "x"),
            "short length": struct.pack("<i", 9) + b"x" * 9,
            "long length": struct.pack("<i", 1 << 30),
            "padding": good[:-1] + b"x",
            "excess packet": good + packet(request, "late"),
            "excess byte": good + b"\n",
            "foreign id in a long answer": full + packet(request + 1000, "x"),
            "empty marker": full + packet(request + 1, ""),
            "a command's type": packet(request, "There are no objectives", 2),
            "a login's type": packet(request, "There are no objectives", 3),
            "no type at all": packet(request, "There are no objectives", -1),
            "a type in a long answer": full + packet(request, "a", 2),
            "a marker's type": full + packet(request + 1, "Unknown request c8", 2),
            "too much": full * 257,
        }[kind]
        connection.raw(stream)

    return send


@pytest.mark.parametrize(
    "kind",
    [
        "foreign id",
        "login lost",
        "short length",
        "long length",
        "padding",
        "excess packet",
        "excess byte",
        "foreign id in a long answer",
        "empty marker",
        "a command's type",
        "a login's type",
        "no type at all",
        "a type in a long answer",
        "a marker's type",
        "too much",
    ],
)
def test_a_stream_that_cannot_be_trusted_is_dropped(kind: str) -> None:
    with linked(after_login(faulty(kind))) as transport:
        with pytest.raises(errors.ProtocolError) as caught:
            transport.command("list", soon())
        assert ("lost our login" in str(caught.value)) == (kind == "login lost")
        assert transport.socket is None
        with pytest.raises(errors.ClosedError, match="connect first"):
            transport.command("list")


def test_bytes_waiting_before_a_command_drop_the_stream() -> None:
    def script(connection: Connection) -> None:
        connection.login()
        connection.raw(packet(1, "unasked"))
        connection.hold()

    with linked(script) as transport:
        wait_for(lambda: bool(transport.socket and transport._stream.waiting()))
        with pytest.raises(errors.ProtocolError, match="more than was asked"):
            transport.command("list", soon())
        assert transport.socket is None


def test_an_end_of_file_behind_a_whole_answer_spoils_only_the_next_command() -> None:
    def script(connection: Connection) -> None:
        connection.login()
        connection.read()
        connection.reply("whole")

    with linked(script) as transport:
        assert transport.command("list", soon()) == "whole"
        with pytest.raises(errors.ClosedError):
            transport.command("list", soon())


# -- time ------------------------------------------------------------------------------------


def test_a_late_answer_is_never_the_next_commands() -> None:
    def script(connection: Connection) -> None:
        connection.login()
        _, _, command = connection.read()
        if "late" in command:
            connection.pause(0.4)
        connection.reply(f"<{command}>")
        connection.hold()

    with Scripted(script) as server:
        transport = Transport(server.endpoint, PASSWORD)
        transport.connect(soon())
        with pytest.raises(errors.TimedOutError):
            transport.command("scoreboard players get late a", soon(0.15))
        assert transport.socket is None
        transport.connect(soon())
        assert transport.command("list", soon()) == "<list>"
        transport.disconnect()


def test_one_byte_at_a_time_does_not_outlast_the_deadline() -> None:
    def drip(connection: Connection) -> None:
        for byte in packet(connection.last, "x" * 400):
            connection.raw(bytes([byte]))
            connection.pause(0.02)

    with linked(after_login(drip)) as transport:
        start = time.monotonic()
        with pytest.raises(errors.TimedOutError):
            transport.command("list", soon(0.4))
        assert 0.3 < time.monotonic() - start < 0.8


def test_a_deadline_already_past_sends_nothing() -> None:
    asked: list[str] = []

    def note(command: str) -> str:
        asked.append(command)
        return ""

    with linked(answering(note)) as transport:
        with pytest.raises(errors.TimedOutError):
            transport.command("list", time.monotonic() - 1)
        assert transport.socket is None
    assert asked == []


@pytest.mark.parametrize("end", [Connection.reset, lambda connection: connection.sock.close()])
def test_a_closed_connection_is_seen_at_once_and_costs_no_cpu(
    end: Callable[[Connection], None],
) -> None:
    def script(connection: Connection) -> None:
        connection.login()
        connection.read()
        end(connection)

    with linked(script) as transport:
        start, cpu = time.monotonic(), time.thread_time()
        with pytest.raises(errors.ClosedError, match="stopped or restarts"):
            transport.command("list", soon(5))
        assert time.monotonic() - start < 1
        assert time.thread_time() - cpu < 0.1
        assert transport.socket is None


def test_waiting_costs_next_to_no_cpu() -> None:
    with linked(after_login(Connection.hold)) as transport:
        before = resource.getrusage(resource.RUSAGE_THREAD)
        with pytest.raises(errors.TimedOutError):
            transport.command("list", soon(0.6))
        after = resource.getrusage(resource.RUSAGE_THREAD)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.05


# -- ending a wait from outside --------------------------------------------------------------


@pytest.mark.parametrize("how", ["event", "abort"])
@pytest.mark.parametrize("where", ["command", "login"])
def test_a_wait_ends_within_a_moment(how: str, where: str) -> None:
    cancelled = threading.Event()
    waiting = threading.Event()
    ended: list[float] = []
    raised: list[BaseException] = []

    def script(connection: Connection) -> None:
        if where == "command":
            connection.login()
        connection.read()
        waiting.set()
        connection.hold()

    with Scripted(script) as server:
        transport = Transport(server.endpoint, PASSWORD, cancelled=cancelled)

        def work() -> None:
            try:
                transport.connect(soon(10))
                transport.command("list", soon(10))
            except errors.ServerError as error:
                raised.append(error)
                ended.append(time.monotonic())

        thread = threading.Thread(target=work)
        thread.start()
        assert waiting.wait(5)
        start = time.monotonic()
        if how == "event":
            cancelled.set()
        else:
            transport.abort()
        thread.join(5)
    assert isinstance(raised[0], errors.CancelledError)
    assert ended[0] - start < 0.3
    assert transport.socket is None
    with pytest.raises(errors.CancelledError):
        transport.connect(soon())


def test_a_look_up_is_cancelled_too(monkeypatch: pytest.MonkeyPatch) -> None:
    release, started, cancelled = threading.Event(), threading.Event(), threading.Event()

    def hang(*_: object, **__: object) -> list[object]:
        started.set()
        release.wait(20)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    transport = Transport(Endpoint("mc.example", 25575), PASSWORD, cancelled=cancelled)

    def cancel() -> None:
        started.wait(5)
        cancelled.set()

    threading.Thread(target=cancel).start()
    try:
        start = time.monotonic()
        with pytest.raises(errors.CancelledError):
            transport.connect(soon(10))
        assert time.monotonic() - start < 1
    finally:
        release.set()


# -- the fence at the socket -----------------------------------------------------------------


def test_mcrcons_own_socket_code_is_out_of_reach() -> None:
    transport = Transport(Endpoint("127.0.0.1", 1), PASSWORD)
    with pytest.raises(NotImplementedError):
        transport._read(4)
    with pytest.raises(NotImplementedError):
        transport._send(2, "stop")


@pytest.mark.parametrize(
    "command",
    [
        "stop",
        "",
        "list ",
        "list\n",
        "list\nstop",
        "op UNI-1",
        "clear UNI-1",
        "clear UNI-1 minecraft:stick",
        "clear UNI-1 minecraft:stick 1",
        "clear UNI-1 minecraft:stick 00",
        "clear UNI-1 stick 0",
        "clear UNI-1 minecraft.stick 0",
        "clear @a minecraft:stick 0",
        "clear * minecraft:stick 0",
        "minecraft:clear UNI-1 minecraft:stick 0;stop",
        "scoreboard objectives remove m",
        "scoreboard players set UNI-1 m 5",
        "scoreboard players get UNI-1 m\u00a0",
        "scoreboard players list",
        "scoreboard objectives add m dummy",
        "essentials:list",
        "/list",
    ],
)
def test_nothing_else_can_be_sent(command: str) -> None:
    asked: list[str] = []

    def note(text: str) -> str:
        asked.append(text)
        return "ok"

    with linked(answering(note)) as transport:
        with pytest.raises(ValueError, match="not sent"):
            transport.command(command)
        assert transport.command("list") == "ok"
    assert asked == ["list"]


def test_a_command_longer_than_the_servers_read_is_not_sent() -> None:
    transport = Transport(Endpoint("127.0.0.1", 1), PASSWORD)
    with pytest.raises(ValueError, match="1446"):
        transport.command(f"clear UNI-1 minecraft:{'x' * 1500} 0")
