"""What stands on the run's screen of all that is wrong: what can be acted on, and all that fits."""

from dataclasses import replace
from pathlib import Path

import pytest
from console.apps import (
    app_on,
    draft,
    read_all,
    sample,
    tell_in_journal,
    text_of,
    until,
    until_read,
    until_text,
)
from console.views import NOW, view, with_some, with_units
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from plateau_tui.config import operator_name
from plateau_tui.console.attention.bell import Alarm
from plateau_tui.console.attention.seen import SeenFile
from plateau_tui.console.lines.problem import (
    Problem,
    folded_together,
    least_for_two,
    unseen_in_sight,
)
from plateau_tui.console.lines.problems import problems
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.view import RunView
from plateau_tui.console.screens.base import Line
from plateau_tui.console.screens.journal import JournalScreen
from plateau_tui.console.starting import COLLECT
from plateau_tui.console.widgets.arm import Arm
from plateau_tui.metric.objectives import SCORED
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder

GONE = f"{SCORED[0]} and 14 more gone in cycle 4 ({', '.join(SCORED[1:15])})"
BLOCKED = "journal.jsonl cannot be written: no space left: kept in memory and tried again"
EDITED = ev.Fault(code="log_edited", text="journal.jsonl was edited; see verify")


def starts(run: RunView) -> list[str]:
    return [problem.text for problem in problems(run, NOW)]


# -- the order ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "start"),
    [
        ({"collector_pid": None}, "NO COLLECTOR"),
        ({"collector_pid": None, "slot0_ms": NOW - 10**12}, "the window's time is over"),
        ({"heartbeat_ms": NOW - 1_900_000}, "the collector has been silent"),
        ({"rcon_ok": False, "fault": "refused"}, "RCON"),
        ({"error": "gone"}, "the run cannot be read"),
        ({"faults": (ev.Fault(code="log_blocked", text=BLOCKED, cycle=3),)}, "journal.jsonl"),
    ],
)
def test_what_costs_readings_now_stands_before_what_nobody_can_mend(
    changes: dict[str, object], start: str
) -> None:
    run = replace(with_units(baseline=None), voided=(GONE,), log_faults=(EDITED,))
    found = starts(replace(run, seal_broken=True, fell=2, **changes))  # type: ignore[arg-type]
    assert found[0].startswith(start)
    assert found[1:3] == [GONE, "journal.jsonl was edited"]
    assert found[3].startswith("registration.toml was changed")
    assert found[-1].startswith("counters that fell")


def test_a_log_that_cannot_be_written_is_no_fault_of_rcon() -> None:
    run = view(faults=(ev.Fault(code="log_blocked", text=BLOCKED, cycle=3),))
    [problem] = problems(run, NOW)
    assert problem.text == "journal.jsonl cannot be written: no space left since cycle 4"
    assert problem.grave
    assert problem.remedy.startswith("make room or give access")


def test_no_problem_sends_its_reader_to_where_it_is_read() -> None:
    run = replace(view(), voided=(GONE, "a probe's tag of the other arm"), missing=SCORED)
    assert not [line for line in (p.line for p in problems(run, NOW)) if "says more" in line]


def test_the_two_numbers_of_objectives_that_are_gone_explain_each_other() -> None:
    missing = (*SCORED[:15], "a", "b", "c", "d")
    run = view(voided=(GONE,), missing=missing)
    void, gone = problems(run, NOW)
    short = f"! {SCORED[0]} and 14 more gone in cycle 4: this run ends WITHHELD"
    assert " ".join(void.fold(60, 2)).startswith(short)
    assert "19 objectives (15 scored): do not add" in " ".join(gone.fold(80, 2))
    assert "scored" not in problems(view(missing=SCORED[:3]), NOW)[0].text


# -- how many stand there -------------------------------------------------------------------------

MORE = "(+{} more: l p) "
WORDS = st.lists(st.sampled_from(["what", "列", "x" * 70]), max_size=30).map(" ".join)


@given(
    texts=st.lists(WORDS, min_size=1, max_size=6),
    width=st.integers(60, 150),
    first=st.integers(1, 3),
    room=st.integers(1, 12),
)
def test_what_is_shown_together_fits_and_says_how_many_are_not(
    texts: list[str], width: int, first: int, room: int
) -> None:
    found = [Problem(f"P{n} {text}", "do it", grave=True) for n, text in enumerate(texts)]
    lines, shown = folded_together(found, width, first, room, MORE)
    assert len(lines) <= max(first, room)
    assert all(cell_len(line) <= width for line in lines)
    begun = [line for line in lines if line.startswith("! ")]
    assert 1 <= len(begun) == shown <= 3
    left = len(found) - len(begun)
    assert begun[-1].startswith(f"! (+{left} more: l p) ") == (left > 0)
    assert not any("(+" in line for line in begun[:-1])


