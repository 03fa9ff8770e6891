"""The export folder: a run's log with its verdict, for somebody who has nothing else.

    verdict.json verdict.md rows.jsonl journal.jsonl registration.toml attestation.toml
    registration.sealed.toml plots/*.svg SHA256SUMS

It is a function of the log: the same log gives the same bytes, whenever and wherever it is
exported by this version. ``registration.sealed.toml`` stands there only when registration.toml is
no longer what was sealed, ``attestation.toml`` only when there is one, and ``rows.cut-N`` only
when the rows were cut under their writer: it holds what was left of them.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from plateau_tui.report.gather import Judged, judge
from plateau_tui.report.names import (
    EXPORT,
    PAGE,
    PLOTS,
    RECORD,
    SEALED_TEXT,
    SUMS,
    is_export,
)
from plateau_tui.report.page import page
from plateau_tui.report.place import PlaceTakenError, put_folder
from plateau_tui.report.plots import draw_plots
from plateau_tui.report.record import encode_record, record
from plateau_tui.report.snapshot import copy_log
from plateau_tui.report.sums import sums_text
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import read_state


@dataclass(frozen=True, slots=True)
class Exported:
    """Where an export stands, and its verdict."""

    path: Path
    judged: Judged


def export_run(folder: RunFolder, target: Path | None = None) -> Exported:
    """Export a run, whole or not at all; an earlier export of the same run is replaced.

    Args:
        folder: the run, or an export of it.
        target: the new folder; the run's own ``export`` where none is named.

    Raises:
        PlaceTakenError: something else stands there.
        PlaceError: it cannot be written; an earlier export stands there still.
        ConfigError: the run's registration or attestation cannot be used.

    """
    if target is None:
        if is_export(folder.path):
            raise PlaceTakenError(f"{folder.path} is an export itself; name a folder: --to DIR")
        target = folder.path / EXPORT
    target = Path(os.path.abspath(target))  # noqa: PTH100 - a link as the last part stays one
    if not target.name or (is_export(folder.path) and folder.path.absolute() in target.parents):
        raise PlaceTakenError(f"no export can stand at {target}; name another folder")
    made: list[Judged] = []
    mode = folder.path.stat().st_mode & 0o777

    def build(path: Path) -> None:
        made.append(fill_export(folder, RunFolder(path)))

    put_folder(target, mode, build, lambda path: _is_export_of(path, folder))
    return Exported(target, made[-1])


def fill_export(source: RunFolder, target: RunFolder) -> Judged:
    """Fill an empty folder with the export of a run; its verdict is that of the copied files.

    Raises:
        ConfigError: the run's registration or attestation cannot be used.
        OSError: a file cannot be read or written.

    """
    copy_log(source, target)
    judged = judge(target)
    sealed = judged.state.sealed
    if sealed is not None and judged.seal_differs:
        (target.path / SEALED_TEXT).write_bytes(sealed.text.encode("utf-8"))
    plots = target.path / PLOTS
    plots.mkdir()
    draw_plots(judged.series, plots)
    (target.path / RECORD).write_bytes(encode_record(record(judged)))
    (target.path / PAGE).write_bytes(page(judged).encode("utf-8"))
    (target.path / SUMS).write_bytes(sums_text(target.path).encode("utf-8"))
    return judged


def _is_export_of(path: Path, folder: RunFolder) -> bool:
    """Say whether ``path`` holds an earlier export of the run: its journal names the collector."""
    if not path.is_dir() or not all((path / name).exists() for name in (SUMS, RECORD)):
        return False
    ours = read_state(folder.journal)[0].collector_id
    return bool(ours) and read_state(RunFolder(path).journal)[0].collector_id == ours
