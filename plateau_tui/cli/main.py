"""The command ``plateau-tui``: the table of commands, and what errors look like outside."""

import importlib
import os
import signal
import sys
import traceback
from typing import Final, NoReturn

import click

from plateau_tui import __version__
from plateau_tui.cli.errors import exit_code_of, one_line
from plateau_tui.cli.options import AskedLook, looks, no_mouse
from plateau_tui.cli.streams import complain, open_missing_streams
from plateau_tui.cli.web import Showing, shows

_COMMANDS: Final = {
    "new": ("new", "new_run", "Make a run folder with a draft registration."),
    "seal": ("before", "seal", "Check the gate and seal it."),
    "check": ("before", "check", "Look at the server, reading only."),
    "register": ("before", "register", "Add the missing objectives, take the start reading."),
    "watch-wood": ("before", "watch_wood", "First poll: watch which log counter moves."),
    "pin": ("before", "pin", "Pin BASELINE_WOOD."),
    "attach": ("attach", "attach", "The console on a run."),
    "replay": ("replay", "replay", "The console on a finished log, through time."),
    "collect": ("collect", "collect", "The poll loop, until the window closes."),
    "status": ("look", "status", "How far a run is."),
    "watchdog": ("watchdog", "watchdog", "Exit 1 when the last heartbeat is stale."),
    "note": ("during", "note", "Write words into the journal."),
    "close": ("during", "close", "End the window."),
    "verdict": ("after", "verdict", "Derive the verdict, and ask what the rules ask."),
    "export": ("after", "export", "The log with its verdict, for a sceptic."),
    "verify": ("look", "verify", "Re-derive everything from the log."),
    "calibrate": ("calibrate", "calibrate", "See whether a contract measures anything."),
    "demo": ("demo", "demo", "The whole job against the embedded server."),
    "sim": ("simulate", "sim", "The embedded server alone."),
}
"""Command -> module, function, line of help. A command's module is loaded when it is used."""


class _LazyGroup(click.Group):
    """Loads a command's module only when that command is used, so that help stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, name, _ = _COMMANDS[cmd_name]
        command = getattr(importlib.import_module(f"plateau_tui.cli.{module}"), name)
        assert isinstance(command, click.Command)  # noqa: S101 - the table above is ours
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in _COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in _COMMANDS:
            from plateau_tui.metric.objectives import nearest  # noqa: PLC0415 - help stays fast

            ctx.fail(f"there is no command '{args[0]}'{nearest(args[0], _COMMANDS)}")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="A first run: new, check, register, watch-wood, pin, seal, collect, verdict, export. "
    "Exit codes: 0 done, 1 the answer is no, 2 usage, 3 server, 4 another collector holds the run.",
)
@click.version_option(__version__, prog_name="plateau-tui")
@click.option("--runs", metavar="DIR", help="The folder of runs (or PLATEAU_TUI_RUNS).")
@no_mouse
@looks
@shows
@click.pass_context
def group(
    ctx: click.Context, runs: str | None, no_mouse: bool, look: AskedLook, showing: Showing
) -> None:
    """Observe a pre-registered, paired experiment on a Minecraft server over RCON.

    Without a command: the console, on the runs folder.

    Example: plateau-tui demo --headless
    """
    if ctx.invoked_subcommand is None:
        from plateau_tui.cli.attach import open_runs  # noqa: PLC0415 - help stays fast

        open_runs(runs, mouse=not no_mouse, look=look, showing=showing)
    elif runs is not None:
        ctx.fail("--runs belongs behind a command: plateau-tui attach RUN --runs DIR")
    elif no_mouse:
        ctx.fail("--no-mouse belongs behind a command: plateau-tui attach RUN --no-mouse")
    elif look.is_asked:
        ctx.fail("how the console looks belongs behind a command: plateau-tui attach RUN --ascii")
    elif showing.is_asked:
        ctx.fail("how the console is shown belongs behind a command: plateau-tui attach RUN --web")


def main() -> NoReturn:
    """Run the command line; never returns.

    Errors are one line on stderr. Exit codes: 0 done; 1 the answer is no; 2 usage or unreadable
    input; 3 the server; 4 another collector holds the run; 128 + n after signal n.
    """
    open_missing_streams()
    _leave(_run())


def _run() -> int:
    try:
        status = group.main(standalone_mode=False)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except Exception as error:  # noqa: BLE001 - what is none of ours is told as a crash
        code = exit_code_of(error)
        if code is None:
            _tell_crash(error)
            return 1
        complain(f"plateau-tui: {one_line(error)}")
        return code
    return status if isinstance(status, int) else 0


def _tell_crash(error: Exception) -> None:
    """Print where the program itself failed; an error nobody foresaw may cite the password."""
    text = "".join(traceback.format_exception(error))
    run = sys.modules.get("plateau_tui.collector.run")
    for password in () if run is None else run.Password.held:
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
