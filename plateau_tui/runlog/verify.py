"""Re-deriving a run from its files: chains, cross-check, completeness, scores."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from plateau_tui.metric.plain import digits_apart
from plateau_tui.metric.registration import Registration, parse_registration, seal_hash
from plateau_tui.metric.tables import ConfigError, shown
from plateau_tui.resources import game_ids
from plateau_tui.runlog.chain import JOURNAL_GENESIS, ChainFormatError, link, split_line
from plateau_tui.runlog.events import Entry
from plateau_tui.runlog.journalcheck import Beat, CrossCheck, JournalChecker
from plateau_tui.runlog.layout import RunFolder
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
from plateau_tui.runlog.state import RunState

_REPAIRED: Final = (
    "this is what a collector leaves that died while it wrote: the next collect, or close, "
    "makes it whole"
)
_MAX_PROBLEMS: Final = 1000
"""Problems listed at most; a file that is wrong from its start would fill the disk with them."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that does not hold; ``line`` counts from 1, ``byte`` from 0."""

    code: str
    file: str
    line: int | None
    byte: int | None
    text: str


@dataclass
class VerifyResult:
    """What was checked and what does not hold; ``intact`` when nothing is amiss."""

    rows: int = 0
    cycles: int = 0
    rows_head: str = ""
    journal_head: str = ""
    problems: list[Problem] = field(default_factory=list)
    _codes: set[str] = field(default_factory=set)

    @property
    def intact(self) -> bool:
        """Whether everything holds."""
        return not self.problems

    def add(self, code: str, path: Path, place: Place | None, text: str) -> None:
        """Note a problem, at a line where there is one; the first of its kind in any case."""
        if len(self.problems) < _MAX_PROBLEMS or code not in self._codes:
            self._codes.add(code)
            number = None if place is None else place.number
            byte = None if place is None else place.byte
            self.problems.append(Problem(code, path.name, number, byte, shown(text)))


@dataclass
class _ChainCheck:
    """Follows one file's chain; a break is told once and followed from what the line says."""

    path: Path
    head: str
    result: VerifyResult

    def step(self, item: Unreadable | tuple[Line, object]) -> Line:
        """Take in the next line and return it; one that is no record is told as such."""
        line = item.line if isinstance(item, Unreadable) else item[0]
        try:
            body, chain = split_line(line.data)
        except ChainFormatError as error:
            reason = item.reason if isinstance(item, Unreadable) else str(error)
            self.result.add("unreadable_line", self.path, line.place, reason)
            return line
        if link(self.head, body) != chain:
            self.result.add(
                "chain_broken",
                self.path,
                line.place,
                "this line, or what stood before it, is not what was written",
            )
        self.head = chain
        if isinstance(item, Unreadable):
            self.result.add("unreadable_line", self.path, line.place, item.reason)
        return line


class Observer:
    """Is shown each readable record of a log that is being checked, the journal's first.

    Rows are shown only where there is a usable sealed gate to check them by.
    """

    def entry(self, entry: Entry) -> None:
        """Take in the journal's next entry."""

    def row(self, row: Row) -> None:
        """Take in the next row."""


def verify_run(folder: RunFolder, observer: Observer | None = None) -> VerifyResult:
    """Check a run folder or an export, reading only; each file is gone through once.

    While a collector holds the run, what it has begun to write is left alone.
    """
    result, shown_to = VerifyResult(), observer or Observer()
    held = _held(folder)
    journal = _check_journal(folder, result, shown_to)
    registration = _check_seal(folder, journal.state, result)
    if registration is not None:
        _RowsCheck(folder, registration, journal, result).run(shown_to, held=held)
    if not held:
        for path in (folder.rows, folder.journal):
            rest = unfinished(path)
            if rest is not None:
                place, count = rest
                result.add("torn_tail", path, place, _torn_text(count))
    return result


def _torn_text(count: int) -> str:
    return f"{count} bytes behind the last whole line; {_REPAIRED}"


