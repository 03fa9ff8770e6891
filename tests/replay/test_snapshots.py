"""What the replay looks like, as pictures, on recorded runs and a made-up earlier file.

After a change that is meant: pytest tests/replay/test_snapshots.py --snapshot-update
"""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from console.apps import until, until_still
from replay import earlier
from textual.pilot import Pilot

from plateau_tui.console.app import PlateauApp
from plateau_tui.console.screens.replay import ReplayScreen
from plateau_tui.runlog.archive import open_archive

RUNS = Path("..") / "console" / "runs"
SIZES = [(80, 24), (120, 36)]
Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no picture hold the place where the project stands."""
    monkeypatch.chdir(Path(__file__).parent)


def pressing(*keys: str) -> Callable[[Pilot[int]], Awaitable[None]]:
    async def before(pilot: Pilot[int]) -> None:
        await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen))
        screen = pilot.app.screen
        assert isinstance(screen, ReplayScreen)
        await until(pilot, lambda: screen.timeline.done and screen.view is not None)
        for key in keys:
            await pilot.press(key)
            await until_still(pilot)
        await until_still(pilot)

    return before


def replaying(path: Path, wood: dict[str, str] | None = None) -> PlateauApp:
    app = PlateauApp(RUNS, None, {})
    app.opens = lambda: ReplayScreen(path, open_archive(path), wood)
    return app


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36"])
@pytest.mark.parametrize(
    ("run", "keys"),
    [
        pytest.param("builders_vs_hoarders", ("full_stop", "full_stop", "j"), id="midway"),
        pytest.param("builders_vs_hoarders", ("end",), id="the-end"),
        pytest.param("p1_inventory", (), id="never-read"),
        pytest.param("builders_vs_hoarders", ("n", "o"), id="unit"),
        pytest.param("hoarders_vs_hoarders", ("l",), id="journal"),
    ],
)
def test_the_replay_looks_as_it_did(
    snap_compare: Compare, run: str, keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    app = replaying(RUNS / run)
    assert snap_compare(app, terminal_size=size, run_before=pressing(*keys))


@pytest.mark.parametrize("size", [*SIZES, (60, 20)], ids=["80x24", "120x36", "60x20"])
def test_an_earlier_file_looks_as_it_did(
    snap_compare: Compare, size: tuple[int, int], tmp_path: Path
) -> None:
    kept = (row for row in earlier.rows(120, gaps=range(40, 55)) if not _late(row))
    path = earlier.write(tmp_path / "phase2_red.jsonl.gz", kept)
    app = replaying(path, {"": "oak_log"})
    assert snap_compare(app, terminal_size=size, run_before=pressing("n", "n", "n", "n"))


def _late(row: earlier.Json) -> bool:
    return 70 <= (int(str(row["cycle"])) - earlier.T0) // earlier.INTERVAL_S < 76
