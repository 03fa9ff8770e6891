"""A list to choose from that stands whatever key comes, however early or late."""

import contextlib
from collections.abc import Sequence
from typing import Self

from textual import events
from textual.content import Content
from textual.geometry import Region
from textual.style import Style
from textual.visual import VisualType
from textual.widgets import OptionList
from textual.widgets.option_list import Option

StyledLine = tuple[str, str]
"""A line as plain text, and its style; nothing for none."""


class Choices(OptionList):
    """An option list that stays where it is when a key finds it not laid out yet.

    Textual 8.2.8 looks the chosen line up in a cache that is empty from the moment the options
    change until they are drawn, and while the list has no size (``OptionList._move_page``).

    It draws no more than the line that changed, where each option has one: an age that ticks
    would else send the whole list over SSH every second.
    """

    _replacing: int | None = None
    """The option that gets another line at this moment."""

    _shown_lines: Sequence[str | StyledLine] = ()
    """What was shown last, a line for each option."""

    def show_lines(self, names: Sequence[str], lines: Sequence[str | StyledLine]) -> bool:
        """Show a line for each name, where the names are the same only those that changed.

        The chosen name stays chosen; where it is gone, the place. Say whether all are new.
        """
        is_new = [option.id for option in self.options] != list(names)
        if is_new:
            chosen, place = self.highlighted_option, self.highlighted or 0
            kept = None if chosen is None else chosen.id
            self.clear_options()
            self.add_options(
                Option(_content(line), id=name) for name, line in zip(names, lines, strict=True)
            )
            if kept in names:
                place = names.index(kept)
            self.highlighted = min(place, len(names) - 1) if names else None
        else:
            for at, line in enumerate(lines):
                if line != self._shown_lines[at]:
                    self.replace_option_prompt_at_index(at, _content(line))
        self._shown_lines = lines
        return is_new

    def replace_option_prompt_at_index(self, index: int, prompt: VisualType) -> Self:
        """Give an option another line, of the same height as its own."""
        self._replacing = index if self.virtual_size.height == self.option_count else None
        try:
            return super().replace_option_prompt_at_index(index, prompt)
        finally:
            self._replacing = None

    def refresh(
        self,
        *regions: Region,
        repaint: bool = True,
        layout: bool = False,
        recompose: bool = False,
    ) -> Self:
        """Draw the list anew, or while one option gets another line, that line."""
        if self._replacing is not None and not regions:
            width = max(self.virtual_size.width, self.size.width)
            regions = (Region(0, self._replacing - self.scroll_offset.y, width, 1),)
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def action_page_down(self) -> None:
        """Choose the option a page further."""
        with contextlib.suppress(LookupError):
            super().action_page_down()  # type: ignore[no-untyped-call] # Textual's

    def action_page_up(self) -> None:
        """Choose the option a page before."""
        with contextlib.suppress(LookupError):
            super().action_page_up()  # type: ignore[no-untyped-call] # Textual's

    def action_select(self) -> None:
        """Select the chosen option, if it is still there."""
        with contextlib.suppress(LookupError):
            super().action_select()

    def on_resize(self) -> None:
        """Keep the chosen option in sight; with less room it may have been left below it."""
        self.call_after_refresh(self.scroll_to_highlight)

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        """Return a style; the chosen line's is reverse, which needs no colour.

        Textual takes every text style of a component but that one from the style sheet.
        """
        style = super().get_visual_style(*component_classes, partial=partial)
        chosen = "option-list--option-highlighted" in component_classes
        if chosen and (self.has_focus or not self.can_focus):
            return style + Style(reverse=True)
        return style

    def on_click(self, event: events.Click) -> None:
        """Ignore a click on an option that is gone by now."""
        place = event.style.meta.get("option")
        if isinstance(place, int) and place >= self.option_count:
            event.prevent_default()


def _content(line: str | StyledLine) -> Content:
    text, style = (line, "") if isinstance(line, str) else line
    return Content.styled(text, style) if style else Content(text)
