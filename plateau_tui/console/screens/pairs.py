"""The arms side by side, pair by pair, so far."""

import threading
from typing import ClassVar, Final

from textual import on, work
from textual.binding import Binding, BindingType
from textual.message import Message

from plateau_tui.console.lines.pairs import (
    columns_line,
    header_lines,
    meaning_lines,
    pair_lines,
    table_lines,
)
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.pairsofar import PairsModel, PairsSoFar
from plateau_tui.console.screens.base import BACK, is_open
from plateau_tui.console.screens.reading import ReadingScreen
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.layout import RunFolder

_LOOK_S: Final = 0.5


class PairsRead(Message):
    """How the pairs stand, or what is told instead."""

    def __init__(self, found: PairsSoFar | None, told: str) -> None:
        self.found = found
        self.told = told
        super().__init__()

    def can_replace(self, message: Message) -> bool:
        """Let a newer look replace one that was not shown yet."""
        return isinstance(message, PairsRead)


class PairsScreen(ReadingScreen):
    """Each pair in a line: treatment left, control right, and how they differ."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll(1)", "Down", show=False, id="pairs.down"),
        Binding("k,up", "scroll(-1)", "Up", show=False, id="pairs.up"),
        BACK,
    ]

    def __init__(self, folder: RunFolder) -> None:
        super().__init__()
        self._folder = folder
        self._found: PairsSoFar | None = None
        self._told = "reading ..."
        self._stop = threading.Event()

    def on_mount(self) -> None:
        """Begin to follow."""
        self._follow()
        self.show()

    def on_unmount(self) -> None:
        """Let the following thread end."""
        self._stop.set()

    @work(thread=True, exclusive=True, exit_on_error=False, group="pairs", description="pairs")
    def _follow(self) -> None:
        model, last = PairsModel(self._folder), ""
        shown: PairsSoFar | None = None
        while not self._stop.is_set():
            more = False
            try:
                found, more = model.look()
                told = f"reading ... {model.rows} rows so far" if more else ""
            except (ConfigError, OSError) as error:
                found, told = None, str(error)
            except Exception as error:  # noqa: BLE001 - a screen that stops without a word lies
                found, told = None, f"the pairs cannot be shown: {type(error).__name__}: {error}"
                model = PairsModel(self._folder)
            if told != last or (found is not None and found is not shown):
                last, shown = told, found or shown
                self.post_message(PairsRead(found, told))
            if not more:
                self._stop.wait(_LOOK_S)

    @on(PairsRead)
    def _take(self, message: PairsRead) -> None:
        if is_open(self):
            self._told = message.told
            self._found = message.found or self._found
            self.show()

    def heading(self, width: int) -> list[str]:
        """Return the run, and Δ so far."""
        name = self._folder.path.name
        if self._found is None:
            return [harmless(f"Pairs of {name}", width)]
        return header_lines(self._found, name, width)

    def happens(self) -> str:
        """Return how far the reading is, or what is wrong."""
        return self._told

    def over(self, width: int) -> str:
        """Return the heading over the pairs."""
        return "" if self._found is None else columns_line(self._found, width)

    def lines(self, width: int) -> list[str]:
        """Return the pairs, how many differ, and what that means."""
        found = self._found
        if found is None:
            return []
        return [
            *pair_lines(found, width),
            "",
            *table_lines(found, width),
            "",
            *meaning_lines(found, width),
        ]


SCREENS: Final[dict[str, list[BindingType]]] = {"pairs": PairsScreen.BINDINGS}
