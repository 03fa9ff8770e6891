"""What the tests of the replay's screen share: it on a log, read to its end, and its keys."""

from pathlib import Path
from typing import Any, Final

from collector.bench import gate
from console.apps import SAMPLES, text_of, until, until_still
from metric.texts import parsed
from runlog.runs import Counts, a_row, begin, heartbeat, new_folder
from runlog.runs import opened as window_opened
from textual.pilot import Pilot
from textual.screen import Screen

from plateau_tui.console.app import PlateauApp
from plateau_tui.console.screens.base import Line
from plateau_tui.console.screens.replay import ReplayScreen
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.archive import open_archive
from plateau_tui.runlog.layout import RunFolder

BUILDERS: Final = SAMPLES / "builders_vs_hoarders"


def replaying(path: Path, keys: dict[str, str] | None = None, **wood: str) -> PlateauApp:
    app = PlateauApp(path.parent, None, keys or {})
    app.opens = lambda: ReplayScreen(path, open_archive(path), wood)
    return app


async def opened(pilot: Pilot[int]) -> ReplayScreen:
    """Wait until the log on screen is read to its end, and return its screen."""
    await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
    screen = pilot.app.screen
    assert isinstance(screen, ReplayScreen)
    await until(pilot, lambda: screen.timeline.done and screen.view is not None)
    await until_still(pilot)
    return screen


async def press(pilot: Pilot[int], key: str, cycle: int) -> None:
    """Press a key and wait until the header names a cycle, counted from 1."""
    await pilot.press(key)
    await until(pilot, lambda: f"cycle {cycle} of" in text_of(pilot.app).splitlines()[0])


SIX: Final = gate(6, 600, 66)
TWENTY: Final = gate(20, 600, 66)
CYCLES: Final = 12


def a_run(path: Path, text: str) -> RunFolder:
    """An open run in which a treatment unit turns every second cycle, with notes between them."""
    folder, registration = new_folder(path, text), parsed(text)
    writer = begin(folder, text)
    for cycle in range(CYCLES):
        rows = []
        for unit in registration.units:
            moved = unit.arm.role == "treatment" and cycle > 2 * unit.pair
            placed: Counts = {"dirt": cycle} if moved else {}
            mined: Counts = {"stone": cycle, "sand": 1} if moved else {}
            rows.append(a_row(registration, writer.state, unit, cycle, placed, mined))
        events: list[ev.Event] = [window_opened()] if cycle == 0 else []
        if cycle == 5:
            events.append(ev.Fault(code="timed_out", text="no answer", cycle=5))
        events += [ev.Note(by="op", text=f"seen in {cycle + 1}"), heartbeat(cycle)]
        writer.cycle(rows, *events)
    writer.require_written()
    writer.close()
    return folder


async def on(pilot: Pilot[int], kind: type[Screen[None]]) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, kind))


def lines_of(screen: Screen[Any], name: str) -> str:
    return screen.query_one(name, Line).shown


def shows(screen: Screen[Any], name: str, text: str) -> bool:
    return lines_of(screen, name) == text
