"""A log shown again, at any moment of it."""

import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from plateau_tui.console.copying import copy_facts
from plateau_tui.console.lines.grid import ROOMY, chosen_line
from plateau_tui.console.lines.sparks import SPARK_ROOM, with_sparks
from plateau_tui.console.lines.text import fold, harmless
from plateau_tui.console.lines.windowbar import bar_columns, bar_line
from plateau_tui.console.live.shares import share
from plateau_tui.console.live.view import RunView
from plateau_tui.console.live.windowreadings import PARTIAL
from plateau_tui.console.replay.copied import moment_text
from plateau_tui.console.replay.lines import (
    Playing,
    out_of_view,
    page_text,
    replay_header,
    replay_tail,
    tail_lines_wanted,
    title_line,
)
from plateau_tui.console.replay.timeline import MomentOfRun
from plateau_tui.console.screens.base import BACK, KeyBar, Line, Tail, key_names
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.console.screens.replayalong import AlongScreen
from plateau_tui.console.screens.replaymoving import TICK_S, MovingScreen
from plateau_tui.console.screens.replayparts import (
    KEYS,
    Bar,
    ReplayFailed,
    ReplayRead,
    read_log,
    word_in,
)
from plateau_tui.console.screens.replayunit import ReplayUnitScreen
from plateau_tui.console.widgets.arm import Arm, UnitList
from plateau_tui.console.widgets.field import LineInput
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT
from plateau_tui.runlog.archive import Archive
from plateau_tui.runlog.layout import RunFolder

_WIDE: Final = 150
_OF_THE_FIELD: Final = frozenset({"first", "last", "page"})
"""What the keys of a field do otherwise."""


