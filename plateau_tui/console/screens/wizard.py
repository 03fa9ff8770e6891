"""The first-poll wizard: check, register, watch, pin, seal; each step when it is asked for."""

import asyncio
import contextlib
import threading
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from plateau_tui.collector import operate
from plateau_tui.collector.pins import PinRequest
from plateau_tui.collector.run import ServerAccess
from plateau_tui.config import operator_name
from plateau_tui.console import clock
from plateau_tui.console.firstpoll import FirstPoll, last_watch, with_species
from plateau_tui.console.gate.sealing import seal_meaning, seal_run
from plateau_tui.console.jobs import Job, run_job
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.lines.watch import next_line, step_line, watch_lines
from plateau_tui.console.messages import JobDone, Progress, Watched, WatchView
from plateau_tui.console.pinning import ask_pin, suggestion
from plateau_tui.console.screens.base import BACK, BaseScreen, Line, is_open, key_names
from plateau_tui.console.screens.dialogs import Ask, Confirm
from plateau_tui.console.screens.following import FollowingScreen
from plateau_tui.console.starting import CollectorStarter
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.layout import RunFolder

_KEPT: Final = 200
_ALSO: Final = "another wood"
_ASKS_SERVER: Final = frozenset({"check", "register", "watch", _ALSO})


