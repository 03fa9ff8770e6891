"""How a collector, or a question asked by hand, is told to end."""

import threading
from dataclasses import dataclass, field
from typing import Final

WINDOW_CLOSED: Final = "the window closed"
CLOSED_BY_REQUEST: Final = "closed by request"
ONE_CYCLE: Final = "one cycle"
BY_SIGNAL: Final = "signal "
"""Why a collector ends in order, as ``collector_stopped`` says it."""


@dataclass
class Halt:
    """Ends a collector from a signal handler or from another thread; ``signum`` says why."""

    event: threading.Event = field(default_factory=threading.Event)
    signum: int | None = None

    def by_signal(self, signum: int) -> None:
        """Ask no further question, write what was read, and end."""
        self.signum = self.signum or signum
        self.event.set()


def is_orderly(reason: str) -> bool:
    """Say whether a collector that ended for this reason did what it was asked to do."""
    asked = {WINDOW_CLOSED, CLOSED_BY_REQUEST, ONE_CYCLE}
    return reason in asked or reason.startswith(BY_SIGNAL)
