"""A calibration that never ends, for a test that kills it; a worker holds a FIFO open.

Usage: python blocking.py FIFO
"""

import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from plateau_tui.calibration.calibrate import calibrate
from plateau_tui.calibration.declare import NOTHING_DECLARED
from plateau_tui.calibration.evidence import Snapshot, snapshot
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.target import Game, Target


class Blocked:
    """Says on the FIFO that it plays, keeps the FIFO open, and waits for ever."""

    def __init__(self, fifo: Path) -> None:
        self._file = fifo.open("wb", buffering=0)

    def start(self, seed: int) -> Snapshot:
        del seed
        self._file.write(b"playing\n")
        threading.Event().wait()
        return snapshot({})

    def step(self, word: str) -> Snapshot:
        del word
        return snapshot({})

    def close(self) -> None:
        self._file.close()


@dataclass(frozen=True)
class BlockedGame(Target):
    id: ClassVar[str] = "blocked"
    title: ClassVar[str] = "Blocked"

    fifo: Path = Path()

    def vocabulary(self, reference: Reference) -> tuple[str, ...]:
        del reference
        return ("wait",)

    def open(self, reference: Reference, setting: str) -> Game:
        del reference, setting
        return Blocked(self.fifo)


if __name__ == "__main__":
    calibrate(
        BlockedGame(fifo=Path(sys.argv[1])),
        Reference("test", 0, ("wait",), (), NOTHING_DECLARED, {}),
        processes=2,
    )
