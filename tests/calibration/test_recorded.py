"""Recorded runs: what rows earn, what gaps do not, and that the verdict counts the same."""

from dataclasses import replace

import pytest
from calibration.recordings import (
    SAMPLES,
    after_gaps,
    row_of,
    rows_of_sample,
    rows_of_world,
    run_of,
    sample,
    without_counters,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from metric.texts import EXTENSION, VALID, changed, parsed

from plateau_tui.calibration.recorded import EmptyRunError, RecordedRow, RecordedRun
from plateau_tui.calibration.recordedlines import run_lines, run_record
from plateau_tui.metric.evidence import JournalFacts, PinFact
from plateau_tui.metric.objectives import MINE_BLOCKS, PLACE_BLOCKS
from plateau_tui.metric.scoring import Counter
from plateau_tui.metric.standing import standings
from plateau_tui.metric.tally import WindowTally

HALVES = ("primary", "secondary", "plateau-break")
WRITTEN = tuple(f"{half}-as-written" for half in HALVES)
TREATMENT = ("UNI-10-1", "UNI-10-2", "UNI-10-3")
CONTROL = ("UNI-11-1", "UNI-11-2", "UNI-11-3")
UNITS = (*TREATMENT, *CONTROL)
OAK = dict.fromkeys(UNITS, "oak_log")
STRICT = changed(
    'place = "any"',
    'place = "beyond_table"',
    changed('wood = "baseline_only"', 'wood = "all_logs"'),
)
OFFSET = changed('start_counts = "zero"', 'start_counts = "offset"')
GATES = {
    "as written": VALID,
    "strict": STRICT,
    "offset": OFFSET,
    "all logs": changed('wood = "baseline_only"', 'wood = "all_logs"'),
}


def counted(run: RecordedRun) -> dict[str, tuple[int, int]]:
    """Milestone -> how many treatment units and how many control units earned it."""
    report = run.report
    return {
        i: (report.references_with(i), len(report.baselines_with(i))) for i in report.contract.ids
    }


def test_builders_are_separated_from_hoarders_on_the_second_half_alone() -> None:
    run = sample("builders_vs_hoarders")
    assert counted(run) == {"primary": (3, 3), "secondary": (3, 0), "plateau-break": (3, 0)}
    assert run.report.separates
    assert run.report.separating == ("secondary", "plateau-break")
    assert run.report.attrition == ()
    assert (run.rows, run.cycles, run.closed) == (60, 10, True)
    assert run.unknown == dict.fromkeys(HALVES, ())


def test_two_arms_of_hoarders_are_not_separated() -> None:
    run = sample("hoarders_vs_hoarders")
    assert counted(run) == {"primary": (3, 3), "secondary": (0, 0), "plateau-break": (0, 0)}
    assert not run.report.separates
    assert "the contract did not separate the arms" in "\n".join(run_lines(run))


@pytest.mark.parametrize("name", ["withheld_8_not_read", "p1_inventory", "p2_final_counts"])
def test_arms_that_were_not_read_are_not_told_as_not_separated(name: str) -> None:
    told = "\n".join(run_lines(sample(name)))
    assert "whether the contract separated the arms is not known; not read: " in told
    assert "did not separate" not in told


@pytest.mark.parametrize(
    ("name", "primary", "secondary", "both", "unknown"),
    [
        ("pass", (5, 1), (5, 0), (5, 0), 0),
        ("fail_clean", (0, 0), (0, 0), (0, 0), 0),
        ("fail_not_clean", (2, 0), (0, 0), (0, 0), 0),
        ("partial_primary", (6, 0), (1, 0), (1, 0), 0),
        ("partial_secondary", (0, 0), (5, 0), (0, 0), 0),
        ("partial_other_units", (3, 0), (3, 0), (0, 0), 0),
        ("withheld_5_not_pinned", (5, 1), (4, 0), (4, 0), 1),
        ("withheld_8_not_read", (0, 0), (0, 0), (0, 0), 6),
        ("withheld_9_control_matches", (6, 6), (6, 6), (6, 6), 0),
        ("p2_final_counts", (6, 6), (0, 0), (0, 0), 12),
    ],
)
def test_samples_with_a_known_answer_earn_what_their_page_says(
    name: str,
    primary: tuple[int, int],
    secondary: tuple[int, int],
    both: tuple[int, int],
    unknown: int,
) -> None:
    """``sample_runs/README.md`` tells what happened in each."""
    run = sample(name)
    earned = {"primary": primary, "secondary": secondary, "plateau-break": both}
    assert counted(run) == earned
    assert len(run.unknown["plateau-break"]) == unknown
    separating = tuple(i for i, (treatment, control) in earned.items() if treatment and not control)
    assert run.report.separating == separating


def test_a_run_without_any_counter_earns_nothing_and_is_not_known() -> None:
    """P1 as published: inventories alone."""
    run = sample("p1_inventory")
    assert counted(run) == dict.fromkeys(HALVES, (0, 0))
    assert run.report.unmeasured == HALVES
    assert run.unknown == dict.fromkeys(HALVES, UNITS)
    hoard = run.context.motion["engine.pickaxe_hoard"]
    assert (hoard.rises, hoard.falls) == (12, 5)
    context = run_record(run)["context"]
    assert isinstance(context, dict)
    assert context["mine_stone"] == {
        "treatment": "0 of 3", "control": "0 of 3", "unread": list(UNITS),
    }  # fmt: skip
    assert context["pickaxe_hoard"]["unread"] == []


def test_villagers_who_place_nothing_leave_both_halves_to_the_builders() -> None:
    run = run_of(parsed(), rows_of_world("builders_vs_villagers", 4), OAK)
    assert counted(run) == dict.fromkeys(HALVES, (3, 0))
    assert run.report.separating == HALVES


def test_hoarders_of_a_mixed_forest_reach_all_of_it_as_written_and_nothing_of_the_strict() -> None:
    rows = rows_of_world("mixed_forest", 8)
    pins = {
        row.reading.unit: max(
            ("oak_log", "birch_log", "spruce_log"), key=lambda log: row.reading.mined[log] or 0
        )
        for row in rows
    }
    run = run_of(parsed(STRICT), rows, pins)
    at_least_two = {i: (treatment, control) for i, (treatment, control) in counted(run).items()}
    assert {i: at_least_two[i] for i in HALVES} == dict.fromkeys(HALVES, (3, 0))
    assert at_least_two["primary-as-written"] == (3, 3)


def test_a_stricter_gate_is_measured_beside_what_is_written() -> None:
    builder = {"oak_log": 3, "stone": 1, "sand": 1}
    hoarder = {"oak_log": 9, "birch_log": 1, "spruce_log": 1}
    rows = [
        row_of("UNI-10-1", 0, {"dirt": 1}, builder),
        row_of("UNI-11-1", 0, {"crafting_table": 1}, hoarder),
    ]
    run = run_of(parsed(STRICT), rows, OAK)
    assert counted(run) == dict.fromkeys(HALVES, (1, 0)) | dict.fromkeys(WRITTEN, (1, 1))
    assert run.report.separating == HALVES
    plain = run_of(parsed(), rows, OAK)
    assert counted(plain) == dict.fromkeys(HALVES, (1, 1))
    assert not plain.report.separates


def test_halves_of_two_rows_are_not_joined() -> None:
    rolled_back = [
        row_of("UNI-10-1", 0, {"dirt": 1}, {"oak_log": 3}),
        row_of("UNI-10-1", 1, {}, {"oak_log": 3, "stone": 1, "sand": 1}),
    ]
    run = run_of(parsed(), rolled_back, OAK)
    assert counted(run) == {"primary": (1, 0), "secondary": (1, 0), "plateau-break": (0, 0)}
    assert run.report.motion["engine.place_dirt"].falls == 1


def test_a_counter_across_a_gap_is_one_step_between_what_was_read() -> None:
    counts: list[int | None] = [0, 3, None, None, 9, None, 9]
    rows = [row_of("UNI-10-1", n, {"dirt": count}) for n, count in enumerate(counts)]
    motion = run_of(parsed(), rows, OAK).report.motion["engine.place_dirt"]
    assert (motion.rises, motion.falls, motion.samples) == (2, 0, 4)


def test_a_separation_that_rests_on_a_gap_says_so() -> None:
    rows = [
        row_of("UNI-10-1", 0, {"dirt": 1}),
        without_counters(row_of("UNI-11-2", 0)),
        *(row_of(unit, 0) for unit in UNITS if unit not in {"UNI-10-1", "UNI-11-2"}),
    ]
    run = run_of(parsed(), rows, OAK)
    assert run.report.separating == ("primary",)
    assert run.unknown["primary"] == ("UNI-11-2",)
    assert any("primary: not known of UNI-11-2" in line for line in run_lines(run))


def test_without_a_pin_the_second_half_is_not_known() -> None:
    rows = [row_of(unit, 0, {"dirt": 1}, {"stone": 1, "sand": 1}) for unit in UNITS]
    run = run_of(parsed(), rows, {})
    assert counted(run) == {"primary": (3, 3), "secondary": (0, 0), "plateau-break": (0, 0)}
    assert run.unknown["secondary"] == UNITS


def test_a_pin_that_never_rose_earns_nothing_by_logs() -> None:
    logs = {"oak_log": 5, "birch_log": 2, "spruce_log": 0}
    rows = [
        row_of("UNI-10-1", 0, {"dirt": 1}, logs),
        row_of("UNI-10-2", 0, {"dirt": 1}, logs | {"stone": 1, "sand": 1}),
    ]
    run = run_of(parsed(), rows, dict.fromkeys(UNITS, "spruce_log"))
    assert counted(run)["secondary"] == (1, 0)
    assert "UNI-10-1" in run.unknown["secondary"]


def test_by_offset_the_start_reading_earns_nothing() -> None:
    start = {unit: {"place_dirt": 7, "mine_stone": 2} for unit in UNITS}
    start["UNI-10-2"] = {}
    rows = [row_of(unit, 0, {"dirt": 7}, {"stone": 2}) for unit in UNITS]
    rows.append(row_of("UNI-10-1", 1, {"dirt": 8}, {"stone": 2}))
    run = run_of(parsed(OFFSET), rows, OAK, start)
    assert counted(run)["primary"] == (1, 0), "UNI-10-1 went on; of UNI-10-2 no start is known"
    names = [o.name for o in parsed().objectives]
    start = {unit: dict.fromkeys(names, 0) | counts for unit, counts in start.items()}
    run = run_of(parsed(OFFSET), rows, OAK, start)
    assert counted(run)["primary"] == (2, 0), "UNI-10-2 began at 0"
    assert run.context.references_with("mine_stone") == 1


def test_an_extension_of_any_name_is_context_and_no_milestone() -> None:
    named = changed('"mine_grass"', '"+g.r-a"', EXTENSION)
    registration = parsed(VALID + named)
    rows = [row_of("UNI-10-1", 0, extra={"+g.r-a": 4})]
    run = run_of(registration, rows, OAK)
    assert run.report.contract.ids == HALVES
    assert run.context.references_with("mined:grass_block") == 1


def test_an_open_run_is_measured_so_far_and_says_so() -> None:
    rows = [row_of(unit, cycle) for cycle in range(2) for unit in UNITS]
    run = run_of(parsed(), rows, OAK, closed=False)
    assert run.unknown == dict.fromkeys(HALVES, ())
    assert "2 of 66 cycles, OPEN" in run_lines(run)[0]
    assert run_record(run)["run"] == {"rows": 12, "cycles": 2, "of": 66, "closed": False}


def test_rows_of_strangers_and_after_the_window_are_left_alone() -> None:
    late, stranger = row_of("UNI-10-1", 66, {"dirt": 1}), row_of("Steve", 0, {"dirt": 1})
    with pytest.raises(EmptyRunError, match="p1-curiosity is closed and holds no row"):
        run_of(parsed(), [late, stranger], OAK)
    run = run_of(parsed(), [late, stranger, row_of("UNI-11-1", 0)], OAK)
    assert counted(run)["primary"] == (0, 0)
    assert run.rows == 1
    assert EmptyRunError.exit_code == 1


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(SAMPLES), st.sets(st.integers(0, 59), max_size=60))
def test_a_gap_never_earns_and_never_adds_motion(name: str, gaps: set[int]) -> None:
    registration, state, rows = rows_of_sample(name)
    whole = run_of(registration, rows, state.pins, state.start)
    holed = run_of(registration, after_gaps(rows, gaps), state.pins, state.start)
    for before, after in (
        (whole.report, holed.report),
        (whole.context, holed.context),
    ):
        for i in before.contract.ids:
            assert after.references_with(i) <= before.references_with(i)
            assert set(after.baselines_with(i)) <= set(before.baselines_with(i))
        for channel, motion in after.motion.items():
            assert motion.rises <= before.motion[channel].rises
            assert motion.falls <= before.motion[channel].falls
            assert motion.samples <= before.motion[channel].samples