class WizardScreen(FollowingScreen):
    """Does one step at a time and says what came of it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "step('check')", "Check", id="wizard.check", tooltip="Look at the server"),
        Binding("g", "step('register')", "Register", id="wizard.register", tooltip="Objectives"),
        Binding("w", "step('watch')", "Watch", id="wizard.watch", tooltip="Again: stop"),
        Binding("a", "also", "Another wood", id="wizard.also", tooltip="Add a species"),
        Binding("p", "pin", "Pin", id="wizard.pin", tooltip="Pin BASELINE_WOOD"),
        Binding("s", "seal", "Seal", id="wizard.seal", tooltip="Check and seal the gate"),
        Binding("j,down", "scroll(1)", "Down", show=False, id="wizard.down"),
        Binding("k,up", "scroll(-1)", "Up", show=False, id="wizard.up"),
        BACK,
    ]

    def __init__(self, folder: RunFolder, access: ServerAccess | None = None) -> None:
        super().__init__(folder)
        self._access = access
        self._typed = False
        self._lines: list[str] = []
        self._watch: WatchView | None = None
        self._checked = False
        self._stop_job = threading.Event()
        self._under_way = ""
        self._next: tuple[str, Job] | None = None

    def compose_body(self) -> ComposeResult:
        """Lay out the steps, what to do next, the watch, what was said."""
        yield Line(harmless(f"First poll of {self.folder.path.name}", 60), id="header")
        yield Line(id="steps")
        yield Line(id="next")
        with VerticalScroll(id="watching", can_focus=False):
            yield Line(id="watch")
        with VerticalScroll(id="told"):
            yield Line(id="lines")

    def on_mount(self) -> None:
        """Let the keys scroll what is said; show again what the last watch saw."""
        self.query_one("#told").focus()
        self._recall()

    def on_unmount(self) -> None:
        """End what is under way; what a watch saw is written down."""
        self._next = None
        self._stop_job.set()

    # -- showing ----------------------------------------------------------------------------

    def show_now(self) -> None:
        """Show the steps, what to do next, and the watch."""
        view = self.view
        if view is None or self.error:
            self.query_one("#next", Line).show(harmless(self.error) or "reading ...")
            return
        watched = self._own_watch is not None or bool(view.watched)
        self.query_one("#steps", Line).show(step_line(view, checked=self._checked, watched=watched))
        self.query_one("#next", Line).show(
            next_line(
                view,
                checked=self._checked,
                under_way=self._under_way,
                suggested=self._suggested(),
                keys=key_names(self),
            )
        )
        if self._watch is not None:
            width = max(40, self.size.width - 1)
            lines = watch_lines(self._watch, clock.now_ms(), width, key_names(self))
            self.query_one("#watch", Line).show("\n".join(map(harmless, lines)))

    def _suggested(self) -> dict[str, str]:
        """Return what is suggested now: by this watch, else by what the files say."""
        known = suggestion(self.view) if self.view is not None else {}
        watch = self._own_watch
        return known | ({u: s for u, s in watch.suggestion.items() if s} if watch else {})

    @property
    def _own_watch(self) -> WatchView | None:
        """What a watch of this screen saw; the journal's is in the view, with what came later."""
        return None if self._watch is None or self._watch.from_journal else self._watch

    def _say(self, text: str) -> None:
        self._lines = [*self._lines, harmless(text)][-_KEPT:]
        if not is_open(self):
            return
        self.query_one("#lines", Line).show("\n".join(self._lines))
        self.query_one("#told", VerticalScroll).anchor()  # the newest line stays in sight

    def action_scroll(self, step: int) -> None:
        """Scroll the watch by a line where it goes on, else what was said."""
        watching = self.query_one("#watching", VerticalScroll)
        goes_on = 0 <= watching.scroll_y + step <= watching.max_scroll_y
        area = watching if goes_on else self.query_one("#told", VerticalScroll)
        area.scroll_relative(y=step, animate=False)

    # -- what jobs say ----------------------------------------------------------------------

    @on(Progress)
    def _progress(self, message: Progress) -> None:
        self._say(message.text)

    @on(Watched)
    def _look(self, message: Watched) -> None:
        if self._own_watch is None or not message.watch.from_journal:
            self._watch = message.watch
        self.show()

    @work(thread=True, exit_on_error=False, group="recall", description="the last watch")
    def _recall(self) -> None:
        with contextlib.suppress(ConfigError, OSError):  # the run's own reading says what is wrong
            watch = last_watch(self.folder)
            if watch is not None:
                self.post_message(Watched(watch))

    @on(JobDone)
    def _done(self, message: JobDone) -> None:
        message.stop()
        self._under_way = ""
        self._say(f"{message.job}: {'' if message.ok else 'NO: '}{message.text}")
        self._checked = self._checked or (message.job == "check" and message.ok)
        if not message.ok and self._typed:
            self._access, self._typed = None, False  # it may have been mistyped: ask again
        following, self._next = self._next, None
        if following is not None:
            self._start(*following)
        self.show()

    def action_back(self) -> None:
        """Go back, which ends what asks the server; the screen before says so."""
        if self.is_front and self._under_way in _ASKS_SERVER:
            below = self.app.screen_stack[-2]
            if isinstance(below, BaseScreen):
                kept = "; what it saw is kept, and stands in the wizard again"
                more = kept if self._under_way == "watch" else ""
                below.hear(f"{self._under_way}: ended by leaving the wizard{more}")
        super().action_back()

    # -- the steps --------------------------------------------------------------------------

    @property
    def busy(self) -> bool:
        """Whether a step is under way, or waits for one to end."""
        return bool(self._under_way) or self._next is not None

    def start_step(self, name: str) -> None:
        """Begin a step by its name: check, register, watch, pin (as suggested), seal."""
        if self._access is None or self._under_way:
            return
        poll = self._first_poll(self._access)
        jobs: dict[str, Job] = {
            "check": poll.check,
            "register": poll.register,
            "watch": poll.watch,
            "pin": self._pin_job(PinRequest(None, self._suggested(), "", operator_name())),
            "seal": self._seal,
        }
        self._start(name, jobs[name])

    def stop_step(self) -> None:
        """End the step under way; what it saw is kept."""
        self._stop_job.set()

    def _first_poll(self, access: ServerAccess) -> FirstPoll:
        """Return a first poll with a stop of its own, that no end of an earlier step has set."""
        self._stop_job = threading.Event()
        return FirstPoll(
            self.folder,
            access,
            self._stop_job,
            lambda text: self._post(Progress(text)),
            lambda watch: self._post(Watched(watch)),
            key_names(self),
        )

    def _post(self, message: Progress | Watched) -> None:
        """Take a message from a job's thread."""
        self.post_message(message)

    def _start(self, name: str, job: Job) -> None:
        if not self.is_attached:
            return  # left while it was asked
        if self._under_way:
            self._say(f"{self._under_way} is under way")
            return
        self._under_way = name
        self._say(f"{name} ...")
        self._run(name, job)
        self.show()

    def _start_after_watch(self, name: str, job: Job) -> None:
        """Begin a job, after ending a watch that is under way."""
        if self._under_way == "watch":
            self._next = (name, job)
            self.stop_step()
        else:
            self._start(name, job)

    @work(thread=True, exit_on_error=False, group="jobs", description="a step of the first poll")
    def _run(self, name: str, job: Job) -> None:
        self.post_message(run_job(name, job, keys=key_names(self)))

    async def _have_access(self) -> bool:
        if self._access is None:
            starter = CollectorStarter(self.app, self.folder, self._say)
            self._access, self._typed = await starter.access(), starter.typed
        return self._access is not None

    @work
    async def action_step(self, name: str) -> None:
        """Begin a step that asks the server; ``watch`` again ends the watch."""
        if not self.is_front:
            return
        if name == "watch" and self._under_way == "watch":
            self.stop_step()
        elif self._under_way:
            self._say(f"{self._under_way} is under way")
        elif await self._have_access():
            self.start_step(name)

    @work
    async def action_also(self) -> None:
        """Add another species to the draft."""
        if not self.is_front:
            return
        meaning = "It is added to the draft as an extension: context, never scored. Like jungle_log"
        species = await self.app.push_screen_wait(Ask("Which other log?", meaning))
        if species and await self._have_access() and self._access is not None:
            access = self._access

            def job() -> str:
                told = self._first_poll(access).also(species.strip())
                if self._watch is not None:
                    self._post(Watched(with_species(self.folder, self._watch)))
                return told

            self._start_after_watch(_ALSO, job)

    @work
    async def action_pin(self) -> None:
        """Pin what the watch suggests, or what is typed."""
        if not self.is_front:
            return
        request = await ask_pin(self.app, self._suggested(), operator_name())
        if request is not None:
            self._start_after_watch("pin", self._pin_job(request))

    def _pin_job(self, request: PinRequest) -> Job:
        return lambda: "; ".join(" ".join(e.split()) for e in operate.pin(self.folder, request))

    @work
    async def action_seal(self) -> None:
        """Check the gate and seal it."""
        if not self.is_front:
            return
        meaning = await asyncio.to_thread(seal_meaning, self.folder)
        if await self.app.push_screen_wait(Confirm("Seal the gate?", meaning)):
            self._start_after_watch("seal", self._seal)

    def _seal(self) -> str:
        return seal_run(self.folder)
