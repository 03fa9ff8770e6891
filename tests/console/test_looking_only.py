"""A read-only console keeps what it acknowledges, and its bell, to itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from console.apps import app_on, until, until_read, until_text
from metric.texts import parsed
from runlog.runs import begin, new_folder, write_cycle

from plateau_tui.config import operator_name
from plateau_tui.console.attention.seen import Kept, SeenError, SeenFile, SeenHere, with_bell
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.runlog.layout import RunFolder


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[RunFolder]:
    """An open run in which somebody has turned."""
    writer = begin(new_folder(tmp_path / "runs" / "a"))
    for cycle in (0, 1):
        write_cycle(writer, parsed(), cycle)
    yield RunFolder(tmp_path / "runs" / "a")
    writer.close()


def rings(screen: RunScreen) -> bool:
    return screen.bell_is_on


@pytest.mark.asyncio
async def test_the_keys_of_a_read_only_console_change_nothing_that_others_see(
    folder: RunFolder,
) -> None:
    file = SeenFile(folder, operator_name())
    file.change(lambda kept: with_bell(kept, bell=True))
    before = file.path.read_bytes()
    app = app_on(folder)
    app.only_look()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        assert rings(screen)
        await until(pilot, lambda: "*" in screen.marks.values())
        await pilot.press("b")
        await until_text(pilot, "the bell is off")
        await pilot.press("space")
        await until(pilot, lambda: set(screen.marks.values()) == {" "})
        assert not rings(screen)
        file.change(lambda kept: with_bell(kept, bell=True))  # another console's word
        await pilot.pause(1.2)
        assert not rings(screen)
    assert file.path.read_bytes() == before


def test_what_is_seen_here_begins_with_the_file_s_and_goes_no_further(folder: RunFolder) -> None:
    file = SeenFile(folder, "op")
    file.change(lambda kept: with_bell(kept, bell=False))
    here = SeenHere(file)
    assert here.load().bell is False
    assert here.change(lambda kept: with_bell(kept, bell=True)).bell is True
    assert here.load().bell is True
    assert not here.has_changed()
    assert file.load().bell is False


def test_a_damaged_file_is_told_once_and_the_marks_work_all_the_same(folder: RunFolder) -> None:
    file = SeenFile(folder, "op")
    file.change(lambda kept: with_bell(kept, bell=False))
    file.path.write_text("{")
    here = SeenHere(file)
    with pytest.raises(SeenError):
        here.load()
    assert here.load() == Kept()
    assert here.change(lambda kept: with_bell(kept, bell=True)).bell is True
