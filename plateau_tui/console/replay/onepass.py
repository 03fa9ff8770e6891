"""One pass over a log's rows in their order: the cycles they make, and what changed in each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median_low
from typing import Final

from plateau_tui.console.live.windowreadings import PARTIAL, SILENT, WHOLE
from plateau_tui.console.replay.journal import JournalRecord
from plateau_tui.console.replay.rules import Rules
from plateau_tui.console.replay.series import SeriesBook
from plateau_tui.console.replay.standings import halves_of
from plateau_tui.console.replay.state import RunSoFar
from plateau_tui.runlog.archivescan import MAX_CYCLE_ROWS
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.times import parse_ms

CHECKPOINT_ROWS: Final = 1024
"""Rows after which a state is put aside: what a jump replays at the most, but for one cycle."""
MAX_CYCLE_BYTES: Final = 64 << 20
"""A cycle's rows are held and decoded at once."""
_DEFAULT_S: Final = 600
_MINUTE_S: Final = 60
_READING_WORDS: Final = {
    WHOLE: "every counter was read again",
    PARTIAL: "GAP: not every counter was read of ",
    SILENT: "GAP: no counter was read",
}
_NAMED: Final = 3
"""So many units of which something is told are named, all others counted."""
Span = tuple[int, int]
"""First byte and length of rows that stand together."""


@dataclass(frozen=True, slots=True)
class Step:
    """A cycle that has rows. ``now_ms`` is when the last of them was read."""

    cycle: int
    slot_ms: int
    now_ms: int
    rows: int
    reading: int
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """What changed in a step of the pass, in words; the journal's changes are not among them.

    ``stop`` says that a jump to the next change stops here: a gap is one, where it begins.
    ``turned`` are the units of which a flag turned.
    """

    step: int
    texts: tuple[str, ...]
    stop: bool = True
    turned: tuple[str, ...] = ()


def named(names: Sequence[str], most: int = _NAMED) -> str:
    """Return the first of some names, and how many there are beside them."""
    more = len(names) - most
    return ", ".join([*names[:most], *([f"+{more}"] if more > 0 else [])])


@dataclass(slots=True)
class CycleNumbers:
    """Tells which cycle a row belongs to, by its key.

    Ours number their cycles. The earlier collector's key is a second since 1970, and several
    collectors wrote at times of their own: keys less than half an interval after a cycle's first
    one are that cycle's.
    """

    interval_s: int | None = None
    """Of the earlier collector; None where keys are numbers."""
    number: int = -1
    _anchor: int = -1

    def place(self, key: int) -> int | None:
        """Return the cycle of the next key; None where it lies before one that was there."""
        if key < self._anchor:
            return None
        if self.interval_s is None:
            self.number = self._anchor = key
        elif self._anchor < 0:
            self.number, self._anchor = 0, key
        elif 2 * (key - self._anchor) >= self.interval_s:
            self.number += max(1, round((key - self._anchor) / self.interval_s))
            self._anchor = key
        return self.number


def usual_interval_s(rows: Iterable[Row]) -> int:
    """Return the interval of an earlier collector's rows: the usual step of one collector.

    A cycle that is missing only makes a step longer, so of two in the middle the shorter is it.
    """
    last: dict[str, int] = {}
    steps = []
    for row in rows:
        before = last.get(row.collector_id, row.cycle)
        if row.cycle > before:
            steps.append(row.cycle - before)
        last[row.collector_id] = row.cycle
    if not steps:
        return _DEFAULT_S
    usual = median_low(steps)
    if usual < _MINUTE_S:
        return max(1, usual)
    return round(usual / _MINUTE_S) * _MINUTE_S


