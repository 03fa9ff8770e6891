"""A log shown again, at any moment of it."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.message import Message
from textual.widgets import OptionList

from plateau_tui.console.lines.grid import chosen_line
from plateau_tui.console.lines.text import fold, harmless
from plateau_tui.console.lines.windowbar import bar_columns, bar_line
from plateau_tui.console.live.view import RunView
from plateau_tui.console.replay.lines import (
    SPEEDS,
    Playing,
    here_line,
    page_text,
    replay_header,
    replay_tail,
    title_line,
    usual_speed,
)
from plateau_tui.console.replay.reader import ReplayPart, ReplayReader
from plateau_tui.console.replay.timeline import MomentOfRun, Timeline
from plateau_tui.console.replay.view import view_at
from plateau_tui.console.screens.base import BACK, BaseScreen, KeyBar, Line, Tail, is_open
from plateau_tui.console.screens.dialogs import Ask, Page
from plateau_tui.console.screens.replayunit import STEPS, ReplayUnitScreen
from plateau_tui.console.widgets.arm import Arm, UnitList, move_choice
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT
from plateau_tui.runlog.archive import Archive, open_archive

TICK_S: Final = 0.25
"""How often a replay that plays moves on, and how often what was read meanwhile is shown."""
_WIDE: Final = 150
_JOURNAL_LINES: Final = 1
"""What the units leave to the journal."""
_NOTICE_LINES: Final = 2
"""What they leave, where there is no journal, to what must be said of the log."""


class ReplayRead(Message):
    """The next part of the log was read."""

    def __init__(self, part: ReplayPart) -> None:
        self.part = part
        super().__init__()


class ReplayFailed(Message):
    """The log cannot be read, or no further."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__()


