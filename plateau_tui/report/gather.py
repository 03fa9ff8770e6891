"""A run folder or an export as a case for the verdict: each log is gone through once."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from plateau_tui.metric.attestation import Attestation, parse_attestation
from plateau_tui.metric.casefile import Case, JournalFacts, LogProblem, WindowTally
from plateau_tui.metric.outcome import Verdict
from plateau_tui.metric.registration import Registration, parse_registration, seal_hash
from plateau_tui.metric.tables import ConfigError
from plateau_tui.metric.verdict import adjudicate
from plateau_tui.report.adjudications import Heard, heard
from plateau_tui.report.facts import FactsBook, NoteLine
from plateau_tui.report.finals import FinalCounts
from plateau_tui.report.names import ATTESTATION
from plateau_tui.report.series import SeriesBook
from plateau_tui.resources import game_ids
from plateau_tui.runlog.events import Entry
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.readings import reading_of
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.state import RunState
from plateau_tui.runlog.verify import Observer, Problem, VerifyResult, verify_run

_MAX_TEXT: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with everything that it was made of and that its record shows.

    ``registration_now`` and ``attestation_text`` are the files' bytes, None where they cannot be
    read. ``checked`` is what ``verify`` found in the same pass.
    """

    verdict: Verdict
    case: Case
    state: RunState
    checked: VerifyResult
    series: SeriesBook
    finals: FinalCounts
    registration_now: bytes | None
    attestation_text: bytes | None
    adjudications: tuple[Heard, ...]
    adjudications_left_out: int
    notes: tuple[NoteLine, ...]
    notes_left_out: int

    @property
    def registration(self) -> Registration:
        """The gate that was sealed; the draft where none was."""
        return self.case.registration

    @property
    def seal_differs(self) -> bool:
        """Whether registration.toml is not what was sealed."""
        sealed = self.state.sealed
        now = self.registration_now
        return sealed is not None and (now is None or seal_hash(now) != sealed.sha256)


def judge(folder: RunFolder, attestation: bytes | None = None) -> Judged:
    """Re-derive the verdict of a run folder or an export from its files alone.

    Args:
        folder: where rows, journal, registration and attestation are; nothing is written.
        attestation: answers that stand in for the folder's attestation.toml.

    Raises:
        ConfigError: the attestation cannot be used, or there is no registration that can.
        OSError: a file cannot be read.

    """
    if attestation is None:
        attestation = file_bytes(folder.path / ATTESTATION)
    answers = Attestation() if attestation is None else parse_attestation(attestation)
    book = _CaseBook(folder)
    checked = verify_run(folder, book)
    taken = book.rows_taken()
    facts = book.facts(tuple(LogProblem(p.code, told(p)) for p in checked.problems))
    case = Case(taken.registration, facts, taken.tally, answers)
    verdict = adjudicate(case)
    return Judged(
        verdict=verdict,
        case=case,
        state=book.journal.state,
        checked=checked,
        series=taken.series,
        finals=taken.finals,
        registration_now=book.registration_now,
        attestation_text=attestation,
        adjudications=tuple(heard(book.journal.adjudications, case, verdict)),
        adjudications_left_out=book.journal.adjudications_left_out,
        notes=tuple(book.journal.notes),
        notes_left_out=book.journal.notes_left_out,
    )


def told(problem: Problem) -> str:
    """Return a finding of ``verify`` as a sentence that says where."""
    place = "" if problem.line is None else f" line {problem.line} (byte {problem.byte})"
    return f"{problem.file}{place}: {problem.text}"


def file_bytes(path: Path) -> bytes | None:
    """Return a small file's bytes; None where there is none.

    Raises:
        ConfigError: it is there and cannot be read.

    """
    try:
        with path.open("rb") as file:
            return file.read(_MAX_TEXT)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(path.name, [f"cannot be read: {error.strerror}"]) from None


@dataclass(frozen=True, slots=True)
class _Taken:
    """What the rows come to, under one gate."""

    registration: Registration
    tally: WindowTally
    series: SeriesBook
    finals: FinalCounts

    def take(self, row: Row) -> None:
        self.tally.take(reading_of(row))
        self.series.take(row)
        self.finals.take(row)


class _CaseBook(Observer):
    """Fills the case while ``verify`` goes through the files."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self.journal = FactsBook()
        try:
            self.registration_now = file_bytes(folder.registration)
        except ConfigError:
            self.registration_now = None
        self._begun: _Taken | None = None
        self._shown = False

    def entry(self, entry: Entry) -> None:
        """Take in the journal's next entry."""
        self.journal.take(entry)

    def row(self, row: Row) -> None:
        """Take in the next row; the journal is through by then."""
        self._shown = True
        self._begin().take(row)

    def _begin(self) -> _Taken:
        if self._begun is None:
            registration = self._usable_registration()
            self._begun = _Taken(
                registration,
                WindowTally(registration, self.facts()),
                SeriesBook(registration),
                FinalCounts(registration),
            )
        return self._begun

    def _usable_registration(self) -> Registration:
        """Return what was sealed; the file where nothing was, or where the seal is damaged."""
        sealed = self.journal.state.sealed
        if sealed is not None:
            try:
                return parse_registration(sealed.text.encode("utf-8"), game_ids(), "sealed text")
            except ConfigError:
                if self.registration_now is None:
                    raise
        if self.registration_now is None:
            raise ConfigError("registration.toml", ["cannot be read, and nothing was sealed"])
        return parse_registration(self.registration_now, game_ids())

    def rows_taken(self) -> _Taken:
        """Return what the rows came to, also where there was no gate to check them by."""
        taken = self._begin()
        if not self._shown:
            for row in read_rows(self._folder.rows):
                taken.take(row)
        return taken

    def facts(self, problems: tuple[LogProblem, ...] = ()) -> JournalFacts:
        """Return the journal's facts."""
        now = self.registration_now
        return self.journal.facts(None if now is None else seal_hash(now), problems)
