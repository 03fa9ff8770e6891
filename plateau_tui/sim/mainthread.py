"""The server's main thread: ticks the world, and runs commands between ticks, one at a time."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, Final

from plateau_tui.sim.options import ServerOptions
from plateau_tui.sim.world import TICKS_PER_SECOND, World

_BATCH_LIMIT: Final = 4000
"""World ticks in one batch: above it, a world that is asked to run too fast falls behind."""


class MainThread:
    """Runs on the server's event loop, which plays the part of the real server's main thread.

    On a busy server a command waits for the next tick and each tick runs one; else it runs at
    once. While frozen, neither ticks nor commands run.
    """

    def __init__(
        self, world: World, options: ServerOptions, speed: float, autosave: Callable[[], None]
    ) -> None:
        self._world = world
        self._options = options
        self.speed = speed
        """World seconds in a second of real time."""
        self._autosave = autosave
        self._halted = False
        self._frozen_until = 0.0
        self._waiting: list[tuple[Callable[[], None], asyncio.Future[str | None]]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._owed = 0.0
        self._saved_at = world.now

    def freeze(self, seconds: float) -> None:
        """Stop everything for so many seconds of real time, from any thread."""
        self._frozen_until = max(self._frozen_until, time.monotonic() + seconds)

    def thaw(self) -> None:
        """End every freeze, from any thread."""
        self._frozen_until = 0.0

    def halt(self) -> None:
        """Stop while the server is down; commands that wait are lost with their connections."""
        self._halted = True
        self._waiting.clear()

    def resume(self) -> None:
        """Go on after `halt`, at once even when it was frozen before: it is a new process."""
        self._halted = False
        self.thaw()

    async def submit(self, command: Callable[[], None]) -> str | None:
        """Run a command when its turn comes; None, or the text of what it threw."""
        if not self._options.busy and not self._frozen() and not self._waiting:
            return self._run(command)
        turn: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((command, turn))
        return await turn

    async def tick_for_ever(self) -> None:
        """Tick until cancelled."""
        loop = asyncio.get_running_loop()
        last = loop.time()
        boundary = last
        while True:
            boundary = max(boundary + self._options.tick_s, loop.time())
            await asyncio.sleep(boundary - loop.time())
            now = loop.time()
            with self._world.lock:
                if not self._frozen():
                    self._advance(now - last)
                    self._work()
            last = now

    def later(self, seconds: float, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do something after so many seconds, on the event loop."""

        async def delayed() -> None:
            await asyncio.sleep(seconds)
            await work()

        task = asyncio.get_running_loop().create_task(delayed())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settle(self) -> None:
        """End whatever `later` has still to do."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _frozen(self) -> bool:
        return self._halted or time.monotonic() < self._frozen_until

    def _work(self) -> None:
        for _ in range(1 if self._options.busy else len(self._waiting)):
            if self._waiting:
                command, turn = self._waiting.pop(0)
                failure = self._run(command)
                # The command of a client that has gone runs all the same, as on a real server.
                if not turn.done():
                    turn.set_result(failure)

    def _run(self, command: Callable[[], None]) -> str | None:
        with self._world.lock:
            try:
                command()
            except Exception as error:  # noqa: BLE001 -- the server answers with whatever was thrown
                return str(error) or "null"
        return None

    def _advance(self, seconds: float) -> None:
        self._owed += seconds * self.speed * TICKS_PER_SECOND
        ticks = int(self._owed)
        self._owed -= ticks
        self._world.step(min(ticks, _BATCH_LIMIT))
        if self._world.now - self._saved_at >= self._options.autosave_ticks:
            self._saved_at = self._world.now
            self._autosave()
