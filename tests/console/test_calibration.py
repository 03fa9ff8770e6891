"""The calibration's screens, on real targets in real processes and on recorded runs."""

import os
import shutil
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from calibration.parent import ForeverGame
from console.apps import SAMPLES, sample, text_of, until, until_still, until_text
from console.calibrating import choose, console, fifo, gate, instead, opened, play
from console.slowgames import DyingGame, GatedGame
from textual.pilot import Pilot

from plateau_tui.calibration.catalog import target_ids
from plateau_tui.console.app import PlateauApp, check_console_keys
from plateau_tui.console.screens import calibration, measuring
from plateau_tui.console.screens.calibration import CalibrationScreen
from plateau_tui.console.screens.measuring import MeasureScreen
from plateau_tui.console.screens.recorded import RecordedScreen
from plateau_tui.console.screens.runs import RunsScreen
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.layout import RunFolder

GAMES = {"ale_py": "ale-py", "stable_retro": "stable-retro", "gymnasium": "gymnasium"}
SIZES = [(80, 24), (120, 36)]

__all__ = ["fifo", "gate"]


@pytest.fixture
def no_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the processes that the console starts find none of the games' packages."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    for module in GAMES:
        (hidden / f"{module}.py").write_text("raise ImportError('hidden')\n")
    monkeypatch.setenv("PYTHONPATH", str(hidden))


@pytest.fixture
def workers(fifo: Path) -> Iterator[int]:
    """A descriptor that is at its end when no process of a ``ForeverGame`` lives."""
    fd = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    yield fd
    os.close(fd)


@pytest.mark.asyncio
async def test_it_opens_from_the_runs_with_every_target_and_goes_back() -> None:
    app = console()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await opened(pilot)
        lines = text_of(app).splitlines()
        assert [line.split()[0] for line in lines[2 : 2 + len(target_ids())]] == list(target_ids())
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))


@pytest.mark.asyncio
async def test_a_missing_extra_says_how_to_install_it_and_is_not_played(no_games: None) -> None:
    app = console()
    async with app.run_test(size=(60, 20)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await opened(pilot)
        await choose(pilot, "airstriker")
        await until_text(pilot, "needs stable-retro: pip install 'plateau-tui[games]'")
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, CalibrationScreen)


@pytest.mark.asyncio
async def test_an_offline_target_shows_the_tables_and_its_standing_stays_in_the_list() -> None:
    app = console()
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await opened(pilot)
        await play(pilot, "engine-crawler")
        await until_text(pilot, "done; j k")
        row = "engine-crawler 4 of 4 4 of 4 4 (constant:right) nothing none"
        await until_text(pilot, row)
        await until_text(pilot, "engine-crawler room-1 3 of 4 yes, 3 of 5 2 of 4, after 3 inputs")
        await until_text(pilot, "engine-crawler: nothing is left against this contract")
        await pilot.press("escape")
        await until_text(pilot, "not refused: does not separate; does not collapse")
        await pilot.press("o")
        await until_text(pilot, row)  # from memory: nothing is played twice


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
async def test_progress_is_told_while_runs_are_played(
    gate: int, fifo: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    instead(monkeypatch, GatedGame(fifo))
    app = console()
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await opened(pilot)
        await play(pilot, "native-2048")
        # Twice the reference, six baselines, the walks.
        await until_text(pilot, f"1 of {2 + 6 + measuring.WALKS} runs: reference")
        os.write(gate, b".")
        await until_text(pilot, "2 of 40 runs: baselines")
        os.write(gate, b"." * 20)
        await until_text(pilot, "22 of 40 runs: walks")
        assert "banner" not in text_of(app)
        os.write(gate, b"." * 100)
        await until_text(pilot, "done; j k")
        await until_text(pilot, "Gated [bold]submarine[/bold]")


@pytest.mark.asyncio
async def test_esc_breaks_off_at_once_and_then_goes_back(
    workers: int, fifo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instead(monkeypatch, ForeverGame(fifo))
    app = console()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await opened(pilot)
        await play(pilot, "native-2048")
        await until(pilot, lambda: playing(workers))
        await pilot.press("escape")
        await until_text(pilot, "native-2048: broken off; esc goes back")
        await until(pilot, lambda: at_its_end(workers))
        assert isinstance(app.screen, MeasureScreen)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, CalibrationScreen))


@pytest.mark.asyncio
@pytest.mark.parametrize("leave", ["pop", "quit"])
async def test_whoever_leaves_the_screen_ends_its_processes(
    workers: int, fifo: Path, monkeypatch: pytest.MonkeyPatch, leave: str
) -> None:
    instead(monkeypatch, ForeverGame(fifo))
    app = console()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await opened(pilot)
        await play(pilot, "native-2048")
        await until(pilot, lambda: playing(workers))
        if leave == "pop":
            app.pop_screen()
            await until(pilot, lambda: at_its_end(workers))
        else:
            await pilot.press("q")
    os.set_blocking(workers, True)
    assert os.read(workers, 1) == b""  # waits for the last process that could write