counters: st.SearchStrategy[Counter] = st.one_of(st.none(), st.integers(-1, 2))
some_rows = st.lists(
    st.builds(
        row_of,
        st.sampled_from(UNITS),
        st.integers(0, 8),
        st.dictionaries(st.sampled_from(PLACE_BLOCKS), counters),
        st.dictionaries(st.sampled_from(MINE_BLOCKS), counters),
        counters,
    ),
    min_size=1,
    max_size=30,
)
some_pins = st.dictionaries(
    st.sampled_from(UNITS), st.sampled_from(["oak_log", "birch_log", "jungle_log"])
)
starts = st.dictionaries(
    st.sampled_from(UNITS),
    st.fixed_dictionaries({o.name: counters for o in parsed().objectives}),
)


@settings(max_examples=60, deadline=None)
@given(some_rows, some_pins, starts, st.sampled_from(sorted(GATES)))
def test_what_units_earn_is_what_the_verdict_says_they_reached(
    rows: list[RecordedRow],
    pins: dict[str, str],
    start: dict[str, dict[str, Counter]],
    gate: str,
) -> None:
    registration = parsed(GATES[gate])
    run = run_of(registration, rows, pins, start)
    facts = JournalFacts(pins={unit: PinFact(wood) for unit, wood in pins.items()}, start=start)
    cycles = 1 + max(row.reading.cycle for row in rows)
    so_far = replace(registration, window=replace(registration.window, cycles=cycles))
    tally = WindowTally(so_far, facts).take_all(row.reading for row in rows)
    runs = {r.name: r for r in (*run.report.references, *run.report.baselines)}
    for unit in standings(so_far, tally):
        for halves, mark in ((unit.registered, ""), (unit.as_written, "-as-written")):
            for name, standing in zip(
                HALVES, (halves.primary, halves.secondary, halves.both), strict=True
            ):
                if f"{name}{mark}" in run.report.contract.ids:
                    earned = f"{name}{mark}" in runs[unit.name].earned
                    assert earned is (standing == "reached"), (unit.name, name, mark)
                    unknown = unit.name in run.unknown[f"{name}{mark}"]
                    assert unknown is (standing == "unknown")
