"""The plots of one unit: every counter over the window, one of them large."""

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widgets import OptionList

from plateau_tui.console import clock
from plateau_tui.console.lines.plotting import (
    Plot,
    counter_line,
    cycle_labels,
    marks_line,
    means_line,
    plot_of,
    series_names,
    title_line,
)
from plateau_tui.console.lines.sparks import levels_for
from plateau_tui.console.lines.text import fold
from plateau_tui.console.live.view import RunView, UnitView
from plateau_tui.console.look.lookedapp import LookedApp
from plateau_tui.console.screens.base import BACK, BaseScreen, Line, is_open
from plateau_tui.console.widgets.choices import Choices

if TYPE_CHECKING:
    from plateau_tui.console.widgets.plot import CounterPlot

_TICK_S: Final = 1.0
_BESIDE: Final = 110
"""From this width on the list stands beside the plot."""
_LIST_CELLS: Final = 46
_CYCLE_CELLS, _TIME_CELLS = 9, 14


class PlotsScreen(BaseScreen):
    """Shows a unit of the view that ``view_of`` gives; the list chooses what is drawn large."""

    CSS = """
    #plots { height: 1fr; layout: vertical; }
    #drawn { height: 3fr; }
    #counters { height: 2fr; max-height: 100%; }
    #plots.-beside { layout: horizontal; }
    #plots.-beside #drawn { width: 1fr; height: 1fr; }
    #plots.-beside #counters { width: 46; height: 1fr; margin-left: 1; }
    #drawn Line { height: 1; }
    #plots-title { text-style: bold; }
    #counter-plot { height: 1fr; }
    #counter-plot > .plot--axis { color: $foreground; text-style: none; }
    #counter-plot > .plot--tick { color: $foreground; text-style: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "choose(1)", "Down", show=False, id="plots.down"),
        Binding("k,up", "choose(-1)", "Up", show=False, id="plots.up"),
        Binding("n,right", "turn(1)", "Next", id="plots.next", tooltip="The next unit"),
        Binding("p,left", "turn(-1)", "Before", id="plots.before", tooltip="The unit before"),
        Binding("t", "time", "Time", id="plots.time", tooltip="UTC or cycles below the plot"),
        Binding("h", "moved", "Moved", id="plots.moved", tooltip="All, or what ever moved"),
        Binding("g", "back", "Table", id="plots.table", tooltip="Back to the table"),
        BACK,
    ]

    def __init__(
        self,
        view_of: Callable[[], RunView | None],
        unit: str,
        turned: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Begin with a unit; ``turned`` is told of each other one that is shown."""
        super().__init__()
        self._view_of = view_of
        self._turned = turned
        self.unit = unit
        self._names: list[str] = []
        self._moved = False
        self._timed = False
        self._drawn: object = None
        self._plot: CounterPlot | None = None

    def compose_body(self) -> ComposeResult:
        """Lay out the heading, the plot and the list."""
        from plateau_tui.console.widgets import plot  # noqa: PLC0415 - loads numpy

        app = self.app
        ascii_only = isinstance(app, LookedApp) and app.look.ascii_only
        self._plot = plot.CounterPlot(plot.hires_for(os.environ, ascii_only=ascii_only))
        yield Line(id="header")
        with Container(id="plots"):
            with Vertical(id="drawn"):
                yield Line(id="plots-title")
                yield Line(id="plots-marks")
                yield self._plot
                yield Line(id="plots-means")
            yield Choices(id="counters")

    def on_mount(self) -> None:
        """Begin to show; the list goes to the left where it stands beside the plot."""
        self.set_interval(_TICK_S, self.show)
        self.query_one("#counters").focus()
        self.call_after_refresh(self.show)

    # -- showing ----------------------------------------------------------------------------

    def show(self) -> None:
        """Show what is known now, if this screen can be seen; only what differs is drawn."""
        view = self._view_of()
        unit = view.unit(self.unit) if view else None
        if not self.is_seen or view is None or unit is None:
            return
        beside = self.size.width >= _BESIDE
        self.query_one("#plots").set_class(beside, "-beside")
        width = max(1, self.size.width)
        words = [
            unit.name,
            f"pair {unit.pair + 1}",
            f"{view.arms[unit.role]} ({unit.role})",
            f"wood {unit.baseline or 'not pinned'}",
        ]
        self.query_one("#header", Line).show(fold(words, width)[0])
        self._show_list(unit, view, (_LIST_CELLS if beside else width) - 1)  # the scroll bar
        self._show_plot(unit, view)

    def _show_list(self, unit: UnitView, view: RunView, width: int) -> None:
        counters, now = self.query_one("#counters", Choices), clock.now_ms()
        levels = levels_for(os.environ)
        names = series_names(unit, view, moved=self._moved)
        lines = [counter_line(unit, view, name, width, now, levels) for name in names]
        counters.show_lines(names, lines)
        self._names = names

    @property
    def chosen(self) -> str | None:
        """The name of the series that is drawn large."""
        place = self.query_one("#counters", Choices).highlighted
        return self._names[place] if place is not None and place < len(self._names) else None

    def _show_plot(self, unit: UnitView, view: RunView) -> None:
        name, drawn = self.chosen, self._plot
        if name is None or drawn is None or not drawn.size.height:
            return
        width = max(1, drawn.size.width)
        title = title_line(unit, view, name, width, timed=self._timed)
        self.query_one("#plots-title", Line).show(title)
        now = (unit.series, view.cycle, view.fault_cycles, unit.pinned_ms, name, drawn.size)
        if (now, self._timed) != self._drawn:
            self._drawn = (now, self._timed)
            plot = plot_of(unit, view, name)
            if plot is None:
                self.query_one("#plots-means", Line).show("no cycle was read yet")
            else:
                self._draw(drawn, plot, view, width)

    def _draw(self, drawn: "CounterPlot", plot: Plot, view: RunView, width: int) -> None:
        labels = partial(cycle_labels, view=view, timed=self._timed)
        drawn.draw(plot, labels, _TIME_CELLS if self._timed else _CYCLE_CELLS)
        margin = " " * (width - drawn.columns - 1)
        signs = margin + marks_line(plot, drawn.columns)
        self.query_one("#plots-marks", Line).show(signs.rstrip())
        self.query_one("#plots-means", Line).show(means_line(plot, width))

    def resized(self) -> None:
        """Draw in the new size, once it is laid out."""
        self.show()
        self.call_after_refresh(self.show)

    def on_screen_resume(self) -> None:
        """Show what may have changed behind another screen."""
        self.show()

    # -- keys -------------------------------------------------------------------------------

    @on(OptionList.OptionHighlighted)
    def _highlighted(self) -> None:
        if is_open(self):
            self.show()

    def action_choose(self, step: int) -> None:
        """Draw the next series of the list, or the one before."""
        counters = self.query_one("#counters", Choices)
        if counters.option_count:
            counters.highlighted = ((counters.highlighted or 0) + step) % counters.option_count

    def action_turn(self, step: int) -> None:
        """Show the next unit, or the one before."""
        view = self._view_of()
        if view is None:
            return
        names = [unit.name for unit in view.units]
        place = names.index(self.unit) + step if self.unit in names else 0
        self.unit = names[place % len(names)]
        self._turned(self.unit)
        self.show()

    def action_time(self) -> None:
        """Name the cycles by their UTC time, or by their numbers."""
        self._timed = not self._timed
        self.show()

    def action_moved(self) -> None:
        """List all counters, or those that ever moved."""
        self._moved = not self._moved
        self.show()


SCREENS: Final[dict[str, list[BindingType]]] = {"plots": PlotsScreen.BINDINGS}
