"""The screens that are opened from more than one place, and loaded when they are wanted."""

from textual.app import App

from plateau_tui.runlog.layout import RunFolder


def open_calibration(app: App[object], folder: RunFolder | None) -> None:
    """Open the calibration, with a run or without."""
    from plateau_tui.console.screens import calibration  # noqa: PLC0415 - start-up is quicker

    app.push_screen(calibration.CalibrationScreen(folder))


def open_replay(app: App[object], folder: RunFolder, *, at_end: bool = False) -> None:
    """Open a run's log at any moment of it, at its latest or at its first to begin with."""
    from plateau_tui.console.screens import replay  # noqa: PLC0415 - start-up is quicker

    app.push_screen(replay.ReplayScreen(folder.path, at_end=at_end))
