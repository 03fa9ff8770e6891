"""What the screens of one run share: the thread that follows its files, and what that tells."""

import threading
from dataclasses import replace

from textual import on, work

from plateau_tui.console.live.follow import follow
from plateau_tui.console.live.view import RunView
from plateau_tui.console.messages import RunRead
from plateau_tui.console.screens.base import BaseScreen
from plateau_tui.runlog.layout import RunFolder

TICK_S = 1.0
"""How often ages are counted on."""


class FollowingScreen(BaseScreen):
    """Follows a run from its mounting to its end; a subclass shows ``view`` and ``error``."""

    def __init__(self, folder: RunFolder) -> None:
        super().__init__()
        self.folder = folder
        self.view: RunView | None = None
        """What was read last; None before the first reading."""
        self.error = ""
        """Why the run cannot be read, or nothing."""
        self._stop_following = threading.Event()

    def on_mount(self) -> None:
        """Begin to follow."""
        self.set_interval(TICK_S, self.show)
        self._follow()

    def on_unmount(self) -> None:
        """Let the following thread end."""
        self._stop_following.set()

    @work(thread=True, exclusive=True, exit_on_error=False, group="follow", description="tail")
    def _follow(self) -> None:
        def tell(view: RunView | None, error: str) -> None:
            if not self._stop_following.is_set():
                self.post_message(RunRead(view, error))

        follow(self.folder, self._stop_following, tell)

    @on(RunRead)
    def _take(self, message: RunRead) -> None:
        self.error = message.error
        if message.view is not None:
            self.view = message.view
        elif self.view is not None:
            # What was read last stays, and grows old, under the reason why it is not read anew.
            self.view = replace(self.view, error=message.error)
        self.show()

    def show(self) -> None:
        """Show what is known now, if this screen can be seen."""
        if self.is_seen:
            self.show_now()

    def show_now(self) -> None:
        """Show what is known now."""

    def resized(self) -> None:
        """Fit what is shown to the new size."""
        self.show()

    def on_screen_resume(self) -> None:
        """Show what may have changed behind another screen."""
        self.show()
