from dataclasses import replace

import pytest
from console.views import NOW, view, with_units
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from plateau_tui.console.keys import KeyNames
from plateau_tui.console.lines.problem import Rank
from plateau_tui.console.lines.problems import Problem, problems, standing_line
from plateau_tui.console.lines.text import harmless
from plateau_tui.console.live.shares import most_lines
from plateau_tui.console.live.view import RunView
from plateau_tui.runlog import events as ev

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
        (
            {"seal_broken": True},
            "was changed: put the sealed text back, which plateau-tui seal RUN --show prints",
        ),
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
        ({"error": "gone"}, "the run cannot be read: gone: what was read last is shown"),
        (
            {"collector_pid": None, "stage": "pinned", "refusal": "127.0.0.1 refused the password"},
            "no collector was started: 127.0.0.1 refused the password: put that right, then c",
        ),
        (
            {"collector_pid": None, "refusal": "MemoryError"},
            "the window is open (the last one ended: MemoryError): start one with c",
        ),
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
    assert "6 of 6 units are live and unpinned" in texts(with_units(baseline=None))[0]
    assert "not in the players' list: 6 of 6 units" in texts(with_units(absent_polls=2))[0]


def test_the_worst_comes_first() -> None:
    found = problems(view(**EVERYTHING), NOW)
    ranks = [(problem.rank, problem.rank == Rank.LATER and not problem.grave) for problem in found]
    assert ranks == sorted(ranks)
    starts = [problem.text.partition(" ")[0] for problem in found]
    assert starts == ["NO", "RCON", "registration.toml", "a", "unreadable", "gone"]


WHAT = st.one_of(
    st.text(max_size=300), st.lists(st.sampled_from(["long", "列", "x" * 90])).map(" ".join)
)


@pytest.mark.parametrize("width", [60, 72, 80, 120, 200])
@settings(max_examples=25)
@given(what=WHAT)
def test_what_to_do_is_whole_however_long_the_trouble_is(width: int, what: str) -> None:
    most = 2  # at 60x20 a third line is there only while no answer is awaited
    for problem in [*every_problem(what), Problem(what, "do this, and then that", grave=False)]:
        lines = problem.fold(width, most, "! (+12 more: l p) ")
        assert len(lines) <= most
        assert all(cell_len(line) <= width for line in lines)
        todo = {problem.remedy, *(remedy for _, remedy in problem.briefs)}
        assert any(" ".join(lines).endswith(f": {' '.join(harmless(t).split())}") for t in todo)


def every_problem(fault: str) -> list[Problem]:
    """All that can be wrong, with the longest of what is ours in it."""
    names = {"missing": ("mine_cobblestone", "place_crafting_t"), "voided": ("x" * 70,)}
    grave = view(**EVERYTHING | names | {"fault": fault, "fell": 10**6, "refusal": fault})
    over = replace(grave, slot0_ms=NOW - 10**12)
    silent = view(heartbeat_ms=NOW - 10**9, error=fault)
    refused = view(stage="pinned", slot0_ms=None, collector_pid=None, refusal=fault)
    strangers = tuple(f"Stranger_{n:06}" for n in range(30))
    absent = replace(with_units(baseline=None, absent_polls=9, seen=False), others=strangers)
    left = with_units(absent_polls=9)
    some = replace(left, units=(*left.units[:3], *with_units(pin_confirmed=False).units[3:]))
    codes = ("probe_gap", "timed_out", "internal", "endpoint_lock_unavailable")
    beside = view(
        faults=tuple(ev.Fault(code=code, text=fault, cycle=10**6) for code in codes),
        log_faults=(ev.Fault(code="log_edited", text=fault), ev.Fault(code="rows_cut", text=fault)),
        restarted=(ev.LogRestarted(file="rows.jsonl", reason=fault, head="h"),),
        failed=(fault,), registered=False, clock_off_s=-(10.0**9), probe_armed=True,
    )  # fmt: skip
    over, left = replace(over, lost_rows=10**6), replace(some, others=strangers)
    runs = (grave, over, silent, refused, absent, left, beside)
    return [p for run in runs for p in problems(run, NOW)]


def test_a_trouble_is_folded_between_words_and_keeps_all_of_them() -> None:
    problem = Problem("one two three four", "then do five", grave=False)
    assert problem.fold(14, 4) == ["! one two", "three four:", "then do five"]
    assert problem.fold(80, 2) == ["! one two three four: then do five"]
    assert problem.fold(14, 2) == ["! one two th~:", "then do five"]