@dataclass(slots=True)
class Pass:
    """Takes in rows with their places; gives steps, states put aside, and what changed."""

    rules: Rules
    journal: JournalRecord
    numbers: CycleNumbers
    state: RunSoFar = field(default_factory=RunSoFar)
    steps: int = 0
    left_out: int = 0
    _rows: list[Row] = field(default_factory=list)
    _spans: list[Span] = field(default_factory=list)
    _cycle: int = -1
    _told: "dict[str, _Told]" = field(default_factory=dict)
    _pins: Mapping[str, str] = field(default_factory=dict)
    _since: int = 0
    _upto: int = 0
    _last: int | None = None
    series: SeriesBook = field(init=False)
    made: list[Step] = field(default_factory=list)
    aside: list[tuple[int, RunSoFar]] = field(default_factory=list)
    changed: list[Changed] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin the series."""
        self.series = SeriesBook.of(self.rules.registration, self.rules.cycles)

    def take(self, rows: Sequence[Row], start: int, end: int) -> bool:
        """Take in rows of one key; False, and nothing is taken, where their cycle is past."""
        cycle = self.numbers.place(rows[0].cycle)
        if cycle is None:
            return False
        if cycle != self._cycle:
            self.close()
            self._cycle = cycle
        held = sum(length for _, length in self._spans)
        if len(self._rows) + len(rows) > MAX_CYCLE_ROWS or held + end - start > MAX_CYCLE_BYTES:
            self.left_out += len(rows)
            return True
        self._rows.extend(rows)
        if self._spans and sum(self._spans[-1]) == start:
            self._spans[-1] = (self._spans[-1][0], end - self._spans[-1][0])
        else:
            self._spans.append((start, end - start))
        return True

    @property
    def waiting(self) -> int:
        """Rows of the cycle that is not closed yet."""
        return len(self._rows)

    def close(self) -> None:
        """Take the cycle whose rows are there for whole."""
        if not self._rows:
            return
        before, last = self.state.reading, self._last
        if self._since >= CHECKPOINT_ROWS:
            self.aside.append((self.steps, self.state.copy()))
            self._since = 0
        slot_ms = parse_ms(self._rows[0].poll_ts)
        self.series.take(self._cycle, slot_ms, self.state, self._pins, self.rules)
        turned = self.state.take_cycle(self._cycle, self._rows, self.rules)
        step = Step(
            self._cycle,
            slot_ms,
            max(self.state.now_ms, slot_ms) if self._read_any() else slot_ms,
            len(self._rows),
            self.state.reading,
            tuple(self._spans),
        )
        self._note_changes(self._turned(turned, step), before, last, step)
        self.made.append(step)
        self._last = self._cycle
        self._since += len(self._rows)
        self.steps += 1
        self._rows, self._spans = [], []

    def _note_changes(
        self, turns: "Sequence[_Turn]", before: int, last: int | None, step: Step
    ) -> None:
        """Note what the cycle of ``step`` changed; ``before`` is how the one before was read."""
        gaps = list(self._missed(last))
        begun = before == WHOLE and bool(gaps or self.state.reading != WHOLE)
        texts = [*_turn_texts(turns), *gaps, *self._reading(before)]
        upto = self.journal.upto(step.cycle, step.now_ms)
        told = any(self.journal.changes[self._upto : upto])
        stop = begun or bool(turns) or any(self.journal.stops[self._upto : upto])
        self._upto = upto
        if texts or told:
            flags = dict.fromkeys(turn.unit for turn in turns if turn.is_flag)
            self.changed.append(Changed(self.steps, tuple(texts), stop, tuple(flags)))

    def _read_any(self) -> bool:
        return any(row.read_ts is not None for row in self._rows)

    def _missed(self, last: int | None) -> Iterator[str]:
        if last is not None and self._cycle > last + 1:
            count = self._cycle - last - 1
            one = (
                f"cycle {last + 2} has"
                if count == 1
                else f"cycles {last + 2} to {self._cycle} have"
            )
            yield f"GAP: {one} no rows"

    def _reading(self, before: int) -> Iterator[str]:
        reading = self.state.reading
        if reading != before:
            names = self.state.unread_in(self._cycle) if reading == PARTIAL else []
            yield _READING_WORDS[reading] + named(names)

    def _turned(self, units: Sequence[str], step: Step) -> "list[_Turn]":
        upto = self.journal.upto(step.cycle, step.now_ms)
        pins = self.journal.moment(upto).pins
        repinned = pins != self._pins
        self._pins = pins
        turns: list[_Turn] = []
        for name in self.state.units if repinned else units:
            unit = self.state.units[name]
            pin = self.rules.pin_now(name, unit.pin, pins)
            fell = 0 if self.journal.entries else len(unit.fallen)
            halves = halves_of(name, unit, pin, self.rules.registration)
            now = _Told(
                halves.primary == "reached",
                halves.secondary == "reached",
                halves.both == "reached",
                fell,
                unit.pin,
            )
            turns += now.since(self._told.get(name, _Told()), name)
            self._told[name] = now
        return turns


@dataclass(frozen=True, slots=True)
class _Turn:
    """What is new of a unit, in the words that follow its name."""

    unit: str
    words: str
    is_flag: bool = False


def _turn_texts(turns: Iterable[_Turn]) -> list[str]:
    """Return what is new in words, units of which the same is told in one."""
    units: dict[str, list[str]] = {}
    for turn in turns:
        units.setdefault(turn.words, []).append(turn.unit)
    return [f"{named(names)}{words}" for words, names in units.items()]


@dataclass(frozen=True, slots=True)
class _Told:
    """What was told of a unit: what it reached, how many counters fell, the pin of its rows."""

    primary: bool = False
    secondary: bool = False
    both: bool = False
    fell: int = 0
    pin: str | None = None

    def since(self, before: "_Told", name: str) -> Iterator[_Turn]:
        """Yield what is new."""
        halves = (
            ("PRIMARY", self.primary, before.primary),
            ("SECONDARY", self.secondary, before.secondary),
        )
        turned = [word for word, now, then in halves if now and not then]
        if turned:
            yield _Turn(name, f" reached {' and '.join(turned)}", is_flag=True)
        elif self.both and not before.both:
            yield _Turn(name, " reached both halves at once", is_flag=True)
        undone = [word for word, now, then in halves if then and not now]
        if undone:  # its pin is another now, or is not confirmed any more
            words = f": {' and '.join(undone)} no longer counts as reached"
            yield _Turn(name, words, is_flag=True)
        if self.fell > before.fell:
            yield _Turn(name, ": a counter fell")
        if self.pin != before.pin:
            yield _Turn(name, f": pinned to {self.pin}")