def playing(workers: int) -> bool:
    """Say whether a worker plays; before it opened the FIFO, that is at its end too."""
    try:
        return os.read(workers, 100) == b"playing\n"
    except BlockingIOError:
        return False


def at_its_end(workers: int) -> bool:
    try:
        return os.read(workers, 1) == b""
    except BlockingIOError:
        return False


@pytest.mark.asyncio
async def test_a_process_that_dies_is_told_and_the_console_goes_on(
    gate: int, fifo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instead(monkeypatch, DyingGame(fifo))
    app = console()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await opened(pilot)
        await play(pilot, "native-2048")
        await until_text(pilot, "native-2048: the process that played it died")
        await until_text(pilot, "esc goes back")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, CalibrationScreen))


@pytest.mark.asyncio
async def test_every_plays_all_but_what_is_missing(
    no_games: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("breakout", "save-levels", "screen-puzzle")
    monkeypatch.setattr(calibration, "target_ids", lambda: names)
    app = console()
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await opened(pilot)
        await pilot.press("e")
        await until_text(pilot, "done; j k")
        await until_text(pilot, "screen-puzzle: nothing is left against this contract")
        assert "breakout" not in text_of(app)


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(60, 20), (120, 36)])
async def test_a_run_is_measured_arm_against_arm(tmp_path: Path, size: tuple[int, int]) -> None:
    app = console(sample(tmp_path))
    async with app.run_test(size=size) as pilot:
        await opened(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RecordedScreen))
        await until_text(pilot, "3 treatment units as references, 3 control units as baselines")
        await until_text(pilot, "secondary 3 of 3 0 of 3 0 separating")
        await until_text(pilot, "the contract separated the arms: secondary, plateau-break")
        await until_text(pilot, "won by attrition: nothing")
        await pilot.press("r")
        await until_text(pilot, "won by attrition: nothing")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, CalibrationScreen))


@pytest.mark.asyncio
async def test_a_run_that_cannot_be_measured_says_why(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    marked = RunFolder(folder.path.with_name("[red]x[red]"))
    shutil.move(folder.path, marked.path)
    marked.rows.write_bytes(b"no row\n")
    app = console(marked)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await until_text(pilot, "[red]x[red]: its treatment")
        await pilot.press("enter")
        await until_text(
            pilot, "the window of the run builders_vs_hoarders is closed and holds no row"
        )
        await until_text(pilot, "Calibration of the run [red]x[red]")


def test_its_keys_can_be_set_and_clash_on_its_own_screens() -> None:
    check_console_keys({"calibration.every": "v", "run.calibrate": "z", "measured.read": "a"})
    for keys in ({"calibration.every": "o"}, {"measured.read": "j"}, {"run.calibrate": "w"}):
        with pytest.raises(ConfigError, match="would do two things"):
            check_console_keys(keys)


Compare = Callable[..., bool]


def pressing(
    opening: Callable[[Pilot[int]], Awaitable[object]], *keys: str
) -> Callable[[Pilot[int]], Awaitable[None]]:
    async def before(pilot: Pilot[int]) -> None:
        await until_still(pilot)
        await opening(pilot)
        for key in keys:
            await pilot.press(key)
            await until_still(pilot)

    return before


async def measured(pilot: Pilot[int]) -> None:
    await opened(pilot)
    await play(pilot, "save-levels")
    await until_text(pilot, "done; j k")


@pytest.mark.usefixtures("stopped_clock", "no_games")
@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36"])
@pytest.mark.parametrize(
    ("run", "opening", "keys"),
    [
        pytest.param(None, opened, (), id="targets"),
        pytest.param(None, measured, (), id="measured"),
        pytest.param("builders_vs_hoarders", opened, ("enter",), id="recorded"),
    ],
)
def test_the_calibration_looks_as_it_did(
    snap_compare: Compare,
    monkeypatch: pytest.MonkeyPatch,
    run: str | None,
    opening: Callable[[Pilot[int]], Awaitable[object]],
    keys: tuple[str, ...],
    size: tuple[int, int],
) -> None:
    monkeypatch.chdir(SAMPLES.parent)  # no picture holds the place where the project stands
    runs = Path("sample_runs")
    app = PlateauApp(runs, RunFolder(runs / run) if run else None, {})
    assert snap_compare(app, terminal_size=size, run_before=pressing(opening, *keys))
