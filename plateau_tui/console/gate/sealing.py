"""What is told before a gate is sealed: what it can come to, and what a seal means."""

from collections.abc import Iterator
from typing import Final

from plateau_tui.collector import hand
from plateau_tui.collector.run import open_run, registration_of
from plateau_tui.config import operator_name
from plateau_tui.console.lines.text import harmless
from plateau_tui.metric.feasibility import accept_problem
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import read_state

_FOR_GOOD: Final = (
    "NOTHING in registration.toml can change after the seal; a gate that changed is WITHHELD."
)
_MEANING: Final = (
    "Sealing before or after the registration and the pins is the same to the verdict: it must "
    "come before the window. But after it no species can be added, so watch first."
)


def seal_meaning(folder: RunFolder) -> str:
    """Return what to tell before a seal; reads files, and computes for a moment."""
    try:
        state, _ = read_state(folder.journal)
        registration = registration_of(folder, state)
    except (ConfigError, OSError) as error:
        return f"{harmless(str(error))}\n\n{_FOR_GOOD}\n\n{_MEANING}"
    problem = hand.start_problem_of(folder)
    first = [f"{harmless(problem)}\n"] if problem else []
    told = [*first, _FOR_GOOD, *_accepted(registration), "", *_figures(registration)]
    return "\n".join([*told, "", _MEANING])


def seal_run(folder: RunFolder) -> str:
    """Check the gate and seal it, as this operator; return what to tell.

    Raises:
        ConfigError, DeclinedError, CollectorHoldsRunError, LogWriteError: as ``hand.seal``.

    """
    with open_run(folder) as run:
        return f"sealed {hand.seal(run, operator_name())[:12]}"


def _accepted(registration: Registration) -> Iterator[str]:
    """Yield the sentence that is sealed with a gate that is not feasible."""
    accept = registration.gate.accept.strip()
    if accept:
        yield f'Sealed with it, the sentence "accept": {harmless(accept)}'


def _figures(registration: Registration) -> Iterator[str]:
    """Yield what the gate can come to, as ``plateau-tui seal`` prints it."""
    found = hand.feasibility(registration)
    refused = accept_problem(registration.gate, found)
    if refused:
        yield f"It will be REFUSED: {harmless(refused)}\n"
    yield "What this gate can come to:"
    yield from (f"- {harmless(line)}" for line in (*found.lines, *found.reasons))
