"""Follows one run's files and gives what they say as frozen views. Lives in a worker thread."""

from collections import deque
from dataclasses import dataclass, field
from typing import Final

import msgspec

from plateau_tui.collector.run import registration_of, seal_now
from plateau_tui.console.journaltext import entry_text
from plateau_tui.console.view import Entry, Reading, RunView, UnitView
from plateau_tui.metric.objectives import MINE_OBJECTIVES, SCORED
from plateau_tui.metric.registration import Registration, Unit
from plateau_tui.metric.scoring import counts_beyond
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import LockUnavailableError, holder_of
from plateau_tui.runlog.progress import RunProgress, has_gap
from plateau_tui.runlog.rows import Row, decode_row
from plateau_tui.runlog.state import OTHER_ARM, RunState
from plateau_tui.runlog.tail import FileTail
from plateau_tui.runlog.times import parse_ms

_READINGS_KEPT: Final = 60
_ENTRIES_KEPT: Final = 400
_UNREADABLE: Final = (msgspec.MsgspecError, ValueError, RecursionError)


@dataclass
class _UnitHistory:
    """What the progress does not keep of a unit: gaps, absence, first moves, last readings."""

    gaps: int = 0
    absent_polls: int = 0
    whole: bool = True
    first: dict[str, int] = field(default_factory=dict)
    first_moved: dict[str, int] = field(default_factory=dict)
    read_at: dict[str, int] = field(default_factory=dict)
    online_ms: int | None = None
    placed_ms: int | None = None
    mined_ms: int | None = None
    hoard_ms: int | None = None
    readings: "deque[Reading]" = field(default_factory=lambda: deque(maxlen=_READINGS_KEPT))

    def take(self, row: Row, counts: dict[str, int | None]) -> None:
        slot = parse_ms(row.poll_ts)
        read_ms = slot if row.read_ts is None else parse_ms(row.read_ts)
        self._take_times(row, read_ms)
        self.whole = not has_gap(row)
        self.gaps += not self.whole
        if row.online is not None:
            self.absent_polls = 0 if row.online else self.absent_polls + 1
        known = {name: count for name, count in counts.items() if count is not None}
        self.read_at |= dict.fromkeys(known, read_ms)
        for name in known.keys() - self.first_moved.keys():
            count = known[name]
            if count > self.first.setdefault(name, count) or (count > 0 and not self.readings):
                self.first_moved[name] = slot
        self.readings.append(Reading(row.cycle, slot, counts, row.note))

    def _take_times(self, row: Row, read_ms: int) -> None:
        """Note when each number was read: one of them may grow old while others are read."""
        if row.online is not None:
            self.online_ms = read_ms
        if None not in row.placed_used.values():
            self.placed_ms = read_ms
        if None not in row.mined.values():
            self.mined_ms = read_ms
        if row.pickaxe_hoard is not None:
            self.hoard_ms = read_ms


