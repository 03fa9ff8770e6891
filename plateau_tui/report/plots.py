"""The counters of each arm over the window, as SVG: one file an arm and kind of counter.

matplotlib is loaded only here, without a display, without the user's settings, and so that the
same rows give the same bytes under the same version of it: no place depends on a font.
"""

import os
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final, Literal

from plateau_tui.metric.fence import CLAIM_FENCE, CLAIM_FENCE_SHORT
from plateau_tui.metric.objectives import Objective, Role
from plateau_tui.metric.registration import Arm
from plateau_tui.report.series import SeriesBook

_Align = Literal["left", "center", "right"]
KINDS: Final = {
    Role.PLACE: ("placed", "blocks placed (minecraft.used)"),
    Role.MINE: ("mined", "blocks mined (minecraft.mined)"),
    Role.CRAFT: ("crafted", "items crafted (minecraft.crafted), context only"),
    Role.EXTRA: ("extra", "extensions of the set, context only"),
}
"""Role -> the file's word, and what the panels show."""

_COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's palette, told apart by colour-blind readers."""
_MAX_NAMED: Final = 12
_UNREAD: Final = "#dddddd"
_COLUMNS: Final = 2
_NAMES_A_LINE: Final = 6
_BODY: Final = 8.0

# Inches.
_WIDTH: Final = 9.2
_LEFT: Final = 0.65
_COLUMN_WIDTH: Final = 4.35
_PANEL_WIDTH: Final = 3.7
_PANEL_HEIGHT: Final = 0.85
_TITLE: Final = 0.3
_LINE_HEIGHT: Final = 1.5
_HEAD: Final = 0.75
_FOOT: Final = 0.45

_OF_FONTS: Final = ("Glyph .* missing from", "Matplotlib currently does not support")
"""What matplotlib warns of where its own font does not hold a label, or its script."""
_SETTINGS_FROM: Final = ("MPLCONFIGDIR", "MATPLOTLIBRC", "MPLBACKEND")


@dataclass(frozen=True, slots=True)
class _Plot:
    """One file: an arm's counters of one role."""

    name: str
    title: str
    arm: Arm
    objectives: tuple[Objective, ...]


def plot_names(book: SeriesBook) -> tuple[str, ...]:
    """Return the names of a run's plots, and what each shows, in their order."""
    return tuple(plot.name for plot in _plots(book))


def plot_titles(book: SeriesBook) -> dict[str, str]:
    """Return name -> what the plot shows."""
    return {plot.name: plot.title for plot in _plots(book)}


def _plots(book: SeriesBook) -> Iterator[_Plot]:
    registration = book.registration
    for arm in (registration.treatment, registration.control):
        for role, (word, what) in KINDS.items():
            objectives = tuple(o for o in registration.objectives if o.role is role)
            if objectives:
                title = f"{arm.role} ({arm.label}): {what}"
                yield _Plot(f"{arm.role}-{word}.svg", title, arm, objectives)


def draw_plots(book: SeriesBook, folder: Path) -> None:
    """Write a run's plots into a folder.

    Raises:
        OSError: a file cannot be written.

    """
    with _matplotlib():
        for plot in _plots(book):
            _draw(plot, book, folder / plot.name)


@contextmanager
def _matplotlib() -> Iterator[None]:
    """Load matplotlib with its own defaults; it may write nowhere but into a folder of ours."""
    before = {name: os.environ.get(name) for name in _SETTINGS_FROM}
    with tempfile.TemporaryDirectory(prefix="plateau-tui-") as scratch:
        os.environ |= {"MPLCONFIGDIR": scratch, "MATPLOTLIBRC": os.devnull, "MPLBACKEND": "svg"}
        try:
            import matplotlib as mpl  # noqa: PLC0415 - heavy, and needed for plots alone

            with mpl.rc_context():
                mpl.rcdefaults()
                mpl.rcParams.update(
                    {
                        "svg.fonttype": "none",
                        "svg.hashsalt": "plateau-tui",
                        "font.family": ["DejaVu Sans"],
                        "font.size": 8.0,
                        "text.parse_math": False,
                        "path.simplify": False,
                    }
                )
                with warnings.catch_warnings():
                    # No place depends on a font, and whoever opens the plot has his own.
                    for told in _OF_FONTS:
                        warnings.filterwarnings("ignore", told, UserWarning)
                    yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


@dataclass(frozen=True, slots=True)
class _Panel:
    """Where one objective is drawn, in inches from the figure's lower left corner."""

    x: float
    y: float
    cycles: int
    highest: int

    def across(self, cycle: int) -> float:
        return self.x + _PANEL_WIDTH * cycle / self.cycles

    def up(self, count: int) -> float:
        return self.y + _PANEL_HEIGHT * count / self.highest


class _Canvas:
    """A figure on which everything has its place in inches, whatever fonts there are."""

    def __init__(self, width: float, height: float) -> None:
        from matplotlib.backends.backend_svg import FigureCanvasSVG  # noqa: PLC0415
        from matplotlib.figure import Figure  # noqa: PLC0415

        self.figure = Figure(figsize=(width, height))
        self._inches = self.figure.dpi_scale_trans
        FigureCanvasSVG(self.figure)

    def line(
        self, xs: Sequence[float], ys: Sequence[float], name: str, colour: str, width: float
    ) -> None:
        from matplotlib.lines import Line2D  # noqa: PLC0415

        line = Line2D(xs, ys, color=colour, linewidth=width, solid_capstyle="butt")
        line.set_transform(self._inches)
        line.set_gid(name)
        self.figure.add_artist(line)

    def block(self, x: float, y: float, width: float, height: float) -> None:
        from matplotlib.patches import Rectangle  # noqa: PLC0415

        block = Rectangle((x, y), width, height, facecolor=_UNREAD, edgecolor=_UNREAD)
        block.set_transform(self._inches)
        block.set_linewidth(0.6)  # so that a single cycle of a long window is seen
        self.figure.add_artist(block)

    def word(
        self, x: float, y: float, text: str, size: float = 8.0, align: _Align = "left"
    ) -> None:
        weight = "bold" if size > _BODY else "normal"
        self.figure.text(x, y, text, fontsize=size, ha=align, weight=weight, transform=self._inches)


