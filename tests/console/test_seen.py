"""What an operator has seen, over consoles and in three of them at once; the bell."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import msgspec.structs
import pytest
from console.apps import app_on, text_of, until, until_read, until_text, words_of
from console.views import NOW, view
from hypothesis import given
from hypothesis import strategies as st
from metric.texts import parsed
from runlog.runs import begin, cycle_rows, heartbeat, new_folder, write_cycle

from plateau_tui.config import operator_name
from plateau_tui.console.attention.seen import (
    LOST,
    TURNED,
    Kept,
    News,
    SeenError,
    SeenFile,
    UnitSeen,
    acknowledged,
    mark_of,
    marked_first,
    news_of,
    turned_words,
    unit_now,
    with_bell,
)
from plateau_tui.console.live.view import RunView
from plateau_tui.console.screens.run import RunScreen
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.writer import RunWriter

TREATMENT: Final = ("UNI-10-1", "UNI-10-2", "UNI-10-3")
CONTROL: Final = ("UNI-11-1", "UNI-11-2", "UNI-11-3")
NAME: Final = "evil [b] run"


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[RunWriter]:
    """An open run after one cycle in which nobody had reached anything."""
    made = begin(new_folder(tmp_path / "runs" / NAME))
    write_cycle(made, parsed(), 0)
    yield made
    made.close()


@pytest.fixture
def folder(writer: RunWriter, tmp_path: Path) -> RunFolder:
    del writer
    return RunFolder(tmp_path / "runs" / NAME)


def silent_cycle(writer: RunWriter, cycle: int) -> None:
    """A cycle in which the first treatment unit is gone and cannot be read."""
    first, *others = cycle_rows(parsed(), writer.state, cycle)
    nothing = dict.fromkeys(first.placed_used)
    gone = msgspec.structs.replace(first, online=False, placed_used=nothing)
    writer.cycle([gone, *others], heartbeat(cycle))


def marked(app_text: str) -> dict[str, str]:
    """Unit -> the cell behind its name."""
    found = {}
    for line in app_text.splitlines():
        for name in (*TREATMENT, *CONTROL):
            if line[2:].startswith(name):
                found[name] = line[2 + len(name)]
    return found


def all_of(mark: str, names: tuple[str, ...]) -> dict[str, str]:
    return dict.fromkeys(names, mark)


# -- what is new, as a function --------------------------------------------------------------


def test_a_unit_is_new_by_each_flag_that_turned_and_by_what_it_lost() -> None:
    unit = replace(view().units[0], primary=True, secondary=None, plateau_break=False)
    assert news_of(unit, UnitSeen()) == ("PRIMARY",)
    assert news_of(unit, UnitSeen(flags=["primary"])) == ()
    lost = replace(unit, gaps=3, online=False)
    assert news_of(lost, UnitSeen(flags=["primary"], gaps=2)) == (
        "a reading lost",
        "gone from the players' list",
    )
    assert news_of(lost, UnitSeen(flags=["primary"], gaps=3, away=True)) == ()
    # Nobody knows whether it is in the list: that is not gone.
    assert news_of(replace(lost, online=None), UnitSeen(flags=["primary"], gaps=3)) == ()
    assert [mark_of(news_of(u, UnitSeen(flags=["primary"]))) for u in (unit, lost)] == [" ", LOST]
    assert mark_of(news_of(lost, UnitSeen())) == TURNED


def test_what_came_back_between_two_looks_stays_new_until_it_is_seen() -> None:
    made = view()
    news = News(acknowledged(Kept(), made))
    gone = replace(made, units=tuple(replace(u, online=False) for u in made.units))
    news.take(gone)
    news.take(made)
    assert set(news.marks.values()) == {LOST}
    news.reset(acknowledged(news.kept, made), made)
    assert set(news.marks.values()) == {" "}


def test_another_run_in_the_same_place_was_never_seen() -> None:
    made = view()
    news = News(acknowledged(Kept(), made))
    news.take(made)
    assert set(news.marks.values()) == {" "}
    news.reset(news.kept, replace(made, slot0_ms=NOW))
    assert set(news.marks.values()) == {TURNED}


@given(
    flags=st.lists(st.tuples(*[st.sampled_from([True, False, None])] * 4), min_size=6, max_size=6),
    gaps=st.lists(st.integers(0, 9), min_size=6, max_size=6),
)
def test_whatever_was_acknowledged_is_not_new(
    flags: list[tuple[bool | None, ...]], gaps: list[int]
) -> None:
    units = tuple(
        replace(u, primary=p, secondary=s, plateau_break=b, online=on, gaps=g)
        for u, (p, s, b, on), g in zip(view().units, flags, gaps, strict=True)
    )
    made = replace(view(), units=units)
    news = News(acknowledged(Kept(), made))
    news.take(made)
    assert set(news.marks.values()) == {" "}
    assert all(unit_now(unit) == news.kept.units[unit.name] for unit in units)


def test_what_turned_comes_before_what_was_lost() -> None:
    marks = {"a": LOST, "b": " ", "c": TURNED, "d": LOST}
    assert marked_first(marks, "abcd") == ["c"]
    assert marked_first(marks, "abd") == ["a", "d"]
    assert marked_first(marks, "b") == []


def test_who_turned_is_told_in_short_and_what_was_lost_is_not() -> None:
    found = {
        "a": ("PRIMARY", "a reading lost"), "b": ("PRIMARY", "SECONDARY", "both"),
        "c": ("a reading lost",), "d": ("PRIMARY", "SECONDARY"),
    }  # fmt: skip
    assert turned_words(found, "abcd") == "a PRIMARY, +2"
    assert turned_words(found, "bcd", 2) == "b both, d PRIMARY and SECONDARY"
    assert turned_words(found, "cx") == ""


# -- the file --------------------------------------------------------------------------------


def test_each_operator_and_each_run_has_a_file_of_its_own(tmp_path: Path) -> None:
    files = {
        SeenFile(RunFolder(tmp_path / run), who).path for run in ("a", "b") for who in ("x", "y")
    }
    assert len(files) == 4
    (one, *_) = files
    assert one.is_relative_to(tmp_path / "state")


def test_a_damaged_file_is_told_and_begun_anew(tmp_path: Path) -> None:
    file = SeenFile(RunFolder(tmp_path / "a"), "op")
    assert file.load() == Kept()
    file.change(lambda kept: with_bell(kept, bell=False))
    for spoilt in (b"", b"{", b'{"units": 3}', b"\xff\xfe", b"[" * 100_000):
        file.path.write_bytes(spoilt)
        with pytest.raises(SeenError, match="damaged"):
            SeenFile(RunFolder(tmp_path / "a"), "op").load()
    file.change(lambda kept: with_bell(kept, bell=True))
    assert file.load().bell is True
    assert [path.name for path in file.path.parent.iterdir()] == [file.path.name]


def test_three_consoles_at_once_leave_one_whole_file_with_all_that_they_did(
    tmp_path: Path,
) -> None:
    program = """
