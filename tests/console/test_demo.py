"""The demonstration: it ends well whatever keys are pressed, and leaves nothing behind."""

import re
from pathlib import Path

import pytest
from collector.bench import wait_for
from console.apps import access_to, draft, until, until_text
from console.terminal import Terminal

from plateau_tui.collector.operate import collector_pid
from plateau_tui.console.demo import DemoApp
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import read_state
from plateau_tui.sim.server import SimServer


@pytest.mark.asyncio
@pytest.mark.filterwarnings("ignore:subprocess:ResourceWarning")
async def test_the_demonstration_ends_well_though_keys_break_into_every_step(
    tmp_path: Path, server: SimServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plateau_tui.console.firstpoll.WATCH_EVERY_S", 0.2)
    monkeypatch.setattr("plateau_tui.console.demo._PACE_S", 0.1)
    monkeypatch.setattr("plateau_tui.console.demo._WATCHED_S", 3.0)
    folder = draft(tmp_path, server.port)
    app = DemoApp(folder, access_to(server), lambda: server.set_speed(40.0))
    async with app.run_test(size=(80, 24)) as pilot:
        for key in ("escape", "question_mark", "escape", "w", "escape", "j", "escape", "o"):
            await pilot.press(key)
            await pilot.pause(0.4)
        await until(pilot, lambda: read_state(folder.journal)[0].closed, 90)
        await until_text(pilot, "The window is closed")
    state, _ = read_state(folder.journal)
    assert state.closed is not None
    assert not state.closed.early
    assert len(state.pins) == 6


@pytest.mark.asyncio
@pytest.mark.filterwarnings("ignore:subprocess:ResourceWarning")
async def test_the_demonstration_ends_with_its_summary_and_the_fence(
    tmp_path: Path, server: SimServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plateau_tui.console.firstpoll.WATCH_EVERY_S", 0.2)
    monkeypatch.setattr("plateau_tui.console.demo._PACE_S", 0.1)
    monkeypatch.setattr("plateau_tui.console.demo._WATCHED_S", 1.5)
    folder = draft(tmp_path, server.port)
    app = DemoApp(folder, access_to(server), lambda: server.set_speed(40.0))
    async with app.run_test(size=(80, 24)) as pilot:
        await until_text(pilot, "The window is closed", 90)
        await until_text(pilot, "3 of 3 PRIMARY")
        await until_text(pilot, "Everything this metric measures")


def test_leaving_the_demonstration_early_ends_server_and_collector(tmp_path: Path) -> None:
    target = tmp_path / "demo"
    script = str(Path(__file__).with_name("quickdemo.py"))
    words = ("demo", "--cycles", "300", "--to", str(target))
    with Terminal(*words, cwd=tmp_path, program=(script,)) as terminal:
        terminal.until_words("First poll of")
        terminal.until_words("OPEN", 60)
        folder = RunFolder(target)
        wait_for(lambda: collector_pid(folder))
        terminal.send("q")
        assert terminal.ended(30) == 0
        assert re.search(rb"The demonstration was left early", terminal.raw)
        assert re.search(rb"The run stands in", terminal.raw)
        wait_for(lambda: collector_pid(folder) is None)
