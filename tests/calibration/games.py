"""Small games made of data, so that a test can change one input and nothing else."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from hypothesis import HealthCheck, settings

from plateau_tui.calibration.contract import Contract, Milestone, NumberCheck, Op, Tier
from plateau_tui.calibration.declare import NOTHING_DECLARED, Declarations
from plateau_tui.calibration.evidence import Snapshot, digest, snapshot
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.target import Game, Target

patient = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""For examples that take their time on a busy machine: nothing here depends on how long."""

Effects = Mapping[str, Mapping[str, int]]


class Counters:
    """Counters that words add to or take from, from 0 to ``most``; the screen shows them all."""

    def __init__(self, game: "CounterGame") -> None:
        self._initial, self._effects, self._most = game.initial, game.effects, game.most
        self._now = dict(self._initial)

    def start(self, seed: int) -> Snapshot:
        del seed
        self._now = dict(self._initial)
        return self._look()

    def step(self, word: str) -> Snapshot:
        for name, change in self._effects.get(word, {}).items():
            self._now[name] = min(max(0, self._now[name] + change), self._most)
        return self._look()

    def close(self) -> None:
        pass

    def _look(self) -> Snapshot:
        shown = digest(repr(sorted(self._now.items())))
        return snapshot(self._now, screen_hash=shown, save_hash=shown)


@dataclass(frozen=True)
class CounterGame(Target):
    """A target of counters; ``effects`` holds its vocabulary in order."""

    id: ClassVar[str] = "counters"
    title: ClassVar[str] = "Counters"
    quick: ClassVar[bool] = True

    initial: Mapping[str, int] = field(default_factory=dict)
    effects: Effects = field(default_factory=dict)
    most: int = 1_000

    def vocabulary(self, reference: Reference) -> tuple[str, ...]:
        del reference
        return tuple(self.effects)

    def open(self, reference: Reference, setting: str) -> Game:
        del reference, setting
        return Counters(self)


class Dicey(Counters):
    """A counter that no seed decides: every opened game rolls dice of its own."""

    _rolls = random.Random(1)

    def start(self, seed: int) -> Snapshot:
        super().start(seed)
        self._now["dice"] = self._rolls.randrange(1_000_000)
        return self._look()


class DiceyGame(CounterGame):
    def open(self, reference: Reference, setting: str) -> Game:
        del reference, setting
        return Dicey(self)


SUBMARINE = CounterGame(
    initial={"depth": 0, "hull": 3, "lives": 0},
    effects={
        "dive": {"depth": 1},
        "crash": {"hull": -1},
        "rescue": {"lives": 1},
    },
)
"""``lives`` counts rescued divers: it only rises. ``hull`` only falls."""

REPAIRING = CounterGame(
    initial=SUBMARINE.initial, effects={**SUBMARINE.effects, "weld": {"hull": 1}}
)
"""The same game with one input more, which repairs the hull."""


def at_least(name: str, value: int, *requires: str, op: Op = ">=") -> Milestone:
    """Return a milestone on an engine number, called after it: ``depth-2``."""
    return Milestone(
        f"{name}-{value}", Tier.ENGINE, NumberCheck(f"engine.{name}", op, value), requires
    )


def contract_of(*milestones: Milestone) -> Contract:
    return Contract("counters", milestones)


def reference_of(*inputs: str, declared: Declarations = NOTHING_DECLARED) -> Reference:
    """Return a reference without rules: its contract is given beside it."""
    return Reference("test", 0, inputs, (), declared, {})
