"""The runs in the runs folder: state, age, whether a collector is alive, gaps."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import OptionList

from plateau_tui.console import clock
from plateau_tui.console.keys import PLAIN_KEYS, KeyNames, KeysElsewhere
from plateau_tui.console.lines.problem import Problem
from plateau_tui.console.lines.problems import problems
from plateau_tui.console.lines.text import age, fold_words, harmless, is_slow, number, pad
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.shares import most_lines
from plateau_tui.console.live.view import RunView, clock_time
from plateau_tui.console.screens.base import BaseScreen, Line, key_names
from plateau_tui.console.screens.opening import open_calibration, open_replay
from plateau_tui.console.screens.ringing import RunsBell
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.widgets.choices import Choices
from plateau_tui.runlog.layout import RunFolder

_LOOK_S: Final = 2.0
_TELL_S: Final = 0.3
"""While the runs are read, what is known so far is shown this often."""
_OLD_MS: Final = 15_000
"""A look that is older says nothing of now: the next one takes its time."""
_READING: Final = "reading ..."
_ANEW: Final = "reading"
"""The same in the collector's column."""
_CALIBRATE: Final = "Whether a contract measures anything"
_OTHERS: Final = 47
"""Cells of a run's line beside its name."""
_BEAT: Final = 5
"""Cells of the heartbeat's age, where there is room for it."""
_ROOM_FOR_BEAT: Final = 76
_SAID_LINES: Final = 3


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run of the list: its view, or why it cannot be read; neither until it was looked at.

    ``looked_ms`` is when the last look began that read its files to their end; None: just now.
    """

    folder: RunFolder
    view: RunView | None
    error: str
    looked_ms: int | None = None

    def is_fresh(self, now_ms: int, since_ms: int = 0) -> bool:
        """Say whether the look is of now, and no earlier than ``since_ms``."""
        if self.looked_ms is None:
            return True
        return self.looked_ms >= since_ms and now_ms - self.looked_ms <= _OLD_MS

    def problems(self, now_ms: int, keys: KeyNames = PLAIN_KEYS) -> list[Problem]:
        """Return what was wrong when it was looked at: what came since, no look has seen yet."""
        if self.view is None:
            return []
        return problems(self.view, now_ms if self.looked_ms is None else self.looked_ms, keys)


class RunsRead(Message):
    """The runs as they now are."""

    def __init__(self, runs: tuple[RunEntry, ...]) -> None:
        self.runs = runs
        super().__init__()

    def can_replace(self, message: Message) -> bool:
        """Let a newer reading replace one that was not shown yet."""
        return isinstance(message, RunsRead)


class RunsScreen(BaseScreen):
    """Chooses a run."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "open", "Open", id="runs.open", tooltip="The chosen run (also enter)"),
        Binding("a", "calibrate", "Calibrate", id="runs.calibrate", tooltip=_CALIBRATE),
        Binding("t", "replay", "Time", id="runs.replay", tooltip="Replay the chosen run"),
        Binding("j,down", "move(1)", "Down", show=False, id="runs.down"),
        Binding("k,up", "move(-1)", "Up", show=False, id="runs.up"),
    ]

    def __init__(self, runs: Path) -> None:
        super().__init__()
        self._runs = runs
        self._stop = threading.Event()
        self._seen = threading.Event()
        self._again = threading.Event()
        self._since_ms = 0
        """Since when the list can be seen: an earlier look says nothing of what came since."""
        self._entries: tuple[RunEntry, ...] = ()
        self._looked = False
        self._heard = ""
        self._bell = RunsBell()

    def compose_body(self) -> ComposeResult:
        """Lay out the list."""
        yield Line(f"Runs in {harmless(str(self._runs))}", id="header")
        yield Line(id="columns", classes="columns")
        yield Choices(id="runs", markup=False)
        yield Line(id="problem")

    def on_mount(self) -> None:
        """Begin to look."""
        self._look()
        self.set_interval(1.0, self._tick)
        self.query_one("#runs").focus()

    def on_unmount(self) -> None:
        """Let the looking thread end."""
        self._stop.set()
        self._seen.set()
        self._again.set()

    def on_screen_resume(self) -> None:
        """Look again, and show of each run what is known once it was looked at."""
        self._since_ms = clock.now_ms()
        self._seen.set()
        self._again.set()
        self._show()

    def on_screen_suspend(self) -> None:
        """Leave the files, and the bell, to the screen that is opened above."""
        self._seen.clear()
        self._bell.forget()

    def _tick(self) -> None:
        self._show()
        self._bell.ring(self.app)

    def _halted(self) -> bool:
        return self._stop.is_set() or not self._seen.is_set()

    @work(thread=True, exclusive=True, exit_on_error=False, group="runs", description="runs")
    def _look(self) -> None:
        models: dict[Path, RunModel] = {}
        seen: dict[Path, RunEntry] = {}
        while not self._stop.is_set():
            if not self._seen.wait(_LOOK_S):
                continue
            self._again.clear()
            paths = run_paths(self._runs)
            models = {path: models.get(path) or RunModel(RunFolder(path)) for path in paths}
            told_s = time.monotonic()
            for path in paths:
                if self._halted():
                    break
                # The first look at a long run takes a while, and so does one at many.
                if path not in seen or time.monotonic() - told_s > _TELL_S:
                    self.post_message(RunsRead(_entries(paths, seen)))
                    told_s = time.monotonic()
                looked = look_at(models[path], self._halted)
                if not self._halted():
                    seen[path] = looked
            self.post_message(RunsRead(_entries(paths, seen)))
            self._again.wait(_LOOK_S)

    @on(RunsRead)
    def _take(self, message: RunsRead) -> None:
        self._entries, self._looked = message.runs, True
        self._show()
        if self._seen.is_set():
            self._attend()

    def _attend(self) -> None:
        """Ring for what is new in a run since its look before."""
        now = clock.now_ms()
        looks = (
            (entry.folder, entry.view, now if entry.looked_ms is None else entry.looked_ms)
            for entry in self._entries
            if entry.view is not None and entry.is_fresh(now, self._since_ms)
        )
        self._bell.take(looks, bell_rings=bool(getattr(self.app, "bell_rings", True)))
        self._bell.ring(self.app)

    def _show(self) -> None:
        if not self.is_seen:
            return
        width = max(1, self.size.width - 1)
        none_yet = "no runs yet: plateau-tui new RUN makes one"
        if self._entries or not self._looked:
            none_yet = ""
        said = self._heard or none_yet
        told = fold_words(said, width)[:_SAID_LINES] if said else self._trouble(width)
        self.query_one("#problem", Line).show("\n".join(told))
        name = max(8, min(64, width - _OTHERS - (_BEAT if width >= _ROOM_FOR_BEAT else 0)))
        self.query_one("#columns", Line).show(columns_line(name, width))
        options = self.query_one("#runs", Choices)
        names = [entry.folder.path.name for entry in self._entries]
        lines = [run_line(entry, name, width, self._since_ms) for entry in self._entries]
        options.show_lines(names, lines)

    def _trouble(self, width: int) -> list[str]:
        """Return the worst that is wrong with the chosen run, in lines, or none."""
        chosen = self.query_one("#runs", OptionList).highlighted_option
        now = clock.now_ms()
        for entry in self._entries:
            if chosen is not None and entry.folder.path.name == chosen.id:
                if not entry.is_fresh(now, self._since_ms):
                    return []
                found = entry.problems(now, KeysElsewhere(names=key_names(self), first="enter"))
                start = "! " if any(each.grave for each in found) else ""  # as in the run's line
                return found[0].fold(width, most_lines(width), start) if found else []
        return []

    def resized(self) -> None:
        """Fit the lines to the new size."""
        self._show()

    @on(OptionList.OptionSelected)
    def _open(self, event: OptionList.OptionSelected) -> None:
        if self.is_front:
            self._open_run(event.option_id)

    def action_open(self) -> None:
        """Open the chosen run."""
        chosen = self.query_one("#runs", OptionList).highlighted_option
        if chosen is not None and self.is_front:
            self._open_run(chosen.id)

    def _open_run(self, name: str | None) -> None:
        """Open a run by its name: the list may have changed since its line was chosen."""
        for entry in self._entries:
            if entry.folder.path.name == name:
                self._heard = ""
                self.app.push_screen(RunScreen(entry.folder))

    def action_replay(self) -> None:
        """Open the chosen run's log at any moment of it."""
        chosen = self.query_one("#runs", OptionList).highlighted_option
        for entry in self._entries if self.is_front else ():
            if chosen is not None and entry.folder.path.name == chosen.id:
                open_replay(self.app, entry.folder)

    def action_calibrate(self) -> None:
        """Open the calibration."""
        if self.is_front:
            open_calibration(self.app, None)

    def hear(self, text: str, job: str = "") -> None:
        """Show an answer under the list, until a run is opened."""
        del job
        self._heard = text
        self._show()

    def action_move(self, step: int) -> None:
        """Choose another run."""
        options = self.query_one("#runs", Choices)
        if step > 0:
            options.action_cursor_down()
        else:
            options.action_cursor_up()


