"""Words and the end: note, close."""

import click

from plateau_tui.cli.common import Words, say, tell, with_run
from plateau_tui.collector import operate
from plateau_tui.config import operator_name
from plateau_tui.metric.fence import felt_state_warning, felt_state_words
from plateau_tui.runlog.layout import RunFolder


@click.command()
@with_run
@click.argument("text", type=Words())
def note(folder: RunFolder, text: str) -> None:
    """Write words into the journal.

    Example: plateau-tui note p1-curiosity "server restarted for a plugin update"
    """
    folder.require()
    tell(operate.note(folder, text, operator_name()))
    words = felt_state_words(text)
    if words:
        say(felt_state_warning(words))


@click.command()
@with_run
@click.option("--early", is_flag=True, help="Close before the window's end: it is then WITHHELD.")
@click.option("--why", default="", type=Words(), help="Why it is closed early.")
def close(folder: RunFolder, early: bool, why: str) -> None:
    """End the window; gap rows stand for cycles that were missed.

    Example: plateau-tui close p1-curiosity
    """
    folder.require()
    if early and not why.strip():
        raise click.UsageError("--early needs --why TEXT")
    tell(operate.close(folder, early=early, why=why, by=operator_name()))
