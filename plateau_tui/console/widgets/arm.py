"""One arm: its heading and its units, one of which may be chosen."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style

from plateau_tui.console.lines.grid import Columns, arm_line, columns_line, unit_line
from plateau_tui.console.lines.sparks import levels_for
from plateau_tui.console.live.view import Role, RunView, UnitView
from plateau_tui.console.screens.base import Line
from plateau_tui.console.widgets.choices import Choices

_HEADINGS = 2


class UnitList(Choices):
    """The units of one arm, as lines; the arrows ask for a move, which may cross to the other."""

    class Moved(Message):
        """The operator asks for the next unit, or the one before."""

        def __init__(self, step: int) -> None:
            self.step = step
            super().__init__()

    sought: reactive[bool] = reactive(default=False)
    """Whether the chosen line is drawn as chosen while the keys go to a field."""

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        """Return a style; the chosen line's is reverse while it is looked for, too."""
        style = super().get_visual_style(*component_classes, partial=partial)
        chosen = "option-list--option-highlighted" in component_classes
        return style + Style(reverse=True) if chosen and self.sought else style

    def action_cursor_down(self) -> None:
        """Ask for the next unit."""
        self.post_message(self.Moved(1))

    def action_cursor_up(self) -> None:
        """Ask for the unit before."""
        self.post_message(self.Moved(-1))


def choose_unit(lists: Sequence[UnitList], name: str, *, focus: bool = True) -> bool:
    """Choose a unit by its name; say whether there is one of that name.

    Without ``focus`` its line is marked though the keys go elsewhere.
    """
    found = False
    for units in lists:
        place = next((i for i, each in enumerate(units.options) if each.id == name), None)
        units.sought = place is not None and not focus
        if place is not None:
            found = True
            if focus:
                units.screen.set_focus(units, scroll_visible=False)
            units.highlighted = place
    return found


def move_choice(lists: Sequence[UnitList], step: int) -> None:
    """Choose another unit, across the arms; nothing where a screen that closes has none."""
    if not lists:
        return
    here = next((i for i, units in enumerate(lists) if units.has_focus), 0)
    units = lists[here]
    place = (units.highlighted if units.highlighted is not None else -1) + step
    if 0 <= place < units.option_count:
        units.focus()
        units.highlighted = place
    elif 0 <= here + step < len(lists) and lists[here + step].option_count:
        other = lists[here + step]
        other.focus()
        other.highlighted = 0 if step > 0 else other.option_count - 1


class Arm(Vertical):
    """An arm's heading and its units."""

    def __init__(self, role: Role) -> None:
        super().__init__(id=role, classes="arm")
        self.role: Role = role
        self._names: list[str] = []
        self._room = 0
        self._heads: Callable[[tuple[int, int] | None], str] = lambda _: ""

    def compose(self) -> ComposeResult:
        """Lay out heading, columns and units."""
        yield Line(classes="arm-title")
        yield Line(classes="columns")
        yield UnitList()

    def on_mount(self) -> None:
        """Name the pairs in view anew when they are scrolled."""
        self.watch(self.query_one(UnitList), "scroll_y", self._head, init=False)

    @property
    def in_view(self) -> list[str]:
        """The names of the units whose lines are in view."""
        first = self.query_one(UnitList).scroll_offset.y
        first = max(0, min(first, len(self._names) - self._room))
        return self._names[first : first + self._room]

    def _head(self) -> None:
        seen, names = self.in_view, self._names
        if len(seen) == len(names):
            shown = None
        else:
            first = names.index(seen[0]) + 1
            shown = (first, first + len(seen) - 1)
        self.query_one(".arm-title", Line).show(self._heads(shown))

    def show(
        self,
        view: RunView,
        now_ms: int,
        width: int,
        rows: int,
        marks: Mapping[str, str],
        *,
        sparks: bool = False,
        headed: bool = True,
    ) -> None:
        """Show the arm's units in so many cells and lines; only what differs is drawn again.

        ``marks`` has, by unit, one cell for what its operator has not seen yet. With ``sparks``
        the sparklines take the place of the kinds of block. An arm that is not ``headed`` stands
        below one with the same columns.
        """
        units = view.of(self.role)
        options = self.query_one(UnitList)
        room = max(1, rows - _HEADINGS + (not headed))
        if room != self._room:  # every setting of a style lays the whole screen out anew
            self._room = room
            options.styles.max_height = room
        cells = width - (1 if len(units) > room else 0)
        columns = Columns.fit(cells, view, levels_for(os.environ), instead=sparks)
        heading = self.query_one(".columns", Line)
        heading.display = headed
        heading.show(columns_line(columns))
        lines = [
            (
                unit_line(unit, view, columns, now_ms, marks.get(unit.name, " ")),
                _style(unit, view, now_ms),
            )
            for unit in units
        ]
        names = [unit.name for unit in units]
        if options.show_lines(names, lines):
            options.highlighted = 0 if options.has_focus and names else None
        self._names = names
        self._heads = partial(arm_line, view, self.role, width, now_ms)
        self._head()


def _style(unit: UnitView, view: RunView, now_ms: int) -> str:
    if view.is_stale(unit.read_ms, now_ms) or unit.read_ms is None:
        return "dim"
    return "bold" if unit.plateau_break else ""
