"""Asking for a note, which begins with what was refused before: no words of a person are lost."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from textual.app import App
from textual.message import Message
from textual.widgets import Input

from plateau_tui.collector import operate
from plateau_tui.config import operator_name
from plateau_tui.console.jobs import Job
from plateau_tui.console.screens.dialogs import Ask
from plateau_tui.runlog.layout import RunFolder

KEPT: Final = "the note's words are kept: the next note begins with them"
_REFUSED: Final = "These words were refused before, and are not in the journal."


class NoteRefused(Message):
    """The words of a note that could not be written, and the run that they are about."""

    def __init__(self, run: Path, words: str) -> None:
        self.run = run
        self.words = words
        super().__init__()


@runtime_checkable
class KeepsWords(Protocol):
    """An application that keeps the words of refused notes, by run, whichever screen is left."""

    unwritten: dict[Path, str]


def unwritten_of(app: object) -> dict[Path, str]:
    """Return what an application keeps, by run; the console adds to it and takes away."""
    return app.unwritten if isinstance(app, KeepsWords) else {}


def keep_words(kept: dict[Path, str], refused: NoteRefused) -> None:
    """Keep the words of a refused note behind those that were refused before."""
    kept[refused.run] = "; ".join(filter(None, (kept.get(refused.run, ""), refused.words)))


class NoteAsk(Ask):
    """Asks for a note; the field begins with words that are to be tried again."""

    def __init__(self, words: str) -> None:
        super().__init__("A note for the journal", _REFUSED if words else "")
        self._words = words

    def on_mount(self) -> None:
        """Put the words into the field, and what is typed behind them."""
        if self._words:
            field = self.query_one(Input)
            field.value = self._words
            field.cursor_position = len(self._words)


async def ask_note(app: App[int], words: str) -> str | None:
    """Ask for a note that begins with ``words``; None where the question is left."""
    return await app.push_screen_wait(NoteAsk(words))


def note_job(folder: RunFolder, words: str, refused: Callable[[NoteRefused], object]) -> Job:
    """Return the job that writes a note; ``refused`` gets its words from that thread if it fails.

    Args:
        folder: the run.
        words: the note.
        refused: the application's ``post_message``: the screen may be left by then.

    """

    def job() -> str:
        try:
            return operate.note(folder, words, operator_name())
        except Exception:
            refused(NoteRefused(folder.path, words))
            raise

    return job
