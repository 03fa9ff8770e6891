"""The thread that asks: it is started once, and a job that does not end is given up."""

import threading

import pytest

from plateau_tui.collector.worker import Worker, WorkerLostError


def nothing() -> None:
    """Tend to nothing."""


def test_all_jobs_run_in_one_thread_so_that_none_is_started_in_a_window() -> None:
    worker = Worker()
    seen = {worker.do(threading.get_ident, nothing, 1, 60) for _ in range(20)}
    assert len(seen) == 1
    assert seen != {threading.get_ident()}
    worker.stop()


@pytest.mark.parametrize("error", [ValueError("of a job"), MemoryError(), SystemExit(3)])
def test_what_a_job_raises_is_raised_where_it_is_waited_for(error: BaseException) -> None:
    def failing() -> None:
        raise error

    worker = Worker()
    with pytest.raises(type(error)):
        worker.do(failing, nothing, 1, 60)
    assert worker.do(lambda: 7, nothing, 1, 60) == 7
    worker.stop()


def test_a_job_that_never_ends_is_given_up_and_the_next_one_is_done() -> None:
    worker, hold, tended = Worker(), threading.Event(), list[int]()
    with pytest.raises(WorkerLostError):
        worker.do(hold.wait, lambda: tended.append(1), 0.02, 0.2)
    assert tended
    assert worker.do(lambda: 7, nothing, 1, 60) == 7
    hold.set()
    worker.stop()


def test_the_thread_ends_when_it_is_told_to() -> None:
    worker = Worker()
    thread = worker.do(threading.current_thread, nothing, 1, 60)
    worker.stop()
    thread.join(10)
    assert not thread.is_alive()