import sys
from pathlib import Path
from plateau_tui.console.attention.seen import Kept, SeenFile, UnitSeen
from plateau_tui.runlog.layout import RunFolder
who, run = sys.argv[1:]
file = SeenFile(RunFolder(Path(run)), "op")
for n in range(1, 16):
    def add(kept):
        units = dict(kept.units)
        units[who] = UnitSeen(gaps=units.get(who, UnitSeen()).gaps + 1)
        return Kept(units=units)
    file.change(add)
    assert file.load().units[who].gaps == n
"""
    run = str(tmp_path / "a")
    consoles = [
        subprocess.Popen([sys.executable, "-c", program, who, run], env=dict(os.environ))
        for who in ("one", "two", "three")
    ]
    assert [console.wait(60) for console in consoles] == [0, 0, 0]
    kept = SeenFile(RunFolder(tmp_path / "a"), "op").load()
    assert {who: unit.gaps for who, unit in kept.units.items()} == dict.fromkeys(
        ("one", "two", "three"), 15
    )


# -- on screen -------------------------------------------------------------------------------


@pytest.mark.asyncio
async def test_what_turned_while_nobody_looked_is_marked_until_it_is_acknowledged(
    folder: RunFolder, writer: RunWriter
) -> None:
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until_read(pilot)
        assert marked(text_of(app)) == all_of(" ", (*TREATMENT, *CONTROL))
        await pilot.press("space")
        await until_text(pilot, "seen: 2 problems")
        await pilot.press("space")
        await until_text(pilot, "nothing new")
    write_cycle(writer, parsed(), 1)
    for _ in range(2):  # leaving without a word acknowledges nothing
        async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
            await until_read(pilot)
            expected = all_of(TURNED, TREATMENT) | all_of(" ", CONTROL)
            assert marked(text_of(app)) == expected
            assert "new: PRIMARY, SECONDARY, both; UNI-10-1" in text_of(app)
    async with (app := app_on(folder)).run_test(size=(60, 20)) as pilot:
        await until_read(pilot)
        assert marked(text_of(app))[TREATMENT[0]] == TURNED
        await pilot.press("space")
        await until_text(pilot, "seen: 3 marks cleared")
        assert "turned: UNI-10-1" in words_of(app)
        assert marked(text_of(app))[TREATMENT[0]] == " "
        silent_cycle(writer, 2)
        await until(pilot, lambda: marked(text_of(app))[TREATMENT[0]] == LOST)
        assert "new: a reading lost, gone" in words_of(app)


def test_the_bell_s_choice_forgets_nothing_that_was_seen() -> None:
    kept = acknowledged(Kept(), view(), ["a problem"])
    chosen = with_bell(kept, bell=False)
    assert (chosen.problems, chosen.units, chosen.slot0_ms) == (
        ["a problem"], kept.units, kept.slot0_ms,
    )  # fmt: skip
    other = News(msgspec.structs.replace(chosen, slot0_ms=1))  # another run in its place
    assert News(chosen).problems_seen(view()) == {"a problem"}
    assert other.problems_seen(view()) == frozenset()


@pytest.mark.asyncio
async def test_what_one_console_acknowledges_is_seen_in_the_others(
    folder: RunFolder, writer: RunWriter
) -> None:
    write_cycle(writer, parsed(), 1)
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        assert marked(text_of(app))[TREATMENT[0]] == TURNED
        view_now = screen.view
        assert view_now is not None
        other = SeenFile(folder, operator_name())
        other.change(lambda kept: acknowledged(kept, view_now))
        await until(pilot, lambda: marked(text_of(app))[TREATMENT[0]] == " ")


@pytest.mark.asyncio
async def test_a_state_folder_that_cannot_be_used_is_said_once_and_the_marks_work_all_the_same(
    folder: RunFolder, writer: RunWriter, tmp_path: Path
) -> None:
    write_cycle(writer, parsed(), 1)
    (tmp_path / "state").write_text("in the way")
    async with (app := app_on(folder)).run_test(size=(100, 40)) as pilot:
        await until_read(pilot)
        await pilot.press("space")
        await until_text(pilot, "cannot be kept (Not a directory), and holds until you leave")
        assert marked(text_of(app))[TREATMENT[0]] == " "
        await pilot.press("space", "b", "b")
        await pilot.pause(0.2)
        assert text_of(app).count("cannot be kept") == 1


@pytest.mark.asyncio
async def test_a_damaged_file_is_said_and_everything_is_new_again(folder: RunFolder) -> None:
    file = SeenFile(folder, operator_name())
    file.change(lambda kept: with_bell(kept, bell=False))
    file.path.write_text("{")
    async with app_on(folder).run_test(size=(100, 40)) as pilot:
        screen = await until_read(pilot)
        await until_text(pilot, "what you had seen is damaged, and is kept anew")
        assert screen.bell_is_on


@pytest.mark.asyncio
async def test_the_keys_answer_before_anything_was_read(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "runs" / "a", "x = [")
    async with (app := app_on(folder)).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        await pilot.press("space", "b", "d", "escape", "v", "escape", "l", "escape")
        await until_text(pilot, "the bell is off")


def test_a_view_without_units_has_no_marks() -> None:
    empty: RunView = replace(view(), units=())
    news = News()
    news.take(empty)
    assert news.marks == {}
    assert news.of("nobody") == ()
