"""What an operator asks of a running collector, and what strangers put into its mailbox."""

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from collector.bench import Bench, Running, wait_for
from collector.test_truth import populate

from plateau_tui.collector import mailbox
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.times import format_ms
from plateau_tui.sim import faults as sf
from plateau_tui.sim.server import SimServer

Ask = Callable[..., ev.Answer]


def bench_of(
    tmp_path: Path, server: SimServer, interval_s: float = 0.4, cycles: int = 5000
) -> Bench:
    bench = Bench.make(tmp_path, server.port, "simulated", interval_s=interval_s, cycles=cycles)
    populate(server, bench)
    return bench


def asked(bench: Bench, op: mailbox.Op, **args: str | bool | dict[str, str] | None) -> ev.Answer:
    start = time.monotonic()
    request = mailbox.post(bench.folder, op, "me", args)
    answer = mailbox.await_answer(bench.folder, request)
    assert answer is not None, f"no answer within {time.monotonic() - start:.1f} s"
    return answer


def put(bench: Bench, name: str, **fields: object) -> None:
    request = {"id": name, "ts": format_ms(int(time.time() * 1000)), "by": "me", "op": "note"}
    text = json.dumps(request | {"args": {"text": "hello"}} | fields)
    (bench.folder.mailbox / f".{name}").write_text(text)
    (bench.folder.mailbox / f".{name}").rename(bench.folder.mailbox / f"{name}.json")


def answers(bench: Bench) -> dict[str, ev.Answer]:
    return {e.id: e for e in bench.events() if isinstance(e, ev.Answer)}


@pytest.fixture
def running(tmp_path: Path, sim_server: SimServer) -> Iterator[Running]:
    with Running(bench_of(tmp_path, sim_server)) as running:
        running.until(running.bench.rows)
        yield running
    assert running.error is None
    running.bench.assert_whole()


def test_note_pin_and_poll_are_answered_and_journaled(running: Running) -> None:
    bench = running.bench
    assert asked(bench, "note", text="hello").ok
    assert asked(bench, "pin", species="oak_log", by_unit={}, anyway="").ok
    polled = asked(bench, "poll_now")
    assert polled.ok or "next poll comes" in polled.text
    assert not asked(bench, "pin", species="oak", by_unit={}, anyway="").ok
    assert not asked(bench, "note", text=" ").ok
    assert not asked(bench, "close", early=False, why="").ok
    wait_for(lambda: not list(bench.folder.mailbox.iterdir()))
    assert sum(isinstance(e, ev.Pinned) for e in bench.events()) == 4
    assert {e.op for e in bench.events() if isinstance(e, ev.Request)} >= {"note", "pin"}


def test_close_early_by_request_ends_the_collector(tmp_path: Path, sim_server: SimServer) -> None:
    bench = bench_of(tmp_path, sim_server)
    with Running(bench) as running:
        running.until(bench.rows)
        assert asked(bench, "close", early=True, why="enough").ok
        running.ended()
    closed = bench.events()[-1]
    assert isinstance(closed, ev.WindowClosed)
    assert (closed.early, closed.by, closed.why) == (True, "me", "enough")
    bench.assert_whole()


def test_every_request_is_answered_while_a_question_hangs(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server, interval_s=9.0)
    bench.collect(once=True)
    sim_server.faults.mute = True
    sim_server.drop_connections()
    with Running(bench) as running:
        running.until(lambda: sim_server.connections)
        put(bench, "poll", op="poll_now", args={})
        assert asked(bench, "note", text="x").ok
        assert asked(bench, "pin", species="oak_log", by_unit={}, anyway="").ok
        assert bench.cycles() == 1
        start = time.monotonic()
        running.until(lambda: "poll" in answers(bench))
        assert time.monotonic() - start < 8
        assert not answers(bench)["poll"].ok
        assert asked(bench, "close", early=True, why="x").ok
        running.ended()
    bench.assert_whole()


