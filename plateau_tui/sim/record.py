"""What the server remembers of the commands it got: proof of what a client did."""

import threading
import time
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Received:
    """One command. Times are `time.monotonic` seconds; `finished` is None while it is under way.

    `connection` numbers the clients from 1 in the order of their connecting.
    """

    connection: int
    command: str
    started: float
    finished: float | None = None


class CommandLog:
    """The commands received, in order; safe to read from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[Received] = []
        self._under_way = 0
        self.overlaps = 0

    def begin(self, connection: int, command: str) -> int:
        """Note a command's arrival and return its place in the log."""
        with self._lock:
            self.overlaps += self._under_way > 0
            self._under_way += 1
            self._entries.append(Received(connection, command, time.monotonic()))
            return len(self._entries) - 1

    def end(self, place: int) -> None:
        """Note that a command was answered, or given up."""
        with self._lock:
            self._under_way -= 1
            self._entries[place] = replace(self._entries[place], finished=time.monotonic())

    def entries(self) -> tuple[Received, ...]:
        """Return a copy of the log."""
        with self._lock:
            return tuple(self._entries)
