"""Keys that count in the order in which they came, each on the screen that the one before left.

Textual 8.2.8 hands every key of a burst to what has the focus at once, and does what a key is
bound to only when it has come back up to the application: of ``n h e l l o`` on one slow line the
letters are keys of the screen below, for the question that ``n`` asks is not there yet.
"""

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from functools import partial
from typing import Final
from weakref import WeakSet

from textual.app import App
from textual.dom import DOMNode
from textual.events import Event, Key, Paste
from textual.screen import Screen
from textual.timer import Timer

_PATIENCE_S: Final = 1.0
"""So long a key may take; the next one then comes all the same."""
_AGAIN_S: Final = 0.01


class KeysInOrder(App[int]):
    """An application that takes a key when all that the one before has begun is there."""

    def __init__(self) -> None:
        super().__init__(ansi_color=None)
        self._waiting: deque[Key | Paste] = deque()
        self._guard: Timer | None = None
        """What ends a key's time; None while no key is under way."""
        self._turn = 0
        self._since_s = 0.0
        self._acted = False
        self._target: DOMNode | None = None
        """What the key under way went to."""
        self._complete: WeakSet[Screen[object]] = WeakSet()

    async def on_event(self, event: Event) -> None:
        """Take an event; a key or a paste waits for the one before it."""
        if not isinstance(event, Key | Paste) or event.is_forwarded or self._comes_first(event):
            await super().on_event(event)
            return
        self._waiting.append(event)
        await self._take_next()

    async def run_action(
        self,
        action: str | tuple[str, str, tuple[object, ...]],
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action, and keep in mind that one was run."""
        self._acted = True
        return await super().run_action(action, default_namespace, namespaces)

    def _comes_first(self, event: Key | Paste) -> bool:
        """Say whether a key is one that nothing may hold up, as ctrl+c is."""
        return isinstance(event, Key) and any(
            binding.priority
            for _, bindings in self.screen._binding_chain  # noqa: SLF001 - as Textual's own
            for binding in bindings.key_to_bindings.get(event.key, ())
        )

    async def _take_next(self) -> None:
        if self._guard is not None or not self._waiting:
            return
        event = self._waiting.popleft()
        self._turn += 1
        self._acted, self._since_s = False, time.monotonic()
        self._guard = self.set_timer(_PATIENCE_S, partial(self._done, self._turn))
        self._target = self.focused or self.screen
        await super().on_event(event)
        self._follow(self._target, self._turn)

    def _follow(self, node: DOMNode | None, turn: int) -> None:
        """Go up behind the key, through the queue of each node that it may have come by."""
        if node is None or node is self or not node.call_later(self._follow, node.parent, turn):
            self.call_later(self._look, turn)

    async def _look(self, turn: int) -> None:
        """Let what the key began, a question or a field, come up first.

        What its action has sent, as an enter that submits a field, takes the same way up.
        """
        if self._acted and turn == self._turn:
            await asyncio.sleep(0)  # a worker that it began asks its question
            if not self._takes_keys():
                self.set_timer(_AGAIN_S, partial(self._look, turn))
                return
            self._acted = False
            self._follow(self._target, turn)
            return
        self.call_later(self._done, turn)  # behind a change of the focus

    def _takes_keys(self) -> bool:
        """Say whether the screen is all there, and what it gives the focus to has it."""
        screen = self.screen
        if screen not in self._complete:
            over = time.monotonic() - self._since_s > _PATIENCE_S
            here = screen.is_mounted and (screen.focused is not None or not screen.focus_chain)
            if not (here or over):
                return False
            self._complete.add(screen)
        return True

    async def _done(self, turn: int) -> None:
        if self._guard is None or turn != self._turn:
            return
        self._guard.stop()
        self._guard = None
        await self._take_next()
