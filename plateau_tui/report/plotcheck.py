"""An export's plots against the rows: drawn again where the same matplotlib drew them."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from plateau_tui.metric.fence import CLAIM_FENCE
from plateau_tui.metric.tables import shown
from plateau_tui.report.names import PLOTS
from plateau_tui.report.plots import draw_plots, matplotlib_version, plot_names
from plateau_tui.report.series import SeriesBook
from plateau_tui.report.svgcheck import look_at
from plateau_tui.runlog.verify import Problem, VerifyResult

_MAX_FILE: Final = 64 << 20


class PlotsCheck:
    """Adds to ``result`` what does not hold of the plots in a folder.

    ``unchecked`` says afterwards why they could not be compared, where nothing else is amiss.
    """

    def __init__(self, folder: Path, series: SeriesBook, result: VerifyResult) -> None:
        self._folder = folder
        self._series = series
        self._result = result
        self.unchecked: list[str] = []

    def _add(self, code: str, name: str, text: str) -> None:
        name = f"{PLOTS}/{name}" if name else PLOTS
        self._result.problems.append(Problem(code, name, None, None, shown(text)))

    def compare(self) -> Iterator[str]:
        """Compare the plots; yield what to say of it."""
        names = plot_names(self._series)
        there = {
            name: _read(self._folder / name) for name in names if (self._folder / name).is_file()
        }
        version = self._version(there)
        if self._result.problems:
            yield "plots: not drawn again, as something else does not hold"
        elif version != matplotlib_version():
            self.unchecked.append(
                f"the plots were drawn by matplotlib {shown(version, 60)} (here is "
                f"{matplotlib_version()}) and are not compared"
            )
        else:
            yield from self._draw_again(there)

    def _version(self, there: dict[str, bytes]) -> str:
        """Look at each plot; return the one version that drew them all, or add what is wrong."""
        versions: dict[str, str] = {}
        for name, svg in there.items():
            drawing = look_at(svg)
            if drawing.foreign is not None:
                self._add("plot_foreign", name, drawing.foreign)
            elif not drawing.version:
                self._add("plot_unmarked", name, "does not say which matplotlib drew it")
            elif drawing.description != CLAIM_FENCE:
                self._add("fence_differs", name, "does not have the claim fence as description")
            else:
                versions[name] = drawing.version
        found = sorted(set(versions.values()))
        if len(found) > 1:
            told = shown(", ".join(found), 120)
            self._add("plots_mixed", "", f"are of one export, but drawn by matplotlib {told}")
        return found[0] if found else ""

    def _draw_again(self, there: dict[str, bytes]) -> Iterator[str]:
        try:
            with tempfile.TemporaryDirectory(prefix="plateau-tui-") as scratch:
                draw_plots(self._series, Path(scratch))
                differing = [
                    name
                    for name, written in there.items()
                    if written != (Path(scratch) / name).read_bytes()
                ]
        except OSError as error:
            self.unchecked.append(
                f"the plots are not compared, there is no room to draw them: {error.strerror}"
            )
            return
        for name in differing:
            self._add("plot_differs", name, "does not show what the rows say")
        if not differing:
            yield "plots: drawn again, the same bytes"


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MAX_FILE)
