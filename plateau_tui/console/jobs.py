"""An operator's request as a job in a thread: what it says, or why it could not be done."""

from collections.abc import Callable

from plateau_tui.console.messages import JobDone

Job = Callable[[], str]
"""Does something that takes time; returns what to tell the operator."""


def run_job(name: str, job: Job) -> JobDone:
    """Run a job; every error of ours becomes a line, never a crash of the console."""
    try:
        return JobDone(name, job(), ok=True)
    except Exception as error:  # noqa: BLE001 - the console goes on whatever a request meets
        ours = getattr(type(error), "exit_code", None) is not None
        known = ours or isinstance(error, OSError)
        text = str(error) if known else f"{type(error).__name__}: {error}"
        return JobDone(name, text, ok=False)
