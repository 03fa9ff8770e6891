"""The read-only console: what it may do is declared, and no key makes it do anything else."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest
from collector.bench import Bench, finish, wait_for
from console.apps import (
    access_to,
    app_on,
    draft,
    sample,
    text_of,
    type_in,
    until,
    until_read,
    until_text,
)
from textual.binding import Binding, BindingType
from textual.pilot import Pilot
from textual.screen import Screen
from web.looking import OFF, action_of, bindings_of, held, keys_on, off_keys_on, screen_classes

from plateau_tui.calibration.catalog import target_ids
from plateau_tui.collector.run import DeclinedError, ServerAccess
from plateau_tui.console.app import PlateauApp
from plateau_tui.console.jobs import run_job
from plateau_tui.console.keys import OWN_KEYS
from plateau_tui.console.readonly import (
    LOOKS,
    READ_ONLY,
    CommandNames,
    actions_of,
    looks_of,
    may,
)
from plateau_tui.console.screens.answering import AnswerScreen, PreviewScreen
from plateau_tui.console.screens.base import BACK, BaseScreen, KeyBar
from plateau_tui.console.screens.calibration import CalibrationScreen
from plateau_tui.console.screens.gate import GateScreen
from plateau_tui.console.screens.journal import JournalScreen
from plateau_tui.console.screens.measuring import Known, MeasureScreen
from plateau_tui.console.screens.pairs import PairsScreen
from plateau_tui.console.screens.plots import PlotsScreen
from plateau_tui.console.screens.recorded import RecordedScreen
from plateau_tui.console.screens.replay import ReplayScreen
from plateau_tui.console.screens.replayjournal import ReplayJournalScreen
from plateau_tui.console.screens.replaypairs import ReplayPairsScreen
from plateau_tui.console.screens.replayplots import ReplayPlotsScreen
from plateau_tui.console.screens.replayunit import ReplayUnitScreen
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.runs import RunsScreen
from plateau_tui.console.screens.unit import UnitScreen
from plateau_tui.console.screens.verdict import VerdictScreen
from plateau_tui.console.screens.wizard import WizardScreen
from plateau_tui.console.verdict.answers import preview
from plateau_tui.console.verdict.judging import keep_answers
from plateau_tui.metric.attestation import Attestation
from plateau_tui.report.gather import judge
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

SIZE = (120, 36)


def looking_app(folder: RunFolder, keys: dict[str, str] | None = None) -> PlateauApp:
    app = app_on(folder, keys)
    app.only_look()
    return app


# -- the table ----------------------------------------------------------------------------------


def test_every_action_of_every_screen_is_declared_to_look_or_is_off() -> None:
    found = {name: actions_of(each) - looks_of(each) for name, each in screen_classes().items()}
    assert {name: off for name, off in found.items() if off} == OFF


def test_the_table_names_screens_and_actions_that_there_are() -> None:
    classes = screen_classes()
    assert set(LOOKS) == set(classes)
    for name, looks in LOOKS.items():
        assert looks <= actions_of(classes[name]), name


def test_a_text_names_no_key_that_is_off() -> None:
    off = {
        binding.id
        for name, actions in OFF.items()
        for binding in bindings_of(screen_classes()[name])
        if action_of(binding) in actions
    }
    names = CommandNames({})
    for binding_id in OWN_KEYS:
        named = names[binding_id]
        assert ("plateau-tui " in named) == (binding_id in off), binding_id


def test_what_a_command_says_names_the_command_where_its_key_is_off() -> None:
    def refuse() -> str:
        raise DeclinedError("not yet: plateau-tui close RUN first")

    told = run_job("verdict", refuse, keys=CommandNames({}))
    assert told.text == "not yet: plateau-tui close RUN first"
    assert "key x" in run_job("verdict", refuse).text


# -- what is on the screen ------------------------------------------------------------------------


class Launching(BaseScreen):
    """A screen of tomorrow, whose action nobody has declared."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("z", "launch", "Launch", id="launching.launch"),
        BACK,
    ]
    launched = 0

    def action_launch(self) -> None:
        self.launched += 1


Launching.__module__ = "plateau_tui.console.screens.launching"


