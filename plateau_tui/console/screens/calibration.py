"""The contracts that can be calibrated here, and what came of those that were."""

import threading
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from plateau_tui.calibration.apart import Apart, Failed, Missing, looking
from plateau_tui.calibration.catalog import target_ids
from plateau_tui.calibration.outcome import Outcome
from plateau_tui.console.calibrationlines import outcome_state
from plateau_tui.console.screens.base import BACK, BaseScreen, Line
from plateau_tui.console.screens.measuring import MeasureScreen, RecordedScreen
from plateau_tui.console.text import harmless, pad
from plateau_tui.console.widgets.choices import Choices
from plateau_tui.runlog.layout import RunFolder

_NAME: Final = 27
_RUN: Final = "run"
"""The line of the run from which this screen was opened; targets have lines of their own."""


class Looked(Message):
    """What a target needs, or why it is not known."""

    def __init__(self, found: Missing | Failed) -> None:
        self.found = found
        super().__init__()


class CalibrationScreen(BaseScreen):
    """Chooses what to calibrate: a target, all of them, or the run it was opened from."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "open", "Play", id="calibration.open", tooltip="The chosen line (also enter)"),
        Binding("e", "every", "Every", id="calibration.every", tooltip="All that can be played"),
        Binding("j,down", "move(1)", "Down", show=False, id="calibration.down"),
        Binding("k,up", "move(-1)", "Up", show=False, id="calibration.up"),
        BACK,
    ]

    def __init__(self, folder: RunFolder | None = None) -> None:
        super().__init__()
        self._folder = folder
        self._names = (*((_RUN,) if folder else ()), *target_ids())
        self._missing: dict[str, str] = {}
        self._outcomes: dict[str, Outcome] = {}
        self._look_failed = self._heard = ""
        self._lines: list[str] = []
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._apart: Apart | None = None

    def compose_body(self) -> ComposeResult:
        """Lay out the list, and the chosen line in full."""
        yield Line("Calibration: what a contract measures", id="header")
        yield Line(f"{pad('contract', _NAME)} what came of it", id="columns", classes="columns")
        yield Choices(id="targets", markup=False)
        yield Line(id="next")

    def on_mount(self) -> None:
        """Look what is installed; the keys choose a line."""
        self._look()
        self.show()
        self.query_one("#targets").focus()

    def on_unmount(self) -> None:
        """End the look."""
        self._stop.set()
        with self._lock:
            if self._apart is not None:
                self._apart.stop()

    @work(thread=True, exclusive=True, exit_on_error=False, group="look", description="look")
    def _look(self) -> None:
        """Ask a process of its own: the games' packages are large, and stay out of this one."""
        with self._lock:
            if self._stop.is_set():
                return
            try:
                apart = self._apart = Apart(looking(target_ids()))
            except OSError as error:  # no process can be started
                self.post_message(Looked(Failed(error.strerror or str(error))))
                return
        try:
            for sent in apart.messages():
                if isinstance(sent, Missing | Failed) and not self._stop.is_set():
                    self.post_message(Looked(sent))
        finally:
            with self._lock:
                apart.close()
                self._apart = None

    @on(Looked)
    def _take(self, message: Looked) -> None:
        match message.found:
            case Missing(target, text):
                self._missing[target] = text
            case Failed(text):
                self._look_failed = text
        self.show()

    @property
    def looked(self) -> bool:
        """Whether it is known of every target what it needs."""
        return bool(self._look_failed) or all(name in self._missing for name in target_ids())

    def _keep(self, outcome: Outcome) -> None:
        self._outcomes[outcome.name] = outcome

    # -- showing ----------------------------------------------------------------------------

    def show(self) -> None:
        """Show every line, and the chosen one in full."""
        if not self.is_seen:
            return
        options = self.query_one("#targets", OptionList)
        width = max(1, self.size.width - 1)
        lines = [harmless(f"{pad(n, _NAME)} {self._state(n)}", width) for n in self._names]
        if not options.option_count:
            options.add_options(
                Option(Content(line), id=name)
                for name, line in zip(self._names, lines, strict=True)
            )
            options.highlighted = 0
        else:
            for place, line in enumerate(lines):
                if line != self._lines[place]:
                    options.replace_option_prompt_at_index(place, Content(line))
        self._lines = lines
        self._show_chosen()

    def _state(self, name: str) -> str:
        if name == _RUN and self._folder is not None:
            return f"{self._folder.path.name}: its treatment against its control units"
        if name in self._outcomes:
            return outcome_state(self._outcomes[name])
        if name not in self._missing:
            return self._look_failed or "looking ..."
        return self._missing[name].removeprefix(f"{name} ") or "not played yet"

    def _show_chosen(self) -> None:
        name = self._chosen()
        shown = self._heard or (self._state(name) if name else "")
        self.query_one("#next", Line).show(harmless(shown))

    def resized(self) -> None:
        """Fit the lines to the new size."""
        self.show()

    def on_screen_resume(self) -> None:
        """Show what was measured meanwhile."""
        self.show()

    def hear(self, text: str, job: str = "") -> None:
        """Show an answer, until another line is chosen."""
        del job
        self._heard = text
        self.show()

    # -- choosing ---------------------------------------------------------------------------

    def _chosen(self) -> str | None:
        option = self.query_one("#targets", OptionList).highlighted_option
        return option.id if option is not None else None

    @on(OptionList.OptionHighlighted)
    def _choose(self) -> None:
        self._heard = ""
        self._show_chosen()

    @on(OptionList.OptionSelected)
    def _open(self, event: OptionList.OptionSelected) -> None:
        self._play(event.option_id)

    def action_open(self) -> None:
        """Play the chosen target, or measure the run."""
        self._play(self._chosen())

    def _play(self, name: str | None) -> None:
        if name is None or not self.is_front:
            return
        if name == _RUN and self._folder is not None:
            self.app.push_screen(RecordedScreen(self._folder))
        elif not self._missing.get(name):  # what is missing stands below the list already
            self.app.push_screen(MeasureScreen([name], self._outcomes, self._keep))

    def action_every(self) -> None:
        """Play all that can be played here, one after another."""
        if self.is_front:
            names = [name for name in target_ids() if not self._missing.get(name)]
            self.app.push_screen(MeasureScreen(names, self._outcomes, self._keep))

    def action_move(self, step: int) -> None:
        """Choose another line."""
        options = self.query_one("#targets", OptionList)
        if step > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()


SCREENS: Final = {
    "calibration": CalibrationScreen.BINDINGS,
    "calibrating": MeasureScreen.BINDINGS,
    "calibrated run": [*MeasureScreen.BINDINGS, *RecordedScreen.BINDINGS],
}
"""The keys of each screen of the calibration, by its name."""
