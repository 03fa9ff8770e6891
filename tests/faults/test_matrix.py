"""Each fault of the table alone: what it puts into the log, and that all is as before after it."""

import threading
from pathlib import Path

import pytest
from collector.bench import Running, wait_for
from faults.matrix import SERVER_FAULTS, ServerFault
from faults.stage import LEAVER, PATIENCE_S, VICTIM, Stage, staged

from plateau_tui.runlog.rows import Row

FILES = Path("/proc/self/fd")


def descriptors() -> int:
    return len(list(FILES.iterdir())) if FILES.is_dir() else 0


def play(stage: Stage, fault: ServerFault) -> tuple[int, int]:
    """Let a fault come and go; return its first whole cycle and the first after it."""
    stage.await_healthy()
    before, first = len(stage.journal()), stage.next_cycle() + 1
    fault.begin(stage)
    if fault.told:
        wait_for(lambda: fault.told & stage.told(before), PATIENCE_S)
    if fault.whole:
        stage.await_healthy()
    else:
        stage.await_cycles(2)
    fault.end(stage)
    after = stage.await_healthy()
    if fault.heals:
        codes = fault.told & stage.told(before) - {"counter_fell"}
        wait_for(lambda: not codes or codes & stage.recovered(before), PATIENCE_S)
    return first, after


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", SERVER_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_alone(tmp_path: Path, fault: ServerFault) -> None:
    with staged(tmp_path, fault.options) as stage:
        threads, files = threading.active_count(), descriptors()
        with stage.counting(), Running(stage.bench):
            first, after = play(stage, fault)
        wait_for(lambda: stage.server.connections == 0)
        wait_for(lambda: threading.active_count() <= threads)
        wait_for(lambda: descriptors() <= files)
        stage.assert_true()
        rows = [row for row in stage.bench.rows() if first <= row.cycle]
        CHECKS.get(fault.name, no_more)(stage, rows, after)
        if fault.name not in MAY_OVERLAP:
            assert stage.server.overlaps == 0


# -- what is to be said of single ones ------------------------------------------------------------


def no_more(stage: Stage, rows: list[Row], after: int) -> None:
    del stage, rows, after


def away(stage: Stage, rows: list[Row], after: int) -> None:
    gone = [row for row in rows if row.online is False]
    assert {row.uni for row in gone} == {LEAVER}
    assert any(row.rcon_ok for row in gone)
    assert all(row.pickaxe_hoard is None for row in gone)
    assert all(row.online for row in rows if row.cycle == after)


def away_in_case(stage: Stage, rows: list[Row], after: int) -> None:
    away(stage, rows, after)
    assert all("the case differs" in row.note for row in rows if row.online is False)


def missing(stage: Stage, rows: list[Row], after: int) -> None:
    unread = [row for row in rows if f"{VICTIM}: the server does not know" in row.note]
    assert unread
    assert all(row.mined["dirt"] is None and not row.rcon_ok for row in unread)
    assert any(row.mined["stone"] is not None for row in unread)
    assert {row.mined["dirt"] for row in rows if row.cycle == after} == {0}
    told = stage.told()
    assert "counter_fell" in told
    added = [command for command in stage.server.commands if "objectives add" in command]
    assert len(added) == len(stage.bench.objectives)  # at the registration, and never again


def alarmed(stage: Stage, rows: list[Row], after: int) -> None:
    late = [row for row in rows if row.cycle >= after]
    assert all(row.pickaxe_hoard is None and "removed items" in row.note for row in late)
    assert all(None not in row.mined.values() for row in late if row.cycle == after)


def no_hammering(stage: Stage, rows: list[Row], after: int) -> None:
    refused = {row.cycle for row in rows if "password" in row.note}
    assert refused
    # One more may have been refused in a cycle that was under way when the password changed back.
    assert stage.server.refusals <= len(refused) + 1


def prefixed(stage: Stage, rows: list[Row], after: int) -> None:
    assert all(command.startswith("minecraft:") for command in stage.server.commands)


def few_waiting(stage: Stage, rows: list[Row], after: int) -> None:
    assert stage.server.overlaps <= 3


MAY_OVERLAP = {"freeze", "another client polls all the time"}
"""Patience with a question that was given up ends before a long freeze does; see server.lost."""

CHECKS = {
    "freeze": few_waiting,
    "unit leaves and returns": away,
    "unit renamed": away,
    "case differs": away_in_case,
    "objective removed": missing,
    "clear answered by a plugin all the same": alarmed,
    "wrong password after a restart": no_hammering,
    "list and clear owned by a plugin": prefixed,
}


def test_the_table_names_each_fault_once_and_says_what_is_promised() -> None:
    names = [fault.name for fault in SERVER_FAULTS]
    assert len(set(names)) == len(names)
    assert all(fault.injects and fault.promise for fault in SERVER_FAULTS)
    assert set(CHECKS) | MAY_OVERLAP <= set(names)
