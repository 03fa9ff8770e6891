"""Several processes at one run: one writes, the others say so and change nothing."""

import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from collector.bench import Bench, finish, wait_for
from collector.test_truth import populate
from runlog.runs import finished_run, names_of, whole_and_intact

from plateau_tui.collector.run import CollectorHoldsRunError, open_run
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import FileLock, Holder, holder_of
from plateau_tui.sim.server import SimServer

STARTED = 4


def test_of_collectors_started_at_once_one_writes(tmp_path: Path, sim_server: SimServer) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.5, cycles=500)
    populate(sim_server, bench)
    processes = [bench.start() for _ in range(STARTED)]
    wait_for(lambda: sum(process.poll() is not None for process in processes) == STARTED - 1)
    wait_for(lambda: bench.cycles() >= 2)
    codes, said = [], ""
    for process in processes:
        if process.poll() is None:
            process.terminate()
        said += process.communicate(timeout=20)[1]
        codes.append(process.returncode)
    assert sorted(codes) == [4, 4, 4, 143], said
    assert said.count("holds the run") == STARTED - 1
    assert len([e for e in bench.events() if isinstance(e, ev.CollectorStarted)]) == 1
    bench.assert_whole()


def test_a_lock_is_free_at_once_when_its_holder_is_killed(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 1, close=False)
    held, tell = os.pipe()
    pid = os.fork()
    if not pid:
        with open_run(folder) as run:
            run.writer.journal(ev.Note(text="held"))
            os.write(tell, b"!")
            os.read(os.pipe()[0], 1)  # for ever
        os._exit(0)
    assert os.read(held, 1) == b"!"
    before = _state(folder)
    with pytest.raises(CollectorHoldsRunError, match=str(pid)), open_run(folder, wait_s=0):
        pass
    assert _state(folder) == before
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    with open_run(folder, wait_s=0) as run:
        run.writer.journal(ev.Note(text="free"))
    assert names_of(folder)[-2:] == ["note", "note"]
    whole_and_intact(folder, 1)


def _state(folder: RunFolder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.path.glob("*.jsonl")}


def removed(lock: Path) -> None:
    lock.unlink()


def replaced(lock: Path) -> None:
    copy = lock.with_name("copy")
    shutil.copyfile(lock, copy)
    copy.replace(lock)


@pytest.mark.parametrize("happens", [removed, replaced])
def test_a_lock_that_is_removed_or_replaced_lets_no_second_collector_in(
    tmp_path: Path, sim_server: SimServer, happens: Callable[[Path], None]
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.5, cycles=500)
    populate(sim_server, bench)
    first = bench.start()
    wait_for(lambda: bench.cycles() >= 1)
    happens(bench.folder.lock)
    second = bench.start()
    status, said, _ = finish(second)
    assert status == 4, said
    assert "holds the run" in said
    wait_for(lambda: holder_of(bench.folder.lock) == Holder(first.pid))
    reached = bench.cycles()
    wait_for(lambda: bench.cycles() > reached + 1)
    assert finish(first, signal.SIGTERM)[0] == 143
    assert [e.code for e in bench.events() if isinstance(e, ev.Recovered)] == ["lock_lost"]
    assert len([e for e in bench.events() if isinstance(e, ev.CollectorStarted)]) == 1
    bench.assert_whole()


def test_a_collector_whose_lock_another_process_has_ends_and_writes_nothing_more(
    tmp_path: Path, sim_server: SimServer
) -> None:
    bench = Bench.make(tmp_path, sim_server.port, "simulated", interval_s=0.5, cycles=500)
    populate(sim_server, bench)
    process = bench.start()
    wait_for(lambda: bench.cycles() >= 1)
    mine = tmp_path / "mine"
    with FileLock(mine):
        mine.rename(bench.folder.lock)
        # It may be in the middle of a write; behind that nothing of it follows.
        status, said, _ = finish(process)
    assert status == 4, said
    assert "another collector holds the run" in said
    assert str(os.getpid()) in said
    assert not any(isinstance(e, ev.CollectorStopped) for e in bench.events())
    bench.assert_whole()
