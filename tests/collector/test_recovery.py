"""What the next collector makes of a dead one's last cycle: the rows tell, nothing is invented."""

import os
from pathlib import Path

import pytest
from metric.texts import parsed
from runlog.runs import Clock, a_row, begin, cycle_rows, events_of, new_folder, write_cycle

from plateau_tui.collector.recovery import INTERRUPTED, recover
from plateau_tui.collector.run import OpenRun
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import RunWriter


def recovered(folder: RunFolder) -> None:
    writer = RunWriter(folder, Clock())
    recover(OpenRun(folder, writer, parsed()))
    writer.require_written()
    writer.close()


def died_in(folder: RunFolder, written: int) -> None:
    """A collector that wrote so many rows of cycle 1 before it died."""
    writer = begin(folder)
    write_cycle(writer, parsed(), 0)
    writer.cycle(cycle_rows(parsed(), writer.state, 1)[:written])
    writer.close()


@pytest.mark.parametrize("written", [1, 5, 6])
def test_the_heartbeat_of_a_cycle_that_was_cut_off_says_whether_it_was_read(
    tmp_path: Path, written: int
) -> None:
    folder = new_folder(tmp_path / "run")
    died_in(folder, written)
    recovered(folder)
    last = [event for event in events_of(folder) if event["event"] == "heartbeat"][-1]
    assert (last["cycle"], last["late"], last["rows"]) == (1, True, 12)
    assert last["rcon_ok"] is (written == 6)
    rows = [row for row in read_rows(folder.rows) if row.cycle == 1]
    assert [row.rcon_ok for row in rows] == [True] * written + [False] * (6 - written)
    assert [INTERRUPTED in row.note for row in rows] == [not row.rcon_ok for row in rows]
    assert verify_run(folder).problems == []


def test_a_counter_that_fell_in_a_cycle_without_a_heartbeat_is_told_all_the_same(
    tmp_path: Path,
) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    for cycle in (0, 1):
        write_cycle(writer, parsed(), cycle)
    units = parsed().units
    writer.cycle([a_row(parsed(), writer.state, unit, 2) for unit in units])
    writer.close()
    recovered(folder)
    fell = [event for event in events_of(folder) if event["event"] == "counter_fell"]
    assert {event["unit"] for event in fell} == {unit.name for unit in units}
    assert {event["cycle"] for event in fell} == {2}
    assert all(event["after"] == 0 for event in fell)


def test_rows_that_were_cut_off_behind_the_last_heartbeat_are_told(tmp_path: Path) -> None:
    folder = new_folder(tmp_path / "run")
    writer = begin(folder)
    for cycle in (0, 1):
        write_cycle(writer, parsed(), cycle)
    writer.close()
    os.truncate(folder.rows, folder.rows.stat().st_size - 10)
    recovered(folder)
    (told,) = [event for event in events_of(folder) if event["event"] == "fault"]
    assert (told["code"], told["cycle"]) == ("rows_cut", 1)
