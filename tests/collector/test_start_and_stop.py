"""How a collector starts, refuses to, and ends."""

import contextlib
import shutil
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from collector.bench import Bench, Running, finish, wait_for
from collector.history import compare
from collector.test_truth import populate, sim_history

from plateau_tui.collector.run import DeclinedError, ServerUnavailableError
from plateau_tui.runlog import events as ev
from plateau_tui.sim import faults as sf
from plateau_tui.sim.options import ServerOptions
from plateau_tui.sim.server import SimServer


def bench_of(tmp_path: Path, server: SimServer, interval_s: float = 0.4, cycles: int = 5) -> Bench:
    bench = Bench.make(tmp_path, server.port, "simulated", interval_s=interval_s, cycles=cycles)
    populate(server, bench)
    return bench


def one_line(text: str) -> bool:
    return text.count("\n") == 1 and text.startswith("plateau-tui: ")


# -- before the window ---------------------------------------------------------------------------


def test_a_server_that_is_down_ends_the_start_at_once(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.go_down()
    code, said, took = finish(bench.start())
    assert (code, one_line(said)) == (3, True), said
    assert "refused the connection" in said
    assert took < 4
    assert bench.rows() == []
    sim_server.come_up()
    assert bench.cli("collect", "--once").returncode == 0


def test_a_wrong_password_ends_the_start_after_one_login(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    bench.password = "wrong"
    for arguments in ((), ("--once",), ("--detach",)):
        before = sim_server.refusals
        done = bench.cli("collect", *arguments)
        assert (done.returncode, one_line(done.stderr)) == (3, True), done.stderr
        assert sim_server.refusals == before + 1
        assert "wrong" not in done.stderr
    assert bench.rows() == []


def test_a_host_without_an_address_ends_the_start(tmp_path: Path, sim_server: SimServer) -> None:
    bench = bench_of(tmp_path, sim_server)
    done = bench.cli("collect", "--host", "no-such-host.invalid")
    assert (done.returncode, one_line(done.stderr)) == (3, True), done.stderr


@contextlib.contextmanager
def peer(answer: bytes | None) -> Iterator[int]:
    """Something that is no RCON port: answers with bytes and closes; None says nothing."""
    listener = socket.create_server(("127.0.0.1", 0))
    held: list[socket.socket] = []

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                sock, _ = listener.accept()
                held.append(sock)
                if answer is not None:
                    sock.recv(100)
                    sock.sendall(answer)
                    sock.shutdown(socket.SHUT_RDWR)

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1]
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    for sock in held:
        sock.close()


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", None])
def test_a_port_that_speaks_no_rcon_ends_the_start(
    tmp_path: Path, sim_server: SimServer, answer: bytes | None
) -> None:
    bench = bench_of(tmp_path, sim_server)
    start = time.monotonic()
    with peer(answer) as port:
        done = bench.cli("collect", "--port", str(port))
    assert (done.returncode, one_line(done.stderr)) == (3, True), done.stderr
    assert "25575" in done.stderr
    assert time.monotonic() - start < 8


def test_start_counts_above_zero_are_refused_by_zero_and_named(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", start="zero")
    populate(sim_server, bench)
    sim_server.scoreboard.set_score("UNI-11-2", "mine_stone", 4)
    done = bench.cli("collect")
    assert done.returncode == 1
    assert "UNI-11-2 mine_stone 4" in done.stderr
    assert "offset" in done.stderr
    assert bench.rows() == []


def test_a_start_reading_is_whole_or_not_taken(tmp_path: Path, sim_server: SimServer) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.faults.always(sf.replaced("?"), r"get UNI-11-2 mine_sand")
    with pytest.raises(ServerUnavailableError):
        bench.collect(once=True)
    assert not [e for e in bench.events() if isinstance(e, ev.Registered)]
    sim_server.faults.clear()
    sim_server.scoreboard.set_score("UNI-11-2", "mine_sand", 3)
    bench.collect(once=True)
    taken = [e for e in bench.events() if isinstance(e, ev.Registered)]
    assert [event.start["UNI-11-2"]["mine_sand"] for event in taken] == [3]


def test_a_registration_that_lost_the_server_half_way_goes_on_later(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", start="zero")
    sim_server.faults.once(sf.HONEST, "objectives add", times=7)
    sim_server.faults.always(sf.drop(), "objectives add")
    assert bench.cli("register").returncode == 3
    sim_server.faults.clear()
    first = bench.cli("register")
    assert first.returncode == 0, first.stderr
    assert bench.cli("register").returncode == 0
    starts = [e for e in bench.events() if isinstance(e, ev.Registered)]
    assert starts[0].start["UNI-10-1"]["place_cobble"] == 0
    assert starts[1].start == {}
    bench.collect(once=True)
    assert not any("objectives add" in c for c in sim_server.commands[-20:])


# -- a password that stops working, a server that goes and comes -----------------------------------


def test_a_password_that_changes_in_mid_window_costs_one_login_a_cycle(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server, cycles=7)
    with Running(bench) as running:
        running.until(lambda: bench.cycles() >= 2)
        sim_server.change_password("another")
        sim_server.drop_connections()
        running.until(lambda: bench.cycles() >= 5)
        assert 2 <= sim_server.refusals <= 3
        sim_server.change_password("simulated")
        running.ended()
    bench.assert_whole(7)
    refused = [row for row in bench.rows() if "refused the RCON password" in row.note]
    assert {row.read_ts for row in refused} == {None}
    assert bench.rows()[-1].rcon_ok
    assert compare(bench.folder, sim_history(sim_server), bench.names).wrong == []


def test_the_window_outlives_the_server_and_closes_by_itself(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server, cycles=4)
    with Running(bench) as running:
        running.until(bench.rows)
        sim_server.go_down()
        running.ended()
    bench.assert_whole(4)
    closed = bench.events()[-1]
    assert isinstance(closed, ev.WindowClosed)
    assert (closed.cycles, closed.early, closed.rows) == (4, False, 16)
    assert all(row.note for row in bench.rows() if not row.rcon_ok)
    done = bench.cli("collect")
    assert (done.returncode, one_line(done.stderr)) == (0, True)


# -- signals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("signum", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_a_signal_during_a_hanging_question_ends_it_and_what_was_read_is_written(
    tmp_path: Path, sim_server: SimServer, signum: int, code: int
) -> None:
    bench = bench_of(tmp_path, sim_server, interval_s=2.0, cycles=50)
    bench.collect(once=True)
    before = bench.cycles()
    sim_server.faults.always(sf.hang(), "clear UNI-11-1")
    process = bench.start()
    wait_for(lambda: any("clear UNI-11-1" in c for c in sim_server.commands[-1:]))
    got, said, took = finish(process, signum)
    assert got == code, said
    assert took < 3
    bench.assert_whole()
    if bench.cycles() > before:
        last = [row for row in bench.rows() if row.cycle == bench.cycles() - 1]
        assert all(row.mined["stone"] == 0 for row in last)
    assert isinstance(bench.events()[-1], ev.CollectorStopped)


def test_a_signal_while_the_server_says_nothing_at_the_start_ends_it(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.faults.mute = True
    process = bench.start()
    wait_for(lambda: sim_server.connections)
    got, _, took = finish(process, signal.SIGTERM)
    assert got == 143
    assert took < 3


# -- one cycle at a time --------------------------------------------------------------------------


def test_once_reads_each_slot_once_and_fills_what_was_missed(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server, interval_s=1.0, cycles=60)
    start = 0.0

    def read_once() -> bool:
        wait_for(lambda: time.time() > start + 2 and time.time() % 1 < 0.2)
        done = bench.cli("collect", "--once")
        late = done.returncode == 3 and "its time was nearly over" in done.stderr
        assert done.returncode == 0 or late, done.stderr
        return not late

    wait_for(read_once)  # a busy machine may start the program too late for the slot's reading
    again = bench.cli("collect", "--once")
    if bench.cycles() == 1:
        assert (again.returncode, one_line(again.stderr)) == (0, True)
    start = time.time()
    wait_for(read_once)
    bench.assert_whole()
    missed = [e for e in bench.events() if isinstance(e, ev.CyclesMissed)]
    assert missed
    sim_server.faults.always(sf.drop())
    wait_for(lambda: time.time() > start + 4 and time.time() % 1 < 0.2)
    lost = bench.cli("collect", "--once")
    assert (lost.returncode, one_line(lost.stderr)) == (3, True), lost.stderr
    bench.assert_whole()


def test_once_in_the_last_fifth_of_a_slot_writes_its_gap_and_says_so(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server, interval_s=1.0, cycles=60)
    bench.collect(once=True)
    seen = bench.cycles()
    start = time.time()
    wait_for(lambda: time.time() > start + 1 and 0.85 < time.time() % 1 < 0.9)
    with pytest.raises(ServerUnavailableError, match="nearly over"):
        bench.collect(once=True, early=False)
    assert bench.cycles() > seen
    bench.assert_whole()


# -- who may run ----------------------------------------------------------------------------------


def test_a_second_collector_on_a_run_exits_4(tmp_path: Path, sim_server: SimServer) -> None:
    bench = bench_of(tmp_path, sim_server, cycles=500)
    with Running(bench) as running:
        running.until(bench.rows)
        for command in ("collect", "register", "check"):
            done = bench.cli(command)
            assert (done.returncode, one_line(done.stderr)) == (4, True), done.stderr


def test_two_runs_on_one_server_never_ask_at_once(tmp_path: Path) -> None:
    with SimServer(options=ServerOptions(busy=True, tick_s=0.004)) as server:
        one = Bench.make(tmp_path, server.port, "simulated", interval_s=0.5, cycles=6, name="a")
        two = Bench.make(tmp_path, server.port, "simulated", interval_s=0.5, cycles=6, name="b")
        two.host = "localhost"
        populate(server, one)
        with Running(one) as first, Running(two) as second:
            first.ended()
            second.ended()
        assert server.overlaps == 0
    for bench in (one, two):
        bench.assert_whole(6)
        assert sum(row.rcon_ok for row in bench.rows()) > 8


def test_detach_returns_when_the_child_holds_the_run(tmp_path: Path, sim_server: SimServer) -> None:
    bench = bench_of(tmp_path, sim_server, cycles=400)
    done = bench.cli("collect", "--detach")
    assert done.returncode == 0, done.stderr
    assert bench.cli("collect").returncode == 4
    wait_for(bench.rows)
    assert bench.cli("close", "--early", "--why", "enough").returncode == 0
    wait_for(lambda: bench.cli("note", "x").returncode == 1)
    bench.assert_whole()


# -- close ----------------------------------------------------------------------------------------


def test_close_without_a_window_or_before_its_end_is_refused(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server, cycles=5000)
    assert bench.cli("close").returncode == 1
    bench.collect(once=True)
    assert bench.cli("close").returncode == 2
    assert bench.cli("close", "--early", "--why", "x").returncode == 0
    again = bench.cli("close", "--early", "--why", "x")
    assert (again.returncode, one_line(again.stderr)) == (1, True)
    bench.assert_whole()


def test_close_after_the_end_writes_the_gaps(tmp_path: Path, sim_server: SimServer) -> None:
    bench = bench_of(tmp_path, sim_server, cycles=3)
    bench.collect(once=True)
    end = time.time() + 3 * 0.4
    wait_for(lambda: time.time() > end)
    copy = shutil.copytree(bench.folder.path, tmp_path / "copy")
    refused = bench.cli("collect")
    assert (refused.returncode, one_line(refused.stderr)) == (1, True)
    assert "close" in refused.stderr
    for name in ("rows.jsonl", "journal.jsonl"):
        assert (bench.folder.path / name).read_bytes() == (Path(copy) / name).read_bytes()
    assert bench.cli("close").returncode == 0
    bench.assert_whole(3)


def test_close_of_a_draft_is_refused_in_one_line(tmp_path: Path, sim_server: SimServer) -> None:
    bench = bench_of(tmp_path, sim_server)
    new = bench.folder.path.with_name("draft")
    bench.folder = type(bench.folder)(new)
    assert bench.cli("new").returncode == 0
    done = bench.cli("close", "--early", "--why", "x")
    assert (done.returncode, one_line(done.stderr)) == (1, True), done.stderr


def test_a_run_that_is_not_sealed_is_not_collected(tmp_path: Path, sim_server: SimServer) -> None:
    bench = bench_of(tmp_path, sim_server)
    bench.folder = type(bench.folder)(tmp_path / "draft")
    assert bench.cli("new").returncode == 0
    with pytest.raises(DeclinedError, match="seal"):
        bench.collect()
