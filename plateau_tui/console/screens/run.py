"""The live grid of one run."""

from collections import deque
from pathlib import Path
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import OptionList

from plateau_tui.collector import operate
from plateau_tui.config import operator_name
from plateau_tui.console import clock
from plateau_tui.console.jobs import Job, run_job
from plateau_tui.console.lines import chosen_line, header_lines, tail_lines
from plateau_tui.console.pinning import ask_pin, suggestion
from plateau_tui.console.problems import Problem, problems
from plateau_tui.console.screens.base import BACK, KeyBar, Line, Tail, is_open
from plateau_tui.console.screens.dialogs import Ask, Confirm, Page
from plateau_tui.console.screens.following import FollowingScreen
from plateau_tui.console.screens.unit import UnitScreen
from plateau_tui.console.screens.wizard import WizardScreen
from plateau_tui.console.starting import CollectorStarter
from plateau_tui.console.text import fold, harmless
from plateau_tui.console.view import RunView, Said
from plateau_tui.console.widgets.arm import Arm, UnitList
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT, felt_state_warning, felt_state_words
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.times import format_ms

_WIDE: Final = 150
_JOURNAL_LINES: Final = 2
"""What the units leave to the journal where there are many of them."""
_SAID_KEPT: Final = 50
_OVER_MEANING = (
    "The window's time is over. Cycles that were not read get gap rows, and no row follows."
)
_CLOSE_MEANING = (
    "The window is not over. Closed now, its verdict can only be WITHHELD, and this run cannot be "
    "opened again. The collector ends."
)


