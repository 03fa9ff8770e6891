"""Any moment of a log is what a straight reading up to there comes to, and nothing later is in it.

The judge is the live model (``replay.judging``).
"""

from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from console.apps import SAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from metric.texts import EXTENSION, VALID, changed, parsed
from replay.judging import agree_in_every_cycle, put_aside_often
from replay.reading import read, shown
from runlog.runs import (
    Counts,
    a_row,
    begin,
    closed,
    cycle_rows,
    heartbeat,
    new_folder,
    opened,
    pin,
    write_cycle,
)

from plateau_tui.metric.evidence import JournalFacts, PinFact
from plateau_tui.metric.objectives import MINE_BLOCKS, PLACE_BLOCKS
from plateau_tui.metric.tally import WindowTally
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.readings import reading_of
from plateau_tui.runlog.rows import decode_row, encode_row
from plateau_tui.runlog.sofar import known_of, standing_within, window_so_far
from plateau_tui.runlog.state import RunState

OFFSET: Final = changed('start_counts = "zero"', 'start_counts = "offset"') + EXTENSION
ALL_LOGS: Final = changed('wood = "baseline_only"', 'wood = "all_logs"')


@pytest.mark.parametrize(
    "name",
    [
        "builders_vs_hoarders",
        "p1_inventory",
        "p2_final_counts",
        "withheld_4_objective_lost",
        "withheld_5_not_pinned",
        "withheld_6_no_live_pair",
        "withheld_8_not_read",
        "fail_clean",
    ],
)
def test_every_cycle_of_a_sample_is_what_the_live_model_showed_then(
    name: str, tmp_path: Path
) -> None:
    agree_in_every_cycle(RunFolder(SAMPLES / name), tmp_path)


@pytest.mark.parametrize("text", [VALID, OFFSET, ALL_LOGS], ids=["zero", "offset", "all_logs"])
def test_pins_made_and_changed_in_the_window_count_from_then_on_for_all_rows(
    text: str, tmp_path: Path
) -> None:
    folder = new_folder(tmp_path / "run", text)
    writer, registration = begin(folder, text, pinned=False), parsed(text)
    for cycle in range(8):
        if cycle == 3:
            writer.journal(pin("UNI-10-1"), pin("UNI-11-1", "birch_log"))
        if cycle == 5:
            writer.journal(pin("UNI-10-1", "spruce_log"))
        write_cycle(writer, registration, cycle)
    writer.journal(closed(8))
    writer.require_written()
    writer.close()
    agree_in_every_cycle(folder, tmp_path, plotted=False)
    timeline = read(folder.path)
    secondary = [shown(timeline, step).units[0].secondary for step in range(8)]
    assert secondary[:3] == [None, None, None]
    assert secondary[3] is True
    texts = timeline.moment(3).changed
    assert any("UNI-10-1 reached SECONDARY" in text for text in texts)
    assert any("pinned oak_log for UNI-10-1" in text for text in texts)


def test_counters_that_are_not_read_fall_or_come_back_are_shown_as_they_were_then(
    tmp_path: Path,
) -> None:
    folder = new_folder(tmp_path / "run")
    writer, registration = begin(folder), parsed()
    gaps: Counts = dict.fromkeys(PLACE_BLOCKS)
    for cycle in range(9):
        rows = cycle_rows(registration, writer.state, cycle)
        if cycle in {2, 3, 6}:
            rows[1] = a_row(registration, writer.state, registration.units[1], cycle, gaps, {})
        if cycle == 5:
            rows[0] = a_row(registration, writer.state, registration.units[0], cycle, {"dirt": 1})
        events: list[ev.Event] = [heartbeat(cycle)]
        if cycle == 0:
            events.insert(0, opened())
        if cycle == 4:
            events.insert(0, ev.Fault(code="timeout", text="no answer", cycle=4))
        writer.cycle(rows, *events)
    writer.require_written()
    writer.close()
    agree_in_every_cycle(folder, tmp_path)
    timeline = read(folder.path)
    assert timeline.next_change(1) == 2
    assert any("GAP" in text for text in timeline.moment(2).changed)
    assert timeline.moment(4).changed[-1] == "FAULT timeout in cycle 5: no answer"


