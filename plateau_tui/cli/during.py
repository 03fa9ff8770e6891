"""Words and the end: note, close."""

import click

from plateau_tui.cli.common import tell, who, with_run
from plateau_tui.cli.requests import ask_collector, collector_holds
from plateau_tui.collector import hand
from plateau_tui.collector.run import open_run
from plateau_tui.collector.window import EarlyCloseError
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import read_state


@click.command()
@with_run
@click.argument("text")
def note(folder: RunFolder, text: str) -> None:
    """Write words into the journal.

    Example: plateau-tui note p1-curiosity "server restarted for a plugin update"
    """
    folder.require()
    if collector_holds(folder):
        ask_collector(folder, "note", {"text": text})
    else:
        with open_run(folder) as run:
            hand.note(run, text, who())
    tell("noted")


@click.command()
@with_run
@click.option("--early", is_flag=True, help="Close before the window's end: it is then WITHHELD.")
@click.option("--why", default="", metavar="TEXT", help="Why it is closed early.")
def close(folder: RunFolder, early: bool, why: str) -> None:
    """End the window; gap rows stand for cycles that were missed.

    Example: plateau-tui close p1-curiosity
    """
    folder.require()
    if early and not why.strip():
        raise click.UsageError("--early needs --why TEXT")
    if collector_holds(folder):
        state, _ = read_state(folder.journal)
        if not early and state.closed is None:
            raise EarlyCloseError(
                "the collector closes the window by itself at its end; --early --why TEXT closes "
                "it before, and a window that closes early is WITHHELD"
            )
        tell(ask_collector(folder, "close", {"early": early, "why": why}))
        return
    with open_run(folder) as run:
        cycles = hand.close(run, early=early, why=why, by=who())
        total = run.registration.window.cycles
    tell(f"closed with {cycles} of {total} cycles")
