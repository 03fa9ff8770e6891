"""What a run's screen does for somebody who looks in now and then: marks, bell, acknowledgement."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from textual import on, work
from textual.binding import Binding
from textual.message import Message

from plateau_tui.config import operator_name
from plateau_tui.console import clock
from plateau_tui.console.attention.bell import Alarm, Ringer
from plateau_tui.console.attention.seen import (
    Kept,
    News,
    SeenError,
    SeenFile,
    SeenHere,
    SeenStore,
    acknowledged,
    turned_words,
    with_bell,
    with_sparks,
)
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.view import RunView
from plateau_tui.console.messages import RunRead
from plateau_tui.console.readonly import is_read_only
from plateau_tui.console.screens.base import KeyBar
from plateau_tui.console.screens.following import FollowingScreen
from plateau_tui.console.screens.ringing import ring_out
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
        self._seen_file: SeenStore = SeenFile(folder, operator_name())
        self._news = News()
        self._alarm, self._ringer = Alarm(), Ringer()
        self._cannot_keep = False

    def on_mount(self) -> None:
        """Read what was seen before, and begin to look for what is new."""
        if is_read_only(self.app):
            self._seen_file = SeenHere(self._seen_file)
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

    def problems_seen(self, view: RunView) -> frozenset[str]:
        """Return the keys of the problems that the operator has acknowledged."""
        return self._news.problems_seen(view)

    def problems_to_see(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the keys of the problems on screen, and of all that there are."""
        return frozenset(), frozenset()

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
        ring_out(self.app, self._ringer, f"{harmless(self.folder.path.name, 40)}: ")

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

    # -- sparklines -------------------------------------------------------------------------

    @property
    def has_sparks(self) -> bool:
        """Whether sparklines are shown, as the operator left them on this run."""
        return bool(self._news.kept.sparks)

    def action_sparks(self) -> None:
        """Show sparklines in the place of the kinds of block, or those again."""
        if not self.is_front:
            return
        sparks = not self.has_sparks
        self._news.kept = with_sparks(self._news.kept, sparks=sparks)
        self.show()
        self._keep(lambda kept: with_sparks(kept, sparks=sparks), "")

    # -- acknowledging ----------------------------------------------------------------------

    def action_seen(self) -> None:
        """Say that what is marked was seen, and the problems that stand here; tell what that is."""
        view = self.view
        if view is None or not self.is_front:
            return
        cleared = sum(mark != " " for mark in self.marks.values())
        shown, known = self.problems_to_see()
        before = self.problems_seen(view)
        problems, new = shown | before & known, len(shown - before)
        parts = [f"{counted(cleared, 'mark')} cleared"] if cleared else []
        parts += [counted(new, "problem")] if new else []
        told = f"seen: {', '.join(parts)}" if parts else "nothing new"
        turned = turned_words(self._news.found, self.marks, _NAMED)
        told += f"; turned: {turned}" if turned else ""
        self._news.reset(acknowledged(self._news.kept, view, problems), view)
        self.show()
        self._keep(lambda kept: acknowledged(kept, view, problems), told)

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
        if message.told:
            self.hear(message.told)
