"""Follows one run's files and gives what they say as frozen views. Lives in a worker thread."""

from collections import deque
from dataclasses import replace
from typing import Final

import msgspec

from plateau_tui.collector.run import registration_of, seal_now
from plateau_tui.console.live.blockage import BlockageLook
from plateau_tui.console.live.contact import Contact, is_answering, void_words
from plateau_tui.console.live.exports import is_export_old, is_exported
from plateau_tui.console.live.faults import FaultKeeper, with_faults
from plateau_tui.console.live.gone import GoneKeeper, but_gone
from plateau_tui.console.live.history import StartOffset, UnitHistory
from plateau_tui.console.live.journaltext import entry_text, told_elsewhere
from plateau_tui.console.live.pairsofar import paired_of
from plateau_tui.console.live.series import SeriesKeeper
from plateau_tui.console.live.view import Entry, RunView, UnitView, turned_in
from plateau_tui.console.live.windowreadings import WHOLE, WindowKeeper, reading_of
from plateau_tui.errorwords import error_words
from plateau_tui.metric.objectives import MINE_OBJECTIVES
from plateau_tui.metric.plain import out_of_about
from plateau_tui.metric.registration import Registration, Unit
from plateau_tui.metric.scoring import counts_beyond
from plateau_tui.metric.standing import Halves
from plateau_tui.metric.tables import ConfigError
from plateau_tui.metric.tally import contradicts_arm
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import LockUnavailableError, holder_of
from plateau_tui.runlog.progress import LogCounters, RunProgress
from plateau_tui.runlog.rows import Row, decode_row
from plateau_tui.runlog.sofar import StandingsSoFar, known_of
from plateau_tui.runlog.state import RunState
from plateau_tui.runlog.tail import FileTail
from plateau_tui.runlog.times import parse_ms
from plateau_tui.runlog.tomlfile import toml_bytes

_ENTRIES_KEPT: Final = 400
_MEND: Final = "invalid draft (Gate mends it): "
_UNREADABLE: Final = (msgspec.MsgspecError, ValueError, RecursionError)


