"""The live grid of one run."""

from collections import deque
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from plateau_tui.collector import operate
from plateau_tui.collector.run import ServerAccess
from plateau_tui.config import operator_name
from plateau_tui.console import clock
from plateau_tui.console.copying import copy_facts, run_facts
from plateau_tui.console.jobs import Job, run_job
from plateau_tui.console.lines.grid import (
    ROOMY,
    answers_text,
    chosen_line,
    header_lines,
    tail_lines,
)
from plateau_tui.console.lines.problem import (
    Problem,
    folded_together,
    least_for_two,
    unseen_in_sight,
)
from plateau_tui.console.lines.problems import next_step, problems, standing_line
from plateau_tui.console.lines.sparks import SPARK_ROOM, with_sparks
from plateau_tui.console.lines.text import fold, fold_to, fold_words, harmless
from plateau_tui.console.lines.windowbar import window_line
from plateau_tui.console.live.shares import Shares, share
from plateau_tui.console.live.view import RunView, Said
from plateau_tui.console.noting import ask_note, note_job, unwritten_of
from plateau_tui.console.pinning import ask_pin, suggestion
from plateau_tui.console.screens.base import BACK, KeyBar, Line, Tail, key_names
from plateau_tui.console.screens.choosing import CHOOSING, CHOOSING_IDS, ChoosingScreen
from plateau_tui.console.screens.dialogs import Ask, Confirm, Page
from plateau_tui.console.screens.opening import open_calibration, open_replay
from plateau_tui.console.screens.wizard import WizardScreen
from plateau_tui.console.starting import COLLECT, CollectorStarter, why_not_collect
from plateau_tui.console.widgets.arm import Arm, UnitList
from plateau_tui.console.widgets.field import LineInput
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT, felt_state_warning, felt_state_words
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.times import format_ms, parse_ms

_WIDE: Final = 150
_SAID_KEPT: Final = 50
_ANSWERING_MS: Final = 15_000
"""So long an answer keeps a line of the journal."""
_BARE: Final = ("run.answers", *CHOOSING_IDS, "run.down", "run.up")
_NARROW: Final = {"run.calibrate": "Cal.", **dict.fromkeys(_BARE, " ")}
"""The words of keys where there is little room; the help has those that stand without one."""
_OVER_MEANING = (
    "The window's time is over. Cycles that were not read get gap rows, and no row follows."
)
_CLOSE_MEANING = (
    "The window is not over. Closed now, its verdict can only be WITHHELD, and this run cannot be "
    "opened again. The collector ends."
)


