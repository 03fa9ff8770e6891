"""The command ``plateau-tui``: what comes before every command, and what errors look like outside.

Little is loaded here before ``main`` runs: the password is in this process's memory from its first
moment on, and Ctrl-C may come in the middle of the loading.
"""

from __future__ import annotations

import os
import signal
import sys

from plateau_tui import process

TYPE_CHECKING = False
if TYPE_CHECKING:  # the real one would load ``typing``
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command line; never returns.

    Errors are one line on stderr. Exit codes: 0 done; 1 the answer is no; 2 usage or unreadable
    input; 3 the server; 4 another collector holds the run; 128 + n after signal n.
    """
    process.hold_interrupts()
    try:
        process.shut()
        process.take_password()
        code = _run()
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    _leave(code)


def _run() -> int:
    import click  # noqa: PLC0415 - Ctrl-C is held by now, and the memory shut

    from plateau_tui.cli.errors import exit_code_of, one_line  # noqa: PLC0415
    from plateau_tui.cli.streams import complain, open_missing_streams  # noqa: PLC0415

    open_missing_streams()
    try:
        from plateau_tui.cli.commands import group  # noqa: PLC0415

        status = group.main(standalone_mode=False)
        process.let_interrupts_in()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except Exception as error:  # noqa: BLE001 - what is none of ours is told as a crash
        if _is_interrupt(error) and not isinstance(error, click.Abort):
            return 128 + signal.SIGINT
        code = exit_code_of(error)
        if code is None:
            _tell_crash(error)
            return 1
        complain(f"plateau-tui: {one_line(error)}")
        return code
    return status if isinstance(status, int) else 0


def _is_interrupt(error: BaseException | None) -> bool:
    """Say whether an error is what was made of a Ctrl-C, as the making of a class does."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__
    return False


def _tell_crash(error: Exception) -> None:
    """Print where the program itself failed; an error nobody foresaw may cite the password."""
    import traceback  # noqa: PLC0415 - only a crash needs it

    from plateau_tui.cli.streams import complain  # noqa: PLC0415 - as in ``_run``
    from plateau_tui.collector.run import Password  # noqa: PLC0415 - as in ``_run``

    given = process.given_password()
    held = [*Password.held, *([Password(given)] if given else [])]
    text = "".join(traceback.format_exception(error))
    for password in held:
        text = password.hidden_in(text)
    complain(text, newline=False)


def _leave(code: int) -> NoReturn:
    """Exit with ``code``, also where the terminal or the pipe behind our output is gone.

    The interpreter would flush once more, fail, and make 120 of the code.
    """
    try:
        for stream in (sys.__stdout__, sys.__stderr__):
            if stream is not None:
                stream.flush()
    except OSError:
        os._exit(code)
    sys.exit(code)
