"""A question that was given up, and what can be known of its end.

A deadline ends our waiting, not the server's work: a command that was sent still stands before
the game's main thread, and runs when that thaws. The server has one reply buffer for all
connections, so the next question, on whatever connection, could meet it there.

The connection is therefore not closed at once but closed for writing, which tells the server that
nothing more comes and makes reuse impossible, while its end can still be heard: a byte of the
answer says that the command has run and that the buffer was read, an end of file says that nobody
works for this connection any more. Until then no other question is asked, as far as
patience goes.

What remains: where neither comes (the peer vanished without a FIN, or a tunnel answers in the
server's place) patience ends some time, and the next question may be overlapped; so may one asked
by a collector that was started after a kill, by another user's program, or by another run of this
user once a cycle has ended. Then the rule that an answer must name what was asked, and hold
nothing else, is what stands between a mixed answer and a row.
"""

import contextlib
import select
import socket
import time
from collections.abc import Callable
from enum import Enum, auto
from typing import Final

from plateau_tui.server.resolver import SLICE

_LOOK: Final = 4096


class Outcome(Enum):
    """What became of a question that was given up."""

    UNDER_WAY = auto()
    ANSWERED = auto()
    """Its answer came, late: the server is done with it."""
    ENDED = auto()
    """The connection ended without one."""


class LostQuestion:
    """The connection of one question that was given up; nothing is ever sent on it again."""

    def __init__(self, sock: socket.socket, check: Callable[[], None]) -> None:
        """Take a connected, non-blocking socket over; ``check`` as for ``Stream``."""
        self.since = time.monotonic()
        self._check = check
        self._socket = sock
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_WR)

    def outcome(self, limit: float) -> Outcome:
        """Listen until ``limit``, a second of ``time.monotonic()``; closes at any end.

        Raises:
            CancelledError: the wait was ended from our side.

        """
        poller = select.poll()
        poller.register(self._socket, select.POLLIN)
        while True:
            self._check()
            left = limit - time.monotonic()
            if poller.poll(max(0.0, min(SLICE, left)) * 1000):
                return self._end()
            if left <= 0:
                return Outcome.UNDER_WAY

    def _end(self) -> Outcome:
        try:
            data = self._socket.recv(_LOOK)
        except (BlockingIOError, InterruptedError):
            return Outcome.UNDER_WAY
        except OSError:
            data = b""
        self.close()
        return Outcome.ANSWERED if data else Outcome.ENDED

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()

    def __del__(self) -> None:
        # Whoever lets a session go without a word must not leave the connection to chance.
        self._socket.close()
