"""The first-poll wizard: check, register, watch, pin, seal; each step when it is asked for."""

import asyncio
import threading
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from plateau_tui.collector import hand, operate
from plateau_tui.collector.pins import PinRequest
from plateau_tui.collector.run import ServerAccess, open_run
from plateau_tui.config import operator_name
from plateau_tui.console import clock
from plateau_tui.console.firstpoll import FirstPoll
from plateau_tui.console.jobs import Job, run_job
from plateau_tui.console.messages import JobDone, Progress, Watched, WatchView
from plateau_tui.console.pinning import ask_pin, suggestion
from plateau_tui.console.screens.base import BACK, Line, is_open
from plateau_tui.console.screens.dialogs import Ask, Confirm
from plateau_tui.console.screens.following import FollowingScreen
from plateau_tui.console.starting import CollectorStarter
from plateau_tui.console.text import harmless
from plateau_tui.console.watchlines import next_line, step_line, watch_lines
from plateau_tui.runlog.layout import RunFolder

_KEPT: Final = 200
_SEAL_MEANING = (
    "Nothing in registration.toml may change after the seal; a gate that changed is WITHHELD. "
    "Sealing before or after the registration and the pins is the same to the verdict: it must "
    "come before the window. But after it no species can be added, so watch first."
)


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
        """Let the keys scroll what is said."""
        self.query_one("#told").focus()

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
        watched = self._watch is not None or bool(view.watched)
        self.query_one("#steps", Line).show(step_line(view, checked=self._checked, watched=watched))
        self.query_one("#next", Line).show(
            next_line(
                view,
                checked=self._checked,
                under_way=self._under_way,
                suggested=self._suggested(),
            )
        )
        if self._watch is not None:
            lines = watch_lines(self._watch, clock.now_ms(), max(40, self.size.width - 1))
            self.query_one("#watch", Line).show("\n".join(map(harmless, lines)))

    def _suggested(self) -> dict[str, str]:
        """Return what is suggested now: by this watch, else by what the files say."""
        known = suggestion(self.view) if self.view is not None else {}
        watch = self._watch
        return known | ({u: s for u, s in watch.suggestion.items() if s} if watch else {})

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
        self._watch = message.watch
        self.show()

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
        self.post_message(run_job(name, job))

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
                return self._first_poll(access).also(species.strip())

            self._start_after_watch("another wood", job)

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
        problem = await asyncio.to_thread(hand.start_problem_of, self.folder)
        meaning = f"{problem}\n\n{_SEAL_MEANING}" if problem else _SEAL_MEANING
        if await self.app.push_screen_wait(Confirm("Seal the gate?", meaning)):
            self._start_after_watch("seal", self._seal)

    def _seal(self) -> str:
        with open_run(self.folder) as run:
            return f"sealed {hand.seal(run, operator_name())[:12]}"
