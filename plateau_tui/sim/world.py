"""The world: ground, bodies and a clock of ticks, deterministic from seed and tick count alone.

It is driven by the ends of actions, not by looping over ticks, so that long simulated times
are cheap.
"""

import heapq
import random
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Final

from plateau_tui.sim.bodies import Action, Body, StatSink, Wait
from plateau_tui.sim.terrain import ZONE, Cell, Terrain

TICKS_PER_SECOND: Final = 20

Policy = Callable[[Body], Action]
"""Chooses what a body does next; called whenever its last action has ended."""


def _stand_idle(_body: Body) -> Action:
    return Wait(100)


def _drop_stat(_kind: str, _bare_id: str, _player: str, _amount: int) -> None:
    pass


class World:
    """Bodies on a ground. Every public method may be called from any thread.

    `on_stat` is told of every countable event; the server connects it to its scoreboard.
    """

    def __init__(
        self,
        seed: int = 0,
        forest: Sequence[str] = ("oak",),
        by_zone: Mapping[int, Sequence[str]] | None = None,
    ) -> None:
        self.lock: Final = threading.RLock()
        self.seed: Final = seed
        self.terrain: Final = Terrain(seed, forest, by_zone)
        self.bodies: Final[dict[str, Body]] = {}
        self.now = 0
        """Ticks since the world began."""
        self.on_stat: StatSink = _drop_stat
        self._policies: dict[str, Policy] = {}
        self._online: dict[str, int] = {}
        self._due: list[tuple[int, int, str, int, Action]] = []
        self._order = count()

    @property
    def online(self) -> tuple[str, ...]:
        """The names of those who are logged in, in the order of their joining."""
        with self.lock:
            return tuple(self._online)

    def add_body(
        self,
        name: str,
        policy: Policy | None = None,
        *,
        village_table: bool = False,
        online: bool = True,
    ) -> Body:
        """Put a body into a zone of its own; `village_table`: a crafting table stands there.

        Raises ValueError when the name is taken.
        """
        with self.lock:
            if name in self.bodies:
                raise ValueError(f"there is already a body named {name}")
            home: Cell = (len(self.bodies) * ZONE + ZONE // 2, 0)
            if village_table:
                self._clear(home)
                self.terrain.put(home, "crafting_table")
            rng = random.Random(f"{self.seed}/{name}")
            body = Body(name, home, self.terrain, self._emit, rng)
            self.bodies[name] = body
            self._policies[name] = policy or _stand_idle
            if online:
                self.join(name)
            return body

    def join(self, name: str) -> None:
        """Log a player in; an unknown name gets a body that stands idle."""
        with self.lock:
            if name not in self.bodies:
                self.add_body(name, online=False)
            if name not in self._online:
                session = next(self._order)
                self._online[name] = session
                self._schedule(name, session, Wait(1))

    def leave(self, name: str) -> None:
        """Log a player out: what it was about to do is not done, its body keeps its things."""
        with self.lock:
            self._online.pop(name, None)

    def find_online(self, name: str) -> Body | None:
        """Return the body of a player who is online; like the server, without regard to case."""
        with self.lock:
            for each in self._online:
                if each.lower() == name.lower():
                    return self.bodies[each]
            return None

    def step(self, ticks: int = 1) -> None:
        """Let so many ticks pass (20 are one simulated second)."""
        with self.lock:
            end = self.now + ticks
            while self._due and self._due[0][0] <= end:
                self.now, _, name, session, action = heapq.heappop(self._due)
                if self._online.get(name) != session:
                    continue
                self.terrain.grow(self.now)
                body = self.bodies[name]
                body.perform(action, self.now)
                self._schedule(name, session, self._policies[name](body))
            self.now = end

    def _schedule(self, name: str, session: int, action: Action) -> None:
        due = self.now + self.bodies[name].duration(action)
        heapq.heappush(self._due, (due, next(self._order), name, session, action))

    def _emit(self, kind: str, bare_id: str, player: str, amount: int) -> None:
        self.on_stat(kind, bare_id, player, amount)

    def _clear(self, cell: Cell) -> None:
        while self.terrain.top(cell).endswith("_log"):
            self.terrain.column(cell).pop()
