"""Progress and status: latched flags, last known counts, gaps, ages, the next poll."""

from pathlib import Path

import msgspec
import pytest
from metric.texts import VALID, changed, parsed
from runlog.runs import (
    SLOT0,
    Clock,
    Counts,
    a_row,
    begin,
    closed,
    finished_run,
    heartbeat,
    new_folder,
    opened,
    pin,
    sealed,
    write_cycle,
)

from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import FileLock
from plateau_tui.runlog.progress import Fall, RunProgress
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.scorer import RowScorer
from plateau_tui.runlog.state import RunState, read_state
from plateau_tui.runlog.status import RunStatus, run_status
from plateau_tui.runlog.times import format_ms
from plateau_tui.runlog.writer import RunWriter

UNIT = parsed().units[0]
INTERVAL = 600_000
PLACES = ["cobblestone", "dirt", "oak_planks", "oak_log", "crafting_table"]


def pinned_state() -> RunState:
    state = RunState(collector_id="0123abcd")
    state.take(pin(UNIT.name), "", "pinned")
    return state


def after(*readings: tuple[Counts, Counts]) -> RunProgress:
    state = pinned_state()
    progress = RunProgress(parsed(), state)
    for cycle, (placed, mined) in enumerate(readings):
        progress.take(a_row(parsed(), state, UNIT, cycle, placed, mined))
    return progress


def flags(progress: RunProgress) -> tuple[bool | None, bool | None, bool | None]:
    unit = progress.units[UNIT.name]
    return unit.primary.value, unit.secondary.value, unit.plateau_break.value


def test_what_was_reached_stays_reached_through_rollbacks_and_gaps() -> None:
    both: tuple[Counts, Counts] = ({"dirt": 1}, {"stone": 1, "sand": 1})
    gap: tuple[Counts, Counts] = (
        dict.fromkeys(PLACES),
        {"stone": None, "sand": None, "dirt": None},
    )
    assert flags(after(both, ({}, {}), gap)) == (True, True, True)


def test_a_row_that_repeats_the_one_before_says_what_it_would_say_alone() -> None:
    state = pinned_state()
    a_gap: Counts = dict.fromkeys(PLACES)
    steps: list[tuple[Counts, Counts]] = [
        ({}, {"oak_log": 1}), ({}, {"oak_log": 1}), (a_gap, {"oak_log": 2}),
        (a_gap, {"oak_log": 2}), ({"dirt": 2}, {"oak_log": 1}), ({"dirt": 2}, {"oak_log": 1}),
        ({"dirt": 2}, {"oak_log": 4, "stone": 1, "sand": 1}),
    ]  # fmt: skip
    rows = [a_row(parsed(), state, UNIT, cycle, *step) for cycle, step in enumerate(steps)]
    quick, anew = RunProgress(parsed(), state), RunProgress(parsed(), state)
    for row in rows:
        anew.units[UNIT.name].raw = ()
        falls = anew.take(row)
        assert quick.take(row) == falls
        assert quick.units == anew.units
    assert (quick.gap_cycles, quick.units[UNIT.name].growth.grown["oak_log"]) == (2, 4)
    # A score that somebody else has made already is taken as it is.
    given = RunProgress(parsed(), state)
    scorer = RowScorer(parsed(), state)
    for row in rows:
        given.take(row, scorer.score(row.uni, row.placed_used, row.mined, "oak_log"))
    assert given.units == quick.units


def test_a_pin_that_comes_between_two_equal_rows_is_scored_by() -> None:
    state = RunState(collector_id="0123abcd")
    progress = RunProgress(parsed(), state)
    row = a_row(parsed(), state, UNIT, 0, {"dirt": 1}, {"stone": 1, "sand": 1})
    progress.take(row)
    assert flags(progress) == (True, None, None)
    state.take(pin(UNIT.name), "", "pinned")
    progress.take(msgspec.structs.replace(row, cycle=1))
    assert flags(progress) == (True, True, True)


def test_halves_of_different_rows_are_not_joined() -> None:
    found = after(({"dirt": 1}, {}), ({}, {"stone": 1, "sand": 1}))
    assert flags(found) == (True, True, False)


