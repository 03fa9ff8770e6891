"""The first-poll wizard: check, register, watch, pin, seal; each step when it is asked for."""

import asyncio
import contextlib
import threading
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll

from plateau_tui.collector import operate
from plateau_tui.collector.pins import PinRequest
from plateau_tui.collector.run import ServerAccess
from plateau_tui.config import operator_name
from plateau_tui.console import clock
from plateau_tui.console.copying import copy_facts
from plateau_tui.console.firstpoll import FirstPoll, last_watch, with_species
from plateau_tui.console.gate.sealing import seal_meaning, seal_run
from plateau_tui.console.jobs import Job, run_job
from plateau_tui.console.lines.copied import WIDTH, page_text
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.lines.watch import (
    has_moved,
    next_line,
    register_meaning,
    step_line,
    watch_head,
    watch_lines,
)
from plateau_tui.console.live.shares import ROOMY_COLUMNS
from plateau_tui.console.live.view import RunView
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
_ALSO_MEANING: Final = (
    "It is added to the draft as an extension: context, never scored. An objective that counts it "
    "is created on the server, with what else is missing there. Like jungle_log"
)
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
        Binding("y", "copy", "Copy", id="wizard.copy", tooltip="These lines: clipboard and file"),
        Binding("j,down", "scroll(1)", "Down", show=False, id="wizard.down"),
        Binding("k,up", "scroll(-1)", "Up", show=False, id="wizard.up"),
        Binding("pagedown", "page(1)", "Page", id="wizard.page", tooltip="Page up, home, end too"),
        Binding("pageup", "page(-1)", show=False, id="wizard.page_back"),
        Binding("home", "edge(-1)", show=False, id="wizard.first"),
        Binding("end", "edge(1)", show=False, id="wizard.last"),
        BACK,
    ]

    def __init__(self, folder: RunFolder, access: ServerAccess | None = None) -> None:
        super().__init__(folder)
        self._given = access
        self._typed: ServerAccess | None = None
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
        yield Line(id="watch-head")
        # Neither takes the focus: it would take the keys that scroll both.
        with Vertical(id="below"):
            with VerticalScroll(id="watching", can_focus=False):
                yield Line(id="watch")
            with VerticalScroll(id="told", can_focus=False):
                yield Line(id="lines")

    def on_mount(self) -> None:
        """Show again what the last watch saw."""
        self.query_one("#watch-head", Line).display = False
        self._recall()

    def on_unmount(self) -> None:
        """End what is under way; what a watch saw is written down."""
        self._next = None
        self._stop_job.set()

    def key_word(self, binding: Binding) -> str:
        """Return a key's word; none where it would cost the watch a line."""
        narrow = binding.id == "wizard.copy" and self.size.width < ROOMY_COLUMNS
        return "" if narrow else super().key_word(binding)

    # -- showing ----------------------------------------------------------------------------

    def show_now(self) -> None:
        """Show the steps, what to do next, and the watch."""
        view = self.view
        if view is None or self.error:
            self.query_one("#next", Line).show(harmless(self.error) or "reading ...")
            return
        steps, following = self._where(view)
        self.query_one("#steps", Line).show(steps)
        self.query_one("#next", Line).show(following)
        if self._watch is not None:
            heading, lines = self._watched(self._watch, view, max(40, self.size.width - 1))
            head = self.query_one("#watch-head", Line)
            head.display = True
            head.show("\n".join(map(harmless, heading)))
            self.query_one("#watch", Line).show("\n".join(map(harmless, lines)))

    def _where(self, view: RunView) -> tuple[str, str]:
        """Return the steps, and what is next."""
        own = self._own_watch
        watched = has_moved(view.watched_growth if own is None else own.grown)
        steps = step_line(view, checked=self._checked, watched=watched, under_way=self._under_way)
        following = next_line(
            view,
            checked=self._checked,
            under_way=self._under_way,
            suggested=self._suggested(),
            keys=key_names(self),
        )
        return steps, following

    def _watched(self, watch: WatchView, view: RunView, width: int) -> tuple[list[str], list[str]]:
        """Return the watch's heading, and its lines."""
        pins = {unit.name: unit.baseline for unit in view.units}
        head = watch_head(watch, pins, clock.now_ms(), width)
        return list(head), list(watch_lines(watch, pins, width, key_names(self)))

    def _suggested(self) -> dict[str, str]:
        """Return what is suggested now, to whom it would change something."""
        return suggestion(self.view, self._own_watch) if self.view is not None else {}

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
        self._to_scroll(step).scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """Scroll by what is seen, as by a line."""
        area = self._to_scroll(step)
        area.scroll_relative(y=step * max(1, area.size.height - 1), animate=False)

    def action_edge(self, step: int) -> None:
        """Scroll to the beginning or the end, as by a line."""
        area = self._to_scroll(step)
        area.scroll_to(y=area.max_scroll_y if step > 0 else 0, animate=False)

    def _to_scroll(self, step: int) -> VerticalScroll:
        watching = self.query_one("#watching", VerticalScroll)
        goes_on = watching.scroll_y < watching.max_scroll_y if step > 0 else watching.scroll_y > 0
        return watching if goes_on else self.query_one("#told", VerticalScroll)

    @work
    async def action_copy(self) -> None:
        """Copy what stands here to the clipboard and to a file."""
        view = self.view
        if view is None or not self.is_front:
            return
        told = [*self._where(view), ""]
        if self._watch is not None:
            heading, lines = self._watched(self._watch, view, WIDTH)
            told += [*heading, *lines, ""]
        name = self.folder.path.name
        text = page_text(f"first poll of run {name}", [*told, *self._lines, ""], clock.now_ms())
        await copy_facts(self.app, f"{name}-first-poll", lambda: text)

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
        if not message.ok:
            self._typed = None  # it may have been mistyped: ask again
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
        """Begin a step by its name: check, register, watch, pin (as suggested), seal.

        It asks nobody, and needs the access that the screen was given.
        """
        if self._given is not None and not self._under_way:
            self._begin(name, self._given)

    def _begin(self, name: str, access: ServerAccess) -> None:
        poll = self._first_poll(access)
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

    async def _access_now(self) -> ServerAccess | None:
        if self._given is not None:
            return self._given
        starter = CollectorStarter(self.app, self.folder, self._say, self._typed)
        access = await starter.access()
        self._typed = starter.typed
        return access

    async def _agreed(self, name: str, access: ServerAccess) -> bool:
        """Ask before anything changes on the server."""
        if name != "register" or self.view is None:
            return True
        meaning = register_meaning(self.view, access.endpoint)
        return await self.app.push_screen_wait(Confirm("Register the objectives?", meaning)) is True

    @work
    async def action_step(self, name: str) -> None:
        """Begin a step that asks the server; ``watch`` again ends the watch."""
        if not self.is_front:
            return
        if name == "watch" and self._under_way == "watch":
            self.stop_step()
        elif self._under_way:
            self._say(f"{self._under_way} is under way")
        else:
            access = await self._access_now()
            if access is None or not await self._agreed(name, access):
                return
            if self.busy:  # another step has begun while this one was asked about
                self._say(f"{self._under_way} is under way")
            else:
                self._begin(name, access)

    @work
    async def action_also(self) -> None:
        """Add another species to the draft."""
        if not self.is_front:
            return
        species = await self.app.push_screen_wait(Ask("Which other log?", _ALSO_MEANING))
        access = await self._access_now() if species else None
        if species and access is not None:

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
        by, watch = operator_name(), self._own_watch
        request = await ask_pin(self.app, self._suggested(), by, watch)
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
