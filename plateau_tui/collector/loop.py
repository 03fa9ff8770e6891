"""The poll loop: its own process, one cycle a slot until the window closes.

The loop's thread writes, looks into the mailbox and keeps time; a second thread asks the server.
"""

import os
import time
from collections.abc import Callable
from typing import Final, TypeVar

from plateau_tui.collector.asking import CycleAsker, CycleRead
from plateau_tui.collector.blockage import Blockage
from plateau_tui.collector.cycle import CycleReading
from plateau_tui.collector.desk import CloseOrder, Desk, PollOrder
from plateau_tui.collector.halt import (
    BY_SIGNAL,
    CLOSED_BY_REQUEST,
    ONE_CYCLE,
    WINDOW_CLOSED,
    Halt,
)
from plateau_tui.collector.pins import unpinned_text
from plateau_tui.collector.recovery import opening, recover
from plateau_tui.collector.register import (
    RegisterResult,
    ask_registration,
    record,
    require_usable,
)
from plateau_tui.collector.rowbuild import Slot
from plateau_tui.collector.run import (
    DeclinedError,
    OpenRun,
    ServerAccess,
    ServerUnavailableError,
)
from plateau_tui.collector.slots import (
    LATE_LIMIT,
    Clock,
    RunClock,
    due,
    next_slot,
    slot_of,
)
from plateau_tui.collector.watcher import FaultWatcher
from plateau_tui.collector.window import WindowLog
from plateau_tui.collector.worker import Worker
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.connection import ProbeCommand
from plateau_tui.runlog.durable import LogWriteError
from plateau_tui.runlog.locks import RunTakenError
from plateau_tui.runlog.unbeaten import MISSED
from plateau_tui.runlog.writer import TOOL

Result = TypeVar("Result")

LOOK_S: Final = 0.5
"""How often the mailbox and the clock are looked at."""

_REGISTER_S: Final = 120.0
_LONGEST_S: Final = 180.0
"""With two intervals, more than any job at the server may take: one that takes longer is lost."""

_HAND_SHARE: Final = 0.2
"""A reading by hand needs this part of the interval before the next slot."""

_HAND_S: Final = 8.5
"""From the taking of the request to the end of a reading by hand; its asker waits 10 s."""

INTERNAL: Final = "internal"
"""The fault of an error of this program."""
_OWN_FAULT: Final = "an error of the collector itself: "

_MISSED: Final = f"{MISSED}this cycle's time was over before it could be read"
_NOT_RUNNING: Final = f"{MISSED}no collector was running"


CLOSED_ALREADY: Final = "the window is closed already; nothing was read"
RECORDED_ALREADY: Final = "this slot is recorded already; nothing was read"
NOT_SEALED: Final = "the run is not sealed: plateau-tui seal RUN comes first"


