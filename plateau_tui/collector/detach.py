"""Starting a collector in a session of its own, with the password over an inherited pipe."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import Final

from plateau_tui.collector.halt import Halt
from plateau_tui.collector.run import Password, ServerAccess
from plateau_tui.runlog.connection import environment_without_password
from plateau_tui.runlog.layout import RunFolder

READY: Final = b"ready\n"
"""What a child writes into its ready pipe once it has started."""


@dataclass(frozen=True, slots=True)
class Detached:
    """A collector that was started. ``exit_code`` is None while it runs; else ``text`` says why."""

    pid: int
    exit_code: int | None
    text: str


class Lifeline:
    """A pipe that ends with this process, whichever way that ends, or when it is cut.

    A detached collector outlives whoever started it. One that has a lifeline does not: it ends
    when the pipe does, as by SIGTERM. Nothing is ever written into it.
    """

    def __init__(self) -> None:
        self.fd, self._held = os.pipe()

    def cut(self) -> None:
        """End it; may be called again."""
        fds, self.fd, self._held = (self.fd, self._held), -1, -1
        for fd in fds:
            if fd >= 0:
                os.close(fd)


def end_with(lifeline: int, halt: Halt) -> None:
    """Halt, as by SIGTERM, when the lifeline with this descriptor ends."""

    def wait() -> None:
        while os.read(lifeline, 1):
            pass
        halt.by_signal(signal.SIGTERM)

    threading.Thread(target=wait, name="lifeline", daemon=True).start()


def start_detached(
    folder: RunFolder, server: ServerAccess, lifeline: int | None = None
) -> Detached:
    """Start a collector and wait until it has started, or is at its end.

    When it has started it holds the run, and before the window the server was asked once. The
    password is never in its arguments or its environment. ``lifeline`` is the descriptor of a
    ``Lifeline``; without one the collector stays whatever becomes of us.
    """
    log = folder.collector_log
    said_before = log.stat().st_size if log.exists() else 0
    child, started = _start(folder, server, lifeline)
    if started:
        # Reaped when it ends, for a parent that lives longer than the window.
        threading.Thread(target=child.wait, name="reap", daemon=True).start()
        return Detached(child.pid, None, "")
    status = child.wait()
    with log.open("rb") as file:
        file.seek(said_before)
        lines = file.read().decode("utf-8", "replace").splitlines()
    text = lines[-1].removeprefix("plateau-tui: ") if lines else f"exit status {status}"
    return Detached(child.pid, status, text)


def _start(
    folder: RunFolder, server: ServerAccess, lifeline: int | None
) -> tuple["subprocess.Popen[bytes]", bool]:
    """Start the child and wait until it is ready (True) or at its end (False).

    The password goes over an inherited pipe, never through arguments or the environment.
    """
    endpoint = server.endpoint
    ready_read, ready_write = os.pipe()
    secret_read, secret_write = os.pipe()
    command = [
        sys.executable, "-m", "plateau_tui", "collect", str(folder.path.absolute()),
        "--host", endpoint.host, "--port", str(endpoint.port),
        "--ready-fd", str(ready_write), "--password-fd", str(secret_read),
    ]  # fmt: skip
    kept = [] if lifeline is None else [lifeline]
    command += [word for fd in kept for word in ("--lifeline-fd", str(fd))]
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    log_fd = os.open(folder.collector_log, append, folder.file_mode)
    try:
        with contextlib.suppress(PermissionError):  # another account's, which gave it its mode
            os.fchmod(log_fd, folder.file_mode)  # whatever the umask took
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log_fd,
            stderr=log_fd,
            pass_fds=(ready_write, secret_read, *kept),
            start_new_session=True,
            env=environment_without_password(),
            cwd="/",
        )
    finally:
        for fd in (log_fd, ready_write, secret_read):
            os.close(fd)
    _hand_over(secret_write, server.password)
    with os.fdopen(ready_read, "rb") as ready:
        return child, ready.read() == READY


def _hand_over(fd: int, password: Password) -> None:
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as pipe:
            pipe.write(password.reveal())
    except BrokenPipeError:
        pass  # the child is gone; its exit code says why
