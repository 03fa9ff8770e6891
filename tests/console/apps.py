"""What the tests of the screens share: runs, the text on screen, waiting."""

import shutil
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Final

from collector.bench import gate
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from plateau_tui.collector.run import Password, ServerAccess
from plateau_tui.console.app import PlateauApp
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.view import RunView
from plateau_tui.console.look.looks import Look
from plateau_tui.console.screens.base import Line
from plateau_tui.console.screens.dialogs import Ask
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.chain import JOURNAL_GENESIS, link
from plateau_tui.runlog.layout import RunFolder, create_run
from plateau_tui.runlog.segments import last_head
from plateau_tui.runlog.times import parse_ms
from plateau_tui.server.transport import Endpoint
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

SAMPLES: Final = Path(__file__).parents[2] / "sample_runs"
BUILDERS: Final = "builders_vs_hoarders"
NOW_MS: Final = parse_ms("2036-01-01T00:00:00.000Z")
LIMIT_S: Final = 40.0


def sample(tmp_path: Path, name: str = BUILDERS) -> RunFolder:
    """A copy of a sample run, in a folder of runs of its own."""
    return RunFolder(Path(shutil.copytree(SAMPLES / name, tmp_path / "runs" / name)))


def read_all(model: RunModel) -> RunView:
    """What a run's files say, read to their end."""
    more, view = True, None
    while more:
        view, more = model.look()
    assert view is not None, model.error
    return view


def tell_in_journal(folder: RunFolder, *events: ev.Event) -> None:
    """Write events at the journal's end, as a collector would."""
    head = last_head(folder.journal) or JOURNAL_GENESIS
    with folder.journal.open("ab") as file:
        for event in events:
            line = ev.encode_event("2026-01-05T01:00:00.000Z", event)
            head = link(head, line)
            file.write(line[:-1] + f',"chain":"{head}"}}\n'.encode())


def app_on(
    folder: RunFolder, keys: dict[str, str] | None = None, look: Look | None = None
) -> PlateauApp:
    return PlateauApp(folder.path.parent, folder, keys or {}, look)


def draft(tmp_path: Path, port: int, *, start: str = "zero", name: str = "first") -> RunFolder:
    """A run that nobody has sealed, with three pairs, at a server."""
    folder = RunFolder(tmp_path / "runs" / name)
    connection = f'host = "127.0.0.1"\nport = {port}\n'
    text = gate(3, 1, 5, start=start)
    create_run(folder, {"registration.toml": text, "connection.toml": connection}, 0o700)
    return folder


def access_to(server: SimServer) -> ServerAccess:
    return ServerAccess(Endpoint(server.host, server.port), Password(DEFAULT_PASSWORD))


def text_of(app: App[int]) -> str:
    """What a person sees, line by line."""
    strips = app.screen._compositor.render_strips(app.size)
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


async def until(pilot: Pilot[int], what: Callable[[], object], limit_s: float = LIMIT_S) -> None:
    """Let the app work until something holds."""
    deadline = time.monotonic() + limit_s
    while not what():
        assert time.monotonic() < deadline, text_of(pilot.app)
        await pilot.pause(0.02)


def words_of(app: App[int]) -> str:
    """What a person sees and what the screen's lines say, however they are broken."""
    said = (line.shown for line in app.screen.query(Line) if line.is_attached)
    return " ".join(" ".join([text_of(app), *said]).split())


async def until_text(pilot: Pilot[int], text: str, limit_s: float = LIMIT_S) -> None:
    await until(pilot, lambda: " ".join(text.split()) in words_of(pilot.app), limit_s)


async def until_read(pilot: Pilot[int]) -> RunScreen:
    """Wait until the run on screen was read, and return its screen."""
    await until(pilot, lambda: isinstance(pilot.app.screen, RunScreen))
    screen = pilot.app.screen
    assert isinstance(screen, RunScreen)
    await until(pilot, lambda: screen.view is not None and "reading ..." not in text_of(pilot.app))
    await pilot.pause()
    return screen


async def until_still(pilot: Pilot[int]) -> None:
    """Let the app work until what a person sees is whole and stays as it is for some looks."""
    looks: list[str] = []

    def still() -> bool:
        looks.append(text_of(pilot.app))
        return len(looks) >= 5 and len(set(looks[-5:])) == 1 and "reading ..." not in looks[-1]

    await until(pilot, still)


SCREENS: Final = {
    "run": (), "unit": ("o",), "plots": ("o", "g"), "wizard": ("w",), "gate": ("g",),
    "journal": ("l",), "fence": ("f",), "help": ("question_mark",), "note": ("n",),
    "menu": ("m", "p"), "copied": ("y",), "calibration": ("a",), "pairs": ("d",), "verdict": ("v",),
}  # fmt: skip
"""What opens each screen from a run's."""


async def every_screen(pilot: Pilot[int]) -> AsyncIterator[str]:
    """Open every screen in turn, from a run's; the runs come last."""
    run = pilot.app.screen
    for name, keys in SCREENS.items():
        for key in keys:
            await pilot.press(key)
        if keys:
            await until(pilot, lambda: pilot.app.screen is not run)
        await until(pilot, lambda: "reading ..." not in text_of(pilot.app))
        await pilot.pause()
        yield name
        while pilot.app.screen is not run:
            await pilot.app.pop_screen()
    await pilot.press("escape")
    await until(pilot, lambda: pilot.app.screen is not run)
    await pilot.pause()
    yield "runs"


async def type_in(pilot: Pilot[int], text: str) -> None:
    """Type a line into the question on screen."""
    await until(pilot, lambda: isinstance(pilot.app.screen, Ask))
    await until(pilot, lambda: pilot.app.screen.query(Input))
    pilot.app.screen.query_one(Input).value = text
    await pilot.press("enter")
