"""The whole journal of a run: by kind, searched, followed; its problems above it."""

import threading
from array import array
from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

from plateau_tui.console import clock
from plateau_tui.console.copying import copy_facts
from plateau_tui.console.lines.copied import journal_text
from plateau_tui.console.lines.journal import (
    KINDS,
    UNREADABLE,
    JournalLine,
    calm_line,
    details,
    drawn,
    header_line,
    journal_line,
    kinds_line,
    passing,
    whole,
)
from plateau_tui.console.lines.problems import problems
from plateau_tui.console.lines.search import Search
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.view import RunView
from plateau_tui.console.screens.base import BACK, BaseScreen, Line, is_open, key_names
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.console.widgets.field import LineInput
from plateau_tui.console.widgets.loglist import LogList
from plateau_tui.metric.plain import counted
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.segments import log_lines
from plateau_tui.runlog.tail import FileTail

_LOOK_S: Final = 0.5
_TICK_S: Final = 1.0
_PIECE: Final = 4000
"""Lines that are handed over at once: the screen is never busy with them for long."""
_TOLD: Final = 2
_UNSHOWN: Final = "this run cannot be shown: its own screen says why"
_FAULT_NAMES: Final = KINDS[1][1] or frozenset()


class LinesRead(Message):
    """Lines of the journal that are new; ``anew``: the file is another one, forget the others."""

    def __init__(self, lines: list[JournalLine], error: str, *, anew: bool) -> None:
        self.lines = lines
        self.error = error
        self.anew = anew
        super().__init__()