@pytest.mark.parametrize("text", [VALID, OFFSET, ALL_LOGS], ids=["zero", "offset", "all_logs"])
def test_a_no_grows_old_and_a_pin_that_is_not_confirmed_is_told_as_the_live_model_does(
    text: str, tmp_path: Path
) -> None:
    folder = new_folder(tmp_path / "run", text)
    writer, registration = begin(folder, text), parsed(text)
    unread: Counts = dict.fromkeys(MINE_BLOCKS)
    birch: Counts = {"birch_log": 2, "stone": 1}
    units = registration.units
    for cycle in range(9):
        rows = cycle_rows(registration, writer.state, cycle)
        mined = birch if cycle < 5 else birch | {"oak_log": 1}  # the pinned log at last
        rows[0] = a_row(registration, writer.state, units[0], cycle, {"dirt": 1}, mined)
        none_yet: Counts = unread if cycle > 1 else {}
        rows[1] = a_row(registration, writer.state, units[1], cycle, {}, none_yet)
        writer.cycle(rows, *([opened()] if cycle == 0 else []), heartbeat(cycle))
    writer.require_written()
    writer.close()
    agree_in_every_cycle(folder, tmp_path, plotted=False)
    timeline = read(folder.path)
    tolerance = registration.gate.max_absent_polls
    old = [shown(timeline, step).units[1].secondary for step in range(9)]
    assert old == [False] * (2 + tolerance) + [None] * (7 - tolerance)
    doubted = [shown(timeline, step).units[0].secondary for step in range(9)]
    if text == VALID:
        assert doubted == [None] * 5 + [True] * 4
        assert "UNI-10-1 reached SECONDARY" in timeline.moment(5).changed
        assert not any("SECONDARY" in told for told in timeline.moment(0).changed)


def test_rows_after_the_window_are_in_no_standing(tmp_path: Path) -> None:
    text = changed("cycles = 66", "cycles = 4")
    folder = new_folder(tmp_path / "run", text)
    writer, registration = begin(folder, text), parsed(text)
    for cycle in (0, 1, 5, 6):
        rows = cycle_rows(registration, writer.state, cycle)
        placed: Counts = {"dirt": 1} if cycle > 3 else {}
        rows[0] = a_row(registration, writer.state, registration.units[0], cycle, placed)
        writer.cycle(rows, *([opened()] if cycle == 0 else []), heartbeat(cycle))
    writer.require_written()
    writer.close()
    agree_in_every_cycle(folder, tmp_path, plotted=False)
    assert [shown(read(folder.path), step).units[0].primary for step in (1, 3)] == [False, False]


def test_nothing_later_than_the_cursor_is_in_what_it_shows() -> None:
    timeline = read(SAMPLES / "builders_vs_hoarders")
    for step in range(len(timeline)):
        moment, view = timeline.moment(step), shown(timeline, step)
        slot = moment.slot_ms
        times = [t for u in view.units for t in (*u.counts_ms.values(), *u.first_moved.values())]
        assert max(times) <= moment.now_ms
        assert all(r.slot_ms <= slot for unit in view.units for r in unit.readings)
        words = [entry.text for entry in view.journal]
        at_the_end = step == len(timeline) - 1
        assert any("the window closed" in text for text in words) is at_the_end
        assert view.rows == 6 * (step + 1)


# -- any log, any way through it ------------------------------------------------------------------

COUNT = st.one_of(st.none(), st.integers(0, 3))
CELL = st.tuples(
    st.sampled_from([None, "oak_log", "birch_log"]),
    st.lists(COUNT, min_size=5, max_size=5),
    st.lists(COUNT, min_size=10, max_size=10),
    st.sampled_from([True, False, None]),
)
LOG = st.lists(
    st.tuples(st.integers(1, 3), st.lists(CELL, min_size=2, max_size=2)), min_size=1, max_size=30
)
REGISTRATION: Final = parsed()
PAIR: Final = (REGISTRATION.units[0], REGISTRATION.units[3])


