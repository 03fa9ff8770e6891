"""A run's journal as of any moment: its lines up to there, and what they then came to."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from plateau_tui.console.live.journaltext import entry_text, told_elsewhere
from plateau_tui.console.live.view import Entry
from plateau_tui.metric.registration import Registration
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.scan import Line, Unreadable, scan_journal
from plateau_tui.runlog.state import OTHER_ARM, RunStage, RunState
from plateau_tui.runlog.times import parse_ms

_MAX_ENTRIES: Final = 100_000
"""Lines kept; a run of three weeks has a few hundred beside its heartbeats."""
_MAX_TEXT: Final = 2000
_CHANGES: Final = (
    ev.Fault,
    ev.Recovered,
    ev.CounterFell,
    ev.ObjectiveMissing,
    ev.Pinned,
    ev.SealBroken,
    ev.SealRestored,
    ev.CyclesMissed,
    ev.TornTail,
    ev.LogRestarted,
    ev.WindowClosed,
)
"""What is told as a change, beside what the rows show."""
_NO_STOPS: Final = (ev.Recovered, ev.CyclesMissed)
"""What of it a jump does not stop at: how a gap ends, or that it was one."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What the journal has said of a run up to one of its lines."""

    stage: RunStage = "draft"
    registered: bool = False
    seal: str = ""
    seal_broken: bool = False
    items_removed: bool = False
    window_slot_ms: int | None = None
    pins: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, ev.ObjectiveMissing] = field(default_factory=dict)
    other_arm: ev.Fault | None = None
    faults: Mapping[str, ev.Fault] = field(default_factory=dict)
    fell: int = 0
    verdict: str = ""
    pinned_ms: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """A journal that was read, for whoever looks at a moment of it.

    ``entries`` are its lines beside the heartbeats; ``moments``, ``changes`` and ``stops`` (where
    a jump to the next change stops) belong to them one by one. ``left_out`` counts those that were
    too many to keep. ``pins`` has, by unit, all that it was ever pinned to, None among them where
    it was not yet when the window opened.
    """

    entries: tuple[Entry, ...] = ()
    moments: tuple[Moment, ...] = ()
    changes: tuple[bool, ...] = ()
    stops: tuple[bool, ...] = ()
    pins: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    unreadable: int = 0
    left_out: int = 0
    _ms: tuple[int, ...] = ()
    _beats: tuple[int, ...] = ()
    _counts: tuple[int, ...] = ()
    _faults: tuple[tuple[int, int], ...] = ()
    """The faults: after how many lines, and in which cycle each began."""

    def fault_cycles(self, upto: int) -> tuple[int, ...]:
        """Return the cycles in which faults began, in order, by the first so many lines."""
        told = self._faults[: bisect_left(self._faults, (upto, -1))]
        return tuple(sorted({cycle for _, cycle in told}))

    def upto(self, cycle: int, now_ms: int) -> int:
        """Return how many lines had been written when a cycle was over.

        Those before its heartbeat; and where it has none, those up to the time ``now_ms`` that
        stand before the next one.
        """
        beat = bisect_right(self._beats, cycle)
        least = self._counts[beat - 1] if beat else 0
        if beat and self._beats[beat - 1] == cycle:
            return least
        most = self._counts[beat] if beat < len(self._counts) else len(self.entries)
        return min(max(least, bisect_right(self._ms, now_ms)), max(least, most))

    def moment(self, upto: int) -> Moment:
        """Return what the first so many lines come to."""
        return self.moments[upto - 1] if upto else Moment()

    @property
    def last(self) -> Moment:
        """What the whole journal comes to."""
        return self.moment(len(self.entries))


