"""What must hold for the journal of one run, one entry after the other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.metric.registration import seal_hash
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.rowcheck import Finding
from plateau_tui.runlog.scan import Place
from plateau_tui.runlog.state import RunState
from plateau_tui.runlog.unbeaten import CUT_OFF, JOURNAL_CUT


@dataclass(frozen=True, slots=True)
class Beat:
    """What a heartbeat, or the window's close, counted: the rows up to ``cycle`` and their head.

    ``pins`` are those in force when the cycle's rows were built. A ``late`` heartbeat was written
    after a restart, when there may have been newer ones than ``pins_before``, those of the cycle
    before.
    """

    place: Place
    cycle: int
    rows: int
    head: str
    late: bool
    pins: Mapping[str, str]
    pins_before: Mapping[str, str]


class JournalChecker:
    """Checks entries in their order and remembers what the rows are checked against."""

    def __init__(self) -> None:
        self.state = RunState()
        self.beats: list[Beat] = []
        self.ever_pinned: set[tuple[str, str]] = set()
        self.last_beaten = -1
        self._first_file: str | None = None
        self._pins: dict[str, str] = {}

    def check(self, entry: ev.Entry, place: Place) -> Iterator[Finding]:
        """Yield what does not hold for the next entry, and take it in."""
        name, event = entry.name, entry.event
        if self._begins(place) != (name == ev.RunOpened.NAME):
            yield "journal_cut", "the run's opening is the first event, and no other"
        yield from self._check_order(event, name)
        match event:
            case ev.RunOpened() if event.claim_fence != CLAIM_FENCE:
                yield "fence_differs", "the run was not opened under the claim fence, byte for byte"
            case ev.Sealed():
                yield from self._check_seal(event)
            case ev.Registered():
                yield from self._check_start(event)
            case ev.WindowOpened():
                yield from self._check_opening()
            case ev.Heartbeat():
                yield from self._check_beat(event, place)
            case ev.WindowClosed(cycles=cycles, rows=rows, rows_head=head) if cycles or rows:
                self._count(place, cycles - 1, rows, head)
            case ev.Adjudicated():
                yield from self._check_answers(event)
            case ev.Pinned():
                # A new mapping: the beats before keep theirs.
                self._pins = self._pins | {event.unit: event.species}
                self.ever_pinned.add((event.unit, event.species))
            case _:
                pass
        self.state.take(event, entry.ts, name)

    def _begins(self, place: Place) -> bool:
        """Say whether a place is the log's beginning, over all files that it is in."""
        if self._first_file is None:
            self._first_file = place.file
        return place.number == 1 and place.file == self._first_file

    def _check_order(self, event: ev.Event | None, name: str) -> Iterator[Finding]:
        """Yield what no collector writes at this place, and a cut that one found before it.

        A journal that was lost and goes on names registration, pins and window again, in this
        order.
        """
        opened, closed = self.state.window is not None, self.state.closed is not None
        if closed and name != ev.Adjudicated.NAME:
            yield "after_close", f"{name[:40]!r} stands after the window's close"
        match event:
            case ev.ObjectiveEvent() if opened:
                text = f"an objective is {event.status} after the window opened, which adds none"
                yield "objective_late", text
            case ev.Registered() if opened:
                yield (
                    "registered_late",
                    "a start reading after the window opened: it is taken before, and stands",
                )
            case ev.Heartbeat() | ev.WindowClosed() if not opened:
                yield "not_opened", f"{name!r} stands before the window opened"
            case ev.Fault(code=code) if code == JOURNAL_CUT:
                yield CUT_OFF, event.text
            case ev.Adjudicated() if not closed:
                yield "adjudicated_early", "a verdict is journaled before the window's close"
            case _:
                pass

    def _check_start(self, event: ev.Registered) -> Iterator[Finding]:
        created = {*event.created, *self.state.created}
        for unit, counts in event.start.items():
            for name in sorted(created.intersection(counts)):
                if counts[name] != 0:
                    text = f"{name[:40]} was made by this run; {unit[:40]} starts at {counts[name]}"
                    yield "start_reading", f"{text}, not at 0"

    def _check_answers(self, event: ev.Adjudicated) -> Iterator[Finding]:
        found = seal_hash(event.text.encode("utf-8")) if event.text else ""
        if event.sha256 != found:
            yield "answers_mismatch", "the adjudicator's text does not have the SHA-256 beside it"

    def _check_seal(self, event: ev.Sealed) -> Iterator[Finding]:
        if self.state.sealed is not None:
            yield "sealed_again", "a gate is sealed once"
        if seal_hash(event.text.encode("utf-8")) != event.sha256:
            yield "seal_mismatch", "the sealed text does not have the sealed SHA-256"

    def _check_opening(self) -> Iterator[Finding]:
        if self.state.sealed is None:
            yield "not_sealed", "the window opened before the gate was sealed"
        if self.state.window is not None:
            yield "opened_again", "a window opens once"

    def _check_beat(self, event: ev.Heartbeat, place: Place) -> Iterator[Finding]:
        if event.cycle != self.last_beaten + 1:
            last = f"that of cycle {self.last_beaten}" if self.last_beaten >= 0 else "none"
            yield "heartbeat_order", f"the heartbeat of cycle {event.cycle} follows {last}"
        self.last_beaten = max(self.last_beaten, event.cycle)
        self._count(place, event.cycle, event.rows, event.rows_head, late=event.late)

    def _count(self, place: Place, cycle: int, rows: int, head: str, *, late: bool = False) -> None:
        before = self.beats[-1].pins if self.beats else {}
        beat = Beat(place, cycle, rows, head, late, pins=self._pins, pins_before=before)
        self.beats.append(beat)


