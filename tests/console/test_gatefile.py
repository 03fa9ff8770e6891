"""The registration's file: what is written and when, what is not lost, and what is sealed."""

import contextlib
import threading
from pathlib import Path

import pytest
from console.apps import (
    app_on,
    sample,
    until,
    until_text,
    words_of,
)
from console.gates import COMMENTED, choose, made, on_disk, opened, put

from plateau_tui.collector import hand
from plateau_tui.collector.run import CollectorHoldsRunError, DeclinedError, open_run
from plateau_tui.console.gate.file import draft_change, read_gate, sealed_lines, write_gate
from plateau_tui.console.gate.form import Draft, DraftError
from plateau_tui.console.screens.base import KeyBar
from plateau_tui.console.screens.dialogs import Confirm, Page
from plateau_tui.console.screens.gate import GateScreen
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.metric.registration import seal_hash
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import RunLock
from plateau_tui.runlog.template import draft_text

asynchronous = pytest.mark.asyncio


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """A draft of six pairs, which can pass, with comments of ours."""
    return made(tmp_path, draft_text("p1", 6) + "# the end\n")


# -- what is not lost, and not overwritten ----------------------------------------------------


@asynchronous
@pytest.mark.parametrize("key", ["escape", "q", "r"])
async def test_a_draft_that_is_not_written_is_not_lost_unasked(folder: RunFolder, key: str) -> None:
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await put(pilot, screen, "run_id", "p2")
        for answer in ("enter", "escape", "n"):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, Confirm))
            await pilot.press(answer)
            await until(pilot, lambda: app.screen is screen)
            assert screen.changed
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        if key == "r":
            await until(pilot, lambda: app.screen is screen and not screen.changed)
        elif key == "escape":
            await until(pilot, lambda: isinstance(app.screen, RunScreen))
        else:
            await until(pilot, lambda: app._exit)
    assert 'run_id = "p1"' in on_disk(folder)


@asynchronous
@pytest.mark.parametrize("answer", ["n", "enter", "escape"])
async def test_nothing_is_written_or_sealed_without_a_yes(folder: RunFolder, answer: str) -> None:
    before = on_disk(folder)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press(answer)
        await until(pilot, lambda: app.screen is screen)
        await put(pilot, screen, "run_id", "p2")
        await pilot.press("s")
        await until_text(pilot, "not written yet: w writes it first")
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press(answer)
        await until(pilot, lambda: app.screen is screen)
    assert on_disk(folder) == before
    assert read_gate(folder).sealed is None


@asynchronous
async def test_a_file_that_changed_meanwhile_is_not_overwritten(folder: RunFolder) -> None:
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await put(pilot, screen, "run_id", "p2")
        other = on_disk(folder).replace("cycles = 66", "cycles = 67")
        folder.registration.write_text(other, encoding="utf-8")
        await pilot.press("w")
        await until_text(pilot, "CHANGED ON DISK")
        await pilot.pause()
        assert app.screen is screen
        assert on_disk(folder) == other
        await pilot.press("r")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        await pilot.press("y")
        await until(pilot, lambda: not screen.changed)
        assert screen.draft is not None
        assert "cycles = 67" in screen.draft.text


def test_a_change_between_the_question_and_the_answer_is_seen_too(folder: RunFolder) -> None:
    before = folder.registration.read_bytes()
    folder.registration.write_bytes(before + b"# another hand\n")
    with pytest.raises(DraftError, match="has changed on disk meanwhile: nothing is written"):
        write_gate(folder, before, "mine")
    assert folder.registration.read_bytes() == before + b"# another hand\n"


@pytest.mark.parametrize("removed", [False, True], ids=["lock there", "lock removed"])
def test_a_run_that_another_process_holds_is_not_written(folder: RunFolder, removed: bool) -> None:
    before = folder.registration.read_bytes()
    lock = RunLock(folder.lock)
    lock.acquire()
    try:
        if removed:
            folder.lock.unlink()  # which nobody should, and which lets nobody in
        with pytest.raises(Exception, match="holds the run") as caught:
            write_gate(folder, before, "mine")
    finally:
        lock.release()
    assert getattr(caught.value, "exit_code", None) is not None
    assert folder.registration.read_bytes() == before


def test_a_run_that_was_sealed_meanwhile_is_not_written(folder: RunFolder) -> None:
    before = folder.registration.read_bytes()
    with open_run(folder) as run:
        hand.seal(run, "tester")
    with pytest.raises(Exception, match="sealed by now"):
        write_gate(folder, before, "mine")
    assert folder.registration.read_bytes() == before


def test_a_gate_whose_seal_stands_in_a_journal_that_was_moved_is_not_written(
    folder: RunFolder,
) -> None:
    before = folder.registration.read_bytes()
    with open_run(folder) as run:
        hand.seal(run, "tester")
    folder.journal.rename(folder.path / "journal.old")
    with pytest.raises(Exception, match="sealed by now"):
        write_gate(folder, before, "mine")
    assert folder.registration.read_bytes() == before