class RunScreen(ChoosingScreen):
    """Two arms, what is wrong, the journal's tail."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "wizard", "Wizard", id="run.wizard", tooltip="Register, watch, pin"),
        Binding("r", "poll_now", "Read", id="run.poll", tooltip="One reading by hand"),
        Binding("n", "note", "Note", id="run.note", tooltip="Words in the journal"),
        Binding("p", "pin", "Pin", id="run.pin", tooltip="Pin BASELINE_WOOD"),
        Binding("c", "collect", "Collect", id="run.collect", tooltip="Start a collector"),
        Binding("x", "close_window", "Close", id="run.close", tooltip="End the window early"),
        Binding("o", "open", "Unit", id="run.open", tooltip="The chosen unit (also enter)"),
        Binding("a", "calibrate", "Calibrate", id="run.calibrate", tooltip="With this run in it"),
        Binding("d", "pairs", "Pairs", id="run.pairs", tooltip="Arms side by side, so far"),
        Binding("v", "verdict", "Verdict", id="run.verdict", tooltip="Judge, answer, export"),
        Binding("l", "journal", "Journal", id="run.journal", tooltip="All of it, all problems"),
        Binding("g", "gate", "Gate", id="run.gate", tooltip="The registration, as a form"),
        Binding("t", "replay", "Time", id="run.replay", tooltip="Replay: any cycle of this run"),
        Binding("y", "copy", "Copy", id="run.copy", tooltip="These facts: clipboard and file"),
        Binding("b", "bell", "Bell", id="run.bell", tooltip="On or off: turns and grave faults"),
        Binding("s", "sparks", "Sparks", id="run.sparks", tooltip="Sparklines, or kinds of block"),
        Binding("space", "seen", "Seen", id="run.seen", tooltip="All that is marked was seen"),
        Binding("i", "answers", "Answers", id="run.answers", tooltip="To your keys, in full"),
        *CHOOSING,
        BACK,
    ]

    def __init__(self, folder: RunFolder) -> None:
        super().__init__(folder)
        self._said: deque[Said] = deque(maxlen=_SAID_KEPT)
        self._under_way: list[str] = []
        self._refused = ""
        self._refused_ms = 0
        self._access: ServerAccess | None = None
        self._key_lines = 1
        self._wrong: list[Problem] = []
        self._wrong_shown = 0

    def compose_body(self) -> ComposeResult:
        """Lay out header, worst problem, arms, journal."""
        yield Line(id="header")
        yield Line(id="problem")
        yield Line(id="window")
        with Container(id="arms"):
            yield Arm("treatment")
            yield Arm("control")
        yield Line(id="chosen")
        yield LineInput(id="find", placeholder="a part of a unit's name", max_length=60)
        yield Tail(id="journal")

    def on_mount(self) -> None:
        """Let the keys choose a unit."""
        self.query_one("#treatment UnitList", UnitList).focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer sparklines where they fit."""
        if action == "sparks" and self.size.width < ROOMY:
            return False
        return super().check_action(action, parameters)

    def key_word(self, binding: Binding) -> str:
        """Return a key's word; none, or a short one, where the whole one costs a unit its line."""
        word = super().key_word(binding)
        return _NARROW.get(binding.id or "", word) if self.size.width < ROOMY else word

    # -- showing ----------------------------------------------------------------------------

    def show_now(self) -> None:
        """Show header, worst problem, units, and the tail of what happened."""
        view, now = self.view, clock.now_ms()
        width = max(1, self.size.width)
        problem = self.query_one("#problem", Line)
        self.query_one("#journal", Tail).follow(
            tail_lines(
                view.journal if view else (), self._said, self._under_way, format_ms(now)[:10]
            ),
            f" ({key_names(self)['run.answers']})",
        )
        if view is None:
            self.query_one("#header", Line).show(harmless(self.folder.path.name))
            told = fold_to(self.error or "reading ...", width, self._room_without_units())
            problem.show("\n".join(told))
            return
        header = header_lines(view, now, width)
        self.query_one("#header", Line).show("\n".join(header))
        names = key_names(self)
        found = unseen_in_sight(problems(self._as_known(view), now, names))
        where = f"{names['run.journal']} {names['journal.problems']}"
        more, rest = f"(+{{}} more: {where}) ", f" ({where})"
        step, brief = next_step(view, names, width)
        least = least_for_two(found, width, more, brief)
        shares = self._show_arms(view, now, len(header), least)
        self._wrong, self._wrong_shown = found, 0
        if found:
            fold_all = partial(folded_together, found, width, shares.problem)
            told, self._wrong_shown = fold_all(shares.problems, more, rest)
            if step and len(told) < shares.below - self._is_answering(now):
                told.insert(0, step)
            elif step:
                told, self._wrong_shown = fold_all(shares.problems, more, rest, brief)
        else:
            told = fold_words(standing_line(view, names), width)[: shares.problem]
        problem.show("\n".join(told))
        self.query_one("#journal").display = shares.below > len(told)
        bar = self.query_one("#window", Line)
        bar.display = shares.bar
        if shares.bar:
            bar.show(window_line(view, now, width))
        problem.set_class(bool(found), "-wrong")
        problem.set_class(any(each.grave for each in found), "-grave")
        self.show_chosen()

    def _room_without_units(self) -> int:
        """Return how many lines there are for why a run cannot be shown."""
        others = "#header, #window, #arms, #chosen, #fence, KeyBar"
        return max(1, self.size.height - sum(e.outer_size.height for e in self.query(others)))

    def _as_known(self, view: RunView) -> RunView:
        """Return the view with a refusal that only this console has heard of."""
        over = view.contact_ms is not None and view.contact_ms > self._refused_ms
        refusal, seen = view.refusal or ("" if over else self._refused), self.problems_seen(view)
        if (refusal, seen) == (view.refusal, view.seen_problems):
            return view
        return replace(view, refusal=refusal, seen_problems=seen)

    def problems_to_see(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the keys of the problems on screen, and of all that there are."""
        keys = [each.key for each in self._wrong]
        return frozenset(keys[: self._wrong_shown]), frozenset(keys)

    def known_view(self) -> RunView | None:
        """Return what was read last, with what only this console has heard of."""
        return None if self.view is None else self._as_known(self.view)

    def hear(self, text: str, job: str = "") -> None:
        """Put an answer at the end of the tail, where the journal's next lines follow it."""
        if job in self._under_way:
            self._under_way.remove(job)
        if job == COLLECT:
            refused, self._refused_ms = f"{COLLECT}: NO: ", clock.now_ms()
            self._refused = text.removeprefix(refused) if text.startswith(refused) else ""
        self._said.append(Said(format_ms(clock.now_ms()), harmless(text)))
        self.show()

    def _show_arms(self, view: RunView, now: int, header: int, wanted: int) -> Shares:
        """Show the units; return what they leave to the problems and the journal."""
        if not self.has_class("-finding"):  # the field takes most keys, and no unit moves for it
            self._key_lines = self.query_one(KeyBar).fold_anew()
        fence = len(fold(CLAIM_FENCE_SHORT.split(), max(1, self.size.width), " "))
        others = header + 1 + fence + self._key_lines  # 1: the chosen unit
        wide = self.size.width >= _WIDE
        shares = share(
            self.size.height - others,
            max(len(view.of("treatment")), len(view.of("control"))),
            self.size.width,
            wide=wide,
            answering=self._is_answering(now),
            window=view.slot0_ms is not None,
            wanted=wanted,
        )
        width = self.size.width // 2 - 1 if wide else self.size.width
        for arm in self.query(Arm):
            headed = shares.columns or arm.role == "treatment"
            rows = shares.units + 1 + headed
            arm.show(view, now, width, rows, self.marks, sparks=self.has_sparks, headed=headed)
        return shares

    def _is_answering(self, now: int) -> bool:
        """Say whether the operator waits for an answer, or has just got one."""
        last = parse_ms(self._said[-1].ts) if self._said else None
        return bool(self._under_way) or (last is not None and now - last < _ANSWERING_MS)

    def show_chosen(self) -> None:
        """Show what its line has no room for of the chosen unit, and what turned out of view."""
        name = self.chosen()
        unit = None if name is None or self.view is None else self.view.unit(name)
        now = clock.now_ms()
        names = key_names(self)
        down, up, opens = names["run.down"], names["run.up"], names["run.open"]
        shown = f"{down} {up} or the arrows choose a unit, {opens} opens it"
        if unit is not None and self.view is not None:
            news, width = ", ".join(self.news_of(unit.name)), max(1, self.size.width)
            new = self.hidden_news() + (f"new: {news}; " if news else "")
            room = width - SPARK_ROOM - len(new) if width >= ROOMY else None
            shown = new + chosen_line(unit, self.view, now, roomy=width >= ROOMY, room=room)
            shown = with_sparks(harmless(shown, width), unit, self.view, width)
        self.query_one("#chosen", Line).show(harmless(shown, max(1, self.size.width)))

    # -- other screens ----------------------------------------------------------------------

    def action_journal(self) -> None:
        """Show every problem and the journal."""
        from plateau_tui.console.screens import journal  # noqa: PLC0415 - start-up is quicker

        if self.is_front:
            self.app.push_screen(journal.JournalScreen(self.folder, self.known_view))

    def action_pairs(self) -> None:
        """Show the arms side by side, so far."""
        from plateau_tui.console.screens import pairs  # noqa: PLC0415 - start-up is quicker

        if self.is_front:
            self.app.push_screen(
                pairs.PairsScreen(
                    self.folder, lambda: self.view, lambda: self.marks, lambda: self.error
                )
            )

    def action_answers(self) -> None:
        """Show what the operator's keys were answered, in full."""
        if self.is_front:
            self.app.push_screen(Page("Answers to your keys (UTC)", answers_text(self._said)))

    def action_verdict(self) -> None:
        """Open the verdict: its work, the questions, the export."""
        from plateau_tui.console.screens import verdict  # noqa: PLC0415 - start-up is quicker

        if self.is_front:
            self.app.push_screen(verdict.VerdictScreen(self.folder, lambda: self.view))

    def action_replay(self) -> None:
        """Open this run's log at any moment of it."""
        if self.is_front:
            is_live = self.view is not None and self.view.stage == "open"
            open_replay(self.app, self.folder, at_end=is_live)

    def action_calibrate(self) -> None:
        """Open the calibration, with this run in it."""
        if self.is_front:
            open_calibration(self.app, self.folder)

    def action_gate(self) -> None:
        """Open the registration: a form before the seal, the sealed text after it."""
        from plateau_tui.console.screens.gate import GateScreen  # noqa: PLC0415 - start-up

        if self.is_front:
            self.app.push_screen(GateScreen(self.folder))

    @work
    async def action_copy(self) -> None:
        """Copy the facts of this screen to the clipboard and to a file."""
        view, now = self.known_view(), clock.now_ms()
        if view is not None and self.is_front:
            facts = partial(run_facts, view, self.folder, now)
            await copy_facts(self.app, f"{self.folder.path.name}-run", facts)

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
        unwritten, run = unwritten_of(self.app), self.folder.path
        text = await ask_note(self.app, unwritten.get(run, ""))
        if text is not None:
            unwritten.pop(run, None)
        if text:
            self._do("note", note_job(self.folder, text, self.app.post_message))
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
            self._do("pin", lambda: _one_line(operate.pin(self.folder, request)))

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
        refusal = why_not_collect(self.view, self.error, clock.now_ms(), key_names(self))
        if refusal:
            self.hear(refusal)
            return
        starter = CollectorStarter(self.app, self.folder, self.hear, self._access)
        job = await starter.ask(self.known_view())
        self._access = starter.typed
        if job is not None:
            self._do(COLLECT, job)

    def _do(self, name: str, job: Job) -> None:
        self._under_way.append(name)
        self.show()
        self._run_job(name, job, self.folder.path)

    @work(thread=True, exit_on_error=False, group="jobs", description="an operator's request")
    def _run_job(self, name: str, job: Job, run: Path) -> None:
        # The application tells the answer: the operator may have left this screen by then.
        self.app.post_message(run_job(name, job, run, key_names(self)))


def _one_line(lines: list[str]) -> str:
    """Return lines in columns as one, without what fills the columns."""
    return "; ".join(" ".join(line.split()) for line in lines)
