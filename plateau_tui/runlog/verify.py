"""Re-deriving a run from its files: chains, cross-check, completeness, scores."""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from plateau_tui.metric.plain import counted, digits_apart
from plateau_tui.metric.registration import Registration, parse_registration, seal_hash
from plateau_tui.metric.tables import ConfigError
from plateau_tui.resources import game_ids
from plateau_tui.runlog.chain import JOURNAL_GENESIS, ChainFormatError, link, split_line
from plateau_tui.runlog.chaincheck import ChainCheck, Copies
from plateau_tui.runlog.events import Entry, LogRestarted
from plateau_tui.runlog.findings import (
    MENDED_BY_ITSELF,
    REPAIRED,
    Problem,
    VerifyResult,
)
from plateau_tui.runlog.journalcheck import Beat, CrossCheck, JournalChecker
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.leftover import left_of_a_cut
from plateau_tui.runlog.locks import LockUnavailableError, holder_of
from plateau_tui.runlog.rowcheck import Finding, RowChecker, check_pin
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.scan import (
    Line,
    Place,
    Unreadable,
    scan_journal,
    scan_rows,
    unfinished,
)
from plateau_tui.runlog.segments import journal_elsewhere, log_lines, segments
from plateau_tui.runlog.tomlfile import toml_bytes
from plateau_tui.runlog.trust import Stretch, TrustBook, linked_prefix
from plateau_tui.runlog.unbeaten import CUT_OFF, cut_text, is_missed

__all__ = ["Observer", "Problem", "VerifyResult", "verify_run"]


class Observer:
    """Is shown each readable record of a log that is being checked, the journal's first.

    Rows are shown only where there is a usable sealed gate to check them by.
    """

    def entry(self, entry: Entry) -> None:
        """Take in the journal's next entry."""

    def row(self, row: Row) -> None:
        """Take in the next row."""


def verify_run(
    folder: RunFolder, observer: Observer | None = None, more: tuple[Path, ...] = ()
) -> VerifyResult:
    """Check a run folder or an export, reading only.

    While a collector holds the run, what it has begun to write is left alone.

    Args:
        folder: the run, or the export.
        observer: is shown each record; each file is gone through once.
        more: files from elsewhere that may be earlier ones of the rows or the journal.

    """
    result, shown_to = VerifyResult(), observer or Observer()
    held = _held(folder)
    if (folder.path / REPAIRED).exists():
        text = "this is a repaired copy of a run that was not intact: what it says argues nothing"
        result.add("repaired_copy", folder.path / REPAIRED, None, text)
    journal = _JournalCheck(folder, result, more)
    journal.run(shown_to)
    registration = _check_seal(folder, journal, result)
    if registration is not None:
        _RowsCheck(folder, registration, journal, result, more).run(shown_to, held=held)
    elif folder.has_rows:
        result.trustworthy[folder.rows.name] = _unsealed_prefix(folder)
    if not held:
        for path in (folder.rows, folder.journal):
            rest = unfinished(path)
            if rest is not None:
                place, count = rest
                result.add("torn_tail", path, place, _torn_text(count))
    return result


def _unsealed_prefix(folder: RunFolder) -> tuple[Stretch, ...]:
    """Return the rows that hang together from registration.toml on, where no seal is left."""
    try:
        head = seal_hash(toml_bytes(folder.registration))
    except OSError:
        return ()
    chain = ChainCheck(folder.rows, head, VerifyResult())

    def steps() -> Iterator[tuple[Line, str, bool]]:
        for item in scan_rows(folder.rows):
            line = chain.step(item)
            yield line, chain.head, chain.follows

    return linked_prefix(folder.rows.name, steps())


def _torn_text(count: int) -> str:
    return f"{counted(count, 'byte')} behind the last whole line; {MENDED_BY_ITSELF}"


def _held(folder: RunFolder) -> bool:
    try:
        return holder_of(folder.lock) is not None
    except (LockUnavailableError, OSError):
        return False


