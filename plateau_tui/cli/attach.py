"""The console: ``plateau-tui`` alone, and ``plateau-tui attach``."""

import dataclasses
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plateau_tui.cli.common import with_run
from plateau_tui.cli.options import AskedLook, looks, no_mouse
from plateau_tui.cli.web import Showing, is_served, serve_console, shows
from plateau_tui.config import ConsoleConfig, console_config, runs_folder
from plateau_tui.runlog.layout import RunFolder

if TYPE_CHECKING:
    from textual.screen import Screen  # the framework loads only with the console


@click.command()
@with_run
@no_mouse
@looks
@shows
def attach(folder: RunFolder, no_mouse: bool, look: AskedLook, showing: Showing) -> None:
    """Show a run in the console; nothing is started, and leaving ends nothing.

    Example: plateau-tui attach p1-curiosity
    """
    folder.require()
    folder = RunFolder(folder.path.absolute())
    if showing.web:
        words = ("attach", str(folder.path))
        serve_console(showing, words, f"the run {folder.path.name}", look, mouse=not no_mouse)
    read_only = showing.only_looks
    open_console(folder.path.parent, folder, mouse=not no_mouse, look=look, read_only=read_only)


def open_console(
    runs: Path,
    folder: RunFolder | None,
    *,
    mouse: bool,
    look: AskedLook | None = None,
    opens: "Callable[[], Screen[None]] | None" = None,
    read_only: bool = False,
) -> None:
    """Run the console where there is a terminal for it; ``mouse`` also asks the configuration.

    ``opens`` makes another screen to begin with.

    Raises:
        click.UsageError: there is none.

    """
    if not (is_served() or (sys.stdin.isatty() and sys.stdout.isatty())):
        raise click.UsageError(
            "there is no terminal here; headless: plateau-tui status RUN, plateau-tui collect RUN"
        )
    if os.environ.get("TERM", "") in {"", "dumb"}:
        raise click.UsageError(
            "TERM is unset or dumb: no screen can be drawn; headless: plateau-tui status RUN"
        )
    config = with_look(console_config(), look or AskedLook())
    from plateau_tui.console.app import run_console  # noqa: PLC0415 - Textual loads only here
    from plateau_tui.console.look.looks import look_here  # noqa: PLC0415 - with it

    mouse = mouse and config.mouse
    raise click.exceptions.Exit(
        run_console(
            runs,
            folder,
            config.keys,
            mouse=mouse,
            look=look_here(config),
            bell=config.bell,
            opens=opens,
            read_only=read_only,
        )
    )


def with_look(config: ConsoleConfig, look: AskedLook) -> ConsoleConfig:
    """Return the configuration with what the flags say of the look in its place."""
    return dataclasses.replace(
        config,
        theme=config.theme if look.theme is None else look.theme,
        colours=config.colours if look.colours is None else look.colours,
        ascii_only=True if look.ascii_only else config.ascii_only,
    )


def open_runs(runs: str | None, *, mouse: bool, look: AskedLook, showing: Showing) -> None:
    """Run the console on the runs folder: ``runs``, or the one that is set."""
    folder = runs_folder(runs)
    if showing.web:
        os.environ["PLATEAU_TUI_RUNS"] = str(folder.absolute())  # each page's console looks there
        serve_console(showing, (), "the runs", look, mouse=mouse)
    open_console(folder, None, mouse=mouse, look=look, read_only=showing.only_looks)