def _draw(plot: _Plot, book: SeriesBook, path: Path) -> None:
    lines = -(-len(plot.objectives) // _COLUMNS)
    height = lines * _LINE_HEIGHT + _HEAD + _FOOT
    canvas = _Canvas(_WIDTH, height)
    _label(canvas, plot, book, height)
    for number, objective in enumerate(plot.objectives):
        line, column = divmod(number, _COLUMNS)
        panel = _Panel(
            x=_LEFT + column * _COLUMN_WIDTH,
            y=height - _HEAD - (line + 1) * _LINE_HEIGHT + _LINE_HEIGHT - _PANEL_HEIGHT - _TITLE,
            cycles=book.registration.window.cycles,
            highest=max(book.highest(objective.name), 1),
        )
        _draw_panel(canvas, panel, plot.arm, objective, book)
    metadata = {"Title": plot.title, "Description": CLAIM_FENCE, "Date": None}
    canvas.figure.savefig(path, format="svg", metadata=metadata)


def _draw_panel(
    canvas: _Canvas, panel: _Panel, arm: Arm, objective: Objective, book: SeriesBook
) -> None:
    stretches = {unit: book.units[unit][objective.name].stretches() for unit in arm.units}
    unread = [(a, b) for found in stretches.values() for a, b, count in found if count is None]
    for a, b in _merged(unread):
        x = panel.across(a)
        canvas.block(x, panel.y, panel.across(b) - x, _PANEL_HEIGHT)
    many = len(arm.units) > _MAX_NAMED
    known = False
    for number, (unit, found) in enumerate(stretches.items()):
        xs, ys = _line(panel, found)
        known = known or bool(xs)
        # The first line is the widest: units whose counts are the same stay visible.
        width = 0.6 if many else 1 + 4.5 * (len(arm.units) - 1 - number) / len(arm.units)
        colour = _COLOURS[0] if many else _COLOURS[number % len(_COLOURS)]
        canvas.line(xs, ys, f"{objective.name} of {unit}", colour, width)
    _draw_axes(canvas, panel, objective)
    if not known:
        x, y = panel.x + _PANEL_WIDTH / 2, panel.y + _PANEL_HEIGHT / 2
        canvas.word(x, y, "never read", align="center")


def _draw_axes(canvas: _Canvas, panel: _Panel, objective: Objective) -> None:
    low, right, top = panel.y - 0.05, panel.x + _PANEL_WIDTH, panel.y + _PANEL_HEIGHT
    canvas.line([panel.x, panel.x, right], [top, low, low], "axes", "#000000", 0.8)
    canvas.word(panel.x, top + 0.1, f"{objective.name} ({objective.block})")
    for cycle in sorted({0, panel.cycles // 2, panel.cycles}):
        x = panel.across(cycle)
        canvas.line([x, x], [low, low - 0.04], "tick", "#000000", 0.8)
        canvas.word(x, low - 0.17, str(cycle), align="center")
    for count in (0, panel.highest):
        y = panel.up(count)
        canvas.line([panel.x, panel.x - 0.04], [y, y], "tick", "#000000", 0.8)
        canvas.word(panel.x - 0.08, y - 0.04, str(count), align="right")


def _line(
    panel: _Panel, stretches: Sequence[tuple[int, int, int | None]]
) -> tuple[list[float], list[float]]:
    """Return a step line's points; it is broken where the counter was not read."""
    xs: list[float] = []
    ys: list[float] = []
    for a, b, count in stretches:
        if count is None:
            if xs:
                xs.append(panel.across(a))
                ys.append(float("nan"))
        else:
            xs += [panel.across(a), panel.across(b)]
            ys += [panel.up(count)] * 2
    return xs, ys


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for a, b in sorted(spans):
        if merged and a <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(b, merged[-1][1]))
        else:
            merged.append((a, b))
    return merged


def _label(canvas: _Canvas, plot: _Plot, book: SeriesBook, height: float) -> None:
    """Write what stands above and below the panels."""
    units = plot.arm.units
    canvas.word(_LEFT, height - 0.24, plot.title, size=11)
    if len(units) > _MAX_NAMED:
        canvas.word(_LEFT, height - 0.46, f"{len(units)} units, one line each")
    for number, unit in enumerate(units if len(units) <= _MAX_NAMED else ()):
        line, column = divmod(number, _NAMES_A_LINE)
        x, y = _LEFT + column * 1.4, height - 0.44 - 0.17 * line
        canvas.line([x, x + 0.2], [y, y], f"key of {unit}", _COLOURS[number % len(_COLOURS)], 2)
        canvas.word(x + 0.25, y - 0.04, unit)
    stride = book.stride(units, (o.name for o in plot.objectives))
    thinned = f"Thinned: one value for up to {stride} cycles. " if stride > 1 else ""
    canvas.word(
        _LEFT,
        0.34,
        "Cycle across, from 0; counts as read, one scale for both arms. Grey, and a break in a "
        "line: not read, which is never 0.",
    )
    canvas.word(_LEFT, 0.14, f"{thinned}{CLAIM_FENCE_SHORT}")


def matplotlib_version() -> str:
    """Return the version of matplotlib that draws here."""
    return metadata.version("matplotlib")
