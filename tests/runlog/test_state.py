"""The state of a run is what its journal says, and nothing else."""

from pathlib import Path

import msgspec
import pytest
from metric.texts import VALID, parsed
from runlog.runs import (
    Clock,
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

from plateau_tui.metric.objectives import METRIC_OBJECTIVES
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.state import RunState, read_state
from plateau_tui.runlog.writer import RunWriter

NAMES = [o.name for o in METRIC_OBJECTIVES]


def registered(counts: ev.UnitCounts, created: list[str] | None = None) -> ev.Registered:
    return ev.Registered(
        created=created or [], existing=[], start=counts, criterion_not_verifiable=[]
    )


def folded(*events: ev.Event) -> RunState:
    state = RunState()
    for event in events:
        state.take(event, "2026-01-01T00:00:00.000Z", event.NAME)
    return state


PINS = [pin(unit.name) for unit in parsed().units]
ALL = [sealed(), registered({}), *PINS, opened(), closed(1)]


@pytest.mark.parametrize(
    ("events", "stage"),
    [
        ([], "draft"),
        ([registered({}), *PINS], "draft"),  # register and pin work before the seal
        ([sealed()], "sealed"),
        ([sealed(), *PINS], "sealed"),
        ([sealed(), registered({})], "registered"),
        ([sealed(), registered({}), *PINS[:-1]], "registered"),
        ([sealed(), registered({}), *PINS], "pinned"),
        ([registered({}), *PINS, sealed()], "pinned"),
        ([sealed(), registered({}), opened()], "open"),
        (ALL, "closed"),
    ],
)
def test_the_stage_is_the_furthest_reached(events: list[ev.Event], stage: str) -> None:
    assert folded(*events).stage(parsed()) == stage


def test_adjudicated_is_the_last_stage_and_only_a_final_answer_reaches_it() -> None:
    final, open_still = ev.Adjudicated(verdict="FAIL"), ev.Adjudicated(verdict="FAIL", final=False)
    assert folded(*ALL, final).stage(parsed()) == "adjudicated"
    assert folded(*ALL, open_still).stage(parsed()) == "closed"
    assert folded(*ALL, open_still, final).stage(parsed()) == "adjudicated"
    assert folded(*ALL, final, open_still).stage(parsed()) == "closed"
    assert folded(*ALL[:-1], final).stage(parsed()) == "open"


def test_the_first_seal_opening_and_close_stand() -> None:
    other = ev.Sealed(sha256="0" * 64, text="another gate")
    late = ev.WindowOpened(poll_ts="2026-02-01T00:00:00.000Z", unpinned=[])
    state = folded(sealed(), other, opened(), late, closed(4), closed(9))
    assert state.sealed == sealed()
    assert state.window == opened()
    assert state.closed == closed(4)


def test_the_start_reading_is_the_first_one() -> None:
    state = folded(
        registered({"UNI-10-1": {"place_dirt": 3, "mine_sand": 1}}),
        registered({"UNI-10-1": {"place_dirt": 9, "mine_coal": 2}}),
    )
    assert state.start == {"UNI-10-1": {"place_dirt": 3, "mine_sand": 1, "mine_coal": 2}}
    start = state.start_of("UNI-10-1")
    assert (start.placed["dirt"], start.mined["coal_ore"]) == (3, 2)
    assert start.mined["stone"] is None
    assert set(state.start_of("UNI-99-9").placed.values()) == {None}


def test_a_start_count_that_could_not_be_read_may_be_read_later() -> None:
    first, later = {"place_dirt": None, "mine_sand": 0}, {"place_dirt": 4, "mine_sand": None}
    state = folded(registered({"UNI-10-1": first}), registered({"UNI-10-1": later}))
    assert state.start == {"UNI-10-1": {"place_dirt": 4, "mine_sand": 0}}


def test_a_start_count_that_is_unknown_or_not_zero_is_named() -> None:
    start: ev.UnitCounts = {u.name: dict.fromkeys(NAMES, 0) for u in parsed().units}
    start["UNI-10-1"]["mine_sand"] = 4
    start["UNI-11-2"]["craft_stick"] = None
    del start["UNI-11-3"]
    found = folded(registered(start)).start_not_zero(parsed())
    assert found["UNI-10-1"] == {"mine_sand": 4}
    assert found["UNI-11-2"] == {"craft_stick": None}
    assert found["UNI-11-3"] == dict.fromkeys(NAMES)
    assert set(found) == {"UNI-10-1", "UNI-11-2", "UNI-11-3"}


def test_what_the_journal_says_is_what_its_writer_knew(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    writer.journal(
        ev.Connection(host="127.0.0.1", port=25575, namespaced=True),
        ev.CollectorStarted(pid=7, tool="plateau-tui", once=False),
        ev.Watch(polls=3, grown={"UNI-10-1": {"oak_log": 3}}, suggestion={"UNI-10-1": "oak_log"}),
        ev.Answer(id="1", ok=True, text="done"),
        ev.SealBroken(sha256=None),
        ev.ObjectiveMissing(objective="mine_sand", cycle=0),
        ev.Fault(code="items_removed", text="x"),
    )
    write_cycle(writer, parsed(), 0)
    writer.close()
    state, unreadable = read_state(folder.journal)
    assert state == writer.state
    assert unreadable == []
    assert state.items_removed
    assert state.seal_broken
    assert list(state.missing) == ["mine_sand"]
    assert state.heartbeat is not None
    assert (state.heartbeat.rows, state.heartbeat.cycle) == (6, 0)


def test_lines_that_are_no_events_are_counted_and_change_nothing(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "run", 1, VALID, close=False)
    before, _ = read_state(folder.journal)
    with folder.journal.open("ab") as file:
        file.write(b"\n{}\n[]\nnull\n\xff\n" + b"[" * 100_000 + b"\n")
    after, unreadable = read_state(folder.journal)
    assert after == before
    assert [item.line.number for item in unreadable] == [12, 13, 14, 15, 16, 17]


def test_a_restarted_journal_restates_what_the_run_stands_on() -> None:
    state = folded(*ALL[:-1], heartbeat(0))
    again = folded(*state.restated())
    assert again.sealed == state.sealed
    assert again.pins == state.pins
    assert again.window == state.window
    assert again.registered


def test_events_survive_writing_and_reading(tmp_path: Path) -> None:
    note = ev.Note(by="op", text='line\n\x00 "quoted" ,"chain":"x" § 你')
    writer = RunWriter(new_folder(tmp_path / "run"), Clock())
    writer.journal(note)
    writer.close()
    line = writer.folder.journal.read_bytes().splitlines()[-1]
    assert ev.decode_entry(line).event == note
    assert msgspec.json.decode(line)["text"] == note.text
