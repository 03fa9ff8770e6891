"""Making a run whole again after its collector died at any moment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.collector.cycle import REMOVED_ITEMS
from plateau_tui.collector.rowbuild import RowBuilder, Slot
from plateau_tui.collector.run import OpenRun
from plateau_tui.collector.window import fall_events
from plateau_tui.metric.registration import Registration
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.edits import edits
from plateau_tui.runlog.progress import CountProgress
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.segments import goes_on_from
from plateau_tui.runlog.state import ITEMS_REMOVED, RunState
from plateau_tui.runlog.times import format_ms, parse_ms
from plateau_tui.runlog.unbeaten import JOURNAL_CUT, cut_text, is_missed

INTERRUPTED: Final = "collector stopped while this cycle was being written"


@dataclass
class _Unbeaten:
    """A cycle without a heartbeat: its rows, how many rows the run had by its end, what they say.

    What else the cycle had to tell died with its collector, but for what its rows still show.
    """

    rows: list[Row] = field(default_factory=list)
    rows_by_then: int = 0
    told: list[ev.Event] = field(default_factory=list)


def recover(run: OpenRun) -> CountProgress:
    """Open the rows and complete what a dead collector left: missing rows, missing heartbeats.

    Whole rows stay and none is written twice. A file that no longer holds the last row that the
    journal counts is set aside, and a new one goes on from there. Returns the progress over all
    rows.

    Raises:
        LogWriteError: the files cannot be opened.

    """
    state, beat = run.state, run.state.heartbeat
    # Before the rows are read: a whole last row that only lacks its newline gets it here.
    run.writer.open_rows(0)
    progress = CountProgress(run.registration, state)
    unbeaten: dict[int, _Unbeaten] = {}
    count, slot0 = (beat.rows if beat else 0), None
    found = beat is None or goes_on_from(run.folder.rows, beat.rows_head)
    interval = run.registration.window.interval_ms
    for row in read_rows(run.folder.rows, beat.rows_head if beat else ""):
        if beat is not None and row.cycle > beat.cycle and not found:
            continue  # not this run's next row: what it follows is not what was counted
        falls = fall_events(row, progress.take(row))
        if slot0 is None:
            slot0 = parse_ms(row.poll_ts) - row.cycle * interval
        if beat is not None and row.cycle <= beat.cycle:
            found = found or row.chain == beat.rows_head
            continue
        count += 1
        cycle = unbeaten.setdefault(row.cycle, _Unbeaten())
        cycle.rows.append(row)
        cycle.told += falls
        cycle.rows_by_then = count
    run.writer.rows_count = count
    if not found and beat is not None:
        run.writer.journal(_cut(beat))
        if run.folder.has_rows:
            run.writer.rows_lost("the file did not hold the last row that was counted")
    _tell_changes(run, unbeaten)
    if slot0 is not None and state.window is None:
        run.writer.journal(opening(slot0, run.registration, state))
    for number, cycle in unbeaten.items():
        _complete(run, number, cycle, progress)
    return progress


def _tell_changes(run: OpenRun, unbeaten: Mapping[int, _Unbeaten]) -> None:
    """Journal what was done to the logs while nothing ran, and no crash does."""
    if run.state.sealed is not None:
        run.writer.journal(*edits(run.folder, run.state.sealed.sha256))
    cut = cut_text({cycle: all(map(is_missed, left.rows)) for cycle, left in unbeaten.items()})
    if cut is not None:
        run.writer.journal(ev.Fault(code=JOURNAL_CUT, text=cut, cycle=min(unbeaten)))


def _cut(beat: ev.Heartbeat) -> ev.Fault:
    return ev.Fault(
        code="rows_cut",
        text="rows.jsonl no longer holds the last row that the last heartbeat counted",
        cycle=beat.cycle,
    )


def opening(slot0_ms: int, registration: Registration, state: RunState) -> ev.WindowOpened:
    """Return the event of a window whose cycle 0 has this slot."""
    unpinned = [unit.name for unit in registration.units if unit.name not in state.pins]
    return ev.WindowOpened(poll_ts=format_ms(slot0_ms), unpinned=unpinned)


def _complete(run: OpenRun, number: int, cycle: _Unbeaten, progress: CountProgress) -> None:
    """Write the gap rows of the units that are missing, and the heartbeat, late."""
    there = {row.uni for row in cycle.rows}
    missing = [unit for unit in run.registration.units if unit.name not in there]
    last = cycle.rows[-1]
    beat = ev.Heartbeat(
        cycle=number,
        poll_ts=last.poll_ts,
        rcon_ok=not missing and all(row.rcon_ok for row in cycle.rows),
        probe_ok=last.probe_ok,
        live_cur=last.live_cur,
        live_ctrl=last.live_ctrl,
        rows=cycle.rows_by_then,
        rows_head=last.chain,
        late=True,
    )
    slot = Slot(number, parse_ms(last.poll_ts))
    gaps = RowBuilder(run.registration, run.state).gap_rows(slot, INTERRUPTED, missing)
    for row in gaps:
        progress.take(row)
    run.writer.cycle(gaps, beat, *cycle.told, *_alarms(number, cycle.rows))


def _alarms(number: int, rows: list[Row]) -> list[ev.Event]:
    """Return the alarm that a row of the cycle still shows: no inventory is asked any more."""
    alarm = next((row.note for row in rows if REMOVED_ITEMS in row.note), None)
    return [] if alarm is None else [ev.Fault(code=ITEMS_REMOVED, text=alarm, cycle=number)]