def troubled(tmp_path: Path) -> RunFolder:
    """A run that nobody closed, whose log was edited and whose registration was changed."""
    folder = sample(tmp_path)
    lines = folder.journal.read_bytes().splitlines(keepends=True)
    ended = (b"window_closed", b"adjudicated")
    folder.journal.write_bytes(b"".join(n for n in lines if not any(e in n for e in ended)))
    tell_in_journal(folder, EDITED)
    folder.registration.write_text(folder.registration.read_text() + "# changed\n")
    return folder


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("size", "least", "units"), [((60, 20), 2, 2), ((80, 24), 2, 3), ((120, 40), 3, 3)]
)
async def test_two_problems_stand_there_in_any_size_and_units_are_scrolled_only_where_they_must(
    tmp_path: Path, size: tuple[int, int], least: int, units: int
) -> None:
    folder = troubled(tmp_path)
    found = len(problems(read_all(RunModel(folder)), NOW + 10**12))
    assert found >= 3
    async with (app := app_on(folder)).run_test(size=size) as pilot:
        screen = await until_read(pilot)
        told = screen.query_one("#problem", Line).shown.split("\n")
        begun = [line for line in told if line.startswith("! ")]
        assert len(begun) >= least
        assert "no collector closed it" in " ".join(told)
        assert "time is over" in begun[0]
        left = found - len(begun)
        assert (f"(+{left} more: l p)" in " ".join(begun)) == (left > 0)
        assert all(len(arm.in_view) == units for arm in screen.query(Arm))
        rows = [line[2:10] for line in text_of(app).splitlines() if line[2:6] == "UNI-"]
        assert rows == [name for arm in screen.query(Arm) for name in arm.in_view]
        await pilot.press("j", "j")  # what is out of view is a key away
        await until_text(pilot, "3 UNI-10-3")


@given(
    texts=st.lists(WORDS, min_size=2, max_size=6),
    width=st.integers(60, 150),
    first=st.integers(2, 3),
    room=st.integers(1, 12),
)
def test_two_are_shown_together_in_all_the_lines_that_they_are_said_to_need(
    texts: list[str], width: int, first: int, room: int
) -> None:
    found = [Problem(f"P{n} {text}", "do it", grave=True) for n, text in enumerate(texts)]
    least = least_for_two(found, width, MORE)
    assert 2 <= least <= 4
    assert least_for_two(found[:1], width, MORE) == 0
    lines, shown = folded_together(found, width, first, room, MORE)
    assert shown >= 2 or room < least
    assert all(f"P{n} " in " ".join(lines) or not texts[n] for n in range(shown))
    assert " ".join(lines).count("do it") == shown  # what to do is never cut for another one


# -- what was acknowledged ------------------------------------------------------------------------


def test_what_was_acknowledged_comes_behind_what_is_as_urgent_and_is_marked() -> None:
    run = replace(view(), collector_pid=None, rcon_ok=False, fault="refused", voided=(GONE, "b"))
    first, second, *rest = problems(run, NOW)
    assert first.rank == second.rank
    seen = problems(replace(run, seen_problems=frozenset({first.key})), NOW)
    assert [each.text for each in seen] == [p.text for p in (second, first, *rest)]
    assert [each.seen for each in seen] == [False, True, *(False for _ in rest)]
    assert seen[1].line == f"(seen) {first.line}"
    assert seen[1].fold(80, 2)[0].startswith("! (seen) NO COLLECTOR")
    everything = frozenset(each.key for each in seen)
    assert [p.text for p in problems(replace(run, seen_problems=everything), NOW)] == [
        each.text for each in (first, second, *rest)
    ]


@pytest.mark.parametrize("new", [1, 2, 4])
def test_one_of_the_two_worst_in_sight_is_one_that_nobody_acknowledged(new: int) -> None:
    found = [Problem(f"p{n}", "do", grave=n < 2, seen=n != new) for n in range(5)]
    told = [each.text for each in unseen_in_sight(found)]
    assert told[:2] == ["p0", f"p{new}"]
    assert sorted(told) == [each.text for each in found]
    assert [text for text in told if text != f"p{new}"] == sorted(set(told) - {f"p{new}"})
    known = [replace(each, seen=True) for each in found]
    assert unseen_in_sight(known) == known


