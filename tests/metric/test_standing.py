"""Where a unit stands: latched, three-valued, under its pin; and the accumulators behind it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric.cases import (
    BUILT,
    DIVERSE,
    FULL,
    GATE,
    HOARD,
    MINED,
    NOTHING,
    PLACED,
    UNREAD,
    Row,
    Story,
    case_of,
    facts_of,
    registration,
    told,
)

from plateau_tui.metric.accumulators import Attendance, Coverage, Falls, Gaps, Latch, Rests
from plateau_tui.metric.casefile import PinFact
from plateau_tui.metric.objectives import Objective, Role
from plateau_tui.metric.registration import Gate
from plateau_tui.metric.standing import Halves, UnitStanding, standings

JUNGLE = Objective("mine_jungle", "minecraft.mined:minecraft.jungle_log", Role.EXTRA, "jungle_log")


def stands(
    story: Story,
    gate: Gate = GATE,
    *,
    pin: str | None = "oak_log",
    cycles: int = 3,
    extensions: Sequence[Objective] = (),
) -> UnitStanding:
    sealed = registration(1, cycles, gate, extensions=extensions)
    facts = facts_of(sealed, pins={} if pin is None else {"T1": PinFact(pin)})
    case = case_of(sealed, {"T1": story}, facts=facts)
    return standings(sealed, case.tally)[0]


def three(halves: Halves) -> tuple[str, str, str]:
    return halves.primary, halves.secondary, halves.both


def test_what_one_row_showed_stays_reached_whatever_falls_later() -> None:
    found = stands([FULL, NOTHING, NOTHING]).registered
    assert three(found) == ("reached", "reached", "reached")
    assert (found.primary_cycle, found.secondary_cycle, found.both_cycle) == (0, 0, 0)


def test_counters_are_not_joined_across_rows() -> None:
    one_kind = [Row({}, {"stone": 1}), Row({}, {"sand": 1}), NOTHING]
    assert stands(one_kind).registered.secondary == "not reached"
    # Each half in a row of its own: both halves are reached, and plateau_break in no row.
    assert three(stands([PLACED, MINED, NOTHING]).registered) == (
        "reached",
        "reached",
        "not reached",
    )


@pytest.mark.parametrize(
    ("story", "standing"),
    [
        ([NOTHING, NOTHING, NOTHING], "not reached"),
        ([NOTHING, NOTHING, UNREAD], "not reached"),
        ([NOTHING, UNREAD, UNREAD], "unknown"),
        ([UNREAD, UNREAD, NOTHING], "not reached"),
        ([UNREAD, UNREAD, UNREAD], "unknown"),
        ([PLACED, UNREAD, UNREAD], "reached"),
    ],
)
def test_not_reached_asks_for_a_late_row_that_says_so(story: Story, standing: str) -> None:
    assert GATE.max_absent_polls == 1
    assert stands(story).registered.primary == standing


def test_the_tolerance_is_the_gates_own() -> None:
    story = [NOTHING, UNREAD, UNREAD]
    strict, lax = (replace(GATE, max_absent_polls=n) for n in (0, 2))
    assert stands([NOTHING, NOTHING, UNREAD], strict).registered.primary == "unknown"
    assert stands(story, lax).registered.primary == "not reached"


def test_one_unread_counter_leaves_open_only_what_it_could_decide() -> None:
    found = stands(told(Row({"dirt": None}, DIVERSE))).registered
    assert three(found) == ("unknown", "reached", "unknown")
    # One unread kind cannot make two of it.
    assert stands(told(Row({}, {"stone": None}))).registered.secondary == "not reached"
    assert stands(told(Row({}, {"stone": None, "sand": 1}))).registered.secondary == "unknown"
    # A half that is known not to be reached decides both.
    assert three(stands(told(Row({}, {"stone": None, "sand": 1}))).registered)[2] == "not reached"


def test_a_row_outside_the_window_is_no_row_of_it() -> None:
    sealed = registration(1, 2)
    case = case_of(registration(1, 3), {"T1": [NOTHING, NOTHING, FULL]})
    short = case_of(sealed, {"T1": [NOTHING, NOTHING, FULL]})
    assert standings(case.registration, case.tally)[0].registered.primary == "reached"
    assert standings(sealed, short.tally)[0].registered.primary == "not reached"


@pytest.mark.parametrize("pin", [None, "stone", "no such thing"])
def test_without_a_pin_that_is_a_wood_secondary_is_unknown(pin: str | None) -> None:
    found = stands(told(FULL), pin=pin)
    assert found.pin is None
    assert three(found.registered) == ("reached", "unknown", "unknown")
    assert three(stands(told(NOTHING), pin=pin).registered) == (
        "not reached",
        "unknown",
        "not reached",
    )


def test_a_pin_applies_to_all_rows_whenever_it_was_made() -> None:
    unpinned = replace(FULL, baseline_wood=None)
    assert stands([unpinned, UNREAD, UNREAD]).registered.both == "reached"


# -- the readings --------------------------------------------------------------------------------


def test_the_stricter_readings_are_kept_beside_the_one_as_written() -> None:
    table = Row({"crafting_table": 1}, {"oak_log": 1, "birch_log": 1, "spruce_log": 1})
    gate = replace(GATE, wood="all_logs", place="beyond_table")
    found = stands(told(table), gate)
    assert three(found.registered) == ("not reached", "not reached", "not reached")
    assert three(found.as_written) == ("reached", "reached", "reached")
    plain = stands(told(table))
    assert plain.registered == plain.as_written == found.as_written


def test_offset_counts_from_the_start_reading() -> None:
    gate = replace(GATE, start_counts="offset")
    sealed = registration(1, 3, gate)
    start: dict[str, int | None] = {"place_dirt": 4, "mine_stone": 2, "mine_sand": None}
    known: dict[str, int | None] = dict.fromkeys((o.name for o in sealed.objectives), 0)
    facts = facts_of(sealed, start={"T1": known | start})

    def found(row: Row) -> tuple[str, str, str]:
        case = case_of(sealed, {"T1": told(row)}, facts=facts)
        return three(standings(sealed, case.tally)[0].registered)

    assert found(Row({"dirt": 4}, {"stone": 2, "gravel": 1}))[:2] == ("not reached", "unknown")
    assert found(Row({"dirt": 5}, {"stone": 3, "gravel": 1}))[:2] == ("reached", "reached")


# -- a pin that is not confirmed -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("mined", "confirmed", "standing"),
    [
        ({"oak_log": 1, "birch_log": 1, "stone": 1}, True, "reached"),
        ({"birch_log": 1, "stone": 1}, False, "unknown"),
        ({"birch_log": 1, "stone": 1, "sand": 1}, False, "reached"),
        ({"birch_log": 1}, False, "not reached"),
        ({"stone": 1, "sand": 1}, True, "reached"),
        ({"oak_log": None, "birch_log": 1, "stone": 1}, False, "unknown"),
        ({"birch_log": 1, "stone": None}, False, "unknown"),
    ],
)
def test_a_pin_that_never_grew_while_another_log_did_decides_only_what_every_pin_would(
    mined: dict[str, int | None], confirmed: bool, standing: str
) -> None:
    found = stands(told(Row({}, mined)))
    assert found.pin_confirmed is confirmed
    assert found.registered.secondary == standing


def test_both_halves_under_a_pin_that_is_not_confirmed() -> None:
    assert stands(told(Row(BUILT, {"birch_log": 1, "stone": 1}))).registered.both == "unknown"
    assert stands(told(Row({}, {"birch_log": 1, "stone": 1}))).registered.both == "not reached"
    all_logs = replace(GATE, wood="all_logs")
    found = stands(told(Row(BUILT, {"birch_log": 1, "stone": 1})), all_logs)
    assert (found.registered.both, found.as_written.both) == ("not reached", "unknown")


def test_one_row_of_the_window_confirms_the_pin_for_all() -> None:
    birch = Row({}, {"birch_log": 1, "stone": 1})
    found = stands([birch, replace(birch, mined={"oak_log": 1}), birch])
    assert found.pin_confirmed
    assert found.registered.secondary == "reached"


def test_a_log_that_is_an_extension_confirms_a_pin_or_speaks_against_it() -> None:
    jungle = Row({}, {"birch_log": 1, "stone": 1}, extra={"mine_jungle": 2})
    assert stands(told(jungle), pin="jungle_log", extensions=[JUNGLE]).pin_confirmed
    only = Row({}, {"stone": 1}, extra={"mine_jungle": 2})
    found = stands(told(only), extensions=[JUNGLE])
    assert not found.pin_confirmed
    assert found.registered.secondary == "not reached"


# -- seen and live -------------------------------------------------------------------------------


def online(*states: bool | None) -> Story:
    return [replace(NOTHING, online=state) for state in states]


@pytest.mark.parametrize(
    ("story", "seen", "live"),
    [
        (online(True, False, False), True, False),
        (online(True, True, False), True, True),
        (online(True, None, None), True, True),
        (online(True, False, None), True, True),
        (online(False, None, False), False, False),
        (online(None, None, None), False, False),
        (online(False, False, True), True, True),
    ],
)
def test_live_is_seen_and_not_absent_too_long_up_to_the_close(
    story: Story, seen: bool, live: bool
) -> None:
    found = stands(story)
    assert (found.seen, found.live) == (seen, live)


def test_a_failed_list_neither_counts_as_an_absence_nor_ends_one() -> None:
    assert not stands(online(True, False, None, False, None), cycles=5).live
    assert stands(online(True, False, True, False, None), cycles=5).live


def test_a_lost_unit_keeps_what_it_had_reached() -> None:
    gone = replace(NOTHING, online=False)
    found = stands([FULL, gone, gone])
    assert not found.live
    assert found.registered.both == "reached"


# -- the accumulators ----------------------------------------------------------------------------

flags = st.lists(st.sampled_from([True, False, None]), max_size=12)


@given(flags, st.integers(0, 4), st.integers(0, 3))
def test_a_latch_is_the_definition_over_all_rows(
    rows: list[bool | None], after: int, tolerance: int
) -> None:
    latch = Latch()
    for cycle, flag in enumerate(rows):
        latch.take(cycle, flag)
    cycles = len(rows) + after
    deciding = [cycle for cycle, flag in enumerate(rows) if flag is not None]
    if True in rows:
        expected = "reached"
        assert latch.shown == rows.index(True)
    elif deciding and cycles - 1 - deciding[-1] <= tolerance:
        expected = "not reached"
    else:
        expected = "unknown"
    assert latch.standing(cycles, tolerance) == expected


@given(flags, st.randoms(use_true_random=False))
def test_a_latch_does_not_depend_on_the_order_of_its_rows(
    rows: list[bool | None], rng: Random
) -> None:
    numbered = list(enumerate(rows))
    ordered, shuffled = Latch(), Latch()
    for cycle, flag in numbered:
        ordered.take(cycle, flag)
    rng.shuffle(numbered)
    for cycle, flag in numbered:
        shuffled.take(cycle, flag)
    assert ordered.standing(len(rows), 1) == shuffled.standing(len(rows), 1)


@given(flags, st.integers(0, 3))
def test_attendance_is_the_definition_over_all_lists(
    lists: list[bool | None], tolerance: int
) -> None:
    attendance = Attendance()
    for cycle, state in enumerate(lists):
        attendance.take(cycle, state)
    answered = [state for state in lists if state is not None]
    absent_at_the_end = next(
        (i for i, state in enumerate(reversed(answered)) if state), len(answered)
    )
    assert (attendance.answered, attendance.seen) == (len(answered), answered.count(True))
    assert attendance.live(tolerance) == (True in answered and absent_at_the_end <= tolerance)


@given(st.lists(st.integers(0, 30), max_size=40))
def test_coverage_is_the_set_of_cycles_in_any_order(cycles: list[int]) -> None:
    coverage = Coverage()
    for cycle in cycles:
        coverage.take(cycle)
    there = set(cycles)
    assert coverage.count() == len(there)
    assert coverage.first_missing() == next(c for c in range(32) if c not in there)
    assert all(a < b for a, b in zip(coverage.ends, coverage.starts[1:], strict=False))


def test_coverage_of_a_log_in_its_order_is_one_range() -> None:
    coverage = Coverage()
    for cycle in range(1000):
        coverage.take(cycle)
    assert (coverage.starts, coverage.ends) == ([0], [1000])


@given(st.lists(st.sampled_from(["read", "part", "silent"]), max_size=15))
def test_gaps_count_what_was_not_read_and_the_longest_silence(rows: list[str]) -> None:
    gaps = Gaps()
    for cycle, kind in enumerate(rows):
        read, unread = {"read": (19, 0), "part": (15, 4), "silent": (0, 19)}[kind]
        gaps.take(cycle, read, unread)
    runs = [len(run) for run in "".join(kind[0] for kind in rows).replace("r", "p").split("p")]
    assert (gaps.complete, gaps.partial) == (rows.count("silent"), rows.count("part"))
    assert gaps.longest == max(runs, default=0)
    assert gaps.first_complete == (rows.index("silent") if "silent" in rows else None)
    assert gaps.first_partial == (rows.index("part") if "part" in rows else None)


@given(st.lists(st.one_of(st.none(), st.integers(-2, 5)), max_size=15))
def test_a_fall_is_against_the_last_known_count(counts: list[int | None]) -> None:
    falls = Falls()
    for cycle, count in enumerate(counts):
        falls.take(cycle, {"place_dirt": count})
    known = [count for count in counts if count is not None and count >= 0]
    drops = [(a, b) for a, b in pairwise(known) if b < a]
    if not drops:
        assert falls.found == {}
        return
    found = falls.found["place_dirt"]
    assert (found.before, found.after, found.times) == (*drops[0], len(drops))


def test_a_half_rests_on_the_table_only_as_long_as_no_row_is_free_of_it() -> None:
    rests = Rests()
    rests.take(2, True, None)
    assert (rests.cycle, rests.certain) == (2, False)
    rests.take(3, True, True)
    assert (rests.cycle, rests.certain) == (3, True)
    rests.take(4, True, False)
    assert rests.cycle is None
    rests.take(5, True, True)
    assert rests.cycle is None


def test_a_long_log_leaves_no_rows_behind() -> None:
    """The same few accumulators stand after 3 rows and after 300."""

    def shape(cycles: int) -> list[int]:
        sealed = registration(1, cycles)
        tally = case_of(sealed, {"T1": told(FULL, cycles)}).tally.units["T1"]
        return [len(tally.coverage.starts), len(tally.falls.found), len(tally.differences)]

    assert shape(3) == shape(300) == [1, 0, 0]


def test_hoarding_alone_reaches_nothing_however_much() -> None:
    found = stands(told(Row({}, {"oak_log": 10_000})), pin="oak_log")
    assert three(found.registered) == ("not reached", "not reached", "not reached")
    assert HOARD.keys() == {"oak_log"}
