"""One arm: its heading and its units, one of which may be chosen."""

import os
from collections.abc import Mapping, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets.option_list import Option

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

    def action_cursor_down(self) -> None:
        """Ask for the next unit."""
        self.post_message(self.Moved(1))

    def action_cursor_up(self) -> None:
        """Ask for the unit before."""
        self.post_message(self.Moved(-1))


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
        self._lines: list[tuple[str, str]] = []
        self._names: list[str] = []
        self._room = 0

    def compose(self) -> ComposeResult:
        """Lay out heading, columns and units."""
        yield Line(classes="arm-title")
        yield Line(classes="columns")
        yield UnitList()

    def show(
        self,
        view: RunView,
        now_ms: int,
        width: int,
        rows: int,
        marks: Mapping[str, str],
        *,
        sparks: bool = False,
    ) -> None:
        """Show the arm's units in so many cells and lines; only what differs is drawn again.

        ``marks`` has, by unit, one cell for what its operator has not seen yet. With ``sparks``
        the sparklines take the place of the kinds of block.
        """
        units = view.of(self.role)
        options = self.query_one(UnitList)
        room = max(1, rows - _HEADINGS)
        if room != self._room:  # every setting of a style lays the whole screen out anew
            self._room = room
            options.styles.max_height = room
        cells = width - (1 if len(units) > room else 0)
        columns = Columns.fit(cells, view, levels_for(os.environ), instead=sparks)
        self.query_one(".arm-title", Line).show(arm_line(view, self.role, width, now_ms))
        self.query_one(".columns", Line).show(columns_line(columns))
        lines = [
            (
                unit_line(unit, view, columns, now_ms, marks.get(unit.name, " ")),
                _style(unit, view, now_ms),
            )
            for unit in units
        ]
        names = [unit.name for unit in units]
        if names != self._names:
            options.clear_options()
            options.add_options(
                Option(_content(line), id=name) for name, line in zip(names, lines, strict=True)
            )
            options.highlighted = 0 if options.has_focus and names else None
        else:
            for place, line in enumerate(lines):
                if line != self._lines[place]:
                    options.replace_option_prompt_at_index(place, _content(line))
        self._lines, self._names = lines, names


def _content(line: tuple[str, str]) -> Content:
    text, style = line
    return Content.styled(text, style) if style else Content(text)


def _style(unit: UnitView, view: RunView, now_ms: int) -> str:
    if view.is_stale(unit.read_ms, now_ms) or unit.read_ms is None:
        return "dim"
    return "bold" if unit.plateau_break else ""
