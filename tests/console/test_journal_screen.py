"""The whole journal on screen: by kind, searched, followed, and never loaded into widgets."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from console.apps import app_on, sample, text_of, until, until_read, until_still, until_text
from hypothesis import given
from hypothesis import strategies as st
from metric.texts import parsed
from report.cases import closed_run, notes
from runlog.runs import begin, new_folder, write_cycle
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input

from plateau_tui.console.app import PlateauApp
from plateau_tui.console.lines.journal import (
    KINDS,
    UNREADABLE,
    JournalLine,
    details,
    drawn,
    found_at,
    journal_line,
    passing,
    when,
    whole,
)
from plateau_tui.console.lines.text import cells
from plateau_tui.console.screens.base import KeyBar
from plateau_tui.console.screens.dialogs import Page
from plateau_tui.console.screens.journal import JournalScreen
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.console.widgets.loglist import LogList
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder

EVIL: Final = "[@click=app.quit]x[/] [bold \x1b[31m \u202e end"
SHOWN: Final = "[@click=app.quit]x[/] [bold ·[31m · end"
SIZES: Final = [(80, 24), (120, 36)]


def eventful(tmp_path: Path) -> RunFolder:
    """A closed run with something of every kind in its journal."""
    more: list[ev.Event] = [
        ev.Fault(code="rcon", text="no answer", cycle=2),
        ev.Recovered(code="rcon", text="it answers", cycle=3),
        ev.Request(by="op", id="1", op="note", args={}),
        ev.Answer(id="1", ok=True, text="done"),
        *notes(["first words", EVIL, "First words again"]),
        ev.Watch(polls=3, grown={}, suggestion={}),
    ]
    return closed_run(tmp_path / "runs" / "eventful", *more)


async def opened(pilot: Pilot[int]) -> JournalScreen:
    """Open the journal of the run on screen, and wait until it was read."""
    await until_read(pilot)
    await pilot.press("l")
    await until(pilot, lambda: isinstance(pilot.app.screen, JournalScreen))
    screen = pilot.app.screen
    assert isinstance(screen, JournalScreen)
    await until(pilot, lambda: screen._lines and screen._log.count)
    await until_still(pilot)
    return screen


def told(screen: JournalScreen) -> list[str]:
    """What the lines of the present choice say."""
    return [screen._lines[place].text for place in screen._shown]


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
async def test_what_is_cut_of_a_line_is_marked_beside_the_scroll_bar(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = closed_run(tmp_path / "runs" / "noted", *notes([*"abcdefghijklmnopqrstuv", "x" * 200]))
    async with (app := app_on(folder)).run_test(size=size) as pilot:
        screen = await opened(pilot)
        await pilot.press("4")  # notes
        await until_text(pilot, "xxxx")
        log = screen.query_one(LogList)
        assert log.max_scroll_y > 0
        lines = [line for line in text_of(app).split("\n") if "note: xxxx" in line]
        assert lines[0].rstrip()[: log.scrollable_content_region.width].endswith("x~")


# -- lines, as functions ---------------------------------------------------------------------


@given(st.binary(max_size=300), st.integers(1, 200))
def test_no_line_of_a_file_gets_more_than_its_cells_or_a_control_character(
    data: bytes, width: int
) -> None:
    line = journal_line(3, data)
    for local in (True, False):
        shown = drawn(line, width, local=local)
        assert cells(shown) <= width
        assert shown.isprintable()
    assert len(whole(line, width, 2)) <= 2
    assert isinstance(details(data), str)


def test_an_opened_line_counts_its_cycles_as_the_list_does() -> None:
    over = ev.Recovered(code="closed", text="over", cycle=5, since=3)
    line = ev.encode_event("2026-01-05T01:00:00.000Z", over)
    assert "in cycle 6" in journal_line(1, line).text
    assert details(line).splitlines()[-2:] == [
        "cycle: 6 (5 in the file)", "since: 4 (3 in the file)",
    ]  # fmt: skip
    missed = ev.CyclesMissed(first=0, last=2, reason="asleep")
    told = details(ev.encode_event("2026-01-05T01:00:00.000Z", missed))
    assert "first: 1 (0 in the file)\nlast: 3 (2 in the file)" in told
    closed = ev.WindowClosed(cycles=5, early=True, why="", rows=30, rows_head="h")
    assert "cycles: 5\n" in details(ev.encode_event("2026-01-05T01:00:00.000Z", closed))


@given(st.text(max_size=300), st.integers(20, 200))
def test_a_note_of_any_text_is_one_plain_line(text: str, width: int) -> None:
    line = JournalLine(1, "2026-01-01T00:00:00.000Z", "note", f"op: note: {text}")
    shown = drawn(line, width, local=False)
    assert cells(shown) <= width
    assert shown.isprintable()
    assert all(part.isprintable() and cells(part) <= width for part in whole(line, width, 2))


def test_local_time_stands_beside_the_time_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        ts = "2026-01-01T20:00:00.000Z"
        assert when(ts, local=False) == "2026-01-01 20:00:00"
        assert when(ts, local=True) == "01-01 20:00:00 | 01-02 01:30:00 +0530"
    finally:
        monkeypatch.undo()
        time.tzset()


@given(
    st.lists(st.sampled_from(["alpha", "Beta", "gamma beta"]), max_size=12),
    st.integers(-20, 20),
    st.sampled_from([1, -1]),
)
def test_a_search_finds_the_next_line_round_the_end_or_says_that_there_is_none(
    texts: list[str], start: int, step: int
) -> None:
    lines = [JournalLine(n, "", "note", text) for n, text in enumerate(texts)]
    found = found_at(lines, range(len(lines)), "BETA", start, step)
    having = [n for n, text in enumerate(texts) if "beta" in text.lower()]
    if found is None:
        assert not having
    else:
        order = [(start + step * far) % len(texts) for far in range(len(texts))]
        assert found == next(place for place in order if place in having)


def test_every_event_can_be_shown_by_all_and_a_beat_only_when_asked() -> None:
    lines = [JournalLine(n, "", name, "") for n, name in enumerate(ev._BY_NAME)]
    every = {lines[place].name for place in passing(lines, 0, beats=True)}
    assert every == set(ev._BY_NAME)
    assert every - {lines[place].name for place in passing(lines, 0, beats=False)} == {"heartbeat"}
    for kind, (_, names) in enumerate(KINDS):
        if names is not None:
            found = {lines[place].name for place in passing(lines, kind, beats=False)}
            assert found == names - {UNREADABLE}


# -- on screen -------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_the_choice_of_a_kind_shows_that_kind_alone(tmp_path: Path) -> None:
    async with (app := app_on(eventful(tmp_path))).run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        assert "heartbeats hidden" in text_of(app)
        assert SHOWN in text_of(app)
        assert not any(text.startswith("cycle ") for text in told(screen))
        shown: dict[str, list[str]] = {}
        for key, (word, _) in enumerate(KINDS):
            await pilot.press(str(key))
            await until_text(pilot, f"{key} [{word}]")
            shown[word] = told(screen)
        assert shown["faults"] == ["FAULT rcon in cycle 3: no answer", "over in cycle 4: rcon"]
        assert shown["asked"] == ["op: asked for note", "answer: yes, done"]
        assert len(shown["pins"]) == 7
        assert [text for text in shown["notes"] if "first" in text.lower()] == [
            "op: note: first words",
            "op: note: First words again",
        ]
        assert len(shown["objectives"]) == 1
        await pilot.press("0", "h")
        beats = [text for text in told(screen) if text.startswith("cycle ")]
        assert beats == [f"cycle {n}: read whole" for n in (1, 2, 3, 4)]
        await pilot.press("h")
        assert told(screen) == shown["all"]


@pytest.mark.asyncio
async def test_a_search_goes_along_while_it_is_typed_and_n_goes_on(tmp_path: Path) -> None:
    async with (app := app_on(eventful(tmp_path))).run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await pilot.press("n")
        await until_text(pilot, "/ looks for words first")
        await pilot.press("g", "slash", *"FIRST w")

        def chosen() -> str:
            line = screen._chosen()
            assert line is not None
            return line.text

        await until(pilot, lambda: chosen() == "op: note: first words")
        await until_text(pilot, "1 of 2 found")
        await pilot.press("enter", "n")
        assert chosen() == "op: note: First words again"
        await until_text(pilot, "2 of 2 found")
        await pilot.press("k")  # on a line that was not looked for
        await until(pilot, lambda: " of 2 found" not in text_of(app))
        await pilot.press("n")
        await pilot.press("n")
        assert chosen() == "op: note: first words"
        await pilot.press("N")
        assert chosen() == "op: note: First words again"
        await pilot.press("slash", *"nowhere")
        await until_text(pilot, "no such line")
        await pilot.press("escape")
        assert isinstance(app.screen, JournalScreen)
        assert chosen() == "op: note: First words again"
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))


@pytest.mark.asyncio
async def test_every_key_that_moves_moves_and_the_ends_are_the_ends(tmp_path: Path) -> None:
    async with (app := app_on(sample(tmp_path))).run_test(size=(60, 20)) as pilot:
        screen = await opened(pilot)
        log, last = screen._log, screen._log.count - 1
        assert log.chosen == last
        for keys, place in (
            (("g",), 0),
            (("k", "up"), 0),
            (("j", "down"), 2),
            (("pagedown",), 2 + log.size.height - 1),
            (("pageup", "home"), 0),
            (("end",), last),
            (("j",), last),
            (("g", "G"), last),
        ):
            await pilot.press(*keys)
            assert log.chosen == place
        assert "the window closed" in text_of(app)
        assert len(screen.query_one(KeyBar).lines) <= 3
        assert CLAIM_FENCE_SHORT in " ".join(text_of(app).split())


@pytest.mark.asyncio
async def test_new_lines_are_followed_at_the_end_and_nowhere_else(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "runs" / "open")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        writer.journal(*notes([f"note {n}" for n in range(40)]))
        await until_text(pilot, "note 39")
        assert screen._log.at_end
        await pilot.press("g")
        writer.journal(*notes(["the last"]))
        await until(pilot, lambda: told(screen)[-1].endswith("the last"))
        assert screen._log.chosen == 0
        assert "the last" not in text_of(app)
        await until_text(pilot, "1 newer line below")
        writer.journal(*notes(["the very last"]))
        await until_text(pilot, "2 newer lines below")
        await pilot.press("3")
        await until(pilot, lambda: "newer" not in text_of(app))  # none of them is a pin
        await pilot.press("0")
        await until_text(pilot, "2 newer lines below")
        await pilot.press("G")
        await until(pilot, lambda: "newer" not in text_of(app))
        await pilot.press("g")
        assert "newer" not in text_of(app)
        # A journal that is another one begins anew.
        folder.journal.write_bytes(folder.journal.read_bytes().splitlines(keepends=True)[0])
        await until(pilot, lambda: len(screen._lines) == 1)
        assert screen._log.count == 1
    writer.close()


@pytest.mark.asyncio
async def test_a_journal_that_goes_on_in_a_new_file_is_shown_from_its_first_line(
    tmp_path: Path,
) -> None:
    folder = new_folder(tmp_path / "runs" / "rotated")
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    writer.journal(*notes(["before"]))
    folder.journal.rename(folder.path / "journal.jsonl.1")
    writer.journal(*notes(["after"]))
    writer.close()
    async with (app := app_on(folder)).run_test(size=(120, 40)) as pilot:
        screen = await opened(pilot)
        texts = told(screen)
        assert texts.index("op: note: before") < texts.index("op: note: after")
        await pilot.press("4", "g", "o")
        await until_text(pilot, "text: before")
        await pilot.press("escape", "G", "o")
        await until_text(pilot, "text: after")
        assert isinstance(app.screen, Page)


@pytest.mark.asyncio
async def test_problems_stand_at_its_top_and_all_of_them_are_a_key_away(tmp_path: Path) -> None:
    folder = sample(tmp_path)
    folder.registration.write_text(folder.registration.read_text() + "\n# changed\n")
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await until_text(pilot, "! registration changed: WITHHELD; put it back")
        await pilot.press("p")
        await until(pilot, lambda: isinstance(app.screen, Page))
        await until_text(pilot, "Problems, worst first")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, JournalScreen))


@pytest.mark.asyncio
async def test_the_chosen_line_can_be_read_in_full_and_is_plain_text(tmp_path: Path) -> None:
    async with (app := app_on(eventful(tmp_path))).run_test(size=(120, 40)) as pilot:
        screen = await opened(pilot)
        await pilot.press("4", "g")
        for key in ("o", "enter"):
            await pilot.press(key)
            await until(pilot, lambda: isinstance(app.screen, Page))
            await until_text(pilot, "text: first words")
            await until_text(pilot, "event: note")
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is screen)
        await pilot.press("j", "o")
        await until_text(pilot, f"text: {SHOWN}")
        await pilot.press("escape", "0", "t")
        await until_text(pilot, "UTC | local")
        with (RunFolder(screen._folder.path).journal).open("ab") as file:
            file.write(b'{"no": "event"\x1b[31m\n')
        await until_text(pilot, "cannot be read")
        await pilot.press("G", "o")
        await until_text(pilot, "Line ")
        assert "\x1b" not in text_of(app)


@pytest.mark.asyncio
async def test_thirty_thousand_lines_draw_only_what_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = sample(tmp_path)
    data = folder.journal.read_bytes()
    note = b'{"ts":"2026-01-01T00:00:00.000Z","event":"note","text":"note %d","chain":"0"}\n'
    folder.journal.write_bytes(data + b"".join(note % n for n in range(30_000)))
    lines: list[int] = []
    draw = LogList.render_line

    def counting(log: LogList, y: int) -> Strip:
        lines.append(y)
        return draw(log, y)

    monkeypatch.setattr(LogList, "render_line", counting)
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        await until(pilot, lambda: len(screen._lines) > 30_000)
        await until_still(pilot)
        assert len(list(screen.query("*"))) < 20
        lines.clear()
        await pilot.press("g")
        await pilot.press("slash", *"note 29999")
        await pilot.press("enter")
        await until_text(pilot, "note 29999")
        assert len(lines) < 30 * 24
        assert set(lines) <= set(range(24))
        assert screen._log.at_end
        assert "note 29998" in text_of(app)


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "120x36"])
@pytest.mark.parametrize(
    ("run", "keys"),
    [
        pytest.param("builders_vs_hoarders", ("l",), id="journal"),
        pytest.param("p1_inventory", ("l", "g", "slash", *"note"), id="searching"),
    ],
)
@pytest.mark.usefixtures("stopped_clock")
def test_the_journal_looks_as_it_did(
    snap_compare: Callable[..., bool],
    monkeypatch: pytest.MonkeyPatch,
    run: str,
    keys: tuple[str, ...],
    size: tuple[int, int],
) -> None:
    monkeypatch.chdir(Path(__file__).parent)

    async def before(pilot: Pilot[int]) -> None:
        await until_read(pilot)
        await pilot.press(*keys[:1])
        await until(pilot, lambda: isinstance(pilot.app.screen, JournalScreen))
        await until_still(pilot)
        await pilot.press(*keys[1:])
        for field in pilot.app.screen.query(Input):
            field.cursor_blink = False
        await until_still(pilot)

    runs = Path("runs")
    app = PlateauApp(runs, RunFolder(runs / run), {})
    assert snap_compare(app, terminal_size=size, run_before=before)