class JournalBook:
    """Takes in a journal's lines."""

    def __init__(self) -> None:
        self.state = RunState()
        self._entries: list[Entry] = []
        self._moments: list[Moment] = []
        self._changes: list[bool] = []
        self._stops: list[bool] = []
        self._ms: array[int] = array("q")
        self._beats: array[int] = array("q")
        self._counts: array[int] = array("q")
        self._faults: list[tuple[int, int]] = []
        self._fell: set[tuple[str, str]] = set()
        self._moment = Moment()
        self._unreadable = self._left_out = 0
        self._pinned: dict[str, dict[str, None]] = {}
        self.offset = 0
        """The byte after the last line taken in."""

    def read(self, path: Path) -> None:
        """Take in what is new in a journal, from ``offset`` on.

        Raises:
            OSError: it is there and cannot be read.

        """
        start = self.offset
        for item in scan_journal(path, start):
            line: Line = item.line if isinstance(item, Unreadable) else item[0]
            self.offset = line.byte + len(line.data) + 1
            if isinstance(item, Unreadable):
                self._unreadable += 1
                self._add(Entry("", "unreadable", "a line that cannot be read"), None)
            else:
                self._take(item[1])

    def _take(self, entry: ev.Entry) -> None:
        event = entry.event
        self.state.take(event, entry.ts, entry.name)
        if isinstance(event, ev.Heartbeat):
            cycle = max(event.cycle, self._beats[-1] if self._beats else 0)
            self._beats.append(cycle)
            self._counts.append(len(self._entries))
            return
        if isinstance(event, ev.Pinned):
            self._pinned.setdefault(event.unit, {})[event.species] = None
        if isinstance(event, ev.Fault) and event.cycle is not None:
            self._faults.append((len(self._entries), event.cycle))
        self._moment = self._next_moment(event, parse_ms(entry.ts))
        if not told_elsewhere(event):
            text = entry_text(event, entry.name, tuple(self._moment.faults))[:_MAX_TEXT]
            self._add(Entry(entry.ts, entry.name, text), event)

    def _add(self, entry: Entry, event: ev.Event | None) -> None:
        if len(self._entries) >= _MAX_ENTRIES:
            self._left_out += 1
            return
        before = self._ms[-1] if self._ms else 0
        self._entries.append(entry)
        self._moments.append(self._moment)
        is_change = isinstance(event, _CHANGES)
        self._changes.append(is_change)
        self._stops.append(is_change and not isinstance(event, _NO_STOPS))
        self._ms.append(max(before, parse_ms(entry.ts)) if entry.ts else before)

    def _next_moment(self, event: ev.Event | None, ms: int) -> Moment:
        state, moment = self.state, self._moment
        match event:
            case ev.Fault():
                other = moment.other_arm or (event if event.code == OTHER_ARM else None)
                faults = {**moment.faults, event.code: event}
                moment = replace(moment, faults=faults, other_arm=other)
            case ev.Recovered():
                faults = {c: f for c, f in moment.faults.items() if c != event.code}
                moment = replace(moment, faults=faults)
            case ev.CollectorStarted():
                moment = replace(moment, faults={})
            case ev.CounterFell():
                self._fell.add((event.unit, event.objective))
            case ev.Pinned():
                pins = {**moment.pins, event.unit: event.species}
                pinned_ms = {**moment.pinned_ms, event.unit: ms}
                moment = replace(moment, pins=pins, pinned_ms=pinned_ms)
            case ev.ObjectiveMissing():
                moment = replace(moment, missing=dict(state.missing))
            case _:
                pass
        return replace(
            moment,
            registered=state.registered,
            seal=state.sealed.sha256[:12] if state.sealed else "",
            seal_broken=state.seal_broken,
            items_removed=state.items_removed,
            window_slot_ms=state.window_slot_ms,
            fell=len(self._fell),
            stage=state.stage(None),
            verdict=state.adjudicated.verdict if state.adjudicated else "",
        )

    def record(self, registration: Registration) -> JournalRecord:
        """Return what was read so far."""
        names = [unit.name for unit in registration.units]

        def staged(moment: Moment) -> Moment:
            pinned = moment.stage == "registered" and all(name in moment.pins for name in names)
            return replace(moment, stage="pinned") if pinned else moment

        known = {id(moment): staged(moment) for moment in self._moments}
        opened = self._counts[0] if self._counts else 0
        first = self._moments[opened - 1].pins if opened else {}
        return JournalRecord(
            entries=tuple(self._entries),
            moments=tuple(known[id(moment)] for moment in self._moments),
            changes=tuple(self._changes),
            stops=tuple(self._stops),
            pins={
                name: (*species, *(() if name in first else (None,)))
                for name, species in self._pinned.items()
            },
            unreadable=self._unreadable,
            left_out=self._left_out,
            _ms=tuple(self._ms),
            _beats=tuple(self._beats),
            _counts=tuple(self._counts),
            _faults=tuple(self._faults),
        )
