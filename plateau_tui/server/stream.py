"""Bytes to and from one TCP connection, never past a deadline and never past a cancel.

Every wait is cut into slices of 0.1 s, between which the clock and the cancel flag are looked
at; so one byte per second cannot outlast a deadline, and a closed socket costs no CPU.
"""

import contextlib
import errno
import select
import socket
import time
from collections.abc import Callable
from typing import Final

from plateau_tui.server.errors import (
    CancelledError,
    ClosedError,
    LinkError,
    RefusedError,
    TimedOutError,
    UnreachableError,
)
from plateau_tui.server.resolver import SLICE, Address, Endpoint

_UNDER_WAY: Final = frozenset({errno.EINPROGRESS, errno.EWOULDBLOCK})
_CHUNK: Final = 65536
_QUICK: Final[int | None] = getattr(socket, "TCP_QUICKACK", None)


def _acknowledge_at_once(sock: socket.socket) -> None:
    """Spare a server that sends an answer in pieces the 40 ms wait for our acknowledgement.

    Linux only; the kernel forgets the wish after a while, so it is said before every read.
    """
    if _QUICK is not None:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, _QUICK, 1)


class Stream:
    """One TCP connection to an endpoint, or none.

    ``check`` is called in every wait and raises CancelledError when it is to end.
    """

    def __init__(self, endpoint: Endpoint, check: Callable[[], None]) -> None:
        self.endpoint = endpoint
        self.socket: socket.socket | None = None
        self._check = check
        self._buffer = bytearray()

    def open(self, addresses: tuple[Address, ...], limit: float) -> Address:
        """Connect to the first of ``addresses`` that takes us, and return it.

        Raises:
            LinkError: the most telling of RefusedError, TimedOutError and UnreachableError.

        """
        failures: list[LinkError] = []
        for index, address in enumerate(addresses):
            # An address that swallows packets must leave time for the next one.
            now = time.monotonic()
            share = now + (limit - now) / (len(addresses) - index)
            try:
                self._open_one(address, share)
            except CancelledError:
                raise
            except LinkError as error:
                self.close()
                failures.append(error)
            else:
                return address
        order = (RefusedError, TimedOutError, UnreachableError)
        raise min(failures, key=lambda error: order.index(type(error)))

    def _open_one(self, address: Address, limit: float) -> None:
        where = f"{self.endpoint} ({address.peer[0]})"
        set_by = self.endpoint.set_by
        try:
            sock = self.socket = socket.socket(address.family, socket.SOCK_STREAM)
            sock.settimeout(0)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            status = sock.connect_ex(address.sockaddr)
            if status in _UNDER_WAY:
                late = f"connecting to {where} took too long: check host, port, firewall and tunnel"
                self._wait(sock, select.POLLOUT, limit, late + set_by)
                status = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        except OSError as error:
            status = error.errno or errno.EIO
        self._check()
        if status == 0:
            return
        if status == errno.ECONNREFUSED:
            raise RefusedError(
                f"{where} refused the connection: start the server, or check enable-rcon and "
                f"rcon.port (25575 by default) in server.properties{set_by}"
            )
        if status == errno.ETIMEDOUT:
            raise TimedOutError(
                f"connecting to {where} timed out: check host, firewall, tunnel{set_by}"
            )
        raise UnreachableError(
            f"{where} cannot be reached ({errno.errorcode.get(status, status)}): check the "
            f"network, the VPN or tunnel, and the address{set_by}"
        )

    def put(self, data: memoryview, limit: float, late: str) -> None:
        """Send ``data``, in one piece: the server hangs up on half a packet.

        ``late`` is the message of the TimedOutError.

        Raises:
            LinkError: TimedOutError, ClosedError, CancelledError.

        """
        sock = self._live()
        while data:
            self._wait(sock, select.POLLOUT, limit, late)
            try:
                data = data[sock.send(data) :]
            except (BlockingIOError, InterruptedError):
                continue
            except OSError:
                raise self._ended() from None

    def peek(self, size: int, limit: float, late: str) -> bytes:
        """Return the next ``size`` bytes once they are all in, and leave them there.

        ``late`` is the message of the TimedOutError.

        Raises:
            LinkError: TimedOutError, ClosedError (end of file, reset), CancelledError.

        """
        sock = self._live()
        while len(self._buffer) < size:
            _acknowledge_at_once(sock)
            self._wait(sock, select.POLLIN, limit, late)
            try:
                data = sock.recv(_CHUNK)
            except (BlockingIOError, InterruptedError):
                continue
            except OSError:
                data = b""
            if not data:
                raise self._ended()
            self._buffer += data
        return bytes(self._buffer[:size])

    def take(self, size: int, limit: float, late: str) -> bytes:
        """Return and remove the next ``size`` bytes; as ``peek``."""
        data = self.peek(size, limit, late)
        del self._buffer[:size]
        return data

    def waiting(self) -> bool:
        """Say whether bytes are there already, without waiting.

        Raises:
            ClosedError: none are, and none will come: the server closed.

        """
        if self._buffer:
            return True
        try:
            data = self._live().recv(1, socket.MSG_PEEK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            data = b""
        if not data:
            raise self._ended()
        return True

    def close(self) -> None:
        """End the connection and forget what was read; does nothing when there is none."""
        sock, self.socket = self.socket, None
        self._buffer.clear()
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def give_away(self) -> socket.socket | None:
        """Return the socket, which is then no longer ours; forget what was read."""
        sock, self.socket = self.socket, None
        self._buffer.clear()
        return sock

    def wake(self) -> None:
        """End a wait in another thread at once; that thread closes the socket itself."""
        sock = self.socket
        if sock is not None:
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _live(self) -> socket.socket:
        if self.socket is None:
            raise ClosedError(f"not connected to {self.endpoint}: connect first")
        return self.socket

    def _ended(self) -> ClosedError:
        self._check()
        return ClosedError(
            f"{self.endpoint} closed the connection: the server stopped or restarts; look at "
            "its log"
        )

    def _wait(self, sock: socket.socket, event: int, limit: float, late: str) -> None:
        # poll and not select: the latter cannot take a descriptor over 1023.
        poller = select.poll()
        try:
            poller.register(sock, event)
        except (OSError, ValueError):  # closed under us by another thread
            raise self._ended() from None
        while True:
            self._check()
            left = limit - time.monotonic()
            if left <= 0:
                raise TimedOutError(late)
            if poller.poll(min(SLICE, left) * 1000):
                return
