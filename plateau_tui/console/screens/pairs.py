"""The arms side by side, pair by pair, so far."""

from collections.abc import Callable, Mapping
from typing import ClassVar, Final

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.message import Message

from plateau_tui.console import clock
from plateau_tui.console.copying import copy_facts, reading_facts
from plateau_tui.console.keys import KeysElsewhere
from plateau_tui.console.lines.pairs import (
    PairLine,
    columns_line,
    header_lines,
    meaning_lines,
    old_in,
    pair_lines,
    read_ago,
    table_lines,
    wrong_lines,
)
from plateau_tui.console.lines.problems import problems
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.pairsofar import Paired, PairsSoFar, pairs_so_far
from plateau_tui.console.live.view import RunView
from plateau_tui.console.screens.base import BACK, is_open, key_names
from plateau_tui.console.screens.reading import ReadingScreen
from plateau_tui.console.screens.unit import UnitScreen
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
        Binding("o,enter", "open", "Unit", id="pairs.open", tooltip="The chosen unit"),
        Binding(
            "h,left",
            "side(0)",
            "Left",
            id="pairs.left",
            tooltip="The pair's treatment unit",
            priority=True,
        ),
        Binding(
            "l,right",
            "side(1)",
            "Right",
            id="pairs.right",
            tooltip="The pair's control unit",
            priority=True,
        ),
        Binding("y", "copy", "Copy", id="pairs.copy", tooltip="These lines: clipboard and file"),
        Binding("j,down", "move(1)", "Down", show=False, id="pairs.down", priority=True),
        Binding("k,up", "move(-1)", "Up", show=False, id="pairs.up", priority=True),
        BACK,
    ]

    def __init__(
        self,
        folder: RunFolder,
        view_of: Callable[[], RunView | None] = lambda: None,
        marks_of: Callable[[], Mapping[str, str]] = dict,
        told_of: Callable[[], str] = str,
    ) -> None:
        """Prepare.

        Args:
            folder: the run.
            view_of: the run as it was read last; nothing is read here.
            marks_of: the units that have what is unseen, with their marks.
            told_of: why there is no newer view, or how far the reading is.

        """
        super().__init__()
        self._folder = folder
        self._view_of = view_of
        self._marks_of = marks_of
        self._pair = 0
        self._control = False
        self._lines: list[PairLine] = []
        self._found: PairsSoFar | None = None
        self._told = self._heard = ""
        self._told_of = told_of
        self._asked: Paired | None = None
        self._deriving = False

    def on_mount(self) -> None:
        """Begin to follow the view."""
        self.set_interval(_LOOK_S, self._look)
        self._look()

    def _look(self) -> None:
        view = self._view_of()
        paired = None if view is None else view.paired
        if paired is not None and not self._deriving and paired != self._asked:
            self._asked, self._deriving = paired, True
            self._derive(paired)
        self.show()

    @work(thread=True, exit_on_error=False, group="pairs", description="pairs")
    def _derive(self, paired: Paired) -> None:
        found, told = None, ""
        try:
            found = pairs_so_far(paired)
        except Exception as error:  # noqa: BLE001 - a screen that stops without a word lies
            told = f"the pairs cannot be shown: {type(error).__name__}: {error}"
        self.post_message(PairsRead(found, told))

    @on(PairsRead)
    def _take(self, message: PairsRead) -> None:
        if is_open(self):
            self._told = message.told
            self._found = message.found or self._found
            self._deriving = False
            self._look()

    def heading(self, width: int) -> list[str]:
        """Return the run, and Δ so far."""
        name = self._folder.path.name
        if self._found is None:
            return [harmless(f"Pairs of {name}", width)]
        view, now = self._view_of(), self.as_of_ms()
        read = "" if view is None or now is None else read_ago(view, now)
        return header_lines(self._found, name, width, read)

    def as_of_ms(self) -> int | None:
        """Return as of when ages are counted; None where none is told."""
        return clock.now_ms()

    def happens(self) -> str:
        """Return how far the reading is, or what is wrong."""
        told = self._told or self._told_of() or ("" if self._found else "reading ...")
        return "\n".join(filter(None, (self._heard, told or self._wrong())))

    def hear(self, text: str, job: str = "") -> None:
        """Show an answer, until another unit is chosen."""
        del job
        self._heard = harmless(text)
        self.show()

    def _wrong(self) -> str:
        view, now = self._view_of(), self.as_of_ms()
        if view is None or now is None:
            return ""
        own = key_names(self)
        found = problems(view, now, KeysElsewhere(names=own, first=own["back"]))
        return "\n".join(wrong_lines(found, max(1, self.size.width)))

    def over(self, width: int) -> str:
        """Return the heading over the pairs."""
        return "" if self._found is None else columns_line(self._found, width)

    def lines(self, width: int) -> list[str]:
        """Return the pairs, how many differ, and what that means."""
        found = self._found
        if found is None:
            return []
        view, now = self._view_of(), self.as_of_ms()
        old = {} if view is None or now is None else old_in(view, now)
        self._lines = pair_lines(found, width, self._marks_of(), old)
        return [
            *(line.text for line in self._lines),
            "",
            *table_lines(found, width),
            "",
            *meaning_lines(found, width),
        ]

    def chosen_part(self) -> tuple[int, int] | None:
        """Return where the chosen unit's part begins and ends."""
        if not self._lines:
            return None
        before = sum(len(line.text) + 1 for line in self._lines[: self._pair])
        start, end = self._lines[self._pair].side(control=self._control)
        return before + start, before + end

    # -- choosing -----------------------------------------------------------------------------

    def action_move(self, step: int) -> None:
        """Choose another pair, one in view; scroll in what follows the last."""
        self._heard = ""
        page = self.query_one("#page", VerticalScroll)
        top, last = page.scroll_offset.y, len(self._lines) - 1
        near = max(top, min(self._pair, top + page.size.height - 1))
        if top > last or (step > 0 and near == self._pair == last):
            self.action_scroll(step)
            return
        self._pair = max(0, min(near + step if near == self._pair else near, last))
        self.show()
        page.scroll_to_region(Region(0, self._pair, 1, 1), animate=False)

    def action_side(self, control: int) -> None:
        """Choose the pair's treatment unit, or its control unit."""
        self._heard, self._control = "", bool(control)
        self.show()

    @work
    async def action_copy(self) -> None:
        """Copy what stands here to the clipboard and to a file."""
        if self.is_front:
            name = self._folder.path.name
            text = reading_facts(self, f"pairs of run {name}", clock.now_ms())
            await copy_facts(self.app, f"{name}-pairs", lambda: text)

    def action_open(self) -> None:
        """Open the chosen unit."""
        if self._found is None or not self._lines or not self.is_front:
            return
        pair = self._found.pairs[self._pair]
        if self._view_of() is not None:
            name = (pair.control if self._control else pair.treatment).name
            self.app.push_screen(UnitScreen(self._view_of, name))


SCREENS: Final[dict[str, list[BindingType]]] = {"pairs": PairsScreen.BINDINGS}
