"""A judging goes on while its screen is left, and whoever comes back finds it."""

import shutil
import threading
from pathlib import Path
from typing import Final

import pytest
from console.apps import app_on, sample, until, until_read, until_text, words_of

from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.verdict import VerdictScreen
from plateau_tui.console.verdict import underway
from plateau_tui.console.verdict.apart import ApartError
from plateau_tui.console.verdict.judging import Sitting, sit
from plateau_tui.console.verdict.underway import Judging, LeftJudgings
from plateau_tui.runlog.layout import RunFolder

RUN: Final = Path("run")


class Held:
    """In the place of a process apart: it ends when it is let go, or is stopped."""

    made: "list[Held]"

    def __init__(self, call: object, *, lasting: bool) -> None:
        assert callable(call)
        assert not lasting
        self._call, self.may_end, self.stopped = call, threading.Event(), False
        Held.made.append(self)

    def result(self) -> Sitting:
        assert self.may_end.wait(40)
        if self.stopped:
            raise ApartError("it was stopped")
        found = self._call()
        assert isinstance(found, Sitting)
        return found

    def stop(self) -> None:
        self.stopped = True
        self.may_end.set()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> type[Held]:
    Held.made = []
    monkeypatch.setattr(underway, "Apart", Held)
    return Held


@pytest.mark.asyncio
async def test_who_comes_back_finds_the_judging_that_was_left_and_it_is_the_only_one(
    tmp_path: Path, held: type[Held]
) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, VerdictScreen) and held.made)
        await until_text(pilot, "judging ... ")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, VerdictScreen))
        await until_text(pilot, "judging ... ")
        held.made[0].may_end.set()
        await until_text(pilot, "judged 0s ago")
        assert len(held.made) == 1
        assert not held.made[0].stopped
        await pilot.press("r")  # a judging anew is one
        await until(pilot, lambda: len(held.made) == 2)
        held.made[1].may_end.set()
        await until_text(pilot, "judged 0s ago")


@pytest.mark.asyncio
async def test_a_key_that_must_wait_says_so_while_it_judges(
    tmp_path: Path, held: type[Held]
) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, VerdictScreen) and held.made)
        screen = app.screen
        await pilot.press("a")
        await until_text(pilot, "not now: judging; judging ... ")
        assert app.screen is screen
        held.made[0].may_end.set()
        await until_text(pilot, "judged 0s ago")
        assert "not now" not in words_of(app)


def test_a_judging_of_another_stage_or_of_long_ago_is_ended(
    tmp_path: Path, held: type[Held], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = sample(tmp_path)
    left = LeftJudgings()
    left.leave(RUN, Judging(lambda: sit(folder), "open"))
    assert left.take(RUN, "closed") is None
    assert held.made[0].stopped
    judging = Judging(lambda: sit(folder), "closed")
    held.made[1].may_end.set()
    first = judging.result()
    assert judging.result() is first
    left.leave(RUN, judging)
    assert left.take(RUN, "closed") is judging
    assert left.take(RUN, "closed") is None
    left.leave(RUN, judging)
    monkeypatch.setattr(underway, "_FRESH_MS", -1)
    assert left.take(RUN, "closed") is None


def test_why_a_judging_came_to_nothing_is_told_to_whoever_asks(held: type[Held]) -> None:
    judging = Judging(lambda: sit(RunFolder(RUN)), "closed")
    judging.stop()
    for _ in range(2):
        with pytest.raises(ApartError):
            judging.result()
    assert held.made[0].stopped


@pytest.mark.asyncio
async def test_a_draft_names_the_form_that_fills_it_in(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    draft = RunFolder(tmp_path / "runs" / "draft")
    draft.path.mkdir()
    shutil.copy(folder.registration, draft.registration)
    async with app_on(draft).run_test(size=(80, 24)) as pilot:
        await until_text(pilot, "draft: fill in the form (g), then seal; w is the first-poll")
        await pilot.press("v")
        await until_text(pilot, "a draft can claim nothing (g, the form, seals)")
