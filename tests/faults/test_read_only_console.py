"""Read-only for ever: every key of every screen of the console, and what a server sees of it."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
from collector.bench import gate, wait_for
from console.apps import access_to, text_of, until
from faults.crawler import TYPE, Crawler
from faults.shapes import SHAPES, shapes_of

from plateau_tui.collector.detach import start_detached
from plateau_tui.collector.operate import collector_pid
from plateau_tui.console import firstpoll
from plateau_tui.console.app import PlateauApp
from plateau_tui.runlog.layout import RunFolder, create_run
from plateau_tui.sim.run import make_server
from plateau_tui.sim.server import DEFAULT_PASSWORD

IN_THE_WINDOW = ("o", "r", "x", "y", TYPE)
"""Open the run, read by hand, close the window early and say why."""
SIZE = (80, 24)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.delenv("PLATEAU_TUI_RUNS", raising=False)
    monkeypatch.setenv("PLATEAU_TUI_RCON_PASSWORD", DEFAULT_PASSWORD)
    monkeypatch.setenv("LOGNAME", "tester")
    monkeypatch.setattr(firstpoll, "WATCH_EVERY_S", 0.2)


def end_collector(folder: RunFolder) -> None:
    pid = collector_pid(folder)
    if pid is not None and pid != os.getpid():
        os.kill(pid, signal.SIGTERM)
        wait_for(lambda: collector_pid(folder) is None)


def began(folder: RunFolder) -> bool:
    return folder.rows.exists() and folder.rows.stat().st_size > 0


@pytest.mark.timeout(600)
@pytest.mark.asyncio
async def test_every_key_of_every_screen(tmp_path: Path) -> None:
    """From a draft on, so that the wizard registers and seals, into its window and to its end."""
    made = make_server("builders_vs_hoarders", seed=1, speed=4.0, password=DEFAULT_PASSWORD)
    with made as server:
        folder = RunFolder(tmp_path / "runs" / "first")
        connection = f'host = "127.0.0.1"\nport = {server.port}\n'
        text = gate(3, 1, 900, start="offset")
        create_run(folder, {"registration.toml": text, "connection.toml": connection}, 0o700)
        app = PlateauApp(folder.path.parent, None, {})
        try:
            async with app.run_test(size=SIZE) as pilot:
                await until(pilot, lambda: "reading ..." not in text_of(app))
                crawler = Crawler(pilot)
                await crawler.crawl()
                if collector_pid(folder) is None:
                    await asyncio.to_thread(start_detached, folder, access_to(server))
                await until(pilot, lambda: began(folder))
                for key in IN_THE_WINDOW:
                    await crawler.press(key)
        finally:
            end_collector(folder)
        assert len(crawler.screens) >= 12
        assert shapes_of(server.commands) == set(SHAPES)