def test_a_seal_and_a_write_at_the_same_moment_never_leave_a_seal_on_another_text(
    folder: RunFolder,
) -> None:
    """Ten drafts are written, each against a seal: whoever is first, no seal is broken."""
    for _ in range(10):
        before = folder.registration.read_bytes()
        start = threading.Barrier(2)

        def write(before: bytes = before, start: threading.Barrier = start) -> None:
            start.wait()
            with contextlib.suppress(DeclinedError, CollectorHoldsRunError):
                write_gate(folder, before, before.decode("utf-8") + "# mine\n")

        writing = threading.Thread(target=write)
        writing.start()
        start.wait()
        with contextlib.suppress(CollectorHoldsRunError), open_run(folder) as run:
            hand.seal(run, "tester")
        writing.join()
        gate = read_gate(folder)
        assert gate.sealed is None or not gate.differs
        if gate.sealed is not None:
            folder.journal.unlink()


def test_what_is_written_keeps_the_file_s_mode(folder: RunFolder) -> None:
    write_gate(folder, folder.registration.read_bytes(), "# mine\n")
    assert on_disk(folder) == "# mine\n"
    assert folder.registration.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.path.glob(".registration*")] == []


@asynchronous
async def test_a_file_that_changed_while_nothing_was_typed_is_read_anew(folder: RunFolder) -> None:
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await choose(pilot, screen, "window.cycles")
        text = on_disk(folder).replace("cycles = 66", "cycles = 4711")
        folder.registration.write_text(text, encoding="utf-8")
        await until_text(pilot, "4711")


@asynchronous
async def test_an_error_of_the_disk_is_one_line(folder: RunFolder) -> None:
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await put(pilot, screen, "run_id", "p2")
        await pilot.press("w")
        await until(pilot, lambda: isinstance(app.screen, Confirm))
        lock = RunLock(folder.lock)
        lock.acquire()
        try:
            await pilot.press("y")
            await until_text(pilot, "write: NO:")
        finally:
            lock.release()
        assert screen.changed


@asynchronous
async def test_a_gate_that_cannot_pass_is_refused_with_its_reason(tmp_path: Path) -> None:
    folder = made(tmp_path, COMMENTED)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("s")
        await until_text(pilot, "It will be REFUSED")
        await pilot.press("y")
        await until_text(pilot, "seal: NO: 3 pairs cannot pass")
    assert read_gate(folder).sealed is None


# -- what cannot be edited --------------------------------------------------------------------


@asynchronous
@pytest.mark.parametrize(
    ("text", "words"),
    [("run_id = \n", "line 1"), ("x = 1\nx = 2\n", "is not valid TOML"), (None, "cannot be read")],
)
async def test_a_file_that_is_no_toml_is_shown_and_not_edited(
    tmp_path: Path, text: str | None, words: str
) -> None:
    folder = made(tmp_path, text or "")
    if text is None:
        folder.registration.unlink()
        folder.journal.write_text("")
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(GateScreen(folder))
        await until(pilot, lambda: isinstance(app.screen, GateScreen))
        await until_text(pilot, words)
        for key in ("e", "enter", "w", "s", "a", "j", "k", "y"):
            await pilot.press(key)
            await pilot.pause()
        if isinstance(app.screen, Page):
            await pilot.press("escape")
        folder.registration.write_text(COMMENTED, encoding="utf-8")
        await until_text(pilot, "draft, valid, as on disk")


@asynchronous
async def test_a_sealed_gate_is_shown_and_nothing_in_it_can_be_changed(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    before = {path: path.read_bytes() for path in folder.path.iterdir() if path.is_file()}
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        sha256 = seal_hash(folder.registration.read_bytes())
        await until_text(pilot, f"sealed, sha256 {sha256}"[:70])
        await until_text(pilot, "is what was sealed")
        await until_text(pilot, "later_gates")
        bar = screen.query_one(KeyBar)
        await until(pilot, lambda: not any("s Seal" in line for line in bar.lines))
        assert any("y Copy" in line for line in bar.lines)
        for key in ("e", "enter", "w", "s", "a", "r", "j", "k", "down", "up", "x"):
            await pilot.press(key)
            await pilot.pause()
            assert app.screen is screen
            assert screen.draft is None
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
    assert {path: path.read_bytes() for path in before} == before


@asynchronous
async def test_a_file_that_is_not_what_was_sealed_is_shown_as_a_difference(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    text = on_disk(folder)
    app = app_on(folder)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        changed = text.replace("k_primary = ", "k_primary =  ") + "# more\x1b[31m\n"
        folder.registration.write_text(changed, encoding="utf-8")
        await until_text(pilot, "is NOT what was sealed")
        await until_text(pilot, "+k_primary")
        await until_text(pilot, "-- the sealed text --")
        assert "\x1b" not in words_of(app)
        folder.registration.write_text(text, encoding="utf-8")
        await until_text(pilot, "is what was sealed")


def test_lines_that_differ_only_in_their_end_are_told(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    folder.registration.write_bytes(folder.registration.read_bytes().replace(b"\n", b"\r\n"))
    assert "(they differ only in how their lines end)" in sealed_lines(read_gate(folder))
    folder.registration.unlink()
    assert any("cannot be read" in line for line in sealed_lines(read_gate(folder)))


@pytest.mark.parametrize(
    ("changed", "more"), [(10, ""), (11, "(1 more line)"), (13, "(3 more lines)")]
)
def test_a_long_change_says_how_many_lines_more_there_are(
    folder: RunFolder, changed: int, more: str
) -> None:
    text = on_disk(folder)
    added = "".join(f"# {n}\n" for n in range(changed))
    told = draft_change(read_gate(folder), Draft.of(text + added)).split("\n")
    assert told[-1] == (more or "+# 9")
