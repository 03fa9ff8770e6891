"""The plots of one unit of a replay, up to the cursor."""

from collections.abc import Callable
from dataclasses import replace

from textual.app import ComposeResult

from plateau_tui.console.live.view import RunView
from plateau_tui.console.replay.lines import unit_title
from plateau_tui.console.screens.base import Line
from plateau_tui.console.screens.plots import PlotsScreen
from plateau_tui.console.screens.replayunit import Replayed


class ReplayPlotsScreen(PlotsScreen):
    """The plots of a unit as they stood at the cursor; a line over them says that and when."""

    def __init__(self, replayed: Replayed, unit: str, turned: Callable[[str], None]) -> None:
        super().__init__(self._as_it_stood, unit, turned)
        self._replay = replayed

    def compose_body(self) -> ComposeResult:
        """Lay out when it is, and the plots."""
        yield Line(id="replayed")
        yield from super().compose_body()

    def _as_it_stood(self) -> RunView | None:
        """Return the view of the cursor; what was read last in it is not old."""
        view = self._replay.view
        return replace(view, stage="closed") if view is not None else None

    def show(self) -> None:
        """Show the cursor's cycle, and the plots up to it."""
        view, moment = self._replay.view, self._replay.moment
        if self.is_seen and view is not None and moment is not None:
            title = unit_title(moment, view, max(1, self.size.width))
            self.query_one("#replayed", Line).show(title)
        super().show()
