"""The menu: every key of the screen by its name, narrowed by typing."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from plateau_tui.console.lines.text import harmless, pad
from plateau_tui.console.screens.base import Line
from plateau_tui.console.screens.dialogs import Dialog
from plateau_tui.console.widgets.choices import Choices
from plateau_tui.console.widgets.field import LineInput

_NAME_CELLS = 14


class Menu(Dialog[SystemCommand | None]):
    """Closes with the command that was chosen, or with None.

    Textual's own palette searches in the background: a key that came between two of its answers
    met a list without lines, and one that came twice closed the screen below as well.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        Binding("down,tab", "choices('cursor_down')", "Next", show=False),
        Binding("up,shift+tab", "choices('cursor_up')", "Before", show=False),
        Binding("pagedown", "choices('page_down')", "Next page", show=False),
        Binding("pageup", "choices('page_up')", "Page before", show=False),
        Binding("ctrl+home", "choices('first')", "First", show=False),
        Binding("ctrl+end", "choices('last')", "Last", show=False),
    ]

    def __init__(self, commands: Sequence[SystemCommand]) -> None:
        super().__init__()
        self._commands = tuple(commands)
        self._found: tuple[SystemCommand, ...] = ()

    def compose(self) -> ComposeResult:
        """Lay out the field, the commands, and the keys."""
        with Vertical(classes="dialog menu"):
            yield Line("Menu: type to narrow it", classes="title")
            yield LineInput(max_length=80)
            yield Choices(markup=False)
            yield Line("enter: do it    arrows: choose    esc: leave", classes="keys")

    def on_mount(self) -> None:
        """Show all commands; the keys go to the field."""
        self.query_one(Choices).can_focus = False
        self.query_one(Input).focus()
        self._narrow("")

    def _narrow(self, typed: str) -> None:
        words = typed.lower().split()
        found = (
            command
            for command in self._commands
            if all(word in f"{command.title} {command.help}".lower() for word in words)
        )
        start = " ".join(words)
        self._found = tuple(sorted(found, key=lambda c: not c.title.lower().startswith(start)))
        choices = self.query_one(Choices)
        choices.clear_options()
        choices.add_options(
            Option(Content(f"{pad(command.title, _NAME_CELLS)} {harmless(command.help)}"))
            for command in self._found
        )
        choices.highlighted = 0 if self._found else None

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        if self.is_front:
            self._narrow(event.value)

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        if self.is_front:
            self._choose(self.query_one(Choices).highlighted)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._choose(event.option_index)

    def _choose(self, place: int | None) -> None:
        if place is not None and place < len(self._found):
            self.close_with(self._found[place])

    def action_choices(self, move: str) -> None:
        """Move the choice; the keys themselves belong to the field."""
        choices = self.query_one(Choices)
        moves = {
            "cursor_down": choices.action_cursor_down,
            "cursor_up": choices.action_cursor_up,
            "page_down": choices.action_page_down,
            "page_up": choices.action_page_up,
            "first": choices.action_first,
            "last": choices.action_last,
        }
        moves[move]()

    def action_leave(self) -> None:
        """Close without a command."""
        self.close_with(None)