class _JournalCheck:
    """Checks the journal by itself; ``rows_heads`` are those from which the rows began anew."""

    def __init__(self, folder: RunFolder, result: VerifyResult, more: tuple[Path, ...]) -> None:
        self._path = folder.journal
        self._result = result
        self._more = more
        self._chain = ChainCheck(self._path, JOURNAL_GENESIS, result, _heads(self._path, more))
        self._trust = TrustBook(self._path.name)
        self.checker = JournalChecker()
        self._vouching = 0
        self.end = Place(1, 0)
        self.rows_heads: dict[str, str] = {}

    def run(self, observer: Observer) -> None:
        """Check every entry and show it on."""
        if not self._path.exists():
            found = journal_elsewhere(self._path)
            where = f": rename {found[0].name} back, it holds one" if found else ": put it back"
            self._result.add(
                "journal_missing",
                self._path,
                None,
                f"there is no journal, so nothing can be shown{where}",
            )
        copies = Copies(self._path, self._result)
        for item in scan_journal(self._path, more=self._more):
            if copies.has(item):
                continue
            before = self._chain.head
            line = self._chain.step(item)
            self.end = Place(line.number + 1, line.end, line.file)
            if isinstance(item, Unreadable):
                self._pass_over(chained=self._chain.head != before)
            else:
                self._take(line, item[1])
                observer.entry(item[1])
        name = self._path.name
        self._result.journal_head = self._chain.head
        self._result.files[name] = _names(self._path, self._more)
        parts = self._trust.finish(contradicted=False)
        self._result.trustworthy[name] = tuple(replace(part, counted=False) for part in parts)

    def _pass_over(self, *, chained: bool) -> None:
        if chained:
            self._trust.poison()
        else:
            self._trust.skip()

    def _take(self, line: Line, entry: Entry) -> None:
        if not self._chain.follows:
            # Nothing outside the journal vouches for it: its own beginning is all there is.
            self._trust.poison()
        findings: list[Finding] = []
        if not entry.restated:
            findings = list(self.checker.check(entry, line.place))
            if isinstance(entry.event, LogRestarted) and entry.event.file == "rows.jsonl":
                self.rows_heads[entry.event.head] = entry.event.kept or entry.event.moved_to
        for code, text in findings:
            self._result.add(code, self._path, line.place, text)
        if any(code != CUT_OFF for code, _ in findings):  # what stands of a cut log is not doubted
            self._trust.poison()
        self._trust.take(line, None, self._chain.head, vouched=True)
        if not self._trust.poisoned:
            self._vouching = len(self.checker.beats)

    @property
    def vouching(self) -> list[Beat]:
        """The heartbeats that stand before whatever is amiss in the journal."""
        return self.checker.beats[: self._vouching]


def _check_seal(
    folder: RunFolder, journal: _JournalCheck, result: VerifyResult
) -> Registration | None:
    """Return the sealed registration; before the seal None, as then there are no rows."""
    state = journal.checker.state
    if state.sealed is None:
        if folder.has_rows:
            if not result.problems:  # else the journal's own problem is why no seal is read
                text = "the journal ends before the seal though rows stand: it was cut off here"
                result.add(CUT_OFF, folder.journal, journal.end, text)
            result.add("not_sealed", folder.rows, None, "there are rows, but no gate was sealed")
        return None
    try:
        now = seal_hash(toml_bytes(folder.registration))
    except OSError:
        now = "unreadable"
    if now != state.sealed.sha256:
        has, was = digits_apart(now, state.sealed.sha256)
        text = f"the file is not what was sealed ({has} instead of {was})"
        result.add("seal_broken", folder.registration, None, text)
    try:
        return parse_registration(state.sealed.text.encode("utf-8"), game_ids(), "sealed text")
    except ConfigError as error:
        result.add("seal_mismatch", folder.journal, None, str(error))
        return None


def _heads(path: Path, more: tuple[Path, ...]) -> dict[str, str]:
    """Return the heads from which a journal says that it began anew, and what held it before.

    Asked only where it does not begin at its beginning.
    """
    first = next(log_lines(path, more=more), None)
    with contextlib.suppress(ChainFormatError):
        if (
            first is None
            or link(JOURNAL_GENESIS, split_line(first.data)[0]) == split_line(first.data)[1]
        ):
            return {}
    return {
        item[1].event.head: item[1].event.kept or item[1].event.moved_to
        for item in scan_journal(path, more=more)
        if not isinstance(item, Unreadable)
        and isinstance(item[1].event, LogRestarted)
        and item[1].event.file == path.name
    }


def _names(path: Path, more: tuple[Path, ...]) -> tuple[str, ...]:
    """Return the names of the files that a log is in, in order."""
    return tuple(segment.path.name for segment in segments(path, more=more))


def _journal_before(path: Path, place: Place) -> tuple[Stretch, ...]:
    """Return the journal's lines before a place, by their own chain."""
    chain = ChainCheck(path, JOURNAL_GENESIS, VerifyResult())

    def steps() -> Iterator[tuple[Line, str, bool]]:
        for item in scan_journal(path):
            line = chain.step(item)
            yield line, chain.head, chain.follows and line.place != place

    return linked_prefix(path.name, steps())


