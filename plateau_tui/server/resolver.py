"""Where a server is: an endpoint as the operator wrote it, and its addresses within a deadline."""

import ipaddress
import queue
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.metric.tables import shown
from plateau_tui.server.errors import TimedOutError, UnresolvableError

SLICE: Final = 0.1
"""Seconds that a wait lasts at most before the clock and the cancel flag are looked at again."""

_LONGEST_HOST: Final = 255
"""Characters of the longest name that the domain name system has."""

_LOOKUPS: Final = threading.BoundedSemaphore(4)
"""A resolver that hangs must not be fed a new thread at every retry."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A host name or address and an RCON port.

    IPv6 addresses may be written in brackets. ``source`` is what set them, for messages; it tells
    no two endpoints apart. Raises ValueError on a host that is empty or longer than any, on blanks
    or control characters in it, and on a port outside 1..65535.
    """

    host: str
    port: int
    source: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.host.startswith("[") and self.host.endswith("]"):
            object.__setattr__(self, "host", self.host[1:-1])
        printable = self.host.isprintable() and " " not in self.host
        if not printable or not 0 < len(self.host) <= _LONGEST_HOST:
            told = shown(repr(self.host[:_LONGEST_HOST]), 80)
            raise ValueError(f"{told} is no host: give a host name or an address")
        if not 1 <= self.port <= 65535:  # noqa: PLR2004 - the port range is its own name
            raise ValueError(f"{self.port} is no port: give one of 1..65535 (RCON: 25575)")

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def set_by(self) -> str:
        """The end of a refusal's message: where a wrong address is put right; may be empty."""
        return f"; the address is from {self.source}" if self.source else ""


@dataclass(frozen=True, slots=True)
class Address:
    """One address of an endpoint, as ``socket.connect`` takes it."""

    family: socket.AddressFamily
    sockaddr: tuple[str, int] | tuple[str, int, int, int]

    @property
    def peer(self) -> tuple[str, int]:
        """The numeric address and the port."""
        return self.sockaddr[0], self.sockaddr[1]


def _never() -> None:
    """Check nothing: the caller of ``resolve`` has no cancel flag."""


def _look_up(endpoint: Endpoint) -> list[Address] | str:
    try:
        found = socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    except OSError as error:
        return error.strerror or "look-up failed"
    except (UnicodeError, ValueError):  # labels that are empty, too long or not a domain's
        return "no host name"
    addresses: dict[Address, None] = {}
    for family, _, _, _, sockaddr in found:
        if family in {socket.AF_INET, socket.AF_INET6}:
            # The stubs allow for platforms built without IPv6, whose sockaddr is (int, bytes).
            addresses[Address(family, sockaddr)] = None  # type: ignore[arg-type]
    return list(addresses) or "no IPv4 or IPv6 address"


def _found(endpoint: Endpoint, result: list[Address] | str) -> tuple[Address, ...]:
    if isinstance(result, str):
        raise UnresolvableError(
            f"host {endpoint.host} has no address ({result}): check the spelling, the name "
            f"server and the network{endpoint.set_by}"
        )
    return tuple(result)


def _is_literal(host: str) -> bool:
    """Say whether ``host`` is an address, which needs no name server and cannot hang."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def addresses_of(
    endpoint: Endpoint, deadline: float, check: Callable[[], None] = _never
) -> tuple[Address, ...]:
    """Return the addresses of ``endpoint`` in the system's order; at least one.

    ``deadline`` is a second of ``time.monotonic()``. ``check`` is called every 0.1 s and may
    raise. getaddrinfo cannot be interrupted, so it runs in a daemon thread that is left behind
    when it is late; there are never more than four.

    Raises:
        UnresolvableError: the name has no address.
        TimedOutError: no answer before the deadline.

    """
    if _is_literal(endpoint.host):
        return _found(endpoint, _look_up(endpoint))
    late = TimedOutError(
        f"looking up {endpoint.host} took too long: check the name server, or give the address"
        f"{endpoint.set_by}"
    )
    while not _LOOKUPS.acquire(timeout=SLICE):
        check()
        if time.monotonic() >= deadline:
            raise late
    answers: queue.SimpleQueue[list[Address] | str] = queue.SimpleQueue()

    def work() -> None:
        try:
            answers.put(_look_up(endpoint))
        finally:
            _LOOKUPS.release()

    try:
        threading.Thread(target=work, name="rcon-look-up", daemon=True).start()
    except RuntimeError:  # the system has no thread left
        _LOOKUPS.release()
        raise late from None
    while True:
        check()
        left = deadline - time.monotonic()
        try:
            found = answers.get(timeout=max(0.0, min(SLICE, left)))
        except queue.Empty:
            if left <= 0:
                raise late from None
            continue
        return _found(endpoint, found)


def resolve(endpoint: Endpoint, deadline: float) -> tuple[str, int]:
    """Return the first (numeric address, port) of ``endpoint``, for a lock per server.

    Raises as ``addresses_of``.
    """
    return addresses_of(endpoint, deadline)[0].peer
