"""What workers tell the screens."""

from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from plateau_tui.console.live.view import RunView


class RunRead(Message):
    """A run was read; ``view`` is None when it cannot be shown, and ``error`` says why."""

    def __init__(self, view: RunView | None, error: str) -> None:
        self.view = view
        self.error = error
        super().__init__()

    def can_replace(self, message: Message) -> bool:
        """Let a newer reading replace one that was not shown yet."""
        return isinstance(message, RunRead)


class Progress(Message):
    """A line that a job has to say."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__()


@dataclass(frozen=True, slots=True)
class WatchView:
    """What a first-poll watch saw so far: rises by unit and log, what they suggest, and when.

    ``polls`` counts those after the start reading, as the journal does. ``from_rows`` says that a
    collector reads, and the watch looks at its rows; ``from_journal`` that the watch has ended, and
    what it saw was read back.
    """

    grown: dict[str, dict[str, int]]
    suggestion: dict[str, str | None]
    polls: int
    read_ms: int
    watched: tuple[str, ...]
    others: tuple[str, ...]
    from_rows: bool
    from_journal: bool = False


class Watched(Message):
    """One more look of the first-poll watch."""

    def __init__(self, watch: WatchView) -> None:
        self.watch = watch
        super().__init__()


class JobDone(Message):
    """A job's end: whether it did what was asked, what came of it, and of which run it was."""

    def __init__(self, job: str, text: str, *, ok: bool, run: Path | None = None) -> None:
        self.job = job
        self.text = text
        self.ok = ok
        self.run = run
        super().__init__()
