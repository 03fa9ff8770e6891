"""Small questions: yes or no, a line of text, a password, a page to read."""

import time
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input

from plateau_tui.console.screens.base import Line, is_open
from plateau_tui.console.text import harmless

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer]):
    """A screen that is closed with an answer, once."""

    @property
    def is_front(self) -> bool:
        """Whether the keys go to this screen."""
        return self.is_attached and self.app.screen is self

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let a screen that closes take no key any more."""
        return is_open(self) and super().check_action(action, parameters)

    def close_with(self, answer: Answer) -> None:
        """Close; a second key that was on its way already closes nothing else."""
        if self.is_front:
            self.dismiss(answer)


class Confirm(Dialog[bool]):
    """Asks whether to do something that cannot be undone; anything but ``y`` means no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", id="confirm.yes"),
        Binding("n", "answer(False)", "No", id="confirm.no"),
        Binding("escape,enter,q", "answer(False)", show=False),
    ]

    def __init__(self, question: str, meaning: str) -> None:
        super().__init__()
        self._question = question
        self._meaning = meaning

    def compose(self) -> ComposeResult:
        """Lay out the question, what it means, and the keys."""
        with Vertical(classes="dialog"):
            yield Line(self._question, classes="title")
            yield Line(self._meaning)
            yield Line(classes="keys")

    def on_mount(self) -> None:
        """Name the keys, as they may be set."""
        yes, no = (_key(self, f"confirm.{word}") for word in ("yes", "no"))
        self.query_one(".keys", Line).show(f"{yes}: yes    {no}, enter, esc: no (nothing is done)")

    def action_answer(self, yes: bool) -> None:  # noqa: FBT001 - an action's argument
        """Close with the answer."""
        self.close_with(yes)


def _key(screen: ModalScreen[bool], binding_id: str) -> str:
    active = screen.active_bindings.values()
    return next(screen.app.get_key_display(a.binding) for a in active if a.binding.id == binding_id)


class Ask(Dialog[str | None]):
    """Asks for a line of text; None when it is left."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave", show=False)]

    def __init__(self, question: str, meaning: str = "", *, secret: bool = False) -> None:
        super().__init__()
        self._question = question
        self._meaning = meaning
        self._secret = secret

    def compose(self) -> ComposeResult:
        """Lay out the question and the field."""
        with Vertical(classes="dialog"):
            yield Line(self._question, classes="title")
            if self._meaning:
                yield Line(self._meaning)
            yield Input(password=self._secret, max_length=1900)
            yield Line("enter: done    esc: leave", classes="keys")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Close with what was typed."""
        event.stop()
        self.close_with(event.value)

    def action_leave(self) -> None:
        """Close without an answer."""
        self.close_with(None)


class Page(Dialog[None]):
    """A page to read; in its first ``settle_s`` seconds no key closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "leave", "Back", show=False),
        Binding("j,down", "scroll(1)", "Down", show=False, id="page.down"),
        Binding("k,up", "scroll(-1)", "Up", show=False, id="page.up"),
    ]

    def __init__(self, title: str, text: str, *, settle_s: float = 0.0) -> None:
        super().__init__()
        self._settled_at = time.monotonic() + settle_s
        self._title = title
        self._text = "\n".join(harmless(line) for line in text.split("\n"))

    def compose(self) -> ComposeResult:
        """Lay out title, text and keys."""
        with Vertical(classes="dialog page"):
            yield Line(self._title, classes="title")
            with VerticalScroll():
                yield Line(self._text)
            yield Line("esc or q: back    j k, arrows, page keys: scroll", classes="keys")

    def on_mount(self) -> None:
        """Let the arrows and page keys scroll."""
        self.query_one(VerticalScroll).focus()

    def action_leave(self) -> None:
        """Close the page."""
        if time.monotonic() >= self._settled_at:
            self.close_with(None)

    def action_scroll(self, step: int) -> None:
        """Scroll by a line."""
        self.query_one(VerticalScroll).scroll_relative(y=step, animate=False)
