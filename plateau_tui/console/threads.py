"""Threads that a console which ends waits for a moment, and then leaves behind."""

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread
from typing import Final, ParamSpec, TypeVar

_PATIENCE_S: Final = 0.6

P = ParamSpec("P")
T = TypeVar("T")


class LeavingExecutor(ThreadPoolExecutor):
    """One daemon thread a call; ``shutdown`` waits for all of them together at most 0.6 s.

    The usual pool is joined at the end without a limit: a request that waits for a silent server
    would keep the operator's terminal. Within the moment a watch that was told to stop writes
    down what it saw.
    """

    def __init__(self) -> None:
        super().__init__(max_workers=1)
        self._running: list[Thread] = []
        self._over = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Run a call in a thread of its own."""
        future: Future[T] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - it is the caller's, through the future
                if not self._over:
                    future.set_exception(error)
            else:
                if not self._over:
                    future.set_result(result)

        thread = Thread(target=work, daemon=True, name="console")
        self._running = [each for each in self._running if each.is_alive()]
        self._running.append(thread)
        thread.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the base's
        """Wait a moment for what still runs; what comes later is nobody's any more."""
        del cancel_futures
        deadline = time.monotonic() + _PATIENCE_S
        for thread in self._running if wait else ():
            with contextlib.suppress(RuntimeError):
                thread.join(max(0.0, deadline - time.monotonic()))
        self._over = True
