"""One counter over the window, drawn by textual-plot; nothing else loads it, or numpy.

The framework's own style of a line is used, not a colour: it is seen on light and dark alike.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from textual_plot import AxisFormatter, HiResMode, PlotWidget

from plateau_tui.console.lines.plotting import Plot, ticks
from plateau_tui.console.lines.text import number

MARGIN: Final = 8
"""Cells to the left of the frame, for counts."""
_COUNT_CELLS: Final = 6
_FRAME: Final = 2
_DOTS: Final = 4
"""Dots above one another in a cell, at most."""
_LINES_PER_TICK: Final = 2


class _Labelled(AxisFormatter):
    """Ticks that were worked out elsewhere."""

    def __init__(self, places: Sequence[int], labels: Sequence[str]) -> None:
        self._labels = {float(place): label for place, label in zip(places, labels, strict=True)}

    def get_ticks(self, min_: float, max_: float, max_ticks: int = 8) -> list[float]:
        """Return the ticks, whatever the limits are."""
        del min_, max_, max_ticks
        return list(self._labels)

    def get_labels_for_ticks(self, ticks: Sequence[float]) -> list[str]:
        """Return what stands at the ticks."""
        return [self._labels[tick] for tick in ticks]


def hires_for(environment: Mapping[str, str], *, ascii_only: bool) -> HiResMode | None:
    """Return what to draw lines with: dots, halves on a Linux console, whole cells in ASCII."""
    if ascii_only:
        return None
    return HiResMode.HALFBLOCK if environment.get("TERM") == "linux" else HiResMode.BRAILLE


class CounterPlot(PlotWidget, can_focus=False):
    """Draws a ``Plot``; takes no focus, no key and no mouse."""

    def __init__(self, mode: HiResMode | None) -> None:
        super().__init__(id="counter-plot", allow_pan_and_zoom=False)
        self._mode = mode

    def on_mount(self) -> None:
        """Leave no room but for what stands there."""
        self.margin_top, self.margin_bottom, self.margin_left = 0, 1, MARGIN

    @property
    def columns(self) -> int:
        """How many cells the window has."""
        return max(1, self.size.width - MARGIN - _FRAME)

    def draw(self, plot: Plot, labels: Callable[[Sequence[int]], list[str]], each: int) -> None:
        """Draw a plot; ``labels`` says what stands under cycles, in ``each`` cells at most."""
        self.clear()
        self.set_xlimits(0.5, plot.cycles + 0.5)
        rows = max(1, self.size.height - 1 - _FRAME)
        half = (plot.high - plot.low) / rows / _DOTS / 2  # on the limit itself lies the frame
        self.set_ylimits(plot.low - half, plot.high + half)
        counts = ticks(plot.low, plot.high, max(1, rows // _LINES_PER_TICK))
        if len(counts) == 1:
            counts = [plot.low, plot.high]
        self.set_y_formatter(_Labelled(counts, [number(count, _COUNT_CELLS) for count in counts]))
        cycles = [c for c in ticks(1, plot.cycles, max(1, self.columns // each)) if c >= 1]
        self.set_x_formatter(_Labelled(cycles, labels(cycles)))
        for xs, ys in plot.lines:
            if len(xs) == 1:
                self.scatter(xs, ys, marker_style="", hires_mode=self._mode)
            else:
                self.plot(xs, ys, line_style="", hires_mode=self._mode)
        for mark in plot.marks:
            if mark.sign.isalnum() and mark.cycle <= plot.cycles:
                self.add_v_line(mark.cycle, line_style="dim")
