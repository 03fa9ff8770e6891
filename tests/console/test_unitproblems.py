"""Who has no pin and who is not online, by name, with what that does to the verdict."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from console.apps import read_all, sample, tell_in_journal
from console.views import NOW, view, with_some, with_units

from plateau_tui.collector.pins import unpinned_text
from plateau_tui.console.lines.problems import problems
from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.view import RunView
from plateau_tui.runlog import events as ev


def told(run: RunView) -> list[str]:
    return [problem.line for problem in problems(run, NOW)]


def test_a_live_unit_without_a_pin_is_named_with_what_it_does_to_the_verdict() -> None:
    run = with_some({"UNI-11-2"}, baseline=None)
    [problem] = problems(run, NOW)
    assert problem.line == "UNI-11-2 is live and unpinned: the verdict will be WITHHELD; pin with p"
    assert problem.grave
    [line] = problem.fold(60, 1, "! (+2 more: l p) ")
    assert line.endswith("~: the verdict will be WITHHELD; p")


def test_the_warning_at_the_opening_says_what_no_pin_does_to_the_verdict() -> None:
    told = unpinned_text(["UNI-10-1", "UNI-11-2"])
    assert told.startswith("no BASELINE_WOOD is pinned for UNI-10-1, UNI-11-2: ")
    assert "makes the verdict WITHHELD; plateau-tui pin RUN SPECIES" in told


def test_a_live_unit_of_which_no_log_moved_may_be_pinned_to_any() -> None:
    run = with_some({"UNI-11-2"}, baseline=None, woods={"oak_log": 0, "birch_log": 0})
    assert told(run)[0].endswith("WITHHELD; pin with p, any log: none of theirs moved")


def test_what_costs_readings_now_comes_before_what_can_be_mended_later() -> None:
    run = replace(with_some({"UNI-11-2"}, baseline=None), rcon_ok=False, fault="it hung", fell=2)
    starts = [line.partition(":")[0] for line in told(run)]
    assert starts == ["RCON", "UNI-11-2 is live and unpinned", "counters that fell"]


def test_units_that_are_not_live_do_no_harm_yet_and_are_told_apart() -> None:
    run = with_some({"UNI-10-3", "UNI-11-2"}, baseline=None)
    run = with_some({"UNI-10-3"}, run, online=False, seen=False, absent_polls=4)
    [live, absent, *_] = told(run)
    assert live.startswith("UNI-11-2 is live and unpinned: ")
    assert absent == (
        "no BASELINE_WOOD for UNI-10-3, not live: once live without it, the verdict will be "
        "WITHHELD; pin with p"
    )
    for absent_polls, is_live in ((3, True), (4, False)):
        one = with_some({"UNI-10-3"}, baseline=None, online=False, absent_polls=absent_polls)
        assert any("is live and unpinned" in line for line in told(one)) is is_live


def test_all_names_stand_in_the_list_and_their_number_where_room_is_short() -> None:
    four = {"UNI-10-1", "UNI-10-2", "UNI-11-1", "UNI-11-2"}
    for run in (with_some(four, baseline=None), with_some(four, absent_polls=2)):
        [problem] = problems(run, NOW)
        assert all(name in problem.line for name in four)
        [short] = problem.fold(80, 1)
        assert "4 units" in short
        assert "~" not in short
    many = tuple(f"mine_{n}" for n in range(9))
    [problem] = problems(view(missing=many), NOW)
    assert all(name in problem.line for name in many)
    assert problem.fold(90, 1)[0].startswith("! gone from the server: 9 objectives: do not add")


@pytest.mark.parametrize("other", ["uni-10-1", "UNI_10_1"])
def test_a_unit_that_is_online_under_another_name_is_told_whole_in_one_line(other: str) -> None:
    run = replace(with_some({"UNI-10-1"}, online=False, absent_polls=3), others=(other,))
    [problem] = problems(run, NOW)
    told = f"UNI-10-1: {other} is online, name it as sealed"
    assert problem.fold(80, 1) == [f"! not in the players' list: {told}"]
    assert problem.fold(60, 1) == [f"! UNI-10-1 not listed: {told.removeprefix('UNI-10-1: ')}"]


@pytest.mark.parametrize(
    ("gone", "polls", "words"),
    [
        ({"UNI-10-1", "UNI-10-2"}, 4, "with 1 of 3 curiosity units live and 2 asked"),
        ({"UNI-10-1", "UNI-11-2", "UNI-11-3"}, 4, "with no pair live"),
        ({"UNI-10-1", "UNI-10-2"}, 3, ""),
        ({"UNI-10-1"}, 4, ""),
        ({"UNI-11-1", "UNI-11-2"}, 4, ""),
    ],
)
def test_too_few_live_units_are_told_as_the_end_that_they_mean(
    gone: set[str], polls: int, words: str
) -> None:
    [problem] = problems(with_some(gone, absent_polls=polls), NOW)
    assert problem.text == f"not in the players' list: {', '.join(sorted(gone))}"
    it, they = ("it", "it") if len(gone) == 1 else ("them", "they")
    todo = f"ask whether {they} left; offline is not dead"
    if words:
        back = f"bring {it} back before the close; offline is not dead"
        todo = f"{words}, the verdict will be WITHHELD; {back}"
    assert problem.remedy == todo
    assert problem.grave is bool(words)


def test_nobody_is_missing_before_a_players_list_was_ever_answered() -> None:
    assert told(with_units(online=None, seen=False, absent_polls=0)) == []


def test_a_unit_that_is_not_live_is_told_however_few_polls_that_takes() -> None:
    strict = view(max_absent_polls=0)
    run = with_some({"UNI-10-1", "UNI-10-2"}, strict, absent_polls=1)
    assert "with 1 of 3 curiosity units live" in told(run)[0]


def test_a_pin_to_a_log_that_never_moved_while_another_did_is_told(tmp_path: Path) -> None:
    folder = sample(tmp_path, "pass")
    kept = [
        line
        for line in folder.journal.read_bytes().splitlines(keepends=True)
        if b"window_closed" not in line and b"adjudicated" not in line
    ]
    folder.journal.write_bytes(b"".join(kept))
    rows = [json.loads(line) for line in folder.rows.read_bytes().splitlines()]
    for row in rows:
        if row["uni"] == "UNI-10-1":
            logs = {"oak_log": 0, "birch_log": 5, "spruce_log": 0}
            row["mined"] |= logs
    folder.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))
    wrong = "the pinned log never moved and another did: UNI-10-1: SECONDARY may stay unknown"
    for species, is_told in (("oak_log", True), ("birch_log", False)):
        tell_in_journal(folder, ev.Pinned(unit="UNI-10-1", species=species, evidence={}))
        lines = told(read_all(RunModel(folder)))
        assert any(line.startswith(wrong) for line in lines) is is_told
