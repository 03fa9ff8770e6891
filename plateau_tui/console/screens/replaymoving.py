"""A log at a moment of it, and the keys that lead to another one."""

from typing import Final

from textual import on, work
from textual.events import Key

from plateau_tui.console.lines.text import harmless
from plateau_tui.console.lines.windowbar import cycle_at
from plateau_tui.console.live.view import RunView
from plateau_tui.console.replay.cursor import Cursor
from plateau_tui.console.replay.goto import ASKED
from plateau_tui.console.replay.lines import here_line
from plateau_tui.console.replay.timeline import MomentOfRun, Timeline
from plateau_tui.console.replay.view import view_at
from plateau_tui.console.screens.base import is_open
from plateau_tui.console.screens.dialogs import Ask
from plateau_tui.console.screens.finding import FindingScreen
from plateau_tui.console.screens.replayparts import Bar

TICK_S: Final = 0.25
"""How often a replay that plays moves on, and how often what was read meanwhile is shown."""


class MovingScreen(FindingScreen):
    """Holds the cursor and the view of what stands there; a subclass reads the log and shows it."""

    def __init__(self, *, at_end: bool) -> None:
        super().__init__()
        self.timeline = Timeline()
        self.cursor = Cursor(self.timeline, at_end=at_end)
        self.moment: MomentOfRun | None = None
        self.view: RunView | None = None
        self.error = ""
        """Why the log cannot be read, or no further."""
        self.is_dirty = False
        """Whether what is shown is not what stands at the cursor by now."""

    def show(self) -> None:
        """Show what is known now, if this screen can be seen; a subclass has the place for it."""

    def tick(self) -> None:
        """Move on if the replay plays; show what was read since the last look."""
        if not self.is_seen and not self.cursor.plays:
            return
        self.is_dirty = self.cursor.tick(TICK_S) or self.is_dirty
        if self.is_dirty:
            self.settle()

    def settle(self) -> None:
        """Make the view of the cursor's cycle anew, and show it."""
        self.is_dirty = False
        source, step = self.timeline.source, self.cursor.settle()
        if source is not None and step is not None:
            try:
                self.moment = self.timeline.moment(step)
            except OSError as error:
                self.error = f"the log cannot be read any more: {error.strerror}"
            else:
                self.view = view_at(self.moment, self.timeline, source)
                self.cursor.interval_ms = self.view.interval_ms
                self.cursor.cycles = self.view.cycles
        self.show()

    # -- by a key -----------------------------------------------------------------------------

    def action_step(self, step: int) -> None:
        """Go a cycle on or back."""
        self.cursor.go(self.cursor.step + step)
        self.settle()

    def action_change(self, way: int) -> None:
        """Go to the next change, or the one before."""
        self.cursor.change(way)
        self.settle()

    def action_flag(self, way: int) -> None:
        """Go to where a unit's flag turned next, or before; choose the first such unit."""
        turned = self.cursor.flag(way)
        self.settle()
        if turned and self.is_front:
            self.choose(turned[0])

    def action_page(self, way: int) -> None:
        """Go on, or back, by a twentieth of the window."""
        self.cursor.page(way)
        self.settle()

    def action_first(self) -> None:
        """Go to the first cycle."""
        self.cursor.go(0)
        self.settle()

    def action_last(self) -> None:
        """Go to the last cycle, also when it is still to be read."""
        self.cursor.last()
        self.settle()

    def action_play(self) -> None:
        """Play, or pause; from the end, play from the start."""
        self.cursor.play()
        self.settle()

    def action_speed(self, step: int) -> None:
        """Play faster or slower."""
        self.cursor.faster(step)
        self.show()

    @work
    async def action_go(self) -> None:
        """Ask for a cycle or a time and go there."""
        if not self.is_front or not len(self.timeline):
            return
        last = self.timeline.last_cycle + 1
        text = await self.app.push_screen_wait(Ask(f"To which cycle? 1 to {last}", ASKED))
        if text is not None and is_open(self):
            self.cursor.go_where(text)
            self.settle()

    @on(Bar.Clicked)
    def _clicked(self, message: Bar.Clicked) -> None:
        view = self.view
        if view is not None and self.is_front:
            cycle = cycle_at(message.x, view.cycles, max(1, self.size.width))
            if cycle is not None:
                self.cursor.go_to_cycle(cycle)
                self.settle()

    # -- answers ------------------------------------------------------------------------------

    @property
    def said(self) -> str:
        """The answer to the last key, or why the log cannot be read."""
        return self.error or self.cursor.said

    def hear(self, text: str, job: str = "") -> None:
        """Show an answer until the next key."""
        del job
        self.cursor.said = text
        self.show()

    def forget(self) -> None:
        """Take away the answer to the last key."""
        if self.cursor.said:
            self.hear("")

    def on_key(self, event: Key) -> None:
        """Let an answer stand until the next key, whatever that does."""
        del event
        self.forget()

    def here(self, width: int) -> str:
        """Return what is to be said of the cursor's cycle."""
        if self.view is None or self.moment is None:
            return ""
        return harmless(self.said, width) or here_line(
            self.moment, self.view, self.timeline.unread, width
        )
