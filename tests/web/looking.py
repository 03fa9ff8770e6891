"""What the tests of the read-only console share: the screens, their keys, a folder's bytes."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from textual.binding import Binding
from textual.screen import Screen

from plateau_tui.console import screens
from plateau_tui.console.app import PlateauApp
from plateau_tui.console.readonly import actions_of

_BASES: Final = frozenset(
    {"AttentiveScreen", "BaseScreen", "ChoosingScreen", "Dialog", "FollowingScreen"}
    | {"GateForm", "LinesScreen", "ReadingScreen", "AlongScreen", "FindingScreen", "MovingScreen"}
)
LEAVES: Final = frozenset({"q", "ctrl+q", "ctrl+c", "super+c", "escape"})
OFF: Final[Mapping[str, frozenset[str]]] = {
    "AnswerScreen": frozenset({"preview"}),
    "CalibrationScreen": frozenset({"reference"}),
    "GateScreen": frozenset({"edit", "write", "seal"}),
    "PreviewScreen": frozenset({"write"}),
    "RunScreen": frozenset({"wizard", "poll_now", "note", "pin", "close_window", "collect"}),
    "VerdictScreen": frozenset({"answer", "export"}),
    "WizardScreen": frozenset({"step", "also", "pin", "seal"}),
}
"""What a read-only console may not do, by screen. An action that is new belongs here, or in
``readonly.LOOKS`` once somebody has made sure that it only looks."""


def screen_classes() -> dict[str, type[Screen[Any]]]:
    """Every screen of the console that a person can come to, by its name."""
    found: dict[str, type[Screen[Any]]] = {}
    names = [info.name for info in pkgutil.iter_modules(screens.__path__, f"{screens.__name__}.")]
    for name in (*names, PlateauApp.__module__):
        module = importlib.import_module(name)
        own = (each for each in vars(module).values() if isinstance(each, type))
        screens_here = (each for each in own if issubclass(each, Screen) and actions_of(each))
        found |= {each.__name__: each for each in screens_here}
    return {name: each for name, each in found.items() if name not in _BASES}


def bindings_of(screen: type[Screen[Any]]) -> Iterator[Binding]:
    """The bindings of ours that a screen has, also those of its bases."""
    for each in screen.__mro__:
        for binding in vars(each).get("BINDINGS", ()):
            if isinstance(binding, Binding):
                yield binding


def action_of(binding: Binding) -> str:
    return binding.action.partition("(")[0]


def keys_on(screen: type[Screen[Any]]) -> list[str]:
    """Every key that does something on a screen, and what would confirm it; none that leaves."""
    bindings = list(bindings_of(screen))
    if screen.__name__ == "RunScreen":
        bindings += [b for b in PlateauApp.BINDINGS if isinstance(b, Binding)]
    return sorted((_keys_of(bindings) | {"enter", "y"}) - LEAVES)


def off_keys_on(screen: type[Screen[Any]]) -> list[str]:
    """Every key of a screen that would write, and what would confirm it."""
    off = OFF[screen.__name__]
    return sorted(_keys_of([b for b in bindings_of(screen) if action_of(b) in off]) | {"enter"})


def _keys_of(bindings: list[Binding]) -> set[str]:
    return {key.strip() for binding in bindings for key in binding.key.split(",")}


def held(folder: Path) -> dict[str, tuple[int, bytes, int]]:
    """All that a folder holds: path -> when it was changed, its bytes, its permissions."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
            path.stat().st_mode,
        )
        for path in [folder, *folder.rglob("*")]
    }
