"""Reads a log for its replay, in a thread: gives parts that its screen puts together.

Rows are gone through once, in the file's order. Where that is not the order of their cycles (two
collectors' files one behind the other), or where rows only later name the pin that counts for all
of them, a second pass follows in the right order and takes the first one's place. A log that is
still written is followed.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.console.live.series import TOTALS
from plateau_tui.console.replay.journal import JournalBook
from plateau_tui.console.replay.onepass import Changed, CycleNumbers, Pass, Step, usual_interval_s
from plateau_tui.console.replay.rules import Pin
from plateau_tui.console.replay.series import Buckets
from plateau_tui.console.replay.source import ReplaySource, Roster, bare_source, run_source
from plateau_tui.console.replay.state import RunSoFar
from plateau_tui.metric.plain import counted, is_are
from plateau_tui.metric.registration import Window
from plateau_tui.runlog.archive import Archive
from plateau_tui.runlog.archivescan import Blocks, RowScan, Stretch, rows_at
from plateau_tui.runlog.rows import Row

FOLLOW_S: Final = 1.0
_DEFAULT_MS: Final = 600_000
_PART_BLOCKS: Final = 512


@dataclass(frozen=True, slots=True)
class ReplayPart:
    """What was read since the part before. ``restart`` says that it begins anew at cycle 0.

    ``told`` says how far the reading is, or why it ended; ``done`` that there is no more by now.
    ``first_unreadable`` is the number of the first line of the rows that is none, 0 without one.
    """

    source: ReplaySource
    steps: tuple[Step, ...]
    aside: tuple[tuple[int, RunSoFar], ...]
    changed: tuple[Changed, ...]
    series: Buckets
    restart: bool
    told: str
    unreadable: int
    first_unreadable: int
    done: bool


Tell = Callable[[ReplayPart], None]


@dataclass
class ReplayReader:
    """Reads one log. ``wood`` are the pins that an operator named for a bare file."""

    archive: Archive
    wood: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin."""
        self._book = JournalBook()
        self._roster = Roster()
        self._scan = RowScan(self.archive, self._wanted)
        self._blocks = Blocks()
        self._interval_s: int | None = None
        self._interval_ms = 0
        self._pins: dict[str, tuple[Pin, ...]] = {}
        self._disordered = False
        self._restart = True
        self._has_news = True

    def read(self, stop: threading.Event, tell: Tell) -> None:
        """Read until the end, or until ``stop``; what is still written is followed until then.

        Raises:
            ConfigError: the run's registration cannot be used.
            OSError: a file cannot be read.

        """
        self._read_journal()
        self._source = self._sourced(1)
        self._begin()
        while not stop.is_set():
            self._read_rows(stop, tell)
            while self._stale() and not stop.is_set():
                self._again(stop, tell)
            if not stop.is_set() and self._has_news:
                self._tell(tell, done=True)
            if not self._followed:
                return
            stop.wait(FOLLOW_S)
            self._look_for_another_file()
            if self._read_journal():
                self._source = self._sourced(1)
                self._pass.journal = self._source.journal
                self._has_news = True

    # -- what it is read under ----------------------------------------------------------------

    @property
    def _followed(self) -> bool:
        """Whether somebody may still be writing: a run that is not closed."""
        run = self.archive.run
        open_run = run is not None and self._book.state.closed is None
        return open_run and not self._scan.problem and not self.archive.data.packed

    def _read_journal(self) -> bool:
        """Read what is new in the journal; say whether anything was."""
        if self.archive.run is None:
            return False
        before = self._book.offset
        self._book.read(self.archive.run.journal)
        return self._book.offset != before

    def _look_for_another_file(self) -> None:
        """Follow no further where the file was replaced or cut."""
        try:
            found = self.archive.path.stat()
            known = (found.st_dev, found.st_ino) == self.archive.identity
            known = known and found.st_size >= self._scan.offset
        except OSError:
            known = False
        if not known:
            self._has_news = True
            self._scan.problem = "the file was replaced or cut meanwhile: open it anew"

    def _sourced(self, cycles: int) -> ReplaySource:
        if self.archive.run is not None:
            return run_source(self.archive, self.archive.run, self._book, self._pins)
        window = Window(self._interval_ms or _DEFAULT_MS, max(1, cycles))
        return bare_source(self.archive, self._roster, window, self.wood, self._pins)

    def _begin(self) -> None:
        self._restart = True
        self._pass = Pass(self._source.rules, self._source.journal, CycleNumbers(self._interval_s))

    # -- the rows -----------------------------------------------------------------------------

    def _read_rows(self, stop: threading.Event, tell: Tell) -> None:
        while not stop.is_set():
            found = self._scan.piece(unfinished=self._followed)
            if self._interval_s is None and self.archive.kind == "earlier" and found:
                self._interval_s = usual_interval_s(row for each in found for row in each.rows)
                self._interval_ms = self._interval_s * 1000
                self._begin()
            for stretch in found:
                self._take(stretch)
            self._has_news = self._has_news or bool(found)
            if self._scan.ended:
                self._close_last()
                return
            if found:
                self._tell(tell, done=False)

    def _take(self, stretch: Stretch) -> None:
        self._blocks.add(stretch)
        if self.archive.run is None:
            self._pass.series.name((*TOTALS, *self._roster.counters))
        if not self._disordered:
            self._disordered = not self._pass.take(stretch.rows, stretch.start, stretch.end)

    def _wanted(self, row: Row) -> bool:
        """Say whether a row is one of the log's units."""
        if self.archive.run is None:
            return self._roster.take(row)
        return row.uni in self._source.rules.units

    def _close_last(self) -> None:
        """Close the last cycle, unless its other rows may be on their way."""
        if not (self._followed and self._pass.waiting < len(self._source.rules.units)):
            self._pass.close()

    def _stale(self) -> bool:
        """Say whether the pass that was made is not the one that should stand."""
        rules = self._pass.rules
        late = {
            name: tuple(unit.pins)
            for name, unit in self._pass.state.units.items()
            if rules.pins_in_rows and unit.late_pin
        }
        self._pins |= late
        now = self._source.rules
        return self._disordered or bool(late) or (rules.pins, rules.gone) != (now.pins, now.gone)

    def _again(self, stop: threading.Event, tell: Tell) -> None:
        """Go through the rows in the order of their cycles, with all pins known."""
        self._disordered = False
        self._source = self._sourced(self._pass.steps)
        self._begin()
        data, decode = self.archive.data, self.archive.decode
        for count, block in enumerate(self._blocks.in_order(), start=1):
            if stop.is_set():
                return
            start, length = self._blocks.starts[block], self._blocks.lengths[block]
            self._pass.take(rows_at(data, decode, start, length), start, start + length)
            if count % _PART_BLOCKS == 0:
                self._tell(tell, done=False)
        self._close_last()

    # -- telling ------------------------------------------------------------------------------

    def _tell(self, tell: Tell, *, done: bool) -> None:
        made = self._pass
        steps, aside, changed = tuple(made.made), tuple(made.aside), tuple(made.changed)
        made.made, made.aside, made.changed = [], [], []
        if self._interval_ms == 0 and len(steps) > 1:
            first, last = steps[0], steps[-1]
            self._interval_ms = (last.slot_ms - first.slot_ms) // (last.cycle - first.cycle)
        if self.archive.run is None and (self._roster.grew or done):
            self._source = self._sourced(made.numbers.number + 1)
        tell(
            ReplayPart(
                source=self._source,
                steps=steps,
                aside=aside,
                changed=changed,
                series=made.series.now,
                restart=self._restart,
                told=self._ended() if done else self._progress(),
                unreadable=self._scan.unreadable + self._source.journal.unreadable,
                first_unreadable=self._scan.first_unreadable,
                done=done,
            )
        )
        self._restart = False
        self._has_news = not done

    def _ended(self) -> str:
        """Return why the reading ended before the file did, or what it left out."""
        if self._pass.left_out:
            left_out = self._pass.left_out
            return f"{counted(left_out, 'row')} of overfull cycles {is_are(left_out)} left out"
        return self._scan.problem

    def _progress(self) -> str:
        read, size = self.archive.data.progress()
        rows = self._pass.state.rows
        return f"reading ... {read / 1e6:.1f} of {size / 1e6:.1f} MB, {counted(rows, 'row')}"