@pytest.mark.asyncio
@pytest.mark.parametrize("read_only", [False, True])
async def test_a_new_action_is_off_until_it_is_declared(tmp_path: Path, *, read_only: bool) -> None:
    app = looking_app(sample(tmp_path)) if read_only else app_on(sample(tmp_path))
    async with app.run_test(size=SIZE) as pilot:
        await until_read(pilot)
        screen = Launching()
        await app.push_screen(screen)
        await pilot.press("z")
        screen.action_launch()  # as a click would that asks nobody
        await pilot.pause()
        assert screen.launched == (0 if read_only else 2)
        assert ("Launch" in text_of(app)) is not read_only
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))


def check_off(screen: Screen[None]) -> None:
    """What is off is off by its name, and neither the keys' line nor help nor menu has it."""
    kind = type(screen)
    for binding in bindings_of(kind):
        name = action_of(binding)
        if "." not in name:
            assert may(screen, name) == (name not in OFF.get(kind.__name__, frozenset())), name
            assert may(screen, name) or screen.check_action(name, ()) is False
    off = {b.id for b in bindings_of(kind) if action_of(b) in OFF.get(kind.__name__, ())}
    shown = {active.binding.id for active in screen.active_bindings.values()}
    assert not off & shown
    offered = {command.title for command in screen.app.get_system_commands(screen)}
    words = {b.description for b in bindings_of(kind) if b.id in off}
    assert not words & offered
    for bar in screen.query(KeyBar):
        assert " ".join(bar.lines).startswith(READ_ONLY)


async def opened(pilot: Pilot[int], screen: Screen[None]) -> None:
    await pilot.app.push_screen(screen)
    await until(pilot, lambda: "reading ..." not in text_of(pilot.app))
    check_off(screen)


async def press_all(
    pilot: Pilot[int],
    make: Callable[[], Screen[None]],
    keys_of: Callable[[type[Screen[None]]], list[str]] = keys_on,
) -> type[Screen[None]]:
    """Press keys on a screen, each on that screen alone; confirm what a key has opened."""
    app, target = pilot.app, make()
    kind = type(target)
    await opened(pilot, target)
    for key in keys_of(kind):
        if target not in app.screen_stack:  # a key has closed it
            target = make()
            await opened(pilot, target)
        await pilot.press(key)
        for confirming in ("y", "enter"):
            if app.screen is not target:
                await pilot.press(confirming)
        while app.screen is not target and target in app.screen_stack:
            await app.pop_screen()
    while target in app.screen_stack:
        await app.pop_screen()
    return kind


def all_screens(run: RunScreen, access: ServerAccess) -> list[Callable[[], Screen[None]]]:
    """What makes each screen of a run anew, also those that a read-only console has no key for."""
    folder, view = run.folder, run.view
    assert view is not None
    unit = view.units[0].name
    replay = ReplayScreen(folder.path)
    return [
        lambda: RunScreen(folder),
        lambda: RunsScreen(folder.path.parent),
        lambda: UnitScreen(lambda: run.view, unit),
        lambda: PlotsScreen(lambda: run.view, unit),
        lambda: JournalScreen(folder, lambda: run.view),
        lambda: PairsScreen(folder, lambda: run.view),
        lambda: VerdictScreen(folder, lambda: run.view),
        lambda: GateScreen(folder),
        lambda: ReplayScreen(folder.path),
        lambda: ReplayUnitScreen(replay, unit),
        lambda: ReplayPlotsScreen(replay, unit, lambda _: None),
        lambda: ReplayPairsScreen(replay, folder),
        lambda: ReplayJournalScreen(replay, folder),
        lambda: CalibrationScreen(folder),
        lambda: RecordedScreen(folder),
        lambda: MeasureScreen(target_ids()[:1], Known()),
        lambda: WizardScreen(folder, access),
    ]


def asking_screens(folder: RunFolder) -> list[Callable[[], Screen[None]]]:
    """What makes the screens of a closed run's questions."""

    def write(text: bytes) -> None:
        keep_answers(folder, text, "tester")

    judged = judge(folder)
    given = Attestation(adjudicator="AB", single_variable=True)
    return [
        lambda: AnswerScreen(judged, given, asks_why=True, leave=lambda _: None, write=write),
        lambda: PreviewScreen(preview(judged, given), judged, write),
    ]


