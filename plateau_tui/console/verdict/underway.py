"""A judging that goes on while its screen is left: whoever comes back finds it, not a new one."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from textual.app import App

from plateau_tui.console.verdict.apart import Apart
from plateau_tui.console.verdict.judging import Sitting

_FRESH_MS: Final = 60_000


class Judging:
    """One judging in a process of its own, from its construction on.

    Args:
        call: as ``Apart`` takes it.
        stage: the run's, of which it will tell the verdict.

    Raises:
        OSError: no process can be started.

    """

    def __init__(self, call: Callable[[], Sitting], stage: str) -> None:
        self.stage = stage
        self.since_s = time.monotonic()
        """When it began, a second of ``time.monotonic()``."""
        self._apart = Apart(call, lasting=False)
        self._alone = threading.Lock()
        self._found: Sitting | Exception | None = None
        self._ended_s: float | None = None

    def result(self) -> Sitting:
        """Wait for its end and return what it found, to each thread that asks.

        Raises:
            ApartError: as ``Apart.result``.

        """
        with self._alone:
            if self._found is None:
                try:
                    self._found = self._apart.result()
                except Exception as error:  # noqa: BLE001 - told to whoever asks
                    self._found = error
                self._ended_s = time.monotonic()
        if isinstance(self._found, Exception):
            raise self._found
        return self._found

    @property
    def ended_ago_ms(self) -> int:
        """For how long it has been at its end; 0 while it goes on."""
        return 0 if self._ended_s is None else int((time.monotonic() - self._ended_s) * 1000)

    def stop(self) -> None:
        """End it, in the middle of whatever it does."""
        self._apart.stop()


class LeftJudgings:
    """The judgings of runs whose screen was left before their end, by run."""

    def __init__(self) -> None:
        self._left: dict[Path, Judging] = {}

    def leave(self, run: Path, judging: Judging) -> None:
        """Keep a judging that is under way."""
        self._left[run] = judging

    def take(self, run: Path, stage: str) -> Judging | None:
        """Return the judging of a run that was left, if it still tells of how the run stands now.

        One of another stage of the run, or one that ended a while ago, is none.
        """
        left = self._left.pop(run, None)
        if left is None or (left.stage == stage and left.ended_ago_ms < _FRESH_MS):
            return left
        left.stop()
        return None


_LEFT: Final = WeakKeyDictionary[App[Any], LeftJudgings]()


def left_of(app: App[Any]) -> LeftJudgings:
    """Return what an application has left under way; all of it ends with the process."""
    return _LEFT.setdefault(app, LeftJudgings())