def _held(folder: RunFolder) -> bool:
    try:
        return holder_of(folder.lock) is not None
    except (LockUnavailableError, OSError):
        return False


def _check_journal(folder: RunFolder, result: VerifyResult, observer: Observer) -> JournalChecker:
    path = folder.journal
    chain = _ChainCheck(path, JOURNAL_GENESIS, result)
    checker = JournalChecker()
    if not path.exists():
        result.add("journal_missing", path, None, "there is no journal: nothing can be shown")
    for item in scan_journal(path):
        line = chain.step(item)
        if isinstance(item, Unreadable):
            continue
        for code, text in checker.check(item[1], line.place):
            result.add(code, path, line.place, text)
        observer.entry(item[1])
    result.journal_head = chain.head
    return checker


def _check_seal(folder: RunFolder, state: RunState, result: VerifyResult) -> Registration | None:
    """Return the sealed registration; before the seal None, as then there are no rows."""
    if state.sealed is None:
        if folder.has_rows:
            result.add("not_sealed", folder.rows, None, "there are rows, but no gate was sealed")
        return None
    try:
        now = seal_hash(folder.registration.read_bytes())
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


class _RowsCheck:
    """Checks the rows by themselves and against the journal."""

    def __init__(
        self,
        folder: RunFolder,
        registration: Registration,
        journal: JournalChecker,
        result: VerifyResult,
    ) -> None:
        sealed = journal.state.sealed
        assert sealed is not None  # noqa: S101 - a registration comes from a seal
        self._folder = folder
        self._journal = journal
        self._result = result
        self._chain = _ChainCheck(folder.rows, sealed.sha256, result)
        self._checker = RowChecker(registration, journal.state)
        self._cross = CrossCheck(journal.beats, len(registration.units))
        self._beats: dict[int, Beat] = {beat.cycle: beat for beat in reversed(journal.beats)}
        self._unbeaten: Place | None = None

    def run(self, observer: Observer, *, held: bool) -> None:
        """Check all rows; ``held``: a collector may be writing the last cycle."""
        self._tell(self._cross.counts(self._journal.beats))
        for item in scan_rows(self._folder.rows):
            line = self._chain.step(item)
            if isinstance(item, Unreadable):
                self._checker.pass_over()
                self._tell(self._cross.step("", line.number))
                continue
            self._result.rows += 1
            self._check_row(item[1], line.place)
            observer.row(item[1])
        self._result.cycles, self._result.rows_head = self._checker.cycles, self._chain.head
        if not held:
            self._check_end()
        self._tell(self._cross.finish())

    def _check_row(self, row: Row, place: Place) -> None:
        beat = self._beats.get(row.cycle)
        pins = self._journal.state.pins if beat is None else beat.pins
        # A row may lack a newer pin than its heartbeat has, never one that stood before it.
        lost = row.baseline_wood is None and beat is not None and row.uni in beat.pins_before
        exact = lost or (beat is not None and not beat.late)
        findings = [
            *self._checker.check(row),
            *check_pin(row, pins, self._journal.ever_pinned, exact=exact),
        ]
        for code, text in findings:
            self._result.add(code, self._folder.rows, place, text)
        self._tell(self._cross.step(row.chain, place.number))
        if row.cycle > self._journal.last_beaten and self._unbeaten is None:
            self._unbeaten = place

    def _check_end(self) -> None:
        incomplete = self._checker.incomplete
        if incomplete is not None:
            text = f"{incomplete}; {_REPAIRED}"
            self._result.add("cycle_incomplete", self._folder.rows, self._unbeaten, text)
        elif self._unbeaten is not None:
            self._result.add(
                "heartbeat_missing",
                self._folder.rows,
                self._unbeaten,
                f"no heartbeat in the journal counts the rows from here on; {_REPAIRED}",
            )

    def _tell(self, findings: Iterator[tuple[Place, Finding]]) -> None:
        for place, (code, text) in findings:
            self._result.add(code, self._folder.journal, place, text)
