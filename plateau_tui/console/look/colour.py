"""No colour at all, where ``NO_COLOR`` asks for that (https://no-color.org)."""

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter


@lru_cache(maxsize=4096)
def _plain(style: Style) -> Style:
    return style.without_color + Style.from_meta(style.meta)


class Colourless(LineFilter):
    """Leaves bold, dim, underlined and reverse, and takes every colour.

    Textual's own answer to ``NO_COLOR`` writes greys, which a terminal of another background shows
    as light on light.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without colours."""
        del background
        return [
            Segment(text, None if style is None else _plain(style), control)
            for text, style, control in segments
        ]
