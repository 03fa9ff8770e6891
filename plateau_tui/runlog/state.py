"""The state of a run, read off its journal and never kept beside it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from plateau_tui.metric.gatescore import start_reading
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.scoring import Counter, StartReading
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.scan import Unreadable, scan_journal
from plateau_tui.runlog.segments import is_empty, journal_elsewhere
from plateau_tui.runlog.times import parse_ms

RunStage = Literal["draft", "sealed", "registered", "pinned", "open", "closed", "adjudicated"]

LOG_BLOCKED: Final = "log_blocked"
OTHER_ARM: Final = "probe_arm"
"""The fault of a probe's tag that contradicts its unit's arm: the comparison is WITHHELD (SR-4)."""

ITEMS_REMOVED: Final = "items_removed"
"""The fault after which no inventory is asked again: the probe changed the world."""


@dataclass
class RunState:
    """What the journal says so far; ``take`` moves it on by one event.

    A run is opened, sealed, begun and closed once: the first such event stands.
    """

    collector_id: str = ""
    sealed: ev.Sealed | None = None
    registered: bool = False
    start: ev.UnitCounts = field(default_factory=dict)
    created: set[str] = field(default_factory=set)
    existing: set[str] = field(default_factory=set)
    pins: dict[str, str] = field(default_factory=dict)
    pin_events: dict[str, ev.Pinned] = field(default_factory=dict)
    watch: ev.Watch | None = None
    window: ev.WindowOpened | None = None
    heartbeat: ev.Heartbeat | None = None
    heartbeat_ts: str | None = None
    collector: ev.CollectorStarted | None = None
    connection: ev.Connection | None = None
    missing: dict[str, ev.ObjectiveMissing] = field(default_factory=dict)
    answered: dict[str, ev.Answer] = field(default_factory=dict)
    own_names: set[str] = field(default_factory=set)
    listing: list[str] | None = None
    broken_seal: ev.SealBroken | None = None
    alarm: ev.Fault | None = None
    closed: ev.WindowClosed | None = None
    adjudicated: ev.Adjudicated | None = None
    first_event: str = ""
    _registration_event: ev.Registered | None = None

    def take(self, event: ev.Event | None, ts: str, name: str) -> None:
        """Take in one event; one that this version does not know changes nothing."""
        self.first_event = self.first_event or name
        match event:
            case ev.RunOpened():
                self.collector_id = self.collector_id or event.collector_id
            case ev.Sealed():
                self.sealed = self.sealed or event
            case ev.ObjectiveEvent() | ev.Registered():
                self._take_registration(event)
            case ev.Pinned():
                self.pins[event.unit] = event.species
                self.pin_events[event.unit] = event
            case ev.Watch():
                self.watch = event
            case ev.Heartbeat():
                self.heartbeat, self.heartbeat_ts = event, ts
            case ev.Answer():
                self.answered[event.id] = event
            case _:
                self._take_run(event)

    def _take_registration(self, event: ev.ObjectiveEvent | ev.Registered) -> None:
        if isinstance(event, ev.ObjectiveEvent):
            if event.status == "created":
                self.created.add(event.name)
            elif event.status == "existing" and event.name not in self.created:
                self.existing.add(event.name)
            return
        self._registration_event = self._registration_event or event
        self.own_names.update(event.own_names)
        # What was read first stands; an objective made anew since then counts from 0 again, and
        # what could not be read may be read later: that can only subtract more.
        for unit, counts in event.start.items():
            start = self.start.setdefault(unit, {})
            for name, count in counts.items():
                if name in event.created or start.get(name) is None:
                    start[name] = count
        self.registered = True

    def _take_run(self, event: ev.Event | None) -> None:  # noqa: C901 - a table of cases
        match event:
            case ev.CollectorStarted():
                self.collector = event
            case ev.CollectorStopped():
                self.collector = None
            case ev.NamesShown():
                self.own_names, self.listing = set(event.own), event.listing
            case ev.Connection():
                self.connection = event
            case ev.WindowOpened():
                self.window = self.window or event
            case ev.ObjectiveMissing():
                self.missing.setdefault(event.objective, event)
            case ev.SealBroken():
                self.broken_seal = event
            case ev.SealRestored():
                self.broken_seal = None
            case ev.Fault(code=code) if code == ITEMS_REMOVED:
                self.alarm = event
            case ev.WindowClosed():
                self.closed = self.closed or event
            case ev.Adjudicated():
                self.adjudicated = event
            case _:
                pass

    @property
    def seal_broken(self) -> bool:
        """Whether registration.toml was last seen to differ from what was sealed."""
        return self.broken_seal is not None

    @property
    def items_removed(self) -> bool:
        """Whether a count probe ever removed items; no inventory is asked after that."""
        return self.alarm is not None

    @property
    def window_slot_ms(self) -> int | None:
        """The slot of cycle 0 in milliseconds since 1970; None before the window."""
        return None if self.window is None else parse_ms(self.window.poll_ts)

    def stage(self, registration: Registration | None) -> RunStage:
        """Return the furthest stage reached; ``pinned`` asks for a pin of every unit.

        A run is adjudicated once the last adjudication of its closed window was final.
        """
        if self.closed is not None and self.adjudicated is not None and self.adjudicated.final:
            return "adjudicated"
        if self.closed is not None:
            return "closed"
        if self.window is not None:
            return "open"
        if self.sealed is None:
            return "draft"
        if not self.registered:
            return "sealed"
        units = registration.units if registration else ()
        return "pinned" if units and all(u.name in self.pins for u in units) else "registered"

    def start_of(self, unit: str) -> StartReading:
        """Return the start reading of a unit by block; unknown where there is none."""
        return start_reading(self.start.get(unit, {}))

    def start_not_zero(self, registration: Registration) -> dict[str, dict[str, Counter]]:
        """Return unit -> objective -> start count, where that is above 0 or unknown."""
        return {
            unit.name: unsettled
            for unit in registration.units
            if (
                unsettled := {
                    o.name: n
                    for o in registration.objectives
                    if (n := self.start.get(unit.name, {}).get(o.name)) != 0
                }
            )
        }

    def restated(self) -> list[ev.Event]:
        """Return the events that a new journal needs to stand on when the old one was lost."""
        kept: Iterable[ev.Event | None] = (
            self.sealed,
            self._registration_event and _restate(self._registration_event, self.start),
            *self.pin_events.values(),
            self.connection,
            self.window,
            self.collector,
            *self.missing.values(),
            self.broken_seal,
            self.alarm,
            self.heartbeat,
            self.closed,
        )
        return [event for event in kept if event is not None]


def _restate(event: ev.Registered, start: ev.UnitCounts) -> ev.Registered:
    return ev.Registered(
        created=event.created,
        existing=event.existing,
        start=start,
        criterion_not_verifiable=event.criterion_not_verifiable,
    )


def read_state(journal: Path, head: str = "") -> tuple[RunState, list[Unreadable]]:
    """Return the state that a journal tells, and the lines of it that could not be read.

    ``head`` is the chain of its last line where that stands in another file beside it; a journal
    that was renamed is found without.
    """
    state, unreadable = RunState(), []
    if not head and is_empty(journal):
        head = (journal_elsewhere(journal) or (journal, ""))[1]
    for item in scan_journal(journal, head=head):
        if isinstance(item, Unreadable):
            unreadable.append(item)
        else:
            state.take(item[1].event, item[1].ts, item[1].name)
    return state, unreadable
