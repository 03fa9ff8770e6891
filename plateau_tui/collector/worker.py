"""One thread that does jobs, whose ends can be waited for a little at a time."""

import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final, Generic, TypeVar

Result = TypeVar("Result")

_STOP: Final = None


class WorkerLostError(RuntimeError):
    """A job did not end in its time, or its thread is gone; another thread takes the next one."""


class Job(Generic[Result]):
    """What is to be done, and what came of it."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._results: list[Result] = []
        self._error: BaseException | None = None
        self.ended = threading.Event()

    def do(self) -> None:
        """Do it; what it raises is kept."""
        try:
            self._results.append(self._work())
        except BaseException as error:  # noqa: BLE001 - it is raised in the waiting thread
            self._error = error
        self.ended.set()

    def result(self) -> Result:
        """Return what it returned, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._results[0]


class Worker:
    """Does one job at a time in a thread that is started once.

    A thread that is started while there is no memory may never say that it runs, and who started
    it waits for ever (CPython's ``Thread.start``); so none is started in the middle of a window.
    """

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(
            target=_work, args=(self._jobs,), name="reading", daemon=True
        )
        self._thread.start()

    def do(
        self, work: Callable[[], Result], tend: Callable[[], None], every_s: float, most_s: float
    ) -> Result:
        """Do a job and return its result, or raise what it raised.

        Args:
            work: the job.
            tend: called meanwhile, in the thread that waits.
            every_s: how often, in seconds.
            most_s: so long it is waited for.

        Raises:
            WorkerLostError: it did not end; its thread is left behind.

        """
        job, until = Job(work), time.monotonic() + most_s
        self._jobs.put(job.do)
        while not job.ended.wait(every_s):
            if not self._thread.is_alive() or time.monotonic() > until:
                self.stop()
                self._start()
                raise WorkerLostError("the reading did not end, and was given up")
            tend()
        return job.result()

    def stop(self) -> None:
        """Let the thread end behind its job."""
        self._jobs.put(_STOP)


def _work(jobs: "SimpleQueue[Callable[[], None] | None]") -> None:
    while (do := jobs.get()) is not None:
        do()
        del do  # what it read is not kept until the next one
