"""The registration's screen: every key of it, what is written and when, and what is sealed."""

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from console.apps import (
    app_on,
    sample,
    until,
    until_read,
    until_still,
    until_text,
)
from console.gates import choose, made, on_disk, opened, put
from textual.pilot import Pilot
from textual.widgets import Input

from plateau_tui.console.app import PlateauApp
from plateau_tui.console.gate.file import read_gate
from plateau_tui.console.gate.form import Draft
from plateau_tui.console.gate.reach import Assessed, Reach
from plateau_tui.console.screens.dialogs import Confirm, Page
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.metric.registration import seal_hash
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.template import draft_text

asynchronous = pytest.mark.asyncio


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A draft of six pairs, which can pass, with comments of ours."""
    return made(tmp_path, draft_text("p1", 6) + "# the end\n")


# -- by keyboard alone ------------------------------------------------------------------------


@asynchronous
@pytest.mark.parametrize("size", [(60, 20), (120, 36)])
async def test_a_gate_is_filled_in_written_and_sealed_by_keys(
    folder: RunFolder, size: tuple[int, int]
) -> None:
    app = app_on(folder)
    async with app.run_test(size=size) as pilot:
        screen = await opened(pilot)
        await until_text(pilot, "it can pass, and it can fail")
        await put(pilot, screen, "variable", "dose: 2 against 1")
        await put(pilot, screen, "gate.k_primary", "2")
        assert 'variable = "novelty' in on_disk(folder)  # nothing is written while one types
        await until_text(pilot, "NOT WRITTEN")
        await pilot.press("w")
        await until_text(pilot, "Write registration.toml?")
        await until_text(pilot, '+variable = "dose: 2 against 1"')
        await pilot.press("y")
        await until_text(pilot, "write: written")
        assert tomllib.loads(on_disk(folder))["gate"]["k_primary"] == 2
        assert on_disk(folder).endswith("# the end\n")
        await pilot.press("s")
        await until_text(pilot, "Seal the gate?")
        await until_text(pilot, "What this gate can come to:")
        await until_text(pilot, "y: yes")
        await pilot.press("y")
        await until_text(pilot, "seal: sealed")
        sha256 = seal_hash(folder.registration.read_bytes())
        await until_text(pilot, f"sealed, sha256 {sha256}"[:40])
        assert screen.draft is None
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
    assert read_gate(folder).sealed == on_disk(folder)


@asynchronous
async def test_what_is_typed_is_judged_at_every_key(folder: RunFolder) -> None:
    app = app_on(folder)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(pilot)
        await choose(pilot, screen, "gate.margin")
        await pilot.press("enter")
        await until(pilot, lambda: screen.query_one("#value").has_focus)
        for _ in range(3):
            await pilot.press("backspace")
        await until_text(pilot, "gate.margin: ! is ''; it must be a number")
        await until_text(pilot, "not known while something is wrong")
        await pilot.press("0", ".", "9")
        await until_text(pilot, "it CANNOT PASS; the seal refuses it")
        await until_text(pilot, "must exceed the margin 0.9")
        await pilot.press("escape")  # given up
        await until_text(pilot, "it can pass, and it can fail")
        assert not screen.changed


@asynchronous
async def test_the_arrows_step_through_the_words_that_a_field_may_be(folder: RunFolder) -> None:
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await choose(pilot, screen, "gate.wood")
        await pilot.press("e", "down")
        await until(pilot, lambda: screen.query_one("#value", Input).value == "all_logs")
        await pilot.press("down", "up", "enter")
        assert screen.draft is not None
        assert 'wood = "all_logs"' in screen.draft.text
        await pilot.press("j", "k", "down", "up")
        assert screen.query_one("#fields").has_focus


@asynchronous
async def test_units_and_arms_are_edited(folder: RunFolder) -> None:
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await put(pilot, screen, "arms[0].units", "A, B, C")
        await until_text(pilot, "treatment has 3 units and control 6")
        await put(pilot, screen, "arms[1].units", "D, E, F")
        await put(pilot, screen, "arms[1].label", "plain")
        assert screen.draft is not None
        await until_text(pilot, "gate.k_primary")
        assert set(screen.draft.checked.by_path) == {"gate.k_primary", "gate.k_secondary"}


@asynchronous
async def test_letters_that_are_keys_are_typed_into_a_field(folder: RunFolder) -> None:
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await choose(pilot, screen, "gate.accept")
        await pilot.press("e", *"qfwsyrajkem", "enter")
        assert screen.draft is not None
        assert 'accept = "qfwsyrajkem"' in screen.draft.text
        assert app.screen is screen


# -- what it can come to ----------------------------------------------------------------------


@asynchronous
async def test_all_that_the_gate_can_come_to_is_a_page(folder: RunFolder) -> None:
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await until(pilot, lambda: screen._reach.found is not None)
        await pilot.press("a")
        await until_text(pilot, "best reachable lower bound:")
        await until_text(pilot, "smallest number of pairs that could pass: 6")


def test_the_newest_gate_is_computed_and_one_at_a_time() -> None:
    posted: list[Assessed] = []
    begun: list[Callable[[], None]] = []
    reach = Reach(posted.append, begun.append)

    def known() -> int | None:
        return reach.found.pairs if reach.found else None

    drafts = [Draft.of(draft_text("p", pairs)).checked.registration for pairs in (3, 4, 6)]
    for each in drafts:
        reach.want(each)
    assert (known(), reach.why_not, len(begun)) == (None, "computing ...", 1)
    begun[0]()
    reach.take(posted[0])
    assert (known(), len(begun)) == (None, 2)  # it was of a gate that nobody asks for any more
    begun[1]()
    reach.take(posted[1])
    assert known() == 6
    reach.want(drafts[2])
    assert len(begun) == 2
    reach.want(None)
    assert known() is None


@asynchronous
async def test_the_draft_is_copied_with_what_it_can_come_to(
    folder: RunFolder, tmp_path: Path
) -> None:
    app = app_on(folder)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(pilot)
        await until(pilot, lambda: screen._reach.found is not None)
        await pilot.press("y")
        await until(pilot, lambda: isinstance(app.screen, Page))
    copied = (tmp_path / "state" / "plateau-tui" / "copies" / "p1-gate.txt").read_text()
    assert tomllib.loads(copied) == tomllib.loads(on_disk(folder))
    assert "# What this gate can come to: it can pass" in copied


# -- pictures ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("stopped_clock")
@pytest.mark.parametrize("size", [(80, 24), (120, 36)], ids=["80x24", "120x36"])
@pytest.mark.parametrize("what", ["draft", "typing", "question", "sealed"])
def test_the_gate_looks_as_it_did(
    snap_compare: object,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    size: tuple[int, int],
) -> None:
    folder = sample(tmp_path) if what == "sealed" else made(tmp_path, draft_text("p1", 6))
    monkeypatch.chdir(tmp_path)
    folder = RunFolder(Path(os.path.relpath(folder.path, tmp_path)))
    app = PlateauApp(folder.path.parent, folder, {})

    async def before(pilot: Pilot[int]) -> None:
        if what == "sealed":
            await until_read(pilot)
        screen = await opened(pilot)
        screen.query_one("#value", Input).cursor_blink = False
        if what != "sealed":
            await until(pilot, lambda: screen._reach.found is not None)
        if what in {"typing", "question"}:
            await choose(pilot, screen, "gate.confidence")
            await pilot.press("e", "9", "9")
            await until(pilot, lambda: screen.draft is not None and "9599" in screen.draft.text)
            await until(pilot, lambda: screen._reach.found is not None)
        if what == "question":
            await pilot.press("enter", "w")
            await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        await until_still(pilot)

    assert callable(snap_compare)
    assert snap_compare(app, terminal_size=size, run_before=before)
