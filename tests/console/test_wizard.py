"""The first poll, step by step, against a simulated server."""

import re
from pathlib import Path

import pytest
from collector.bench import Bench, wait_for
from console.apps import (
    access_to,
    app_on,
    draft,
    text_of,
    type_in,
    until,
    until_read,
    until_text,
)
from console.wizards import opened, register, told

from plateau_tui.console.messages import Watched, WatchView
from plateau_tui.console.screens.dialogs import Confirm
from plateau_tui.console.screens.wizard import WizardScreen
from plateau_tui.runlog.state import read_state
from plateau_tui.sim.faults import replaced
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

pytestmark = pytest.mark.asyncio


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plateau_tui.console.firstpoll.WATCH_EVERY_S", 0.2)


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLATEAU_TUI_RCON_PASSWORD", DEFAULT_PASSWORD)


@pytest.mark.usefixtures("password")
async def test_the_whole_first_poll(tmp_path: Path, server: SimServer) -> None:
    folder = draft(tmp_path, server.port)
    app = app_on(folder)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await opened(pilot)
        await until_text(pilot, "next: c looks at the server")
        await pilot.press("c")
        await until_text(pilot, "check: connected")
        assert "count probe: UNI-10-1 holds 0 wooden_pickaxe; it counts, removes none" in told(app)
        assert "UNI-11-3         online" in told(app)
        await until_text(pilot, "next: g registers")
        await register(pilot)
        await until_text(pilot, "register: 19 created, 0 existed before")
        assert "1 of 19 place_cobble     created" in told(app)
        assert "19 of 19 craft_wpick      created" in told(app)
        await pilot.press("w")
        await until_text(pilot, "nothing moves yet: is a body chopping at all?")
        await until_text(pilot, "Another wood? a adds one to the draft: jungle_log")
        server.set_speed(40.0)
        await until_text(pilot, "a log is suggested for every unit: p pins")
        await until_text(pilot, "oak_log +")
        await pilot.press("p")
        await until_text(pilot, "Suggested: oak_log for UNI-10-1")
        await type_in(pilot, "")
        await until_text(pilot, "next: s seals the gate")
        assert "watch: watched" in told(app)  # the pin ended the watch, which is in the journal
        await pilot.press("s")
        await until_text(pilot, "best reachable lower bound: -0.4152 with 3 pairs")
        await until_text(pilot, 'sentence "accept": a bench for tests: so few pairs')
        await until_text(pilot, "before or after the registration")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, WizardScreen))
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until_text(pilot, "done: check, register, watch, pin, seal")
        await until_text(pilot, "starts the collector")
        await until(pilot, lambda: "seal: sealed" in text_of(app))
        polls = re.search(r"watched for (\d+) polls?;", told(app))
    state, _ = read_state(folder.journal)
    assert polls is not None
    assert state.watch is not None
    assert int(polls[1]) == state.watch.polls
    assert state.sealed is not None
    assert set(state.pins.values()) == {"oak_log"}
    assert {event.by for event in state.pin_events.values()} == {"tester"}
    clears = [command for command in server.commands if " clear" in command or "clear " in command]
    assert clears
    assert all(command.endswith(" 0") for command in clears)


@pytest.mark.usefixtures("password")
async def test_a_watch_that_is_left_by_quitting_is_kept(tmp_path: Path, server: SimServer) -> None:
    folder = draft(tmp_path, server.port)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        wizard = await opened(pilot)
        await register(pilot)
        await until_text(pilot, "register: 19 created")
        server.set_speed(40.0)
        await pilot.press("w")
        await until_text(pilot, "for every unit")
        await pilot.press("q")
    assert wizard._stop_job.is_set()
    wait_for(lambda: read_state(folder.journal)[0].watch)
    watch = read_state(folder.journal)[0].watch
    assert watch is not None
    assert watch.suggestion["UNI-11-1"] == "oak_log"
    assert 0 < watch.polls < 1000


