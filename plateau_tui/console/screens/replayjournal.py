"""The journal of a replay, up to its cursor: by kind, searched, as the live screen shows it."""

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message

from plateau_tui.console import clock
from plateau_tui.console.copying import copy_facts
from plateau_tui.console.lines.copied import journal_text
from plateau_tui.console.lines.journal import JournalLine, kinds_line
from plateau_tui.console.replay.copied import as_it_stood
from plateau_tui.console.replay.journallines import JournalPiece, follow_lines
from plateau_tui.console.replay.lines import page_text, unit_title, wrong_then
from plateau_tui.console.screens.base import Line, is_open, key_names
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.console.screens.journal import JournalScreen, LinesRead
from plateau_tui.console.screens.replayalong import AlongScreen, Replayed
from plateau_tui.console.screens.replayparts import ALONG
from plateau_tui.runlog.layout import RunFolder

_LATER: Final = "later "
"""What stands before a line that was written after the cursor's cycle."""
_ALL: Final = Binding(
    "a", "later", "All", id="replay.later", tooltip="What came later than the cursor as well"
)
JOURNAL: Final[list[BindingType]] = [*JournalScreen.BINDINGS, *ALONG, _ALL]
"""All keys of this screen."""


class PieceRead(Message):
    """The next lines of the journal's file, or why it cannot be read."""

    def __init__(self, piece: JournalPiece | None, error: str = "") -> None:
        self.piece = piece
        self.error = error
        super().__init__()


class ReplayJournalScreen(JournalScreen, AlongScreen):
    """The journal as it stood at the cursor; what came later only where it is asked for."""

    BINDINGS: ClassVar[list[BindingType]] = [_ALL]

    def __init__(self, replayed: Replayed, folder: RunFolder) -> None:
        super().__init__(folder, lambda: self.replay.view)
        self.replay = replayed
        self._written: list[JournalLine] = []
        self._ends: array[int] = array("q")
        self._later = False

    def compose_body(self) -> ComposeResult:
        """Lay out when it is, and the journal."""
        yield Line(id="replayed")
        yield from super().compose_body()

    # -- reading ------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, exit_on_error=False, group="journal", description="journal")
    def _read(self) -> None:
        try:
            for piece in follow_lines(self._folder.journal, self._stop):
                self.post_message(PieceRead(piece))
        except OSError as problem:
            told = f"the journal cannot be read: {problem.strerror}"
            self.post_message(PieceRead(None, told))

    @on(PieceRead)
    def _take_piece(self, message: PieceRead) -> None:
        if not is_open(self):
            return
        self._error = message.error
        if message.piece is not None:
            self._written += message.piece.lines
            self._ends.extend(message.piece.ends)
        self.follow()

    @property
    def _upto(self) -> int:
        """How many lines had been written when the cursor's cycle was over."""
        moment = self.replay.moment
        return 0 if moment is None else bisect_right(self._ends, moment.place)

    def follow(self) -> None:
        """Show the journal up to the cursor; a line stays chosen as long as it is there."""
        wanted = len(self._written) if self._later else self._upto
        had, log = len(self._lines), self._log
        chosen = None if log.at_end else self._chosen()
        if wanted > had:
            self._take(LinesRead(self._written[had:wanted], self._error, anew=False))
        elif wanted < had:
            self._take(LinesRead(self._written[:wanted], self._error, anew=True))
            if chosen is not None:
                self._choose_line(chosen)
        self._show()

    def on_screen_resume(self) -> None:
        """Show what has changed behind another screen."""
        self.follow()

    def _choose_line(self, line: JournalLine) -> None:
        """Choose a line, or the last one before it that is shown."""
        numbers = [self._lines[place].number for place in self._shown]
        self._log.choose(bisect_right(numbers, line.number) - 1)

    # -- showing ------------------------------------------------------------------------------

    def _show(self) -> None:
        view, moment = self.replay.view, self.replay.moment
        if self.is_seen and view is not None and moment is not None:
            title = unit_title(moment, view, max(1, self.size.width))
            self.query_one("#replayed", Line).show(title)
        super()._show()

    def _drawn(self, place: int, width: int) -> tuple[str, bool]:
        if not self._later:
            return super()._drawn(place, width)
        later = self._shown[place] >= self._upto
        text, stands_out = super()._drawn(place, max(1, width - len(_LATER)))
        return f"{_LATER if later else ' ' * len(_LATER)}{text}", stands_out

    def _header(self) -> str:
        key = key_names(self)["replay.later"]
        told = f"up to here ({key}: all)"
        if self._later:
            after = len(self._written) - self._upto
            told = f"ALL, {after} later ({key}: not)"
        return f"{told}; {super()._header()}"

    def _show_problems(self, width: int) -> None:
        self.query_one("#wrong", Line).show(self.replay.here(width))

    def action_later(self) -> None:
        """Show what came later than the cursor as well, marked; or hide it again."""
        self._later = not self._later
        here = self._lines[self._upto - 1] if self._later and self._upto else None
        follows = self._log.at_end
        self.follow()
        if here is not None and follows:
            self._choose_line(here)
        self._log.refresh()

    def action_problems(self) -> None:
        """Show what was wrong by then, and what must be said of the log."""
        view, moment, timeline = self.replay.view, self.replay.moment, self.replay.timeline
        if view is not None and moment is not None and self.is_front:
            text = page_text(view, moment, timeline.unread, timeline.notices)
            self.app.push_screen(Page("REPLAY: what was wrong by this cycle", text))

    @work
    async def action_copy(self) -> None:
        """Copy the lines of the chosen kind, and what was wrong, to the clipboard and to a file."""
        view, moment = self.replay.view, self.replay.moment
        if view is None or moment is None or not self.is_front:
            return
        wrong = wrong_then(view, moment, self.replay.timeline.unread, len(view.units))
        told = [
            as_it_stood(f"the journal of log {view.name}", moment, view),
            self._header(), kinds_line(self._kind), *(f"! {each}" for each in wrong),
        ]  # fmt: skip
        lines: Sequence[JournalLine] = list(self._lines)
        facts = partial(
            journal_text, view.name, lines, list(self._shown), told, clock.now_ms(),
            local=self._local,
        )  # fmt: skip
        await copy_facts(self.app, f"{view.name}-journal-replay-{moment.cycle + 1}", facts)
