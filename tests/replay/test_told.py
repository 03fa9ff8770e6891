"""What a journal tells of, at any moment of a replay: faults, objectives that are gone, absence."""

import threading
from pathlib import Path

import msgspec
import pytest
from metric.texts import changed, parsed
from replay.judging import agree_in_every_cycle, put_aside_often
from replay.reading import read, shown
from runlog.runs import begin, cycle_rows, heartbeat, new_folder, opened

from plateau_tui.console.live.windowreadings import PARTIAL, SILENT, WHOLE
from plateau_tui.console.replay.reader import ReplayPart, ReplayReader
from plateau_tui.console.replay.timeline import Timeline
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.archive import open_archive


@pytest.fixture(autouse=True)
def states_put_aside_often(monkeypatch: pytest.MonkeyPatch) -> None:
    put_aside_often(monkeypatch)


def test_faults_begin_end_and_last_in_a_replay_as_they_do_in_the_live_model(
    tmp_path: Path,
) -> None:
    folder = new_folder(tmp_path / "run")
    writer, registration = begin(folder), parsed()
    told: dict[int, list[ev.Event]] = {
        0: [
            opened(),
            ev.ObjectiveEvent(name="mine_sand", criterion="x", status="failed", reason="why"),
        ],
        1: [ev.Fault(code="internal", text="an error of its own", cycle=1)],
        3: [
            ev.Fault(code="log_edited", text="rows.jsonl was edited; see", cycle=3),
            ev.Fault(code="timed_out", text="no answer", cycle=3),
            ev.Fault(code="probe_gap", text="probe: nothing", cycle=3),
        ],
        4: [
            ev.CollectorStarted(pid=7, tool="plateau-tui", once=False),
            ev.ClockMoved(offset_s=90.0),
        ],
        5: [ev.Fault(code="timed_out", text="no answer", cycle=5)],
        6: [ev.Recovered(code="timed_out", text="", cycle=6, since=5)],
        7: [ev.CounterFell(unit="UNI-10-1", objective="mine_sand", cycle=7, before=3, after=1)],
    }
    for cycle in range(9):
        rows = cycle_rows(registration, writer.state, cycle)
        writer.cycle(rows, *told.get(cycle, []), heartbeat(cycle))
    writer.require_written()
    writer.close()
    agree_in_every_cycle(folder, tmp_path)
    timeline = read(folder.path)
    lasting = [[fault.code for fault in shown(timeline, step).faults] for step in range(9)]
    assert lasting[:3] == [[], ["internal"], []]
    assert lasting[3:] == [["log_edited", "timed_out", "probe_gap"], [], ["timed_out"], [], [], []]
    assert [len(shown(timeline, step).log_faults) for step in range(9)] == [0] * 3 + [1] * 6


def test_a_unit_that_is_gone_for_too_long_is_in_no_pair_and_its_rows_after_the_window_in_none(
    tmp_path: Path,
) -> None:
    text = changed("cycles = 66", "cycles = 8")
    folder = new_folder(tmp_path / "run", text)
    writer, registration = begin(folder, text), parsed(text)
    for cycle in range(10):
        rows = cycle_rows(registration, writer.state, cycle)
        rows[0] = msgspec.structs.replace(rows[0], online=cycle < 3 or cycle > 7)
        rows[1] = msgspec.structs.replace(rows[1], online=None if cycle < 2 else cycle != 4)
        rows[2] = msgspec.structs.replace(rows[2], online=cycle > 7)
        writer.cycle(rows, *([opened()] if cycle == 0 else []), heartbeat(cycle))
    writer.require_written()
    writer.close()
    agree_in_every_cycle(folder, tmp_path, plotted=False)
    views = [shown(read(folder.path), step) for step in (0, 5, 6, 9)]
    live_then = [[unit.live for unit in v.paired.units[:3]] for v in views if v.paired]
    assert live_then == [
        [True, False, False],
        [True, True, False],
        [False, True, False],
        [False, True, False],
    ]


