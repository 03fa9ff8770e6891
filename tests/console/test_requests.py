"""What an operator asks for, from the screen to a collector that is another process and back."""

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from collector.bench import Bench, finish, wait_for
from console.apps import app_on, text_of, type_in, until, until_read, until_text
from secrecy.home import living

from plateau_tui.collector.operate import collector_pid
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.screens.dialogs import Ask, Confirm
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.runlog import events as ev
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

pytestmark = [
    pytest.mark.asyncio,
    # Whoever starts a collector detached lets it live: that is what is asked for.
    pytest.mark.filterwarnings("ignore:subprocess:ResourceWarning"),
]


@pytest.fixture
def bench(tmp_path: Path, server: SimServer) -> Bench:
    made = Bench.make(tmp_path, server.port, DEFAULT_PASSWORD, units=3, interval_s=1, cycles=500)
    assert made.cli("register").returncode == 0
    server.set_speed(20.0)
    return made


@pytest.fixture
def collecting(bench: Bench) -> Iterator[Bench]:
    process = bench.start()
    wait_for(bench.rows)
    yield bench
    finish(process, signal.SIGTERM)


def told_to_all(pid: int, secret: str) -> bool:
    """Whether a process has a secret where others may read it."""
    return secret.encode() in living(pid)


async def test_a_note_a_reading_and_a_pin_are_answered_by_the_journal(collecting: Bench) -> None:
    bench = collecting
    app = app_on(bench.folder)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until_read(pilot)
        await until_text(pilot, "are live and unpinned: the verdict will be WITHHELD; pin with p")
        await pilot.press("n")
        await type_in(pilot, "the lamp went out")
        await until_text(pilot, "note: noted")
        await pilot.press("r")
        await until_text(pilot, "read now: ")
        await pilot.press("p")
        await until_text(pilot, "Enter alone pins")
        await type_in(pilot, "")
        await until_text(pilot, "wood oak_log")
        await until_text(pilot, "all is well")
    answers = [event for event in bench.events() if isinstance(event, ev.Answer)]
    assert [answer.ok for answer in answers] == [True, True, True]
    notes = [event for event in bench.events() if isinstance(event, ev.Note)]
    assert [(note.by, note.text) for note in notes] == [("tester", "the lamp went out")]


async def test_a_pin_that_the_rows_contradict_is_refused_on_screen(collecting: Bench) -> None:
    app = app_on(collecting.folder)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until_read(pilot)
        await pilot.press("p")
        await until_text(pilot, "Enter alone pins")
        await type_in(pilot, "spruce_log")
        await until_text(pilot, "pin: ")
        await until_text(pilot, "names another")
    assert not [event for event in collecting.events() if isinstance(event, ev.Pinned)]


async def test_closing_asks_twice_and_anything_else_leaves_it_open(collecting: Bench) -> None:
    bench = collecting
    app = app_on(bench.folder)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        screen = await until_read(pilot)
        for way_out in (["enter"], ["escape"], ["n"], ["y", "escape"], ["y", "enter"]):
            await pilot.press("x")
            await until_text(pilot, "can only be WITHHELD")
            assert isinstance(app.screen, Confirm)
            for key in way_out:
                await pilot.press(key)
                if key == "y":
                    await until(pilot, lambda: isinstance(app.screen, Ask))
            await until(pilot, lambda: app.screen is screen)
        assert not [event for event in bench.events() if isinstance(event, ev.WindowClosed)]
        await pilot.press("x")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, Ask))
        await type_in(pilot, "the server is sold")
        await until_text(pilot, "CLOSED")
    closed = [event for event in bench.events() if isinstance(event, ev.WindowClosed)]
    assert [(event.early, event.why) for event in closed] == [(True, "the server is sold")]


async def test_a_collector_is_started_only_when_told_and_outlives_the_console(
    bench: Bench,
) -> None:
    app = app_on(bench.folder)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until_read(pilot)
        await pilot.press("c")
        await until_text(pilot, "Start a collector?")
        await pilot.press("enter")
        await pilot.pause()
        assert collector_pid(bench.folder) is None
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until_text(pilot, "RCON password for")
        await type_in(pilot, DEFAULT_PASSWORD)
        await until_text(pilot, "OPEN")
        await until_text(pilot, "RCON ok")
        await pilot.press("c")
        await until_text(pilot, "runs already")
        assert DEFAULT_PASSWORD not in text_of(app)
    pid = collector_pid(bench.folder)
    assert pid is not None
    try:
        assert not told_to_all(pid, DEFAULT_PASSWORD)
        wait_for(lambda: bench.cycles() >= 2)
    finally:
        os.kill(pid, signal.SIGTERM)
        wait_for(lambda: collector_pid(bench.folder) is None)


async def test_a_refused_password_is_told_and_asked_for_again(bench: Bench) -> None:
    app = app_on(bench.folder)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await until_read(pilot)
        for _ in range(2):
            await pilot.press("c")
            await until(pilot, lambda: isinstance(app.screen, Confirm))
            await pilot.press("y")
            await until_text(pilot, "RCON password for")
            await type_in(pilot, "wrong-canary")
            await until_text(pilot, "password")
            await until_text(pilot, "collect: ")
        assert "wrong-canary" not in text_of(app)
    assert collector_pid(bench.folder) is None


async def test_trouble_is_on_screen_with_what_to_do_and_goes_when_it_is_over(
    collecting: Bench, server: SimServer
) -> None:
    app = app_on(collecting.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        server.faults.mute = True
        await until_text(pilot, "RCON FAULT")
        await until_text(pilot, "did not answer in time: look at the server's load")
        await until_text(pilot, "!")
        server.faults.mute = False
        await until_text(pilot, "RCON ok")


async def test_a_dead_collector_is_the_worst_thing_on_screen(bench: Bench) -> None:
    process = bench.start()
    wait_for(bench.rows)
    app = app_on(bench.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        finish(process, signal.SIGKILL)
        await until_text(pilot, "NO COLLECTOR runs and the window is open; ")
        await until_text(pilot, "missed so far: start one with c")
        await until_text(pilot, "next -")
        await until_text(pilot, "(?)")  # readings grow old in brackets; nothing is pinned here


def has_note(screen: RunScreen, text: str) -> bool:
    return screen.view is not None and any(text in entry.text for entry in screen.view.journal)


async def test_three_consoles_on_one_run_see_the_same(collecting: Bench) -> None:
    first, second, third = (app_on(collecting.folder) for _ in range(3))
    async with (
        first.run_test(size=(80, 24)) as one,
        second.run_test(size=(60, 20)) as two,
        third.run_test(size=(200, 60)) as three,
    ):
        pilots = (one, two, three)
        screens = [await until_read(pilot) for pilot in pilots]
        await two.press("n")
        await type_in(two, "from the second")
        for pilot, screen in zip(pilots, screens, strict=True):
            await until(pilot, partial(has_note, screen, "from the second"))
        seen = [screen.view for screen in screens]
        assert all(view is not None and view.cycle is not None for view in seen)
        pid = collector_pid(collecting.folder)
        assert pid is not None
        os.kill(pid, signal.SIGTERM)
        wait_for(lambda: collector_pid(collecting.folder) is None)
        # Two looks at a log that grows differ; at one that has ended there is but one truth.
        truth, more = None, True
        model = RunModel(collecting.folder)
        while more:
            truth, more = model.look()
        assert truth is not None
        assert truth.rows == len(collecting.rows())
        for pilot, screen in zip(pilots, screens, strict=True):
            await until(pilot, partial(lambda screen: screen.view == truth, screen))
            await until_text(pilot, f"cycle {collecting.cycles()} of 500")
