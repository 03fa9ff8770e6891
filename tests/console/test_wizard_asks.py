"""What the wizard asks before it does a thing, and what its questions say."""

from pathlib import Path

import pytest
from console.apps import (
    app_on,
    draft,
    tell_in_journal,
    text_of,
    type_in,
    until,
    until_text,
)
from console.wizards import opened, register, told
from server.scripted import closed_port

from plateau_tui.console.screens.dialogs import Ask
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.wizard import WizardScreen
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

pytestmark = pytest.mark.asyncio


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLATEAU_TUI_RCON_PASSWORD", DEFAULT_PASSWORD)


def aim(folder: RunFolder, port: int) -> None:
    folder.connection.write_text(f'host = "127.0.0.1"\nport = {port}\n')


async def test_a_mistyped_password_is_asked_for_again(tmp_path: Path, server: SimServer) -> None:
    app = app_on(draft(tmp_path, server.port))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("c")
        await type_in(pilot, "canary-wrong")
        await until_text(pilot, "check: NO: ")
        await pilot.press("c")
        await type_in(pilot, DEFAULT_PASSWORD)
        await until_text(pilot, "check: connected")
        assert "canary" not in told(app)


async def test_leaving_the_password_s_question_does_nothing(
    tmp_path: Path, server: SimServer
) -> None:
    app = app_on(draft(tmp_path, server.port))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        for key in ("c", "g", "w"):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, Ask))
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(app.screen, WizardScreen))
        await pilot.press("j", "k", "escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
    assert server.commands == ()


@pytest.mark.usefixtures("password")
async def test_an_address_that_was_put_right_is_asked_at_the_next_key(
    tmp_path: Path, server: SimServer
) -> None:
    folder = draft(tmp_path, closed_port())
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("c")
        await until_text(pilot, "check: NO: ")
        assert "the address is from connection.toml" in told(app)
        aim(folder, server.port)
        await pilot.press("c")
        await until_text(pilot, f"check: connected to 127.0.0.1:{server.port}, ")


async def test_a_typed_password_is_for_the_address_it_was_typed_for(
    tmp_path: Path, server: SimServer
) -> None:
    folder = draft(tmp_path, server.port)
    app = app_on(folder)
    with SimServer(password="of-the-other") as other:
        async with app.run_test(size=(80, 24)) as pilot:
            await opened(pilot)
            await pilot.press("c")
            await type_in(pilot, DEFAULT_PASSWORD)
            await until_text(pilot, "check: connected")
            await register(pilot)  # which asks for no password again
            await until_text(pilot, "register: 19 created")
            aim(folder, other.port)
            await pilot.press("c")
            await until_text(pilot, f"RCON password for 127.0.0.1:{other.port}")
        assert (other.logins, other.refusals) == (0, 0)


@pytest.mark.usefixtures("password")
async def test_nothing_is_registered_that_was_not_agreed_to(
    tmp_path: Path, server: SimServer
) -> None:
    app = app_on(draft(tmp_path, server.port))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("g")
        await until_text(pilot, f"It creates on 127.0.0.1:{server.port} those of the run's 19")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, WizardScreen))
        await pilot.pause()
        assert not told(app)
    assert server.commands == ()


async def test_the_question_for_a_pin_says_what_would_be_refused_while_it_is_typed(
    tmp_path: Path, server: SimServer
) -> None:
    folder = draft(tmp_path, server.port)
    app = app_on(folder)
    seen = {unit: {"oak_log": 3} for unit in ("UNI-10-1", "UNI-11-1")}
    tell_in_journal(folder, ev.Watch(by="op", polls=1, grown=seen, suggestion={}))
    async with app.run_test(size=(60, 20)) as pilot:
        await opened(pilot)
        await until_text(pilot, "UNI-11-1 oak_log +3")
        await until_text(pilot, "done: watch; to do: check, register, pin, seal")
        await pilot.press("p")
        await until_text(pilot, "Not pinned: 6 of 6 units")
        assert "refused" not in text_of(app)
        await pilot.press(*"oak")
        await until_text(pilot, "as it stands it is refused: 'oak' is no log of 1.16.5")
        await pilot.press(*"_log")
        await until(pilot, lambda: "refused" not in text_of(app))
        await pilot.press("pagedown", "pagedown")
        await until(pilot, lambda: "anyway: and why" in " ".join(text_of(app).split()))
        assert "enter: done    esc: leave    pgdn, pgup: more" in text_of(app)


@pytest.mark.usefixtures("password")
async def test_a_pin_against_the_watch_says_what_to_type_and_takes_a_reason(
    tmp_path: Path, server: SimServer
) -> None:
    folder = draft(tmp_path, server.port)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("p")
        await type_in(pilot, "")
        await until_text(pilot, "pin: NO: type a species, or UNI=SPECIES")
        seen = {unit: {"oak_log": 3} for unit in ("UNI-10-1", "UNI-11-1")}
        tell_in_journal(folder, ev.Watch(by="op", polls=1, grown=seen, suggestion={}))
        await pilot.press("p")
        await type_in(pilot, "birch_log")
        await until_text(pilot, "or behind the species anyway: and why")
        assert "--" not in told(app)
        await pilot.press("p")
        await type_in(pilot, "birch_log anyway: it only farms birch")
        await until_text(pilot, "done: watch, pin")
    assert b"it only farms birch" in folder.journal.read_bytes()
