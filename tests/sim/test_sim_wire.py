"""The wire rules, over real sockets."""

from collections.abc import Iterator

import pytest
from sim.rawrcon import RawRcon, packet, until

from plateau_tui.sim import faults
from plateau_tui.sim.server import ServerOptions, SimServer
from plateau_tui.sim.wire import cut, parse_read

Address = tuple[str, int]


@pytest.fixture
def server() -> Iterator[SimServer]:
    with SimServer(password="pw") as running:
        yield running


@pytest.fixture
def address(server: SimServer) -> Address:
    return server.host, server.port


def test_the_right_password_is_answered_with_its_own_id_and_type_2(address: Address) -> None:
    with RawRcon(address) as client:
        assert client.login("pw") == (7, 2, b"")


@pytest.mark.parametrize("password", ["wrong", "", "pw\n", "PW"])
def test_a_wrong_password_gives_minus_one_and_leaves_the_connection_open(
    address: Address, password: str
) -> None:
    with RawRcon(address) as client:
        assert client.login(password) == (-1, 2, b"")
        assert client.login("pw") == (7, 2, b"")


def test_an_empty_password_never_authenticates() -> None:
    with SimServer(password="") as server, RawRcon((server.host, server.port)) as client:
        assert client.login("") == (-1, 2, b"")


def test_a_command_before_the_login_gives_minus_one(address: Address, server: SimServer) -> None:
    with RawRcon(address) as client:
        client.send(5, 2, "list")
        assert client.read() == (-1, 2, b"")
    assert server.commands == ()


def test_a_failed_login_takes_the_old_one_away(address: Address) -> None:
    with RawRcon(address, "pw") as client:
        assert client.login("wrong") == (-1, 2, b"")
        client.send(5, 2, "list")
        assert client.read() == (-1, 2, b"")


@pytest.mark.parametrize(
    ("packet_type", "said"), [(0, "0"), (100, "64"), (-1, "ffffffff"), (7777, "1e61")]
)
def test_an_unknown_type_is_named_in_hex(address: Address, packet_type: int, said: str) -> None:
    with RawRcon(address) as client:
        client.send(9, packet_type, "")
        assert client.read() == (9, 0, f"Unknown request {said}".encode())


def test_two_requests_in_one_segment_end_the_connection(address: Address) -> None:
    with RawRcon(address, "pw") as client:
        client.socket.sendall(packet(1, 2, b"list") * 2)
        assert client.hung_up()


def test_part_of_a_request_ends_the_connection(address: Address, server: SimServer) -> None:
    with RawRcon(address, "pw") as client:
        client.socket.sendall(packet(1, 2, b"list")[:12])
        assert client.hung_up()
    assert server.commands == ()


@pytest.mark.parametrize(("size", "kept"), [(1446, True), (1447, False)])
def test_a_request_must_fit_one_read(address: Address, size: int, kept: bool) -> None:
    with RawRcon(address, "pw") as client:
        client.socket.sendall(packet(1, 2, b"x" * size))
        if kept:
            assert client.read()[0] == 1
        else:
            assert client.hung_up()


def test_a_read_is_taken_as_the_server_takes_it() -> None:
    whole = packet(1, 2, b"list")
    request = parse_read(whole)
    assert request is not None
    assert (request.id, request.type, request.body) == (1, 2, "list")
    assert parse_read(whole + b"\0") is None
    assert parse_read(b"") is None
    assert parse_read(b"HTTP/1.1 ") is None


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("", [0]),
        ("x", [1]),
        ("x" * 4095, [4095]),
        ("x" * 4096, [4096]),
        ("x" * 4097, [4096, 1]),
        ("x" * 8192, [4096, 4096]),
        ("x" * 8230, [4096, 4096, 38]),
        ("§" * 4097, [8192, 2]),
        ("x" * 4095 + "\U0001f600", [4096, 1]),  # a pair is cut, and each half becomes "?"
    ],
)
def test_long_replies_are_cut_at_4096_characters(
    server: SimServer, address: Address, text: str, sizes: list[int]
) -> None:
    server.faults.once(faults.replaced(text))
    with RawRcon(address, "pw") as client:
        client.send(3, 2, "list")
        packets = [client.read() for _ in sizes]
        assert [(each[0], each[1], len(each[2])) for each in packets] == [
            (3, 0, size) for size in sizes
        ]
        client.send(4, 99, "")
        assert client.read() == (4, 0, b"Unknown request 63")


