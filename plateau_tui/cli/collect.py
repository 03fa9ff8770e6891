"""``plateau-tui collect``: the poll loop, here or detached."""

import os
from collections.abc import Callable, Mapping
from typing import Final

import click

from plateau_tui.cli.common import (
    halted_by_signals,
    require_no_collector,
    say,
    tell,
    warn_of_password,
    with_run,
    with_server,
)
from plateau_tui.collector.detach import READY, end_with, start_detached
from plateau_tui.collector.loop import CLOSED_ALREADY, NOT_SEALED, RECORDED_ALREADY, Collector
from plateau_tui.collector.pins import unpinned_text
from plateau_tui.collector.run import (
    CollectorHoldsRunError,
    DeclinedError,
    ServerAccess,
    ServerUnavailableError,
    open_run,
    registration_of,
    require_journal,
    wall_ms,
)
from plateau_tui.collector.slots import SystemClock
from plateau_tui.process import PASSWORD_VARIABLE
from plateau_tui.runlog.connection import read_connection
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import read_state

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
@click.option("--lifeline-fd", type=int, hidden=True)
def collect(
    folder: RunFolder,
    access: Callable[[], ServerAccess],
    once: bool,
    detach: bool,
    ready_fd: int | None,
    password_fd: int | None,
    lifeline_fd: int | None,
) -> None:
    """Collect: one lock-step cycle a slot, until the window closes.

    The password comes from --password-file, PLATEAU_TUI_RCON_PASSWORD, the keyring or a prompt.

    Example: plateau-tui collect p1-curiosity --detach
    """
    if detach and once:
        raise click.UsageError("--once and --detach do not go together")
    answer = _answer_without_server(folder, once=once)
    if answer:
        say(answer)
        return
    if password_fd is not None:
        os.environ[PASSWORD_VARIABLE] = _read_all(password_fd)
    server = access()
    os.environ.pop(PASSWORD_VARIABLE, None)
    if password_fd is None and not once:  # else whoever started it has said so, or check has
        state, _ = read_state(folder.journal)
        warn_of_password(server.password.reveal(), registration_of(folder, state))
    if detach:
        _detach(folder, server, lifeline_fd)
        return
    probe = read_connection(folder.connection).probe
    with halted_by_signals() as halt, open_run(folder) as run:
        if lifeline_fd is not None:
            end_with(lifeline_fd, halt)
        collector = Collector(run, server, probe, halt, SystemClock(), say)
        collector.collect(once=once, started=lambda: _tell_ready(ready_fd))


def _answer_without_server(folder: RunFolder, *, once: bool) -> str:
    """Return what there is to say without a server, and so without its password; or nothing.

    Raises:
        ConfigError: the registration cannot be used.
        CollectorHoldsRunError: a collector runs.
        DeclinedError: the run is not sealed, or its journal is gone.

    """
    state, _ = read_state(folder.journal)
    registration = registration_of(folder, state)
    if state.closed is not None:
        return CLOSED_ALREADY
    require_no_collector(folder)
    if state.sealed is None:
        require_journal(folder)
        raise DeclinedError(NOT_SEALED)
    slot0, beat, window = state.window_slot_ms, state.heartbeat, registration.window
    if not once or slot0 is None or beat is None or beat.cycle + 1 >= window.cycles:
        return ""  # the last cycle's rows are there, and the window may have to be closed
    in_progress = (wall_ms() - slot0) // window.interval_ms
    return RECORDED_ALREADY if in_progress == beat.cycle else ""


def _tell_ready(fd: int | None) -> None:
    if fd is not None:
        os.write(fd, READY)
        os.close(fd)


def _read_all(fd: int) -> str:
    with os.fdopen(fd, encoding="utf-8") as pipe:
        return pipe.read()


def _detach(folder: RunFolder, server: ServerAccess, lifeline: int | None) -> None:
    detached = start_detached(folder, server, lifeline)
    if detached.exit_code is None:
        tell(str(detached.pid))
        _warn_unpinned(folder)
    elif detached.exit_code == 0:
        say(detached.text)
    else:
        raise _ERRORS.get(detached.exit_code, ServerUnavailableError)(detached.text)


def _warn_unpinned(folder: RunFolder) -> None:
    """Say on this terminal what the detached collector can only say in its log."""
    state, _ = read_state(folder.journal)
    units = registration_of(folder, state).units
    unpinned = [unit.name for unit in units if unit.name not in state.pins]
    if unpinned:
        say(unpinned_text(unpinned))