def test_a_gap_leaves_the_last_decided_flag_and_the_last_known_counts() -> None:
    gap = dict.fromkeys(PLACES)
    found = after(({}, {"oak_log": 4}), (gap, {"oak_log": None, "stone": None, "sand": None}))
    assert flags(found) == (False, False, False)
    unit = found.units[UNIT.name]
    assert (unit.placed_used_total, unit.distinct_mined_beyond) == (0, 0)
    assert unit.counts["mine_oak_log"] == 4
    assert found.gap_cycles == 1


def test_a_counter_that_fell_is_reported_against_its_last_known_value() -> None:
    state = pinned_state()
    progress = RunProgress(parsed(), state)
    counts: list[int | None] = [5, None, 3, 3, 9]
    falls = [
        fall
        for cycle, count in enumerate(counts)
        for fall in progress.take(a_row(parsed(), state, UNIT, cycle, {}, {"sand": count}))
    ]
    assert falls == [Fall(UNIT.name, "mine_sand", 5, 3)]


def test_rows_of_unknown_units_are_counted_and_change_no_unit() -> None:
    progress = RunProgress(parsed(), pinned_state())
    row = a_row(parsed(), pinned_state(), UNIT, 0)
    assert progress.take(msgspec.structs.replace(row, uni="UNI-99-9")) == []
    assert progress.rows == 1
    assert progress.units[UNIT.name].read_ts is None


def test_a_row_without_a_known_counter_is_no_reading() -> None:
    state = pinned_state()
    row = a_row(parsed(), state, UNIT, 0)
    empty = msgspec.structs.replace(
        row,
        placed_used=dict.fromkeys(row.placed_used),
        mined=dict.fromkeys(row.mined),
        crafted=dict.fromkeys(row.crafted),
    )
    progress = RunProgress(parsed(), state).take_all([empty])
    assert progress.units[UNIT.name].read_ts is None
    assert progress.gap_cycles == 1


def test_offset_growth_of_wood_starts_at_the_start_reading() -> None:
    registration = parsed(changed('start_counts = "zero"', 'start_counts = "offset"'))
    state = pinned_state()
    start: ev.UnitCounts = {UNIT.name: {"mine_oak_log": 50, "mine_birch_log": 0}}
    state.take(
        ev.Registered(created=[], existing=[], start=start, criterion_not_verifiable=[]), "", ""
    )
    row = a_row(registration, state, UNIT, 0, {}, {"oak_log": 50, "birch_log": 2})
    progress = RunProgress(registration, state).take_all([row])
    assert progress.units[UNIT.name].growth.evidence() == {"oak_log": 0, "birch_log": 2}


# -- status ----------------------------------------------------------------------------------


def status(folder: RunFolder, now_ms: int, text: str = VALID) -> RunStatus:
    state, _ = read_state(folder.journal)
    return run_status(folder, state, parsed(text), now_ms)


def begin_again(folder: RunFolder) -> RunWriter:
    return RunWriter(folder, Clock())


