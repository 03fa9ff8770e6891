"""Key y on the screens to read: what is copied, and that a long copy is shown in part."""

from functools import partial
from pathlib import Path

import pytest
from console.apps import app_on, draft, sample, text_of, until, until_read, until_still, until_text
from textual.pilot import Pilot
from textual.screen import Screen

from plateau_tui.config import copies_folder
from plateau_tui.console.copying import _begin
from plateau_tui.console.lines.copied import journal_text
from plateau_tui.console.lines.journal import JournalLine
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.console.screens.journal import JournalScreen
from plateau_tui.console.screens.pairs import PairsScreen
from plateau_tui.console.screens.verdict import VerdictScreen
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT


async def copied(pilot: Pilot[int], name: str) -> str:
    """Press y, wait for the page that says where the copy is, and return the file."""
    await pilot.press("y")
    await until(pilot, lambda: isinstance(pilot.app.screen, Page))
    await until_text(pilot, "sent to the clipboard; also in")
    (path,) = copies_folder().glob(f"*-{name}.txt")
    text = path.read_text(encoding="utf-8")
    assert text.endswith(f"{CLAIM_FENCE_SHORT}\n")
    return text


@pytest.mark.asyncio
async def test_the_verdict_is_copied_with_what_is_out_of_sight(tmp_path: Path) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(60, 20)) as pilot:
        await until_read(pilot)
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, VerdictScreen))
        screen = app.screen
        assert isinstance(screen, VerdictScreen)
        await until(pilot, lambda: screen._sitting is not None)
        words = " ".join(" ".join(screen.lines(200)).split())
        text = await copied(pilot, "verdict")
    assert text.startswith("plateau-tui: verdict of run ")
    assert " ".join(screen.heading(200)[0].split()) in " ".join(text.split())
    assert words[-60:] in " ".join(text.split())


@pytest.mark.asyncio
async def test_the_pairs_are_copied_and_the_chosen_one_stays_marked(tmp_path: Path) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(60, 20)) as pilot:
        await until_read(pilot)
        await pilot.press("d")
        await until(pilot, lambda: isinstance(app.screen, PairsScreen))
        screen = app.screen
        assert isinstance(screen, PairsScreen)
        await until(pilot, lambda: screen._lines)
        before = screen.chosen_part()
        text = await copied(pilot, "pairs")
        assert screen.chosen_part() == before
    assert all(f"UNI-1{arm}-{pair}" in text for arm in (0, 1) for pair in (1, 2, 3))


@pytest.mark.asyncio
async def test_of_the_journal_the_lines_of_the_chosen_kind_are_copied(tmp_path: Path) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, JournalScreen))
        screen = app.screen
        assert isinstance(screen, JournalScreen)
        await until(pilot, lambda: screen._log.count)
        await pilot.press("3")
        shown = [screen._lines[place] for place in screen._shown]
        text = await copied(pilot, "journal")
    assert shown
    numbered = [line for line in text.split("\n") if line.partition(":")[0].isdigit()]
    assert numbered == [f"{e.number}: {e.ts[:19].replace('T', ' ')} {e.text}" for e in shown]
    assert "[pins]" in text


@pytest.mark.asyncio
async def test_the_wizard_is_copied_with_its_steps_and_what_was_said(tmp_path: Path) -> None:
    async with (app := app_on(draft(tmp_path, 1))).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("w")
        await until_text(pilot, "next: ")
        screen = app.screen
        screen._say("said to the operator \x1b[1m")  # type: ignore[attr-defined]
        text = await copied(pilot, "first-poll")
    assert "said to the operator" in text
    assert "next: " in text
    assert "\x1b" not in text


@pytest.mark.asyncio
@pytest.mark.parametrize(("key", "name", "words"), [
    ("i", "Answers_to_your_keys", "answered yet"),
    ("f", "What_a_result_means", "ZERO evidential weight"),
    ("question_mark", "Help", "latched"),
])  # fmt: skip
async def test_a_page_is_copied_whole(tmp_path: Path, key: str, name: str, words: str) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(60, 20)) as pilot:
        await until_read(pilot)
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, Page))
        await until_text(pilot, "y: copy")
        page = app.screen
        await pilot.press("y")
        await until_text(pilot, "sent to the clipboard; also in")
        assert app.screen is page
        await pilot.press("q")
    (path,) = copies_folder().iterdir()
    assert path.name == f"page-{name}.txt"
    text = path.read_text(encoding="utf-8")
    assert words in text
    assert text.endswith(f"{CLAIM_FENCE_SHORT}\n")


@pytest.mark.asyncio
async def test_a_copy_is_shown_as_it_is_in_the_file_and_its_table_is_not_folded(
    tmp_path: Path,
) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        text = await copied(pilot, "run")
        units = [line for line in text.split("\n") if " UNI-1" in line]
        assert max(map(len, units)) > 100
        shown = [line.partition("│ ")[2] for line in text_of(app).split("\n")]
        assert all(any(line.startswith(unit[:60]) for line in shown) for unit in units[:3])
        page = app.screen
        scroll = page.query_one("#copied")
        await pilot.press("end", *["right"] * 4)
        await until(pilot, lambda: scroll.scroll_x >= 4)
        assert scroll.virtual_size.width >= max(map(len, units))
        await pilot.press("y")  # it is a copy already
        await until_still(pilot)
        assert app.screen is page
    assert len(list(copies_folder().iterdir())) == 1


def test_a_long_journal_is_copied_whole_and_shown_in_part() -> None:
    lines = [JournalLine(n, "2026-01-01T00:00:00.000Z", "note", "x") for n in range(1, 5001)]
    text = journal_text("p1", lines, range(5000), ["told"], 0, local=False)
    assert "\n5000: 2026-01-01 00:00:00 x\n" in text
    shown = _begin(text).split("\n")
    assert len(shown) == 401
    left = text.count("\n") + 1 - 400
    assert shown[-1] == f"... and {left} more lines, which the copy has, too"
    assert _begin("a\nb") == "a\nb"


def is_over(pilot: Pilot[int], run: Screen[None]) -> bool:
    """Whether another screen than the run's is shown, with its keys."""
    return pilot.app.screen is not run and "q Quit" in text_of(pilot.app)


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
async def test_the_key_costs_no_screen_a_fourth_line_of_keys(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    for key in "vdlw":
        async with (app := app_on(sample(tmp_path / key))).run_test(size=size) as pilot:
            run = await until_read(pilot)
            await pilot.press(key)
            await until(pilot, partial(is_over, pilot, run))
            bar = text_of(app).split("\n")
            keys = [n for n, line in enumerate(bar) if "esc Back" in line or "q Quit" in line]
            assert size[1] - keys[0] <= 2
