"""How a collector, or a question asked by hand, is told to end."""

import threading
from dataclasses import dataclass, field


@dataclass
class Halt:
    """Ends a collector from a signal handler or from another thread; ``signum`` says why."""

    event: threading.Event = field(default_factory=threading.Event)
    signum: int | None = None

    def by_signal(self, signum: int) -> None:
        """Ask no further question, write what was read, and end."""
        self.signum = self.signum or signum
        self.event.set()
