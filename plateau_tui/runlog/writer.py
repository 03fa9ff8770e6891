"""Everything that is ever appended to a run goes through here, in order and durably.

What cannot be written now (a full disk, a read-only folder) stays in memory, in order, and is
tried again; nothing is written in part.
"""

import errno
import secrets
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from plateau_tui import __version__
from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.chain import JOURNAL_GENESIS
from plateau_tui.runlog.chainedfile import ChainedFile, LogWriteError
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.rows import Row, encode_row
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.times import format_ms

TOOL = f"plateau-tui {__version__}"


@dataclass(frozen=True, slots=True)
class _Encoded:
    """A row as it will be written, without its chain."""

    cycle: int
    data: bytes


@dataclass(frozen=True, slots=True)
class _Pending:
    """One step to be written: rows first, then the events; ``beat`` gets the rows' head."""

    ts: str
    rows: tuple[_Encoded, ...]
    events: tuple[ev.Event, ...]


class RunWriter:
    """The one writer of a run; its caller holds the run's lock.

    ``state`` is what the journal will say once everything pending is written. ``blocked`` is why
    nothing can be written at the moment, or None.
    """

    def __init__(self, folder: RunFolder, now_ms: Callable[[], int]) -> None:
        """Open the journal, moving a torn tail aside and saying so.

        Raises:
            LogWriteError: the journal cannot be opened or written.

        """
        self.folder = folder
        self._now_ms = now_ms
        self._mode = folder.file_mode
        self._journal = ChainedFile(folder.journal, JOURNAL_GENESIS, self._mode)
        self.state, self.unreadable = read_state(folder.journal)
        self._urgent: list[ev.Event] = []
        self._rows: ChainedFile | None = None
        self.rows_count = 0
        self._queue: deque[_Pending] = deque()
        self.blocked: str | None = None
        if self._journal.size == 0:
            self.journal(self._opening())
            if folder.has_rows:
                self._say_gone(self._journal)
        self._say_torn(self._journal)

    def _say_torn(self, file: ChainedFile) -> None:
        # Behind the window's close nothing but the verdict may stand; the side file shows it.
        if file.torn is not None and self.state.closed is None:
            torn = file.torn
            self.journal(ev.TornTail(file=file.path.name, bytes=torn.count, moved_to=torn.moved_to))

    def _say_gone(self, file: ChainedFile) -> None:
        name, reason = file.path.name, "the file was gone at the start"
        self.journal(ev.LogRestarted(file=name, reason=reason, head=file.head))

    def open_rows(self, rows_count: int) -> None:
        """Open the rows' file of a sealed run; ``rows_count`` is how many rows there were so far.

        Raises:
            LogWriteError: the file cannot be opened.
            ValueError: the run is not sealed.

        """
        if self.state.sealed is None:
            raise ValueError("an unsealed run has no rows")
        had_rows, beat = self.folder.has_rows, self.state.heartbeat
        self._rows = ChainedFile(self.folder.rows, self._rows_genesis(), self._mode)
        if not had_rows and beat is not None and beat.rows:
            self._say_gone(self._rows)
        self.rows_count = rows_count
        self._say_torn(self._rows)

    def _rows_genesis(self) -> str:
        sealed, heartbeat = self.state.sealed, self.state.heartbeat
        if heartbeat is not None and heartbeat.rows_head:
            return heartbeat.rows_head
        return sealed.sha256 if sealed else ""

    @property
    def rows_head(self) -> str:
        """The chain of the last row, or what stands before the first."""
        return self._rows.head if self._rows else self._rows_genesis()

    def journal(self, *events: ev.Event) -> None:
        """Append events to the journal, or keep them in memory while that fails."""
        self._add(_Pending(format_ms(self._now_ms()), (), events))

    def cycle(self, rows: Sequence[Row], *events: ev.Event) -> None:
        """Append a cycle's rows, then events; a heartbeat among them gets the rows' head."""
        encoded = tuple(_Encoded(row.cycle, encode_row(row)) for row in rows)
        self._add(_Pending(format_ms(self._now_ms()), encoded, events))

    def _add(self, step: _Pending) -> None:
        for event in step.events:
            ev.encode_event(step.ts, event)  # what cannot be encoded must never block the queue
        for event in step.events:
            self.state.take(event, step.ts, event.NAME)
        self._queue.append(step)
        self.flush()

    def flush(self) -> bool:
        """Write what is pending, in order; say whether all of it is on disk now."""
        try:
            while self._queue:
                self._write(self._queue[0])
                self._queue.popleft()
        except LogWriteError as error:
            self.blocked = str(error)
            return False
        self.blocked = None
        return True

    def require_written(self) -> None:
        """Insist that everything is on disk.

        Raises:
            LogWriteError: it is not; nothing was written in part.

        """
        if not self.flush():
            raise LogWriteError(
                errno.ENOSPC, f"{self.blocked}; make room or give access, then try again"
            )

    def _write(self, step: _Pending) -> None:
        self._settle(self._journal)
        if step.rows:
            beaten = self._append_rows(step.rows, step.events)
            # The rows stand; what follows them must not write them again.
            step = self._queue[0] = _Pending(step.ts, (), beaten)
        self._write_urgent()
        if step.events:
            events = tuple(self._with_end(event) for event in step.events)
            self._journal.append([ev.encode_event(step.ts, event) for event in events])

    def _append_rows(
        self, rows: tuple[_Encoded, ...], events: tuple[ev.Event, ...]
    ) -> tuple[ev.Event, ...]:
        """Write rows; return the events with each heartbeat's count and head filled in."""
        if self._rows is None:
            raise ValueError("open_rows comes before the first cycle")
        self._settle(self._rows)
        chains = self._rows.append([row.data for row in rows])
        ends = {
            row.cycle: (self.rows_count + number, chain)
            for number, (row, chain) in enumerate(zip(rows, chains, strict=True), start=1)
        }
        self.rows_count += len(rows)
        return tuple(self._with_head(event, ends) for event in events)

    def _with_head(self, event: ev.Event, ends: dict[int, tuple[int, str]]) -> ev.Event:
        if not isinstance(event, ev.Heartbeat):
            return event
        count, head = ends[event.cycle]
        event = msgspec.structs.replace(event, rows=count, rows_head=head)
        latest = self.state.heartbeat
        if latest is None or latest.cycle <= event.cycle:  # later ones may still be pending
            self.state.heartbeat = event
        return event

    def _with_end(self, event: ev.Event) -> ev.Event:
        if not isinstance(event, ev.WindowClosed):
            return event
        event = msgspec.structs.replace(event, rows=self.rows_count, rows_head=self.rows_head)
        self.state.closed = event
        return event

    def _settle(self, file: ChainedFile) -> None:
        """Deal with a file that changed under the writer, and say so in the journal."""
        foreign = file.foreign_bytes()
        if foreign is not None:
            self._urgent.append(
                ev.TornTail(file=file.path.name, bytes=foreign.count, moved_to=foreign.moved_to)
            )
        reason = file.lost()
        if reason is None:
            return
        moved_to = file.restart()
        if file is self._journal:
            self._urgent.append(self._opening())
            self._urgent.extend(self.state.restated())
        self._urgent.append(
            ev.LogRestarted(file=file.path.name, reason=reason, head=file.head, moved_to=moved_to)
        )

    def _write_urgent(self) -> None:
        """Write what happened to the files themselves, ahead of the queue."""
        if self._urgent:
            ts = format_ms(self._now_ms())
            self._journal.append([ev.encode_event(ts, event) for event in self._urgent])
            self._urgent.clear()

    def _opening(self) -> ev.RunOpened:
        collector_id = self.state.collector_id or secrets.token_hex(4)
        return ev.RunOpened(claim_fence=CLAIM_FENCE, tool=TOOL, collector_id=collector_id)

    def close(self) -> None:
        """Close the files."""
        self._journal.close()
        if self._rows is not None:
            self._rows.close()


def open_journal(folder: RunFolder) -> None:
    """Begin the journal of a new run.

    Raises:
        LogWriteError: it cannot be written.

    """
    writer = RunWriter(folder, lambda: time.time_ns() // 1_000_000)
    try:
        writer.require_written()
    finally:
        writer.close()
