"""The window's bookkeeping: gap rows for what was missed, and the close."""

from collections.abc import Iterator, Sequence

from plateau_tui.collector.rowbuild import RowBuilder, Slot
from plateau_tui.collector.run import DeclinedError, OpenRun
from plateau_tui.collector.slots import due
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.progress import CountProgress, Fall
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.times import format_ms
from plateau_tui.runlog.unbeaten import MISSED_AT_ONCE


class WindowLog:
    """Writes the cycles of an open window in their order: no number twice, none left out."""

    def __init__(self, run: OpenRun, progress: CountProgress) -> None:
        self._run = run
        self.progress = progress
        self.builder = RowBuilder(run.registration, run.state)

    @property
    def next_cycle(self) -> int:
        """The first cycle without rows."""
        last_row = self.progress.last_cycle
        beat = self._run.state.heartbeat
        last_beat = beat.cycle if beat else None
        return max(-1 if last_row is None else last_row, -1 if last_beat is None else last_beat) + 1

    @property
    def complete(self) -> bool:
        """Whether every cycle of the window has its rows."""
        return self.next_cycle >= self._run.registration.window.cycles

    def slot(self, cycle: int, slot0_ms: int | None = None) -> Slot:
        """Return a cycle's slot; ``slot0_ms`` stands in before the window is open."""
        slot0 = self._run.state.window_slot_ms if slot0_ms is None else slot0_ms
        if slot0 is None:
            raise ValueError("the window is not open")
        return Slot(cycle, slot0 + cycle * self._run.registration.window.interval_ms)

    def known_counts(self) -> dict[str, dict[str, int]]:
        """Return a copy of the last known counters: unit -> objective -> count."""
        return {unit: dict(progress.counts) for unit, progress in self.progress.units.items()}

    def write(self, slot: Slot, rows: Sequence[Row], *events: ev.Event) -> None:
        """Write one cycle's rows, its heartbeat, and what else there is to say."""
        self._run.writer.cycle(rows, _beat(slot, rows), *events, *self._falls(rows))

    def _falls(self, rows: Sequence[Row]) -> list[ev.Event]:
        return [event for row in rows for event in fall_events(row, self.progress.take(row))]

    def open(self, slot: Slot, rows: Sequence[Row], opened: ev.Event, *events: ev.Event) -> None:
        """Write cycle 0 and open the window with it."""
        beat = _beat(slot, rows)
        self._run.writer.cycle(rows, opened, beat, *events, *self._falls(rows))

    def write_gaps(self, cycles: range, reason: str) -> None:
        """Write gap rows and heartbeats for missed cycles, and say so."""
        if not cycles:
            return
        for chunk in _chunks(cycles):
            slots = [self.slot(cycle) for cycle in chunk]
            rows = [self.builder.gap_rows(slot, reason) for slot in slots]
            for row in (row for block in rows for row in block):
                self.progress.take(row)
            beats = [_beat(slot, block) for slot, block in zip(slots, rows, strict=True)]
            self._run.writer.cycle([row for block in rows for row in block], *beats)
        self._run.writer.journal(ev.CyclesMissed(first=cycles[0], last=cycles[-1], reason=reason))

    def require_in_time(self, now_ms: int) -> None:
        """Insist that the clock names a cycle that can still be read.

        Raises:
            DeclinedError: it lies before the last row, or past the window's end.

        """
        slot0 = self._run.state.window_slot_ms
        if slot0 is None or self.complete:
            return
        last = self.slot(self.next_cycle - 1).ms
        if self.next_cycle > 0 and now_ms < last:
            raise DeclinedError(
                f"the clock says {format_ms(now_ms)}, before the last row of {format_ms(last)}: "
                "set the clock, or end the run with: plateau-tui close RUN --early --why TEXT"
            )
        if now_ms >= slot0 + self._run.registration.window.length_ms:
            raise DeclinedError(
                "the window's end is past: plateau-tui close RUN writes the gaps and closes it"
            )

    def closing(self, *, early: bool, why: str, by: str | None) -> ev.WindowClosed:
        """Return the event that closes the window as it now stands; the writer fills in rows."""
        return ev.WindowClosed(
            by=by, cycles=self.next_cycle, early=early, why=why, rows=0, rows_head=""
        )

    def require_closable(self, now_ms: int, *, early: bool) -> range:
        """Return the cycles that still need gap rows before a close at ``now_ms``.

        Raises:
            DeclinedError: the window never opened, or is closed.
            EarlyCloseError: it is not over, and ``early`` is not given.

        """
        state, window = self._run.state, self._run.registration.window
        require_open_window(self._run)
        slot0 = state.window_slot_ms
        if slot0 is None:
            raise DeclinedError("the window never opened: there is nothing to close")
        end = slot0 + window.length_ms
        if self.complete or now_ms >= end:
            return range(self.next_cycle, window.cycles)
        if not early:
            raise EarlyCloseError(
                f"the window ends at {format_ms(end)}; --early --why TEXT closes it before, and "
                "a window that closes early is WITHHELD"
            )
        return due(now_ms, slot0, window.interval_ms, self.next_cycle, window.cycles).missed


class EarlyCloseError(RuntimeError):
    """A close before the window's end that was not asked for as such."""

    exit_code = 2


def require_open_window(run: OpenRun) -> None:
    """Insist that there is a window to close; rows of a cycle 0 stand for one, too.

    Raises:
        DeclinedError: the window never opened, or is closed.

    """
    if run.state.closed is not None:
        raise DeclinedError("the window is closed already")
    opened = run.state.window is not None or run.folder.has_rows
    if run.state.sealed is None or not opened:
        raise DeclinedError("the window never opened: there is nothing to close")


def fall_events(row: Row, falls: Sequence[Fall]) -> list[ev.Event]:
    """Return what the journal says of the counters that fell with a row."""
    return [
        ev.CounterFell(
            cycle=row.cycle,
            unit=fall.unit,
            objective=fall.objective,
            before=fall.before,
            after=fall.after,
        )
        for fall in falls
    ]


def _beat(slot: Slot, rows: Sequence[Row]) -> ev.Heartbeat:
    """Return a cycle's heartbeat; the writer fills in the count and the head of the rows."""
    probed = [row.probe_ok for row in rows]
    return ev.Heartbeat(
        cycle=slot.cycle,
        poll_ts=format_ms(slot.ms),
        rcon_ok=all(row.rcon_ok for row in rows),
        probe_ok=None if None in probed else all(probed),
        live_cur=rows[0].live_cur,
        live_ctrl=rows[0].live_ctrl,
        rows=0,
        rows_head="",
    )


def _chunks(cycles: range) -> Iterator[range]:
    for start in range(cycles.start, cycles.stop, MISSED_AT_ONCE):
        yield range(start, min(start + MISSED_AT_ONCE, cycles.stop))
