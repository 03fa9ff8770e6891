"""An operator's request as a job in a thread: what it says, or why it could not be done."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from plateau_tui.console.messages import JobDone

_KEYS: Final = (
    ("plateau-tui register RUN", "key g of the wizard"),
    ("plateau-tui seal RUN", "key s of the wizard"),
    ("plateau-tui pin RUN SPECIES", "key p"),
    ("plateau-tui close RUN --early --why TEXT", "key x of the run"),
    ("plateau-tui close RUN", "key x of the run"),
)
"""What the collector's words call by its command, and the key that does the same here."""

Job = Callable[[], str]
"""Does something that takes time; returns what to tell the operator."""


def run_job(name: str, job: Job, run: Path | None = None) -> JobDone:
    """Run a job; every error of ours becomes a line, never a crash of the console."""
    try:
        return JobDone(name, job(), ok=True, run=run)
    except Exception as error:  # noqa: BLE001 - the console goes on whatever a request meets
        ours = getattr(type(error), "exit_code", None) is not None
        known = ours or isinstance(error, OSError)
        text = str(error) if known else f"{type(error).__name__}: {error}"
        for command, key in _KEYS:
            text = text.replace(command, key)
        return JobDone(name, text, ok=False, run=run)
