"""The page that says where a copy is."""

from typing import Final

from textual.app import ComposeResult
from textual.containers import ScrollableContainer

from plateau_tui.console.lines.text import harmless
from plateau_tui.console.look.lookedapp import drawn_text
from plateau_tui.console.screens.base import Line, key_names
from plateau_tui.console.screens.dialogs import Page

_WIDEST: Final = 400
"""So many cells of each line: one of a journal can be as long as a file."""


class CopyPage(Page):
    """Says where a copy is, and shows it as it is in the file: lines as wide, to scroll in."""

    DEFAULT_CSS = """
    CopyPage #copied { height: 1fr; margin-top: 1; }
    """

    def __init__(self, told: str, text: str) -> None:
        super().__init__("Copy", text)
        self._told = told

    def compose_text(self) -> ComposeResult:
        """Lay out where it is, above it: a path is folded, a table is not."""
        yield Line(drawn_text(self.app, self._told))
        with ScrollableContainer(id="copied"):
            shown = (harmless(line, _WIDEST) for line in self._text.split("\n"))
            line = Line(drawn_text(self.app, "\n".join(shown)))
            line.styles.width = "auto"
            yield line

    def key_words(self) -> str:
        """Return the line of keys; what is copied is not copied again."""
        names = key_names(self)
        return f"esc, q: back  {names['page.down']} {names['page.up']}, arrows, page keys: scroll"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let only a page be copied that is not a copy."""
        return action != "copy" and super().check_action(action, parameters)
