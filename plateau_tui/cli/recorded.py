"""``plateau-tui calibrate --run``: a recorded run, and what was left out of it."""

from plateau_tui.calibration.recorded import RecordedRun
from plateau_tui.cli.common import say
from plateau_tui.console import recordedrun
from plateau_tui.runlog.layout import RunFolder


def recorded_run(folder: RunFolder) -> RecordedRun:
    """Measure a run folder or an export as the console does, and say what was left out.

    Raises:
        RunFolderError: there is no run.
        ConfigError: its registration cannot be used.
        EmptyRunError: it holds nothing that can be measured.

    """
    run, left_out = recordedrun.recorded_run(folder)
    for line in left_out:
        say(line)
    return run