class _RowsCheck:
    """Checks the rows by themselves and against the journal."""

    def __init__(
        self,
        folder: RunFolder,
        registration: Registration,
        journal: _JournalCheck,
        result: VerifyResult,
        more: tuple[Path, ...],
    ) -> None:
        checker = journal.checker
        sealed = checker.state.sealed
        assert sealed is not None  # noqa: S101 - a registration comes from a seal
        self._folder = folder
        self._journal = checker
        self._journal_end = journal.end
        self._genesis = sealed.sha256
        self._result = result
        self._more = more
        self._chain = ChainCheck(folder.rows, sealed.sha256, result, journal.rows_heads)
        self._checker = RowChecker(registration, checker.state)
        self._cross = CrossCheck(checker.beats, len(registration.units))
        self._beats: dict[int, Beat] = {beat.cycle: beat for beat in reversed(checker.beats)}
        self._trust = TrustBook(folder.rows.name)
        self._vouched = {beat.head for beat in journal.vouching}
        self._contradicted = False
        self._last_match = 0
        self._unbeaten: Place | None = None
        self._unbeaten_cycles: dict[int, bool] = {}
        self._part_missing = False

    def run(self, observer: Observer, *, held: bool) -> None:
        """Check all rows; ``held``: a collector may be writing the last cycle."""
        name = self._folder.rows.name
        wrong_counts = self._cross.counts(self._journal.beats)
        copies, number = Copies(self._folder.rows, self._result), 0
        for item in scan_rows(self._folder.rows, more=self._more):
            if copies.has(item):
                continue
            number += 1
            before = self._chain.head
            line = self._chain.step(item)
            if isinstance(item, Unreadable):
                if self._chain.head == before:
                    self._trust.skip()
                else:
                    self._trust.break_off()
                self._checker.pass_over()
                self._tell(self._cross.step("", number))
                continue
            self._result.rows += 1
            self._check_row(item[1], line, number)
            observer.row(item[1])
        self._result.cycles, self._result.rows_head = self._checker.cycles, self._chain.head
        if not held:
            self._check_end()
        # Where the rows hang together and are counted later on, it is the heartbeat that is wrong.
        self._doubt(self._cross.finish(), before=0 if self._trust.broken else self._last_match)
        self._doubt(wrong_counts, before=sys.maxsize)
        self._result.files[name] = _names(self._folder.rows, self._more)
        left: tuple[Stretch, ...] = ()
        if self._part_missing:
            left = left_of_a_cut(self._folder.rows, self._genesis, self._vouched)
        sure = self._trust.finish(contradicted=self._contradicted)
        self._result.trustworthy[name] = (*left, *sure)

    def _check_row(self, row: Row, line: Line, number: int) -> None:
        beat = self._beats.get(row.cycle)
        pins = self._journal.state.pins if beat is None else beat.pins
        # A row may lack a newer pin than its heartbeat has, never one that stood before it.
        lost = row.baseline_wood is None and beat is not None and row.uni in beat.pins_before
        exact = lost or (beat is not None and not beat.late)
        placed = list(self._checker.check_place(row))
        findings = [
            *self._checker.check(row),
            *check_pin(row, pins, self._journal.ever_pinned, exact=exact),
        ]
        for code, text in (*placed, *findings):
            self._result.add(code, self._folder.rows, line.place, text)
        self._tell(self._cross.step(row.chain, number))
        if beat is not None and beat.head == row.chain:
            self._last_match = max(self._last_match, beat.place.number + 1)
        self._contradicted = self._contradicted or bool(placed)
        self._weigh(row, line, amiss=bool(findings))
        if row.cycle > self._journal.last_beaten:
            self._unbeaten = self._unbeaten or line.place
            missed = self._unbeaten_cycles.get(row.cycle, True) and is_missed(row)
            self._unbeaten_cycles[row.cycle] = missed

    def _weigh(self, row: Row, line: Line, *, amiss: bool) -> None:
        if self._chain.after_a_part:
            self._part_missing = True
            self._trust.skip()  # the journal says what this row follows, so it is vouched for
        if not (self._chain.follows or self._chain.after_a_part):
            self._trust.break_off()
        elif amiss:
            self._trust.poison()
        else:
            vouched = row.chain in self._vouched
            self._trust.take(line, row.cycle, row.chain, vouched=vouched)

    def _check_end(self) -> None:
        incomplete = self._checker.incomplete
        cut = cut_text(self._unbeaten_cycles)
        if cut is not None:
            self._result.add(CUT_OFF, self._folder.journal, self._journal_end, cut)
        if incomplete is not None:
            text = f"{incomplete}; {MENDED_BY_ITSELF}"
            self._result.add("cycle_incomplete", self._folder.rows, self._unbeaten, text)
        elif self._unbeaten is not None and cut is None:
            self._result.add(
                "heartbeat_missing",
                self._folder.rows,
                self._unbeaten,
                f"no heartbeat in the journal counts the rows from here on; {MENDED_BY_ITSELF}",
            )

    def _tell(self, findings: Iterator[tuple[Place, Finding]]) -> None:
        for place, (code, text) in findings:
            self._contradicted = True
            self._result.add(code, self._folder.journal, place, text)

    def _doubt(self, findings: Iterator[tuple[Place, Finding]], *, before: int) -> None:
        """Tell findings; rely on the journal only up to the first that stands before a line."""
        told = list(findings)
        self._tell(iter(told))
        places = [place for place, (code, _) in told if code == "cross_check"]
        first = min(places, key=lambda place: place.number, default=None)
        if first is not None and first.number < before:
            name = self._folder.journal.name
            self._result.trustworthy[name] = _journal_before(self._folder.journal, first)
