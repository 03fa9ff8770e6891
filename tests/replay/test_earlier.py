"""Files of the lab's earlier collector: seen, scored, and never read as more than they say."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import earlier
from replay.earlier import COLLECTORS, INTERVAL_S, T0, UNITS, a_row, rcon, rows, write
from replay.reading import last, read, shown

from plateau_tui.console.replay.lines import wrong_then
from plateau_tui.console.replay.onepass import CycleNumbers, usual_interval_s
from plateau_tui.console.replay.source import ZERO_MEANS
from plateau_tui.console.replay.timeline import Timeline
from plateau_tui.metric.objectives import MINE_BLOCKS, PLACE_BLOCKS
from plateau_tui.metric.scoring import score
from plateau_tui.runlog.archiverows import EarlierRows

OAK = {"": "oak_log"}


def notices(timeline: Timeline) -> str:
    assert timeline.source is not None
    return "\n".join(timeline.source.notices)


@pytest.mark.parametrize("name", ["old.jsonl", "old.jsonl.gz"])
def test_its_rows_are_scored_by_the_metric_under_the_wood_that_was_named(
    tmp_path: Path, name: str
) -> None:
    timeline = read(write(tmp_path / name, rows(30)), OAK)
    assert len(timeline) == 30
    for step in (0, 5, 6, 29):
        for unit in shown(timeline, step).units:
            placed, mined = earlier.frozen(unit.name, step)
            expected = score(placed, mined, "oak_log")
            assert (unit.primary, unit.secondary) == (expected.primary, expected.secondary)
            assert unit.placed == expected.placed_used_total
            assert unit.beyond == expected.distinct_mined_beyond
            assert unit.online is None
    view = last(timeline)
    assert (view.interval_ms, view.cycles, view.gaps) == (600_000, 30, 0)
    assert [unit.name for unit in view.of("treatment")] == [f"UNI-12-{n}" for n in range(1, 7)]
    assert [unit.pair for unit in view.of("control")] == list(range(6))


def test_that_a_0_may_be_unread_is_said_once_and_the_wood_that_is_missing_is_asked_for(
    tmp_path: Path,
) -> None:
    path = write(tmp_path / "old.jsonl", rows(3))
    told = notices(read(path))
    assert told.count(ZERO_MEANS) == 1
    assert "--wood oak_log" in told
    assert {unit.secondary for unit in last(read(path)).units} == {None}
    assert ZERO_MEANS in notices(read(path, OAK))
    assert "--wood oak_log" not in notices(read(path, OAK))


def test_wood_may_be_named_for_one_unit(tmp_path: Path) -> None:
    path = write(tmp_path / "old.jsonl", rows(30))
    view = last(read(path, {"UNI-12-3": "oak_log"}))
    assert [unit.baseline for unit in view.units].count("oak_log") == 1
    unit = view.unit("UNI-12-3")
    assert unit is not None
    assert (unit.secondary, unit.baseline) == (True, "oak_log")


def test_a_pin_that_nothing_confirms_is_told_with_its_unit_and_a_stranger_to_the_file_is_named(
    tmp_path: Path,
) -> None:
    def counters(unit: str, cycle: int) -> tuple[earlier.Counts, earlier.Counts]:
        placed, mined = earlier.frozen(unit, cycle)
        return placed, mined | {"sand": 0}

    path = write(tmp_path / "old.jsonl", rows(30, counters))
    timeline = read(path, {"UNI-12-3": "birch_log", "UNI-12-9": "oak_log"})
    unit = last(timeline).unit("UNI-12-3")
    assert unit is not None
    assert (unit.secondary, unit.pin_confirmed) == (None, False)
    told = wrong_then(last(timeline), timeline.moment(29), "", 3)
    assert told == ["SECONDARY may stay ? for UNI-12-3: another log was mined, birch_log never"]
    assert "--wood names no unit of this file: UNI-12-9" in notices(timeline)
    confirmed = read(path, OAK)
    assert wrong_then(last(confirmed), confirmed.moment(29), "", 3) == []
    assert "--wood names no unit" not in notices(confirmed)


def test_a_0_after_a_higher_count_is_a_gap_and_not_a_count(tmp_path: Path) -> None:
    def counters(unit: str, cycle: int) -> tuple[earlier.Counts, earlier.Counts]:
        placed, mined = earlier.frozen(unit, cycle)
        if cycle in {4, 5}:
            placed["dirt"] = mined["oak_log"] = 0
        return placed, mined

    timeline = read(write(tmp_path / "old.jsonl", rows(8, counters)), OAK)
    then = shown(timeline, 5).units[5]
    assert (then.counts["place_dirt"], then.placed, then.whole, then.gaps) == (3, 3, False, 2)
    assert then.readings[-1].counts["place_dirt"] is None
    assert then.readings[-1].counts["mine_sand"] == 0
    assert timeline.next_change(3) == 4
    after = last(timeline).units[5]
    assert (after.counts["place_dirt"], after.whole, last(timeline).fell) == (6, True, 0)


def test_a_failed_read_is_a_gap_however_it_is_written(tmp_path: Path) -> None:
    whole = list(rows(6, gaps={2}))
    for row in whole[3 * 12 : 4 * 12]:
        row["rcon"] = None
    for row in whole[4 * 12 : 5 * 12]:
        unread = rcon(dict.fromkeys(PLACE_BLOCKS), dict.fromkeys(MINE_BLOCKS))
        row["rcon"] = unread | {"crafted": {}}
    zeros = rcon(dict.fromkeys(PLACE_BLOCKS, 0), dict.fromkeys(MINE_BLOCKS, 0))
    for row in whole[5 * 12 :]:
        row["rcon"] = zeros | {"rcon_ok": False}
    timeline = read(write(tmp_path / "old.jsonl", whole), OAK)
    view = last(timeline)
    assert view.gaps == 4
    assert all(unit.gaps == 4 and unit.primary is True for unit in view.units)
    assert view.units[0].read_ms == shown(timeline, 1).units[0].read_ms


def test_counters_that_it_never_kept_are_unknown_and_named(tmp_path: Path) -> None:
    def counters(unit: str, cycle: int) -> tuple[earlier.Counts, earlier.Counts]:
        placed, mined = earlier.frozen(unit, 0)
        del placed["oak_log"], mined["sand"]
        return placed | {"torch": 7}, mined

    timeline = read(write(tmp_path / "old.jsonl", rows(3, counters)), OAK)
    unit = last(timeline).units[0]
    assert (unit.primary, unit.secondary, unit.placed, unit.gaps) == (None, False, None, 0)
    assert "never counted here, so unknown: place_log, mine_sand" in notices(timeline)
    assert "place_torch" in last(timeline).objectives
    assert unit.counts["place_torch"] == 7


@pytest.mark.parametrize("joined", ["interleaved", "one behind the other"])
def test_two_collectors_of_one_server_make_the_cycles_that_one_makes(
    tmp_path: Path, joined: str
) -> None:
    alone = read(write(tmp_path / "one.jsonl", rows(40, gaps={7, 8})), OAK)
    both = list(rows(40, gaps={7, 8}, collectors=COLLECTORS))
    if joined != "interleaved":
        both.sort(key=lambda row: str(row["collector_id"]))
    timeline = read(write(tmp_path / "two.jsonl.gz", both), OAK)
    assert len(timeline) == 40
    assert last(timeline).rows == 2 * 40 * 12
    for step in (0, 7, 8, 9, 39):
        a, b = shown(alone, step), shown(timeline, step)
        assert (a.gaps, a.cycle) == (b.gaps, b.cycle)
        for one, two in zip(a.units, b.units, strict=True):
            flags = ("primary", "secondary", "plateau_break", "placed", "beyond", "gaps", "counts")
            assert [getattr(one, f) for f in flags] == [getattr(two, f) for f in flags]
    assert [timeline.slot_of(step) for step in range(40)] == [
        alone.slot_of(step) for step in range(40)
    ]


def test_what_one_collector_read_is_no_gap_though_the_other_did_not(tmp_path: Path) -> None:
    both = list(rows(4, collectors=COLLECTORS))
    for row in both:
        if row["collector_id"] == COLLECTORS[1]:
            row["rcon"] = {"rcon_ok": False, "error": "timeout"}
    view = last(read(write(tmp_path / "two.jsonl", both)))
    assert (view.gaps, [unit.gaps for unit in view.units]) == (0, [0] * 12)


def test_missed_ticks_are_cycles_without_rows_in_the_bar_and_a_change(tmp_path: Path) -> None:
    kept = [row for row in rows(20) if not 5 <= (int(str(row["cycle"])) - T0) // INTERVAL_S < 9]
    timeline = read(write(tmp_path / "old.jsonl", kept))
    assert len(timeline) == 16
    assert [timeline.cycle_of(step) for step in (4, 5)] == [4, 9]
    assert timeline.next_change(4) == 5
    assert "cycles 6 to 9 have no rows" in timeline.moment(5).changed[0]
    assert timeline.readings_by(20, 20) == [0] * 5 + [3] * 4 + [0] * 11


def test_arms_without_roles_are_taken_in_their_order_and_that_is_said(tmp_path: Path) -> None:
    labels = {"treatment": "metabolism", "control": "default"}
    made = [row | {"arm": labels[str(row["arm"])]} for row in rows(2)]
    stranger = a_row(("third", 14, "UNI-14-1"), T0, "L1", None)
    timeline = read(write(tmp_path / "old.jsonl", [*made, stranger]))
    view = last(timeline)
    assert view.arms == {"treatment": "metabolism", "control": "default"}
    assert "its arms have no roles" in notices(timeline)
    assert view.unreadable == 1
    assert "its arms have no roles" not in notices(read(write(tmp_path / "b.jsonl", rows(2))))


@settings(max_examples=50)
@given(
    interval=st.sampled_from([60, 300, 600, 3600]),
    late=st.lists(st.integers(0, 20), min_size=3, max_size=40),
    missed=st.sets(st.integers(1, 38)),
)
def test_a_drifting_timer_makes_a_cycle_a_tick_and_a_hole_for_each_that_is_missing(
    interval: int, late: list[int], missed: set[int]
) -> None:
    numbers = CycleNumbers(interval)
    at, expected, found = T0, [], []
    for tick, seconds in enumerate(late):
        at += interval + min(seconds, interval // 20)
        if tick in missed:
            continue
        expected.append(tick)
        found.append(numbers.place(at))
    # a hole of many ticks may hide one when each of them was late
    steps = [b - a for a, b in pairwise(expected)]
    placed = [number for number in found if number is not None]
    for step, (one, two) in zip(steps, pairwise(placed), strict=True):
        assert abs((two - one) - step) <= step // 20 + (step > 9)
    assert len(set(placed)) == len(placed) == len(expected)


def test_the_interval_is_the_usual_step_of_one_collector() -> None:
    decode = EarlierRows()

    def usual(seconds: list[int], collectors: int = 1) -> int:
        return usual_interval_s(
            decode(json.dumps(a_row(UNITS[0], T0 + s + 40 * c, f"L{c}", None)).encode())
            for s in seconds
            for c in range(collectors)
        )

    assert usual([0, 601, 1199, 1802]) == 600
    assert usual([0, 600, 1200], collectors=2) == 600
    assert usual([0, 5, 10]) == 5
    assert usual([0]) == 600


def test_hostile_names_and_counts_are_text_and_numbers(tmp_path: Path) -> None:
    evil = "[red]\x1b]0;x\x07\u202e[/]"
    made = [a_row(("treatment", 12, evil), T0, "L1", rcon({"[b]": 10**18}, {evil: -5}))]
    view = last(read(write(tmp_path / "old.jsonl", made)))
    assert view.units[0].name == evil
    too_much = [a_row(UNITS[0], T0, "L1", rcon({"dirt": 10**30}, {}))]
    timeline = read(write(tmp_path / "b.jsonl", [*made, *too_much]))
    assert timeline.unreadable == 1
    assert replace(last(timeline), unreadable=0).rows == 1