def test_pieces_join_to_the_whole() -> None:
    text = "§x" * 3000 + "\U0001f600" * 10
    assert "".join(cut(text)) == text


def test_a_long_list_of_scores_comes_in_several_packets(
    server: SimServer, address: Address
) -> None:
    for number in range(400):
        server.scoreboard.add(f"objective_{number:03}", "dummy")
        server.scoreboard.set_score("UNI-10-1", f"objective_{number:03}", number)
    with RawRcon(address, "pw") as client:
        client.send(3, 2, "minecraft:scoreboard players list UNI-10-1")
        bodies = [client.read()[2] for _ in range(2)]
        assert len(bodies[0]) == 4096
        assert bodies[0].startswith(b"UNI-10-1 has 400 scores:[objective_000]: 0[objective_001]: 1")
        while len(bodies[-1]) == 4096:
            bodies.append(client.read()[2])
        assert b"".join(bodies).endswith(b"[objective_399]: 399")


def test_two_clients_at_once_spoil_the_shared_reply_buffer() -> None:
    with SimServer(password="pw", options=ServerOptions(busy=True)) as server:
        address = server.host, server.port
        with RawRcon(address, "pw") as one, RawRcon(address, "pw") as other:
            server.freeze(30)
            one.send(1, 2, "list")
            until(lambda: len(server.log) == 1)
            other.send(2, 2, "tps")
            until(lambda: len(server.log) == 2)
            server.thaw()
            first, second = one.read(), other.read()
    assert first == (1, 0, b"There are 0 of a max of 20 players online: ")
    assert second[0] == 2
    assert second[2].startswith(first[2])
    assert "TPS from last" in second[2].decode()
    assert server.overlaps == 1


def test_a_reply_can_be_lost_or_swapped_by_another_command() -> None:
    with SimServer(password="pw", options=ServerOptions(wake_s=0.5)) as server:
        address = server.host, server.port
        with RawRcon(address, "pw") as one, RawRcon(address, "pw") as other:
            one.send(1, 2, "list")
            until(lambda: len(server.log) == 1)
            other.send(2, 2, "scoreboard objectives list")
            assert one.read() == (1, 0, b"There are no objectives")
            assert other.read() == (2, 0, b"There are no objectives")
            one.send(3, 2, "list")
            until(lambda: len(server.log) == 3)
            other.send(4, 2, "essentials:nothing")
            assert b"There are 0" not in one.read()[2]


def test_one_client_alone_is_never_spoiled_and_waits_for_ticks() -> None:
    options = ServerOptions(busy=True, tick_s=0.02)
    with SimServer(password="pw", options=options) as server:
        with RawRcon((server.host, server.port), "pw") as client:
            for _ in range(5):
                assert client.ask("list") == "There are 0 of a max of 20 players online: "
        log = server.log
    assert server.overlaps == 0
    # At most one command a tick: between five of them lie at least three whole ticks.
    assert log[-1].started - log[0].started > 0.06


def test_the_server_counts_its_clients(server: SimServer, address: Address) -> None:
    with RawRcon(address, "pw"), RawRcon(address) as second:
        until(lambda: server.connections == 2)
        second.login("nope")
        assert (server.logins, server.refusals) == (1, 1)
    until(lambda: server.connections == 0)


def test_a_password_can_change_under_way(server: SimServer, address: Address) -> None:
    with RawRcon(address, "pw") as client:
        server.change_password("new")
        assert client.ask("list")
        assert client.login("pw") == (-1, 2, b"")
        assert client.login("new") == (7, 2, b"")


def test_a_taken_port_is_an_error(server: SimServer) -> None:
    with pytest.raises(OSError, match="in use"):
        SimServer(port=server.port).start()


def test_the_log_names_connection_and_times(server: SimServer, address: Address) -> None:
    with RawRcon(address, "pw") as client, RawRcon(address, "pw") as other:
        client.ask("list")
        other.ask("tps")
    until(lambda: all(each.finished is not None for each in server.log))
    assert [(each.connection, each.command) for each in server.log] == [(1, "list"), (2, "tps")]
    assert all(each.started <= (each.finished or 0) for each in server.log)