class ReplayScreen(MovingScreen):
    """The live grid as it stood in any cycle of a log; starts, writes and asks nothing."""

    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(
        self,
        path: Path,
        archive: Archive | None = None,
        wood: Mapping[str, str] | None = None,
        *,
        at_end: bool = False,
        at: str = "",
        alone: bool = False,
    ) -> None:
        """Prepare to show a log.

        Args:
            path: where it is.
            archive: the same, where it is open already.
            wood: pins that an operator named for a bare file.
            at_end: begin at the latest cycle, and go along with it.
            at: begin there: a cycle, a time, as ``g`` takes it.
            alone: no screen lies below that belongs to this one.

        """
        super().__init__(at_end=at_end)
        self._path = path
        self._archive = archive
        self._wood = dict(wood or {})
        self._at = at
        self._alone = alone
        self._stop = threading.Event()
        self._sparks = False
        self._key_lines = 1

    def compose_body(self) -> ComposeResult:
        """Lay out header, bar, what changed here, arms, journal."""
        yield Line(title_line(self._path.name, "reading ...", 80), id="header")
        yield Bar(id="bar")
        yield Line(id="problem")
        with Container(id="arms"):
            yield Arm("treatment")
            yield Arm("control")
        yield Line(id="chosen")
        yield LineInput(id="find", placeholder="a part of a unit's name", max_length=60)
        yield Tail(id="journal")

    def on_mount(self) -> None:
        """Begin to read."""
        self.query_one("#treatment UnitList", UnitList).focus()
        self.set_interval(TICK_S, self.tick)
        self._read()

    def on_unmount(self) -> None:
        """Let the reading thread end."""
        self._stop.set()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the keys of a field to it."""
        if self.finds and action in _OF_THE_FIELD:
            return False
        return super().check_action(action, parameters)

    # -- reading ------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, exit_on_error=False, group="replay", description="replay")
    def _read(self) -> None:
        read_log(self._path, self._archive, self._wood, self._stop, self.post_message)

    @on(ReplayRead)
    def _take(self, message: ReplayRead) -> None:
        part = message.part
        first = self.view is None or part.done
        self.timeline.add(part)
        self.is_dirty = True
        if first:
            self.settle()
        if self._at and self.cursor.go_once_read(self._at):
            self._at = ""
            self.settle()

    @on(ReplayFailed)
    def _fail(self, message: ReplayFailed) -> None:
        self.error, self.cursor.plays = message.text, False
        self.show()

    # -- showing ------------------------------------------------------------------------------

    def show(self) -> None:
        """Show what is known now, on this screen if it can be seen, and on those over it."""
        if self.is_seen:
            self._show_now()
        for screen in self.app.screen_stack if self.is_attached else ():
            if isinstance(screen, AlongScreen) and screen.is_seen:
                screen.follow()

    def _show_now(self) -> None:
        view, moment, width = self.view, self.moment, max(1, self.size.width)
        told = self.timeline.told
        if view is None or moment is None:
            waits = self.error or told or "reading ..."
            if self.timeline.done and not self.error:
                waits = "no cycle is recorded yet"
            self.query_one("#header", Line).show(title_line(self._path.name, "", width))
            self.query_one("#problem", Line).show(harmless(waits, width))
            return
        playing = Playing(self.cursor.plays, self.cursor.speed, told, self.timeline.done)
        header = replay_header(view, moment, playing, width)
        self.query_one("#header", Line).show("\n".join(header))
        columns = bar_columns(view.cycles, width)
        readings = self.timeline.readings_by(columns, view.cycles)
        few = self.timeline.few_by(columns, view.cycles)
        self.query_one("#bar", Line).show(
            bar_line(readings, moment.cycle, view.cycles, width, window=view.cycles, few=few)
        )
        problem = self.query_one("#problem", Line)
        problem.show(self.here(width))
        problem.set_class(bool(moment.changed) and not self.said, "-wrong")
        self._show_arms(view, moment, len(header))
        tail = replay_tail(view, moment, self.timeline.notices, width)
        self.query_one("#journal", Tail).follow(tail)
        self.show_chosen()

    def _show_arms(self, view: RunView, moment: MomentOfRun, header: int) -> None:
        if not self.finds:  # the field takes most keys, and no unit moves for it
            self._key_lines = self.query_one(KeyBar).fold_anew()
        fence = len(fold(CLAIM_FENCE_SHORT.split(), max(1, self.size.width), " "))
        others = header + 2 + fence + self._key_lines  # 2: the bar, the chosen unit
        tail = tail_lines_wanted(view, self.timeline.notices, max(1, self.size.width))
        wide = self.size.width >= _WIDE
        shares = share(
            self.size.height - others - tail + 1,  # 1: units leave a line to the tail in any case
            max(len(view.of("treatment")), len(view.of("control"))),
            self.size.width,
            wide=wide,
            answering=False,
        )
        unread = moment.state.unread_in(moment.cycle) if moment.state.reading == PARTIAL else ()
        turned = self.timeline.turned_in(moment.step)
        marks = dict.fromkeys(unread, "!") | dict.fromkeys(turned, "*")
        width = self.size.width // 2 - 1 if wide else self.size.width
        for arm in self.query(Arm):
            headed = shares.columns or arm.role == "treatment"
            rows = shares.units + 1 + headed
            arm.show(view, moment.now_ms, width, rows, marks, sparks=self._sparks, headed=headed)

    def show_chosen(self) -> None:
        """Show the chosen unit in full, and how many units are out of view."""
        name, view, width = self.chosen(), self.view, max(1, self.size.width)
        unit = None if name is None or view is None else view.unit(name)
        if unit is not None and view is not None and self.moment is not None:
            hidden = len(view.units) - sum(len(arm.in_view) for arm in self.query(Arm))
            start = out_of_view(hidden, key_names(self)["replay.find"])
            room = width - SPARK_ROOM - len(start) if width >= ROOMY else None
            shown = start + chosen_line(unit, view, self.moment.now_ms, room=room)
            shown = with_sparks(harmless(shown, width), unit, view, width)
            self.query_one("#chosen", Line).show(shown)

    def resized(self) -> None:
        """Fit what is shown to the new size."""
        self.show()

    def on_screen_resume(self) -> None:
        """Show what may have changed behind another screen."""
        self.show()

    def key_word(self, binding: Binding) -> str:
        """Return a key's word; none where it would lead nowhere, or where there is little room."""
        word = super().key_word(binding)
        if self._alone and binding.id == BACK.id:
            return ""
        return word_in(self.size.width, binding, word)

    def action_sparks(self) -> None:
        """Show sparklines in the place of the kinds of block, or those again."""
        self._sparks = not self._sparks
        self.show()

    # -- other screens ------------------------------------------------------------------------

    def open_unit(self, name: str) -> None:
        """Open a unit as of the cursor."""
        self.app.push_screen(ReplayUnitScreen(self, name))

    def action_pairs(self) -> None:
        """Show the arms side by side as of the cursor."""
        from plateau_tui.console.screens import replaypairs  # noqa: PLC0415 - start-up is quicker

        if self.view is not None and self.is_front:
            folder = RunFolder(self._path)
            self.app.push_screen(replaypairs.ReplayPairsScreen(self, folder))

    def action_journal(self) -> None:
        """Show the journal up to the cursor; what must be said of a log that has none."""
        source, view, moment = self.timeline.source, self.view, self.moment
        if source is None or view is None or moment is None or not self.is_front:
            return
        run = source.archive.run
        if run is None or not source.journal.end:
            text = page_text(view, moment, self.timeline.unread, self.timeline.notices)
            self.app.push_screen(Page("REPLAY: what is to be said of this log and cycle", text))
            return
        from plateau_tui.console.screens import replayjournal  # noqa: PLC0415 - start-up is quicker

        self.app.push_screen(replayjournal.ReplayJournalScreen(self, run))

    @work
    async def action_copy(self) -> None:
        """Copy the facts of this moment to the clipboard and to a file."""
        view, moment = self.view, self.moment
        if view is not None and moment is not None and self.is_front:
            facts = partial(moment_text, view, moment, self.timeline.unread, self.timeline.notices)
            await copy_facts(self.app, f"{view.name}-replay-{moment.cycle + 1}", facts)

    def action_back(self) -> None:
        """Leave the search; else go back to the screen before, where one belongs to this."""
        if self._alone and not self.finds:
            self.hear(f"no screen lies before this one; {key_names(self)['app.leave']} leaves")
        else:
            super().action_back()