def _entries(paths: list[Path], seen: dict[Path, RunEntry]) -> tuple[RunEntry, ...]:
    return tuple(seen.get(path) or RunEntry(RunFolder(path), None, "") for path in paths)


def run_paths(runs: Path) -> list[Path]:
    """Return the folders that hold a run."""
    return sorted(_holding_a_run(runs))


def _holding_a_run(runs: Path) -> Iterator[Path]:
    try:
        for path in runs.iterdir():
            folder = RunFolder(path)
            if folder.registration.is_file() or folder.journal.is_file():
                yield path
    except OSError:
        return


def look_at(model: RunModel, halted: Callable[[], bool]) -> RunEntry:
    """Read what is new of a run, to its end, or as far as it got when it is ``halted``."""
    began_ms = clock.now_ms()
    found = RunEntry(model.folder, None, "", began_ms)
    view, more = None, True
    strange = model.folder.strange_file()
    if strange is not None:  # a pipe would hold up this run and all the others
        return replace(found, error=f"cannot be shown: {strange} is no plain file")
    try:
        while more and not halted():
            began_ms = clock.now_ms()
            view, more = model.look()
    except OSError as error:
        return replace(found, error=f"cannot be read: {error.strerror}")
    except Exception as error:  # noqa: BLE001 - one broken run must not hide the others
        return replace(found, error=f"cannot be shown: {type(error).__name__}")
    return RunEntry(model.folder, view, model.error, began_ms)


