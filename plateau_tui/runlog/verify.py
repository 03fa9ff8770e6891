"""Re-deriving a run from its files: chains, cross-check, completeness, scores."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from plateau_tui.metric.registration import Registration, parse_registration, seal_hash
from plateau_tui.metric.tables import ConfigError
from plateau_tui.resources import game_ids
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.chain import JOURNAL_GENESIS, ChainFormatError, link, split_line
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import LockUnavailableError, holder_of
from plateau_tui.runlog.rowcheck import RowChecker
from plateau_tui.runlog.scan import Line, Unreadable, scan_journal, scan_rows, unfinished_bytes
from plateau_tui.runlog.state import RunState

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

    @property
    def intact(self) -> bool:
        """Whether everything holds."""
        return not self.problems

    def add(self, code: str, path: Path, line: Line | None, text: str) -> None:
        """Note a problem, at a line where there is one."""
        if len(self.problems) < _MAX_PROBLEMS:
            number = None if line is None else line.number
            byte = None if line is None else line.byte
            self.problems.append(Problem(code, path.name, number, byte, text))


@dataclass
class _ChainCheck:
    """Follows one file's chain; a break is told once and followed from what the line says."""

    path: Path
    head: str
    result: VerifyResult

    def step(self, line: Line) -> None:
        try:
            body, chain = split_line(line.data)
        except ChainFormatError as error:
            self.result.add("unreadable_line", self.path, line, str(error))
            return
        if link(self.head, body) != chain:
            self.result.add(
                "chain_broken",
                self.path,
                line,
                "this line, or what stood before it, is not what was written",
            )
        self.head = chain


@dataclass
class _Beats:
    """The heads that the journal counted: rows so far -> (chain, where it says so)."""

    heads: dict[int, tuple[str, Line]] = field(default_factory=dict)
    last_cycle: int = -1


def verify_run(folder: RunFolder) -> VerifyResult:
    """Check a run folder or an export, reading only.

    While a collector holds the run, what it has begun to write is left alone.
    """
    result = VerifyResult()
    held = _held(folder)
    state, beats = _check_journal(folder, result)
    registration = _check_seal(folder, state, result)
    if registration is not None:
        _check_rows(folder, registration, state, beats, result, held=held)
    if not held:
        for path in (folder.rows, folder.journal):
            if rest := unfinished_bytes(path):
                result.add("torn_tail", path, None, f"{rest} bytes behind the last whole line")
    return result


def _held(folder: RunFolder) -> bool:
    try:
        return holder_of(folder.lock) is not None
    except (LockUnavailableError, OSError):
        return False


def _check_journal(folder: RunFolder, result: VerifyResult) -> tuple[RunState, _Beats]:
    path = folder.journal
    chain = _ChainCheck(path, JOURNAL_GENESIS, result)
    state, beats = RunState(), _Beats()
    if not path.exists():
        result.add("journal_missing", path, None, "there is no journal: nothing can be shown")
    for item in scan_journal(path):
        line = item.line if isinstance(item, Unreadable) else item[0]
        chain.step(line)
        if isinstance(item, Unreadable):
            result.add("unreadable_line", path, line, item.reason)
            continue
        entry = item[1]
        if line.number == 1 and entry.name != "run_opened":
            result.add("journal_cut", path, line, "the first event is not the run's opening")
        if state.closed is not None and entry.name != "adjudicated":
            result.add("after_close", path, line, f"'{entry.name}' stands after the window's close")
        if isinstance(entry.event, ev.WindowOpened) and state.sealed is None:
            result.add("not_sealed", path, line, "the window opened before the gate was sealed")
        if isinstance(entry.event, ev.Sealed):
            _check_sealed_text(entry.event, path, line, result)
        _take_beat(entry.event, line, beats)
        state.take(entry.event, entry.ts, entry.name)
    result.journal_head = chain.head
    return state, beats


def _check_sealed_text(event: ev.Sealed, path: Path, line: Line, result: VerifyResult) -> None:
    if seal_hash(event.text.encode("utf-8")) != event.sha256:
        result.add("seal_mismatch", path, line, "the sealed text does not have the sealed SHA-256")


def _take_beat(event: ev.Event | None, line: Line, beats: _Beats) -> None:
    if isinstance(event, ev.Heartbeat | ev.WindowClosed) and event.rows:
        beats.heads[event.rows] = (event.rows_head, line)
    if isinstance(event, ev.Heartbeat):
        beats.last_cycle = max(beats.last_cycle, event.cycle)


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
        result.add(
            "seal_broken",
            folder.registration,
            None,
            f"the file is not what was sealed ({now[:12]} instead of {state.sealed.sha256[:12]})",
        )
    try:
        return parse_registration(state.sealed.text.encode("utf-8"), game_ids(), "sealed text")
    except ConfigError as error:
        result.add("seal_mismatch", folder.journal, None, str(error))
        return None


def _check_rows(
    folder: RunFolder,
    registration: Registration,
    state: RunState,
    beats: _Beats,
    result: VerifyResult,
    *,
    held: bool,
) -> None:
    path = folder.rows
    assert state.sealed is not None  # noqa: S101 - a registration comes from a seal
    chain = _ChainCheck(path, state.sealed.sha256, result)
    checker = RowChecker(registration, state)
    for item in scan_rows(path):
        line = item.line if isinstance(item, Unreadable) else item[0]
        chain.step(line)
        if isinstance(item, Unreadable):
            result.add("unreadable_line", path, line, item.reason)
            continue
        result.rows += 1
        for code, text in checker.check(item[1]):
            result.add(code, path, line, text)
        counted = beats.heads.pop(result.rows, None)
        if counted is not None and counted[0] != item[1].chain:
            result.add(
                "cross_check", folder.journal, counted[1],
                f"the heartbeat's head is not the chain of row {result.rows}",
            )  # fmt: skip
    result.cycles, result.rows_head = checker.cycles, chain.head
    for code, text in checker.finish(last_beaten=beats.last_cycle, held=held):
        result.add(code, path, None, text)
    for count, (_, line) in _uncovered(beats):
        result.add(
            "rows_cut", folder.journal, line,
            f"rows cut off: {count} were counted here, the file has {result.rows}",
        )  # fmt: skip


def _uncovered(beats: _Beats) -> Iterator[tuple[int, tuple[str, Line]]]:
    """Yield the last count that the rows do not reach; one says it all."""
    if beats.heads:
        count = max(beats.heads)
        yield count, beats.heads[count]