class RunModel:
    """One run, followed; ``look`` reads what is new."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self._blockage = BlockageLook(folder)
        self._reset()

    def _reset(self) -> None:
        self._journal = FileTail(self.folder.journal)
        self._rows = FileTail(self.folder.rows, joined=True)
        self._state = RunState()
        self._entries: deque[Entry] = deque(maxlen=_ENTRIES_KEPT)
        self._registration: Registration | None = None
        self._draft_bytes = b""
        self._faults = FaultKeeper()
        self._gone = GoneKeeper()
        self._pinned_ms: dict[str, int] = {}
        self._contact = Contact()
        self._others: tuple[str, ...] = ()
        self._error = ""
        self._unreadable = 0
        self._unreadable_rows = 0
        self._shown: RunView | None = None
        self._shown_outside: tuple[int | None, bool, bool, bool, int, str] | None = None
        self._seal_stamp: tuple[int, int, int] | None = None
        self._seal_hash: str | None = None
        self._reset_rows()

    def _reset_rows(self) -> None:
        self._shown = None
        self._unreadable_rows = 0
        self._rows = FileTail(self.folder.rows, joined=True)
        self._progress: RunProgress | None = None
        self._standings: StandingsSoFar | None = None
        self._offset: StartOffset | None = None
        self._histories: dict[str, UnitHistory] = {}
        self._probed: dict[str, bool] = {}
        self._tagged: dict[str, int] = {}
        self._window = WindowKeeper(0)

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
        exports = (is_exported(self.folder), is_export_old(self.folder))
        # Rows are counted against the heartbeats only once all of them were read.
        lost = 0 if more else self._lost_rows()
        pid, told = self._collector_pid(), self._entries[-1].ts if self._entries else ""
        newest = None if pid is None else max(self._state.heartbeat_ts or "", told)
        blocked = self._blockage.look(self._registration, newest)
        outside = (pid, self._seal_broken(), *exports, lost, blocked)
        if self._shown is None or outside != self._shown_outside:
            pid, broken, exported, is_old, lost, blocked = outside
            view = self._view(self._registration, pid, seal_broken=broken)
            view = replace(view, exported=exported, export_is_old=is_old)
            self._shown = replace(view, lost_rows=lost, blocked=blocked)
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

    def _lost_rows(self) -> int:
        """Return how many rows the last heartbeat counted that no file of the log holds."""
        beat = self._state.heartbeat
        held = self._unreadable_rows + (self._progress.rows if self._progress else 0)
        return 0 if beat is None else max(0, beat.rows - held)

    @property
    def so_far(self) -> str:
        """How much of a long log was read, by its bytes out of about how much."""
        rows = self._progress.rows if self._progress is not None else 0
        share = self._rows.share
        return out_of_about(rows, share) if rows and share else "its first rows"

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
            self._faults, self._gone = FaultKeeper(), GoneKeeper()
            self._pinned_ms.clear()
            self._contact, self._others = Contact(), ()
            self._unreadable = 0
            self._reset_rows()
        if new.lines:
            self._shown = None
        decides = self._what_decides()
        for line in new.lines:
            self._take_event(line)
        if decides != self._what_decides():
            # A unit's pin applies to all its rows, whenever it was made.
            self._reset_rows()
        return new.more

    def _what_decides(self) -> tuple[dict[str, str], ev.UnitCounts]:
        start = {unit: dict(counts) for unit, counts in self._state.start.items()}
        return dict(self._state.pins), start

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
        self._faults.take(entry.event)
        if self._gone.take_event(entry.event):
            self._reset_rows()  # rows were counted before anybody knew
        self._contact.take(entry.event, entry.ts)
        if isinstance(entry.event, ev.Strangers):
            self._others = tuple(entry.event.names)
        if isinstance(entry.event, ev.Pinned):
            self._pinned_ms[entry.event.unit] = parse_ms(entry.ts)
        if not told_elsewhere(entry.event):
            text = entry_text(entry.event, entry.name, tuple(self._faults.lasting))
            self._entries.append(Entry(entry.ts, entry.name, text))

    # -- the registration -------------------------------------------------------------------

    def _load_registration(self) -> None:
        if self._registration is not None and self._state.sealed is not None:
            return
        try:
            data = b"" if self._state.sealed else toml_bytes(self.folder.registration)
            if self._registration is not None and data == self._draft_bytes:
                return
            self._registration = registration_of(self.folder, self._state)
            self._draft_bytes, self._error = data, ""
            self._reset_rows()
        except ConfigError as error:
            # What to do stands first: the line may be cut behind the field's name.
            mend = "" if self._state.sealed else _MEND
            self._registration, self._error = None, f"{mend}{error}"
        except OSError as error:
            self._registration, self._error = None, error_words(error)

    # -- the rows ---------------------------------------------------------------------------

    def _look_at_rows(self, registration: Registration) -> bool:
        new = self._rows.read()
        if new.restarted or self._progress is None:
            self._progress = RunProgress(registration, self._state)
            self._standings = StandingsSoFar(registration, self._state)
            self._offset = StartOffset.of(registration, self._state)
            self._begin_histories(registration)
        if new.restarted:
            self._unreadable_rows = 0
            self._probed, self._tagged = {}, {}
        if new.lines:
            self._shown = None
        for line in new.lines:
            try:
                row = decode_row(line)
            except _UNREADABLE:
                self._unreadable_rows += 1
                continue
            score = None if self._standings is None else self._standings.take(row)
            self._progress.take(row, score)
            if row.uni in self._histories:
                so_far, history = self._progress.units[row.uni], self._histories[row.uni]
                gone = self._gone.at(row.cycle)
                history.take(row, so_far, gone)
                self._gone.take_row(row.cycle, so_far.known)
                counts = but_gone(so_far.last, gone)
                is_whole = history.whole and not gone  # as it is of most rows
                self._window.take(row.cycle, WHOLE if is_whole else reading_of(counts))
                self._take_probe(row, registration)
        return new.more

    def _take_probe(self, row: Row, registration: Registration) -> None:
        if row.probe_ok is not None:
            self._probed[row.uni] = row.probe_ok
        if row.probe_ok and row.probe_arm is not None and row.cycle < registration.window.cycles:
            role = next(unit.arm.role for unit in registration.units if unit.name == row.uni)
            if contradicts_arm(registration, role, row.probe_arm):
                self._tagged.setdefault(row.uni, row.cycle)

    def _begin_histories(self, registration: Registration) -> None:
        cycles = registration.window.cycles
        names = [objective.name for objective in registration.objectives]
        self._histories = {
            unit.name: UnitHistory(self._offset, SeriesKeeper(names, cycles))
            for unit in registration.units
        }
        self._window = WindowKeeper(cycles)
        self._gone.begin_rows()

    # -- the view ---------------------------------------------------------------------------

    def _view(self, registration: Registration, pid: int | None, *, seal_broken: bool) -> RunView:
        state, progress = self._state, self._progress
        assert progress is not None  # noqa: S101 - made by the look at the rows
        assert self._standings is not None  # noqa: S101 - made with the progress
        paired = paired_of(registration, self._standings, closed=state.closed is not None)
        beat = state.heartbeat
        faults, cycles = self._faults, registration.window.cycles
        fault = faults.newest_of_link()
        missing = self._missing()
        listed = all(h.readings and h.listed for h in self._histories.values())
        rcon_ok = progress.last_rcon_ok or is_answering(missing, faults.lasting, listed=listed)
        if rcon_ok:
            fault = None
        view = RunView(
            name=self.folder.path.name,
            stage=state.stage(registration),
            registered=state.registered,
            run_id=registration.run_id,
            arms={
                "treatment": registration.treatment.label,
                "control": registration.control.label,
            },
            interval_ms=registration.window.interval_ms,
            cycles=cycles,
            cycle=progress.last_cycle,
            slot0_ms=state.window_slot_ms,
            collector_pid=pid,
            heartbeat_ms=None if state.heartbeat_ts is None else parse_ms(state.heartbeat_ts),
            rcon_ok=rcon_ok if beat else None,
            fault=fault.text if fault else "",
            fault_code=fault.code if fault else "",
            by_hand=self._contact.by_hand,
            contact_ms=self._contact.last_ms,
            fault_since_cycle=fault.cycle if fault else None,
            seal=state.sealed.sha256[:12] if state.sealed else "",
            seal_broken=seal_broken,
            items_removed=state.items_removed,
            missing=missing,
            voided=void_words(state.missing, faults.other_arm, cycles, self._tagged),
            fell=len(faults.fell),
            gaps=progress.gap_cycles,
            gone_gaps=max(0, progress.gap_cycles - self._window.gaps),
            rows=progress.rows,
            unreadable=self._unreadable + self._unreadable_rows,
            k_primary=registration.gate.k_primary,
            k_secondary=registration.gate.k_secondary,
            objectives=tuple(o.name for o in registration.objectives),
            units=tuple(
                self._unit(unit, registration, standing.registered)
                for unit, standing in zip(registration.units, paired.units, strict=True)
            ),
            paired=paired,
            journal=tuple(self._entries),
            watched={u: s for u, s in state.watch.suggestion.items() if s} if state.watch else {},
            watched_growth=dict(state.watch.grown) if state.watch else {},
            logs=tuple(LogCounters(registration, state).species.values()),
            since_start=self._offset is not None,
            others=self._others,
            refusal=self._contact.refusal,
            verdict=state.adjudicated.verdict if state.adjudicated else "",
            window=self._window.now,
            max_absent_polls=registration.gate.max_absent_polls,
            probe_armed=bool(registration.arm_values),
            closed_early=state.closed is not None and state.closed.early,
        )
        return with_faults(view, faults)

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

    def _unit(self, unit: Unit, registration: Registration, standing: Halves) -> UnitView:
        assert self._progress is not None  # noqa: S101 - made by the look at the rows
        so_far, history = self._progress.units[unit.name], self._histories[unit.name]
        pin = self._state.pins.get(unit.name)
        placed, beyond = so_far.placed_used_total, so_far.distinct_mined_beyond
        counts = dict(so_far.counts)
        if self._offset is not None:
            placed, beyond, counts = history.placed, history.beyond, dict(history.counts)
        mined = {o.block: counts.get(o.name) for o in MINE_OBJECTIVES}
        wood = registration.gate.wood
        return UnitView(
            name=unit.name,
            role=unit.arm.role,
            pair=unit.pair,
            online=so_far.online,
            primary=known_of(standing.primary),
            secondary=known_of(standing.secondary),
            plateau_break=known_of(standing.both),
            table_only=so_far.table_only.value is True,
            other_log=so_far.other_log.value is True,
            placed=placed,
            beyond=beyond,
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
            counts=counts,
            first_moved=dict(history.first_moved),
            readings=tuple(history.readings),
            woods=so_far.growth.evidence(),
            grown=dict(so_far.growth.grown),
            seen=history.seen,
            series=history.series.now,
            turned=turned_in(standing),
            pinned_ms=self._pinned_ms.get(unit.name),
            pin_confirmed=pin is None or self._is_confirmed(pin, history, registration),
            probe_ok=self._probed.get(unit.name),
        )

    def _is_confirmed(self, pin: str, history: UnitHistory, registration: Registration) -> bool:
        """Say whether the pinned log rose above 0, or no log did, as the tally asks."""
        species = LogCounters(registration, self._state).species
        above = {species[name] for name in history.first_moved if name in species}
        return not above or pin in above
