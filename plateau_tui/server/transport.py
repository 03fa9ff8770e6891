"""RCON on ``mcrcon``'s interface, with every part replaced that is unsafe here.

mcrcon 0.7.0 works with SIGALRM (main thread only), connects without a limit, spins on a closed
socket, does not compare ids, and guesses where an answer ends. None of its socket code is
reached from this class. Deadlines are seconds of ``time.monotonic()``.
"""

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Final, NoReturn, Self

from mcrcon import MCRcon

from plateau_tui.server.commands import READ_ONLY
from plateau_tui.server.errors import (
    CancelledError,
    ClosedError,
    NotRconError,
    PasswordError,
    ProtocolError,
    TimedOutError,
    WrongServerError,
    shown,
)
from plateau_tui.server.lost import LostQuestion
from plateau_tui.server.resolver import Endpoint, addresses_of, resolve
from plateau_tui.server.secret import MAX_PASSWORD, Secret
from plateau_tui.server.stream import Stream

__all__ = ["Endpoint", "Transport", "resolve"]

DEFAULT_SECONDS: Final = 5.0
"""What a call may take when the caller gives no deadline."""

MAX_BODY: Final = MAX_PASSWORD
"""Bytes of a request's body."""

FULL_REPLY: Final = 4096
"""Characters of a full reply packet. Bytes are never fewer, so a packet under 4096 *bytes* is
the answer's last; one of more may be, which the marker then tells."""

MIN_PACKET: Final = 10
MAX_PACKET: Final = 16384
"""Bounds of an answer's length field; a full packet of 3-byte characters has 12298."""

MAX_ANSWER: Final = 1 << 20
"""Bytes of one whole answer."""

_AUTH: Final = 3
_AUTH_REPLY: Final = 2
_COMMAND: Final = 2
_REPLY: Final = 0
_MARKER: Final = 200
"""No packet type of the server's: it answers ``Unknown request c8``, after what came before."""

_LAST_ID: Final = 2**31 - 1
_REFUSED_ID: Final = -1


def _packet(request: int, kind: int, body: memoryview | bytes) -> memoryview:
    # A memoryview, because its repr does not show what it views: the login packet stays out of
    # tracebacks that print local variables.
    return memoryview(struct.pack("<iii", 10 + len(body), request, kind) + bytes(body) + b"\0\0")


def _request_ids() -> Iterator[int]:
    """Yield ids without an end; ``itertools.cycle`` would keep each in memory for good."""
    while True:
        yield from range(1, _LAST_ID)


