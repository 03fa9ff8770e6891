"""What a run's screen does for somebody who looks in now and then: marks, bell, acknowledgement."""

import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from textual import on, work
from textual.binding import Binding
from textual.message import Message

from plateau_tui.config import operator_name
from plateau_tui.console import clock
from plateau_tui.console.attention.bell import Alarm, Ringer, ring
from plateau_tui.console.attention.seen import (
    Kept,
    News,
    SeenError,
    SeenFile,
    acknowledged,
    turned_words,
    with_bell,
)
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.view import RunView
from plateau_tui.console.messages import RunRead
from plateau_tui.console.screens.base import KeyBar
from plateau_tui.console.screens.following import FollowingScreen
from plateau_tui.metric.plain import counted
from plateau_tui.runlog.layout import RunFolder

_TICK_S: Final = 1.0
_NAMED: Final = 6
"""So many units that turned are named once their marks are cleared."""


class SeenKept(Message):
    """What a thread has kept, or why it could not, and what to tell the operator then."""

    def __init__(self, kept: Kept | None, told: str) -> None:
        self.kept = kept
        self.told = told
        super().__init__()


class AttentiveScreen(FollowingScreen):
    """Follows a run, and knows what of it its operator has not seen yet."""

    def __init__(self, folder: RunFolder) -> None:
        super().__init__(folder)
        self._seen_file = SeenFile(folder, operator_name())
        self._news = News()
        self._alarm, self._ringer = Alarm(), Ringer()
        self._cannot_keep = False

    def on_mount(self) -> None:
        """Read what was seen before, and begin to look for what is new."""
        self._load_seen()
        self.set_interval(_TICK_S, self._tick)

    def _load_seen(self) -> None:
        try:
            kept = self._seen_file.load()
        except SeenError as error:
            kept = Kept()
            self._tell_once(str(error))
        self._news.reset(kept, self.view)

    def _tell_once(self, text: str) -> None:
        if not self._cannot_keep:
            self._cannot_keep = True
            self.hear(harmless(text))

    # -- what is new ------------------------------------------------------------------------

    @property
    def marks(self) -> Mapping[str, str]:
        """Unit -> the mark of what its operator has not seen yet; a blank where there is none."""
        return self._news.marks

    def turned_of(self, units: Iterable[str]) -> str:
        """Return in short which of some units turned unseen; nothing where none did."""
        return turned_words(self._news.found, units)

    def news_of(self, unit: str) -> tuple[str, ...]:
        """Return what is new of a unit since its operator last said that it was seen."""
        return self._news.of(unit)

    @on(RunRead)
    def _attend(self, message: RunRead) -> None:
        if message.view is not None:
            self._look_at(message.view)

    def _look_at(self, view: RunView) -> None:
        self._news.take(view)
        new = self._alarm.take(view, clock.now_ms())
        if self.bell_is_on:
            self._ringer.take(new)
            self._ring()

    def _tick(self) -> None:
        """Look again: time alone makes problems, and another console may have acknowledged."""
        if self._seen_file.has_changed():
            self._load_seen()
            self.show()
        if self.view is not None:
            self._look_at(self.view)

    # -- the bell ---------------------------------------------------------------------------

    @property
    def bell_is_on(self) -> bool:
        """Whether the bell rings: as the operator chose for this run, else as config.toml says."""
        chosen = self._news.kept.bell
        return bool(getattr(self.app, "bell_rings", True)) if chosen is None else chosen

    def key_word(self, binding: Binding) -> str:
        """Return the word of a key in the line of keys: the bell's says how it stands."""
        word = super().key_word(binding)
        return f"{word} {'on' if self.bell_is_on else 'off'}" if binding.id == "run.bell" else word

    def _ring(self) -> None:
        text = self._ringer.due(time.monotonic())
        driver = self.app._driver  # noqa: SLF001 - Textual's own bell() writes there too
        if text is not None and driver is not None:
            name = harmless(self.folder.path.name, 40)
            driver.write(ring(f"plateau-tui {name}: {text}", os.environ))
            driver.flush()

    def action_bell(self) -> None:
        """Switch the bell off or on, for this run and this operator."""
        if not self.is_front:
            return
        turned_on = not self.bell_is_on
        self._ringer.forget()
        self._news.kept = with_bell(self._news.kept, bell=turned_on)
        self.query_one(KeyBar).fold_anew()
        words = "on: turns and grave faults ring" if turned_on else "off"
        self._keep(lambda kept: with_bell(kept, bell=turned_on), f"the bell is {words}")

    # -- acknowledging ----------------------------------------------------------------------

    def action_seen(self) -> None:
        """Say that all that is marked was seen; tell how many marks that clears, and who turned."""
        view = self.view
        if view is None or not self.is_front:
            return
        cleared = sum(mark != " " for mark in self.marks.values())
        told = f"seen: {counted(cleared, 'mark')} cleared" if cleared else "nothing new"
        turned = turned_words(self._news.found, self.marks, _NAMED)
        told += f"; turned: {turned}" if turned else ""
        self._news.reset(acknowledged(self._news.kept, view), view)
        self.show()
        self._keep(lambda kept: acknowledged(kept, view), told)

    @work(thread=True, exit_on_error=False, group="seen", description="what was seen")
    def _keep(self, how: Callable[[Kept], Kept], told: str) -> None:
        try:
            self.post_message(SeenKept(self._seen_file.change(how), told))
        except SeenError as error:
            self.post_message(SeenKept(None, str(error)))

    @on(SeenKept)
    def _kept(self, message: SeenKept) -> None:
        if message.kept is None:
            self._tell_once(message.told)
            return
        self.hear(message.told)
