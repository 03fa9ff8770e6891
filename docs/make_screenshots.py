"""Makes the pictures of the console that README shows, from a shipped sample run.

.venv/bin/python docs/make_screenshots.py
"""

import asyncio
import tempfile
from pathlib import Path

from plateau_tui.console import clock
from plateau_tui.console.app import PlateauApp
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.resources import shipped
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import FileLock
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.times import parse_ms

DOCS = Path(__file__).parent
SAMPLE = "builders_vs_hoarders"
CUT_AT = 7
"""Cycles of the sample that the picture knows: the window is then still open."""

_SETTLED_S = 1.5
SHOTS = {
    "grid": (80, 24, ()),
    "unit": (80, 24, ("j", "enter")),
    "grid-wide": (160, 24, ()),
    "plots": (120, 30, ("o", "g")),
    "pairs": (80, 24, ("d",)),
    "journal": (80, 24, ("l",)),
    "gate": (80, 24, ("g",)),
    "verdict": (80, 24, ("v",)),
    "replay": (80, 24, ("t",)),
}
"""Picture -> width, height, and the keys that lead there from a run's screen."""


def open_run(folder: Path) -> int:
    """Copy the sample, cut in its window; return the time of the picture."""
    sample = shipped("sample_runs") / SAMPLE
    rows = (sample / "rows.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    journal = (sample / "journal.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    beats = [n for n, line in enumerate(journal) if '"event":"heartbeat"' in line]
    folder.mkdir()
    kept = {
        "registration.toml": (sample / "registration.toml").read_text(encoding="utf-8"),
        "rows.jsonl": "".join(rows[: CUT_AT * 6]),
        "journal.jsonl": "".join(journal[: beats[CUT_AT - 1] + 1]),
    }
    for name, text in kept.items():
        (folder / name).write_text(text, encoding="utf-8")
    at = rows[CUT_AT * 6 - 1].index('"read_ts":"') + len('"read_ts":"')
    return parse_ms(rows[CUT_AT * 6 - 1][at : at + 24]) + 400


async def shoot(folder: Path) -> None:
    """Draw every picture."""
    for name, (width, height, keys) in SHOTS.items():
        app = PlateauApp(folder.parent, RunFolder(folder), {})
        async with app.run_test(size=(width, height)) as pilot:
            screen = app.screen
            while not (isinstance(screen, RunScreen) and screen.view is not None):
                await pilot.pause(0.1)
                screen = app.screen
            for key in keys:
                await pilot.press(key)
                await pilot.pause(_SETTLED_S)
            app.save_screenshot(f"{name}.svg", path=str(DOCS))


def main() -> None:
    """Make the pictures anew."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "p1-curiosity"
        moment = open_run(folder)
        clock.now_ms = lambda: moment
        collector = read_state(folder / "journal.jsonl")[0].collector
        with FileLock(folder / "collector.lock"):
            # The sample's collector stands in the picture as the one that holds the run.
            pid = collector.pid if collector else 0
            (folder / "collector.lock").write_text(f"{pid}\n", encoding="ascii")
            asyncio.run(shoot(folder))


if __name__ == "__main__":
    main()
