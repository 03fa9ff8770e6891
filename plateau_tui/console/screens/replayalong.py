"""What the screens over a replay share: they show what stands at its cursor, and move it."""

from typing import ClassVar, Protocol

from textual.binding import Binding, BindingType
from textual.events import Key

from plateau_tui.console.live.view import RunView
from plateau_tui.console.replay.timeline import MomentOfRun, Timeline
from plateau_tui.console.screens.base import BaseScreen
from plateau_tui.console.screens.replayparts import ALONG, word_in


class Replayed(Protocol):
    """The screen that holds the cursor."""

    view: RunView | None
    moment: MomentOfRun | None
    timeline: Timeline

    @property
    def said(self) -> str:
        """The answer to the last key, or why the log cannot be read."""

    def action_play(self) -> None:
        """Play, or pause."""

    def action_step(self, step: int) -> None:
        """Go a cycle on or back."""

    def action_change(self, way: int) -> None:
        """Go to the next change, or the one before."""

    def action_flag(self, way: int) -> None:
        """Go to where a unit's flag turned next, or before."""

    def here(self, width: int) -> str:
        """Return what is to be said of the cursor's cycle."""

    def forget(self) -> None:
        """Take away the answer to the last key."""


class AlongScreen(BaseScreen):
    """Shows something as of the cursor of ``replay``, which a subclass sets first."""

    BINDINGS: ClassVar[list[BindingType]] = ALONG
    replay: Replayed

    def follow(self) -> None:
        """Show what stands at the cursor by now."""

    def action_play(self) -> None:
        """Play, or pause."""
        self.replay.action_play()

    def action_step(self, step: int) -> None:
        """Go a cycle on or back."""
        self.replay.action_step(step)

    def action_change(self, way: int) -> None:
        """Go to the next change, or the one before."""
        self.replay.action_change(way)

    def action_flag(self, way: int) -> None:
        """Go to where a unit's flag turned next, or before."""
        self.replay.action_flag(way)

    def on_key(self, event: Key) -> None:
        """Let an answer stand until the next key, whatever that does."""
        del event
        self.replay.forget()

    def key_word(self, binding: Binding) -> str:
        """Return the word of a key, as there is room for it."""
        return word_in(self.size.width, binding, super().key_word(binding))
