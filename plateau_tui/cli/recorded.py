"""``plateau-tui calibrate --run``: a recorded run, from its files to what was measured."""

from plateau_tui.calibration.recorded import RecordedRow, RecordedRun, measure_run
from plateau_tui.cli.common import say
from plateau_tui.collector.run import registration_of
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.recorded_rows import read_recorded


def recorded_run(folder: RunFolder) -> RecordedRun:
    """Measure a run folder or an export, reading only; an open run is measured so far.

    Raises:
        RunFolderError: there is no run.
        ConfigError: its registration cannot be used.
        EmptyRunError: nothing was recorded yet.

    """
    found = read_recorded(folder)
    for line in found.left_out:
        say(line)
    return measure_run(
        registration_of(folder, found.state),
        found.state.pins,
        found.state.start,
        (RecordedRow(reading, hoard) for reading, hoard in found.rows),
        closed=found.state.closed is not None,
    )