@pytest.mark.usefixtures("password")
async def test_what_existed_and_is_not_at_zero_is_named(tmp_path: Path, server: SimServer) -> None:
    first, again = draft(tmp_path, server.port), draft(tmp_path, server.port, name="again")
    app = app_on(first)
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await register(pilot)
        await until_text(pilot, "register: 19 created")
        await register(pilot)
        await until_text(pilot, "0 created, 0 existed before, 19 made by this run earlier")
    server.step(600)
    other = app_on(again)
    async with other.run_test(size=(120, 40)) as pilot:
        await opened(pilot)
        await register(pilot)
        await until_text(pilot, "register: 0 created, 19 existed before")
        assert "existed before, what they count cannot be read back: place_cobble" in told(other)
        assert "NOT AT ZERO: UNI-10-1: " in told(other)
        assert 'start_counts = "zero": collect will refuse' in told(other)


@pytest.mark.usefixtures("password")
async def test_a_watch_before_the_registration_names_the_key_that_registers(
    tmp_path: Path, server: SimServer
) -> None:
    app = app_on(draft(tmp_path, server.port))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("w")
        await until_text(pilot, "watch: NO: the objectives are not on the server: key g of the")
        assert "plateau-tui" not in told(app)


@pytest.mark.usefixtures("password")
async def test_another_wood_is_added_to_the_draft_out_of_a_watch(
    tmp_path: Path, server: SimServer
) -> None:
    folder = draft(tmp_path, server.port)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await register(pilot)
        await until_text(pilot, "register: 19 created")
        await pilot.press("w")
        await until_text(pilot, "nothing moves yet")
        await pilot.press("a")
        await type_in(pilot, "jungle_log")
        await until_text(pilot, "jungle_log is in the draft")
        await until_text(pilot, "spruce_log, jungle_log.")
        await pilot.press("w")
        await until_text(pilot, "spruce_log, jungle_log.")
        await pilot.press("a")
        await type_in(pilot, "plastic_log")
        await until_text(pilot, "another wood: NO: 'plastic_log' is no log")
    assert "minecraft.mined:minecraft.jungle_log" in folder.registration.read_text()


@pytest.mark.usefixtures("password")
async def test_each_unit_can_have_its_own_wood(tmp_path: Path, server: SimServer) -> None:
    folder = draft(tmp_path, server.port)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("p")
        await until_text(pilot, "Nothing moved yet")
        await type_in(pilot, "oak_log UNI-11-2=birch_log")
        await until_text(pilot, "done: watch, pin; to do: check, register, seal")
        await pilot.press("escape")
        await until_text(pilot, "wood birch_log oak_log")
    assert read_state(folder.journal)[0].pins["UNI-11-2"] == "birch_log"