def written(log: list[tuple[int, list[tuple[object, ...]]]], path: Path) -> list[bytes]:
    """Write a bare file: cycles with holes, pins that come, go and change in the rows."""
    lines, cycle = [], -1
    for ahead, cells in log:
        cycle += ahead
        for unit, (wood, placed, mined, online) in zip(PAIR, cells, strict=True):
            made = a_row(
                REGISTRATION,
                RunState(),
                unit,
                cycle,
                dict(zip(PLACE_BLOCKS, placed, strict=True)),  # type: ignore[call-overload] # drawn
                dict(zip(MINE_BLOCKS, mined, strict=True)),  # type: ignore[call-overload] # drawn
            )
            fields = {"baseline_wood": wood, "online": online}
            row = type(made)(**{**{f: getattr(made, f) for f in made.__struct_fields__}, **fields})
            lines.append(encode_row(row)[:-1] + b',"chain":""}\n')
    path.write_bytes(b"".join(lines))
    return lines


@pytest.fixture(autouse=True)
def states_put_aside_often(monkeypatch: pytest.MonkeyPatch) -> None:
    put_aside_often(monkeypatch)


@settings(max_examples=40)
@given(log=LOG, jumps=st.lists(st.integers(0, 29), max_size=12))
def test_any_way_to_a_moment_comes_to_the_same(
    log: list[tuple[int, list[tuple[object, ...]]]],
    jumps: list[int],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("log") / "rows.jsonl"
    written(log, path)
    one_way, any_way = read(path), read(path)
    straight = [one_way.moment(step) for step in range(len(one_way))]
    for jump in jumps:
        step = jump % len(straight)
        assert any_way.moment(step) == straight[step]
    for step in reversed(range(len(straight))):
        assert any_way.moment(step) == straight[step]


@settings(max_examples=40)
@given(log=LOG)
def test_the_flags_of_a_moment_are_those_of_the_metric_over_the_rows_up_to_it(
    log: list[tuple[int, list[tuple[object, ...]]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("log") / "rows.jsonl"
    rows = [decode_row(line) for line in written(log, path)]
    timeline = read(path)
    assert timeline.source is not None
    registration = timeline.source.registration
    for step in range(len(timeline)):
        cycle = timeline.cycle_of(step)
        so_far = [row for row in rows if row.cycle <= cycle]
        for unit in shown(timeline, step).units:
            own = [row for row in so_far if row.uni == unit.name]
            pins = [row.baseline_wood for row in own if row.baseline_wood is not None]
            pinned = {} if not pins else {unit.name: PinFact(pins[-1])}
            facts = JournalFacts(pins=pinned)
            tally = WindowTally(registration, facts).take_all(map(reading_of, own))
            cut_here = window_so_far(registration, cycle + 1)
            expected = standing_within(tally, unit.name, cut_here).registered
            assert unit.primary is known_of(expected.primary), cycle
            assert unit.secondary is known_of(expected.secondary), cycle
            assert unit.plateau_break is known_of(expected.both), cycle
            assert unit.baseline == (pins[-1] if pins else None)


@settings(max_examples=25)
@given(log=LOG, order=st.randoms())
def test_rows_out_of_the_order_of_their_cycles_come_to_the_same(
    log: list[tuple[int, list[tuple[object, ...]]]],
    order: "st.DataObject",
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("log")
    lines = written(log, folder / "rows.jsonl")
    pairs = [lines[at : at + 2] for at in range(0, len(lines), 2)]
    order.shuffle(pairs)  # type: ignore[attr-defined] # a random.Random
    (folder / "shuffled.jsonl").write_bytes(b"".join(line for pair in pairs for line in pair))
    ordered, shuffled = read(folder / "rows.jsonl"), read(folder / "shuffled.jsonl")
    assert len(ordered) == len(shuffled)
    for step in range(len(ordered)):
        a, b = shown(ordered, step), shown(shuffled, step)
        assert replace(a, name="", run_id="") == replace(b, name="", run_id="")
