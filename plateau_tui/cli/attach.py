"""The console: ``plateau-tui`` alone, and ``plateau-tui attach``."""

import os
import sys
from pathlib import Path

import click

from plateau_tui.cli.common import with_run
from plateau_tui.cli.options import no_mouse
from plateau_tui.config import console_config, runs_folder
from plateau_tui.runlog.layout import RunFolder


@click.command()
@with_run
@no_mouse
def attach(folder: RunFolder, no_mouse: bool) -> None:
    """Show a run in the console; nothing is started, and leaving ends nothing.

    Example: plateau-tui attach p1-curiosity
    """
    folder.require()
    folder = RunFolder(folder.path.absolute())
    open_console(folder.path.parent, folder, mouse=not no_mouse)


def open_console(runs: Path, folder: RunFolder | None, *, mouse: bool) -> None:
    """Run the console where there is a terminal for it; ``mouse`` also asks the configuration.

    Raises:
        click.UsageError: there is none.

    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError(
            "there is no terminal here; headless: plateau-tui status RUN, plateau-tui collect RUN"
        )
    if os.environ.get("TERM", "") in {"", "dumb"}:
        raise click.UsageError(
            "TERM is unset or dumb: no screen can be drawn; headless: plateau-tui status RUN"
        )
    config = console_config()
    from plateau_tui.console.app import run_console  # noqa: PLC0415 - Textual loads only here

    mouse = mouse and config.mouse
    raise click.exceptions.Exit(run_console(runs, folder, config.keys, mouse=mouse))


def open_runs(*, mouse: bool) -> None:
    """Run the console on the runs folder."""
    open_console(runs_folder(None), None, mouse=mouse)