class Collector:
    """Collects one run whose lock this process holds."""

    def __init__(
        self,
        run: OpenRun,
        access: ServerAccess,
        probe: ProbeCommand | None,
        halt: Halt,
        clock: Clock,
        say: Callable[[str], None],
    ) -> None:
        """Prepare; ``say`` gets lines for a person."""
        self._run = run
        self._access = access
        self._halt = halt
        self._say = say
        self._clock = RunClock(clock)
        self._interval_ms = run.registration.window.interval_ms
        self._asker = CycleAsker(run, access, probe, halt.event, self._clock)
        self._watcher = FaultWatcher(run, self._clock)
        self._missed_because = _NOT_RUNNING
        self._blockage = Blockage(run, say)
        self._worker = Worker()
        self._halted_to_close = False
        self._faults: dict[str, str] = {}

    def collect(self, *, once: bool, started: Callable[[], None]) -> None:
        """Collect until the window closes or the collector is halted; or one cycle.

        ``started`` is called when nothing but a cycle is left to wait for: what refuses a start
        has been asked by then.

        Raises:
            DeclinedError: the run cannot be collected (unsealed, start counts, clock).
            ServerUnavailableError: before the window opened; or ``once`` read nothing usable.
            LogWriteError: the log cannot be opened; or something was never written, and no signal
                has ended the collector.

        """
        state = self._run.state
        if state.closed is not None:
            self._say(CLOSED_ALREADY)
            return
        if state.sealed is None:
            raise DeclinedError(NOT_SEALED)
        self._window = WindowLog(self._run, recover(self._run))
        self._window.require_in_time(self._clock.now_ms())
        self._desk = Desk(
            self._run, self._window, self._clock.now_ms, self._clock.wall_ms, self._hidden
        )
        self._run.writer.journal(ev.CollectorStarted(pid=os.getpid(), tool=TOOL, once=once))
        self._watcher.check_seal()
        try:
            if state.window is None:
                self._prepare()
            started()
            reason = self._once() if once else self._loop()
        except BaseException as error:
            self._stopped(self._access.password.hidden_in(str(error) or type(error).__name__))
            self._say_lost()
            raise
        self._stopped(reason)
        if self._halt.signum is None and self._blockage.lost is not None:
            raise LogWriteError(self._blockage.lost)
        self._say_lost()

    def _say_lost(self) -> None:
        if self._blockage.lost is not None:
            self._say(self._blockage.lost)

    def _stopped(self, reason: str) -> None:
        self._worker.stop()
        self._asker.close()
        if self._run.state.closed is None:
            self._run.writer.journal(ev.CollectorStopped(pid=os.getpid(), reason=reason))
        while not self._run.writer.flush() and self._can_wait():
            self._blockage.look(self._cycle_due())
            time.sleep(LOOK_S)

    def _can_wait(self) -> bool:
        """Say whether readings may still wait for the disk: not once we are told to end."""
        told = self._halt.event.is_set() and not self._halted_to_close
        told = told or self._blockage.is_gone_for(self._interval_ms / 1000)
        return self._run.state.window is not None and self._halt.signum is None and not told

    # -- the loop ---------------------------------------------------------------------------

    def _loop(self) -> str:
        if self._run.state.window is None:
            self._open_window(next_slot(self._clock.now_ms(), self._interval_ms))
        while not self._ended():
            self._tend()
            cycle = self._settle_missed()
            if self._window.complete:
                self._close(None)
                return WINDOW_CLOSED
            if cycle is not None:
                self._cycle(cycle)
            elif self._desk.polls:
                self._poll_by_hand(self._desk.polls.pop(0))
            else:
                self._rest(self._window.slot(self._window.next_cycle).ms)
        return CLOSED_BY_REQUEST if self._run.state.closed else f"{BY_SIGNAL}{self._halt.signum}"

    def _once(self) -> str:
        if self._run.state.window is None:
            slot = slot_of(self._clock.now_ms(), self._interval_ms)
            if not self._try_to_open(slot):
                raise ServerUnavailableError(self._why_not_opened())
            return self._once_done()
        wanted = self._current_cycle()
        fresh = wanted >= self._window.next_cycle
        cycle = self._settle_missed()
        if not fresh:
            self._say(RECORDED_ALREADY)
        elif cycle is None or not self._cycle(cycle):
            self._once_done()
            why = self._last_fault() if cycle is not None else "its time was nearly over"
            raise ServerUnavailableError(
                f"this cycle has no usable reading; its rows say why: {why}"
            )
        return self._once_done()

    def _once_done(self) -> str:
        if self._window.complete:
            self._close(None)
        return ONE_CYCLE

    def _current_cycle(self) -> int:
        """Return the cycle whose slot is in progress."""
        return (self._clock.now_ms() - self._window.slot(0).ms) // self._interval_ms

    def _ended(self) -> bool:
        """Carry out a close that was granted; say whether the loop is at its end."""
        if self._desk.close is not None:
            self._close(self._desk.close)
            return True
        return self._halt.event.is_set()

    def _settle_missed(self) -> int | None:
        """Write the gap rows of what was missed; return the cycle to read now, if there is one."""
        slot0 = self._window.slot(0).ms
        cycles = self._run.registration.window.cycles
        now = due(self._clock.now_ms(), slot0, self._interval_ms, self._window.next_cycle, cycles)
        self._window.write_gaps(now.missed, self._missed_because)
        self._missed_because = _MISSED
        return now.cycle

    def _tend(self) -> None:
        """Do what must not wait for a cycle: pending writes, the mailbox, the clock."""
        try:
            self._run.writer.flush()
            self._blockage.look(self._cycle_due())
            self._desk.look()
            self._watcher.check_clock()
        except RunTakenError:
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours must not cost the window
            self._tell_own_fault(self._hidden(error))
        if self._desk.close is not None and not self._halt.event.is_set():
            self._halted_to_close = True
            self._halt.event.set()  # the cycle under way ends with what it has

    def _cycle_due(self) -> int | None:
        """Return the first cycle without rows; None before the window."""
        return None if self._run.state.window is None else self._window.next_cycle

    def _rest(self, until_ms: int) -> None:
        left = (until_ms - self._clock.now_ms()) / 1000
        self._halt.event.wait(max(0.0, min(LOOK_S, left)))

    # -- before the window ------------------------------------------------------------------

    def _prepare(self) -> None:
        """Register what is missing and check the start counts.

        Raises:
            DeclinedError: an objective cannot be had, or a start count is above 0 under ``zero``.
            ServerUnavailableError: the server cannot be asked.

        """

        def ask() -> RegisterResult:
            with self._access.by_hand(self._halt.event, _REGISTER_S) as session:
                return ask_registration(
                    self._run.registration, self._run.state, session, displays=self._asker.displays
                )

        require_usable(self._run.registration, record(self._run, self._await(ask)))

    def _open_window(self, slot_ms: int) -> None:
        """Wait for the first slot that reads a counter in each arm; it is cycle 0."""
        while not self._halt.event.is_set():
            self._tend()
            now = self._clock.now_ms()
            if now > slot_ms + LATE_LIMIT * self._interval_ms:
                slot_ms = next_slot(now, self._interval_ms)
            elif now < slot_ms:
                self._rest(slot_ms)
            elif self._try_to_open(slot_ms):
                return
            else:
                slot_ms = next_slot(now + 1, self._interval_ms)

    def _try_to_open(self, slot_ms: int) -> bool:
        slot = Slot(0, slot_ms)
        try:
            read = self._read(slot)
        except Exception as error:  # noqa: BLE001 - a fault of ours costs this slot alone
            self._asker.drop()
            self._tell_own_fault(self._hidden(error))
            return False
        registration, reading = self._run.registration, read.reading
        events = self._watcher.events_of(read, 0)
        arms = (registration.treatment, registration.control)
        if not all(any(map(reading.has_counter, arm.units)) for arm in arms):
            self._run.writer.journal(*events)
            self._faults = dict(reading.faults)
            if reading.final is not None:
                raise ServerUnavailableError(str(reading.final))
            return False
        rows = self._window.builder.rows(slot, reading, read.probed)
        opened = opening(slot_ms, registration, self._run.state)
        if opened.unpinned:
            self._say(unpinned_text(opened.unpinned))
        self._window.open(slot, rows, opened, *events)
        return True

    def _why_not_opened(self) -> str:
        return f"no counter of one arm could be read: {self._last_fault()}"

    def _last_fault(self) -> str:
        return next(iter(self._faults.values()), "its time was over")

    # -- one cycle --------------------------------------------------------------------------

    def _cycle(self, cycle: int) -> bool:
        """Read a cycle and write it; say whether a counter was read."""
        slot = self._window.slot(cycle)
        try:
            reading = self._read_and_write(slot)
        except RunTakenError:
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours costs a cycle, not the window
            self._write_off(slot, self._hidden(error))
            return False
        return reading.usable

    def _read_and_write(self, slot: Slot) -> CycleReading:
        read = self._read(slot)
        reading = read.reading
        self._faults = dict(reading.faults)
        if reading.anything or not reading.stopped:
            rows = self._window.builder.rows(slot, reading, read.probed)
            self._window.write(slot, rows, *self._watcher.events_of(read, slot.cycle))
            self._watcher.check_seal()
        # Else nothing was read: another collector can still read this slot.
        return reading

    def _write_off(self, slot: Slot, text: str) -> None:
        """Write the gap rows of a cycle that an error of ours cost, where it has no rows yet."""
        self._asker.drop()
        beat = self._run.state.heartbeat
        if beat is not None and beat.cycle >= slot.cycle:
            self._tell_own_fault(text)
            return
        self._faults = {INTERNAL: _OWN_FAULT + text}
        rows = self._window.builder.gap_rows(slot, self._faults[INTERNAL])
        fault = ev.Fault(code=INTERNAL, text=self._faults[INTERNAL], cycle=slot.cycle)
        self._window.write(slot, rows, fault)

    def _tell_own_fault(self, text: str) -> None:
        """Journal an error of ours that cost no cycle, and so names none; the same again is not."""
        if self._faults.get(INTERNAL) == _OWN_FAULT + text or self._run.state.closed is not None:
            return
        self._faults[INTERNAL] = _OWN_FAULT + text
        self._run.writer.journal(ev.Fault(code=INTERNAL, text=self._faults[INTERNAL]))

    def _hidden(self, error: BaseException) -> str:
        """Return an error nobody foresaw as text, without the password."""
        return self._access.password.hidden_in(f"{type(error).__name__}: {error}")

    def _read(self, slot: Slot) -> CycleRead:
        return self._await(self._asker.cycle(slot, self._window.known_counts()))

    def _await(self, job: Callable[[], Result]) -> Result:
        return self._worker.do(job, self._tend, LOOK_S, _LONGEST_S + 2 * self._interval_ms / 1000)

    def _poll_by_hand(self, order: PollOrder) -> None:
        """Read once more, by hand; the readings stand in the journal, never among the rows."""
        cycle = self._window.next_cycle
        left_s = (self._window.slot(cycle).ms - self._clock.now_ms()) / 1000
        if left_s < _HAND_SHARE * self._interval_ms / 1000:
            answer = f"the next poll comes in {left_s:.1f} s"
            events: list[ev.Event] = [ev.Answer(id=order.request_id, ok=False, text=answer)]
        else:
            deadline = min(time.monotonic() + left_s * LATE_LIMIT, order.taken_at + _HAND_S)
            try:
                reading = self._await(self._asker.by_hand(cycle, deadline))
                events = self._watcher.events_of_hand(reading, order.request_id)
            except Exception as error:  # noqa: BLE001 - a fault of ours costs this reading alone
                self._asker.drop()
                text = _OWN_FAULT + self._hidden(error)
                events = [ev.Answer(id=order.request_id, ok=False, text=text)]
        self._run.writer.journal(*events)

    # -- the end ----------------------------------------------------------------------------

    def _close(self, order: CloseOrder | None) -> None:
        """Write what is missing up to now and close the window; nothing follows it."""
        last: list[ev.Event] = [
            ev.Answer(id=poll.request_id, ok=False, text="the window closes")
            for poll in self._desk.polls
        ]
        early = False
        if order is not None:
            missed = self._window.require_closable(self._clock.now_ms(), early=order.early)
            self._window.write_gaps(missed, _MISSED)
            early = not self._window.complete
            last.append(ev.Answer(id=order.request_id, ok=True, text="the window is closed"))
        last.append(ev.CollectorStopped(pid=os.getpid(), reason=WINDOW_CLOSED))
        why, by = (order.why, order.by) if order else ("", None)
        self._run.writer.journal(*last, self._window.closing(early=early, why=why, by=by))
