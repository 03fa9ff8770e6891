"""Everything that is ever appended to a run goes through here, in order and durably.

What cannot be written now (a full disk, a read-only folder) stays in memory, in order, and is
tried again; nothing is written in part.
"""

import copy
import errno
import secrets
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from plateau_tui import __version__
from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.chain import JOURNAL_GENESIS
from plateau_tui.runlog.chainedfile import Aside, ChainedFile, LogWriteError
from plateau_tui.runlog.durable import told
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import RunLock
from plateau_tui.runlog.rows import Row, encode_row
from plateau_tui.runlog.segments import journal_elsewhere
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.times import format_ms

TOOL = f"plateau-tui {__version__}"
_GONE: Final = "the file was gone at the start"
_LOCK_LOST: Final = "lock_lost"
_NEWLINE_CUT: Final = "newline_cut"


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


def _begun_elsewhere(folder: RunFolder) -> tuple[str, str] | None:
    """Return where the journal is that is missing here, by its name, and its head."""
    found = journal_elsewhere(folder.journal)
    return None if found is None else (found[0].name, found[1])


class RunWriter:
    """The one writer of a run; its caller holds the run's lock.

    Every method that writes raises ``RunTakenError`` once that lock is lost to another process:
    nothing is written then, nor ever after. ``state`` is what the journal will say once everything
    pending is written. ``blocked`` is why nothing can be written at the moment, or None.
    """

    def __init__(
        self, folder: RunFolder, now_ms: Callable[[], int], lock: RunLock | None = None
    ) -> None:
        """Open the journal, moving a torn tail aside and saying so.

        ``lock`` is the run's, held; None for a run that nobody else knows of yet.

        Raises:
            LogWriteError: the journal cannot be opened or written.

        """
        self.folder = folder
        self._now_ms = now_ms
        self._lock = lock
        self._mode = folder.file_mode
        self._journal = ChainedFile(folder.journal, JOURNAL_GENESIS, self._mode)
        kept, head = "", ""
        if not self._journal.size:
            kept, head = _begun_elsewhere(folder) or ("", "")
        self._journal.head = head or self._journal.head
        self.state, self.unreadable = read_state(folder.journal, head)
        self._stands = copy.deepcopy(self.state)
        self._urgent: list[ev.Event] = []
        self._rows: ChainedFile | None = None
        self.rows_count = 0
        self._queue: deque[_Pending] = deque()
        self.blocked: str | None = None
        if head:
            self._journal.begin_anew(self._said_again(_GONE, Aside(kept=kept)))
        elif self._journal.size == 0:
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
        self.journal(ev.LogRestarted(file=file.path.name, reason=_GONE, head=file.head))

    def open_rows(self, rows_count: int) -> None:
        """Open the rows' file of a sealed run; ``rows_count`` is how many rows there were so far.

        Raises:
            LogWriteError: the file cannot be opened.
            ValueError: the run is not sealed.

        """
        if self.state.sealed is None:
            raise ValueError("an unsealed run has no rows")
        beat = self.state.heartbeat
        self._rows = ChainedFile(self.folder.rows, self._rows_genesis(), self._mode)
        if not self._rows.size and beat is not None and beat.rows:
            self._say_gone(self._rows)
        self.rows_count = rows_count
        self._say_torn(self._rows)

    def rows_lost(self, reason: str) -> None:
        """Set the rows' file aside, which does not hold what the journal counts, and begin anew.

        Raises:
            LogWriteError: it cannot be done.

        """
        file = self._opened_rows()
        file.head = self._rows_genesis()
        aside = file.set_aside()
        file.begin_anew()
        self.journal(_restarted(file, reason, aside))

    def _opened_rows(self) -> ChainedFile:
        if self._rows is None:
            raise ValueError("open_rows comes before the first cycle")
        return self._rows

    def _rows_genesis(self) -> str:
        sealed, heartbeat = self.state.sealed, self.state.heartbeat
        if heartbeat is not None and heartbeat.rows_head:
            return heartbeat.rows_head
        return sealed.sha256 if sealed else ""

    @property
    def rows_head(self) -> str:
        """The chain of the last row, or what stands before the first."""
        return self._rows.head if self._rows else self._rows_genesis()

    @property
    def cycles_held(self) -> int:
        """How many cycles are in memory alone."""
        steps = (step.events for step in self._queue)
        return sum(isinstance(event, ev.Heartbeat) for events in steps for event in events)

    @property
    def folder_gone(self) -> str | None:
        """What to say where the run's folder stands no more under its name, or None."""
        path = self.folder.path
        if path.is_dir():
            return None
        now = None if self._lock is None else self._lock.folder_now
        where = f"it stands at {now}" if now else "it was moved or deleted"
        return f"the run's folder {path} is gone ({where}): put it back under that name"

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
            self._keep_lock_or_be_idle()
            while self._queue:
                self._write(self._queue[0])
                self._queue.popleft()
            if self._urgent:
                self._settle(self._journal)
                self._write_urgent()
        except OSError as error:  # a LogWriteError, or what the system says in an odd moment
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

    def _keep_lock_or_be_idle(self) -> None:
        try:
            self._keep_lock()
        except OSError:
            if self._queue or self._urgent:
                raise

    def _keep_lock(self) -> None:
        """See that the run is still this process's, and say where its lock had to be retaken."""
        if self._lock is None:
            return
        with told(self.folder.lock):
            lost = self._lock.keep()
        if lost:
            self._say_mended(
                _LOCK_LOST,
                "collector.lock was removed or replaced; it is no cure for anything: leave it",
                "the lock was taken again under its name; no other process holds the run",
            )

    def _say_mended(self, code: str, fault: str, over: str) -> None:
        self._say(ev.Fault(code=code, text=fault), ev.Recovered(code=code, text=over))

    def _say(self, *events: ev.Event) -> None:
        """Have something written ahead of the queue; the next ``_write_urgent`` does."""
        if self._stands.closed is None:  # behind the close nothing but a verdict may stand
            self._urgent += events

    def _write(self, step: _Pending) -> None:
        self._keep_lock()
        self._settle(self._journal)
        if step.rows:
            rows = self._opened_rows()
            self._settle(rows)
            self._write_urgent()
            beaten = self._append_rows(rows, step.rows, step.events)
            # The rows stand; what follows them must not write them again.
            step = self._queue[0] = _Pending(step.ts, (), beaten)
        self._write_urgent()
        if step.events:
            self._append_events(step.ts, tuple(self._with_end(event) for event in step.events))

    def _append_events(self, ts: str, events: Sequence[ev.Event]) -> None:
        self._journal.append([ev.encode_event(ts, event) for event in events])
        for event in events:
            self._stands.take(event, ts, event.NAME)

    def _append_rows(
        self, file: ChainedFile, rows: tuple[_Encoded, ...], events: tuple[ev.Event, ...]
    ) -> tuple[ev.Event, ...]:
        """Write rows; return the events with each heartbeat's count and head filled in."""
        chains = file.append([row.data for row in rows])
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
        name = file.path.name
        if file.put_newline_back():
            text = f"{name} had lost the newline behind its last line"
            self._say_mended(_NEWLINE_CUT, text, "it was put back; nothing is lost")
        reason = file.lost()
        if reason is not None:
            self._keep_lock()  # before anything is moved: it may be another writer's by now
            aside = file.set_aside()
            if file is self._journal:
                file.begin_anew(self._said_again(reason, aside))
            else:
                restarted = _restarted(file, reason, aside)
                file.begin_anew()
                self._say(restarted)
            return
        foreign = file.foreign_bytes()
        if foreign is not None:
            self._say(ev.TornTail(file=name, bytes=foreign.count, moved_to=foreign.moved_to))
        if file.edited():
            text = f"{name} was changed before its end; verify says where, and nothing mends it"
            self._say(ev.Fault(code="log_edited", text=text))

    def _said_again(self, reason: str, aside: Aside) -> list[bytes]:
        """Return the first lines of a journal that begins anew: what the run stands on."""
        now = format_ms(self._now_ms())
        events = [self._opening(), *self._stands.restated()]
        return [
            ev.encode_event(self._stands.heartbeat_ts or now, event)
            if isinstance(event, ev.Heartbeat)  # its age is told from its time
            else ev.encode_event(now, event)
            for event in (*events, _restarted(self._journal, reason, aside))
        ]

    def _write_urgent(self) -> None:
        """Write what happened to the files themselves, ahead of the queue."""
        if self._urgent:
            self._append_events(format_ms(self._now_ms()), self._urgent)
            self._urgent.clear()

    def _opening(self) -> ev.RunOpened:
        collector_id = self.state.collector_id or secrets.token_hex(4)
        return ev.RunOpened(claim_fence=CLAIM_FENCE, tool=TOOL, collector_id=collector_id)

    def close(self) -> None:
        """Close the files."""
        self._journal.close()
        if self._rows is not None:
            self._rows.close()


def _restarted(file: ChainedFile, reason: str, aside: Aside) -> ev.LogRestarted:
    return ev.LogRestarted(
        file=file.path.name,
        reason=reason,
        head=file.head,
        moved_to=aside.moved_to,
        kept=aside.kept,
    )


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
