"""Choosing a unit on the run's screen: by its mark beside its name; opening it."""

from typing import Final

from textual.binding import Binding, BindingType

from plateau_tui.console.attention.seen import marked_first
from plateau_tui.console.screens.attentive import AttentiveScreen
from plateau_tui.console.screens.base import key_names
from plateau_tui.console.screens.finding import FindingScreen, next_of
from plateau_tui.console.screens.unit import UnitScreen
from plateau_tui.console.widgets.arm import Arm

CHOOSING: Final[list[BindingType]] = [
    Binding(
        "slash", "find", "Find", key_display="/", id="run.find",
        tooltip="A unit by a part of its name; empty: the next",
    ),
    Binding(
        "left_square_bracket", "marked(-1)", "New-", id="run.marked-before",
        tooltip="The unit before that turned (*); else that lost something",
    ),
    Binding(
        "right_square_bracket", "marked(1)", "New+", id="run.marked-next",
        tooltip="The next unit that turned (*); else that lost something",
    ),
    Binding("j,down", "down", "Down", show=False, id="run.down"),
    Binding("k,up", "up", "Up", show=False, id="run.up"),
]  # fmt: skip
"""The keys of a screen that shows both arms."""
CHOOSING_IDS: Final = ("run.find", "run.marked-before", "run.marked-next")
"""Those for whose words a narrow line of keys has no room."""


class ChoosingScreen(FindingScreen, AttentiveScreen):
    """Both arms of a run, of which one unit is chosen."""

    def hidden_news(self) -> str:
        """Return in short who turned unseen out of view, and the key that goes there."""
        seen = {name for arm in self.query(Arm) for name in arm.in_view}
        turned = self.turned_of(name for name in self.marks if name not in seen)
        key = key_names(self)["run.marked-next"]
        return f"new out of view ({key}): {turned}; " if turned else ""

    def open_unit(self, name: str) -> None:
        """Open a unit."""
        self.app.push_screen(UnitScreen(lambda: self.view, name))

    def action_marked(self, step: int) -> None:
        """Choose the next unit that turned unseen, or the one before, round the end.

        Where none turned, those that lost something take their place.
        """
        if not self.is_front:
            return
        names = self.names()
        wanted = marked_first(self.marks, names)
        if wanted:
            self.choose(next_of(wanted, names, self.chosen(), step))
        else:
            self.hear("no unit is marked: nothing is new")
