"""The registration: a form over its draft, and what was sealed once it is."""

import asyncio
from collections.abc import Callable
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from plateau_tui.console.copying import copy_facts
from plateau_tui.console.gate.desk import GateDesk
from plateau_tui.console.gate.file import GateFile, draft_change, sealed_lines, write_gate
from plateau_tui.console.gate.form import Draft, DraftError, Field, value_to_type
from plateau_tui.console.gate.lines import (
    TYPING,
    feasibility_lines,
    field_line,
    state_line,
    told_of,
)
from plateau_tui.console.gate.reach import Assessed, Reach
from plateau_tui.console.gate.sealing import seal_meaning, seal_run
from plateau_tui.console.jobs import run_job
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.screens.base import BACK, BaseScreen, Line, key_names
from plateau_tui.console.screens.dialogs import Confirm, Page
from plateau_tui.console.widgets.choices import Choices
from plateau_tui.console.widgets.field import LineInput
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.layout import RunFolder

_LOOK_S: Final = 1.0
_BESIDE: Final = 110
"""From this width on what the gate can come to stands beside the fields."""
_OF_A_DRAFT: Final = frozenset({"edit", "write", "seal", "assess"})
_LOSE: Final = "What was typed here is not written yet, and would be lost."


class GateScreen(BaseScreen):
    """Edits a draft in memory, writes it when that is confirmed, seals it; a sealed one is read.

    Nothing is written while a field is typed in: the file may be open in an editor as well.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "edit", "Edit", id="gate.edit", tooltip="The chosen field (also enter)"),
        Binding("w", "write", "Write", id="gate.write", tooltip="The draft to its file"),
        Binding("r", "read_again", "Read", id="gate.read", tooltip="The file anew"),
        Binding("s", "seal", "Seal", id="gate.seal", tooltip="Check and seal the gate"),
        Binding("a", "assess", "All", id="gate.assess", tooltip="All that the gate can come to"),
        Binding("y", "copy", "Copy", id="gate.copy", tooltip="The text: clipboard and file"),
        Binding("j,down", "move(1)", "Down", show=False, id="gate.down"),
        Binding("k,up", "move(-1)", "Up", show=False, id="gate.up"),
        Binding("q", "leave_console", "Quit", id="gate.leave", tooltip="Asks about a draft"),
        BACK,
    ]

    def __init__(self, folder: RunFolder) -> None:
        super().__init__()
        self.folder = folder
        self._desk = GateDesk(folder)
        self._before_edit: Draft | None = None
        self._edited: Field | None = None
        self._said = "reading ..."
        self._lines: list[str] = []
        self._reach = Reach(self.post_message)

    def compose_body(self) -> ComposeResult:
        """Lay out the fields with the chosen one in full, what the gate can come to, the text."""
        yield Line(id="header")
        yield Line(id="said")
        with Container(id="gate"):
            yield Choices(id="fields", markup=False)
            with VerticalScroll(id="reach", can_focus=False):
                yield Line(id="reach-lines")
        yield Line(id="field")
        yield LineInput(id="value", max_length=1900, select_on_focus=False)
        with VerticalScroll(id="sealed"):
            yield Line(id="sealed-lines")

    def on_mount(self) -> None:
        """Read the file, and look whether it changes."""
        self.query_one("#header", Line).show(
            harmless(f"Registration of {self.folder.path.name}: the gate", 60)
        )
        self.query_one("#value").display = self.query_one("#sealed").display = False
        self.set_interval(_LOOK_S, self._look)
        self._read()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what changes a draft where there is one."""
        if self.draft is None and action in _OF_A_DRAFT:
            return False
        return super().check_action(action, parameters)

    # -- the file ---------------------------------------------------------------------------

    @property
    def gate(self) -> GateFile | None:
        """What was last read from disk."""
        return self._desk.gate

    @property
    def draft(self) -> Draft | None:
        """The draft as it stands here; None where there is none to be edited."""
        return self._desk.draft

    @property
    def changed(self) -> bool:
        """Whether the draft here is not what the file held when it was read."""
        return self._desk.changed

    def _look(self) -> None:
        """Read a file that has changed, unless that would lose what was typed here."""
        if self.is_seen and self._desk.stale:
            if self.changed or self._edited is not None:
                self._show_state()
            else:
                self._read()

    def _read(self) -> None:
        self._desk.read()
        self._edited, self._said = None, self._desk.trouble
        self.show()
        target = "#fields" if self.draft is not None else "#sealed"
        self.query_one(target).focus()
        self.refresh_bindings()

    # -- showing ----------------------------------------------------------------------------

    def show(self) -> None:
        """Show the form, or the text where there is nothing to fill in."""
        if not self.is_seen:
            return
        form = self.draft is not None
        for name, shown in (
            ("#gate", form),
            ("#field", form),
            ("#sealed", not form),
            ("#value", self._edited is not None),
        ):
            widget = self.query_one(name)
            if widget.display is not shown:  # every setting lays the whole screen out anew
                widget.display = shown
        self.set_class(self.size.width >= _BESIDE, "-beside")
        self._show_state()
        if self.draft is None:
            self._show_text()
        else:
            self._show_fields(self.draft)
            self._show_field()
            self._show_reach(self.draft)

    def _show_state(self) -> None:
        text = self._said
        if self.draft is not None and not text:
            text = state_line(
                self.draft.checked,
                changed=self.changed,
                stale=self._desk.stale,
                read=key_names(self)["gate.read"],
            )
            if self._edited is not None:
                text = f"{TYPING}; {text}"
        self.query_one("#said", Line).show(harmless(text))

    def _show_text(self) -> None:
        if self.gate is None:
            return
        text = sealed_lines(self.gate) if self.gate.sealed else self.gate.text.splitlines()
        self.query_one("#sealed-lines", Line).show("\n".join(map(harmless, text)))

    def _show_fields(self, draft: Draft) -> None:
        options = self.query_one("#fields", OptionList)
        width = self.size.width - 1
        if self.has_class("-beside"):
            width = width * 3 // 5 - 1
        lines = [field_line(f, draft.values, draft.checked, width) for f in draft.fields]
        if len(lines) != options.option_count:
            chosen = options.highlighted or 0
            options.clear_options()
            options.add_options(Option(Content(line)) for line in lines)
            options.highlighted = min(chosen, len(lines) - 1)
        else:
            for place, line in enumerate(lines):
                if line != self._lines[place]:
                    options.replace_option_prompt_at_index(place, Content(line))
        self._lines = lines

    def _show_field(self, problem: str = "") -> None:
        field = self._field()
        if field is not None and self.draft is not None:
            told = problem or told_of(field, self.draft.values, self.draft.checked)
            self.query_one("#field", Line).show(harmless(told))

    def _show_reach(self, draft: Draft) -> None:
        self._reach.want(draft.checked.registration)
        width = self.size.width * 2 // 5 - 1 if self.has_class("-beside") else self.size.width - 1
        lines = self._reach_lines(max(20, width))
        self.query_one("#reach-lines", Line).show("\n".join(lines))

    def _reach_lines(self, width: int) -> list[str]:
        registration = self.draft.checked.registration if self.draft else None
        gate = registration.gate if registration else None
        return feasibility_lines(self._reach.found, gate, self._reach.why_not, width)

    @on(Assessed)
    def _assessed(self, message: Assessed) -> None:
        self._reach.take(message)
        if self.draft is not None and self.is_seen:
            self._show_reach(self.draft)

    def resized(self) -> None:
        """Fit the lines to the new size."""
        self.show()

    def on_screen_resume(self) -> None:
        """Show what may have changed behind another screen."""
        self.show()

    def hear(self, text: str, job: str = "") -> None:
        """Show an answer, until another field is chosen."""
        del job
        self._said = text
        self._show_state()

    # -- choosing and typing ----------------------------------------------------------------

    def _field(self) -> Field | None:
        place = self.query_one("#fields", OptionList).highlighted
        if self.draft is None or place is None or place >= len(self.draft.fields):
            return None
        return self.draft.fields[place]

    @on(OptionList.OptionHighlighted)
    def _chose(self) -> None:
        if self._edited is None:
            self._show_field()

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        self.action_edit()

    def action_edit(self) -> None:
        """Type in the chosen field; what that comes to is seen at every key."""
        field = self._field()
        if field is None or self.draft is None or self._edited is not None or not self.is_front:
            return
        self._edited, self._before_edit, self._said = field, self.draft, ""
        value = self.query_one("#value", Input)
        value.value = value_to_type(self.draft.values, field)
        value.display = True
        value.cursor_position = len(value.value)
        value.focus()
        self._show_state()  # a value that stands there already is no change that would be told

    @on(Input.Changed, "#value")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value == event.input.value:  # else keys of one burst: a newer one is on its way
            self._judge(event.value)

    def _judge(self, text: str) -> None:
        field, before = self._edited, self._before_edit
        if field is None or before is None:
            return
        problem = ""
        try:
            self._desk.draft = before.typed(field, text)
        except (DraftError, ConfigError) as error:
            self._desk.draft, problem = before, f"! {error}"
        self.show()
        self._show_field(problem)

    @on(Input.Submitted, "#value")
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self._judge(event.value)  # what changed last may not have been told yet
        self._end_edit()

    def _end_edit(self) -> None:
        self._edited = self._before_edit = None
        self.query_one("#fields").focus()
        self.show()

    def action_move(self, step: int) -> None:
        """Choose another field; while one of some words is typed in, another of its words."""
        if self.draft is None:
            self.query_one("#sealed", VerticalScroll).scroll_relative(y=step, animate=False)
        elif self._edited is None:
            self._said = ""
            options = self.query_one("#fields", OptionList)
            if step > 0:
                options.action_cursor_down()
            else:
                options.action_cursor_up()
            self._show_state()
        elif self._edited.choices:
            value, words = self.query_one("#value", Input), self._edited.choices
            place = words.index(value.value) if value.value in words else -1
            value.value = words[(place + step) % len(words)]
            value.cursor_position = len(value.value)

    # -- leaving ----------------------------------------------------------------------------

    def action_back(self) -> None:
        """Give up what is typed in, or go back, asking about a draft that is not written."""
        if self._edited is None:
            self._go_back()
        elif self.is_front:
            self._desk.draft = self._before_edit
            self._end_edit()

    @work
    async def _go_back(self) -> None:
        if self.is_front and await self._may_lose("Leave without writing?") and self.is_front:
            self.app.pop_screen()

    @work
    async def action_leave_console(self) -> None:
        """Leave the console, asking about a draft that is not written."""
        if self.is_front and await self._may_lose("Quit without writing?"):
            await self.app.action_quit()

    async def _may_lose(self, question: str) -> bool:
        return not self.changed or await self.app.push_screen_wait(Confirm(question, _LOSE)) is True

    # -- asking -----------------------------------------------------------------------------

    @work
    async def action_read_again(self) -> None:
        """Read the file anew, asking about a draft that is not written."""
        if self.is_front and await self._may_lose("Read the file anew?"):
            self._read()

    @work
    async def action_write(self) -> None:
        """Write the draft to its file, after showing what changes."""
        draft, gate = self.draft, self.gate
        if draft is None or gate is None or not self.is_front:
            return
        if not self.changed:
            self.hear("the file holds this already")
        elif self._desk.stale:
            self._said = ""
            self._show_state()
        elif await self.app.push_screen_wait(
            Confirm("Write registration.toml?", draft_change(gate, draft))
        ):
            await self._do("write", lambda: self._written(gate, draft))

    def _written(self, gate: GateFile, draft: Draft) -> str:
        write_gate(self.folder, gate.data, draft.text)
        return "written"

    @work
    async def action_seal(self) -> None:
        """Check the gate and seal it: the question and the function of the wizard."""
        if self.draft is None or not self.is_front:
            return
        if self.changed:
            names = key_names(self)
            self.hear(f"the draft is not written yet: {names['gate.write']} writes it first")
            return
        meaning = await asyncio.to_thread(seal_meaning, self.folder)
        if await self.app.push_screen_wait(Confirm("Seal the gate?", meaning)):
            await self._do("seal", lambda: seal_run(self.folder))

    async def _do(self, name: str, job: Callable[[], str]) -> None:
        """Do what takes a moment in a thread; say what came of it over what is then on disk."""
        done = await asyncio.to_thread(run_job, name, job)
        if done.ok:
            self._read()
        self.hear(f"{name}: {'' if done.ok else 'NO: '}{done.text}")

    def action_assess(self) -> None:
        """Show in full what the gate can come to."""
        if self.draft is not None and self.is_front:
            lines = self._reach_lines(10_000)
            self.app.push_screen(Page("What this gate can come to", "\n".join(lines)))

    @work
    async def action_copy(self) -> None:
        """Copy the draft, or the sealed text with its hash, to the clipboard and to a file."""
        gate, draft = self.gate, self.draft
        if gate is None or not self.is_front:
            return
        text = "\n".join(sealed_lines(gate)) if gate.sealed else gate.text
        if draft is not None:
            text = "\n".join([draft.text, *(f"# {line}" for line in self._reach_lines(100))])
        await copy_facts(self.app, f"{self.folder.path.name}-gate", lambda: text)


SCREENS: Final = {"gate": GateScreen.BINDINGS}
"""The keys of this screen, for what config.toml may set."""
