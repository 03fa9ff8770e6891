"""The bell of a screen: alarms of the runs that it shows, and what the terminal gets."""

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from textual.app import App

from plateau_tui.config import operator_name
from plateau_tui.console.attention.bell import Alarm, Ringer, ring
from plateau_tui.console.attention.seen import SeenError, SeenFile
from plateau_tui.console.live.view import RunView
from plateau_tui.runlog.layout import RunFolder


def ring_out(app: App[object], ringer: Ringer, start: str = "") -> None:
    """Ring what is due, with ``start`` before it; nothing where that is nothing, or too soon."""
    text = ringer.due(time.monotonic())
    driver = app._driver  # noqa: SLF001 - Textual's own bell() writes there too
    if text is not None and driver is not None:
        driver.write(ring(f"plateau-tui {start}{text}", os.environ))
        driver.flush()


def rings_for(folder: RunFolder, *, otherwise: bool) -> bool:
    """Say whether this operator lets a run ring; ``otherwise`` where they never chose."""
    try:
        chosen = SeenFile(folder, operator_name()).load().bell
    except SeenError:
        chosen = None
    return otherwise if chosen is None else chosen


@dataclass
class RunsBell:
    """Rings for the runs of a list, as each one's own screen would; used by one thread.

    What is so when a run is first looked at rings no more than on its own screen.
    """

    _alarms: dict[str, Alarm] = field(default_factory=dict)
    _ringer: Ringer = field(default_factory=Ringer)

    def take(self, looks: Iterable[tuple[RunFolder, RunView, int]], *, bell_rings: bool) -> None:
        """Take in each run's folder, its view, and when that was looked at, in milliseconds.

        ``bell_rings`` is what counts for a run on which the operator never chose.
        """
        for folder, view, looked_ms in looks:
            name = folder.path.name
            new = self._alarms.setdefault(name, Alarm()).take(view, looked_ms)
            if new and rings_for(folder, otherwise=bell_rings):
                self._ringer.take(f"{name[:40]}: {text}" for text in new)

    def ring(self, app: App[object]) -> None:
        """Ring what is due."""
        ring_out(app, self._ringer)

    def forget(self) -> None:
        """Begin anew: what came meanwhile was rung elsewhere."""
        self._alarms.clear()
        self._ringer.forget()
