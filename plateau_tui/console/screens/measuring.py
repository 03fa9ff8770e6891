"""What a calibration shows of targets, while they are played and when they have been."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final, Literal

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.message import Message

from plateau_tui.calibration.apart import Apart, Failed, Job, Told, measuring, ranking
from plateau_tui.calibration.apart import Message as Sent
from plateau_tui.calibration.catalog import load_target, target_ids
from plateau_tui.calibration.controls import Ranked, controls_of
from plateau_tui.calibration.outcome import Outcome
from plateau_tui.calibration.report import Report
from plateau_tui.console.lines.calibration import (
    folded,
    outcomes_lines,
    progress_line,
)
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.screens.base import BACK, BaseScreen, Line
from plateau_tui.metric.plain import out_of

WALKS = 32
"""Walks of a sound generator beside the baselines, as the command plays by default."""


@dataclass(frozen=True, slots=True)
class Work:
    """What one process plays: a target, or the controls of one."""

    target: str
    kind: Literal["target", "controls"]


class Heard(Message):
    """What the process that plays something has sent."""

    def __init__(self, work: Work, sent: Sent | None) -> None:
        self.work = work
        self.sent = sent
        super().__init__()

    def can_replace(self, message: Message) -> bool:
        """Let newer progress replace what was not shown yet, and nothing else."""
        newer = isinstance(message, Heard) and isinstance(message.sent, Told)
        return newer and isinstance(self.sent, Told)


class Over(Message):
    """Nothing is played any more."""


class LinesScreen(BaseScreen):
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


@dataclass
class Known:
    """What was measured on one set of references since the calibration was opened, by target."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    ranked: dict[str, Ranked] = field(default_factory=dict)


MOTION: Final = Binding(
    "m", "motion", "Motion", id="calibration.motion", tooltip="How every number moved (--motion)"
)
CONTROLS: Final = Binding(
    "c", "controls", "Controls", id="calibration.controls",
    tooltip="Players that look, ranked (--controls)",
)  # fmt: skip


