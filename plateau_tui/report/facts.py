"""From the journal's entries to the facts that the verdict asks for."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeVar

from plateau_tui.metric.casefile import (
    FaultFact,
    Incident,
    JournalFacts,
    LogProblem,
    Missed,
    PinFact,
    SealBreak,
)
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.state import RunState

_MAX_EACH: Final = 200
_MAX_TIMES: Final = 20
"""Facts of a kind kept; more of them would be no more than more of the same."""


@dataclass(frozen=True, slots=True)
class Adjudication:
    """One ``adjudicated`` event: when and by whom, which answers, and the word they led to."""

    ts: str
    by: str
    attestation_sha256: str
    verdict: str
    final: bool


@dataclass(frozen=True, slots=True)
class NoteLine:
    """A person's words in the journal."""

    ts: str
    by: str
    text: str


Kept = TypeVar("Kept")


def _keep(kept: list[Kept], item: Kept) -> None:
    if len(kept) < _MAX_EACH:
        kept.append(item)


@dataclass
class FactsBook:
    """Takes in the journal's entries in their order, and keeps the run's state beside."""

    state: RunState = field(default_factory=RunState)
    adjudications: list[Adjudication] = field(default_factory=list)
    notes: list[NoteLine] = field(default_factory=list)
    notes_left_out: int = 0
    _sealed_in_time: bool = False
    _pins: dict[str, PinFact] = field(default_factory=dict)
    _missing: list[tuple[str, int]] = field(default_factory=list)
    _unverifiable: set[str] = field(default_factory=set)
    _breaks: list[SealBreak] = field(default_factory=list)
    _missed: list[Missed] = field(default_factory=list)
    _faults: dict[str, FaultFact] = field(default_factory=dict)
    _incidents: list[Incident] = field(default_factory=list)

    def take(self, entry: ev.Entry) -> None:
        """Take in the next entry."""
        event, ts = entry.event, entry.ts
        if event is not None:
            self._take(event, ts)
        self.state.take(event, ts, entry.name)

    def _take(self, event: ev.Event, ts: str) -> None:  # noqa: C901 - a table of cases
        match event:
            case ev.Sealed():
                begun = self.state.window is not None or self.state.heartbeat is not None
                self._sealed_in_time = self._sealed_in_time or not begun
            case ev.Pinned():
                self._take_pin(event)
            case ev.ObjectiveMissing():
                self._take_missing(event)
            case ev.Registered():
                self._unverifiable.update(event.criterion_not_verifiable)
            case ev.SealBroken():
                _keep(self._breaks, SealBreak(ts, None, self._cycle))
            case ev.SealRestored() if self._breaks and self._breaks[-1].restored is None:
                last = self._breaks[-1]
                self._breaks[-1] = SealBreak(last.broken, ts, last.cycle)
            case ev.CyclesMissed():
                _keep(self._missed, Missed(event.first, event.last, event.reason))
            case ev.Fault():
                self._take_fault(event)
            case ev.Note():
                self._take_note(event, ts)
            case ev.Adjudicated():
                found = Adjudication(
                    ts, event.by or "", event.sha256, event.verdict, final=event.final
                )
                _keep(self.adjudications, found)
            case _:
                self._incidents.extend(self._incident(event))

    @property
    def _cycle(self) -> int | None:
        """The last cycle that was written by now; None before the window."""
        beat = self.state.heartbeat
        return None if beat is None else beat.cycle

    def _take_pin(self, event: ev.Pinned) -> None:
        before = self._pins.get(event.unit)
        if before is not None and before.species == event.species:
            return  # pinned again: the first time counts
        earlier = () if before is None else (*before.earlier, before.species)
        in_window = self.state.window is not None
        self._pins[event.unit] = PinFact(
            species=event.species,
            cycle=self._cycle if in_window else None,
            evidence=event.evidence,
            anyway=event.anyway,
            earlier=earlier[-_MAX_EACH:],
        )

    def _take_missing(self, event: ev.ObjectiveMissing) -> None:
        # Each objective by itself: context that is often missed must not crowd out the scored.
        if sum(name == event.objective for name, _ in self._missing) < _MAX_TIMES:
            self._missing.append((event.objective, event.cycle))

    def _take_fault(self, event: ev.Fault) -> None:
        before = self._faults.get(event.code)
        if before is not None:
            fact = FaultFact(event.code, before.times + 1, before.cycle, before.text)
        elif len(self._faults) < _MAX_EACH:
            fact = FaultFact(event.code, 1, event.cycle, event.text)
        else:
            return
        self._faults[event.code] = fact

    def _take_note(self, event: ev.Note, ts: str) -> None:
        if len(self.notes) < _MAX_EACH:
            self.notes.append(NoteLine(ts, event.by or "", event.text))
        else:
            self.notes_left_out += 1

    def _incident(self, event: ev.Event) -> Iterator[Incident]:
        if len(self._incidents) >= _MAX_EACH:
            return
        code, text, cycle = event.NAME, "", self._cycle
        match event:
            case ev.LogRestarted():
                text = f"{event.file} had to begin anew: {event.reason}"
            case ev.TornTail():
                text = f"{event.bytes} bytes of {event.file} were no whole line and moved aside"
            case ev.ClockMoved():
                text = f"the wall clock was off by {event.offset_s:+.1f} s; slots stayed in place"
                cycle = event.cycle
            case _:
                return
        yield Incident(code, text, None, cycle)

    def facts(
        self, registration_sha256_now: str | None, problems: tuple[LogProblem, ...] = ()
    ) -> JournalFacts:
        """Return what was taken in, with what the files are now found to be."""
        state = self.state
        closed = state.closed
        return JournalFacts(
            sealed_sha256=None if state.sealed is None else state.sealed.sha256,
            sealed_before_cycle0=self._sealed_in_time,
            registration_sha256_now=registration_sha256_now,
            problems=problems,
            window_opened=state.window is not None,
            closed=closed is not None,
            closed_early=closed is not None and closed.early,
            close_why="" if closed is None else closed.why,
            closed_by="" if closed is None else closed.by or "",
            pins=dict(self._pins),
            start=state.start,
            objectives_missing=tuple(self._missing),
            existing_objectives=tuple(sorted(self._unverifiable)),
            seal_breaks=tuple(self._breaks),
            missed=tuple(self._missed),
            faults=tuple(self._faults.values()),
            incidents=tuple(self._incidents),
        )
