"""The arms of a replay side by side, pair by pair, as they stood at the cursor."""

from typing import Final

from textual import work
from textual.app import ComposeResult

from plateau_tui.console import clock
from plateau_tui.console.copying import copy_facts, reading_facts
from plateau_tui.console.lines.pairs import header_lines
from plateau_tui.console.lines.text import fold_words
from plateau_tui.console.replay.copied import as_it_stood
from plateau_tui.console.replay.lines import unit_title
from plateau_tui.console.screens.base import Line
from plateau_tui.console.screens.pairs import PairsScreen
from plateau_tui.console.screens.replayalong import AlongScreen, Replayed
from plateau_tui.console.screens.replayunit import ReplayUnitScreen
from plateau_tui.runlog.layout import RunFolder

_NO_GATE: Final = (
    "Rows alone: no gate is known; §2c as written, units paired by their names' numbers."
)
_NO_LISTS: Final = (
    "This log tells of no players' list: a unit that was read counts as live here, and nobody "
    "knows which was lost."
)


class ReplayPairsScreen(PairsScreen, AlongScreen):
    """The live pairs' screen on what stood at the cursor; nothing later is ever in it."""

    def __init__(self, replayed: Replayed, folder: RunFolder) -> None:
        super().__init__(folder, lambda: self.replay.view)
        self.replay = replayed

    def compose_body(self) -> ComposeResult:
        """Lay out when it is, and the pairs."""
        yield Line(id="replayed")
        yield from super().compose_body()

    def follow(self) -> None:
        """Show the pairs as of the cursor, once they are counted."""
        self._look()

    def show(self) -> None:
        """Show the cursor's cycle, and the pairs in it."""
        view, moment = self.replay.view, self.replay.moment
        if self.is_seen and view is not None and moment is not None:
            title = unit_title(moment, view, max(1, self.size.width))
            self.query_one("#replayed", Line).show(title)
        super().show()

    @property
    def _is_later(self) -> bool:
        """Whether the pairs that were counted last are of a later cycle than the cursor's."""
        view, found = self.replay.view, self._found
        paired = None if view is None else view.paired
        return found is None or paired is None or found.cycles > paired.cycles

    def as_of_ms(self) -> int | None:
        """Return when the cursor's cycle was read: how old a reading was then is told."""
        moment = self.replay.moment
        return None if moment is None else moment.now_ms

    def heading(self, width: int) -> list[str]:
        """Return of when the pairs are, Δ by then, and what is assumed of a log of rows alone."""
        source = self.replay.timeline.source
        words: list[str] = []
        if self._found is not None and not self._is_later:
            words = header_lines(self._found, self._folder.path.name, width)
        if self.replay.view is not None:
            for fact in self.replay.view.voided:
                words += fold_words(f"! {fact}: this run can only end WITHHELD", width)
        if source is not None and source.bare:
            words += fold_words(_NO_GATE, width)
        if source is not None and source.rules.no_lists:
            words += fold_words(_NO_LISTS, width)
        return words

    def happens(self) -> str:
        """Return what is to be said of the cursor's cycle."""
        if self._is_later and not self._told:
            return "counting ..."
        return self._told or self.replay.here(max(1, self.size.width))

    def over(self, width: int) -> str:
        """Return the heading over the pairs."""
        return "" if self._is_later else super().over(width)

    def lines(self, width: int) -> list[str]:
        """Return the pairs as of the cursor."""
        return [] if self._is_later else super().lines(width)

    @work
    async def action_copy(self) -> None:
        """Copy what stands here to the clipboard and to a file."""
        view, moment = self.replay.view, self.replay.moment
        if view is None or moment is None or not self.is_front:
            return
        paired, found = view.paired, self._found
        if paired is not None and found is not None and found.cycles == paired.cycles:
            title = as_it_stood(f"the pairs of log {view.name}", moment, view)
            text = reading_facts(self, title, clock.now_ms())
            await copy_facts(self.app, f"{view.name}-pairs-replay-{moment.cycle + 1}", lambda: text)

    def action_open(self) -> None:
        """Open the chosen unit as of the cursor."""
        if self._found is None or not self._lines or not self.is_front:
            return
        pair = self._found.pairs[self._pair]
        name = (pair.control if self._control else pair.treatment).name
        self.app.push_screen(ReplayUnitScreen(self.replay, name))
