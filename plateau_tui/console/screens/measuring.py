"""What a calibration shows: targets while they are played, and a recorded run."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message

from plateau_tui.calibration.apart import Apart, Failed, Told, measuring
from plateau_tui.calibration.apart import Message as Sent
from plateau_tui.calibration.catalog import load_target
from plateau_tui.calibration.outcome import Outcome
from plateau_tui.console.calibrationlines import (
    folded,
    outcomes_lines,
    progress_line,
    recorded_lines,
)
from plateau_tui.console.recordedrun import RunMeasured, measured
from plateau_tui.console.screens.base import BACK, BaseScreen, Line
from plateau_tui.console.text import harmless
from plateau_tui.runlog.layout import RunFolder

WALKS = 32
"""Walks of a sound generator beside the baselines, as the command plays by default."""


class Heard(Message):
    """What the process that plays a target has sent."""

    def __init__(self, target: str, sent: Sent | None) -> None:
        self.target = target
        self.sent = sent
        super().__init__()

    def can_replace(self, message: Message) -> bool:
        """Let newer progress replace what was not shown yet, and nothing else."""
        newer = isinstance(message, Heard) and isinstance(message.sent, Told)
        return newer and isinstance(self.sent, Told)


class Over(Message):
    """Nothing is played any more."""


class RunHeard(Message):
    """What a thread has measured of a recorded run."""

    def __init__(self, found: RunMeasured) -> None:
        self.found = found
        super().__init__()


class _LinesScreen(BaseScreen):
    """A heading, what happens, and lines to scroll in."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll(1)", "Down", show=False, id="measured.down"),
        Binding("k,up", "scroll(-1)", "Up", show=False, id="measured.up"),
        BACK,
    ]

    def compose_body(self) -> ComposeResult:
        """Lay out heading, what happens, and what was measured."""
        yield Line(id="header")
        yield Line(id="next")
        with VerticalScroll(id="measured"):
            yield Line(id="lines")

    def on_mount(self) -> None:
        """Let the keys scroll."""
        self.query_one("#measured").focus()

    def lines(self, width: int) -> list[str]:
        """Return what was measured, in lines of at most ``width`` cells."""
        raise NotImplementedError

    def happens(self) -> str:
        """Return what happens now, or what to do."""
        raise NotImplementedError

    def show(self) -> None:
        """Show what is known now, if this screen can be seen."""
        if not self.is_seen:
            return
        self.show_next()
        width = max(1, self.size.width - 1)  # the scroll bar
        self.query_one("#lines", Line).show("\n".join(self.lines(width)))

    def show_next(self) -> None:
        """Show what happens now."""
        if self.is_seen:
            self.query_one("#next", Line).show(harmless(self.happens()))

    def resized(self) -> None:
        """Fit what is shown to the new size."""
        self.show()

    def on_screen_resume(self) -> None:
        """Show what has changed behind another screen."""
        self.show()

    def action_scroll(self, step: int) -> None:
        """Scroll by a line."""
        self.query_one("#measured", VerticalScroll).scroll_relative(y=step, animate=False)


class MeasureScreen(_LinesScreen):
    """Plays targets one after another in processes of their own, and shows what came of them.

    Esc breaks off what is played, and goes back where nothing is; whoever leaves the screen ends
    the processes.
    """

    def __init__(
        self,
        targets: Sequence[str],
        known: Mapping[str, Outcome],
        keep: Callable[[Outcome], None],
    ) -> None:
        """Prepare; what is ``known`` is not played again, and ``keep`` gets what was measured."""
        super().__init__()
        self._targets = tuple(targets)
        self._outcomes = {name: known[name] for name in targets if name in known}
        self._keep = keep
        self._failed: list[str] = []
        self._told: Told | None = None
        self._now = self._targets[0] if self._targets else ""
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._apart: Apart | None = None
        self._playing = len(self._outcomes) < len(self._targets)

    @property
    def busy(self) -> bool:
        """Whether something is played."""
        return self._playing

    def on_mount(self) -> None:
        """Begin to play."""
        self.query_one("#header", Line).show("Calibration: what baselines that do not look earn")
        self._play()
        self.show()

    def on_unmount(self) -> None:
        """End the processes."""
        self._break_off()

    def _break_off(self) -> None:
        self._stop.set()
        with self._lock:
            if self._apart is not None:
                self._apart.stop()

    @work(thread=True, exclusive=True, exit_on_error=False, group="measure", description="measure")
    def _play(self) -> None:
        for name in self._targets:
            if name not in self._outcomes and not self._stop.is_set():
                self.post_message(Heard(name, None))
                try:
                    self._play_one(name)
                except OSError as error:  # no process can be started
                    self.post_message(Heard(name, Failed(error.strerror or str(error))))
        self.post_message(Over())

    def _play_one(self, name: str) -> None:
        with self._lock:
            if self._stop.is_set():
                return
            apart = self._apart = Apart(measuring(load_target(name), WALKS))
        try:
            for sent in apart.messages():
                if self._stop.is_set():
                    return
                self.post_message(Heard(name, sent))
        finally:
            with self._lock:
                apart.close()
                self._apart = None

    @on(Heard)
    def _hear(self, message: Heard) -> None:
        match message.sent:
            case None:
                self._now, self._told = message.target, None
                self.show_next()
            case Told() as told:
                self._told = told
                self.show_next()
            case Outcome() as outcome:
                self._outcomes[outcome.name] = outcome
                self._keep(outcome)
                self.show()
            case Failed(text):
                named = text.startswith(message.target)
                self._failed.append(text if named else f"{message.target}: {text}")
                self.show()

    @on(Over)
    def _end(self) -> None:
        self._playing = False
        self.show()

    def happens(self) -> str:
        """Return how far it is, or how it ended."""
        if self._playing and not self._stop.is_set():
            return f"{progress_line(self._now, self._told)}; esc breaks off"
        if self._stop.is_set():
            far = f" at {self._told.done} of {self._told.total} runs" if self._told else ""
            return f"{self._now}: broken off{far}; esc goes back"
        return "done; j k, arrows and page keys scroll, esc goes back"

    def lines(self, width: int) -> list[str]:
        """Return the tables and findings of what was measured, and what could not be."""
        outcomes = [self._outcomes[name] for name in self._targets if name in self._outcomes]
        return [
            *folded(self._failed, width),
            *(outcomes_lines(outcomes, width) if outcomes else ()),
        ]

    def action_back(self) -> None:
        """Break off what is played, or go back."""
        if self._playing and not self._stop.is_set() and self.is_front:
            self._break_off()
            self.show()
        else:
            super().action_back()


class RecordedScreen(_LinesScreen):
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