@pytest.fixture
def collecting(tmp_path: Path, server: SimServer) -> Iterator[Bench]:
    """A run whose collector has read some cycles, and stands still: requests stay in the mailbox.

    Its window is open.
    """
    made = Bench.make(
        tmp_path / "runs", server.port, DEFAULT_PASSWORD, units=3, interval_s=1, cycles=500
    )
    assert made.cli("register").returncode == 0
    server.set_speed(20.0)
    process = made.start()
    wait_for(made.rows)
    process.send_signal(signal.SIGSTOP)
    yield made
    process.send_signal(signal.SIGCONT)
    finish(process, signal.SIGTERM)


@pytest.mark.asyncio
@pytest.mark.timeout(240)
async def test_no_key_of_any_screen_touches_a_run_that_is_collected(
    collecting: Bench, server: SimServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLATEAU_TUI_RCON_PASSWORD", DEFAULT_PASSWORD)
    folder = collecting.folder
    before, asked = held(folder.path), (server.commands, server.logins)
    app = looking_app(folder)
    pressed: set[str] = set()
    async with app.run_test(size=SIZE) as pilot:
        run = await until_read(pilot)
        assert run.view is not None
        assert run.view.collector_pid is not None
        for make in all_screens(run, access_to(server)):
            pressed.add((await press_all(pilot, make)).__name__)
    assert held(folder.path) == before
    assert (server.commands, server.logins) == asked
    dialogs = {"Ask", "Confirm", "CopyPage", "Interrupt", "Menu", "Page"}
    assert pressed == set(screen_classes()) - dialogs - {"AnswerScreen", "PreviewScreen"}


@pytest.mark.asyncio
async def test_no_key_seals_writes_or_registers_a_draft(
    tmp_path: Path, server: SimServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLATEAU_TUI_RCON_PASSWORD", DEFAULT_PASSWORD)
    folder = draft(tmp_path, server.port)
    before, asked = held(folder.path), (server.commands, server.logins)
    app = looking_app(folder)
    async with app.run_test(size=SIZE) as pilot:
        await until_read(pilot)
        for make in (
            lambda: RunScreen(folder),
            lambda: GateScreen(folder),
            lambda: WizardScreen(folder, access_to(server)),
        ):
            await press_all(pilot, make, off_keys_on)
    assert held(folder.path) == before
    assert (server.commands, server.logins) == asked


@pytest.mark.asyncio
async def test_no_key_answers_or_exports_a_closed_run(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    before = held(folder.path)
    app = looking_app(folder)
    async with app.run_test(size=SIZE) as pilot:
        run = await until_read(pilot)
        screens = [*asking_screens(folder), lambda: VerdictScreen(folder, lambda: run.view)]
        for make in screens:
            await press_all(pilot, make, off_keys_on)
    assert held(folder.path) == before


@pytest.mark.asyncio
async def test_a_key_that_is_mapped_anew_stays_off(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    before = held(folder.path)
    ids = [b.id for b in bindings_of(RunScreen) if action_of(b) in OFF["RunScreen"] and b.id]
    keys = {binding_id: f"f{n}" for n, binding_id in enumerate(ids, start=2)}
    app = looking_app(folder, keys)
    async with app.run_test(size=SIZE) as pilot:
        run = await until_read(pilot)
        for key in keys.values():
            await pilot.press(key)
            await pilot.pause()
            assert app.screen is run
    assert held(folder.path) == before


@pytest.mark.asyncio
async def test_the_same_keys_do_write_where_it_is_not_read_only(
    tmp_path: Path, server: SimServer
) -> None:
    folder = draft(tmp_path, server.port)
    before = held(folder.path)
    app = app_on(folder)
    async with app.run_test(size=SIZE) as pilot:
        await until_read(pilot)
        assert READ_ONLY not in text_of(app)
        await pilot.press("n")
        await type_in(pilot, "a word")
        await until_text(pilot, "note: noted")
        await app.push_screen(WizardScreen(folder, access_to(server)))
        await pilot.press("c")
        await until(pilot, lambda: server.commands)
    assert held(folder.path) != before


@pytest.mark.asyncio
async def test_what_was_seen_and_copied_is_the_operators_own(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    before = held(folder.path)
    app = looking_app(folder)
    async with app.run_test(size=SIZE) as pilot:
        await until_read(pilot)
        await pilot.press("space")
        await until_text(pilot, "seen: 6 marks cleared")
        await pilot.press("y")
        await until_text(pilot, "sent to the clipboard")
    assert held(folder.path) == before
    assert list((tmp_path / "state").rglob("*.txt"))
