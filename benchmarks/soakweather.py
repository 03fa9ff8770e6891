"""What befalls the server of the soak, by a seed: wrong answers at a changing rate, and blows.

Loaded by soak.py, which has set the path to the tests' own faults and truth.
"""

import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Final

from collector.bench import Bench
from collector.history import History
from collector.test_truth import FAULTS

from plateau_tui.sim import faults as sf
from plateau_tui.sim.faults import Fault
from plateau_tui.sim.server import SimServer

ACT_EVERY_S: Final = 0.7
RATES: Final = (0.0, 0.0, 0.0, 0.01, 0.05, 0.2)
"""How many answers go wrong: most of the time none, so that most cycles have values to check."""
KINDS: Final = FAULTS | {
    "one byte at a time": sf.dribble(),
    "hang in the middle": sf.hang_mid_reply(),
    "frozen main thread": sf.freeze(0.3),
    "another protocol": sf.bad_length(),
}


class Weather:
    """What befalls the server, by a seed: wrong answers at a changing rate, and blows."""

    def __init__(self, server: SimServer, bench: Bench, truth: History, seed: int) -> None:
        self._server, self._bench, self._truth = server, bench, truth
        self._rng = random.Random(seed)
        self._rate = 0.0
        self._next = 0.0
        self.acts: Counter[str] = Counter()
        server.faults.rule = self._rule

    def _rule(self, _command: str, _connection: int) -> Fault | None:
        if self._rng.random() >= self._rate:
            return None
        name = self._rng.choice(list(KINDS))
        self.acts[name] += 1
        return KINDS[name]

    def blow(self) -> None:
        """Let one thing happen, where it is time for one."""
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + ACT_EVERY_S * (0.5 + self._rng.random())
        acts: dict[str, Callable[[], object]] = {
            "other rate": lambda: setattr(self, "_rate", self._rng.choice(RATES)),
            "calm": lambda: setattr(self, "_rate", 0.0),
            "restart": lambda: self._server.restart(0.1 + self._rng.random() / 2, wait=False),
            "connections dropped": self._server.drop_connections,
            "mute": lambda: setattr(self._server.faults, "mute", not self._server.faults.mute),
            "logins refused": self._refuse,
            "a unit leaves or returns": self._travel,
            "counters rolled back": self._roll_back,
        }
        weights = [6, 6, 1, 2, 1, 1, 2, 1]
        name = self._rng.choices(list(acts), weights)[0]
        if self._server.faults.mute or self._server.faults.refuse_logins:
            self._server.faults.mute = self._server.faults.refuse_logins = False
            self._server.drop_connections()
            return
        self.acts[name] += 1
        acts[name]()

    def _refuse(self) -> None:
        self._server.faults.refuse_logins = True
        self._server.drop_connections()

    def _travel(self) -> None:
        unit = self._rng.choice(self._bench.units)
        with self._server.world.lock:
            there = unit in self._server.world.online
        (self._server.world.leave if there else self._server.world.join)(unit)

    def _roll_back(self) -> None:
        unit = self._rng.choice(self._bench.units)
        for name in self._rng.sample(self._bench.objectives, 5):
            self._truth.change(unit, name, (self._truth.last(unit, name) or 0) // 2)

    def calm(self) -> None:
        """Let the server be honest again."""
        self._rate = 0.0
        self._server.faults.clear()