class RunScreen(FollowingScreen):
    """Two arms, what is wrong, the journal's tail."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "wizard", "Wizard", id="run.wizard", tooltip="Register, watch, pin"),
        Binding("r", "poll_now", "Read", id="run.poll", tooltip="One reading by hand"),
        Binding("n", "note", "Note", id="run.note", tooltip="Words in the journal"),
        Binding("p", "pin", "Pin", id="run.pin", tooltip="Pin BASELINE_WOOD"),
        Binding("c", "collect", "Collect", id="run.collect", tooltip="Start a collector"),
        Binding("x", "close_window", "Close", id="run.close", tooltip="End the window early"),
        Binding("o", "open", "Unit", id="run.open", tooltip="The chosen unit (also enter)"),
        Binding("a", "calibrate", "Arms", id="run.calibrate", tooltip="Calibration of this run"),
        Binding("l", "journal", "Journal", id="run.journal", tooltip="All of it, all problems"),
        Binding("j,down", "down", "Down", show=False, id="run.down"),
        Binding("k,up", "up", "Up", show=False, id="run.up"),
        BACK,
    ]

    def __init__(self, folder: RunFolder) -> None:
        super().__init__(folder)
        self._said: deque[Said] = deque(maxlen=_SAID_KEPT)
        self._under_way: list[str] = []

    def compose_body(self) -> ComposeResult:
        """Lay out header, worst problem, arms, journal."""
        yield Line(id="header")
        yield Line(id="problem")
        with Container(id="arms"):
            yield Arm("treatment")
            yield Arm("control")
        yield Line(id="chosen")
        yield Tail(id="journal")

    def on_mount(self) -> None:
        """Let the keys choose a unit."""
        self.query_one("#treatment UnitList", UnitList).focus()

    # -- showing ----------------------------------------------------------------------------

    def show_now(self) -> None:
        """Show header, worst problem, units, and the tail of what happened."""
        view, now = self.view, clock.now_ms()
        width = max(1, self.size.width)
        problem = self.query_one("#problem", Line)
        self.query_one("#journal", Tail).follow(
            tail_lines(view.journal if view else (), self._said, self._under_way)
        )
        if view is None:
            self.query_one("#header", Line).show(harmless(self.folder.path.name))
            problem.show(harmless(self.error, width) or "reading ...")
            return
        header = header_lines(view, now, width)
        self.query_one("#header", Line).show("\n".join(header))
        worst = problems(view, now)
        problem.show(_problem_line(view, worst, width))
        problem.set_class(bool(worst), "-wrong")
        problem.set_class(bool(worst) and worst[0].grave, "-grave")
        self._show_arms(view, now, len(header))
        self._show_chosen()

    def hear(self, text: str, job: str = "") -> None:
        """Put an answer at the end of the tail, where the journal's next lines follow it."""
        if job in self._under_way:
            self._under_way.remove(job)
        self._said.append(Said(format_ms(clock.now_ms()), harmless(text)))
        self.show()

    def _show_arms(self, view: RunView, now: int, header: int) -> None:
        keys = self.query_one(KeyBar).fold_anew()
        fence = len(fold(CLAIM_FENCE_SHORT.split(), max(1, self.size.width), " "))
        others = header + 1 + 1 + _JOURNAL_LINES + fence + keys  # 1: the problem; 1: the chosen
        room = self.size.height - others
        wide = self.size.width >= _WIDE
        for arm in self.query(Arm):
            width = self.size.width // 2 - 1 if wide else self.size.width
            arm.show(view, now, width, room if wide else room // 2)

    def _show_chosen(self) -> None:
        name = self._chosen()
        unit = None if name is None or self.view is None else self.view.unit(name)
        now = clock.now_ms()
        shown = "j k or the arrows choose a unit, o opens it"
        if unit is not None and self.view is not None:
            shown = chosen_line(unit, self.view, now)
        self.query_one("#chosen", Line).show(harmless(shown, max(1, self.size.width)))

    # -- choosing a unit --------------------------------------------------------------------

    def _chosen(self) -> str | None:
        """Return the name of the unit that is chosen."""
        for units in self.query(UnitList):
            if units.has_focus and units.highlighted_option is not None:
                return units.highlighted_option.id
        return None

    @on(OptionList.OptionSelected)
    def _open_unit(self, event: OptionList.OptionSelected) -> None:
        if event.option_id is not None and self.is_front:
            self.app.push_screen(UnitScreen(lambda: self.view, event.option_id))

    def action_open(self) -> None:
        """Open the chosen unit."""
        unit = self._chosen()
        if unit is not None and self.is_front:
            self.app.push_screen(UnitScreen(lambda: self.view, unit))

    @on(OptionList.OptionHighlighted)
    def _highlighted(self) -> None:
        if is_open(self):
            self._show_chosen()

    @on(UnitList.Moved)
    def _moved(self, message: UnitList.Moved) -> None:
        self._move(message.step)

    def action_down(self) -> None:
        """Choose the next unit, across the arms."""
        self._move(1)

    def action_up(self) -> None:
        """Choose the unit before, across the arms."""
        self._move(-1)

    def _move(self, step: int) -> None:
        lists = list(self.query(UnitList))
        if not lists:
            return  # the screen closes
        here = next((i for i, units in enumerate(lists) if units.has_focus), 0)
        units = lists[here]
        place = (units.highlighted if units.highlighted is not None else -1) + step
        if 0 <= place < units.option_count:
            units.focus()
            units.highlighted = place
        elif 0 <= here + step < len(lists) and lists[here + step].option_count:
            other = lists[here + step]
            other.focus()
            other.highlighted = 0 if step > 0 else other.option_count - 1

    def action_journal(self) -> None:
        """Show every problem and the journal."""
        view = self.view
        if view is None or not self.is_front:
            return
        wrong = [f"! {problem.line}" for problem in problems(view, clock.now_ms())]
        told = [f"{e.ts[:19].replace('T', ' ')} {e.text}" for e in reversed(view.journal)]
        text = "\n".join([*(wrong or ["nothing is wrong"]), "", *told])
        self.app.push_screen(Page("Problems, and the journal (UTC, newest first)", text))

    def action_calibrate(self) -> None:
        """Open the calibration, with this run in it."""
        if self.is_front:
            self.open_calibration(self.folder)

    # -- asking -----------------------------------------------------------------------------

    def action_wizard(self) -> None:
        """Open the first-poll wizard."""
        if self.is_front:
            self.app.push_screen(WizardScreen(self.folder))

    def action_poll_now(self) -> None:
        """Ask the collector for a reading by hand."""
        self._do("read now", lambda: operate.poll_now(self.folder, operator_name()))

    @work
    async def action_note(self) -> None:
        """Ask for words and write them into the journal."""
        if not self.is_front:
            return
        text = await self.app.push_screen_wait(Ask("A note for the journal"))
        if text:
            self._do("note", lambda: operate.note(self.folder, text, operator_name()))
            words = felt_state_words(text)
            if words:
                self.hear(felt_state_warning(words))

    @work
    async def action_pin(self) -> None:
        """Ask for a species, and pin it where the evidence allows."""
        if not self.is_front:
            return
        suggested = suggestion(self.view) if self.view is not None else {}
        request = await ask_pin(self.app, suggested, operator_name())
        if request is not None:
            self._do("pin", lambda: "; ".join(operate.pin(self.folder, request)))

    @work
    async def action_close_window(self) -> None:
        """End the window before its end, after saying what that means."""
        if not self.is_front:
            return
        if self.view is None or self.view.stage != "open":
            self.hear("the window is not open")
            return
        over = self.view.is_over(clock.now_ms())
        question = "Close the window?" if over else "Close the window EARLY?"
        meaning = _OVER_MEANING if over else _CLOSE_MEANING
        if not await self.app.push_screen_wait(Confirm(question, meaning)):
            return
        why = "" if over else await self.app.push_screen_wait(Ask("Why is it closed early?"))
        if over or why:
            text = why or ""
            self._do(
                "close",
                lambda: operate.close(self.folder, early=not over, why=text, by=operator_name()),
            )

    @work
    async def action_collect(self) -> None:
        """Start a collector, detached, after asking; the password goes over a pipe."""
        if not self.is_front:
            return
        refusal = _why_not_collect(self.view, self.error, clock.now_ms())
        if refusal:
            self.hear(refusal)
            return
        job = await CollectorStarter(self.app, self.folder, self.hear).ask()
        if job is not None:
            self._do("collect", job)

    def _do(self, name: str, job: Job) -> None:
        self._under_way.append(name)
        self.show()
        self._run_job(name, job, self.folder.path)

    @work(thread=True, exit_on_error=False, group="jobs", description="an operator's request")
    def _run_job(self, name: str, job: Job, run: Path) -> None:
        # The application tells the answer: the operator may have left this screen by then.
        self.app.post_message(run_job(name, job, run))


def _why_not_collect(view: RunView | None, error: str, now_ms: int) -> str:
    """Return why no collector can be started here and what to do instead, or nothing."""
    if view is None or error:
        return error or "the run is being read: try again in a moment"
    if view.collector_pid is not None:
        return f"collector {view.collector_pid} runs already"
    if view.stage in {"closed", "adjudicated"}:
        return "the window is closed: nothing is left to collect"
    if view.stage == "open" and view.is_over(now_ms):
        return "the window's time is over: x closes it"
    if not view.seal:
        return "no seal yet: w opens the wizard, and s there seals the gate"
    return ""


def _problem_line(view: RunView, worst: list[Problem], width: int) -> str:
    if worst:
        start = f"! (+{len(worst) - 1}, see l) " if len(worst) > 1 else "! "
        return start + worst[0].fit(max(1, width - len(start)))
    text = {
        "draft": "draft: fill in registration.toml, then seal; w is the first-poll wizard",
        "sealed": "sealed: register the objectives with w, the first-poll wizard",
        "registered": "registered: watch and pin the farmed wood with w",
        "pinned": "ready: c starts the collector, which opens the window",
        "open": "all is well",
        "closed": "closed: next plateau-tui verdict, then plateau-tui export",
        "adjudicated": "adjudicated: plateau-tui export packs it for others",
    }[view.stage]
    return harmless(text, width)
