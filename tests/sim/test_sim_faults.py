"""Each fault does what it says, on a real socket."""

import struct
import threading
import time
from collections.abc import Iterator

import pytest
from sim.rawrcon import RawRcon, packet, until

from plateau_tui.sim import faults
from plateau_tui.sim.faults import Fault, Faults
from plateau_tui.sim.server import SimServer

LIST = "There are 0 of a max of 20 players online: "


@pytest.fixture
def plan() -> Faults:
    return Faults()


@pytest.fixture
def server(plan: Faults) -> Iterator[SimServer]:
    with SimServer(password="pw", faults=plan) as running:
        yield running


@pytest.fixture
def client(server: SimServer) -> Iterator[RawRcon]:
    with RawRcon((server.host, server.port), "pw") as connected:
        yield connected


def test_hang_says_nothing_until_the_client_goes(
    plan: Faults, server: SimServer, client: RawRcon
) -> None:
    plan.once(faults.hang(), "list")
    client.send(1, 2, "list")
    assert client.silent(0.1)
    assert [each.finished for each in server.log] == [None]
    client.socket.close()
    until(lambda: server.connections == 0)
    assert [each.finished for each in server.log] != [None]
    assert server.overlaps == 0


def test_hang_mid_reply(plan: Faults, client: RawRcon) -> None:
    plan.once(faults.hang_mid_reply(20))
    client.send(1, 2, "list")
    assert client.exactly(20) == packet(1, 0, LIST.encode())[:20]
    assert client.silent(0.05)


def test_late(plan: Faults, client: RawRcon) -> None:
    plan.once(faults.late(0.15))
    before = time.monotonic()
    assert client.ask("list") == LIST
    assert time.monotonic() - before >= 0.15


def test_drop_and_reset(plan: Faults, server: SimServer, client: RawRcon) -> None:
    plan.once(faults.drop())
    client.send(1, 2, "list")
    assert client.socket.recv(1) == b""
    plan.once(faults.reset())
    with RawRcon((server.host, server.port), "pw") as other:
        other.send(1, 2, "list")
        with pytest.raises(ConnectionResetError):
            other.socket.recv(1)


def test_drop_mid_reply(plan: Faults, client: RawRcon) -> None:
    plan.once(faults.drop_mid_reply())
    client.send(1, 2, "list")
    with pytest.raises(EOFError):
        client.read()


@pytest.mark.parametrize(
    ("fault", "reply"),
    [
        (faults.empty(), (1, 0, b"")),
        (faults.replaced("hello"), (1, 0, b"hello")),
        (faults.glued("more"), (1, 0, (LIST + "more").encode())),
        (faults.raw_body(b"\xa76There"), (1, 0, b"\xa76There")),
        (faults.wrong_id(5), (6, 0, LIST.encode())),
        (faults.wrong_type(3), (1, 3, LIST.encode())),
        (faults.refused(), (-1, 2, b"")),
        (faults.throws(), (1, 0, b"Error executing: list (null)")),
        (faults.dribble(0.0), (1, 0, LIST.encode())),
        (faults.segments(7), (1, 0, LIST.encode())),
    ],
)
def test_changed_answers(
    plan: Faults, client: RawRcon, fault: Fault, reply: tuple[int, int, bytes]
) -> None:
    plan.once(fault)
    client.send(1, 2, "list")
    assert client.read() == reply
    assert client.ask("list") == LIST


def test_segments_do_not_come_at_once(plan: Faults, client: RawRcon) -> None:
    plan.once(faults.segments(10, 0.05))
    client.send(1, 2, "list")
    assert len(client.socket.recv(4096)) == 10


def test_duplicate(plan: Faults, client: RawRcon) -> None:
    plan.once(faults.duplicate())
    client.send(1, 2, "list")
    assert client.read() == client.read() == (1, 0, LIST.encode())


def test_bad_length_and_garbage(plan: Faults, client: RawRcon) -> None:
    plan.once(faults.bad_length())
    plan.once(faults.garbage(b"\xff" * 8))
    client.send(1, 2, "list")
    assert struct.unpack("<i", client.exactly(4)) == (1347703880,)
    client.exactly(len(b"/1.1 400 Bad Request\r\n\r\n"))
    client.send(1, 2, "list")
    assert client.exactly(8) == b"\xff" * 8


