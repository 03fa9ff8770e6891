"""The verdict on screen: what is missing, the work, the questions, the preview, the export."""

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from console.apps import (
    app_on,
    sample,
    text_of,
    until,
    until_read,
    until_still,
    until_text,
    words_of,
)
from console.terminal import Terminal
from metric.texts import changed, parsed
from report.cases import closed_run, files_of
from runlog.runs import begin, closed, new_folder, write_cycle
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from plateau_tui.collector.adjudicate import adjudicate_run
from plateau_tui.console.app import PlateauApp, check_console_keys
from plateau_tui.console.screens.answering import AnswerScreen, PreviewScreen
from plateau_tui.console.screens.dialogs import Confirm
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.verdict import VerdictScreen
from plateau_tui.console.verdict.answers import attestation_text
from plateau_tui.console.widgets.pick import Pick, Press
from plateau_tui.metric.attestation import Attestation, parse_attestation
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT
from plateau_tui.metric.tables import ConfigError
from plateau_tui.report.gather import judge
from plateau_tui.report.questions import SR_2, SR_2_A, SR_2_B, SR_2_EVIDENCE, SR_4
from plateau_tui.report.words import headline
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.verify import verify_run

BUILDERS: Final = "builders_vs_hoarders"
SIZES: Final = [(80, 24), (120, 36)]
EVIL: Final = "[/] [@click=app.quit]x[/] \u202e\x9b31m evil"


async def opened(pilot: Pilot[int]) -> VerdictScreen:
    await until_read(pilot)
    await pilot.press("v")
    await until(pilot, lambda: isinstance(pilot.app.screen, VerdictScreen))
    screen = pilot.app.screen
    assert isinstance(screen, VerdictScreen)
    await until(pilot, lambda: not screen._busy)
    await until_still(pilot)
    return screen


async def form(pilot: Pilot[int]) -> AnswerScreen:
    await pilot.press("a")
    await until(pilot, lambda: isinstance(pilot.app.screen, AnswerScreen))
    screen = pilot.app.screen
    assert isinstance(screen, AnswerScreen)
    await until(pilot, lambda: screen.query("#go"))
    await until_still(pilot)
    return screen


def idle(screen: VerdictScreen) -> Callable[[], bool]:
    return lambda: not screen._busy


# -- on screen -------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_before_the_close_it_says_what_is_missing_and_judges_once_it_is_closed(
    tmp_path: Path,
) -> None:
    text = changed("cycles = 66", "cycles = 2")
    folder = new_folder(tmp_path / "runs" / "a", text)
    writer = begin(folder, text)
    write_cycle(writer, parsed(text), 0)
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        assert "There is no verdict before the window is closed" in words_of(app)
        await pilot.press("a")
        await until(pilot, lambda: "asked once the window is closed" in words_of(app))
        await pilot.press("r")
        await until(pilot, lambda: "WITHHELD (not final): a" in text_of(app))
        await pilot.press("a")
        assert app.screen is screen
        write_cycle(writer, parsed(text), 1)
        writer.journal(closed(2, early=False))
        writer.close()
        await until(pilot, lambda: "PARTIAL (not final): a - open: SR-4 and SR-2" in text_of(app))
        assert CLAIM_FENCE_SHORT in text_of(app)
        await pilot.press("j", "j", "k", "end")
        await until(pilot, lambda: "SR-2: unclassified" in words_of(app))
        await pilot.press("f")
        await until(pilot, lambda: "Everything this metric measures" in words_of(app))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))


