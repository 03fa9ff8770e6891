"""``plateau-tui replay``: the console on a finished log, scrubbed through time."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from plateau_tui.cli.attach import open_console
from plateau_tui.cli.common import has_screen
from plateau_tui.cli.options import AskedLook, looks, no_mouse
from plateau_tui.config import runs_folder
from plateau_tui.console.replay.goto import leads
from plateau_tui.metric.objectives import LOG_SPECIES, nearest
from plateau_tui.runlog.archive import Archive, open_archive
from plateau_tui.runlog.layout import find_run

if TYPE_CHECKING:
    from textual.screen import Screen  # the framework loads only with the console


@click.command()
@click.argument("log", metavar="FILE|RUN|EXPORT")
@click.option("--runs", metavar="DIR", help="The folder of runs (or PLATEAU_TUI_RUNS).")
@click.option(
    "--wood",
    multiple=True,
    metavar="[UNIT=]SPECIES",
    help="BASELINE_WOOD to score a bare file by, for all units or for one; may be repeated.",
)
@click.option(
    "--at",
    metavar="TIME|CYCLE",
    default="",
    help="Open there: a cycle from 1 on, or a time in UTC (01-18 03:00), as key g takes it.",
)
@no_mouse
@looks
def replay(
    log: str, runs: str | None, wood: tuple[str, ...], at: str, no_mouse: bool, look: AskedLook
) -> None:
    """Show a finished or running log at any moment of it; nothing is started or written.

    FILE holds rows: .jsonl or .jsonl.gz, ours or the lab's earlier collector's (phase2_red/1).

    Example: plateau-tui replay p1-curiosity --at "01-18 03:00"
    """
    folder = runs_folder(runs)
    path = _path_of(log, folder)
    archive = open_archive(path)
    pins = _pins(wood)
    _check(at)
    if pins and archive.run is not None:
        raise click.UsageError(
            "--wood is for bare files of rows: a run's pins stand in its journal; leave it out"
        )
    if not has_screen():
        raise click.UsageError(
            "there is no terminal that a replay can be drawn on; headless: plateau-tui status RUN, "
            "plateau-tui verify RUN, plateau-tui verdict RUN"
        )
    open_console(
        folder, None, mouse=not no_mouse, look=look, opens=lambda: _screen(path, archive, pins, at)
    )


def _check(at: str) -> None:
    """Refuse what leads nowhere, whatever the log.

    Raises:
        click.UsageError: it is no cycle, time or step.

    """
    if at and not leads(at):
        raise click.UsageError(
            f"--at: '{at[:40]}' is no cycle (5), no time in UTC (2026-01-18 03:00, 01-18, 03:00) "
            "and no step (+90m)"
        )


def _screen(path: Path, archive: Archive, pins: Mapping[str, str], at: str) -> "Screen[None]":
    from plateau_tui.console.screens.replay import (  # noqa: PLC0415 - Textual loads only here
        ReplayScreen,
    )

    return ReplayScreen(path, archive, pins, at=at, alone=True)


def _path_of(log: str, runs: Path) -> Path:
    """Return what FILE, RUN or EXPORT means: a path that is there, or a name among the runs."""
    path = Path(log)
    if path.exists():
        return path.absolute()
    found = find_run(log, runs).path
    return found if found.is_dir() else path


def _pins(wood: tuple[str, ...]) -> dict[str, str]:
    """Return unit -> species; the empty name stands for all units.

    Raises:
        click.UsageError: something is no species that a body can chop.

    """
    pins: dict[str, str] = {}
    for text in wood:
        unit, _, species = text.rpartition("=")
        if species not in LOG_SPECIES:
            raise click.UsageError(
                f"--wood: '{species[:40]}' is no wood of 1.16.5{nearest(species, LOG_SPECIES)}"
            )
        pins[unit] = species
    return pins