def test_freeze_stops_commands_of_every_client_but_not_logins(
    plan: Faults, server: SimServer, client: RawRcon
) -> None:
    plan.once(faults.freeze(30), "list")
    client.send(1, 2, "list")
    until(lambda: len(server.log) == 1)
    with RawRcon((server.host, server.port), "pw") as other:
        other.send(2, 2, "scoreboard objectives list")
        assert other.silent(0.1)
        assert client.silent(0.05)
        server.thaw()
        assert other.read()[0] == 2
    assert client.read()[0] == 1


def test_a_freeze_ends_by_itself(plan: Faults, client: RawRcon) -> None:
    plan.once(faults.freeze(0.1))
    before = time.monotonic()
    assert client.ask("list") == LIST
    assert time.monotonic() - before >= 0.1


def test_a_plan_matches_by_pattern_skips_and_is_used_up(plan: Faults, client: RawRcon) -> None:
    plan.once(faults.replaced("x"), r"players list UNI-10-\d", skip=1, times=2)
    asked = [client.ask(f"scoreboard players list UNI-10-{each}") for each in range(4)]
    assert [each == "x" for each in asked] == [False, True, True, False]
    assert plan.pending() == 0
    plan.always(faults.replaced("y"), "^list$")
    assert [client.ask(each) for each in ("list", "list", "minecraft:list")] == ["y", "y", LIST]
    plan.clear()
    assert client.ask("list") == LIST


def test_a_rule_decides_by_command_and_connection(plan: Faults, client: RawRcon) -> None:
    plan.rule = lambda command, number: faults.empty() if (command, number) == ("tps", 1) else None
    assert client.ask("tps") == ""
    assert client.ask("list") == LIST


def test_login_faults(plan: Faults, server: SimServer) -> None:
    address = server.host, server.port
    plan.once(faults.drop(), login=True)
    with RawRcon(address) as client, pytest.raises(EOFError):
        client.login("pw")
    with RawRcon(address, "pw") as client:
        assert client.ask("list") == LIST


def test_refused_and_mute_servers(plan: Faults, server: SimServer) -> None:
    address = server.host, server.port
    plan.refuse_logins = True
    with RawRcon(address) as client:
        assert client.login("pw") == (-1, 2, b"")
    plan.refuse_logins, plan.mute = False, True
    with RawRcon(address) as client:
        client.send(1, 3, "pw")
        assert client.silent(0.05)
    plan.clear()
    with RawRcon(address, "pw") as client:
        assert client.ask("list") == LIST


def test_restart_ends_connections_refuses_and_comes_back(
    server: SimServer, client: RawRcon
) -> None:
    server.go_down()
    assert client.hung_up()
    with pytest.raises(ConnectionRefusedError):
        RawRcon((server.host, server.port))
    server.come_up()
    with RawRcon((server.host, server.port), "pw") as again:
        assert again.ask("list") == LIST
        server.restart(0.05, wait=False)
        assert again.hung_up()
        until(lambda: _listens(server))
    assert server.scoreboard.objectives() == ()


def _listens(server: SimServer) -> bool:
    try:
        RawRcon((server.host, server.port)).socket.close()
    except ConnectionRefusedError:
        return False
    return True


def test_a_crash_rolls_the_scoreboard_back_and_a_clean_stop_does_not(server: SimServer) -> None:
    server.scoreboard.add("a", "dummy")
    server.scoreboard.set_score("UNI-10-1", "a", 5)
    server.restart(0)
    server.scoreboard.set_score("UNI-10-1", "a", 9)
    server.restart(0, rollback=True)
    assert server.scoreboard.scores_of("UNI-10-1") == {"a": 5}


def test_connections_can_be_dropped_while_the_port_stays(
    server: SimServer, client: RawRcon
) -> None:
    server.drop_connections()
    assert client.hung_up()
    with RawRcon((server.host, server.port), "pw") as again:
        assert again.ask("list") == LIST


def test_stop_ends_the_thread_even_while_a_client_is_kept_waiting(plan: Faults) -> None:
    server = SimServer(password="pw", faults=plan)
    plan.always(faults.hang())
    with RawRcon(server.start(), "pw") as client:
        client.send(1, 2, "list")
        until(lambda: len(server.log) == 1)
        server.stop()
        assert client.hung_up()
    assert not [each for each in threading.enumerate() if each.name == "sim-server"]
    server.start()
    server.stop()


def test_a_command_that_waits_is_lost_in_a_restart(server: SimServer, client: RawRcon) -> None:
    server.freeze(30)
    client.send(1, 2, "scoreboard objectives add lost dummy")
    until(lambda: len(server.log) == 1)
    server.restart(0)
    assert client.hung_up()
    with RawRcon((server.host, server.port), "pw") as again:
        assert again.ask("scoreboard objectives list") == "There are no objectives"
