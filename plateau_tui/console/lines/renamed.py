"""Which player online is likely a unit that no list shows: its name is spelt otherwise."""

from typing import Final

from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.view import RunView, UnitView
from plateau_tui.server.roster import is_like

_NAME_CELLS: Final = 24


def player_like(unit: UnitView, view: RunView) -> str | None:
    """Return the player, no unit of the run, who is likely this one; None where nobody is."""
    return next((name for name in view.others if is_like(name, unit.name)), None)


def renamed_words(unit: UnitView, view: RunView) -> str:
    """Return who is online in the place of a unit that is not listed; nothing where nobody is.

    The roster is sealed: only the player can bear the name that stands in it.
    """
    name = None if unit.online is not False else player_like(unit, view)
    if name is None:
        return ""
    how = "the case differs" if name.casefold() == unit.name.casefold() else "likely it"
    return f"{harmless(name, _NAME_CELLS)} is online, {how}: name it {unit.name} again"
