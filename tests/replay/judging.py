"""The judge of a replay: the live model on a run that was cut off after a cycle."""

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from replay.reading import read, shown

from plateau_tui.console.live.model import RunModel
from plateau_tui.console.live.pairsofar import Paired
from plateau_tui.console.live.view import RunView, UnitView
from plateau_tui.console.replay import onepass as replaypass
from plateau_tui.console.replay import timeline as replaytimeline
from plateau_tui.metric.outcome import UnitFinding
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.rows import decode_row

KEPT: Final = 5
"""Readings of a unit that are kept here."""


def cut(run: RunFolder, cycle: int, target: Path) -> RunFolder:
    """A copy of a run as it stood when a cycle was over."""
    shutil.copytree(run.path, target)
    folder = RunFolder(target)
    rows = run.rows.read_bytes().splitlines(keepends=True)
    folder.rows.write_bytes(b"".join(r for r in rows if decode_row(r).cycle <= cycle))
    kept, upto, written = [], 0, ""
    for line in run.journal.read_bytes().splitlines(keepends=True):
        entry = ev.decode_entry(line)
        if isinstance(entry.event, ev.Heartbeat):
            if entry.event.cycle > cycle:
                break
            written = entry.ts
        kept.append(line)
        if entry.ts == written:  # in one step with the heartbeat
            upto = len(kept)
    del kept[upto:]
    folder.journal.write_bytes(b"".join(kept))
    return folder


def live(folder: RunFolder) -> RunView:
    model = RunModel(folder)
    view, more = model.look()
    while more:
        view, more = model.look()
    assert view is not None, model.error
    return view


def comparable(unit: UnitView, *, plotted: bool) -> UnitView:
    """A unit with the readings that both keep, and the ages of the counters that it has.

    The probe's silence is of the live screens alone. What is ``plotted`` differs where a pin is
    made in the window, and behind the window: the replay holds to what counted at its moment.
    """
    ages = {name: unit.counts_ms[name] for name in sorted(unit.counts)}
    unit = replace(unit, counts_ms=ages, readings=unit.readings[-KEPT:], probe_ok=None)
    return unit if plotted else replace(unit, series=None)


def same(replayed: RunView, judge: RunView, *, plotted: bool) -> None:
    ours, theirs = (
        [comparable(unit, plotted=plotted) for unit in view.units] for view in (replayed, judge)
    )
    assert ours == theirs
    for unit in (*replayed.units, *judge.units):  # what a plot marks, and what the grid says
        flags = ("primary", "secondary", "plateau_break")
        assert set(unit.turned) == {flag for flag in flags if getattr(unit, flag) is True}
    names = (
        "arms cycle cycles interval_ms slot0_ms rcon_ok seal items_removed missing voided fell "
        "gaps rows objectives since_start fault fault_code fault_since_cycle fault_cycles "
        "faults log_faults restarted fallen failed clock_off_s gone_gaps"
    )
    for name in names.split():
        assert getattr(replayed, name) == getattr(judge, name), name
    assert paired(replayed) == paired(judge)


def paired(view: RunView) -> tuple[Paired, list[UnitFinding]]:
    """What the pairs' screen shows a view's pairs from: it asks for no more of a standing."""
    assert view.paired is not None
    return replace(view.paired, units=()), [unit.finding() for unit in view.paired.units]


def agree_in_every_cycle(run: RunFolder, tmp_path: Path, *, plotted: bool = True) -> None:
    timeline = read(run.path)
    assert len(timeline)
    for step in range(len(timeline)):
        cycle = timeline.cycle_of(step)
        # What was journaled behind the last cycle, like the close, stands in its moment.
        ended = step == len(timeline) - 1
        judge = run if ended else cut(run, cycle, tmp_path / f"cut-{cycle}")
        same(shown(timeline, step), live(judge), plotted=plotted)


def put_aside_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have moments made from states of different cycles, and few readings."""
    monkeypatch.setattr(replaypass, "CHECKPOINT_ROWS", 4)
    monkeypatch.setattr(replaytimeline, "_READINGS", KEPT)
    monkeypatch.setattr(replaytimeline, "_FEWEST", KEPT)