@pytest.mark.asyncio
async def test_the_questions_stand_in_the_seeds_own_words_and_answers_are_kept_after_a_yes(
    tmp_path: Path,
) -> None:
    folder = sample(tmp_path)
    before = files_of(folder.path)
    async with (app := app_on(folder)).run_test(size=(100, 30)) as pilot:
        screen = await opened(pilot)
        answering = await form(pilot)
        words = words_of(app)
        for text in (SR_4, SR_2, SR_2_A, SR_2_B, SR_2_EVIDENCE):
            assert " ".join(text.split()) in words
        await pilot.press("space")  # yes, they differed in one variable alone
        answering.query_one("#case", Pick).focus()
        await pilot.press("right", "right", "left")
        answering.query_one("#evidence", TextArea).focus()
        await pilot.press(*"UNI-10-1 wants it; q [/]")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "the answers: adjudicator: must not be empty" in words_of(app))
        assert app.focused is answering.query_one("#who", Input)
        await pilot.press(*"K. T.", "tab", "enter")
        await until(pilot, lambda: isinstance(app.screen, PreviewScreen))
        await until(pilot, lambda: "With these answers: PARTIAL;" in words_of(app))
        assert "such words tell of felt states" in words_of(app)
        assert 'evidence = "UNI-10-1 wants it; q [/]"' in words_of(app)
        for no in ("enter", "n", "escape"):
            await pilot.press("s")
            await until(pilot, lambda: isinstance(app.screen, Confirm))
            await pilot.press(no)
            await until(pilot, lambda: isinstance(app.screen, PreviewScreen))
        assert files_of(folder.path) == before
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until(pilot, lambda: app.screen is screen)
        await until(pilot, idle(screen))
        await until(pilot, lambda: "PARTIAL: the answers are kept" in words_of(app))
        assert "in the answers, wants: such words tell of felt states" in words_of(app)
    kept = parse_attestation((folder.path / "attestation.toml").read_bytes())
    assert kept == Attestation("K. T.", True, (), "a", "UNI-10-1 wants it; q [/]")
    last = read_state(folder.journal)[0].adjudicated
    assert last is not None
    assert (last.by, last.verdict, last.final) == ("tester", "PARTIAL", True)
    assert last.text.encode() == (folder.path / "attestation.toml").read_bytes()
    assert not verify_run(folder).problems


@pytest.mark.asyncio
async def test_what_was_typed_is_there_again_and_nothing_is_written_for_no_answer(
    tmp_path: Path,
) -> None:
    folder = sample(tmp_path)
    before = files_of(folder.path)
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        answering = await form(pilot)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: isinstance(app.screen, PreviewScreen))
        await pilot.press("s")
        await until(pilot, lambda: "nothing is answered" in words_of(app))
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is answering)
        answering.query_one("#others", TextArea).focus()
        await pilot.press(*"another seed", "enter", *"q", "escape")
        await until(pilot, lambda: isinstance(app.screen, VerdictScreen))
        answering = await form(pilot)
        assert answering.answers.other_differences == ("another seed", "q")
        answering.query_one("#who", Input).value = "K"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "With these answers: WITHHELD" in words_of(app))
        assert "It would" in words_of(app) or "SR-4, answered" in words_of(app)
    assert files_of(folder.path) == before


@pytest.mark.asyncio
async def test_an_earlier_attestation_of_hostile_words_is_plain_text_on_every_screen(
    tmp_path: Path,
) -> None:
    folder = closed_run(tmp_path / "runs" / "[b]evil")
    text = attestation_text(Attestation(EVIL, True, (), "a", f"{EVIL}\nsecond line"))
    adjudicate_run(folder, text, EVIL)
    async with (app := app_on(folder)).run_test(size=(120, 50)) as pilot:
        await opened(pilot)
        await pilot.press("end")
        await until(pilot, lambda: "[@click=app.quit]x[/]" in text_of(app))
        seen = [text_of(app)]
        answering = await form(pilot)
        assert answering.query_one("#evidence", TextArea).text.endswith("\nsecond line")
        await pilot.press("tab", "tab", "tab", "tab", "tab")
        assert isinstance(app.focused, Press)
        seen.append(text_of(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, PreviewScreen))
        await pilot.press("end")
        await until_still(pilot)
        seen.append(text_of(app))
        for page in seen:
            assert all(line.isprintable() for line in page.splitlines())


