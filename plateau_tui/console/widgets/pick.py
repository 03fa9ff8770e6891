"""One of a few words, chosen by keys in a form; what is chosen needs no colour."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message
from textual.widgets import Static

from plateau_tui.console.lines.text import harmless


class Pick(Static, can_focus=True):
    """Shows every choice in a line, the chosen one as (*); space and the arrows move it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,right,l", "turn(1)", "Choose", show=False),
        Binding("left,h", "turn(-1)", "Choose", show=False),
    ]
    DEFAULT_CSS = """
    Pick { height: auto; }
    Pick:focus { text-style: reverse; }
    """

    def __init__(self, choices: Sequence[str], chosen: int, *, id: str) -> None:  # noqa: A002 - Textual's name
        self._choices = tuple(choices)
        self.chosen = chosen
        """Which is chosen, from 0."""
        super().__init__(self._content(), id=id, markup=False)

    def _content(self) -> Content:
        marks = ("*" if n == self.chosen else " " for n in range(len(self._choices)))
        pairs = zip(marks, self._choices, strict=True)
        return Content("   ".join(f"({mark}) {harmless(word)}" for mark, word in pairs))

    def action_turn(self, step: int) -> None:
        """Choose the next one, or the one before."""
        self.chosen = (self.chosen + step) % len(self._choices)
        self.update(self._content())

    def on_click(self, event: Click) -> None:
        """Choose the next one."""
        event.stop()
        self.action_turn(1)


class Press(Static, can_focus=True):
    """Does something when enter is pressed on it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "press", "Press", show=False),
    ]
    DEFAULT_CSS = """
    Press { height: auto; width: auto; }
    Press:focus { text-style: reverse; }
    """

    class Pressed(Message):
        """It was pressed."""

    def __init__(self, text: str, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(Content(f"[ {text} ]"), id=id, markup=False)

    def action_press(self) -> None:
        """Tell that it was pressed."""
        self.post_message(self.Pressed())

    def on_click(self, event: Click) -> None:
        """Tell that it was pressed."""
        event.stop()
        self.post_message(self.Pressed())
