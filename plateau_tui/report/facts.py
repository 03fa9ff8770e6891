"""From the journal's entries to the facts that the verdict asks for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from plateau_tui.metric.attestation import Attestation, parse_attestation
from plateau_tui.metric.casefile import (
    EarlierAnswers,
    FaultFact,
    Incident,
    JournalFacts,
    LogProblem,
    Missed,
    PinFact,
    SealBreak,
)
from plateau_tui.metric.plain import counted, was_were
from plateau_tui.metric.registration import seal_hash
from plateau_tui.metric.scoring import Counter
from plateau_tui.metric.tables import ConfigError
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
    text: str
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
    adjudications_left_out: int = 0
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
    _said: set[tuple[str, str, str, bool]] = field(default_factory=set)
    _answers: dict[tuple[Attestation | None, str], EarlierAnswers] = field(default_factory=dict)

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
                self._take_registered(event, ts)
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
                self._take_adjudication(event, ts)
                self._take_answers(event, ts)
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

    def _take_registered(self, event: ev.Registered, ts: str) -> None:
        self._unverifiable.update(event.criterion_not_verifiable)
        replaced = list(_replaced(event, self.state.start))
        if not replaced or len(self._incidents) >= _MAX_EACH:
            return
        units = list(dict.fromkeys(unit for unit, *_ in replaced))
        objectives = ", ".join(dict.fromkeys(name for _, name, *_ in replaced))
        moved = [f"{u} {name} {old} to {new}" for u, name, old, new in replaced if old != new]
        values = f" ({', '.join(moved)})" if moved else ""
        unit = units[0] if len(units) == 1 else None
        who = unit or counted(len(units), "unit")
        text = f"a registration at {ts} replaced the start reading of {who}: {objectives}{values}"
        self._incidents.append(Incident("registered_again", text, unit, self._cycle))

    def _take_adjudication(self, event: ev.Adjudicated, ts: str) -> None:
        """Keep each thing that was said, however many there are; repetitions up to a bound."""
        said = (event.sha256, event.text, event.verdict, event.final)
        if said in self._said and len(self.adjudications) >= _MAX_EACH:
            self.adjudications_left_out += 1
            return
        self._said.add(said)
        sha256, word = event.sha256, event.verdict
        self.adjudications.append(
            Adjudication(ts, event.by or "", sha256, event.text, word, final=event.final)
        )

    def _take_answers(self, event: ev.Adjudicated, ts: str) -> None:
        """Keep each answer once and all of them: a flood of others must not hide one."""
        attestation, problem = None, ""
        text = event.text.encode("utf-8", "replace")
        if event.sha256 and seal_hash(text) != event.sha256:
            problem = "their text is not what its SHA-256 says"
        else:
            try:
                attestation = parse_attestation(text, "the answers")
            except ConfigError as error:
                problem = str(error)
        same = (attestation, problem)
        before = self._answers.get(same)
        if before is not None:
            self._answers[same] = replace(before, times=before.times + 1)
        else:
            self._answers[same] = EarlierAnswers(ts, event.by or "", attestation, problem)

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
                whole = f"{was_were(event.bytes)} no whole line and moved aside"
                text = f"{counted(event.bytes, 'byte')} of {event.file} {whole}"
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
            registered=state.registered,
            start=state.start,
            objectives_missing=tuple(self._missing),
            existing_objectives=tuple(sorted(self._unverifiable)),
            seal_breaks=tuple(self._breaks),
            missed=tuple(self._missed),
            faults=tuple(self._faults.values()),
            incidents=tuple(self._incidents),
            answers=tuple(self._answers.values()),
        )


def _replaced(
    event: ev.Registered, start: Mapping[str, Mapping[str, Counter]]
) -> Iterator[tuple[str, str, str, str]]:
    """Yield (unit, objective, count before, count now) of what stood and is read anew.

    What could not be read before replaces nothing; an objective made anew counts from 0 again.
    """
    for unit, counts in event.start.items():
        before = start.get(unit, {})
        for name, count in counts.items():
            old = before.get(name)
            if name in event.created and old is not None:
                yield unit, name, str(old), "unknown" if count is None else str(count)
