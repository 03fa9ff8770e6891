from dataclasses import replace

import pytest
from console.views import NOW, view, with_units
from rich.cells import cell_len

from plateau_tui.console.problems import problems
from plateau_tui.console.view import RunView

EVERYTHING = {
    "seal_broken": True, "items_removed": True, "missing": ("mine_stone",), "unreadable": 3,
    "collector_pid": None, "rcon_ok": False, "fault": "refused", "fault_since_cycle": 2,
}  # fmt: skip


def texts(run: RunView) -> list[str]:
    return [problem.line for problem in problems(run, NOW)]


def test_nothing_is_wrong_with_a_run_that_is_well() -> None:
    assert texts(view()) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seal_broken": True}, "registration.toml was changed: put the sealed text back"),
        ({"items_removed": True}, "REMOVED items"),
        ({"missing": ("mine_stone",)}, "gone from the server: mine_stone: do not add"),
        (
            {"voided": ("mine_sand and 3 more gone in cycle 4",)},
            "mine_sand and 3 more gone in cycle 4: this run ends WITHHELD",
        ),
        ({"fell": 3}, "counters that fell: 3: a rollback or an edit"),
        ({"unreadable": 2}, "unreadable lines in the log: 2: touch nothing"),
        ({"collector_pid": None}, "NO COLLECTOR runs and the window is open: start one with c"),
        ({"heartbeat_ms": NOW - 1_900_000}, "silent for 1900 s: look at collector.log"),
        ({"rcon_ok": False, "fault": "refused", "fault_since_cycle": 2}, "RCON since cycle 3"),
        ({"rcon_ok": False}, "not everything could be read: it is tried again"),
        ({"error": "gone"}, "the run cannot be read: gone"),
    ],
)
def test_each_trouble_says_what_to_do(changes: dict[str, object], words: str) -> None:
    told = texts(view(**changes))
    assert len(told) == 1
    assert words in told[0]


def test_a_collector_that_cannot_reach_the_server_says_so_before_the_window() -> None:
    run = view(stage="pinned", slot0_ms=None, cycle=None, rcon_ok=None, fault="refused")
    assert "RCON: refused" in texts(run)[0]


def test_unpinned_and_absent_units_are_named() -> None:
    assert "no BASELINE_WOOD for 6 units" in texts(with_units(baseline=None))[0]
    assert "not in the players' list: 6 units" in texts(with_units(absent_polls=2))[0]


def test_the_worst_comes_first() -> None:
    found = problems(view(**EVERYTHING), NOW)
    assert [problem.grave for problem in found] == sorted(
        (problem.grave for problem in found), reverse=True
    )
    assert "was changed" in found[0].text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_long_trouble_leaves_room_for_what_to_do(width: int) -> None:
    run = replace(view(rcon_ok=False), fault="\x1b[31m" + "long " * 60)
    [problem] = problems(run, NOW)
    line = problem.fit(width)
    assert cell_len(line) <= width
    assert line.endswith("it is tried again at the next poll")
    assert "\x1b" not in line


def test_a_window_whose_time_is_over_is_to_be_closed_and_not_collected() -> None:
    run = view(collector_pid=None)
    end = (run.slot0_ms or 0) + run.cycles * run.interval_ms
    [before, *_] = problems(run, end - 1)
    [after, *_] = problems(run, end)
    assert before.remedy == "start one with c"
    assert after.remedy == "close it with x"