class Transport(MCRcon):
    """One RCON connection; may live in any thread, and be aborted from any other.

    Not for two threads at once: the server holds one reply buffer, so one command is in flight.
    After any error but an answer the socket is closed; ``connect`` may then be called again.
    ``peer`` is the numeric (address, port) of the last connection, None before the first.
    ``lost`` is a command that timed out, None when there is none: the server may still be at it,
    so the caller asks nothing before its end is known.
    """

    def __init__(
        self, endpoint: Endpoint, password: str, *, cancelled: threading.Event | None = None
    ) -> None:
        # mcrcon's constructor installs a signal handler, so it is not called.
        self.endpoint = endpoint
        self.host = endpoint.host
        self.port = endpoint.port
        self.tlsmode = 0
        self.timeout = DEFAULT_SECONDS
        self.peer: tuple[str, int] | None = None
        self.lost: LostQuestion | None = None
        self._secret = Secret(password)
        self._cancelled = cancelled
        self._aborted = threading.Event()
        self._stream = Stream(endpoint, self._check)
        self._late = f"{endpoint} did not answer in time: look at the server's load and at the link"
        self._ids: Iterator[int] = _request_ids()

    def __repr__(self) -> str:
        state = "connected" if self.socket is not None else "closed"
        return f"<Transport {self.endpoint} {state}>"

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(
        self,
        type: type[BaseException] | None,  # noqa: A002 - mcrcon's signature
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self.disconnect()

    @property
    def _set_by(self) -> str:
        return self.endpoint.set_by

    @property
    def socket(self) -> socket.socket | None:
        """The connection's socket, None while there is none."""
        return self._stream.socket

    # -- the interface of mcrcon ------------------------------------------------------------

    def connect(self, deadline: float | None = None) -> None:
        """Look the host up, connect to its addresses in turn, log in; all before ``deadline``.

        Raises:
            LinkError: RefusedError, UnresolvableError, UnreachableError, TimedOutError,
                NotRconError (also a close before the login's answer), ProtocolError,
                CancelledError.
            PasswordError: refused (the server answers id -1), or none that could be sent.
            WrongServerError: the login is answered as no Minecraft server does.

        """
        self.drop()
        body = self._secret.body()
        if isinstance(body, str):
            raise PasswordError(body)
        limit = self._limit(deadline)
        with self._closing_on_error():
            self._check()
            addresses = addresses_of(self.endpoint, limit, self._check)
            self.peer = self._stream.open(addresses, limit).peer
            self._log_in(body, limit)

    def command(self, command: str, deadline: float | None = None) -> str:
        """Send one read-only command and return its whole answer, as decoded.

        Bytes that are no UTF-8 come back as U+FFFD; the password, where the server says it, as
        ``secret.HIDDEN``.

        Raises:
            ValueError: the text is not one of the six shapes; nothing was sent.
            LinkError: TimedOutError, ClosedError, ProtocolError, CancelledError.

        """
        if READ_ONLY.fullmatch(command) is None:
            raise ValueError(f"{shown(command)} is no read-only command of ours: not sent")
        body = command.encode()
        if len(body) > MAX_BODY:
            raise ValueError(f"a command of {len(body)} bytes (limit {MAX_BODY}): not sent")
        limit = self._limit(deadline)
        with self._closing_on_error():
            self._check()
            self._refuse_leftovers()
            answer = self._ask_or_lose(body, limit)
            # An end of file behind a whole answer is the next command's business.
            with contextlib.suppress(ClosedError):
                self._refuse_leftovers()
            return self._secret.hidden_in(answer.decode("utf-8", "replace"))

    def keep(self, names: Iterable[str]) -> None:
        """Leave these names as they are, though the password be a part of one."""
        self._secret.keep(names)

    def disconnect(self) -> None:
        """End the connection cleanly, and forget ``lost``; does nothing when there is neither."""
        self.drop()
        self.forget_lost()

    def drop(self) -> None:
        """End the connection, and go on listening to ``lost``."""
        self._stream.close()

    def forget_lost(self) -> None:
        """Listen no more for the end of a command that was given up."""
        lost, self.lost = self.lost, None
        if lost is not None:
            lost.close()

    def _read(self, length: int) -> NoReturn:
        raise NotImplementedError("mcrcon's own reader is unsafe and unused")

    def _send(self, out_type: int, out_data: str) -> NoReturn:
        raise NotImplementedError("mcrcon's own sender is unsafe and unused")

    # -- ending a wait from outside ---------------------------------------------------------

    def abort(self) -> None:
        """End what is under way, from any thread, for good: it raises CancelledError.

        The transport cannot be connected again after this.
        """
        self._aborted.set()
        self._stream.wake()

    def _check(self) -> None:
        if self._aborted.is_set() or (self._cancelled is not None and self._cancelled.is_set()):
            raise CancelledError("stopped on request: start again to go on")

    @contextlib.contextmanager
    def _closing_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.drop()
            raise

    def _limit(self, deadline: float | None) -> float:
        return time.monotonic() + self.timeout if deadline is None else deadline

    # -- packets ----------------------------------------------------------------------------

    def _log_in(self, body: memoryview, limit: float) -> None:
        request = next(self._ids)
        late = (
            f"{self.endpoint} did not answer the login in time: check the port (RCON is 25575 by "
            f"default; 25565 is the game), then the server's load and the link{self._set_by}"
        )
        try:
            self._stream.put(_packet(request, _AUTH, body), limit, late)
            got, kind, _ = self._packet(limit, late)
        except (ClosedError, ProtocolError):
            raise NotRconError(
                f"{self.endpoint} is not an RCON port (25575 by default; 25565 is the game): "
                "check the port, enable-rcon on the server, and the far end of an SSH tunnel"
                f"{self._set_by}"
            ) from None
        if got == _REFUSED_ID:
            raise PasswordError(
                f"{self.endpoint} refused the RCON password: compare it with rcon.password in "
                f"server.properties{self._set_by}"
            )
        if got != request:
            raise ProtocolError(
                f"{self.endpoint} answered the login with a foreign id: check what sits between "
                f"us and the server{self._set_by}"
            )
        if kind != _AUTH_REPLY:
            raise WrongServerError(
                f"{self.endpoint} answers RCON, but not as a Minecraft server does: check host "
                f"and port{self._set_by}"
            )

    def _ask_or_lose(self, body: bytes, limit: float) -> bytes:
        try:
            return self._ask(body, limit)
        except TimedOutError:
            sock = self._stream.give_away()
            if sock is not None:
                self.forget_lost()
                self.lost = LostQuestion(sock, self._check)
            raise

    def _ask(self, body: bytes, limit: float) -> bytes:
        request = next(self._ids)
        self._stream.put(_packet(request, _COMMAND, body), limit, self._late)
        part = self._part(limit, request, None)
        if part is None or len(part) < FULL_REPLY:
            return part or b""
        # The server takes one packet per read, so the marker goes out only now that it is known
        # to be done with the command.
        marker = next(self._ids)
        self._stream.put(_packet(marker, _MARKER, b""), limit, self._late)
        parts = [part]
        size = len(part)
        while (following := self._part(limit, request, marker)) is not None:
            parts.append(following)
            size += len(following)
            if size > MAX_ANSWER:
                raise ProtocolError(
                    f"an answer of {self.endpoint} passed {MAX_ANSWER} bytes and was dropped: "
                    "check what answers on this port"
                )
        return b"".join(parts)

    def _part(self, limit: float, request: int, marker: int | None) -> bytes | None:
        """Return one body of the answer to ``request``, or None for the marker's."""
        got, kind, body = self._packet(limit, self._late)
        if got == _REFUSED_ID:
            raise ProtocolError(
                f"{self.endpoint} has lost our login, and the connection was dropped: was the "
                "server reloaded?"
            )
        if kind != _REPLY:
            raise ProtocolError(
                f"{self.endpoint} answered with a packet of type {kind}, and an answer has type "
                f"{_REPLY}: the connection was dropped; look for a proxy in between"
            )
        if got == request:
            return body
        if got == marker and body.startswith(b"Unknown request"):
            return None
        raise ProtocolError(
            f"{self.endpoint} answered with the id of another request: the connection was "
            "dropped; look for a proxy in between"
        )

    def _packet(self, limit: float, late: str) -> tuple[int, int, bytes]:
        """Read one packet; return its id, type and body."""
        (length,) = struct.unpack("<i", self._stream.peek(4, limit, late))
        # A bogus length is never allocated or waited for: "HTTP" would be 1.3 thousand million.
        if not MIN_PACKET <= length <= MAX_PACKET:
            raise self._no_packet(f"of {length} bytes")
        packet = self._stream.take(4 + length, limit, late)
        if not packet.endswith(b"\0\0"):
            raise self._no_packet("without its end")
        got, kind = struct.unpack_from("<ii", packet, 4)
        return got, kind, packet[12:-2]

    def _no_packet(self, what: str) -> ProtocolError:
        return ProtocolError(
            f"{self.endpoint} sent a packet {what}: the connection was dropped; check what answers "
            "on this port"
        )

    def _refuse_leftovers(self) -> None:
        """Drop a stream that holds bytes nobody asked for: they would be the next answer."""
        if self._stream.waiting():
            raise ProtocolError(
                f"{self.endpoint} sent more than was asked for: the connection was dropped; "
                "look for other RCON clients"
            )