@pytest.mark.asyncio
async def test_the_export_says_where_it_lies_and_is_replaced_only_after_a_yes(
    tmp_path: Path,
) -> None:
    folder = sample(tmp_path)
    place = folder.path / "export"
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        for answer in ("n", "enter"):
            await pilot.press("e")
            await until(pilot, lambda: isinstance(app.screen, Confirm))
            assert "Export a verdict that is not final?" in words_of(app)
            assert "SR-4 and SR-2: open. The export says PARTIAL (not final)" in words_of(app)
            await pilot.press(answer)
            await until_text(pilot, "nothing is exported")
        assert not place.exists()
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y", "r")
        await until(pilot, lambda: "not now: exporting" in words_of(app) or place.exists())
        await until(pilot, idle(screen))
        await until(pilot, lambda: f"exported to {place}" in screen._told)
        first = (place / "verdict.json").stat().st_ino
        for no in ("n", "enter"):
            await pilot.press("e")
            await until(pilot, lambda: isinstance(app.screen, Confirm))
            await pilot.press(no)
            await until(pilot, lambda: "stays as it is" in words_of(app))
        assert (place / "verdict.json").stat().st_ino == first
        shutil.rmtree(place)
        place.mkdir()
        (place / "mine.txt").write_text("not an export")
        await pilot.press("e")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until(pilot, lambda: "NO: " in words_of(app))
        assert "is no earlier export of this run" in screen._told
        assert (place / "mine.txt").read_text() == "not an export"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await until(pilot, lambda: "export: NO:" in words_of(app))


@pytest.mark.asyncio
async def test_a_run_that_cannot_be_judged_says_why(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    (folder.path / "attestation.toml").write_text("adjudicator = [")
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await until(pilot, lambda: "NO: attestation.toml: is not valid TOML" in words_of(app))
        (folder.path / "attestation.toml").unlink()
        await pilot.press("r")
        await until(pilot, lambda: "PARTIAL (not final)" in words_of(app))


def test_leaving_while_it_judges_and_exports_leaves_at_once_and_the_export_is_whole(
    tmp_path: Path,
) -> None:
    folder = sample(tmp_path)
    with Terminal("attach", str(folder.path), cwd=folder.path.parent) as terminal:
        terminal.until_words("UNI-11-3")
        terminal.send("v")
        terminal.until_words("PARTIAL (not final)")
        terminal.send("e")
        terminal.until_words("Export a verdict that is not final?")
        terminal.send("y")
        terminal.until_words("exporting")
        terminal.send("q")
        assert terminal.ended() == 0
    deadline = time.monotonic() + 40
    while not (folder.path / "export" / "SHA256SUMS").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert headline(judge(RunFolder(folder.path / "export")).verdict) == "PARTIAL (not final)"


def test_the_keys_of_the_new_screens_can_be_set() -> None:
    given_keys = {
        "run.pairs": "f5", "run.verdict": "f6", "run.bell": "f7", "run.seen": "f8",
        "journal.search": "f9", "pairs.down": "s", "verdict.export": "f10",
        "answers.preview": "f2", "preview.write": "w",
    }  # fmt: skip
    check_console_keys(given_keys)
    with pytest.raises(ConfigError, match="would do two things on the verdict screen"):
        check_console_keys({"verdict.export": "a"})


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36"])
@pytest.mark.parametrize(
    ("run", "keys"),
    [
        pytest.param(BUILDERS, (), id="verdict"),
        pytest.param(BUILDERS, ("a",), id="questions"),
        pytest.param(BUILDERS, ("a", "ctrl+s"), id="preview"),
    ],
)
@pytest.mark.usefixtures("stopped_clock")
def test_the_verdict_looks_as_it_did(
    snap_compare: Callable[..., bool],
    monkeypatch: pytest.MonkeyPatch,
    run: str,
    keys: tuple[str, ...],
    size: tuple[int, int],
) -> None:
    monkeypatch.chdir(Path(__file__).parent)

    async def before(pilot: Pilot[int]) -> None:
        await opened(pilot)
        for key in keys:
            await pilot.press(key)
            await until_still(pilot)
        for field in pilot.app.screen.query(TextArea):
            field.cursor_blink = False
        await until_still(pilot)

    runs = Path("runs")
    app = PlateauApp(runs, RunFolder(runs / run), {})
    assert snap_compare(app, terminal_size=size, run_before=before)
