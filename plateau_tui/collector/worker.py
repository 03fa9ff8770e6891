"""One job in a thread of its own, whose end can be waited for a little at a time."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Worker(Generic[Result]):
    """Runs a job at once. What the job raises is raised again by ``result``."""

    def __init__(self, job: Callable[[], Result]) -> None:
        self._job = job
        self._results: list[Result] = []
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="reading", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            self._results.append(self._job())
        except BaseException as error:  # noqa: BLE001 - it is raised in the waiting thread
            self._error = error

    def done(self, timeout_s: float) -> bool:
        """Wait up to ``timeout_s`` seconds; say whether the job is at its end."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def result(self) -> Result:
        """Return what the job returned, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._results[0]
