"""One lock per server endpoint: two runs on one server never ask at once.

The server has one reply buffer for all its RCON clients; commands under way at the same time
come back empty, glued or swapped.
"""

import contextlib
import ipaddress
import threading
import time
from pathlib import Path
from typing import Final

import platformdirs

from plateau_tui.runlog.locks import FileLock, LockHeldError, LockUnavailableError

_LOOK_S: Final = 0.05


class EndpointBusyError(RuntimeError):
    """Another run, or another command, kept the server until our time was over."""


class EndpointLock:
    """The lock of the server at an address and port, in the user's state folder."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._lock: FileLock | None = None
        self._given_up = False

    @property
    def settled(self) -> bool:
        """Whether this process holds the lock, or knows that none can be had."""
        return self._lock is not None or self._given_up

    def acquire(self, address: str, port: int, deadline: float) -> str | None:
        """Take the lock, waiting until ``deadline`` (a second of ``time.monotonic()``).

        Returns:
            None, or why no lock can be had at all (no state folder, no locks on its file
            system): the work then goes on without one.

        Raises:
            EndpointBusyError: it was held by others all the time, or we were stopped.

        """
        try:
            lock = FileLock(_lock_path(address, port), wait_s=0)
            self._take(lock, f"{address} port {port}", deadline)
        except (OSError, LockUnavailableError) as error:
            self._given_up = True
            return f"no lock for the server could be taken ({error})"
        self._lock = lock
        return None

    def _take(self, lock: FileLock, where: str, deadline: float) -> None:
        while True:
            try:
                lock.acquire()
            except LockHeldError as error:
                left = deadline - time.monotonic()
                if left <= 0 or self._stop.wait(min(_LOOK_S, left)):
                    raise EndpointBusyError(
                        f"process {error.pid or '(unknown)'} of this user kept the server at "
                        f"{where} busy: two runs on one server take turns; give them different "
                        "times"
                    ) from None
            else:
                return

    def release(self) -> None:
        """Give the lock back, if it is held."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None


def _lock_path(address: str, port: int) -> Path:
    folder = platformdirs.user_state_path("plateau-tui") / "endpoints"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(OSError):
        folder.chmod(0o700)
    name = "".join(c if c.isalnum() or c == "." else "_" for c in _one_name(address))
    return folder / f"{name}_{port}.lock"


def _one_name(address: str) -> str:
    """Return one name for all addresses of this machine's loopback, else the address itself.

    ``localhost`` may be ::1 for one run and 127.0.0.1 for the next.
    """
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return "loopback" if found.is_loopback or found.is_unspecified else str(found)
