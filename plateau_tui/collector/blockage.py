"""A log that cannot be written: told when it begins and when it is over, to a person and in it."""

import time
from collections.abc import Callable
from typing import Final

from plateau_tui.collector.run import OpenRun
from plateau_tui.metric.plain import counted
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.state import LOG_BLOCKED

_GONE_S: Final = 10.0
"""So long at least a collector that is at its end waits for a folder that is gone."""


class Blockage:
    """Watches whether the writer of a run can write."""

    def __init__(self, run: OpenRun, say: Callable[[str], None]) -> None:
        """Prepare; ``say`` gets lines for a person."""
        self._run = run
        self._say = say
        self._told: str | None = None
        self._since: int | None = None
        self._gone_at: float | None = None

    def look(self, cycle: int | None) -> None:
        """Tell what changed; ``cycle`` is the one that is due, None before the window."""
        blocked = self._run.writer.blocked
        if blocked:
            blocked = self._run.writer.folder_gone or blocked
        if blocked != self._told:
            told = f"{blocked}: kept in memory and tried again" if blocked else "written again"
            self._say(told)
            self._journal(blocked, cycle)
            self._told = blocked

    def is_gone_for(self, wait_s: float) -> bool:
        """Say whether the run's folder has been gone for so long, 10 s at least, since asked first.

        A full disk gets room again; a folder that does not come back would be waited for for ever.
        """
        if self._run.writer.folder_gone is None:
            self._gone_at = None
            return False
        now = time.monotonic()
        self._gone_at = now if self._gone_at is None else self._gone_at
        return now - self._gone_at > max(_GONE_S, wait_s)

    @property
    def lost(self) -> str | None:
        """What was never written, as a person reads it, or None: to be asked at the very end."""
        writer = self._run.writer
        if not writer.blocked:
            return None
        held = counted(writer.cycles_held, "cycle")
        why = writer.folder_gone or writer.blocked
        return f"{why}; what was read of {held} was never written and ends here"

    def _journal(self, blocked: str | None, cycle: int | None) -> None:
        """Put a log that cannot be written, and its end, into what waits to be written."""
        if self._run.state.closed is not None:
            return  # nothing may follow the close
        if blocked is None:
            text = "the log is written again"
            over = ev.Recovered(code=LOG_BLOCKED, text=text, cycle=cycle, since=self._since)
            self._run.writer.journal(over)
        elif self._told is None:
            self._since = cycle
            text = f"{blocked}: kept in memory and tried again"
            self._run.writer.journal(ev.Fault(code=LOG_BLOCKED, text=text, cycle=cycle))
