"""One unit of a replay."""

from typing import ClassVar, Final, Protocol

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from plateau_tui.console.lines.unit import reading_lines
from plateau_tui.console.live.view import RunView
from plateau_tui.console.replay.lines import unit_title
from plateau_tui.console.replay.timeline import MomentOfRun
from plateau_tui.console.screens.base import BACK, BaseScreen, Line

STEPS: Final[list[BindingType]] = [
    Binding("comma,left", "step(-1)", "Prev", id="replay.before", tooltip="The cycle before"),
    Binding("full_stop,right", "step(1)", "Next", id="replay.next", tooltip="The next cycle"),
    Binding(
        "left_square_bracket,N",
        "change(-1)",
        "Change-",
        id="replay.change-before",
        tooltip="The change before: a flag, a fault, a gap, a pin",
    ),
    Binding(
        "right_square_bracket,n",
        "change(1)",
        "Change+",
        id="replay.change-next",
        tooltip="The next change: a flag, a fault, a gap, a pin",
    ),
]
"""The keys that move the cursor, on every screen of a replay."""


class Replayed(Protocol):
    """The screen that holds the cursor."""

    view: RunView | None
    moment: MomentOfRun | None

    def action_play(self) -> None:
        """Play, or pause."""

    def action_step(self, step: int) -> None:
        """Go a cycle on or back."""

    def action_change(self, step: int) -> None:
        """Go to the next change, or the one before."""


class ReplayUnitScreen(BaseScreen):
    """One unit as of the cursor of a replay, which moves here too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "Play", id="replay.play", tooltip="Play, or pause"),
        *STEPS,
        Binding("u", "turn(1)", "Unit+", id="replay.unit-next", tooltip="The next unit"),
        Binding("U", "turn(-1)", "Unit-", id="replay.unit-before", tooltip="The unit before"),
        Binding("j,down", "scroll(1)", "Down", show=False, id="unit.down"),
        Binding("k,up", "scroll(-1)", "Up", show=False, id="unit.up"),
        BACK,
    ]

    def __init__(self, replay: Replayed, unit: str) -> None:
        super().__init__()
        self._replay = replay
        self._unit = unit

    def compose_body(self) -> ComposeResult:
        """Lay out the heading and the table."""
        yield Line(id="header")
        with VerticalScroll(id="unit"):
            yield Line(id="readings")

    def on_mount(self) -> None:
        """Begin to show."""
        self.query_one("#unit", VerticalScroll).focus()
        self.show()

    def show(self) -> None:
        """Show the unit as of the cursor."""
        view, moment = self._replay.view, self._replay.moment
        unit = view.unit(self._unit) if view else None
        if not self.is_seen or view is None or unit is None or moment is None:
            return
        width = max(1, self.size.width - 1)  # the scroll bar
        self.query_one("#header", Line).show(unit_title(moment, view, width))
        lines = reading_lines(unit, view, width, moment.now_ms)
        self.query_one("#readings", Line).show("\n".join(lines))

    def resized(self) -> None:
        """Show as many readings as now fit."""
        self.show()

    def action_play(self) -> None:
        """Play, or pause."""
        self._replay.action_play()

    def action_step(self, step: int) -> None:
        """Go a cycle on or back."""
        self._replay.action_step(step)

    def action_change(self, step: int) -> None:
        """Go to the next change, or the one before."""
        self._replay.action_change(step)

    def action_scroll(self, step: int) -> None:
        """Scroll by a line."""
        self.query_one("#unit", VerticalScroll).scroll_relative(y=step, animate=False)

    def action_turn(self, step: int) -> None:
        """Show another unit."""
        view = self._replay.view
        if view is None:
            return
        names = [unit.name for unit in view.units]
        place = names.index(self._unit) + step if self._unit in names else 0
        self._unit = names[place % len(names)]
        self.show()
