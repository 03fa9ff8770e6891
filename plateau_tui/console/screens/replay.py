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
from textual.events import Key
from textual.widgets import OptionList

from plateau_tui.console.copying import copy_facts
from plateau_tui.console.lines.grid import ROOMY, chosen_line
from plateau_tui.console.lines.sparks import SPARK_ROOM, with_sparks
from plateau_tui.console.lines.text import fold, harmless
from plateau_tui.console.lines.windowbar import bar_columns, bar_line, cycle_at
from plateau_tui.console.live.view import RunView
from plateau_tui.console.live.windowreadings import PARTIAL
from plateau_tui.console.replay.copied import moment_text
from plateau_tui.console.replay.cursor import Cursor
from plateau_tui.console.replay.goto import ASKED
from plateau_tui.console.replay.lines import (
    Playing,
    here_line,
    page_text,
    replay_header,
    replay_tail,
    title_line,
)
from plateau_tui.console.replay.timeline import MomentOfRun, Timeline
from plateau_tui.console.replay.view import view_at
from plateau_tui.console.screens.base import (
    BACK,
    BaseScreen,
    KeyBar,
    Line,
    Tail,
    is_open,
    key_names,
)
from plateau_tui.console.screens.dialogs import Ask, Page
from plateau_tui.console.screens.replayparts import (
    KEYS,
    Bar,
    ReplayFailed,
    ReplayRead,
    read_log,
    word_in,
)
from plateau_tui.console.screens.replayunit import ReplayUnitScreen
from plateau_tui.console.widgets.arm import Arm, UnitList, choose_unit, move_choice
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT
from plateau_tui.runlog.archive import Archive

TICK_S: Final = 0.25
"""How often a replay that plays moves on, and how often what was read meanwhile is shown."""
_WIDE: Final = 150
_JOURNAL_LINES: Final = 1
"""What the units leave to the journal."""
_NOTICE_LINES: Final = 2
"""What they leave, where there is no journal, to what must be said of the log."""


