"""The plots of one unit of a replay, up to the cursor."""

from collections.abc import Callable
from dataclasses import replace

from textual.app import ComposeResult

from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.view import RunView
from plateau_tui.console.replay.lines import unit_title
from plateau_tui.console.screens.base import Line
from plateau_tui.console.screens.plots import PlotsScreen
from plateau_tui.console.screens.replayalong import AlongScreen, Replayed


class ReplayPlotsScreen(PlotsScreen, AlongScreen):
    """The plots of a unit as they stood at the cursor; a line over them says that and when."""

    def __init__(self, replayed: Replayed, unit: str, turned: Callable[[str], None]) -> None:
        super().__init__(self._as_it_stood, unit, turned)
        self.replay = replayed

    def compose_body(self) -> ComposeResult:
        """Lay out when it is, and the plots."""
        yield Line(id="replayed")
        yield from super().compose_body()

    def _as_it_stood(self) -> RunView | None:
        """Return the view of the cursor; what was read last in it is not old."""
        view = self.replay.view
        return replace(view, stage="closed") if view is not None else None

    def follow(self) -> None:
        """Show the cursor's cycle, and the plots up to it."""
        self.show()

    def show(self) -> None:
        """Show the cursor's cycle, and the plots up to it."""
        view, moment = self.replay.view, self.replay.moment
        if self.is_seen and view is not None and moment is not None:
            width = max(1, self.size.width)
            title = unit_title(moment, view, width)
            said = self.replay.said
            self.query_one("#replayed", Line).show(harmless(f"{title}  {said}".rstrip(), width))
        super().show()
