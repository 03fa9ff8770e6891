"""Targets whose runs wait for the test, played in processes that the console starts."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from calibration.games import SUBMARINE, Counters, reference_of

from plateau_tui.calibration.contract import Tier
from plateau_tui.calibration.evidence import Snapshot
from plateau_tui.calibration.reference import Reference, Rule, Trigger
from plateau_tui.calibration.target import Game, Target

TESTS = Path(__file__).parents[1]
"""What a process must find to play these."""

DEPTH_2 = Rule(
    "depth-2", Tier.ENGINE, "number", "depth", None, Trigger("depth", ">=", 2), None, ">=", None, ()
)


class Gated(Counters):
    """A submarine that waits before every run but the first for a byte on the FIFO."""

    def __init__(self, fifo: Path) -> None:
        super().__init__(SUBMARINE)
        self._file = fifo.open("rb", buffering=0)
        self._runs = 0

    def start(self, seed: int) -> Snapshot:
        self._runs += 1
        if self._runs > 1:
            self._file.read(1)
        sys.stdout.write("an emulator's banner\n")
        sys.stdout.flush()
        return super().start(seed)


@dataclass(frozen=True)
class GatedGame(Target):
    id: ClassVar[str] = "native-2048"  # whose place it takes
    title: ClassVar[str] = "Gated [bold]submarine[/bold]"
    quick: ClassVar[bool] = True

    fifo: Path = Path()

    def reference(self) -> Reference:
        made = reference_of("dive", "dive", "rescue")
        return Reference("test", 0, made.inputs, (DEPTH_2,), made.declared, {})

    def vocabulary(self, reference: Reference) -> tuple[str, ...]:
        del reference
        return tuple(SUBMARINE.effects)

    def open(self, reference: Reference, setting: str) -> Game:
        del reference, setting
        return Gated(self.fifo)


class DyingGame(GatedGame):
    """It dies as an emulator may, without a word."""

    def open(self, reference: Reference, setting: str) -> Game:
        del reference, setting
        os._exit(7)