def test_what_a_collector_writes_behind_a_heartbeat_is_of_its_cycle(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer, registration = begin(folder), parsed()
    behind: dict[int, list[ev.Event]] = {
        2: [
            ev.Fault(code="timed_out", text="no answer", cycle=2),
            ev.CounterFell(unit="UNI-10-1", objective="mine_sand", cycle=2, before=3, after=1),
        ],
        4: [ev.Recovered(code="timed_out", text="", cycle=4, since=2)],
    }
    for cycle in range(6):
        rows = cycle_rows(registration, writer.state, cycle)
        before = [opened()] if cycle == 0 else []
        writer.cycle(rows, *before, heartbeat(cycle), *behind.get(cycle, []))
        writer.journal(ev.Note(by="op", text=f"between {cycle} and the next"))
    writer.require_written()
    writer.close()
    agree_in_every_cycle(folder, tmp_path)
    timeline = read(folder.path)
    assert timeline.next_change(1) == 2
    assert timeline.moment(2).changed[0] == "FAULT timed out in cycle 3: no answer"
    for step in range(5):
        notes = [entry.text for entry in shown(timeline, step).journal if entry.name == "note"]
        assert notes == [f"op: note: between {n} and the next" for n in range(step)]


def test_an_objective_that_is_gone_for_all_is_no_gap_of_a_unit_until_it_is_read_again(
    tmp_path: Path,
) -> None:
    folder = new_folder(tmp_path / "run")
    writer, registration = begin(folder), parsed()
    lost = {3: ["sand"], 4: ["sand"], 5: ["sand", "stone"], 7: ["sand"], 8: ["sand"]}
    told = {3: "mine_sand", 8: "mine_sand"}
    for cycle in range(10):
        rows = []
        for row in cycle_rows(registration, writer.state, cycle):
            unread = dict.fromkeys(lost.get(cycle, []))
            rows.append(msgspec.structs.replace(row, mined=row.mined | unread))
        if cycle == 4:  # beside what is gone, something of one unit's own
            rows[1] = msgspec.structs.replace(
                rows[1], placed_used=dict.fromkeys(rows[1].placed_used)
            )
        events: list[ev.Event] = [opened()] if cycle == 0 else []
        events.append(heartbeat(cycle))
        if cycle in told:
            events.append(ev.ObjectiveMissing(objective=told[cycle], cycle=cycle))
        writer.cycle(rows, *events)
    writer.require_written()
    writer.close()
    agree_in_every_cycle(folder, tmp_path)
    timeline = read(folder.path)
    readings = timeline.readings_by(10, 10)
    assert readings[:6] == [WHOLE, WHOLE, WHOLE, WHOLE, PARTIAL, PARTIAL]
    assert readings[6:] == [WHOLE, PARTIAL, WHOLE, WHOLE]
    assert SILENT not in readings
    assert timeline.next_change(1) == 3
    last = shown(timeline, 9)
    assert (last.gaps, last.gone_gaps) == (5, 2)


def test_rows_that_were_counted_before_anybody_knew_that_an_objective_is_gone_are_counted_anew(
    tmp_path: Path,
) -> None:
    folder = new_folder(tmp_path / "run")
    writer, registration = begin(folder), parsed()
    for cycle in range(4):
        rows = [
            msgspec.structs.replace(row, mined=row.mined | ({"sand": None} if cycle == 3 else {}))
            for row in cycle_rows(registration, writer.state, cycle)
        ]
        writer.cycle(rows, *([opened()] if cycle == 0 else []), heartbeat(cycle))
    timeline, stop = Timeline(), threading.Event()
    seen: list[list[int | None]] = []

    def tell(part: ReplayPart) -> None:
        timeline.add(part)
        if part.done:
            seen.append(timeline.readings_by(4, 4))
            if seen[-1][3] == WHOLE:
                stop.set()
            elif len(seen) == 1:
                writer.journal(ev.ObjectiveMissing(objective="mine_sand", cycle=3))

    ReplayReader(open_archive(folder.path)).read(stop, tell)
    writer.close()
    assert seen[0] == [WHOLE, WHOLE, WHOLE, PARTIAL]
    assert seen[-1] == [WHOLE] * 4
    assert shown(timeline, 3).units == shown(read(folder.path), 3).units
