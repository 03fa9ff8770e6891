"""``verify`` of an export: with nothing but the folder, everything is derived again."""

import tempfile
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
from plateau_tui.report.plots import (
    draw_plots,
    drawn_by,
    matplotlib_version,
    plot_names,
)
from plateau_tui.report.record import as_json, encode_record, record
from plateau_tui.report.sums import check_sums, files_below
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.verify import Problem, VerifyResult, verify_run
from plateau_tui.runlog.writer import TOOL

_REQUIRED: Final = (RECORD, PAGE, "rows.jsonl", "journal.jsonl")
_MAX_FILE: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class ExportCheck:
    """What was found; ``said`` are sentences on what was compared and what was not."""

    result: VerifyResult
    said: tuple[str, ...]


def check_export(folder: RunFolder) -> ExportCheck:
    """Check an export: checksums, log, and the verdict derived anew against the one written."""
    said: list[str] = []
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
        return ExportCheck(result, ())
    files = list(check_sums(folder.path, _REQUIRED))
    try:
        judged = judge(folder)
    except (ConfigError, OSError) as error:
        result = verify_run(folder)
        _add(result, "record_differs", RECORD, f"no verdict can be derived: {error}")
    else:
        result = judged.checked
        said += _compare(folder.path, judged)
    result.problems[:0] = [
        Problem(code, name, None, None, shown(text)) for code, name, text in files
    ]
    return ExportCheck(result, tuple(said))


def _is_foreign(path: Path) -> bool:
    return path.is_symlink() or not (path.is_file() or path.is_dir())


def _add(result: VerifyResult, code: str, name: str, text: str) -> None:
    result.problems.append(Problem(code, name, None, None, shown(text)))


def _compare(path: Path, judged: Judged) -> Iterator[str]:
    """Compare what is written with what is derived; yield what to say, add what differs."""
    result = judged.checked
    derived = as_json(record(judged))  # before any finding of ours: it is part of nothing
    assert isinstance(derived, dict)  # noqa: S101 - a record is an object
    text = page(judged)
    _compare_names(path, judged)
    try:
        data = _read(path / RECORD)
        written = msgspec.json.decode(data)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        _add(result, "record_differs", RECORD, f"is no record: {shown(str(error), 120)}")
        return
    tool = written.get("tool") if isinstance(written, dict) else None
    same_tool = tool == TOOL
    if not same_tool and isinstance(tool, str) and isinstance(written, dict):
        derived["tool"] = tool
    difference = first_difference(written, derived)
    if difference is not None:
        _add(result, "record_differs", RECORD, str(difference))
    elif encode_record(written) != data:
        # A reader may take the first of two equal keys, and this program the last.
        _add(result, "record_differs", RECORD, "is not written as a record is: a key twice?")
    else:
        yield "verdict.json: derived again from the log, the same"
    if same_tool:
        yield from _compare_page(path, text, result)
    else:
        told = shown(str(tool), 60)
        yield f"verdict.md: only its word is compared, it was written by {told}, this is {TOOL}"
        _compare_word(path, text, result)
    yield from _compare_sealed(path, judged)
    yield from _compare_plots(path / PLOTS, judged, same_tool=same_tool)


def _compare_names(path: Path, judged: Judged) -> None:
    """Add what an export of this log does not hold, and what it must."""
    there = set(files_below(path))
    plots = {f"{PLOTS}/{name}" for name in plot_names(judged.series)}
    maybe = {"registration.toml", ATTESTATION, SEALED_TEXT}
    for name in sorted(there - plots - maybe - set(_REQUIRED)):
        _add(judged.checked, "file_unexpected", name, "is no file of an export")
    for name in sorted(plots - there):
        _add(judged.checked, "file_missing", name, "belongs to an export and is missing")


def _compare_word(path: Path, text: str, result: VerifyResult) -> None:
    """Hold what no version may change on the page against what is derived: word and fence."""
    try:
        written = _read(path / PAGE).decode("utf-8", "replace")
    except OSError:
        return  # told among the checksums
    if _word_lines(written) != _word_lines(text):
        _add(result, "page_differs", PAGE, "does not begin with the word that the log gives")
    if CLAIM_FENCE not in written:
        _add(result, "page_differs", PAGE, "does not hold the claim fence")


def _word_lines(text: str) -> list[str]:
    lines = text.splitlines()
    return [lines[0] if lines else "", *(line for line in lines if line.startswith("## Verdict"))]


def _compare_page(path: Path, text: str, result: VerifyResult) -> Iterator[str]:
    try:
        written = _read(path / PAGE)
    except OSError:
        return  # told among the checksums
    derived = text.encode("utf-8")
    if written == derived:
        yield "verdict.md: derived again, the same bytes"
        return
    lines = zip(written.split(b"\n"), derived.split(b"\n"), strict=False)
    number = next((n for n, (a, b) in enumerate(lines, start=1) if a != b), None)
    where = f"line {number} is not what the log gives" if number else "it breaks off, or goes on"
    _add(result, "page_differs", PAGE, where)


def _compare_sealed(path: Path, judged: Judged) -> Iterator[str]:
    """Hold the copy of the sealed text, where there is one, against the journal's."""
    copy, sealed = path / SEALED_TEXT, judged.state.sealed
    try:
        written = _read(copy)
    except OSError:
        return
    if sealed is None or written != sealed.text.encode("utf-8"):
        _add(judged.checked, "sealed_text_differs", SEALED_TEXT, "is not the text in the journal")
    else:
        yield f"{SEALED_TEXT}: the text that the journal has as sealed"


def _compare_plots(folder: Path, judged: Judged, *, same_tool: bool) -> Iterator[str]:
    """Draw the plots again where this program and this matplotlib drew them.

    Where something else does not hold already, that is told without them.
    """
    if judged.checked.problems:
        yield "plots: not drawn again, as something else does not hold"
        return
    there = {name: folder / name for name in plot_names(judged.series) if (folder / name).is_file()}
    here, versions = matplotlib_version(), {drawn_by(_read(path)) for path in there.values()}
    if not there:
        return  # told among the checksums
    if not same_tool or versions != {here}:
        told = shown(", ".join(sorted(versions)) or "another", 60)
        yield f"plots: not drawn again, they were drawn by matplotlib {told}, here is {here}"
        return
    try:
        with tempfile.TemporaryDirectory(prefix="plateau-tui-") as scratch:
            draw_plots(judged.series, Path(scratch))
            differing = [
                name
                for name, path in there.items()
                if _read(path) != (Path(scratch) / name).read_bytes()
            ]
    except OSError as error:
        yield f"plots: not drawn again, there is no room for it: {error.strerror}"
        return
    for name in differing:
        text = "does not show what the rows say"
        _add(judged.checked, "plot_differs", f"{PLOTS}/{name}", text)
    if not differing:
        yield "plots: drawn again, the same bytes"


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MAX_FILE)
