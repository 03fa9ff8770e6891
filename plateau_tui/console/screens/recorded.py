"""What a calibration shows of a recorded run: its treatment units against its control units."""

from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.message import Message

from plateau_tui.console.lines.calibration import recorded_lines
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.recordedrun import RunMeasured, measured
from plateau_tui.console.screens.base import Line
from plateau_tui.console.screens.measuring import LinesScreen
from plateau_tui.runlog.layout import RunFolder


class RunHeard(Message):
    """What a thread has measured of a recorded run."""

    def __init__(self, found: RunMeasured) -> None:
        self.found = found
        super().__init__()


class RecordedScreen(LinesScreen):
    """A recorded run: its treatment units as references, its control units as baselines."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "read_again", "Read", id="measured.read", tooltip="Read the run anew"),
    ]

    def __init__(self, folder: RunFolder) -> None:
        super().__init__()
        self._folder = folder
        self._found: RunMeasured | None = None

    def on_mount(self) -> None:
        """Begin to read."""
        name = harmless(self._folder.path.name)
        self.query_one("#header", Line).show(f"Calibration of the run {name}: arm against arm")
        self._read()
        self.show()

    @work(thread=True, exclusive=True, exit_on_error=False, group="measure", description="measure")
    def _read(self) -> None:
        self.post_message(RunHeard(measured(self._folder)))

    @on(RunHeard)
    def _hear(self, message: RunHeard) -> None:
        self._found = message.found
        self.show()

    def happens(self) -> str:
        """Return what is wrong, or what was left out."""
        if self._found is None:
            return "reading ..."
        return self._found.error or "; ".join(self._found.left_out)

    def lines(self, width: int) -> list[str]:
        """Return what ``calibrate --run`` prints."""
        run = self._found.run if self._found else None
        return recorded_lines(run, width) if run else []

    def action_read_again(self) -> None:
        """Read the run anew: it may have gone on."""
        if self.is_front:
            self._found = None
            self.show()
            self._read()
