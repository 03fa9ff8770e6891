"""A list to choose from that stands whatever key comes, however early or late."""

import contextlib

from textual import events
from textual.style import Style
from textual.widgets import OptionList


class Choices(OptionList):
    """An option list that stays where it is when a key finds it not laid out yet.

    Textual 8.2.8 looks the chosen line up in a cache that is empty from the moment the options
    change until they are drawn, and while the list has no size (``OptionList._move_page``).
    """

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