def test_an_acknowledged_problem_that_changes_is_new_and_time_alone_changes_none() -> None:
    run = replace(view(), collector_pid=None)
    late = [problems(run, NOW + n * run.interval_ms)[0] for n in (2, 3, 9)]
    assert len({problem.text for problem in late}) == 3
    assert len({problem.key for problem in late}) == 1
    ended = problems(replace(run, refusal="the password was refused"), NOW)[0]
    assert ended.key != problems(run, NOW)[0].key
    three, two = ({"UNI-10-1", "UNI-10-2", "UNI-11-1"}, {"UNI-10-1", "UNI-11-1"})
    keys = [problems(with_some(each, baseline=None), NOW)[0].key for each in (three, two)]
    assert keys[0] != keys[1]


@pytest.mark.asyncio
async def test_space_acknowledges_the_problems_that_are_shown_and_shows_the_others(
    tmp_path: Path,
) -> None:
    folder = troubled(tmp_path)
    found = problems(read_all(RunModel(folder)), NOW + 10**12)
    async with (app := app_on(folder)).run_test(size=(60, 20)) as pilot:
        screen = await until_read(pilot)
        line = screen.query_one("#problem", Line)
        assert "(seen)" not in line.shown
        await pilot.press("space")
        await until_text(pilot, "2 problems")
        await until(pilot, lambda: "(seen)" in line.shown)
        assert "more: l p)" in " ".join(line.shown.split())
        await pilot.press("space")  # the answer takes a line: fewer are shown than were seen
        await until_text(pilot, "nothing new")
        kept = SeenFile(folder, operator_name()).load()
        assert set(kept.problems) == {each.key for each in found[:2]}
    async with (app := app_on(folder)).run_test(size=(60, 20)) as pilot:
        screen = await until_read(pilot)  # it is kept, as the marks are
        assert screen.query_one("#problem", Line).shown.count("(seen)") >= 1
        await pilot.press("l", "p")
        await until_text(pilot, "Problems, worst first")
        assert text_of(app).count("! (seen)") == 2
        assert all(" ".join(each.text.split())[:20] in text_of(app) for each in found)


# -- what the journal's screen and the bell know of it --------------------------------------------


@pytest.mark.asyncio
async def test_a_refusal_that_only_this_console_heard_stands_in_the_journal_s_list_too(
    tmp_path: Path,
) -> None:
    async with (app := app_on(draft(tmp_path, 1))).run_test(size=(80, 24)) as pilot:
        screen = await until_read(pilot)
        screen.hear(f"{COLLECT}: NO: it was shut", COLLECT)
        await until_text(pilot, "no collector was started: it was shut")
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, JournalScreen))
        await until_text(pilot, "! no collector was started: it was shut")


@pytest.mark.asyncio
async def test_all_that_is_wrong_with_a_draft_is_folded_over_the_lines_there_are(
    tmp_path: Path,
) -> None:
    folder = draft(tmp_path, 1)
    text = folder.registration.read_text()
    folder.registration.write_text(text.replace("label = ", "lable = "))
    async with (app := app_on(folder)).run_test(size=(60, 20)) as pilot:
        await until_text(pilot, "invalid draft (Gate mends it)")
        model = RunModel(folder)
        model.look()
        shown = app.screen.query_one("#problem", Line).shown
        assert " ".join(shown.split()) == " ".join(model.error.split())
        assert len(shown.split("\n")) > 2
        assert all(cell_len(line) <= 60 for line in shown.split("\n"))
        await until(pilot, lambda: "q Quit" in text_of(app))


def test_the_bell_rings_no_second_time_when_one_of_several_units_is_pinned() -> None:
    three = {"UNI-10-1", "UNI-10-2", "UNI-11-1"}
    alarm = Alarm()
    assert alarm.take(view(), NOW) == []
    [first] = alarm.take(with_some(three, baseline=None), NOW)
    assert "live and unpinned" in first
    for left in (three - {"UNI-10-2"}, {"UNI-11-1"}):
        assert alarm.take(with_some(left, baseline=None), NOW) == []
    assert alarm.take(view(), NOW) == []
    assert len(alarm.take(with_some({"UNI-11-1"}, baseline=None), NOW)) == 1


def test_the_bell_rings_no_second_time_as_more_polls_are_missed_or_objectives_vanish() -> None:
    alarm, made = Alarm(), view()
    alarm.take(made, NOW)
    silent = replace(made, collector_pid=None)
    assert len(alarm.take(silent, NOW)) == 1
    for late in (1, 2, 3):
        assert alarm.take(silent, NOW + late * made.interval_ms) == []
    gone = replace(made, missing=SCORED[:2], voided=(f"{SCORED[0]} gone in cycle 4",))
    assert len(alarm.take(gone, NOW)) == 2
    assert alarm.take(replace(gone, missing=SCORED, voided=(GONE,)), NOW) == []
