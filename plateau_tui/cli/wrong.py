"""What is wrong with a run, as the console lists it, for whoever has no console open."""

from typing import Final

from plateau_tui.collector.run import wall_ms
from plateau_tui.console.keys import KeyNames
from plateau_tui.console.lines.problems import problems
from plateau_tui.console.live.model import RunModel
from plateau_tui.runlog.layout import RunFolder

_COMMANDS: Final = {
    "run.pin": "pin",
    "run.collect": "collect",
    "run.close": "close",
    "run.wizard": "register",
}


class _Commands(KeyNames):
    """Names the commands in the place of the console's keys."""

    def __getitem__(self, binding_id: str) -> str:
        """Return the command that does what a key does."""
        return f"plateau-tui {_COMMANDS[binding_id]}"


def wrong_lines(folder: RunFolder) -> list[str]:
    """Return all that is wrong with a run now, worst first, a line each.

    Raises:
        OSError: its files cannot be read.

    """
    model, view, more = RunModel(folder), None, True
    while more:
        view, more = model.look()
    found = [] if view is None else problems(view, wall_ms(), _Commands())
    return [f"! {problem.line}" for problem in found]
