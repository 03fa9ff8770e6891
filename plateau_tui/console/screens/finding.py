"""Choosing a unit on a screen with both arms: by the arrows, by a part of its name; opening it."""

from typing import ClassVar

from textual import on
from textual.widgets import Input, OptionList

from plateau_tui.console.screens.base import BaseScreen, is_open
from plateau_tui.console.widgets.arm import UnitList, choose_unit, move_choice


class FindingScreen(BaseScreen):
    """Both arms, of which one unit is chosen; a subclass lays them out with a field ``#find``."""

    DEFAULT_CSS: ClassVar[str] = """
    FindingScreen #find { display: none; }
    FindingScreen.-finding #find { display: block; }
    FindingScreen.-finding #chosen { display: none; }
    """
    _sought = ""
    _find_from: str | None = None

    def show_chosen(self) -> None:
        """Show the chosen unit in full; a subclass has the place for it."""

    def open_unit(self, name: str) -> None:
        """Open a unit; a subclass knows its screen."""

    @property
    def finds(self) -> bool:
        """Whether the keys go to the field."""
        return self.has_class("-finding")

    def chosen(self) -> str | None:
        """Return the name of the unit that is chosen."""
        for units in self.query(UnitList):
            here = units.sought or self.focused is units
            if here and units.highlighted_option is not None:
                return units.highlighted_option.id
        return None

    def names(self) -> list[str]:
        """Return the names of all units, in the order of their lines."""
        lists = self.query(UnitList)
        return [each.id for units in lists for each in units.options if each.id is not None]

    def choose(self, name: str, *, focus: bool = True) -> None:
        """Choose a unit; without ``focus`` the keys stay where they are."""
        choose_unit(list(self.query(UnitList)), name, focus=focus)
        self.show_chosen()

    # -- opening ------------------------------------------------------------------------------

    @on(OptionList.OptionSelected)
    def _select(self, event: OptionList.OptionSelected) -> None:
        if event.option_id is not None and self.is_front:
            self.open_unit(event.option_id)

    def action_open(self) -> None:
        """Open the chosen unit."""
        unit = self.chosen()
        if unit is not None and self.is_front:
            self.open_unit(unit)

    # -- by the arrows ------------------------------------------------------------------------

    @on(OptionList.OptionHighlighted)
    def _highlighted(self) -> None:
        if is_open(self):
            self.show_chosen()

    @on(UnitList.Moved)
    def _moved(self, message: UnitList.Moved) -> None:
        self._move(message.step)

    def action_down(self) -> None:
        """Choose the next unit, across the arms."""
        self._move(1)

    def action_up(self) -> None:
        """Choose the unit before, across the arms."""
        self._move(-1)

    def _move(self, step: int) -> None:
        if self.finds:
            self._look_for(self._sought, step)
        else:
            move_choice(list(self.query(UnitList)), step)

    # -- by the name --------------------------------------------------------------------------

    def action_find(self) -> None:
        """Ask for a part of a name; the first unit that has it is chosen while it is typed."""
        if not self.is_front:
            return
        self._find_from = self.chosen()
        self.add_class("-finding")
        field = self.query_one("#find", Input)
        field.value = ""
        field.focus()
        if self._find_from is not None:
            self.choose(self._find_from, focus=False)

    @on(Input.Changed, "#find")
    def _typed(self, event: Input.Changed) -> None:
        if self.finds and event.value:
            self._look_for(event.value, 0)

    @on(Input.Submitted, "#find")
    def _found(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value != self._sought or not event.value:
            self._look_for(event.value or self._sought, 0 if event.value else 1)
        self._end_find(self.chosen())

    def _look_for(self, part: str, step: int) -> None:
        """Choose the first unit from where the search began whose name has ``part``.

        With a step, from the one that is chosen: the next, or the one before.
        """
        self._sought = part
        names = self.names()
        wanted = [name for name in names if part and part.casefold() in name.casefold()]
        start = self.chosen() if step else self._find_from
        if wanted:
            self.choose(next_of(wanted, names, start, step), focus=False)
        elif part and self._find_from is not None:
            self.choose(self._find_from, focus=False)

    def _end_find(self, name: str | None) -> None:
        self._give_back_keys()
        told = self._sought and self._sought.casefold() not in (name or "").casefold()
        names = self.names()
        if name is not None or names:
            self.choose(name or names[0])
        if told:
            self.hear(f"no unit has {self._sought} in its name")

    def _give_back_keys(self) -> None:
        self.remove_class("-finding")
        self.call_after_refresh(self.resized)  # the line of keys may take more room again

    def on_descendant_focus(self) -> None:
        """Leave the search where it is when the keys go to the units again."""
        if self.finds and isinstance(self.focused, UnitList):
            self._give_back_keys()
            for units in self.query(UnitList):
                units.sought = False
            self.show_chosen()

    def action_back(self) -> None:
        """Leave the search for where it began, or go back."""
        if self.finds:
            self._sought = ""
            self._end_find(self._find_from)
        else:
            super().action_back()


def next_of(wanted: list[str], names: list[str], start: str | None, step: int) -> str:
    """Return which of some units comes next in the order of all names, round the end.

    Args:
        wanted: what may be chosen, at least one.
        names: all, in their order.
        start: where to begin; None begins before the first.
        step: 1 for the next, -1 for the one before, 0 for the first from ``start`` on.

    """
    here = names.index(start) if start in names else -1
    places = [names.index(name) for name in wanted]
    if step < 0:
        return names[max((p for p in places if p < here), default=places[-1])]
    first = here + (step > 0)
    return names[min((p for p in places if p >= first), default=places[0])]
