"""Fields to type in: what they hold is what is seen.

Whatever comes into a field, from a file, a paste or a key, is made tame before it is its value
(``plainchars``): nothing in it acts on the terminal, and nothing is kept that nobody can see.
"""

from textual.events import Paste
from textual.widgets import Input, TextArea
from textual.widgets.text_area import Edit, EditResult

from plateau_tui.console.look.plainchars import is_mark, spaced, tame, tame_lines


class LineInput(Input):
    """A line of text to type.

    A password alone is kept as it came: nothing of it is shown, and nothing of it is given to any
    clipboard, the app's own, the terminal's or a file.
    """

    _is_told_full = False

    @property
    def selected_text(self) -> str:
        """The text that is chosen; of a password nothing."""
        return "" if self.password else super().selected_text

    def action_cut(self) -> None:
        """Take what is chosen out, into the clipboard; a password leaves that as it is."""
        if self.password:
            self.delete_selection()
        else:
            super().action_cut()

    def validate_value(self, value: str) -> str:
        """Make a value tame, whoever sets it."""
        return value if self.password else tame(value)

    def on_paste(self, event: Paste) -> None:
        """Take all of what is pasted as one line; the framework would keep the first of several.

        A password of several lines is none, and is refused.
        """
        event.stop()
        event.prevent_default()
        lines = event.text.splitlines()
        if self.password and len(lines) > 1:
            self.app.notify("a password is one line: nothing was pasted")
        elif lines:
            self._put(" ".join(lines))

    def restricted(self) -> None:
        """Say that the field takes no more; what is typed on would be gone without a word."""
        super().restricted()
        if self.max_length and not self._is_told_full:
            self._is_told_full = True
            self.app.notify(f"the field is full: it takes {self.max_length:,} characters")

    def watch_value(self) -> None:
        """Tell again once there was room."""
        if self.max_length and len(self.value) < self.max_length:
            self._is_told_full = False

    def _put(self, line: str) -> None:
        """Put a line in the place of what is chosen; what would be cut is refused with a word."""
        chosen = self.selection
        start, end = sorted((chosen.start, chosen.end))
        if self.max_length and len(self.value) - (end - start) + len(line) > self.max_length:
            most = f"{self.max_length:,} characters"
            self.app.notify(f"nothing was pasted: {len(line):,} characters more than {most}")
            return
        self.replace(line, start, end)

    def replace(self, text: str, start: int, end: int) -> None:
        """Put text in the place of another; the cursor goes behind what is left of it."""
        if not self.password:
            before = self.value[: max(0, min(start, end))]
            text = tame(before + spaced(text).replace("\n", " "))[len(before) :]
        super().replace(text, start, end)


class LinesInput(TextArea):
    """Several lines of text to type."""

    def __init__(self, text: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(tame_lines(text), id=id)

    def load_text(self, text: str) -> None:
        """Show another text."""
        super().load_text(tame_lines(text))

    def edit(self, edit: Edit) -> EditResult:
        """Do an edit with what is left of its text.

        Accents behind it are part of it: they may have lost their letter, or be too many on it.
        """
        (row, column), (last, end) = edit.top, edit.bottom
        before, after = self.document.get_line(row)[:column], self.document.get_line(last)[end:]
        marks = next((i for i, c in enumerate(after) if not is_mark(c)), len(after))
        text = tame_lines(before + spaced(edit.text) + after[:marks])[len(before) :]
        kept = edit.maintain_selection_offset
        return super().edit(Edit(text, edit.top, (last, end + marks), kept))
