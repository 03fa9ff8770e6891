"""What must hold for the journal of one run, one entry after the other."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from plateau_tui.metric.registration import seal_hash
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.rowcheck import Finding
from plateau_tui.runlog.scan import Place
from plateau_tui.runlog.state import RunState


@dataclass(frozen=True, slots=True)
class Beat:
    """What a heartbeat, or the window's close, counted: the rows up to ``cycle`` and their head.

    ``pins`` are those in force when the cycle's rows were built. A ``late`` heartbeat was written
    after a restart, when there may have been newer ones.
    """

    place: Place
    cycle: int
    rows: int
    head: str
    late: bool
    pins: Mapping[str, str]


class JournalChecker:
    """Checks entries in their order and remembers what the rows are checked against."""

    def __init__(self) -> None:
        self.state = RunState()
        self.beats: list[Beat] = []
        self.ever_pinned: set[tuple[str, str]] = set()
        self.last_beaten = -1
        self._pins: dict[str, str] = {}

    def check(self, entry: ev.Entry, place: Place) -> Iterator[Finding]:
        """Yield what does not hold for the next entry, and take it in."""
        name, event = entry.name, entry.event
        if (place.number == 1) != (name == ev.RunOpened.NAME):
            yield "journal_cut", "the run's opening is the first event, and no other"
        if self.state.closed is not None and name != "adjudicated":
            yield "after_close", f"{name[:40]!r} stands after the window's close"
        match event:
            case ev.Sealed():
                yield from self._check_seal(event)
            case ev.WindowOpened():
                yield from self._check_opening()
            case ev.Heartbeat():
                yield from self._check_beat(event, place)
            case ev.WindowClosed(cycles=cycles, rows=rows, rows_head=head) if cycles or rows:
                self.beats.append(Beat(place, cycles - 1, rows, head, late=False, pins=self._pins))
            case ev.Pinned():
                # A new mapping: the beats before keep theirs.
                self._pins = self._pins | {event.unit: event.species}
                self.ever_pinned.add((event.unit, event.species))
            case _:
                pass
        self.state.take(event, entry.ts, name)

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
        self.beats.append(
            Beat(place, event.cycle, event.rows, event.rows_head, event.late, self._pins)
        )


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