class ReplayScreen(BaseScreen):
    """The live grid as it stood in any cycle of a log; starts, writes and asks nothing."""

    BINDINGS: ClassVar[list[BindingType]] = KEYS

    def __init__(
        self,
        path: Path,
        archive: Archive | None = None,
        wood: Mapping[str, str] | None = None,
        *,
        at_end: bool = False,
        alone: bool = False,
    ) -> None:
        """Prepare to show a log.

        Args:
            path: where it is.
            archive: the same, where it is open already.
            wood: pins that an operator named for a bare file.
            at_end: begin at the latest cycle, and go along with it.
            alone: no screen lies below that belongs to this one.

        """
        super().__init__()
        self._path = path
        self._archive = archive
        self._wood = dict(wood or {})
        self._alone = alone
        self._stop = threading.Event()
        self.timeline = Timeline()
        self.cursor = Cursor(self.timeline, at_end=at_end)
        self.moment: MomentOfRun | None = None
        self.view: RunView | None = None
        self._error = ""
        self._dirty = False
        self._sparks = False

    def compose_body(self) -> ComposeResult:
        """Lay out header, bar, what changed here, arms, journal."""
        yield Line(title_line(self._path.name, "reading ...", 80), id="header")
        yield Bar(id="bar")
        yield Line(id="problem")
        with Container(id="arms"):
            yield Arm("treatment")
            yield Arm("control")
        yield Line(id="chosen")
        yield Tail(id="journal")

    def on_mount(self) -> None:
        """Begin to read."""
        self.query_one("#treatment UnitList", UnitList).focus()
        self.set_interval(TICK_S, self.tick)
        self._read()

    def on_unmount(self) -> None:
        """Let the reading thread end."""
        self._stop.set()

    # -- reading ------------------------------------------------------------------------------

    @work(thread=True, exclusive=True, exit_on_error=False, group="replay", description="replay")
    def _read(self) -> None:
        read_log(self._path, self._archive, self._wood, self._stop, self.post_message)

    @on(ReplayRead)
    def _take(self, message: ReplayRead) -> None:
        part = message.part
        first = self.view is None or part.done
        self.timeline.add(part)
        self._dirty = True
        if first:
            self._settle()

    @on(ReplayFailed)
    def _fail(self, message: ReplayFailed) -> None:
        self._error, self.cursor.plays = message.text, False
        self.show()

    # -- moving -------------------------------------------------------------------------------

    def tick(self) -> None:
        """Move on if the replay plays; show what was read since the last look."""
        if not self.is_seen and not self.cursor.plays:
            return
        self._dirty = self.cursor.tick(TICK_S) or self._dirty
        if self._dirty:
            self._settle()

    def _settle(self) -> None:
        """Make the view of the cursor's cycle anew, and show it."""
        self._dirty = False
        source, step = self.timeline.source, self.cursor.settle()
        if source is not None and step is not None:
            try:
                self.moment = self.timeline.moment(step)
            except OSError as error:
                self._error = f"the log cannot be read any more: {error.strerror}"
            else:
                self.view = view_at(self.moment, self.timeline, source)
                self.cursor.interval_ms = self.view.interval_ms
                self.cursor.cycles = self.view.cycles
        self.show()

    def action_step(self, step: int) -> None:
        """Go a cycle on or back."""
        self.cursor.go(self.cursor.step + step)
        self._settle()

    def action_change(self, way: int) -> None:
        """Go to the next change, or the one before."""
        self.cursor.change(way)
        self._settle()

    def action_flag(self, way: int) -> None:
        """Go to where a unit's flag turned next, or before; choose the first such unit."""
        turned = self.cursor.flag(way)
        self._settle()
        if turned and self.is_front:
            choose_unit(list(self.query(UnitList)), turned[0])

    def action_page(self, way: int) -> None:
        """Go on, or back, by a twentieth of the window."""
        self.cursor.page(way)
        self._settle()

    def action_first(self) -> None:
        """Go to the first cycle."""
        self.cursor.go(0)
        self._settle()

    def action_last(self) -> None:
        """Go to the last cycle, also when it is still to be read."""
        self.cursor.last()
        self._settle()

    def action_play(self) -> None:
        """Play, or pause; from the end, play from the start."""
        self.cursor.play()
        self._settle()

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
            self._settle()

    @on(Bar.Clicked)
    def _clicked(self, message: Bar.Clicked) -> None:
        view = self.view
        if view is not None and self.is_front:
            cycle = cycle_at(message.x, view.cycles, max(1, self.size.width))
            if cycle is not None:
                self.cursor.go_to_cycle(cycle)
                self._settle()

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

    # -- showing ------------------------------------------------------------------------------

    def show(self) -> None:
        """Show what is known now, if this screen can be seen."""
        if self.is_seen:
            self._show_now()
        for screen in self.app.screen_stack if self.is_attached else ():
            if isinstance(screen, ReplayUnitScreen):
                screen.show()

    def here(self, width: int) -> str:
        """Return what is to be said of the cursor's cycle."""
        if self.view is None or self.moment is None:
            return ""
        said = self._error or self.cursor.said
        return harmless(said, width) or here_line(
            self.moment, self.view, self.timeline.unread, width
        )

    def _show_now(self) -> None:
        view, moment, width = self.view, self.moment, max(1, self.size.width)
        told = self.timeline.told
        if view is None or moment is None:
            waits = self._error or told or "reading ..."
            if self.timeline.done and not self._error:
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
        problem.set_class(bool(moment.changed) and not self.cursor.said, "-wrong")
        self._show_arms(view, moment, len(header))
        tail = replay_tail(view, moment, self.timeline.notices, width)
        self.query_one("#journal", Tail).follow(tail)
        self._show_chosen()

    def _show_arms(self, view: RunView, moment: MomentOfRun, header: int) -> None:
        keys = self.query_one(KeyBar).fold_anew()
        fence = len(fold(CLAIM_FENCE_SHORT.split(), max(1, self.size.width), " "))
        tail = _JOURNAL_LINES if view.journal else _NOTICE_LINES
        others = header + 3 + tail + fence + keys  # 3: the bar, what changed, the chosen
        room = self.size.height - others
        wide = self.size.width >= _WIDE
        unread = moment.state.unread_in(moment.cycle) if moment.state.reading == PARTIAL else ()
        turned = self.timeline.turned_in(moment.step)
        marks = dict.fromkeys(unread, "!") | dict.fromkeys(turned, "*")
        for arm in self.query(Arm):
            width = self.size.width // 2 - 1 if wide else self.size.width
            arm.show(
                view, moment.now_ms, width, room if wide else room // 2, marks, sparks=self._sparks
            )

    def _show_chosen(self) -> None:
        name = self._chosen()
        unit = None if name is None or self.view is None else self.view.unit(name)
        if unit is not None and self.view is not None and self.moment is not None:
            width = max(1, self.size.width)
            room = width - SPARK_ROOM if width >= ROOMY else None
            shown = harmless(chosen_line(unit, self.view, self.moment.now_ms, room=room), width)
            self.query_one("#chosen", Line).show(with_sparks(shown, unit, self.view, width))

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

    # -- units and the journal ------------------------------------------------------------------

    def _chosen(self) -> str | None:
        """Return the name of the unit that is chosen."""
        for units in self.query(UnitList):
            if units.has_focus and units.highlighted_option is not None:
                return units.highlighted_option.id
        return None

    @on(OptionList.OptionSelected)
    def _open_unit(self, event: OptionList.OptionSelected) -> None:
        if event.option_id is not None and self.is_front:
            self.app.push_screen(ReplayUnitScreen(self, event.option_id))

    def action_open(self) -> None:
        """Open the chosen unit."""
        unit = self._chosen()
        if unit is not None and self.is_front:
            self.app.push_screen(ReplayUnitScreen(self, unit))

    @on(OptionList.OptionHighlighted)
    def _highlighted(self) -> None:
        if is_open(self):
            self._show_chosen()

    @on(UnitList.Moved)
    def _moved(self, message: UnitList.Moved) -> None:
        self.action_move(message.step)

    def action_move(self, step: int) -> None:
        """Choose another unit, across the arms."""
        move_choice(list(self.query(UnitList)), step)

    def action_journal(self) -> None:
        """Show the journal up to the cursor, and what was wrong by then."""
        if self.view is not None and self.moment is not None and self.is_front:
            text = page_text(self.view, self.moment, self.timeline.unread, self.timeline.notices)
            self.app.push_screen(Page("REPLAY: up to this cycle (UTC, newest first)", text))

    @work
    async def action_copy(self) -> None:
        """Copy the facts of this moment to the clipboard and to a file."""
        view, moment = self.view, self.moment
        if view is not None and moment is not None and self.is_front:
            facts = partial(moment_text, view, moment, self.timeline.unread, self.timeline.notices)
            await copy_facts(self.app, f"{view.name}-replay-{moment.cycle + 1}", facts)

    def action_back(self) -> None:
        """Go back to the screen before, where there is one that this belongs to."""
        if self._alone:
            self.hear(f"no screen lies before this one; {key_names(self)['app.leave']} leaves")
        else:
            super().action_back()


SCREENS: Final = {"replay": ReplayScreen.BINDINGS, "replayed unit": ReplayUnitScreen.BINDINGS}
