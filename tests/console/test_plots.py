"""The plots of a unit: every counter, gaps as gaps, at every size, in ASCII and for hostile counts.

After a change that is meant: pytest tests/console/test_plots.py --snapshot-update
"""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from console.apps import app_on, read_all, sample, text_of, until, until_read, until_still
from console.plotted import run_of
from rich.cells import cell_len
from textual.app import App
from textual.pilot import Pilot
from textual_plot import HiResMode

from plateau_tui.console.app import PlateauApp, check_console_keys
from plateau_tui.console.lines.plotting import (
    Plot,
)
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.series import HOARD, PLACED
from plateau_tui.console.look.looks import ColourMode, Look
from plateau_tui.console.screens.plots import PlotsScreen
from plateau_tui.console.screens.unit import UnitScreen
from plateau_tui.console.widgets.choices import Choices
from plateau_tui.console.widgets.plot import CounterPlot, hires_for
from plateau_tui.metric.tables import ConfigError
from plateau_tui.runlog.layout import RunFolder

SIZES = [(80, 24), (120, 36), (60, 20)]
Compare = Callable[..., bool]


def test_lines_are_drawn_with_what_the_terminal_has() -> None:
    assert hires_for({"TERM": "xterm"}, ascii_only=False) is HiResMode.BRAILLE
    assert hires_for({"TERM": "linux"}, ascii_only=False) is HiResMode.HALFBLOCK
    assert hires_for({}, ascii_only=True) is None


def test_the_console_starts_without_the_plot_library() -> None:
    code = (
        "import sys, plateau_tui.cli.main, plateau_tui.console.app\n"
        "found = {'textual_plot', 'textual_hires_canvas', 'numpy'} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(found)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ
    )
    assert (done.returncode, done.stderr) == (0, "")


# -- on the screen --------------------------------------------------------------------------------


async def open_plots(pilot: Pilot[int]) -> PlotsScreen:
    await until_read(pilot)
    await pilot.press("o")
    await until(pilot, lambda: isinstance(pilot.app.screen, UnitScreen))
    await pilot.press("g")
    await until(pilot, lambda: isinstance(pilot.app.screen, PlotsScreen))
    screen = pilot.app.screen
    assert isinstance(screen, PlotsScreen)
    await until(pilot, lambda: screen.query_one("#plots-means").region.height)
    await until_still(pilot)
    return screen


def frame_of(text: str) -> list[str]:
    """The lines of the plot's frame, without it."""
    sides = ("┃", "┫", "|", "+")
    lines = [line for line in text.splitlines() if any(side in line[:12] for side in sides)]
    return [line[9:] for line in lines]


@pytest.mark.asyncio
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ascii_only", [False, True])
async def test_g_shows_every_counter_and_g_goes_back(
    tmp_path: Path, size: tuple[int, int], ascii_only: bool
) -> None:
    app = app_on(sample(tmp_path), look=Look(ascii_only=ascii_only))
    async with app.run_test(size=size) as pilot:
        screen = await open_plots(pilot)
        shown = text_of(app)
        assert "blocks placed: 35  across: cycles from 1" in shown
        assert shown.isascii() == ascii_only
        assert "g Table" in shown
        assert "Zero evidential weight" in shown
        assert [len(line) for line in shown.splitlines() if len(line) > size[0]] == []
        counters = screen.query_one("#counters", Choices)
        assert counters.region.height >= 5
        assert screen.query_one(CounterPlot).region.height >= 6
        marks = set("".join(frame_of(shown))) & set("#⣀⠤⠒⠉⠊")
        assert marks, shown
        named = {counters.get_option_at_index(i).id for i in range(counters.option_count)}
        view = screen._view_of()
        assert view is not None
        assert named >= set(view.objectives) | {PLACED, HOARD}
        await pilot.press("k")
        await until(pilot, lambda: screen.chosen == view.objectives[-1])
        await until(pilot, lambda: f"{screen.chosen}: " in text_of(app))
        await pilot.press("g")
        await until(pilot, lambda: isinstance(app.screen, UnitScreen))