class ReplayScreen(BaseScreen):
    """The live grid as it stood in any cycle of a log; starts, writes and asks nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "play", "Play", id="replay.play", tooltip="Play, or pause"),
        *STEPS,
        Binding("minus", "speed(-1)", "Slower", id="replay.slower"),
        Binding("plus,equals_sign", "speed(1)", "Faster", id="replay.faster"),
        Binding("home", "first", "First", id="replay.first", priority=True),
        Binding("end", "last", "Last", id="replay.last", priority=True),
        Binding("g", "go", "Go", id="replay.go", tooltip="To a cycle by its number"),
        Binding("o", "open", "Unit", id="replay.open", tooltip="The chosen unit (also enter)"),
        Binding("l", "journal", "Journal", id="replay.journal", tooltip="Up to here; the bar"),
        Binding("j,down", "move(1)", "Down", show=False, id="replay.down"),
        Binding("k,up", "move(-1)", "Up", show=False, id="replay.up"),
        BACK,
    ]

    def __init__(
        self, path: Path, archive: Archive | None = None, wood: Mapping[str, str] | None = None
    ) -> None:
        super().__init__()
        self._path = path
        self._archive = archive
        self._wood = dict(wood or {})
        self._stop = threading.Event()
        self.timeline = Timeline()
        self.moment: MomentOfRun | None = None
        self.view: RunView | None = None
        self._cycle = 0
        """Where the cursor is; a reading that begins anew leaves it there."""
        self._at_end = False
        self._plays = False
        self._speed: int | None = None
        self._play_ms = 0.0
        self._said = ""
        self._error = ""
        self._dirty = False

    def compose_body(self) -> ComposeResult:
        """Lay out header, bar, what changed here, arms, journal."""
        yield Line(title_line(self._path.name, "reading ...", 80), id="header")
        yield Line(id="bar")
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
        def tell(part: ReplayPart) -> None:
            if not self._stop.is_set():
                self.post_message(ReplayRead(part))

        try:
            archive = self._archive or open_archive(self._path)
            ReplayReader(archive, self._wood).read(self._stop, tell)
        except Exception as error:  # noqa: BLE001 - a screen that stops without a word lies
            ours = getattr(type(error), "exit_code", None) is not None
            known = ours or isinstance(error, OSError)
            text = str(error) if known else f"{type(error).__name__}: {error}"
            if not self._stop.is_set():
                self.post_message(ReplayFailed(text))

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
        self._error, self._plays = message.text, False
        self.show()

    @property
    def speed(self) -> int:
        """Seconds of the log that pass in one of ours."""
        if self._speed is None and self.view is not None:
            return usual_speed(self.view.interval_ms)
        return self._speed or SPEEDS[0]

    # -- moving -------------------------------------------------------------------------------

    def tick(self) -> None:
        """Move on if the replay plays; show what was read since the last look."""
        if not self.is_seen and not self._plays:
            return
        if self._plays and len(self.timeline):
            self._play_ms += self.speed * TICK_S * 1000
            step = self.timeline.step_at(int(self._play_ms))
            if step == len(self.timeline) - 1 and self.timeline.done:
                self._plays, self._dirty = False, True
            if self.timeline.cycle_of(step) != self._cycle:
                self._cycle, self._dirty = self.timeline.cycle_of(step), True
        if self._dirty:
            self._settle()

    def _settle(self) -> None:
        """Make the view of the cursor's cycle anew, and show it."""
        self._dirty = False
        source = self.timeline.source
        if source is None or not len(self.timeline):
            self.show()
            return
        if self._at_end:
            self._cycle = self.timeline.last_cycle
        if self._cycle > self.timeline.last_cycle and not self.timeline.done:
            self.show()  # it is read anew, and not up to the cursor yet
            return
        try:
            self.moment = self.timeline.moment(self.timeline.step_of(self._cycle))
        except OSError as error:
            self._error = f"the log cannot be read any more: {error.strerror}"
        else:
            self.view = view_at(self.moment, self.timeline, source)
        self.show()

    def _go_to_step(self, step: int) -> None:
        self._said, self._at_end = "", False
        if len(self.timeline):
            step = max(0, min(step, len(self.timeline) - 1))
            self._cycle = self.timeline.cycle_of(step)
            self._play_ms = float(self.timeline.slot_of(step))
            self._settle()

    @property
    def _step(self) -> int:
        return self.timeline.step_of(self._cycle) if len(self.timeline) else 0

    def action_step(self, step: int) -> None:
        """Go a cycle on or back."""
        self._go_to_step(self._step + step)

    def action_change(self, step: int) -> None:
        """Go to the next change, or the one before."""
        find = self.timeline.next_change if step > 0 else self.timeline.change_before
        found = find(self._step)
        if found is None:
            reading = "" if self.timeline.done else " as far as it is read"
            self.hear(f"no change {'after' if step > 0 else 'before'} this cycle{reading}")
        else:
            self._go_to_step(found)

    def action_first(self) -> None:
        """Go to the first cycle."""
        self._go_to_step(0)

    def action_last(self) -> None:
        """Go to the last cycle, also when it is still to be read."""
        self._go_to_step(len(self.timeline) - 1)
        self._at_end = True

    def action_play(self) -> None:
        """Play, or pause; from the end, play from the start."""
        if not len(self.timeline):
            return
        self._plays = not self._plays
        if self._plays and self._step == len(self.timeline) - 1 and self.timeline.done:
            self._go_to_step(0)
        self._at_end = False
        self._play_ms = float(self.timeline.slot_of(self._step))
        self.show()

    def action_speed(self, step: int) -> None:
        """Play faster or slower."""
        place = SPEEDS.index(self.speed) + step
        self._speed = SPEEDS[max(0, min(place, len(SPEEDS) - 1))]
        self.show()

    @work
    async def action_go(self) -> None:
        """Ask for a cycle and go there."""
        if not self.is_front or not len(self.timeline):
            return
        last = self.timeline.last_cycle + 1
        text = await self.app.push_screen_wait(Ask(f"To which cycle? 1 to {last}"))
        if text is None or not is_open(self):
            return
        wanted = int(text) if text.strip().isdecimal() and len(text) < 12 else 0  # noqa: PLR2004
        if not 1 <= wanted <= last:
            self.hear(f"{harmless(text, 20)} is no cycle of this log: 1 to {last}")
            return
        self._go_to_step(self.timeline.step_of(wanted - 1))
        if self._cycle != wanted - 1:
            self.hear(f"cycle {wanted} has no rows; this is the last one before it")

    def hear(self, text: str, job: str = "") -> None:
        """Show an answer until the next key."""
        del job
        self._said = text
        self.show()

    # -- showing ------------------------------------------------------------------------------

    def show(self) -> None:
        """Show what is known now, if this screen can be seen."""
        if self.is_seen:
            self._show_now()
        for screen in self.app.screen_stack if self.is_attached else ():
            if isinstance(screen, ReplayUnitScreen):
                screen.show()

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
        playing = Playing(self._plays, self.speed, told, self.timeline.done)
        header = replay_header(view, moment, playing, width)
        self.query_one("#header", Line).show("\n".join(header))
        columns = bar_columns(view.cycles, width)
        readings = self.timeline.readings_by(columns, view.cycles)
        self.query_one("#bar", Line).show(
            bar_line(readings, moment.cycle, view.cycles, width, window=view.cycles)
        )
        here = self._error or self._said or here_line(moment, view, width)
        problem = self.query_one("#problem", Line)
        problem.show(harmless(here, width))
        problem.set_class(bool(moment.changed) and not self._said, "-wrong")
        self._show_arms(view, moment, len(header))
        source = self.timeline.source
        notices = source.notices if source is not None else ()
        self.query_one("#journal", Tail).follow(replay_tail(view, notices, width))
        self._show_chosen()

    def _show_arms(self, view: RunView, moment: MomentOfRun, header: int) -> None:
        keys = self.query_one(KeyBar).fold_anew()
        fence = len(fold(CLAIM_FENCE_SHORT.split(), max(1, self.size.width), " "))
        tail = _JOURNAL_LINES if view.journal else _NOTICE_LINES
        others = header + 3 + tail + fence + keys  # 3: the bar, what changed, the chosen
        room = self.size.height - others
        wide = self.size.width >= _WIDE
        for arm in self.query(Arm):
            width = self.size.width // 2 - 1 if wide else self.size.width
            arm.show(view, moment.now_ms, width, room if wide else room // 2, {})

    def _show_chosen(self) -> None:
        name = self._chosen()
        unit = None if name is None or self.view is None else self.view.unit(name)
        if unit is not None and self.view is not None and self.moment is not None:
            shown = chosen_line(unit, self.view, self.moment.now_ms)
            self.query_one("#chosen", Line).show(harmless(shown, max(1, self.size.width)))

    def resized(self) -> None:
        """Fit what is shown to the new size."""
        self.show()

    def on_screen_resume(self) -> None:
        """Show what may have changed behind another screen."""
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
        view, moment, source = self.view, self.moment, self.timeline.source
        if view is not None and moment is not None and source is not None and self.is_front:
            text = page_text(view, moment, source.notices)
            self.app.push_screen(Page("REPLAY: up to this cycle (UTC, newest first)", text))


SCREENS: Final = {"replay": ReplayScreen.BINDINGS, "replayed unit": ReplayUnitScreen.BINDINGS}
