"""The demonstration: it ends well whatever keys are pressed, and leaves nothing behind."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from collector.bench import wait_for
from console.apps import access_to, draft, until, until_text
from console.terminal import Terminal, within_a_second

from plateau_tui.collector.operate import collector_pid
from plateau_tui.console.demo import DemoApp
from plateau_tui.console.screens.wizard import WizardScreen
from plateau_tui.report.gather import judge
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import read_state
from plateau_tui.sim.server import SimServer

KEYS = (("escape",), ("question_mark", "escape"), ("w", "escape"), ("j", "escape"), ("o",))
"""Pressed as a step begins: there are five, and more where a key broke one off."""


@pytest.mark.asyncio
@pytest.mark.filterwarnings("ignore:subprocess:ResourceWarning")
async def test_the_demonstration_ends_well_though_keys_break_into_every_step(
    tmp_path: Path, server: SimServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plateau_tui.console.firstpoll.WATCH_EVERY_S", 0.2)
    monkeypatch.setattr("plateau_tui.console.demo._PACE_S", 0.1)
    monkeypatch.setattr("plateau_tui.console.demo._WATCHED_S", 3.0)
    folder = draft(tmp_path, server.port)
    begun: list[str] = []
    start_step = WizardScreen.start_step

    def begin(wizard: WizardScreen, step: str) -> None:
        begun.append(step)
        start_step(wizard, step)

    def at_least(steps: int) -> Callable[[], bool]:
        return lambda: len(begun) >= steps

    monkeypatch.setattr(WizardScreen, "start_step", begin)
    app = DemoApp(folder, access_to(server), lambda: server.set_speed(40.0))
    async with app.run_test(size=(80, 24)) as pilot:
        for number, keys in enumerate(KEYS, 1):
            await until(pilot, at_least(number))
            await pilot.press(*keys)
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
        await until_text(pilot, "PRIMARY by the table alone: UNI-11-1, UNI-11-2, UNI-11-3")
        judged = judge(folder).verdict
        await until_text(pilot, f"Verdict: {judged.word} (not final)")
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
        soon, left = within_a_second(), time.monotonic()
        assert terminal.ended(30) == 0
        assert time.monotonic() - left < soon
        after = terminal.raw.rpartition(b"\x1b[?1049l")[2].decode()
        assert "left early: the window is not closed" in after
        assert f"The run stands in {target}." in after
        for page in ("plateau-tui status", "plateau-tui verify", "cycle "):
            assert page not in after
        wait_for(lambda: collector_pid(folder) is None)
