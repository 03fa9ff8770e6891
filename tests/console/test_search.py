"""A search of the journal counts what comes while it stands there."""

from pathlib import Path

import pytest
from console.apps import app_on, tell_in_journal, until, until_read, until_text
from console.test_journal_screen import eventful
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.console.lines.journal import JournalLine
from plateau_tui.console.lines.search import Search
from plateau_tui.console.screens.journal import JournalScreen
from plateau_tui.runlog import events as ev

TEXTS = st.lists(st.sampled_from(["first words", "FIRST", "another", "a fault"]), max_size=12)


def lines_of(texts: list[str]) -> list[JournalLine]:
    return [
        JournalLine(n, "2026-01-01T00:00:00.000Z", "note", text) for n, text in enumerate(texts)
    ]


@given(TEXTS, TEXTS, st.sampled_from(["first", "fault", ""]), st.integers(0, 20))
def test_what_is_counted_as_lines_come_is_what_a_new_look_counts(
    before: list[str], after: list[str], words: str, start: int
) -> None:
    lines, more = lines_of(before), lines_of(before + after)
    search, anew = Search(words), Search(words)
    found = search.look_for(lines, range(len(lines)), start, 1)
    search.take(more, range(len(more)), len(lines), "n")
    if found is not None:
        anew.look_for(more, range(len(more)), found, 1)
        assert (search.told, search.hit) == (anew.told, found)
    elif any(words in text.lower() for text in after) and words:
        assert search.told.endswith("came: n")
        assert search.look_for(more, range(len(more)), start, 1) is not None
    else:
        assert search.told == ("no such line" if words else "")


@pytest.mark.asyncio
async def test_the_number_of_lines_found_goes_on_while_they_come(tmp_path: Path) -> None:
    folder = eventful(tmp_path)
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, JournalScreen))
        await until_text(pilot, "first words")
        await pilot.press("g", "slash", *"first w", "enter")
        await until_text(pilot, "1 of 2 found")
        tell_in_journal(folder, ev.Note(text="the first words of another"))
        await until_text(pilot, "1 of 3 found")
        await pilot.press("N")
        await until_text(pilot, "3 of 3 found")
        await pilot.press("slash", *"nowhere", "enter")
        await until_text(pilot, "no such line")
        tell_in_journal(folder, ev.Note(text="nowhere but here"))
        await until_text(pilot, "1 such line came: n")
        await pilot.press("n")
        await until_text(pilot, "1 of 1 found")
