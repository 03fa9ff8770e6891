"""A run measured as a calibration, off its files: what a thread of the console does."""

from dataclasses import dataclass

from plateau_tui.calibration.recorded import RecordedRow, RecordedRun, measure_run
from plateau_tui.collector.run import registration_of
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.recorded_rows import read_recorded


@dataclass(frozen=True, slots=True)
class RunMeasured:
    """What was measured, or why nothing could be, and what was left out of it."""

    run: RecordedRun | None
    error: str
    left_out: tuple[str, ...]


def measured(folder: RunFolder) -> RunMeasured:
    """Measure a run so far, reading only; an error of ours becomes a line."""
    try:
        found = read_recorded(folder)
        run = measure_run(
            registration_of(folder, found.state),
            found.state.pins,
            found.state.start,
            (RecordedRow(reading, hoard) for reading, hoard in found.rows),
            closed=found.state.closed is not None,
        )
    except Exception as error:  # noqa: BLE001 - the console goes on whatever a log holds
        ours = getattr(type(error), "exit_code", None) is not None
        known = ours or isinstance(error, OSError)
        return RunMeasured(None, str(error) if known else f"{type(error).__name__}: {error}", ())
    return RunMeasured(run, "", found.left_out)
