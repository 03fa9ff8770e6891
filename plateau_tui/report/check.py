"""``verify`` of an export: with nothing but the folder, everything is derived again."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.metric.tables import ConfigError, shown
from plateau_tui.report.difference import first_difference
from plateau_tui.report.gather import Judged, judge
from plateau_tui.report.names import ATTESTATION, PAGE, PLOTS, RECORD, SEALED_TEXT
from plateau_tui.report.page import page
from plateau_tui.report.plotcheck import PlotsCheck
from plateau_tui.report.plots import plot_names
from plateau_tui.report.record import as_json, encode_record, record
from plateau_tui.report.sums import check_sums, files_below
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.leftover import goes_with
from plateau_tui.runlog.verify import Problem, VerifyResult, verify_run
from plateau_tui.runlog.writer import TOOL

_REQUIRED: Final = (RECORD, PAGE, "rows.jsonl", "journal.jsonl")
_MAX_FILE: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class ExportCheck:
    """What was found; ``said`` are sentences on what was compared.

    ``unchecked`` says what could not be compared here: what is intact is intact but for that.
    """

    result: VerifyResult
    said: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()


class ExportChangedError(RuntimeError):
    """The export was written anew, or moved, while it was being checked."""

    exit_code = 2


def check_export(folder: RunFolder) -> ExportCheck:
    """Check an export: checksums, log, and the verdict derived anew against the one written.

    Raises:
        ExportChangedError: it was replaced meanwhile; what was found is of neither.

    """
    before = _state_of(folder.path)
    try:
        found = _check(folder)
    except OSError:
        if _state_of(folder.path) == before:
            raise
        raise ExportChangedError(_changed(folder.path)) from None
    if _state_of(folder.path) != before:
        raise ExportChangedError(_changed(folder.path))
    return found


def _changed(path: Path) -> str:
    return f"{path} was changed while it was being checked; check it again"


def _state_of(path: Path) -> tuple[tuple[str, int, int, int], ...]:
    """Return what tells one state of a folder from another, without reading its files."""
    found = []
    with contextlib.suppress(OSError):  # gone in this moment: that is another state
        for at in (path, *sorted(path.rglob("*"))):
            stat = at.lstat()
            found.append((str(at), stat.st_ino, stat.st_size, stat.st_mtime_ns))
    return tuple(found)


def _check(folder: RunFolder) -> ExportCheck:
    links = [
        path.relative_to(folder.path).as_posix()
        for path in folder.path.rglob("*")
        if _is_foreign(path)
    ]
    if links:
        # A link may lead anywhere, a device never ends: nothing is read then.
        result = VerifyResult()
        for name in sorted(links):
            _add(result, "foreign_file", name, "is neither a file nor a folder of this export")
        return ExportCheck(result)
    files = [
        Problem(code, name, None, None, shown(text))
        for code, name, text in check_sums(folder.path, _REQUIRED)
    ]
    try:
        judged = judge(folder)
    except (ConfigError, OSError) as error:
        try:
            result = verify_run(folder)
        except OSError:  # a folder in the place of a log: it cannot be read at all
            result = VerifyResult()
        _add(result, "record_differs", RECORD, f"no verdict can be derived: {error}")
        said, unchecked = [], []
    else:
        result = judged.checked
        comparison = _Comparison(folder.path, judged)
        said, unchecked = list(comparison.compare()), comparison.plots.unchecked
    told = {(problem.code, problem.file) for problem in files if problem.code == "file_missing"}
    rest = (problem for problem in result.problems if (problem.code, problem.file) not in told)
    result.problems[:] = [*files, *rest]
    return ExportCheck(result, tuple(said), tuple(unchecked))


def _is_foreign(path: Path) -> bool:
    return path.is_symlink() or not (path.is_file() or path.is_dir())


def _add(result: VerifyResult, code: str, name: str, text: str) -> None:
    result.problems.append(Problem(code, name, None, None, shown(text)))


class _Comparison:
    """Compares what is written with what is derived; what differs is added to the findings."""

    def __init__(self, path: Path, judged: Judged) -> None:
        self._path = path
        self._judged = judged
        self._result = judged.checked
        # Before any finding of ours: it is part of neither.
        self._record = as_json(record(judged))
        self._page = page(judged)
        self.plots = PlotsCheck(path / PLOTS, judged.series, judged.checked)

    def compare(self) -> Iterator[str]:
        """Compare everything; yield what to say of it."""
        self._compare_names()
        self._compare_adjudications()
        try:
            data = _read(self._path / RECORD)
            written = msgspec.json.decode(data)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            self._add("record_differs", RECORD, f"is no record: {shown(str(error), 120)}")
            return
        tool = written.get("tool") if isinstance(written, dict) else None
        yield from self._compare_record(written, data, tool)
        yield from self._compare_page(tool)
        yield from self._compare_sealed()
        yield from self.plots.compare()

    def _add(self, code: str, name: str, text: str) -> None:
        _add(self._result, code, name, text)

    def _compare_names(self) -> None:
        """Add what an export of this log does not hold, and what it must."""
        there = set(files_below(self._path))
        names = plot_names(self._judged.series)
        plots = {f"{PLOTS}/{name}" for name in names}
        maybe = {"registration.toml", ATTESTATION, SEALED_TEXT}
        for name in sorted(there - plots - maybe - set(_REQUIRED)):
            if not self._is_left_of_a_cut(name):
                self._add("file_unexpected", name, "is no file of an export")
        if (self._path / PLOTS).is_dir():
            for name in sorted(plots - there):
                self._add("file_missing", name, "belongs to an export and is missing")
        else:
            self._add("file_missing", PLOTS, f"the folder with its {len(names)} plots is missing")

    def _is_left_of_a_cut(self, name: str) -> bool:
        """Say whether the file holds rows that this log lacks, from before it was cut."""
        sealed, rows = self._judged.state.sealed, self._path / "rows.jsonl"
        own = self._path / name
        return (
            sealed is not None and own.parent == rows.parent and goes_with(own, rows, sealed.sha256)
        )

    def _compare_adjudications(self) -> None:
        """Add each verdict in the journal that the log cannot have given."""
        for found in self._judged.adjudications:
            if found.contradicted:
                text = (
                    f"the adjudication of {found.ts} says {found.verdict or 'nothing'}, under its "
                    f"answers the log gives {found.log_gives}"
                )
                self._add("adjudication_differs", "journal.jsonl", text)

    def _compare_record(self, written: object, data: bytes, tool: object) -> Iterator[str]:
        derived = self._record
        if isinstance(derived, dict) and isinstance(tool, str):
            derived = derived | {"tool": tool}
        difference = first_difference(written, derived)
        if difference is not None:
            self._add("record_differs", RECORD, str(difference))
        elif encode_record(written) != data:
            # A reader may take the first of two equal keys, and this program the last.
            self._add("record_differs", RECORD, "is not written as a record is: a key twice?")
        else:
            yield "verdict.json: derived again from the log, the same"

    def _compare_page(self, tool: object) -> Iterator[str]:
        try:
            written = _read(self._path / PAGE)
        except OSError:
            return  # told among the checksums
        if tool != TOOL:
            self._compare_other_page(written.decode("utf-8", "replace"), tool)
            return
        derived = self._page.encode("utf-8")
        if written == derived:
            yield "verdict.md: derived again, the same bytes"
            return
        lines = zip(written.split(b"\n"), derived.split(b"\n"), strict=False)
        number = next((n for n, (a, b) in enumerate(lines, start=1) if a != b), None)
        where = (
            f"line {number} is not what the log gives" if number else "it breaks off, or goes on"
        )
        self._add("page_differs", PAGE, where)

    def _compare_other_page(self, written: str, tool: object) -> None:
        """Tell that another version's page cannot be compared; its word and fence are, anyhow."""
        other = shown(str(tool), 60)
        text = f"cannot be compared: it was written by {other}, this is {TOOL}; verify with {other}"
        self._add("page_not_compared", PAGE, text)
        if _word_lines(written) != _word_lines(self._page):
            self._add("page_differs", PAGE, "does not begin with the word that the log gives")
        if CLAIM_FENCE not in written:
            self._add("page_differs", PAGE, "does not hold the claim fence")

    def _compare_sealed(self) -> Iterator[str]:
        """Hold the copy of the sealed text, where there is one, against the journal's."""
        sealed = self._judged.state.sealed
        try:
            written = _read(self._path / SEALED_TEXT)
        except OSError:
            return
        if sealed is None or written != sealed.text.encode("utf-8"):
            self._add("sealed_text_differs", SEALED_TEXT, "is not the text in the journal")
        else:
            yield f"{SEALED_TEXT}: the text that the journal has as sealed"


def _word_lines(text: str) -> list[str]:
    lines = text.splitlines()
    return [lines[0] if lines else "", *(line for line in lines if line.startswith("## Verdict"))]


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MAX_FILE)
