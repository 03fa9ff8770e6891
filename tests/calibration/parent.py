"""A parent whose calibration never ends, for a test that kills it; a worker holds a FIFO open.

Usage: python parent.py FIFO
"""

import sys
from dataclasses import dataclass
from pathlib import Path

from calibration.blocking import BlockedGame
from calibration.games import reference_of

from plateau_tui.calibration.apart import Apart, measuring
from plateau_tui.calibration.reference import Reference


@dataclass(frozen=True)
class ForeverGame(BlockedGame):
    """Its first run never ends, in a worker of a process that its parent started."""

    def reference(self) -> Reference:
        return reference_of("wait")


if __name__ == "__main__":
    from calibration import parent  # as the process that plays can find it

    for message in Apart(measuring(parent.ForeverGame(fifo=Path(sys.argv[1])), 0)).messages():
        print(message)  # noqa: T201 - nothing comes before it is killed
