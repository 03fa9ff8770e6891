"""Presses every key of every screen that can be reached, whatever screens there are.

Nothing here names a screen: what a key opens is explored in turn, so that a screen is covered
from the day on which a key leads to it.
"""

import time
from dataclasses import dataclass, field
from typing import Final

from textual.pilot import Pilot
from textual.widgets import Input

TYPE: Final = "<type>"
"""Stands for typing a line into a question and sending it."""

_LEAVING: Final = frozenset({"quit", "leave_console", "interrupt"})
_ASKS_TO_LEAVE: Final = "ctrl+c"
"""The application takes it before any screen that binds it to something else."""
_FRAMEWORK: Final = frozenset({"enter", "escape"})
"""Keys of the framework's own that do something; the others move a cursor."""
_SETTLE_S: Final = 0.02
_BUSY_S: Final = 0.25
_DEEPEST: Final = 6


@dataclass
class Crawler:
    """Explores from the screen that is shown when it begins.

    ``pressed`` holds what was pressed as (screen, key); a question or a page counts once for each
    key that opens it.
    """

    pilot: Pilot[int]
    words: str = "jungle_log"
    pressed: set[tuple[str, str]] = field(default_factory=set)
    screens: set[str] = field(default_factory=set)
    _base: int = 0
    _of_the_app: set[str] = field(default_factory=set)

    async def crawl(self) -> None:
        self._base = len(self.pilot.app.screen_stack)
        await self._explore(())
        await self._go(())

    async def _explore(self, path: tuple[str, ...]) -> None:
        if not await self._go(path) or len(path) > _DEEPEST:
            return
        where = self._where(path)
        if where in self.screens:
            return
        self.screens.add(where)
        here = self.pilot.app.screen
        for key in self._keys():
            if (where, key) in self.pressed:
                continue
            if self.pilot.app.screen is not here and not await self._go(path):
                return
            here = self.pilot.app.screen
            self.pressed.add((where, key))
            depth = len(self.pilot.app.screen_stack)
            await self.press(key)
            if len(self.pilot.app.screen_stack) > depth:
                await self._explore((*path, key))

    def _where(self, path: tuple[str, ...]) -> str:
        """Return a name for this screen; a question is another one for each key that asks it."""
        screen = self.pilot.app.screen
        name = type(screen).__name__
        asks = bool(screen.query(Input)) or any(
            each.binding.action.startswith("answer") for each in screen.active_bindings.values()
        )
        return f"{name} by {path[-1]}" if screen.is_modal and asks and path else name

    def _keys(self) -> list[str]:
        """Return one key for each action of this screen; those of the application once at all."""
        screen, app = self.pilot.app.screen, self.pilot.app
        keys: dict[str, str] = {}
        for key, each in screen.active_bindings.items():
            ours = type(each.node).__module__.startswith("plateau_tui.")
            action = each.binding.action
            if (
                ours
                and each.enabled
                and key != _ASKS_TO_LEAVE
                and (each.binding.id or screen.is_modal or key in _FRAMEWORK)
                and action.rpartition(".")[2] not in _LEAVING
                and not (each.node is app and action in self._of_the_app)
            ):
                keys.setdefault(action, key)
                if each.node is app:
                    self._of_the_app.add(action)
        return [*keys.values(), TYPE] if screen.query(Input) else list(keys.values())

    async def _go(self, path: tuple[str, ...]) -> bool:
        """Return to the first screen and press a path; False where it leads nowhere any more."""
        while len(self.pilot.app.screen_stack) > self._base:
            await self.pilot.app.pop_screen()
        await self._settle()
        for step, key in enumerate(path, 1):
            await self.press(key)
            if len(self.pilot.app.screen_stack) < self._base + step:
                return False
        return len(self.pilot.app.screen_stack) >= self._base + len(path)

    async def press(self, key: str) -> None:
        """Press a key, or send a line, and let what it began go on for a while."""
        if key == TYPE:
            for box in self.pilot.app.screen.query(Input):
                box.value = self.words
            await self.pilot.press("enter")
        else:
            await self.pilot.press(key)
        await self._settle()

    async def _settle(self) -> None:
        await self.pilot.pause(_SETTLE_S)
        limit = time.monotonic() + _BUSY_S
        while getattr(self.pilot.app.screen, "busy", False) and time.monotonic() < limit:
            await self.pilot.pause(_SETTLE_S)
