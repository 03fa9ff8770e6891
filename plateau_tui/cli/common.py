"""What the commands share: their options, their output, who is at the keyboard."""

import contextlib
import functools
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Final, TypeVar

import click
import msgspec

from plateau_tui.cli.errors import USAGE, exit_code_of, one_line, printable
from plateau_tui.cli.streams import complain, written
from plateau_tui.collector.halt import Halt
from plateau_tui.collector.operate import collector_pid
from plateau_tui.collector.run import (
    CollectorHoldsRunError,
    ServerAccess,
    ServerUnavailableError,
    held_text,
    require_no_export,
    seal_now,
    shown_in_answers,
)
from plateau_tui.collector.sealed import PUT_BACK
from plateau_tui.config import runs_folder, server_access
from plateau_tui.metric.registration import Registration
from plateau_tui.runlog.events import Sealed
from plateau_tui.runlog.layout import RunFolder, find_run
from plateau_tui.runlog.scan import Unreadable, scan_journal

Result = TypeVar("Result")
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_MAY_BE_IGNORED: Final = (signal.SIGINT, signal.SIGHUP)


def with_run(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command RUN and ``--runs``; it gets the run's ``folder``.

    That registration.toml is no longer what was sealed is said before anything else.
    """

    @click.argument("run")
    @click.option("--runs", metavar="DIR", help="The folder of runs (or PLATEAU_TUI_RUNS).")
    @functools.wraps(command)
    def wrapper(run: str, runs: str | None, **options: object) -> Result:
        folder = find_run(run, runs_folder(runs))
        if _seal_differs(folder):
            say(f"registration.toml is not what was sealed: the sealed text counts; {PUT_BACK}")
        return command(folder=folder, **options)

    return wrapper


def _seal_differs(folder: RunFolder) -> bool:
    """Say whether a sealed gate's file has changed; the journal is read up to its seal."""
    if folder.strange_file() is not None:
        return False  # the command itself says so, and opens nothing
    try:
        sealed = next(
            (
                item[1].event.sha256
                for item in scan_journal(folder.journal)
                if not isinstance(item, Unreadable) and isinstance(item[1].event, Sealed)
            ),
            None,
        )
    except OSError:
        return False  # the command itself says what cannot be read
    return sealed is not None and seal_now(folder) != sealed


def with_server(command: Callable[..., Result]) -> Callable[..., Result]:
    """Give a command the options of the server; it gets ``access``. Goes below ``with_run``."""

    @click.option("--host", metavar="HOST", help="RCON host (or PLATEAU_TUI_RCON_HOST).")
    @click.option("--port", type=click.IntRange(1, 65535), help="Or PLATEAU_TUI_RCON_PORT.")
    @click.option(
        "--password-file",
        metavar="FILE",
        help="Read the RCON password from FILE (or set PLATEAU_TUI_RCON_PASSWORD).",
    )
    @functools.wraps(command)
    def wrapper(
        folder: RunFolder,
        host: str | None,
        port: int | None,
        password_file: str | None,
        **options: object,
    ) -> Result:
        require_no_export(folder.require())
        access: Callable[[], ServerAccess] = functools.partial(
            server_access, folder, host, port, password_file
        )
        return command(folder=folder, access=access, **options)

    return wrapper


def warn_of_password(password: str | None, registration: Registration) -> None:
    """Say that this password cannot be hidden in what the server says, where that is so."""
    warning = None if password is None else shown_in_answers(password, registration)
    if warning is not None:
        say(f"warning: {warning}")


def require_no_collector(folder: RunFolder) -> None:
    """Refuse a run that a collector holds: asked before the password, which it will not let go to.

    Raises:
        CollectorHoldsRunError: a collector runs.

    """
    pid = collector_pid(folder)
    if pid is not None:
        raise CollectorHoldsRunError(held_text(folder, pid))


class Words(click.ParamType[str]):
    """What a person says; bytes that are no text become U+FFFD, so that a log can hold them."""

    name = "TEXT"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the words as they can be written."""
        del param, ctx
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def with_json(**empty: object) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Give a command ``--json``, as ``as_json``.

    Where the answer is no, or the server or the run cannot be had, one object is printed all the
    same: ``empty`` with an ``error``. With exit code 2 nothing is printed.
    """

    def decorate(command: Callable[..., Result]) -> Callable[..., Result]:
        @click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
        @functools.wraps(command)
        def wrapper(as_json: bool, **options: object) -> Result:
            try:
                return command(as_json=as_json, **options)
            except Exception as error:
                if as_json and exit_code_of(error) not in {None, USAGE}:
                    print_json(empty | {"error": one_line(error)})
                raise

        return wrapper

    return decorate


def _print(text: str) -> None:
    """Print to stdout; whoever reads it may have seen enough, which ends us as SIGPIPE would."""
    with written():
        click.echo(text)


def print_json(value: object) -> None:
    """Print one JSON object and nothing else; what moves a terminal's cursor stands escaped."""
    text = msgspec.json.encode(value).decode("utf-8")
    _print("".join(c if c.isprintable() else _escaped(c) for c in text))


def _escaped(character: str) -> str:
    """Return a character of a JSON text as its escape."""
    return json.dumps(character)[1:-1]


def say(text: str) -> None:
    """Print a line for a person on stderr, where somebody hears it."""
    complain(f"plateau-tui: {printable(text)}")


def tell(text: str) -> None:
    """Print a line of data for a person on stdout."""
    _print(printable(text))


def has_screen() -> bool:
    """Say whether there is a terminal that a screen can be drawn on."""
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    return terminal and os.environ.get("TERM", "") not in {"", "dumb"}


@contextlib.contextmanager
def halted_by_signals() -> Iterator[Halt]:
    """Give a ``Halt`` that SIGINT, SIGTERM and SIGHUP set; afterwards they end us as usual.

    What was ignored when we began, as by ``nohup`` and a shell's ``&``, stays ignored. A command
    that was halted exits with 128 + n, whether it ended in order or by an error.
    """
    halt = Halt()

    def handler(signum: int, frame: FrameType | None) -> None:
        del frame
        halt.by_signal(signum)

    heard = [
        n for n in SIGNALS if n not in _MAY_BE_IGNORED or signal.getsignal(n) != signal.SIG_IGN
    ]
    before = {number: signal.signal(number, handler) for number in heard}
    try:
        yield halt
    except ServerUnavailableError:
        if halt.signum is None:
            raise
    finally:
        for number, old in before.items():
            signal.signal(number, old)
    if halt.signum is not None:
        raise click.exceptions.Exit(128 + halt.signum)
