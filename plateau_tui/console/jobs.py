"""An operator's request as a job in a thread: what it says, or why it could not be done."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from plateau_tui.console.keys import PLAIN_KEYS, KeyNames
from plateau_tui.console.messages import JobDone
from plateau_tui.console.readonly import CommandNames
from plateau_tui.errorwords import error_words

_KEYS: Final = (
    ("plateau-tui register RUN", "wizard.register", "of the wizard"),
    ("plateau-tui seal RUN comes first", "wizard.seal", "of the wizard comes first"),
    ("plateau-tui pin RUN SPECIES", "run.pin", ""),
    ("plateau-tui close RUN --early --why TEXT", "run.close", "of the run"),
    ("plateau-tui close RUN", "run.close", "of the run"),
)
"""What the collector's words call by its command, and the key that does the same here."""

_DIALOG: Final = (
    (
        "pin that one with --unit UNI=SPECIES, or say why not with --anyway",
        "type UNI=SPECIES for that unit, or behind the species anyway: and why",
    ),
    ("name a species, or --unit UNI=SPECIES", "type a species, or UNI=SPECIES"),
    ("with watch-wood --also", "with Another wood of the wizard:"),
)
"""What the collector's words call by an option, and what to type in the question here."""

Job = Callable[[], str]
"""Does something that takes time; returns what to tell the operator."""


def run_job(name: str, job: Job, run: Path | None = None, keys: KeyNames = PLAIN_KEYS) -> JobDone:
    """Run a job; every error of ours becomes a line, never a crash of the console."""
    try:
        return JobDone(name, job(), ok=True, run=run)
    except Exception as error:  # noqa: BLE001 - the console goes on whatever a request meets
        return JobDone(name, console_words(error_words(error), keys), ok=False, run=run)


def console_words(text: str, keys: KeyNames = PLAIN_KEYS) -> str:
    """Return what a collector's refusal says, with keys in the place of commands and options."""
    if isinstance(keys, CommandNames):
        return text  # where the keys are off the commands are right
    for option, typed in _DIALOG:
        text = text.replace(option, typed)
    for command, binding, where in _KEYS:
        text = text.replace(command, f"key {keys[binding]} {where}".rstrip())
    return text
