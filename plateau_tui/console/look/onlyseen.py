"""The last thing that is done to a line: nothing in it acts on a terminal, whatever drew it.

Our texts, and all that can be typed, are tame before they are laid out (``plainchars``). This
holds also for a widget of the framework, or one of ours, that forgot it.
"""

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from plateau_tui.console.look.plainchars import REPLACED


def only_seen(text: str) -> str:
    """Return text of as many cells without control, format and unassigned characters."""
    if text.isprintable():
        return text
    shown = "".join(c if c.isprintable() else REPLACED * cell_len(c) for c in text)
    return set_cell_size(shown, cell_len(text))


class OnlySeen(LineFilter):
    """Leaves no character in a line that does more than be seen."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without such characters, each as wide as it was."""
        del background
        return [
            segment
            if segment.text.isprintable()
            else Segment(only_seen(segment.text), segment.style, segment.control)
            for segment in segments
        ]
