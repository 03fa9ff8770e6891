"""A run's journal as of any moment: its lines up to there, and what they then came to.

A place in the journal is the byte behind one of its lines, the earlier files of the log included.
"""

from array import array
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from plateau_tui.console.live.faults import FaultKeeper
from plateau_tui.console.live.journaltext import entry_text, told_elsewhere
from plateau_tui.console.live.view import Entry
from plateau_tui.metric.registration import Registration
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.scan import Line, Unreadable, scan_journal
from plateau_tui.runlog.state import RunStage, RunState
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
    gone: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Objective -> the cycles in which it was told that the server does not know it."""
    pins: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    unreadable: int = 0
    left_out: int = 0
    _ms: tuple[int, ...] = ()
    _beats: tuple[int, ...] = ()
    _counts: tuple[int, ...] = ()
    _ends: tuple[int, ...] = ()
    _beat_ends: tuple[int, ...] = ()
    _of_faults: tuple[tuple[int, ev.Event], ...] = ()
    """What the journal tells of faults, each event with its place."""
    end: int = 0
    """The place of its last line."""

    def place(self, upto: int, cycle: int) -> int:
        """Return where the journal stood after its first so many lines and a cycle's heartbeat.

        What was written with the heartbeat is of the cycle.
        """
        beat = bisect_right(self._beats, cycle)
        line = self._ends[upto - 1] if upto else 0
        return max(line, self._beat_ends[beat - 1] if beat else 0)

    def faults(self, place: int) -> FaultKeeper:
        """Return what was wrong at a place: what the live screens' own keeper makes of it."""
        keeper = FaultKeeper()
        for _, event in self._of_faults[: bisect_right(self._of_faults, place, key=_place_of)]:
            keeper.take(event)
        return keeper

    def upto(self, cycle: int, now_ms: int) -> int:
        """Return how many lines had been written when a cycle was over.

        Those up to its heartbeat and what was written with it; and where it has none, those up to
        the time ``now_ms`` that stand before the next one.
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


def _place_of(told: tuple[int, ev.Event]) -> int:
    return told[0]


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
        self._ends: array[int] = array("q")
        self._beat_ends: array[int] = array("q")
        self._faults = FaultKeeper()
        self._of_faults: list[tuple[int, ev.Event]] = []
        self._gone: dict[str, list[int]] = {}
        self._beat: tuple[int, str] | None = None
        """The cycle of the last heartbeat, and when it was written."""
        self._file = ""
        self._before = self._end = 0
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
            if line.file != self._file:
                self._file, self._before = line.file, self._end
            self.offset, self._end = line.end, self._before + line.end
            if isinstance(item, Unreadable):
                self._unreadable += 1
                self._add(Entry("", "unreadable", "a line that cannot be read"), None)
            else:
                self._take(item[1])

    def _take(self, entry: ev.Entry) -> None:
        event = entry.event
        self.state.take(event, entry.ts, entry.name)
        self._take_faults(event)
        if isinstance(event, ev.Heartbeat):
            cycle = max(event.cycle, self._beats[-1] if self._beats else 0)
            self._beats.append(cycle)
            self._counts.append(len(self._entries))
            self._beat_ends.append(self._end)
            self._beat = event.cycle, entry.ts
            return
        with_beat = self._is_with_beat(event, entry.ts)
        if isinstance(event, ev.Pinned):
            self._pinned.setdefault(event.unit, {})[event.species] = None
        if isinstance(event, ev.ObjectiveMissing):
            self._gone.setdefault(event.objective, []).append(event.cycle)
        self._moment = self._next_moment(event, parse_ms(entry.ts))
        if not told_elsewhere(event):
            text = entry_text(event, entry.name, tuple(self._faults.lasting))[:_MAX_TEXT]
            self._add(Entry(entry.ts, entry.name, text), event)
        if with_beat:
            self._counts[-1], self._beat_ends[-1] = len(self._entries), self._end

    def _is_with_beat(self, event: ev.Event | None, ts: str) -> bool:
        """Say whether an event stands behind the last heartbeat and is of its cycle.

        A collector writes a cycle's heartbeat, then at once what else it found in the cycle.
        """
        if self._beat is None or self._counts[-1] != len(self._entries):
            return False
        last = event.last if isinstance(event, ev.CyclesMissed) else getattr(event, "cycle", None)
        return last == self._beat[0] or ts == self._beat[1]

    def _take_faults(self, event: ev.Event | None) -> None:
        """Take in what an event says of faults; heartbeats that say nothing are not kept."""
        if self._faults.take(event) and event is not None and len(self._of_faults) < _MAX_ENTRIES:
            self._of_faults.append((self._end, event))

    def _add(self, entry: Entry, event: ev.Event | None) -> None:
        if len(self._entries) >= _MAX_ENTRIES:
            self._left_out += 1
            return
        before = self._ms[-1] if self._ms else 0
        self._entries.append(entry)
        self._ends.append(self._end)
        self._moments.append(self._moment)
        is_change = isinstance(event, _CHANGES)
        self._changes.append(is_change)
        self._stops.append(is_change and not isinstance(event, _NO_STOPS))
        self._ms.append(max(before, parse_ms(entry.ts)) if entry.ts else before)

    def _next_moment(self, event: ev.Event | None, ms: int) -> Moment:
        state, moment = self.state, self._moment
        match event:
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
            gone={name: tuple(cycles) for name, cycles in self._gone.items()},
            pins={
                name: (*species, *(() if name in first else (None,)))
                for name, species in self._pinned.items()
            },
            unreadable=self._unreadable,
            left_out=self._left_out,
            _ms=tuple(self._ms),
            _beats=tuple(self._beats),
            _counts=tuple(self._counts),
            _ends=tuple(self._ends),
            _beat_ends=tuple(self._beat_ends),
            _of_faults=tuple(self._of_faults),
            end=self._end,
        )
