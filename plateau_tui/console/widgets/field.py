"""Fields to type in that take keys in the order in which they came, however fast.

Textual 8.2.8 inserts a letter at once, but lets a key that edits, submits or leaves bubble up to
the application first: of ``ctrl+u 5 1 enter`` in one burst, as a paste or a slow line sends it,
the letters are inserted before the line is emptied.
"""

from textual.events import Focus, Key
from textual.widget import Widget
from textual.widgets import Input, TextArea


class _Order:
    """What becomes of a key of a field: done at once, or handed on once another has the focus."""

    def __init__(self, field: Widget) -> None:
        self._field = field
        self._hands_on = False
        """Whether a key of ours gave the focus away: what comes behind it is not for us."""

    def regain(self) -> None:
        """Take keys again."""
        self._hands_on = False

    async def take(self, event: Key, *, inserts: bool) -> None:
        """Do what a key is bound to; what ``inserts`` is left to the field itself."""
        field = self._field
        focused = field.screen.focused
        elsewhere = self._hands_on and focused is not field
        if elsewhere and isinstance(focused, LineInput | LinesInput):
            again = Key(event.key, event.character)  # this one goes no further
            focused._forward_event(again)  # noqa: SLF001 - as Textual's application does
        elif inserts and not elsewhere:
            return
        elif await field.app._check_bindings(event.key):  # noqa: SLF001 - as it does later
            self._hands_on = elsewhere or field.screen.focused is not field
        elif not elsewhere:
            return
        event.stop()
        event.prevent_default()


class LineInput(Input):
    """A line of text to type."""

    _order: _Order | None = None

    async def _on_key(self, event: Key) -> None:
        self._order = self._order or _Order(self)
        await self._order.take(event, inserts=event.is_printable)

    def _on_focus(self, event: Focus) -> None:
        del event
        if self._order is not None:
            self._order.regain()


class LinesInput(TextArea):
    """Several lines of text to type."""

    _order: _Order | None = None

    async def _on_key(self, event: Key) -> None:
        self._order = self._order or _Order(self)
        await self._order.take(event, inserts=event.is_printable or event.key == "enter")

    def _on_focus(self, event: Focus) -> None:
        del event
        if self._order is not None:
            self._order.regain()