@pytest.mark.asyncio
async def test_the_unit_that_was_turned_to_is_the_one_in_the_table(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await open_plots(pilot)
        await pilot.press("n", "n", "p")
        await until(pilot, lambda: text_of(app).startswith("UNI-10-2"))
        await pilot.press("t")
        await until(pilot, lambda: "across: UTC" in text_of(app))
        await pilot.press("h")
        await until(pilot, lambda: "place_log" not in text_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: text_of(app).startswith("UNI-10-2"))
        assert isinstance(app.screen, UnitScreen)


@pytest.mark.asyncio
async def test_the_plot_is_drawn_anew_in_every_size(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_plots(pilot)
        for width, height in ((120, 36), (40, 10), (60, 20), (200, 60), (80, 24)):
            await pilot.resize_terminal(width, height)
            if width < 60:
                await until(pilot, lambda: "need 60x20" in text_of(app))
                continue
            await until_still(pilot)
            edge = screen.query_one(CounterPlot).region
            row = text_of(app).splitlines()[edge.y].ljust(width)
            assert row[edge.x + 8] == "┏"
            assert row[edge.right - 1] == "┓"


@pytest.mark.asyncio
async def test_what_was_not_read_is_a_gap_in_the_plot(tmp_path: Path) -> None:
    app = app_on(sample(tmp_path, "withheld_8_not_read"), look=Look(ascii_only=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await open_plots(pilot)
        lines = text_of(app).splitlines()
        assert lines[2].strip() == "x" * len(lines[2].strip())
        assert len(lines[2].strip()) > 40
        zeros = next(line for line in lines if line.lstrip().startswith("0 +"))
        drawn = [place for place, cell in enumerate(zeros) if cell == "#"]
        assert drawn
        assert max(drawn) < lines[2].index("x")
        assert "blocks placed       (0) __xxxx" in "\n".join(lines)


@pytest.mark.asyncio
@pytest.mark.parametrize("colours", [None, "16", "none"])
async def test_every_theme_draws_the_plot_and_nothing_is_drawn_without_news(
    tmp_path: Path, colours: ColourMode | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Plot] = []
    draw = CounterPlot.draw

    def counting(
        self: CounterPlot, plot: Plot, labels: Callable[[Sequence[int]], list[str]], each: int
    ) -> None:
        drawn.append(plot)
        draw(self, plot, labels, each)

    monkeypatch.setattr(CounterPlot, "draw", counting)
    app = app_on(sample(tmp_path), look=Look(colours=colours))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await open_plots(pilot)
        before = text_of(app)
        for theme in app.look.themes.themes:
            app.theme = theme
            await until_still(pilot)
            assert text_of(app) == before
        times = len(drawn)
        for _ in range(3):
            screen.show()
        assert len(drawn) == times
        await pilot.press("j")
        await until(pilot, lambda: len(drawn) == times + 1)


CASES: dict[str, list[int | None]] = {
    "hostile": [0, -(10**12), 10**12, None, 2**63 - 1, -(2**63) + 1, 5, None, -1],
    "flat": [10**12] * 66,
    "one": [None, 7, None],
    "huge": [2**63 - 1, 2**63 - 1],
    "never": [None, None],
}


@pytest.mark.asyncio
@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize(
    ("what", "size"),
    [
        *(("hostile", size) for size in SIZES),
        *((what, (80, 24)) for what in ("flat", "one", "huge", "never")),
    ],
)
async def test_no_count_breaks_the_plot(
    tmp_path: Path, size: tuple[int, int], ascii_only: bool, what: str
) -> None:
    one, run = run_of(*CASES[what], turned={"primary": 1})
    app = PlateauApp(tmp_path, None, {}, Look(ascii_only=ascii_only))
    async with app.run_test(size=size) as pilot:
        screen = PlotsScreen(lambda: run, one.name)
        app.push_screen(screen)
        await until(pilot, lambda: app.screen is screen)
        await until_still(pilot)
        drawn = set("".join(frame_of(text_of(app)))) - set(" ─│┃━┓┛┏┗┳┻┫┣╋-+|")
        if what in {"hostile", "flat", "huge"}:
            assert drawn & {"#", *(chr(code) for code in range(0x2801, 0x2900))}, text_of(app)
        one_more, more = run_of(1, 2, 3)
        screen._view_of = lambda: more
        screen.show()
        await until(pilot, lambda: "every cycle was read" in text_of(app))
        assert one_more.name == one.name


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 50)])
async def test_a_run_of_forty_units_has_sparklines_and_plots(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = forty(tmp_path)
    app = app_on(folder)
    async with app.run_test(size=size) as pilot:
        await until_read(pilot)
        await until_still(pilot)
        shown = text_of(app)
        headings = [line for line in shown.splitlines() if " live " in line and "hoard" in line]
        sparks = [line.count("hoard") == 2 * line.count("live") for line in headings]
        assert sparks
        assert set(sparks) == {size[0] >= 120}
        assert all(cell_len(line) <= size[0] for line in shown.splitlines())
        if size[0] < 120:
            await pilot.press("s")
            await until_still(pilot)
        assert "▆" in text_of(app) or "▇" in text_of(app)
        screen = await open_plots(pilot)
        await pilot.press("p")
        await until(pilot, lambda: screen.unit == "UNI-11-20")
        await until(pilot, lambda: text_of(app).startswith("UNI-11-20"))


def forty(tmp_path: Path) -> RunFolder:
    """A sample run as one of twenty pairs: each of its units' rows under as many names."""
    folder = sample(tmp_path, "builders_vs_hoarders")
    text = folder.registration.read_text()
    rows = folder.rows.read_text().splitlines(keepends=True)
    lines = []
    for line in rows:
        for kin in (10, 11):
            for number in (1, 2, 3):
                if f'"uni":"UNI-{kin}-{number}"' in line:
                    own = [n for n in range(1, 21) if (n - 1) % 3 == number - 1]
                    lines += [
                        line.replace(f'"uni":"UNI-{kin}-{number}"', f'"uni":"UNI-{kin}-{n}"')
                        for n in own
                    ]
    for kin in (10, 11):
        three = ", ".join(f'"UNI-{kin}-{n}"' for n in (1, 2, 3))
        assert three in text
        twenty = ", ".join(f'"UNI-{kin}-{n}"' for n in range(1, 21))
        text = text.replace(three, twenty)
    folder.registration.write_text(text)
    folder.rows.write_text("".join(lines))
    journal = [
        line for line in folder.journal.read_text().splitlines(keepends=True)
        if '"event":"sealed"' not in line
    ]  # fmt: skip
    folder.journal.write_text("".join(journal))
    view = read_all(RunModel(folder))
    assert len(view.units) == 40
    return folder


def test_the_keys_of_the_plots_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    check_console_keys({"unit.plots": "z", "plots.time": "u"})
    with pytest.raises(ConfigError, match="two things on the plots screen"):
        check_console_keys({"plots.time": "h"})


# -- pictures -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("stopped_clock")
@pytest.mark.parametrize("size", SIZES[:2], ids=["80x24", "120x36"])
@pytest.mark.parametrize("ascii_only", [False, True], ids=["dots", "ascii"])
@pytest.mark.parametrize("run", ["builders_vs_hoarders", "p1_inventory"])
def test_the_plots_look_as_they_did(
    snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, run: str, ascii_only: bool,
    size: tuple[int, int],
) -> None:  # fmt: skip
    monkeypatch.chdir(Path(__file__).parent)
    monkeypatch.setenv("TERM", "xterm-256color")
    folder = RunFolder(Path("runs") / run)
    app = PlateauApp(Path("runs"), folder, {}, Look(ascii_only=ascii_only))

    async def before(pilot: Pilot[int]) -> None:
        shown: App[int] = pilot.app
        await open_plots(pilot)
        await pilot.press("j", "j")
        await until_still(pilot)
        assert shown is app

    assert snap_compare(app, terminal_size=size, run_before=before)
