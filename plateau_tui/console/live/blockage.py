"""Whether a run's log can be written: asked of its file system, and of what its collector says.

The journal cannot tell of it while it lasts: its line is one of those that cannot be written.
"""

import os
from dataclasses import dataclass
from typing import Final

from plateau_tui.collector.diskroom import cycle_bytes, size_told
from plateau_tui.metric.registration import Registration
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.times import parse_ms

KEPT_IN_MEMORY: Final = ": kept in memory and tried again"
"""What a collector that cannot write says at the end of why."""
_SAYS: Final = "plateau-tui: "
_LEAST_BYTES: Final = 64 * 1024
_CYCLES: Final = 2
"""A disk with less room than so many cycles take is full."""
_TAIL_BYTES: Final = 4096


@dataclass
class BlockageLook:
    """Looks at one run; lives in the thread that reads it."""

    folder: RunFolder
    _stamp: tuple[int, int] | None = None
    _said: str = ""

    def look(self, registration: Registration, newest_ts: str | None) -> str:
        """Return why the log cannot be written, as a person reads it, or nothing.

        Args:
            registration: how much a cycle takes follows from it.
            newest_ts: when the journal's newest line was written: what the collector said before
                is over. None where no collector runs.

        """
        told = "" if newest_ts is None else self._told(newest_ts)
        return self._full(registration) or told

    def _full(self, registration: Registration) -> str:
        try:
            there = os.statvfs(self.folder.path)
        except OSError:
            return ""
        free = there.f_bavail * there.f_frsize
        if free >= max(_LEAST_BYTES, _CYCLES * cycle_bytes(registration)):
            return ""
        return f"the disk is full ({size_told(free)} free)"

    def _told(self, newest_ts: str) -> str:
        """Return why the collector says that it cannot write, where that is its last word."""
        try:
            stat = self.folder.collector_log.stat()
        except OSError:
            return ""
        if (stat.st_size, stat.st_mtime_ns) != self._stamp:
            self._stamp = stat.st_size, stat.st_mtime_ns
            self._said = self._last_line(stat.st_size)
        if not self._said.endswith(KEPT_IN_MEMORY):
            return ""
        is_over = bool(newest_ts) and parse_ms(newest_ts) > stat.st_mtime_ns // 1_000_000
        return "" if is_over else self._said.removeprefix(_SAYS).removesuffix(KEPT_IN_MEMORY)

    def _last_line(self, size: int) -> str:
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        try:
            fd = os.open(self.folder.collector_log, flags)
        except OSError:
            return ""
        try:
            data = os.pread(fd, _TAIL_BYTES, max(0, size - _TAIL_BYTES))
        except OSError:
            return ""
        finally:
            os.close(fd)
        lines = data.decode("utf-8", "replace").splitlines()
        return lines[-1] if lines else ""
