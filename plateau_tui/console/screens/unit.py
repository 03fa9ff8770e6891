"""One unit: every counter, when it first moved, its last readings."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from plateau_tui.console import clock
from plateau_tui.console.copying import copy_facts
from plateau_tui.console.lines.copied import unit_text
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.lines.unit import reading_lines
from plateau_tui.console.live.view import RunView
from plateau_tui.console.screens.base import BACK, BaseScreen, Line

_TICK_S = 1.0


class UnitScreen(BaseScreen):
    """Shows a unit of the view that ``view_of`` gives: what the run's screen has read."""

    DEFAULT_CSS = "UnitScreen #heard { height: auto; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "scroll(1)", "Down", show=False, id="unit.down"),
        Binding("k,up", "scroll(-1)", "Up", show=False, id="unit.up"),
        Binding("n,right", "turn(1)", "Next", id="unit.next"),
        Binding("p,left", "turn(-1)", "Before", id="unit.before"),
        Binding("g", "plots", "Plots", id="unit.plots", tooltip="Every counter over the window"),
        Binding("y", "copy", "Copy", id="unit.copy", tooltip="These facts: clipboard and file"),
        BACK,
    ]

    def __init__(self, view_of: Callable[[], RunView | None], unit: str) -> None:
        super().__init__()
        self._view_of = view_of
        self._unit = unit

    def compose_body(self) -> ComposeResult:
        """Lay out the table."""
        with VerticalScroll(id="unit"):
            yield Line(id="readings")
        yield Line(id="heard")

    def on_mount(self) -> None:
        """Begin to show."""
        self.set_interval(_TICK_S, self._show)
        self.query_one("#unit", VerticalScroll).focus()
        self._tell("")
        self._show()

    def hear(self, text: str, job: str = "") -> None:
        """Show an answer, until a unit is turned to."""
        del job
        self._tell(harmless(text))

    def _tell(self, text: str) -> None:
        line = self.query_one("#heard", Line)
        line.display = bool(text)
        line.show(text)

    def _show(self) -> None:
        if not self.is_seen:
            return
        view = self._view_of()
        unit = view.unit(self._unit) if view else None
        if view is not None and unit is not None:
            width = max(1, self.size.width - 1)  # the scroll bar
            lines = reading_lines(unit, view, width, clock.now_ms())
            self.query_one("#readings", Line).show("\n".join(lines))

    def resized(self) -> None:
        """Show as many readings as now fit."""
        self._show()

    def action_scroll(self, step: int) -> None:
        """Scroll by a line."""
        self.query_one("#unit", VerticalScroll).scroll_relative(y=step, animate=False)

    def action_plots(self) -> None:
        """Show how each counter went over the window."""
        from plateau_tui.console.screens import plots  # noqa: PLC0415 - start-up is quicker

        if self.is_front:
            self.app.push_screen(plots.PlotsScreen(self._view_of, self._unit, self._turn_to))

    def _turn_to(self, unit: str) -> None:
        self._unit = unit

    def on_screen_resume(self) -> None:
        """Show the unit that was turned to behind another screen."""
        self._show()

    @work
    async def action_copy(self) -> None:
        """Copy the facts of this screen to the clipboard and to a file."""
        view, now = self._view_of(), clock.now_ms()
        unit = view.unit(self._unit) if view else None
        if view is not None and unit is not None and self.is_front:
            facts = partial(unit_text, unit, view, now)
            await copy_facts(self.app, f"{view.name}-{unit.name}", facts)

    def action_turn(self, step: int) -> None:
        """Show the next unit."""
        view = self._view_of()
        if view is None:
            return
        names = [unit.name for unit in view.units]
        place = names.index(self._unit) + step if self._unit in names else 0
        self._unit = names[place % len(names)]
        self._tell("")
        self._show()