def test_requests_are_answered_while_the_server_hangs_before_the_window(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    sim_server.faults.always(sf.hang(), "objectives add")
    with Running(bench) as running:
        running.until(lambda: sim_server.connections)
        start = time.monotonic()
        assert asked(bench, "note", text="x").ok
        assert not asked(bench, "poll_now").ok
        assert time.monotonic() - start < 4


def test_strange_files_do_no_harm_and_are_answered_where_they_have_a_name(
    running: Running, tmp_path: Path
) -> None:
    bench, box = running.bench, running.bench.folder.mailbox
    secret = tmp_path / "secret"
    secret.write_text("untouched")
    put(bench, "good")
    put(bench, "other-id", id="good2")
    put(bench, "unknown-op", op="stop")
    put(bench, "extra", command="rm")
    put(bench, "old", ts=format_ms(int(time.time() * 1000) - 61_000))
    put(bench, "no-time", ts="yesterday")
    put(bench, "escape", id="../escape")
    put(bench, "wrong-args", args=["x"])
    put(bench, "pin-odd", op="pin", args={"species": "@a; stop", "by_unit": {"../x": "oak_log"}})
    (box / "link.json").symlink_to(secret)
    (box / "folder.json").mkdir()
    (box / "folder.json" / "inside").write_text("x")
    os.mkfifo(box / "pipe.json")
    (box / "huge.json").write_bytes(b'{"id":"huge","args":' + b"[" * 100_000)
    (box / "deep.json").write_bytes(b"[" * 60_000)
    (box / "empty.json").write_bytes(b"")
    (box / "not utf-8 \udcff.json").write_bytes(b"\xff")
    (box / ".hidden").write_text("not ready")
    wanted = {
        "good", "other-id", "unknown-op", "extra", "old", "no-time", "escape", "wrong-args",
        "pin-odd", "link", "folder", "pipe", "huge", "deep", "empty", "unnamed",
    }  # fmt: skip
    wait_for(lambda: wanted <= answers(bench).keys())
    said = answers(bench)
    assert {name for name in wanted if said[name].ok} == {"good"}
    assert said["old"].text == "expired"
    assert secret.read_text() == "untouched"
    wait_for(lambda: {p.name for p in box.iterdir()} <= {".hidden", ".folder.json"})
    assert sum(isinstance(e, ev.Note) for e in bench.events()) == 1


def test_an_answered_request_is_never_carried_out_again(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    with Running(bench) as running:
        running.until(bench.rows)
        put(bench, "once")
        running.until(lambda: "once" in answers(bench))
    put(bench, "once")
    with Running(bench) as running:
        running.until(lambda: not list(bench.folder.mailbox.iterdir()))
    assert sum(isinstance(e, ev.Note) for e in bench.events()) == 1


def test_a_pin_in_the_window_is_held_against_the_units_own_rows(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = bench_of(tmp_path, sim_server)
    put_score = sim_server.scoreboard.set_score
    with Running(bench) as running:
        running.until(bench.rows)
        for name, value in (("mine_birch_log", 5), ("mine_oak_log", 3)):
            put_score("UNI-10-1", name, value)
        for name in ("mine_birch_log", "mine_oak_log"):
            put_score("UNI-10-2", name, 4)
        seen = bench.cycles()
        running.until(lambda: bench.cycles() >= seen + 2)
        refused = asked(bench, "pin", species="oak_log", by_unit={}, anyway="I say so")
        assert (refused.ok, "UNI-10-1" in refused.text) == (False, True)
        assert not any(isinstance(e, ev.Pinned) for e in bench.events())
        ok = asked(bench, "pin", species="oak_log", by_unit={"UNI-10-1": "birch_log"}, anyway="")
        assert ok.ok, ok.text
        assert asked(bench, "pin", species=None, by_unit={"UNI-10-2": "birch_log"}, anyway="").ok


def test_no_request_is_carried_out_that_cannot_be_answered(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = running.bench
    write = os.write

    def full(fd: int, data: bytes) -> int:
        if Path(f"/proc/self/fd/{fd}").readlink().is_relative_to(bench.folder.path):
            raise OSError(28, "No space left on device")
        return write(fd, data)

    monkeypatch.setattr(os, "write", full)
    seen = time.monotonic()
    wait_for(lambda: time.monotonic() > seen + 1)
    put(bench, "withdrawn")
    wait_for(lambda: time.monotonic() > seen + 2)
    mailbox.withdraw(bench.folder, "withdrawn")
    monkeypatch.undo()
    size = len(bench.rows())
    running.until(lambda: len(bench.rows()) > size)
    assert not any(isinstance(e, ev.Note) for e in bench.events())
