"""One unit of a replay."""

from functools import partial
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from plateau_tui.console.copying import copy_facts
from plateau_tui.console.lines.unit import reading_lines
from plateau_tui.console.replay.copied import unit_moment_text
from plateau_tui.console.replay.lines import unit_title
from plateau_tui.console.screens.base import BACK, Line
from plateau_tui.console.screens.replayalong import AlongScreen, Replayed
from plateau_tui.console.screens.replayparts import PLAY, STEPS


class ReplayUnitScreen(AlongScreen):
    """One unit as of the cursor of a replay, which moves here too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        PLAY,
        *STEPS,
        Binding("u", "turn(1)", "Unit+", id="replay.unit-next", tooltip="The next unit"),
        Binding("U", "turn(-1)", "Unit-", id="replay.unit-before", tooltip="The unit before"),
        Binding("g", "plots", "Plots", id="replay.plots", tooltip="Every counter up to here"),
        Binding("y", "copy", "Copy", id="replay.copy", tooltip="These facts: clipboard and file"),
        Binding("j,down", "scroll(1)", "Down", show=False, id="unit.down"),
        Binding("k,up", "scroll(-1)", "Up", show=False, id="unit.up"),
        BACK,
    ]

    def __init__(self, replay: Replayed, unit: str) -> None:
        super().__init__()
        self.replay = replay
        self._unit = unit

    def compose_body(self) -> ComposeResult:
        """Lay out the heading, what is to be said of the cycle, and the table."""
        yield Line(id="header")
        yield Line(id="problem")
        with VerticalScroll(id="unit"):
            yield Line(id="readings")

    def on_mount(self) -> None:
        """Begin to show."""
        self.query_one("#unit", VerticalScroll).focus()
        self.follow()

    def follow(self) -> None:
        """Show the unit as of the cursor."""
        view, moment = self.replay.view, self.replay.moment
        unit = view.unit(self._unit) if view else None
        if not self.is_seen or view is None or unit is None or moment is None:
            return
        width = max(1, self.size.width - 1)  # the scroll bar
        self.query_one("#header", Line).show(unit_title(moment, view, width))
        self.query_one("#problem", Line).show(self.replay.here(width))
        lines = reading_lines(unit, view, width, moment.now_ms)
        self.query_one("#readings", Line).show("\n".join(lines))

    def resized(self) -> None:
        """Show as many readings as now fit."""
        self.follow()

    @work
    async def action_copy(self) -> None:
        """Copy the facts of this screen to the clipboard and to a file."""
        view, moment = self.replay.view, self.replay.moment
        unit = view.unit(self._unit) if view else None
        if view is not None and moment is not None and unit is not None and self.is_front:
            facts = partial(unit_moment_text, unit, view, moment)
            name = f"{view.name}-{unit.name}-replay-{moment.cycle + 1}"
            await copy_facts(self.app, name, facts)

    def action_plots(self) -> None:
        """Show how each counter went, up to the cursor."""
        from plateau_tui.console.screens import replayplots  # noqa: PLC0415 - start-up is quicker

        if self.is_front:
            plots = replayplots.ReplayPlotsScreen(self.replay, self._unit, self._turn_to)
            self.app.push_screen(plots)

    def _turn_to(self, unit: str) -> None:
        self._unit = unit

    def on_screen_resume(self) -> None:
        """Show the unit that was turned to behind another screen."""
        self.follow()

    def action_scroll(self, step: int) -> None:
        """Scroll by a line."""
        self.query_one("#unit", VerticalScroll).scroll_relative(y=step, animate=False)

    def action_turn(self, step: int) -> None:
        """Show another unit."""
        view = self.replay.view
        if view is None:
            return
        names = [unit.name for unit in view.units]
        place = names.index(self._unit) + step if self._unit in names else 0
        self._unit = names[place % len(names)]
        self.follow()