class MeasureScreen(LinesScreen):
    """Plays targets one after another in processes of their own, and shows what came of them.

    Esc breaks off what is played, and goes back where nothing is; whoever leaves the screen ends
    the processes.
    """

    BINDINGS: ClassVar[list[BindingType]] = [MOTION, CONTROLS]

    def __init__(
        self,
        targets: Sequence[str],
        known: Known,
        *,
        reference: Path | None = None,
        motion: bool = False,
        controls: bool = False,
    ) -> None:
        """Prepare; what is ``known`` is not played again, and gets what was measured.

        ``reference`` is a file that is replayed instead of what ships; ``motion`` and ``controls``
        are what the keys of these names show.
        """
        super().__init__()
        self._targets = tuple(targets)
        self._known = known
        self._reference = reference
        self._motion, self._controls = motion, controls
        self._failed: dict[Work, str] = {}
        self._said = ""
        self._told: Told | None = None
        self._now = self._targets[0] if self._targets else ""
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._apart: Apart | None = None
        self._playing = False

    @property
    def busy(self) -> bool:
        """Whether something is played."""
        return self._playing

    def on_mount(self) -> None:
        """Begin to play."""
        what = "Calibration: what baselines that do not look earn"
        if self._reference is not None:
            what = f"Calibration on {self._reference}"
        self.query_one("#header", Line).show(harmless(what))
        self._begin()
        self.show()

    def on_unmount(self) -> None:
        """End the processes."""
        self._break_off()

    def _break_off(self) -> None:
        self._stop.set()
        with self._lock:
            if self._apart is not None:
                self._apart.stop()

    def _open_work(self) -> list[Work]:
        """Return what is still to be played."""
        known = self._known
        work = [Work(name, "target") for name in self._targets if name not in known.outcomes]
        if self._controls:
            work += [
                Work(name, "controls")
                for name in self._targets
                if controls_of(name) is not None and name not in known.ranked
            ]
        return [each for each in work if each not in self._failed]

    def _begin(self) -> None:
        work = self._open_work()
        self._playing = bool(work) and not self._stop.is_set()
        if self._playing:
            reports = {name: o.measured.report for name, o in self._known.outcomes.items()}
            self._play(work, reports)

    @work(thread=True, exclusive=True, exit_on_error=False, group="measure", description="measure")
    def _play(self, open_work: Sequence[Work], reports: dict[str, Report]) -> None:
        for each in open_work:
            if self._stop.is_set():
                break
            job = self._job(each, reports)
            if job is None:  # its target came to nothing
                continue
            self.post_message(Heard(each, None))
            try:
                self._play_one(each, job, reports)
            except OSError as error:  # no process can be started
                self.post_message(Heard(each, Failed(error.strerror or str(error))))
        self.post_message(Over())

    def _job(self, each: Work, reports: Mapping[str, Report]) -> Job | None:
        if each.kind == "target":
            return measuring(load_target(each.target), WALKS, self._reference)
        if each.target not in reports:
            return None
        return ranking(load_target(each.target), reports[each.target], self._reference)

    def _play_one(self, each: Work, job: Job, reports: dict[str, Report]) -> None:
        with self._lock:
            if self._stop.is_set():
                return
            apart = self._apart = Apart(job)
        try:
            for sent in apart.messages():
                if self._stop.is_set():
                    return
                if isinstance(sent, Outcome):
                    reports[each.target] = sent.measured.report
                self.post_message(Heard(each, sent))
        finally:
            with self._lock:
                apart.close()
                self._apart = None

    @on(Heard)
    def _hear(self, message: Heard) -> None:
        match message.sent:
            case None:
                self._now, self._told = message.work.target, None
                self.show_next()
            case Told() as told:
                self._told = told
                self.show_next()
            case Outcome() as outcome:
                self._known.outcomes[message.work.target] = outcome
                self.show()
            case Ranked() as ranked:
                self._known.ranked[message.work.target] = ranked
                self.show()
            case Failed(text):
                name = message.work.target
                self._failed[message.work] = text if text.startswith(name) else f"{name}: {text}"
                self.show()

    @on(Over)
    def _end(self) -> None:
        if self._playing and self._controls and self._can_rank():
            self._begin()  # they were asked for while the targets were played
        else:
            self._playing = False
        self.show()

    def _can_rank(self) -> bool:
        """Whether controls are left that can be played: their target has come to something."""
        return any(each.target in self._known.outcomes for each in self._open_work())

    def happens(self) -> str:
        """Return how far it is, or how it ended."""
        if self._playing and not self._stop.is_set():
            return f"{progress_line(self._now, self._told)}; esc breaks off"
        if self._stop.is_set():
            far = f" at {out_of(self._told.done, self._told.total, 'run')}" if self._told else ""
            return f"{self._now}: broken off{far}; esc goes back"
        return self._said or "done; j k, arrows and page keys scroll, esc goes back"

    def lines(self, width: int) -> list[str]:
        """Return the tables and findings of what was measured, and what could not be."""
        names, known = self._targets, self._known
        outcomes = [known.outcomes[name] for name in names if name in known.outcomes]
        ranked = [known.ranked[name] for name in names if name in known.ranked]
        return [
            *folded(list(self._failed.values()), width),
            *outcomes_lines(outcomes, width, ranked if self._controls else (), motion=self._motion),
        ]

    def action_motion(self) -> None:
        """Show how every number moved, above all else, or no more."""
        if self.is_front:
            self._motion = not self._motion
            self._said = ""
            self._show_from_top()

    def action_controls(self) -> None:
        """Play the controls and show them, or show them no more."""
        if not self.is_front:
            return
        self._said = ""
        if all(controls_of(name) is None for name in self._targets):
            self._said = no_controls(self._targets[0])
            self.show_next()
            return
        self._controls = not self._controls
        if not self._playing:
            self._begin()
        self._show_from_top()

    def _show_from_top(self) -> None:
        self.show()
        self.query_one("#measured", VerticalScroll).scroll_home(animate=False)

    def action_back(self) -> None:
        """Break off what is played, or go back."""
        if self._playing and not self._stop.is_set() and self.is_front:
            self._break_off()
            self.show()
        else:
            super().action_back()


def no_controls(name: str) -> str:
    """Return the answer where a target has no players that look."""
    some = ", ".join(target for target in target_ids() if controls_of(target) is not None)
    return f"{name} has no controls; these have: {some}"
