"""The list of runs says nothing of now by what it knew before, and names keys that work."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from console.apps import sample, text_of, until, until_read, until_text, words_of
from console.views import NOW, SLOT0, view
from metric.texts import parsed
from runlog.runs import begin, new_folder, write_cycle

from plateau_tui.console import clock
from plateau_tui.console.app import PlateauApp
from plateau_tui.console.keys import PLAIN_KEYS, KeysElsewhere
from plateau_tui.console.lines.problems import problems
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.readonly import CommandNames
from plateau_tui.console.screens import runs as module
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.screens.runs import RunEntry, RunsScreen, look_at, run_line
from plateau_tui.runlog.layout import RunFolder

FOLDER: Final = RunFolder(Path("run"))


def entry(looked_ms: int | None) -> RunEntry:
    """A run that is polled every 2 s and was well when it was looked at."""
    beat = NOW - 1000 if looked_ms is None else looked_ms - 1000
    slot0 = beat - 40 * 2000
    return RunEntry(
        FOLDER,
        view(interval_ms=2000, cycles=400, cycle=40, slot0_ms=slot0, heartbeat_ms=beat),
        "",
        looked_ms,
    )


def test_a_look_from_before_the_list_was_left_ages_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)
    looked = entry(NOW - 60_000)
    for line in (run_line(looked, 8, 80, NOW - 100), run_line(looked, 8, 80)):
        assert line.startswith("run      open")
        assert line.split()[-3:] == ["-", "-", "reading"]
    fresh = run_line(entry(NOW - 500), 8, 80, NOW - 1000)
    assert fresh.endswith("alive")
    assert "reading" not in fresh


def test_what_a_look_could_not_have_seen_is_not_overdue() -> None:
    looked = entry(NOW - 2500)
    assert looked.view is not None
    assert [p.kind for p in problems(looked.view, NOW + 2000) if p.kind] == ["poll overdue"]
    assert looked.problems(NOW + 2000) == []
    late = replace(looked, looked_ms=NOW + 2000)
    assert [problem.kind for problem in late.problems(NOW + 2000)] == ["poll overdue"]


def test_why_a_run_cannot_be_read_grows_old_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: NOW)
    broken = RunEntry(FOLDER, None, "cannot be read: no", NOW - 60_000)
    assert run_line(broken, 8, 80).rstrip() == "run      reading ..."
    assert run_line(replace(broken, looked_ms=NOW), 8, 80).endswith("cannot be read: no")


def test_a_look_is_of_when_its_last_reading_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = iter(range(SLOT0, SLOT0 + 1000))
    monkeypatch.setattr(clock, "now_ms", lambda: next(ticks))
    found = look_at(RunModel(sample(tmp_path)), lambda: False)
    assert found.view is not None
    assert found.looked_ms is not None
    assert SLOT0 < found.looked_ms < next(ticks)


@pytest.mark.parametrize("binding", ["run.collect", "run.pin", "run.close", "run.verdict"])
def test_a_run_s_keys_are_named_behind_the_one_that_opens_it(binding: str) -> None:
    names = KeysElsewhere(names=PLAIN_KEYS, first="enter")
    assert names[binding] == f"enter, then {PLAIN_KEYS[binding]}"
    assert names["back"] == PLAIN_KEYS["back"]
    shut = CommandNames()
    commands = KeysElsewhere(names=shut, first="enter")
    assert (commands[binding] == shut[binding]) == (" " in shut[binding])


@pytest.mark.asyncio
@pytest.mark.parametrize("away_ms", [5000, 3_600_000])
async def test_on_return_a_run_is_not_judged_by_what_was_known_when_it_was_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, away_ms: int
) -> None:
    """While the files are read anew nothing is said of the run but that."""
    writer = begin(new_folder(tmp_path / "runs" / "a"))
    write_cycle(writer, parsed(), 0)
    now, may_look, looks = SLOT0 + 2000, threading.Event(), list[RunEntry]()
    monkeypatch.setattr(clock, "now_ms", lambda: now)

    def held(model: RunModel, halted: object) -> RunEntry:
        assert callable(halted)
        may_look.wait(20)
        looks.append(look_at(model, lambda: False))
        return looks[-1]

    may_look.set()
    monkeypatch.setattr(module, "look_at", held)
    app = PlateauApp(tmp_path / "runs", None, {})
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await until_text(pilot, "start one with enter, then c")
        may_look.clear()
        await pilot.press("enter")
        await until_read(pilot)
        now += away_ms
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen))
        await until_text(pilot, "- - reading")
        await pilot.pause(0.1)
        assert "missed" not in words_of(app)
        assert "NO COLLECTOR" not in words_of(app)
        assert "1h" not in text_of(app)
        may_look.set()
        await until_text(pilot, "NO COLLECTOR runs")
        assert "reading" not in text_of(app)
    writer.close()


@pytest.mark.asyncio
async def test_the_first_key_that_the_list_names_works_there(tmp_path: Path) -> None:
    writer = begin(new_folder(tmp_path / "runs" / "a"))
    write_cycle(writer, parsed(), 0)
    app = PlateauApp(tmp_path / "runs", None, {})
    async with app.run_test(size=(80, 24)) as pilot:
        await until_text(pilot, "enter, then ")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
    writer.close()
