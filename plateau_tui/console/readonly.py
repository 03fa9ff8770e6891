"""The read-only console: what each screen may do there, and that it can do nothing else.

Safe by construction: an action that this table does not name is off, so that a new one stays off
until somebody has declared that it only looks. To look is to read a run and to show it. What is
acknowledged and the bell stay in this console's memory; copies are the operator's own, in the state
folder; nothing may touch a run, a mailbox or a server, or start a collector. Files that a path
names which was typed in stay shut as well: a read-only console is what one hands to others.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

from textual.screen import Screen

from plateau_tui.console.keys import KeyNames

READ_ONLY: Final = "READ-ONLY"
"""What stands before the keys of every screen."""
_OURS: Final = "plateau_tui."
_OF_EVERY_SCREEN: Final = frozenset({"back", "copy_text"})
LOOKS: Final[Mapping[str, frozenset[str]]] = {
    "AnswerScreen": frozenset(),
    "Ask": frozenset({"leave", "scroll", "page"}),
    "CalibrationScreen": frozenset({"open", "every", "motion", "controls", "move"}),
    "Confirm": frozenset({"answer", "scroll"}),
    "CopyPage": frozenset({"leave", "scroll", "copy"}),
    "GateScreen": frozenset({"read_again", "assess", "copy", "move", "leave_console"}),
    "Interrupt": frozenset({"answer", "scroll"}),
    "JournalScreen": frozenset(
        {"kind", "search", "again", "go", "beats", "local", "problems", "whole", "copy"}
    ),
    "MeasureScreen": frozenset({"motion", "controls", "scroll"}),
    "Menu": frozenset({"choices", "leave"}),
    "Page": frozenset({"leave", "scroll", "copy"}),
    "PairsScreen": frozenset({"open", "move", "side", "scroll", "copy"}),
    "PlotsScreen": frozenset({"choose", "turn", "time", "moved"}),
    "PreviewScreen": frozenset({"scroll"}),
    "RecordedScreen": frozenset({"read_again", "scroll"}),
    "ReplayScreen": frozenset(
        {"play", "step", "change", "flag", "page", "speed", "first", "last", "go", "open"}
        | {"journal", "pairs", "find", "down", "up", "copy", "sparks"}
    ),
    "ReplayJournalScreen": frozenset(
        {"play", "step", "change", "flag", "later", "kind", "search", "again", "go", "beats"}
        | {"local", "problems", "whole", "copy"}
    ),
    "ReplayPairsScreen": frozenset(
        {"play", "step", "change", "flag", "open", "move", "side", "scroll", "copy"}
    ),
    "ReplayPlotsScreen": frozenset(
        {"play", "step", "change", "flag", "choose", "turn", "time", "moved"}
    ),
    "ReplayUnitScreen": frozenset(
        {"play", "step", "change", "flag", "turn", "scroll", "copy", "plots"}
    ),
    "RunScreen": frozenset(
        {"open", "calibrate", "pairs", "verdict", "journal", "gate", "replay", "copy", "bell"}
        | {"seen", "sparks", "down", "up", "find", "marked", "answers"}
    ),
    "RunsScreen": frozenset({"open", "calibrate", "replay", "move"}),
    "UnitScreen": frozenset({"scroll", "turn", "copy", "plots"}),
    "VerdictScreen": frozenset({"judge", "scroll", "copy"}),
    "WizardScreen": frozenset({"scroll", "page", "edge", "copy"}),
}
"""Screen -> the actions of it that only look."""
APP_LOOKS: Final = frozenset(
    {"fence", "command_palette", "help", "quit", "help_quit", "interrupt", "focus_next"}
    | {"focus_previous", "redraw"}
)
"""The same of the application."""
_DOES_THE_SAME: Final[Mapping[str, str]] = {
    "run.poll": "plateau-tui collect --once",
    "run.pin": "plateau-tui pin",
    "run.collect": "plateau-tui collect",
    "run.close": "plateau-tui close",
    "verdict.export": "plateau-tui export",
    "wizard.check": "plateau-tui check",
    "wizard.register": "plateau-tui register",
    "wizard.watch": "plateau-tui watch-wood",
    "wizard.pin": "plateau-tui pin",
    "wizard.seal": "plateau-tui seal",
}
"""What texts name instead of a key that is off, by the id of its binding."""
_ELSEWHERE: Final = frozenset({"run.wizard", "wizard.also", "gate.write"})


@runtime_checkable
class ReadsOnly(Protocol):
    """An application that knows whether it may only look."""

    read_only: bool


@dataclass(frozen=True, slots=True)
class CommandNames(KeyNames):
    """What a text of a read-only console calls the keys: those that are off by their command."""

    def __getitem__(self, binding_id: str) -> str:
        """Return a key's name, or who else does what it did.

        Raises:
            KeyError: no text names that binding.

        """
        if binding_id in _DOES_THE_SAME:
            return _DOES_THE_SAME[binding_id]
        key = KeyNames.__getitem__(self, binding_id)
        return f"{key} of plateau-tui attach" if binding_id in _ELSEWHERE else key


def is_read_only(app: object) -> bool:
    """Say whether an application may only look."""
    return isinstance(app, ReadsOnly) and app.read_only


def looks_of(screen: type[Screen[Any]]) -> frozenset[str]:
    """Return the actions of a screen that only look; a subclass declares its own."""
    return LOOKS.get(screen.__name__, frozenset()) | _OF_EVERY_SCREEN


def actions_of(screen: type[Screen[Any]]) -> frozenset[str]:
    """Return the names of all actions that a screen gets from classes of ours."""
    ours = [each for each in screen.__mro__ if each.__module__.startswith(_OURS)]
    found = (name for each in ours for name in vars(each))
    return frozenset(
        name.removeprefix("_").removeprefix("action_")
        for name in found
        if name.startswith(("action_", "_action_"))
    )


def may(screen: Screen[Any], action: str) -> bool:
    """Say whether a screen may do an action: everything, unless its console is read-only."""
    return not is_read_only(screen.app) or action in looks_of(type(screen))


def shut(screen: Screen[Any]) -> None:
    """Take from a screen of a read-only console every action that does not only look.

    A click, or enter in a field, may call an action's method and ask nobody whether it may.
    """
    if not is_read_only(screen.app):
        return
    for name in actions_of(type(screen)) - looks_of(type(screen)):
        for method in (f"action_{name}", f"_action_{name}"):
            if hasattr(screen, method):
                setattr(screen, method, _nothing)


def _nothing(*arguments: object) -> None:
    """Do nothing, in the place of an action."""
