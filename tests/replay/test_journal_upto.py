"""The journal of a replay: up to its cursor and no line further, unless that is asked for."""

import threading
from pathlib import Path

import pytest
from console.apps import SAMPLES, text_of, until, until_still, until_text
from metric.texts import parsed
from replay.judging import cut
from replay.reading import read
from replay.screens import SIX, a_run, lines_of, on, opened, press, replaying
from runlog.runs import begin, new_folder, write_cycle

from plateau_tui.console.replay.journallines import follow_lines
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.console.screens.replayjournal import ReplayJournalScreen
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder


def pieces(path: Path) -> tuple[list[str], list[int]]:
    """All lines of a journal and their places."""
    stop = threading.Event()
    lines, ends = list[str](), list[int]()
    for piece in follow_lines(path, stop):
        lines += [line.text for line in piece.lines]
        ends += piece.ends
        stop.set()
    return lines, ends


@pytest.mark.parametrize("name", ["builders_vs_hoarders", "withheld_4_objective_lost"])
def test_the_journal_of_a_moment_ends_with_the_heartbeat_of_its_cycle(
    name: str, tmp_path: Path
) -> None:
    run = RunFolder(SAMPLES / name)
    timeline, (_, ends) = read(run.path), pieces(run.journal)
    for step in range(len(timeline) - 1):
        place, cycle = timeline.moment(step).place, timeline.cycle_of(step)
        kept = cut(run, cycle, tmp_path / f"cut-{cycle}").journal.read_bytes()
        assert place == len(kept)
        assert sum(end <= place for end in ends) == kept.count(b"\n")
    assert timeline.moment(len(timeline) - 1).place == run.journal.stat().st_size == ends[-1]


def test_places_count_over_the_files_of_a_journal_and_over_lines_that_are_none(
    tmp_path: Path,
) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    write_cycle(writer, parsed(), 1)
    folder.journal.rename(folder.path / "journal.jsonl.1")
    writer.journal(ev.Note(by="op", text="after"))
    write_cycle(writer, parsed(), 2)
    writer.close()
    with folder.journal.open("ab") as file:
        file.write(b"no line of ours\n" + b"x" * (1 << 21) + b"\n")
    timeline, (texts, ends) = read(folder.path), pieces(folder.journal)
    upto = [sum(end <= timeline.moment(step).place for end in ends) for step in range(3)]
    assert [texts[n - 1] for n in upto[:2]] == ["cycle 1: read whole", "cycle 2: read whole"]
    assert "op: note: after" not in texts[: upto[1]]
    assert upto[2] == len(texts)
    assert texts[-1].endswith("cannot be read")
    assert ends[-1] == sum((folder.path / f).stat().st_size for f in ("journal.jsonl.1",)) + (
        folder.journal.stat().st_size
    )


@pytest.mark.asyncio
async def test_the_journal_goes_up_to_the_cursor_is_filtered_and_searched_as_the_live_one(
    tmp_path: Path,
) -> None:
    app = replaying(a_run(tmp_path / "run", SIX).path)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await press(pilot, "right_square_bracket", 2)
        await pilot.press("l")
        await on(pilot, ReplayJournalScreen)
        await until_text(pilot, "op: note: seen in 2")
        assert "seen in 3" not in text_of(app)
        assert "> UNI-10-1 reached PRIMARY" in text_of(app)
        await pilot.press("4")
        await until_text(pilot, "2 of ")
        assert "pinned" not in text_of(app).split("4 [notes]")[1]
        await pilot.press("slash", *"seen in 7", "enter")
        await until_text(pilot, "no such line")
        assert "seen in 7" not in text_of(app)
        for key, seen in (("full_stop", 3), ("right_square_bracket", 4), ("comma", 3)):
            await pilot.press(key)
            await until_text(pilot, f"op: note: seen in {seen}")
            await until_still(pilot)
            assert f"note: seen in {seen + 1}" not in text_of(app)
        await pilot.press("slash", *"in 2", "enter")
        await until_text(pilot, "1 of 1 found")
        await pilot.press("0", "h", "G")
        await until_text(pilot, "cycle 3: read whole")
        assert "cycle 4: read whole" not in text_of(app)


@pytest.mark.asyncio
async def test_what_came_later_is_shown_where_it_is_asked_for_and_marked(tmp_path: Path) -> None:
    app = replaying(a_run(tmp_path / "run", SIX).path)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("l")
        await on(pilot, ReplayJournalScreen)
        await until_text(pilot, "up to here (a: all)")
        await until_text(pilot, "op: note: seen in 1")
        await pilot.press("a")
        await until_text(pilot, "ALL, 23 later (a: not)")
        lines = text_of(app).splitlines()
        marked = {f"seen in {n}": False for n in range(1, 4)}
        for line in lines:
            for words in marked:
                if line.endswith(f"note: {words}") and ":" not in line[:3]:
                    marked[words] = line.startswith("later ")
        assert marked == {"seen in 1": False, "seen in 2": True, "seen in 3": True}
        await pilot.press("a")
        await until(pilot, lambda: "seen in 2" not in text_of(app))
        await pilot.press("p")
        await on(pilot, Page)
        await until_text(pilot, "# here, = read, - read later")
        await pilot.press("escape", "y")
        await on(pilot, Page)
        await until_text(pilot, "REPLAY of the journal of log run, as it stood in cycle 1 of 66")


@pytest.mark.asyncio
async def test_the_chosen_line_stays_chosen_while_the_cursor_moves_and_the_end_is_followed(
    tmp_path: Path,
) -> None:
    app = replaying(a_run(tmp_path / "run", SIX).path)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await press(pilot, "end", 12)
        await pilot.press("l")
        await on(pilot, ReplayJournalScreen)
        screen = app.screen
        assert isinstance(screen, ReplayJournalScreen)
        await until_text(pilot, "op: note: seen in 12")
        await pilot.press("slash", *"seen in 4", "enter")
        await until(pilot, lambda: lines_of(screen, "#full").endswith("seen in 4"))
        for _ in range(4):
            await pilot.press("comma")
        await until_text(pilot, "REPLAY run cycle 8 of 66")
        await until(pilot, lambda: lines_of(screen, "#full").endswith("seen in 4"))
        assert "seen in 9" not in text_of(app)
        await pilot.press("G")
        await until(pilot, lambda: lines_of(screen, "#full").endswith("seen in 8"))
        await pilot.press("full_stop")
        await until(pilot, lambda: lines_of(screen, "#full").endswith("seen in 9"))


@pytest.mark.asyncio
async def test_the_journal_of_a_run_that_goes_on_grows_at_its_end(tmp_path: Path) -> None:
    text = SIX
    folder, registration = new_folder(tmp_path / "run", text), parsed(text)
    writer = begin(folder, text)
    write_cycle(writer, registration, 0)
    app = replaying(folder.path)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("end", "l")
        await on(pilot, ReplayJournalScreen)
        await until_text(pilot, "the window opened")
        writer.journal(ev.Note(by="op", text="beside the cycles"))
        await until_text(pilot, "op: note: beside the cycles")
        write_cycle(writer, registration, 1)
        await until_text(pilot, "REPLAY run cycle 2 of 66")
        await pilot.press("h")
        await until_text(pilot, "cycle 2: read whole")
    writer.close()


@pytest.mark.asyncio
async def test_a_log_without_a_journal_tells_on_a_page_what_must_be_said(gaps: Path) -> None:
    app = replaying(gaps)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("l")
        await on(pilot, Page)
        await until_text(pilot, "earlier collector wrote 0 for what it could not read, too")
        await until_text(pilot, "# here, = read, - read later")
