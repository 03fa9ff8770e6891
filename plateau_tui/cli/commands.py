"""The table of commands; a command's module is loaded when it is used."""

import importlib
import signal
from typing import Any, Final

import click

from plateau_tui import __version__
from plateau_tui.cli.options import AskedLook, looks, no_mouse
from plateau_tui.cli.streams import written
from plateau_tui.cli.web import Showing, shows
from plateau_tui.process import let_interrupts_in

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

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # noqa: ANN401 - whatever click gives
    ) -> click.Context:
        with written():  # --help
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - whatever a command returns
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # a command's --help; all else says so itself
            raise click.exceptions.Exit(128 + signal.SIGPIPE) from None

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
    let_interrupts_in()  # the command's module is loaded
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
