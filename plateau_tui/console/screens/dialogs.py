"""Small questions: yes or no, a line of text, a password, a page to read."""

import asyncio
import time
from collections.abc import Callable
from typing import ClassVar, Final, TypeVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ScrollableContainer, Vertical, VerticalScroll
from textual.events import Key, Resize
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input

from plateau_tui.console import clock
from plateau_tui.console.lines.copied import page_text
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.look.lookedapp import LookedApp, drawn_text
from plateau_tui.console.look.plainchars import tame, tame_lines
from plateau_tui.console.readonly import may
from plateau_tui.console.screens.base import Line, is_open, key_names, size_needed
from plateau_tui.console.widgets.field import LineInput

Answer = TypeVar("Answer")
REDRAW: Final = Binding(
    "ctrl+l",
    "app.redraw",
    "Redraw",
    id="app.redraw",
    tooltip="Over what others wrote here",
    system=True,  # it needs no room in the line of keys
)
"""A question takes the application's keys away; this one works everywhere."""


class Dialog(ModalScreen[Answer]):
    """A screen that is closed with an answer, once; it says what size it needs."""

    BINDINGS: ClassVar[list[BindingType]] = [REDRAW]
    _focus_before: Widget | None = None

    def on_mount(self) -> None:
        """Have a line that stands in the place of all where the terminal is too small."""
        self.mount(Line(size_needed(self.app.size), id="too-small"), before=0)
        self.set_class(self.is_small, "-small")

    @property
    def is_small(self) -> bool:
        """Whether the terminal is too small for this to be read."""
        return bool(size_needed(self.app.size))

    def on_resize(self, event: Resize) -> None:
        """Show what is asked, or what size it needs."""
        if not is_open(self):
            return
        needs = size_needed(event.size)
        for line in self.query("#too-small").results(Line):
            line.show(needs)
        if needs and not self.has_class("-small"):
            self._focus_before = self.focused  # what is hidden loses it
        self.set_class(bool(needs), "-small")
        if not needs and self.focused is None and self._focus_before is not None:
            self.call_after_refresh(self._focus_before.focus)

    @property
    def is_front(self) -> bool:
        """Whether the keys go to this screen."""
        return self.is_attached and self.app.screen is self

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let a screen that closes take no key any more."""
        return is_open(self) and may(self, action) and super().check_action(action, parameters)

    def close_with(self, answer: Answer) -> None:
        """Close; a second key that was on its way already closes nothing else."""
        if self.is_front:
            self.dismiss(answer)


class Confirm(Dialog[bool]):
    """Asks whether to do something that cannot be undone; anything but ``y`` means no.

    A ``y`` that was sent before the question stood there agrees to nothing: nobody has read what it
    means, and in what a terminal pastes unmarked it may be any letter.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", id="confirm.yes"),
        Binding("n", "answer(False)", "No", id="confirm.no"),
        Binding("escape,backspace,enter,q", "answer(False)", show=False),
        Binding("j,down", "scroll(1)", "Down", show=False, id="page.down"),
        Binding("k,up", "scroll(-1)", "Up", show=False, id="page.up"),
    ]

    def __init__(self, question: str, meaning: str) -> None:
        super().__init__()
        self._question = tame(question)
        self._meaning = tame_lines(meaning)
        self._asked_s: float | None = None
        self._pressed_s = 0.0

    def compose(self) -> ComposeResult:
        """Lay out the question, what it means, and the keys."""
        with Vertical(classes="dialog"):
            yield Line(self._question, classes="title")
            with VerticalScroll(classes="meaning", can_focus=False):
                yield Line(self._meaning)
            yield Line(classes="keys")

    def on_mount(self) -> None:
        """Name the keys."""
        self._asked_s = Message().time  # by the clock of the keys
        self.call_after_refresh(self._name_keys)

    def on_key(self, event: Key) -> None:
        """Keep when a key was sent."""
        self._pressed_s = event.time

    def on_resize(self, event: Resize) -> None:
        """Say that there is more where the screen has no room for all of it."""
        del event
        self.call_after_refresh(self._name_keys)

    def _name_keys(self) -> None:
        """Name the keys, as they may be set."""
        if not is_open(self):
            return
        yes, no = (_key(self, f"confirm.{word}") for word in ("yes", "no"))
        names = key_names(self)
        is_long = self.query_one(VerticalScroll).max_scroll_y > 0
        scroll = f"    {names['page.down']} {names['page.up']}: more"
        more = scroll if is_long else " (nothing is done)"
        self.query_one(".keys", Line).show(f"{yes}: yes    {no}, enter, esc: no{more}")

    def action_scroll(self, step: int) -> None:
        """Scroll a meaning that is longer than the screen by a line."""
        self.query_one(VerticalScroll).scroll_relative(y=step, animate=False)

    def action_answer(self, yes: bool) -> None:  # noqa: FBT001 - an action's argument
        """Close with the answer; what cannot be read is not agreed to."""
        if yes and (self._asked_s is None or self._pressed_s < self._asked_s):
            return
        self.close_with(yes and not self.is_small)