def test_a_draft_has_nulls_and_lists_every_unit(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    found = status(folder, SLOT0)
    assert (found.state, found.sealed, found.registered, found.pinned) == (
        "draft", False, False, False
    )  # fmt: skip
    assert (found.cycle, found.cycles, found.next_poll_ts, found.rcon_ok) == (None, 66, None, None)
    assert found.collector.running is False
    assert list(found.units) == [unit.name for unit in parsed().units]
    blank = msgspec.to_builtins(found.units["UNI-10-1"])
    assert (blank.pop("arm"), blank.pop("role")) == ("curiosity", "treatment")
    assert set(blank.values()) == {None}
    assert set(blank) == {
        "online", "primary", "secondary", "plateau_break", "placed_used_total",
        "distinct_mined_beyond", "pickaxe_hoard", "age_s", "table_only", "other_log",
    }  # fmt: skip


def test_a_run_at_work_says_how_far_it_is(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 3, close=False)
    found = status(folder, SLOT0 + 2 * INTERVAL + 60_250)
    assert (found.state, found.cycle, found.gaps, found.rcon_ok) == ("open", 2, 0, True)
    assert found.next_poll_ts == format_ms(SLOT0 + 3 * INTERVAL)
    treated, untreated = found.units["UNI-10-1"], found.units["UNI-11-1"]
    assert (treated.primary, treated.secondary, treated.plateau_break) == (True, True, True)
    assert (untreated.primary, untreated.secondary, untreated.plateau_break) == (
        False, False, False
    )  # fmt: skip
    assert (treated.placed_used_total, treated.distinct_mined_beyond) == (2, 2)
    assert (treated.pickaxe_hoard, treated.online, treated.age_s) == (3, True, 60.0)


@pytest.mark.parametrize(
    ("into_cycle", "expected"),
    [(2.5, 3), (3.0, 3), (3.4, 3), (4.0, 4), (9.9, 9), (65.9, 65), (66.0, None), (500, None)],
)
def test_the_next_poll_is_never_a_slot_that_is_long_past(
    tmp_path: Path, into_cycle: float, expected: int | None
) -> None:
    folder = finished_run(tmp_path / "run", 3, close=False)
    found = status(folder, SLOT0 + int(into_cycle * INTERVAL))
    slot = None if expected is None else format_ms(SLOT0 + expected * INTERVAL)
    assert found.next_poll_ts == slot


def test_a_closed_run_has_no_next_poll(tmp_path: Path) -> None:
    found = status(finished_run(tmp_path / "run", 3), SLOT0 + 3 * INTERVAL)
    assert (found.state, found.next_poll_ts) == ("closed", None)


def test_a_collector_runs_only_while_it_is_the_one_that_holds_the_lock(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 1, close=False)
    writer = begin_again(folder)
    with FileLock(folder.lock):
        pid = int(folder.lock.read_text())
        writer.journal(ev.CollectorStarted(pid=pid, tool="t", once=False))
        found = status(folder, SLOT0).collector
        assert (found.running, found.pid) == (True, pid)
        assert found.heartbeat_age_s is not None
        # Another command holds the lock of a run whose collector was killed.
        writer.journal(ev.CollectorStarted(pid=pid + 1, tool="t", once=False))
        found = status(folder, SLOT0).collector
        assert (found.running, found.pid) == (False, None)
    assert status(folder, SLOT0).collector.running is False
    writer.close()


def test_before_the_window_the_next_poll_is_the_running_collectors_next_slot(
    tmp_path: Path,
) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin_again(folder)
    with FileLock(folder.lock):
        pid = int(folder.lock.read_text())
        writer.journal(sealed(), ev.CollectorStarted(pid=pid, tool="t", once=False))
        now = SLOT0 + INTERVAL + 1
        assert status(folder, now).next_poll_ts == format_ms(SLOT0 + 2 * INTERVAL)
    assert status(folder, now).next_poll_ts is None
    writer.close()


def test_gaps_count_cycles_not_rows(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer, registration = begin(folder), parsed()
    write_cycle(writer, registration, 0)
    rows = [gap_of(a_row(registration, writer.state, unit, 1)) for unit in registration.units]
    writer.cycle(rows, heartbeat(1))
    write_cycle(writer, registration, 2)
    writer.close()
    found = status(folder, SLOT0 + 2 * INTERVAL)
    assert (found.gaps, found.cycle, found.rcon_ok) == (1, 2, True)


def gap_of(row: Row) -> Row:
    return msgspec.structs.replace(row, mined=dict.fromkeys(row.mined), rcon_ok=False)


def test_an_unpinned_run_scores_nothing_on_secondary(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder, pinned=False)
    write_cycle(writer, parsed(), 0)
    write_cycle(writer, parsed(), 1)
    unpinned = status(folder, SLOT0 + INTERVAL)
    assert unpinned.units["UNI-10-1"].secondary is None
    assert unpinned.pinned is False
    # A pin applies to all rows of its unit, whenever it was made.
    writer.journal(pin("UNI-10-1"))
    assert status(folder, SLOT0 + INTERVAL).units["UNI-10-1"].secondary is True
    writer.journal(closed(2))
    writer.close()


def test_a_lock_that_may_not_be_looked_at_does_not_stop_the_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plateau_tui.runlog import status as module  # noqa: PLC0415 - the module broken here

    def denied(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    folder = finished_run(tmp_path / "run", 1, close=False)
    monkeypatch.setattr(module, "holder_of", denied)
    assert status(folder, SLOT0).collector.running is False


def test_the_window_opens_at_its_own_slot() -> None:
    state = RunState()
    state.take(opened(), "", "window_opened")
    assert state.window_slot_ms == SLOT0