def columns_line(name_cells: int, width: int) -> str:
    """Return the heading over the runs' lines."""
    beat = f" {'beat':>4}" if width >= _ROOM_FOR_BEAT else ""
    start = f"{pad('run', name_cells)} {'state':11} {'cycle':>12} {'gaps':>5}"
    return f"{start} {'age':>4}{beat} collector"


def run_line(entry: RunEntry, name_cells: int, width: int, since_ms: int = 0) -> str:
    """Return a run's line: ``age`` is its last reading's, ``beat`` that of its last cycle.

    A run that was not looked at since ``since_ms`` has neither, nor what hangs on the time.
    """
    name, now = pad(entry.folder.path.name, name_cells), clock.now_ms()
    view = entry.view
    fresh = entry.is_fresh(now, since_ms)
    if view is None:
        return harmless(f"{name} {(fresh and entry.error) or _READING}", width)
    cycle = "-" if view.cycle is None else str(view.cycle + 1)
    place = f"{cycle} of {view.cycles}"
    beat = f" {_age(view, view.heartbeat_ms, now, known=fresh):>4}"
    mark = "!" if fresh and any(problem.grave for problem in entry.problems(now)) else " "
    start = f"{name}{mark}{view.stage:11} {place:>12} {number(view.gaps):>5}"
    read = max((ms for unit in view.units if (ms := unit.read_ms) is not None), default=None)
    ages = f"{_age(view, read, now, known=fresh):>4}{beat if width >= _ROOM_FOR_BEAT else ''}"
    return harmless(f"{start} {ages} {_collector(view) if fresh else _ANEW}", width)


def _age(view: RunView, since_ms: int | None, now_ms: int, *, known: bool) -> str:
    since = clock_time(since_ms) if known else None
    return "-" if since is None else age(now_ms - since, coarse=is_slow(view))


def _collector(view: RunView) -> str:
    if view.collector_pid is not None:
        return "alive"
    return "NONE RUNS" if view.stage == "open" else "-"