def test_a_narrow_terminal_gives_a_trouble_three_lines_and_a_wide_one_two() -> None:
    assert [most_lines(width) for width in (60, 79, 80, 200)] == [3, 3, 2, 2]


def test_a_unit_never_seen_is_no_unit_that_left() -> None:
    run = view()
    never = replace(run.units[0], absent_polls=2, seen=False)
    left = replace(run.units[1], absent_polls=2)
    run = replace(run, units=(never, left, *run.units[2:]), others=("uni-10-1", "\x1b[1m"))
    assert texts(run) == [
        "never seen online: UNI-10-1: check the name; also online: uni-10-1, ·[1m",
        "not in the players' list: UNI-10-2: ask whether it left; offline is not dead",
    ]
    assert "check the name; the roster is sealed" in texts(replace(run, others=()))[0]


def test_objectives_that_are_gone_and_void_the_run_are_one_fact() -> None:
    both = ("mine_sand gone in cycle 4",)
    run = view(missing=("mine_sand",), voided=both)
    [gone] = problems(run, NOW)
    assert gone.line == (
        "mine_sand gone in cycle 4: this run ends WITHHELD, nothing mends that; plan another; "
        "do not add again; ask who removed it"
    )
    for width in (60, 80):
        told = " ".join(gone.fold(width, 2))
        assert "mine_sand gone in cycle 4" in told
        assert "WITHHELD" in told
        assert "do not add again" in told
    # One that came back, or one that is context alone, is another fact.
    back = replace(run, voided=("mine_sand and 1 more gone in cycle 4 (mine_dirt)",))
    context = replace(run, missing=("mine_sand", "craft_stick"))
    assert len(problems(back, NOW)) == len(problems(context, NOW)) == 2
    assert len(problems(replace(run, missing=()), NOW)) == 1


def test_remapped_keys_are_named_as_they_are_set() -> None:
    keys = KeyNames({"run.collect": "f9,Z", "run.pin": "ctrl+t", "run.journal": "question_mark"})
    run = replace(with_units(baseline=None), collector_pid=None, voided=("a fact",))
    told = [problem.remedy for problem in problems(run, NOW, keys)]
    assert told == [
        "start one with f9", "this run ends WITHHELD, nothing mends that; plan another",
        "the verdict will be WITHHELD; pin with ^t",
    ]  # fmt: skip
    ready = view(stage="pinned", collector_pid=None)
    assert standing_line(ready, keys).startswith("ready: f9 starts")


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"stage": "draft", "registered": False},
            "draft: fill in the form (g), then seal; w is the first-poll wizard",
        ),
        ({"stage": "draft"}, "draft: registered and pinned; w, then s seals it (g is the form)"),
        (
            {"stage": "draft", "units": with_units(baseline=None).units},
            "draft: registered; watch and pin the farmed wood with w, then seal",
        ),
        (
            {"stage": "pinned"},
            "the collector opens the window once it has read a counter in each arm",
        ),
        (
            {"stage": "pinned", "collector_pid": None},
            "ready: c starts the collector, which opens the window",
        ),
        ({"stage": "open"}, "all is well"),
        ({"stage": "closed"}, "closed: next v, the verdict: its questions, and the export"),
        (
            {"stage": "closed", "exported": True},
            "closed and exported; v shows the verdict, and what is open",
        ),
        (
            {"stage": "closed", "verdict": "PASS"},
            "closed: PASS (not final); v says what is open",
        ),
        (
            {"stage": "adjudicated", "verdict": "PASS"},
            "adjudicated: PASS; not exported; v shows it",
        ),
        (
            {"stage": "adjudicated", "verdict": "FAIL", "exported": True},
            "adjudicated: FAIL; exported; v shows it",
        ),
    ],
)
def test_what_is_done_is_not_told_as_the_next_step(changes: dict[str, object], line: str) -> None:
    assert standing_line(view(**changes)) == line


def test_a_window_whose_time_is_over_is_to_be_closed_and_not_collected() -> None:
    run = view(collector_pid=None)
    end = (run.slot0_ms or 0) + run.cycles * run.interval_ms
    [before, *_] = problems(run, end - 1)
    [after, *_] = problems(run, end)
    assert before.remedy == "start one with c"
    assert after.remedy == "close it with x"
