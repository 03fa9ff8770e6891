"""``plateau-tui collect``: the poll loop, here or detached."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Final

import click

from plateau_tui.cli.common import (
    exit_if_halted,
    halted_by_signals,
    say,
    tell,
    with_run,
    with_server,
)
from plateau_tui.collector.loop import Collector
from plateau_tui.collector.run import (
    CollectorHoldsRunError,
    DeclinedError,
    Password,
    ServerAccess,
    ServerUnavailableError,
    open_run,
)
from plateau_tui.collector.slots import SystemClock
from plateau_tui.config import PASSWORD_VARIABLE
from plateau_tui.runlog.connection import read_connection
from plateau_tui.runlog.layout import RunFolder

_READY: Final = b"ready\n"
_ERRORS: Final[Mapping[int, type[RuntimeError]]] = {
    1: DeclinedError,
    3: ServerUnavailableError,
    4: CollectorHoldsRunError,
}


@click.command()
@with_run
@with_server
@click.option("--once", is_flag=True, help="One cycle: the slot in progress (timers, cron).")
@click.option(
    "--detach", is_flag=True, help="Return when the child holds the run; its pid on stdout."
)
@click.option("--ready-fd", type=int, hidden=True)
@click.option("--password-fd", type=int, hidden=True)
def collect(
    folder: RunFolder,
    access: Callable[[], ServerAccess],
    once: bool,
    detach: bool,
    ready_fd: int | None,
    password_fd: int | None,
) -> None:
    """Collect: one lock-step cycle a slot, until the window closes.

    The password comes from --password-file, PLATEAU_TUI_RCON_PASSWORD, the keyring or a prompt.

    Example: plateau-tui collect p1-curiosity --detach
    """
    if detach and once:
        raise click.UsageError("--once and --detach do not go together")
    if password_fd is not None:
        os.environ[PASSWORD_VARIABLE] = _read_all(password_fd)
    server = access()
    os.environ.pop(PASSWORD_VARIABLE, None)
    if detach:
        tell(str(_detached(folder, server)))
        return
    probe = read_connection(folder.connection).probe
    with halted_by_signals() as halt, open_run(folder) as run:
        _tell_ready(ready_fd)
        collector = Collector(run, server, probe, halt, SystemClock(), say)
        try:
            collector.collect(once=once)
        except ServerUnavailableError:
            exit_if_halted(halt)
            raise
        exit_if_halted(halt)


def _tell_ready(fd: int | None) -> None:
    if fd is not None:
        os.write(fd, _READY)
        os.close(fd)


def _read_all(fd: int) -> str:
    with os.fdopen(fd, encoding="utf-8") as pipe:
        return pipe.read()


def _detached(folder: RunFolder, server: ServerAccess) -> int:
    """Start the collector in a session of its own; return its pid once it holds the run.

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
    log_fd = os.open(
        folder.collector_log,
        os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC,
        folder.file_mode,
    )
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log_fd,
            stderr=log_fd,
            pass_fds=(ready_write, secret_read),
            start_new_session=True,
            cwd="/",
        )
    finally:
        for fd in (log_fd, ready_write, secret_read):
            os.close(fd)
    _hand_over(secret_write, server.password)
    with os.fdopen(ready_read, "rb") as ready:
        answer = ready.read()
    if answer != _READY:
        _raise_child_error(folder, child)
    return child.pid


def _hand_over(fd: int, password: Password) -> None:
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as pipe:
            pipe.write(password.reveal())
    except BrokenPipeError:
        pass  # the child is gone; its exit code says why


def _raise_child_error(folder: RunFolder, child: "subprocess.Popen[bytes]") -> None:
    status = child.wait()
    lines = folder.collector_log.read_text(encoding="utf-8", errors="replace").splitlines()
    text = lines[-1].removeprefix("plateau-tui: ") if lines else f"the collector ended ({status})"
    raise _ERRORS.get(status, ServerUnavailableError)(text)