@pytest.mark.usefixtures("password")
async def test_while_a_collector_runs_the_wizard_looks_at_its_rows(
    tmp_path: Path, server: SimServer
) -> None:
    bench = Bench.make(tmp_path, server.port, DEFAULT_PASSWORD, units=3, interval_s=0.5, cycles=900)
    assert bench.cli("register").returncode == 0
    process = bench.start()
    wait_for(bench.rows)
    asked = len(server.commands)
    app = app_on(bench.folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("w")
        await until_text(pilot, "the collector's rows")
        server.set_speed(40.0)
        await until_text(pilot, "for every unit")
        wizard = app.screen
        assert isinstance(wizard, WizardScreen)
        assert wizard._watch is not None
        before = wizard._watch.grown["UNI-11-1"]
        await until(pilot, lambda: wizard._watch and wizard._watch.grown["UNI-11-1"] != before)
        await pilot.press("c")
        await until_text(pilot, "watch is under way")
        await pilot.press("w")
        await until_text(pilot, "the collector goes on reading")
        await register(pilot)
        await until_text(pilot, f"NO: process {process.pid} holds the run")
        await pilot.press("w")
        await until_text(pilot, "the collector's rows")
        process.terminate()
        await until_text(pilot, "the collector has ended")
    process.communicate(timeout=10)
    assert len(server.commands) > asked


async def test_the_watch_of_many_units_can_be_scrolled_to_its_end(
    tmp_path: Path, server: SimServer
) -> None:
    app = app_on(draft(tmp_path, server.port))
    units = [f"UNI-{kin}-{n}" for kin in (10, 11) for n in range(1, 13)]
    watch = WatchView(
        grown={unit: {"oak_log": 1} for unit in units}, suggestion=dict.fromkeys(units, "oak_log"),
        polls=3, read_ms=0, watched=("oak_log",), others=(), from_rows=False,
    )  # fmt: skip
    async with app.run_test(size=(60, 20)) as pilot:
        wizard = await opened(pilot)
        wizard.post_message(Watched(watch))
        await until_text(pilot, "UNI-10-1")
        assert "poll 3" in text_of(app)
        assert units[-1] not in text_of(app)
        for step, back in (("j", "k"), ("pagedown", "pageup"), ("end", "home")):
            for _ in units:
                await pilot.press(step)
            await until(pilot, lambda: units[-1] in text_of(app))
            assert units[0] not in text_of(app).split()
            assert "poll 3" in text_of(app)  # what stands over the units stays
            assert "pgdn Page" in text_of(app)
            for _ in units:
                await pilot.press(back)
            await until(pilot, lambda: units[0] in text_of(app).split())


@pytest.mark.usefixtures("password")
async def test_while_a_watch_goes_on_it_is_not_done(tmp_path: Path, server: SimServer) -> None:
    app = app_on(draft(tmp_path, server.port))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await register(pilot)
        await until_text(pilot, "register: 19 created")
        await pilot.press("w")
        await until_text(pilot, "nothing moves yet")
        await until_text(pilot, "done: check, register; to do: pin, seal")
        server.set_speed(40.0)
        await until_text(pilot, "oak_log +")
        assert "done: check, register; to do: pin, seal" in text_of(app)
        await pilot.press("w")
        await until_text(pilot, "done: check, register, watch; to do: pin, seal")


@pytest.mark.usefixtures("password")
async def test_a_watch_in_which_nothing_moved_is_still_to_do(
    tmp_path: Path, server: SimServer
) -> None:
    app = app_on(draft(tmp_path, server.port))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await register(pilot)
        await until_text(pilot, "register: 19 created")
        await pilot.press("w")
        await until_text(pilot, "nothing moves yet")
        await pilot.press("w")
        await until_text(pilot, "done: check, register; to do: watch, pin, seal")
        await until_text(pilot, "next: w watches which log counter moves")


async def test_hostile_server_words_stay_words(tmp_path: Path, server: SimServer) -> None:
    folder = draft(tmp_path, server.port)
    server.faults.always(replaced("[@click=app.quit]x[/] \x1b[31m\u202e[/"), "add mine_stone")
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        app.push_screen(WizardScreen(folder, access_to(server)))
        await until_text(pilot, "next: ")
        await register(pilot)
        await until_text(pilot, "register: NO: ")
        assert "\x1b" not in text_of(app)
        assert "\u202e" not in text_of(app)


@pytest.mark.usefixtures("password")
async def test_the_check_names_who_is_missing_and_who_else_is_online(
    tmp_path: Path, server: SimServer
) -> None:
    server.world.leave("UNI-10-3")
    server.world.join("uni-10-3")
    app = app_on(draft(tmp_path, server.port))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("c")
        await until_text(pilot, "check: connected")
        assert "  not online: UNI-10-3" in told(app)
        assert "  online and no unit of this run: uni-10-3" in told(app)


@pytest.mark.usefixtures("password")
async def test_a_watch_that_is_left_is_told_and_stands_there_again(
    tmp_path: Path, server: SimServer
) -> None:
    folder = draft(tmp_path, server.port)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await register(pilot)
        await until_text(pilot, "register: 19 created")
        server.set_speed(40.0)
        await pilot.press("w")
        await until_text(pilot, "for every unit")
        await pilot.press("escape")
        await until_text(pilot, "watch: ended by leaving the wizard; what it saw is kept")
        await until(pilot, lambda: read_state(folder.journal)[0].watch)
        await pilot.press("w")
        await until_text(pilot, "the last watch, which has ended:")
        assert "UNI-11-1" in text_of(app)
        assert "oak_log +" in text_of(app)
        await until_text(pilot, "done: check, register, watch; to do: pin, seal")


async def test_the_seal_s_question_begins_with_what_holds_for_good_and_the_accepted_sentence(
    tmp_path: Path, server: SimServer
) -> None:
    folder = draft(tmp_path, server.port)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await until(pilot, lambda: "NOTHING in registration.toml can change" in text_of(app))
        shown = " ".join(text_of(app).split())
        assert 'Sealed with it, the sentence "accept": a bench for tests' in shown
        assert shown.index("NOTHING") < shown.index("What this gate can come to")