class CrossCheck:
    """Holds the rows' chain against what the journal counted."""

    def __init__(self, beats: list[Beat], units: int) -> None:
        self._units = units
        self._wanted: dict[str, list[Beat]] = {}
        for beat in beats:
            self._wanted.setdefault(beat.head, []).append(beat)
        self._shift = 0
        self._lines = 0

    def counts(self, beats: list[Beat]) -> Iterator[tuple[Place, Finding]]:
        """Yield the beats whose count is not that of their cycle."""
        for beat in beats:
            expected = (beat.cycle + 1) * self._units
            if beat.rows != expected:
                text = f"counts {beat.rows} rows up to cycle {beat.cycle}; those are {expected}"
                yield beat.place, ("cross_check", text)

    def step(self, chain: str, number: int) -> Iterator[tuple[Place, Finding]]:
        """Take in the next line; yield the beats that found its head elsewhere.

        Once rows are missing or doubled, every later beat is off by the same number: told once.
        """
        self._lines = number
        for beat in self._wanted.pop(chain, ()):
            shift = number - (beat.cycle + 1) * self._units
            if shift != self._shift:
                self._shift = shift
                text = f"the head of cycle {beat.cycle} is the chain of row {number}"
                yield beat.place, ("cross_check", text)

    def finish(self) -> Iterator[tuple[Place, Finding]]:
        """Yield what the journal counted and the rows do not have; one says it for all."""
        left = [beat for found in self._wanted.values() for beat in found]
        end = self._lines - self._shift
        cut = [beat for beat in left if (beat.cycle + 1) * self._units > end]
        changed = [beat for beat in left if (beat.cycle + 1) * self._units <= end]
        if cut:
            last = max(cut, key=lambda beat: beat.cycle)
            text = f"rows cut off: {last.rows} were counted here, the file has {self._lines}"
            yield last.place, ("rows_cut", text)
        if changed:
            first = min(changed, key=lambda beat: beat.cycle)
            later = f", nor are {len(changed) - 1} later ones" if len(changed) > 1 else ""
            text = f"the head of cycle {first.cycle} is the chain of no row{later}"
            yield first.place, ("cross_check", text)
