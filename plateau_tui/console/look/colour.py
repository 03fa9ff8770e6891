"""No colour at all, where ``NO_COLOR`` asks for that (https://no-color.org); no dim unreadable."""

from functools import lru_cache
from typing import Final

from rich.color import Color as Painted
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter, dim_color

from plateau_tui.console.look.themes import LEAST_LEGIBLE, legibility

_BLACK_OR_WHITE: Final = tuple(Painted.from_ansi(number) for number in (0, 15))


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


@lru_cache(maxsize=4096)
def _readable(style: Style) -> Style:
    """Return a dim style without dim where its text could then not be told from its ground."""
    front, behind = style.color, style.bgcolor
    if front is None or behind is None or front.triplet is None or behind.triplet is None:
        return style
    dimmed = Color.from_rich_color(dim_color(behind, front))
    if legibility(dimmed, Color.from_rich_color(behind)) >= LEAST_LEGIBLE:
        return style
    return style + Style(dim=False)


class DimReadably(LineFilter):
    """Takes dim from text that it would hide: a theme's colours need only be legible undimmed.

    What is dim says in words, too, that it is old.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments, none of them dimmer than can be read."""
        del background
        return [
            Segment(text, _readable(style), control) if style and style.dim else segment
            for segment in segments
            for text, style, control in (segment,)
        ]


def _of_sixteen(colour: Painted) -> Color:
    """Return what a terminal of 16 colours, with their usual tones, paints for a colour."""
    return Color(*colour.downgrade(ColorSystem.STANDARD).get_truecolor())


@lru_cache(maxsize=4096)
def _apart(style: Style) -> Style:
    """Return a style whose text can be told from its ground once both are of the 16 colours."""
    front, behind = style.color, style.bgcolor
    if front is None or behind is None or front.triplet is None or behind.triplet is None:
        return style
    ground = _of_sixteen(behind)
    if legibility(_of_sixteen(front), ground) >= LEAST_LEGIBLE:
        return style
    best = max(_BLACK_OR_WHITE, key=lambda each: legibility(_of_sixteen(each), ground))
    return style + Style(color=best)


class ApartInSixteen(LineFilter):
    """Keeps text legible where a terminal has 16 colours, and a theme has others.

    Two colours of a theme that can be told apart may be the same one of those.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments, each in a colour that can be read on its ground."""
        del background
        return [
            Segment(text, _apart(style), control) if style else segment
            for segment in segments
            for text, style, control in (segment,)
        ]