class RunModel:
    """One run, followed; ``look`` reads what is new."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self._reset()

    def _reset(self) -> None:
        self._journal = FileTail(self.folder.journal)
        self._rows = FileTail(self.folder.rows)
        self._state = RunState()
        self._entries: deque[Entry] = deque(maxlen=_ENTRIES_KEPT)
        self._registration: Registration | None = None
        self._draft_bytes = b""
        self._faults: dict[str, ev.Fault] = {}
        self._other_arm: ev.Fault | None = None
        self._fell: set[tuple[str, str]] = set()
        self._error = ""
        self._unreadable = 0
        self._unreadable_rows = 0
        self._shown: RunView | None = None
        self._shown_outside: tuple[int | None, bool] = (None, False)
        self._seal_stamp: tuple[int, int, int] | None = None
        self._seal_hash: str | None = None
        self._reset_rows()

    def _reset_rows(self) -> None:
        self._shown = None
        self._unreadable_rows = 0
        self._rows = FileTail(self.folder.rows)
        self._progress: RunProgress | None = None
        self._histories: dict[str, _UnitHistory] = {}

    def look(self) -> tuple[RunView | None, bool]:
        """Read what is new; return the view, and whether there is more to read at once.

        The view is the same object as long as nothing changed; it is None while the run has no
        registration that can be read.
        """
        more = self._look_at_journal()
        self._load_registration()
        if self._registration is None:
            return None, more
        more = self._look_at_rows(self._registration) or more
        outside = (self._collector_pid(), self._seal_broken())
        if self._shown is None or outside != self._shown_outside:
            pid, broken = outside
            self._shown = self._view(self._registration, pid, seal_broken=broken)
            self._shown_outside = outside
        return self._shown, more

    def _seal_broken(self) -> bool:
        """Say whether registration.toml is not what was sealed; no collector need be running."""
        if self._state.sealed is None:
            return False
        try:
            stat = self.folder.registration.stat()
            stamp = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        except OSError:
            return True
        if stamp != self._seal_stamp:
            self._seal_stamp, self._seal_hash = stamp, seal_now(self.folder)
        return self._seal_hash != self._state.sealed.sha256

    @property
    def so_far(self) -> str:
        """How much of a long log was read."""
        rows = self._progress.rows if self._progress is not None else 0
        return f"{rows} rows so far"

    @property
    def error(self) -> str:
        """Why the run cannot be shown, or nothing."""
        return self._error

    # -- the journal ------------------------------------------------------------------------

    def _look_at_journal(self) -> bool:
        new = self._journal.read()
        if new.restarted:
            self._state, self._registration = RunState(), None
            self._entries.clear()
            self._faults.clear()
            self._other_arm = None
            self._fell.clear()
            self._unreadable = 0
            self._reset_rows()
        if new.lines:
            self._shown = None
        pins = dict(self._state.pins)
        for line in new.lines:
            self._take_event(line)
        if pins != self._state.pins:
            # A unit's pin applies to all its rows, whenever it was made.
            self._reset_rows()
        return new.more

    def _take_event(self, line: bytes) -> None:
        try:
            entry = ev.decode_entry(line)
        except _UNREADABLE:
            self._unreadable += 1
            self._entries.append(Entry("", "unreadable", "a line that cannot be read"))
            return
        sealed_before = self._state.sealed
        self._state.take(entry.event, entry.ts, entry.name)
        if self._state.sealed is not sealed_before:
            self._registration = None
            self._reset_rows()
        self._take_fault(entry.event)
        told_elsewhere = isinstance(entry.event, ev.Heartbeat) or (
            isinstance(entry.event, ev.ObjectiveEvent) and entry.event.status != "failed"
        )
        if not told_elsewhere:
            text = entry_text(entry.event, entry.name)
            self._entries.append(Entry(entry.ts, entry.name, text))

    def _take_fault(self, event: ev.Event | None) -> None:
        match event:
            case ev.Fault():
                self._faults[event.code] = event
                if event.code == OTHER_ARM and self._other_arm is None:
                    self._other_arm = event
            case ev.CounterFell():
                self._fell.add((event.unit, event.objective))
            case ev.Recovered():
                self._faults.pop(event.code, None)
            case ev.CollectorStarted():
                # One that was killed never said what was over; what is not, is told again.
                self._faults.clear()
            case _:
                pass

    # -- the registration -------------------------------------------------------------------

    def _load_registration(self) -> None:
        if self._registration is not None and self._state.sealed is not None:
            return
        try:
            data = b"" if self._state.sealed else self.folder.registration.read_bytes()
            if self._registration is not None and data == self._draft_bytes:
                return
            self._registration = registration_of(self.folder, self._state)
            self._draft_bytes, self._error = data, ""
            self._reset_rows()
        except (ConfigError, OSError) as error:
            self._registration, self._error = None, str(error)

    # -- the rows ---------------------------------------------------------------------------

    def _look_at_rows(self, registration: Registration) -> bool:
        new = self._rows.read()
        if new.restarted or self._progress is None:
            self._progress = RunProgress(registration, self._state)
            self._histories = {unit.name: _UnitHistory() for unit in registration.units}
        if new.restarted:
            self._unreadable_rows = 0
        if new.lines:
            self._shown = None
        for line in new.lines:
            try:
                row = decode_row(line)
            except _UNREADABLE:
                self._unreadable_rows += 1
                continue
            self._progress.take(row)
            if row.uni in self._histories:
                self._histories[row.uni].take(row, self._progress.counts_of(row))
        return new.more

    # -- the view ---------------------------------------------------------------------------

    def _view(self, registration: Registration, pid: int | None, *, seal_broken: bool) -> RunView:
        state, progress = self._state, self._progress
        assert progress is not None  # noqa: S101 - made by the look at the rows
        beat = state.heartbeat
        fault = next(reversed(self._faults.values()), None)
        if progress.last_rcon_ok:
            fault = None
        return RunView(
            name=self.folder.path.name,
            stage=state.stage(registration),
            registered=state.registered,
            run_id=registration.run_id,
            arms={
                "treatment": registration.treatment.label,
                "control": registration.control.label,
            },
            interval_ms=registration.window.interval_ms,
            cycles=registration.window.cycles,
            cycle=progress.last_cycle,
            slot0_ms=state.window_slot_ms,
            collector_pid=pid,
            heartbeat_ms=None if state.heartbeat_ts is None else parse_ms(state.heartbeat_ts),
            rcon_ok=progress.last_rcon_ok if beat else None,
            fault=fault.text if fault else "",
            fault_since_cycle=fault.cycle if fault else None,
            seal=state.sealed.sha256[:12] if state.sealed else "",
            seal_broken=seal_broken,
            items_removed=state.items_removed,
            missing=self._missing(),
            voided=self._voided(registration),
            fell=len(self._fell),
            gaps=progress.gap_cycles,
            rows=progress.rows,
            unreadable=self._unreadable + self._unreadable_rows,
            k_primary=registration.gate.k_primary,
            k_secondary=registration.gate.k_secondary,
            objectives=tuple(o.name for o in registration.objectives),
            units=tuple(self._unit(unit, registration, progress) for unit in registration.units),
            journal=tuple(self._entries),
            watched={u: s for u, s in state.watch.suggestion.items() if s} if state.watch else {},
        )

    def _collector_pid(self) -> int | None:
        try:
            holder = holder_of(self.folder.lock)
        except (LockUnavailableError, OSError):
            return None
        collector = self._state.collector
        if holder is None or collector is None or holder.pid not in {None, collector.pid}:
            return None
        return collector.pid

    def _missing(self) -> tuple[str, ...]:
        """Return the objectives that were told missing and are not read again by now."""
        last = [h.readings[-1].counts for h in self._histories.values() if h.readings]
        return tuple(sorted(n for n in self._state.missing if all(c.get(n) is None for c in last)))

    def _voided(self, registration: Registration) -> tuple[str, ...]:
        """Return what voids the run however it goes on; cycles count from 1, as on screen."""
        gone = [
            lost
            for name, lost in self._state.missing.items()
            if name in SCORED and lost.cycle < registration.window.cycles
        ]
        told = []
        if gone:
            first = min(gone, key=lambda lost: lost.cycle)
            more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
            told.append(f"{first.objective}{more} gone in cycle {first.cycle + 1}")
        if self._other_arm is not None:
            cycle = self._other_arm.cycle
            when = "" if cycle is None else f" in cycle {cycle + 1}"
            told.append(f"a probe's tag of the other arm{when}")
        return tuple(told)

    def _unit(self, unit: Unit, registration: Registration, progress: RunProgress) -> UnitView:
        so_far, history = progress.units[unit.name], self._histories[unit.name]
        pin = self._state.pins.get(unit.name)
        mined: dict[str, int | None] = {o.block: so_far.counts.get(o.name) for o in MINE_OBJECTIVES}
        wood = registration.gate.wood
        return UnitView(
            name=unit.name,
            role=unit.arm.role,
            pair=unit.pair,
            online=so_far.online,
            primary=so_far.primary.value,
            secondary=so_far.secondary.value,
            plateau_break=so_far.plateau_break.value,
            table_only=so_far.table_only.value is True,
            other_log=so_far.other_log.value is True,
            placed=so_far.placed_used_total,
            beyond=so_far.distinct_mined_beyond,
            beyond_blocks=tuple(
                b for b, n in mined.items() if n and pin and counts_beyond(b, pin, wood)
            ),
            hoard=so_far.pickaxe_hoard,
            baseline=pin,
            read_ms=None if so_far.read_ts is None else parse_ms(so_far.read_ts),
            online_ms=history.online_ms,
            placed_ms=history.placed_ms,
            mined_ms=history.mined_ms,
            hoard_ms=history.hoard_ms,
            counts_ms=dict(history.read_at),
            whole=history.whole,
            gaps=history.gaps,
            absent_polls=history.absent_polls,
            counts=dict(so_far.counts),
            first_moved=dict(history.first_moved),
            readings=tuple(history.readings),
            woods=so_far.growth.evidence(),
            grown=dict(so_far.growth.grown),
        )
