"""The contracts that can be calibrated here, and what came of those that were."""

import threading
from pathlib import Path
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import OptionList

from plateau_tui.calibration.apart import Apart, Failed, Missing, looking
from plateau_tui.calibration.catalog import target_ids
from plateau_tui.calibration.controls import controls_of
from plateau_tui.console.lines.calibration import outcome_state
from plateau_tui.console.lines.text import harmless, pad
from plateau_tui.console.screens.base import BACK, BaseScreen, Line
from plateau_tui.console.screens.dialogs import Ask
from plateau_tui.console.screens.measuring import (
    CONTROLS,
    MOTION,
    Known,
    LinesScreen,
    MeasureScreen,
    no_controls,
)
from plateau_tui.console.screens.recorded import RecordedScreen
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
        MOTION,
        CONTROLS,
        Binding(
            "r",
            "reference",
            "Reference",
            id="calibration.reference",
            tooltip="Play it on another recording (--reference)",
        ),
        Binding("j,down", "move(1)", "Down", show=False, id="calibration.down"),
        Binding("k,up", "move(-1)", "Up", show=False, id="calibration.up"),
        BACK,
    ]

    def __init__(self, folder: RunFolder | None = None) -> None:
        super().__init__()
        self._folder = folder
        self._names = (*((_RUN,) if folder else ()), *target_ids())
        self._missing: dict[str, str] = {}
        self._known = Known()
        self._look_failed = self._heard = ""
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

    # -- showing ----------------------------------------------------------------------------

    def show(self) -> None:
        """Show every line, and the chosen one in full."""
        if not self.is_seen:
            return
        options = self.query_one("#targets", Choices)
        width = max(1, self.size.width - 1)
        lines = [harmless(f"{pad(n, _NAME)} {self._state(n)}", width) for n in self._names]
        options.show_lines(self._names, lines)
        self._show_chosen()

    def _state(self, name: str) -> str:
        if name == _RUN and self._folder is not None:
            return f"{self._folder.path.name}: its treatment against its control units"
        if name in self._known.outcomes:
            return outcome_state(self._known.outcomes[name])
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
            self.app.push_screen(MeasureScreen([name], self._known))

    def _playable(self, without: str) -> str | None:
        """Return the chosen target, if it can be played; ``without`` is said of a run."""
        name = self._chosen()
        if name is None or not self.is_front:
            return None
        if name == _RUN and self._folder is not None:
            self.hear(without)
            return None
        return None if self._missing.get(name) else name  # that stands below the list already

    def action_motion(self) -> None:
        """Play the chosen target and show how every number moved."""
        name = self._playable("choose a target; a run shows how its counters moved: press o")
        if name is not None:
            self.app.push_screen(MeasureScreen([name], self._known, motion=True))

    def action_controls(self) -> None:
        """Play the chosen target, and the players of it that look."""
        name = self._playable("choose a target; a run has no controls beside its control units")
        if name is None:
            return
        if controls_of(name) is None:
            self.hear(no_controls(name))
        else:
            self.app.push_screen(MeasureScreen([name], self._known, controls=True))

    @work
    async def action_reference(self) -> None:
        """Ask for a recording, and play the chosen target on it."""
        name = self._playable("choose a target; the references of a run are its treatment units")
        if name is None:
            return
        meaning = "A file as calibrate --reference takes it: seed, inputs, rules, declarations."
        file = await self.app.push_screen_wait(Ask(f"Another reference for {name}", meaning))
        if file and file.strip():
            self.app.push_screen(MeasureScreen([name], Known(), reference=_path(file)))

    def action_every(self) -> None:
        """Play all that can be played here, one after another."""
        if self.is_front:
            names = [name for name in target_ids() if not self._missing.get(name)]
            self.app.push_screen(MeasureScreen(names, self._known))

    def action_move(self, step: int) -> None:
        """Choose another line."""
        options = self.query_one("#targets", Choices)
        if step > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()


def _path(typed: str) -> Path:
    """Return the file that was typed, as a shell would: from here, or from the home as ~."""
    path = Path(typed.strip())
    try:
        return path.expanduser()
    except RuntimeError:  # nobody's home
        return path


SCREENS: Final = {
    "calibration": CalibrationScreen.BINDINGS,
    "calibrating": [*LinesScreen.BINDINGS, *MeasureScreen.BINDINGS],
    "calibrated run": [*LinesScreen.BINDINGS, *RecordedScreen.BINDINGS],
}
"""The keys of each screen of the calibration, by its name."""
