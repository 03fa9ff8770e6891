"""A long list of lines of which one is chosen; only those that are seen are drawn."""

from collections.abc import Callable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.events import Click, MouseScrollDown, MouseScrollUp, Resize
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

_WHEEL = 3


class LogList(ScrollView, can_focus=True):
    """Asks for the text of a line when it is drawn; keys and wheel move what is chosen.

    ``draw`` gives a line's text, at most so many cells wide, and whether it is to stand out.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = set()
    DEFAULT_CSS = "LogList { height: 1fr; overflow-x: hidden; }"

    class Chosen(Message):
        """Another line is chosen."""

    def __init__(self, draw: Callable[[int, int], tuple[str, bool]], *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._draw = draw
        self.count = 0
        """How many lines there are."""
        self.chosen = 0
        """Which is chosen, from 0; 0 where there is none."""

    @property
    def at_end(self) -> bool:
        """Whether the last line is chosen: new ones are then followed."""
        return self.chosen >= self.count - 1

    def fill(self, count: int, chosen: int) -> None:
        """Show another number of lines, with one of them chosen; all are drawn anew."""
        self.count = count
        self.chosen = max(0, min(chosen, count - 1))
        self._fit()
        self._reveal()
        self.refresh()
        self.post_message(self.Chosen())

    def grow(self, count: int) -> None:
        """Take in lines at the end; the last one stays chosen where it was."""
        followed = self.at_end
        before, self.count = self.count, count
        self._fit()
        if followed:
            self.choose(count - 1)
        self.refresh_lines(before, max(1, count - before))

    def choose(self, place: int) -> None:
        """Choose a line and bring it into sight."""
        place = max(0, min(place, self.count - 1))
        if place != self.chosen:
            self.refresh_lines(self.chosen, 1)
            self.chosen = place
            self.refresh_lines(place, 1)
            self.post_message(self.Chosen())
        self._reveal()

    def _fit(self) -> None:
        self.virtual_size = Size(0, self.count)

    def _reveal(self) -> None:
        top, height = int(self.scroll_target_y), max(1, self.size.height)
        if self.chosen < top:
            self.scroll_to(y=self.chosen, animate=False, immediate=True)
        elif self.chosen >= top + height:
            self.scroll_to(y=self.chosen - height + 1, animate=False, immediate=True)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        # The scroll bar lies over the size; what ends under it would be cut without its mark.
        width, place = self.scrollable_content_region.width, y + int(self.scroll_offset.y)
        base = self.rich_style
        if place >= self.count:
            return Strip.blank(width, base)
        text, stands_out = self._draw(place, width)
        style = base + Style(reverse=place == self.chosen or None, bold=stands_out or None)
        strip = Strip([Segment(text, style)])
        return strip.adjust_cell_length(width, style if place == self.chosen else base)

    def on_resize(self, event: Resize) -> None:
        """Keep the chosen line in sight."""
        del event
        self._fit()
        self.call_after_refresh(self._reveal)

    def action_scroll_down(self) -> None:
        """Choose the next line."""
        self.choose(self.chosen + 1)

    def action_scroll_up(self) -> None:
        """Choose the line before."""
        self.choose(self.chosen - 1)

    def action_page_down(self) -> None:
        """Choose a line a page further."""
        self.choose(self.chosen + max(1, self.size.height - 1))

    def action_page_up(self) -> None:
        """Choose a line a page before."""
        self.choose(self.chosen - max(1, self.size.height - 1))

    def action_scroll_home(self) -> None:
        """Choose the first line."""
        self.choose(0)

    def action_scroll_end(self) -> None:
        """Choose the last line."""
        self.choose(self.count - 1)

    def _on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self.choose(self.chosen + _WHEEL)

    def _on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self.choose(self.chosen - _WHEEL)

    def on_click(self, event: Click) -> None:
        """Choose the line that was clicked."""
        place = event.y + int(self.scroll_offset.y)
        if place < self.count:
            self.choose(place)