class JournalScreen(BaseScreen):
    """Every line of the journal, the newest at the end, which is followed while it is chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(n), f"kind({n})", show=False) for n in range(len(KINDS))),
        Binding("slash", "search", "Search", key_display="/", id="journal.search"),
        Binding("n", "again(1)", "Next", id="journal.next", tooltip="The next line found"),
        Binding("N", "again(-1)", "Before", id="journal.before", tooltip="The one found before"),
        Binding("g", "go('home')", "First", id="journal.first", tooltip="The first line"),
        Binding("G", "go('end')", "Last", id="journal.last", tooltip="The last; follows new ones"),
        Binding("h", "beats", "Beats", id="journal.beats", tooltip="Heartbeats shown or hidden"),
        Binding("t", "local", "Local", id="journal.local", tooltip="Local time beside UTC"),
        Binding("p", "problems", "Problems", id="journal.problems", tooltip="All that is wrong"),
        Binding("o,enter", "whole", "Whole", id="journal.open", tooltip="The chosen line in full"),
        Binding("y", "copy", "Copy", id="journal.copy", tooltip="The lines chosen: also a file"),
        Binding("j,down", "go('down')", "Down", show=False, id="journal.down"),
        Binding("k,up", "go('up')", "Up", show=False, id="journal.up"),
        BACK,
    ]
    DEFAULT_CSS = """
    JournalScreen #wrong { height: auto; }
    JournalScreen #wrong.-grave { text-style: bold; }
    JournalScreen #kinds { height: 1; }
    JournalScreen #full { height: 2; }
    JournalScreen #search { display: none; border: none; height: 1; padding: 0; }
    JournalScreen.-searching #search { display: block; }
    JournalScreen.-searching #full { height: 1; }
    """

    def __init__(self, folder: RunFolder, view_of: Callable[[], RunView | None]) -> None:
        super().__init__()
        self._folder = folder
        self._view_of = view_of
        self._stop = threading.Event()
        self._lines: list[JournalLine] = []
        self._shown = array("l")
        self._kind, self._beats, self._local = 0, False, False
        self._search, self._error = Search(), ""
        self._search_from = 0
        self._seen_to = 0

    def compose_body(self) -> ComposeResult:
        """Lay out problems, chooser, lines, the chosen line in full, the search."""
        yield Line(id="header")
        yield Line(id="wrong")
        yield Line(id="kinds")
        yield LogList(self._drawn, id="log")
        yield Line(id="full")
        yield LineInput(id="search", placeholder="words to look for", max_length=200)

    def on_mount(self) -> None:
        """Begin to read."""
        self._read()
        self.set_interval(_TICK_S, self._show)
        self._log.focus()
        self._show()

    def on_unmount(self) -> None:
        """Let the reading thread end."""
        self._stop.set()

    @property
    def _log(self) -> LogList:
        return self.query_one(LogList)

    # -- reading ----------------------------------------------------------------------------

    @work(thread=True, exclusive=True, exit_on_error=False, group="journal", description="journal")
    def _read(self) -> None:
        tail, number, error = FileTail(self._folder.journal, joined=True), 0, ""
        while not self._stop.is_set():
            try:
                new = tail.read()
            except OSError as problem:
                told = f"the journal cannot be read: {problem.strerror}"
                if told != error:
                    error = told
                    self.post_message(LinesRead([], error, anew=False))
                self._stop.wait(_LOOK_S)
                continue
            if new.restarted:
                number = 0
            if new.lines or new.restarted or error:
                error = ""
                self._hand_over(new.lines, number, anew=new.restarted)
            number += len(new.lines)
            if not new.more:
                self._stop.wait(_LOOK_S)

    def _hand_over(self, lines: tuple[bytes, ...], before: int, *, anew: bool) -> None:
        for first in range(0, max(1, len(lines)), _PIECE):
            if self._stop.is_set():
                return
            piece = [
                journal_line(before + first + place, data)
                for place, data in enumerate(lines[first : first + _PIECE], start=1)
            ]
            self.post_message(LinesRead(piece, "", anew=anew and first == 0))

    @on(LinesRead)
    def _take(self, message: LinesRead) -> None:
        if not is_open(self):
            return
        self._error = message.error
        if message.anew:
            self._lines.clear()
            del self._shown[:]
            self._seen_to = 0
            self._search.say("")
            self._log.fill(0, 0)
        before, first = len(self._lines), len(self._shown)
        self._lines += message.lines
        found = passing(message.lines, self._kind, beats=self._beats)
        self._shown.extend(before + place for place in found)
        self._log.grow(len(self._shown))
        self._search.take(self._lines, self._shown, first, key_names(self)["journal.next"])
        self._show()

    # -- showing ----------------------------------------------------------------------------

    def _drawn(self, place: int, width: int) -> tuple[str, bool]:
        line = self._lines[self._shown[place]]
        return drawn(line, width, local=self._local), line.name in _FAULT_NAMES

    def _show(self) -> None:
        if not self.is_seen:
            return
        width = max(1, self.size.width)
        self._show_header(width)
        self.query_one("#kinds", Line).show(harmless(kinds_line(self._kind), width))
        self._show_problems(width)
        self._show_chosen()

    def _show_header(self, width: int) -> None:
        search = self._search
        hit = search.hit is None or search.hit == self._log.chosen
        told = filter(None, (self._error or (search.told if hit else ""), self._newer()))
        header = " - ".join(filter(None, ("; ".join(told), self._header())))
        self.query_one("#header", Line).show(harmless(header, width))

    def _header(self) -> str:
        name, shown, lines = self._folder.path.name, len(self._shown), len(self._lines)
        return header_line(name, shown, lines, beats=self._beats, local=self._local)

    def _newer(self) -> str:
        """Return how many lines have come since the last one was chosen, which follows them."""
        if self._log.at_end:
            self._seen_to = len(self._lines)
        newer = len(self._shown) - bisect_left(self._shown, self._seen_to)
        return f"{counted(newer, 'newer line')} below" if newer else ""

    def _show_problems(self, width: int) -> None:
        view = self._view_of()
        names = key_names(self)
        found = [] if view is None else problems(view, clock.now_ms(), names)
        lines = [problem.fold(width, 1)[0] for problem in found[:_TOLD]]
        if len(found) > _TOLD:
            more = len(found) - _TOLD + 1
            told = f"! and {counted(more, 'more problem')}: see Problems, below"
            lines[-1] = harmless(told, width)
        wrong = self.query_one("#wrong", Line)
        calm = _UNSHOWN if view is None else calm_line(view)
        wrong.show("\n".join(lines) or harmless(calm, width))
        wrong.set_class(any(problem.grave for problem in found), "-grave")

    def _show_chosen(self) -> None:
        line, width = self._chosen(), max(1, self.size.width)
        most = 1 if self.has_class("-searching") else 2
        shown = whole(line, width, most) if line is not None else ["no line of this kind"]
        self.query_one("#full", Line).show("\n".join(shown))

    def _chosen(self) -> JournalLine | None:
        place = self._log.chosen
        return self._lines[self._shown[place]] if place < len(self._shown) else None

    @on(LogList.Chosen)
    def _chose(self) -> None:
        if self.is_seen:
            self._show_header(max(1, self.size.width))
            self._show_chosen()

    def resized(self) -> None:
        """Fit what is shown to the new size."""
        self._show()

    def on_screen_resume(self) -> None:
        """Show what has changed behind another screen."""
        self._show()

    # -- choosing what is shown -------------------------------------------------------------

    def action_kind(self, kind: int) -> None:
        """Show the events of one kind."""
        self._kind = kind
        self._choose_again()

    def action_beats(self) -> None:
        """Show heartbeats, or hide them."""
        self._beats = not self._beats
        self._choose_again()

    def _choose_again(self) -> None:
        """Show what the choice lets through; the chosen line, or the next one, stays chosen."""
        log, followed = self._log, self._log.at_end
        before = self._shown[log.chosen] if log.chosen < len(self._shown) else 0
        self._shown = array("l", passing(self._lines, self._kind, beats=self._beats))
        near = next((n for n, place in enumerate(self._shown) if place >= before), None)
        self._search.say("")
        log.fill(len(self._shown), len(self._shown) if followed or near is None else near)
        self._show()

    def action_local(self) -> None:
        """Show local time beside UTC, or UTC alone."""
        self._local = not self._local
        self._log.refresh()
        self._show()

    def action_go(self, where: str) -> None:
        """Choose another line."""
        log = self._log
        moves = {
            "home": log.action_scroll_home,
            "end": log.action_scroll_end,
            "down": log.action_scroll_down,
            "up": log.action_scroll_up,
        }
        moves[where]()

    # -- searching --------------------------------------------------------------------------

    def action_search(self) -> None:
        """Ask for words; the first line that has them is chosen while they are typed."""
        self._search_from = self._log.chosen
        self.add_class("-searching")
        field = self.query_one("#search", Input)
        field.value = ""
        field.focus()

    @on(Input.Changed, "#search")
    def _typed(self, event: Input.Changed) -> None:
        if self.has_class("-searching"):
            self._search.words = event.value
            self._look_for(self._search_from, 1)

    @on(Input.Submitted, "#search")
    def _found(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value != self._search.words:  # keys of one burst: the last change was not told
            self._search.words = event.value
            self._look_for(self._search_from, 1)
        self._end_search()

    def _end_search(self) -> None:
        self.remove_class("-searching")
        self._log.focus()
        self._show()

    def action_again(self, step: int) -> None:
        """Choose the next line that has the words, or the one before; round the end."""
        if not self._search.words:
            self.hear("/ looks for words first")
            return
        self._look_for(self._log.chosen + step, step)

    def _look_for(self, start: int, step: int) -> None:
        found = self._search.look_for(self._lines, self._shown, start, step)
        if found is not None:
            self._log.choose(found)
        elif self.has_class("-searching"):
            self._log.choose(self._search_from)
        self._show()

    def hear(self, text: str, job: str = "") -> None:
        """Show a word, until a line is looked for again."""
        del job
        self._search.say(text)
        self._show()

    def action_back(self) -> None:
        """Leave the search for where it began, or go back."""
        if self.has_class("-searching"):
            self._search = Search()
            self._log.choose(self._search_from)
            self._end_search()
        else:
            super().action_back()

    # -- reading on -------------------------------------------------------------------------

    def action_problems(self) -> None:
        """Show all that is wrong, worst first."""
        view = self._view_of()
        if not self.is_front:
            return
        if view is None:
            self.app.push_screen(Page("Problems, worst first", _UNSHOWN))
            return
        wrong = [f"! {problem.line}" for problem in problems(view, clock.now_ms(), key_names(self))]
        text = "\n".join(wrong or [calm_line(view)])
        self.app.push_screen(Page("Problems, worst first", text))

    @work
    async def action_copy(self) -> None:
        """Copy the lines of the chosen kind, and what is wrong, to the clipboard and to a file."""
        if not self.is_front:
            return
        view, now = self._view_of(), clock.now_ms()
        found = [] if view is None else problems(view, now, key_names(self))
        told = [self._header(), kinds_line(self._kind), *(f"! {each.line}" for each in found)]
        name, lines, shown = self._folder.path.name, list(self._lines), list(self._shown)
        facts = partial(journal_text, name, lines, shown, told, now, local=self._local)
        await copy_facts(self.app, f"{name}-journal", facts)

    def action_whole(self) -> None:
        """Show all that the chosen line of the file holds."""
        line = self._chosen()
        if line is None or not self.is_front:
            return
        try:
            found = enumerate(log_lines(self._folder.journal), start=1)
            data = next((each.data for number, each in found if number == line.number), b"")
        except OSError as error:
            data = f"the journal cannot be read: {error.strerror}".encode()
        text = details(data) if data else "this line is no longer in the file"
        name = "" if line.name == UNREADABLE else f", {harmless(line.name, 40)}"
        self.app.push_screen(Page(f"Line {line.number} of the journal{name}", text))


SCREENS: Final[dict[str, list[BindingType]]] = {"journal": JournalScreen.BINDINGS}
