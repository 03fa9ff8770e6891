"""An error of the program itself costs a cycle or a request, is journaled, and never the window."""

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from collector.bench import Bench, Running
from collector.test_mailbox import asked
from collector.test_truth import populate

from plateau_tui.collector import mailbox
from plateau_tui.collector.asking import CycleAsker
from plateau_tui.collector.desk import Desk
from plateau_tui.collector.loop import INTERNAL
from plateau_tui.collector.rowbuild import RowBuilder
from plateau_tui.collector.watcher import FaultWatcher
from plateau_tui.collector.window import WindowLog
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.writer import RunWriter
from plateau_tui.sim.server import SimServer

CYCLES = 6
Function = Callable[..., object]


@pytest.fixture
def bench(tmp_path: Path, sim_server: SimServer) -> Bench:
    made = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.4, cycles=CYCLES)
    populate(sim_server, made)
    return made


def failing(real: Function, *times: int) -> Function:
    """Return a function that raises at its n-th calls (all without any), as a bug would."""
    calls = itertools.count(1)

    def call(*arguments: object, **more: object) -> object:
        if not times or next(calls) in times:
            raise RuntimeError("a bug that cites simulated")
        return real(*arguments, **more)

    return call


def own_faults(bench: Bench) -> list[ev.Fault]:
    return [e for e in bench.events() if isinstance(e, ev.Fault) and e.code == INTERNAL]


def cost(bench: Bench) -> set[int]:
    """Return the cycles whose rows say that an error of ours cost them."""
    return {row.cycle for row in bench.rows() if "of the collector itself" in row.note}


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (CycleAsker, "_ask_all"),
        (RowBuilder, "rows"),
        (FaultWatcher, "events_of"),
        (WindowLog, "write"),
        (RunWriter, "cycle"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_one_in_a_cycle_costs_that_cycle(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, owner: type, name: str
) -> None:
    monkeypatch.setattr(owner, name, failing(getattr(owner, name), 3))
    with Running(bench) as running:
        running.ended()
    bench.assert_whole(CYCLES)
    (fault,) = own_faults(bench)
    assert "RuntimeError: a bug that cites <password>" in fault.text
    assert cost(bench) == {fault.cycle}


def test_one_behind_the_writing_of_a_cycle_doubles_no_row(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = FaultWatcher.check_seal
    monkeypatch.setattr(FaultWatcher, "check_seal", failing(real, 3))  # the first is at the start
    with Running(bench) as running:
        running.ended()
    bench.assert_whole(CYCLES)
    assert [fault.cycle for fault in own_faults(bench)] == [None]
    assert cost(bench) == set()


def test_one_between_the_cycles_is_told_once_a_cycle_and_costs_none(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Running(bench) as running:
        running.until(bench.rows)
        monkeypatch.setattr(FaultWatcher, "check_clock", failing(FaultWatcher.check_clock))
        running.ended()
    bench.assert_whole(CYCLES)
    assert 1 <= len(own_faults(bench)) <= 2 * CYCLES
    assert {fault.cycle for fault in own_faults(bench)} == {None}
    assert cost(bench) == set()


def test_one_before_the_window_costs_a_slot(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CycleAsker, "_ask_all", failing(CycleAsker._ask_all, 1))
    with Running(bench) as running:
        running.ended()
    bench.assert_whole(CYCLES)
    assert [fault.cycle for fault in own_faults(bench)] == [None]
    assert cost(bench) == set()


def test_one_in_a_request_is_its_answer(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Desk, "_decide", failing(Desk._decide, 1))
    with Running(bench) as running:
        running.until(bench.rows)
        answer = asked(bench, "note", text="hello")
        running.ended()
    bench.assert_whole(CYCLES)
    assert not answer.ok
    assert answer.text == (
        "an error of the collector itself: RuntimeError: a bug that cites <password>"
    )


def test_a_mailbox_that_cannot_be_looked_at_holds_nothing(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    mailbox.post(bench.folder, "note", "me", {"text": "hello"})
    monkeypatch.setattr(Path, "is_symlink", refused)
    assert list(mailbox.pending(bench.folder)) == []


def test_a_pipe_in_the_place_of_the_registration_keeps_no_collector_waiting(bench: Bench) -> None:
    with Running(bench) as running:
        running.until(bench.rows)
        bench.folder.registration.unlink()
        os.mkfifo(bench.folder.registration)
        running.until(lambda: any(isinstance(e, ev.SealBroken) for e in bench.events()))
        running.ended()
    assert bench.cycles() == CYCLES
    assert cost(bench) == set()
