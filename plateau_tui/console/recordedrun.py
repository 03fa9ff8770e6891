"""A run measured as a calibration, off its files: for the console, its pages and the command."""

from dataclasses import dataclass

from plateau_tui.calibration.recorded import (
    EmptyRunError,
    RecordedRow,
    RecordedRun,
    measure_run,
)
from plateau_tui.collector.run import registration_of
from plateau_tui.errorwords import error_words
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.recorded_rows import read_recorded


@dataclass(frozen=True, slots=True)
class RunMeasured:
    """What was measured, or why nothing could be, and what was left out of it."""

    run: RecordedRun | None
    error: str
    left_out: tuple[str, ...]


def recorded_run(folder: RunFolder) -> tuple[RecordedRun, tuple[str, ...]]:
    """Measure a run folder or an export, reading only; an open run is measured so far.

    Returns what was measured, and a line for each file of which lines were left out.

    Raises:
        RunFolderError: there is no run.
        ConfigError: its registration cannot be used.
        EmptyRunError: it holds nothing that can be measured; what was left out is told with it.

    """
    found = read_recorded(folder)
    state = found.state
    try:
        run = measure_run(
            registration_of(folder, state),
            state.pins,
            state.start,
            (RecordedRow(reading, hoard) for reading, hoard in found.rows),
            closed=state.closed is not None if state.first_event else None,
        )
    except EmptyRunError as error:
        raise EmptyRunError("; ".join((str(error), *found.left_out))) from None
    return run, found.left_out


def measured(folder: RunFolder) -> RunMeasured:
    """Measure a run so far, reading only; an error of ours becomes a line."""
    try:
        run, left_out = recorded_run(folder)
    except Exception as error:  # noqa: BLE001 - the console goes on whatever a log holds
        return RunMeasured(None, error_words(error), ())
    return RunMeasured(run, "", left_out)