def _key(screen: ModalScreen[bool], binding_id: str) -> str:
    active = screen.active_bindings.values()
    return next(screen.app.get_key_display(a.binding) for a in active if a.binding.id == binding_id)


_ASK_KEYS: Final = "enter: done    esc: leave"


def _refused(why: str) -> str:
    return harmless(f"as it stands it is refused: {why}") if why else ""


class Ask(Dialog[str | None]):
    """Asks for a line of text; None when it is left.

    ``refusal`` says of a line why it will be refused, or nothing: it is told while it is typed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Leave", show=False),
        Binding("down", "scroll(1)", "Down", show=False),
        Binding("up", "scroll(-1)", "Up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
    ]

    def __init__(
        self,
        question: str,
        meaning: str = "",
        *,
        secret: bool = False,
        refusal: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__()
        self._question = tame(question)
        self._meaning = tame_lines(meaning)
        self._secret = secret
        self._refusal = refusal

    def compose(self) -> ComposeResult:
        """Lay out the question and the field."""
        with Vertical(classes="dialog"):
            yield Line(self._question, classes="title")
            if self._meaning:
                with VerticalScroll(classes="asked", can_focus=False):
                    yield Line(self._meaning)
            yield LineInput(password=self._secret, max_length=1900)
            if self._refusal is not None:
                yield Line(_refused(self._refusal("")), classes="refusal")
            yield Line(_ASK_KEYS, classes="keys")

    def on_mount(self) -> None:
        """Name the keys that scroll where they do."""
        self.call_after_refresh(self._name_keys)

    def on_resize(self, event: Resize) -> None:
        """Say that there is more where the screen has no room for all of it."""
        del event
        self.call_after_refresh(self._name_keys)

    def _name_keys(self) -> None:
        if is_open(self):
            is_long = any(each.max_scroll_y > 0 for each in self.query(VerticalScroll))
            more = "    pgdn, pgup: more" if is_long else ""
            self.query_one(".keys", Line).show(f"{_ASK_KEYS}{more}")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say whether what stands there now will be refused."""
        event.stop()
        self._name_keys()
        if self._refusal is not None:
            self.query_one(".refusal", Line).show(_refused(self._refusal(event.value)))

    def hear(self, text: str) -> None:
        """Show a word about what was typed or pasted, until the line changes."""
        if is_open(self):
            self.query_one(".keys", Line).show(harmless(text))

    def action_scroll(self, step: int) -> None:
        """Scroll a meaning that is longer than the screen by a line."""
        for each in self.query(VerticalScroll):
            each.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        """Scroll such a meaning by what is seen of it."""
        for each in self.query(VerticalScroll):
            each.scroll_relative(y=step * max(1, each.size.height - 1), animate=False)

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
        Binding("escape,backspace,q,enter", "leave", "Back", show=False),
        Binding("j,down", "scroll(1)", "Down", show=False, id="page.down"),
        Binding("k,up", "scroll(-1)", "Up", show=False, id="page.up"),
        Binding("y", "copy", "Copy", show=False, id="page.copy"),
    ]

    def __init__(self, title: str, text: str, *, settle_s: float = 0.0) -> None:
        super().__init__()
        self._settled_at = time.monotonic() + settle_s
        self._title = tame(title)
        self._text = tame_lines(text)

    def compose(self) -> ComposeResult:
        """Lay out title, text and keys."""
        with Vertical(classes="dialog page"):
            yield Line(self._title, classes="title")
            yield from self.compose_text()
            yield Line(self.key_words(), classes="keys")

    def compose_text(self) -> ComposeResult:
        """Lay out what is to be read, and scrolled."""
        with VerticalScroll():
            yield Line(drawn_text(self.app, self._text))

    def key_words(self) -> str:
        """Return the line of keys."""
        names = key_names(self)
        scroll = f"{names['page.down']} {names['page.up']}, arrows, page keys: scroll"
        return f"esc, q: back  {names['page.copy']}: copy  {scroll}"

    def on_mount(self) -> None:
        """Let the arrows and page keys scroll."""
        self.query_one(ScrollableContainer).focus()

    @work
    async def action_copy(self) -> None:
        """Copy the page to the clipboard and to a file; say so in the place of the keys."""
        app = self.app
        if not self.is_front or not isinstance(app, LookedApp):
            return
        text = page_text(self._title, [*self._text.split("\n"), ""], clock.now_ms())
        name = f"page-{self._title.partition(' (')[0]}"
        copied = await asyncio.to_thread(app.copy_out, text, name)
        if is_open(self):
            self.query_one(".keys", Line).show(copied.told)

    def action_leave(self) -> None:
        """Close the page."""
        if time.monotonic() >= self._settled_at:
            self.close_with(None)

    def action_scroll(self, step: int) -> None:
        """Scroll by a line."""
        self.query_one(ScrollableContainer).scroll_relative(y=step, animate=False)
