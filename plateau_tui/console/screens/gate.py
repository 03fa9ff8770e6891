"""The registration: a form over its draft, and what was sealed once it is; its keys."""

import asyncio
from collections.abc import Callable
from typing import ClassVar, Final

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input, OptionList

from plateau_tui.console.copying import copy_facts
from plateau_tui.console.gate.file import GateFile, draft_change, sealed_lines, write_gate
from plateau_tui.console.gate.form import Draft, DraftError, value_to_type
from plateau_tui.console.gate.sealing import seal_meaning, seal_run
from plateau_tui.console.jobs import run_job
from plateau_tui.console.screens.base import BACK, key_names
from plateau_tui.console.screens.dialogs import Confirm, Page
from plateau_tui.console.screens.gateform import GateForm
from plateau_tui.metric.tables import ConfigError

_OF_A_DRAFT: Final = frozenset({"edit", "write", "seal", "assess"})
_LOSE: Final = "What was typed here is not written yet, and would be lost."


class GateScreen(GateForm):
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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what changes a draft where there is one."""
        if self.draft is None and action in _OF_A_DRAFT:
            return False
        return super().check_action(action, parameters)

    # -- choosing and typing ----------------------------------------------------------------

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
