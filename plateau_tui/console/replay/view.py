"""A moment of a log as the view that the live screens show too: nothing later is in it."""

from typing import Final

from plateau_tui.console.live.contact import is_answering, void_words
from plateau_tui.console.live.faults import with_faults
from plateau_tui.console.live.pairsofar import Paired
from plateau_tui.console.live.series import Series
from plateau_tui.console.live.view import Reading, RunView, UnitView, turned_in
from plateau_tui.console.replay.rules import Pin
from plateau_tui.console.replay.series import frame_of, names_of
from plateau_tui.console.replay.source import ReplaySource
from plateau_tui.console.replay.standings import standing_of
from plateau_tui.console.replay.state import UnitSoFar
from plateau_tui.console.replay.timeline import MomentOfRun, Timeline
from plateau_tui.metric.objectives import MINE_OBJECTIVES
from plateau_tui.metric.registration import Registration, Unit
from plateau_tui.metric.scoring import counts_beyond
from plateau_tui.metric.standing import UnitStanding
from plateau_tui.runlog.sofar import known_of, window_so_far

_ENTRIES: Final = 400
_OVER: Final = frozenset({"closed", "adjudicated"})
"""Stages in which the whole window counts."""


def view_at(moment: MomentOfRun, timeline: Timeline, source: ReplaySource) -> RunView:
    """Return a run as it stood at a moment: standings, counts, pins, faults up to there."""
    registration, state = source.registration, moment.state
    told, faults = source.journal.moment(moment.entries), source.journal.faults(moment.place)
    interval_ms, cycles = registration.window.interval_ms, registration.window.cycles
    slot0_ms = told.window_slot_ms
    if slot0_ms is None:
        slot0_ms = moment.slot_ms - moment.cycle * interval_ms
    fell = sum(len(unit.fallen) for unit in state.units.values())
    closed = told.stage in _OVER
    cut = registration if closed else window_so_far(registration, state.counted + 1)
    standings = tuple(_standing(unit, moment, source, cut) for unit in registration.units)
    units = tuple(
        _unit(unit, standing, moment, timeline, source)
        for unit, standing in zip(registration.units, standings, strict=True)
    )
    missing = tuple(sorted(n for n in told.missing if not _read_again(n, units)))
    listed = all(unit.readings and unit.online is not None for unit in units)
    rcon_ok = state.rcon_ok or is_answering(missing, faults.lasting, listed=listed)
    fault = None if rcon_ok else faults.newest_of_link()
    shown_cycles = max(cycles, timeline.last_cycle + 1) if source.bare else cycles
    view = RunView(
        name=source.archive.name,
        stage=told.stage if source.journal.entries else "open",
        registered=told.registered,
        run_id=registration.run_id,
        arms={
            "treatment": registration.treatment.label,
            "control": registration.control.label,
        },
        interval_ms=interval_ms,
        cycles=shown_cycles,
        cycle=moment.cycle,
        slot0_ms=slot0_ms,
        collector_pid=None,
        heartbeat_ms=None,
        rcon_ok=rcon_ok,
        fault=fault.text if fault else "",
        fault_code=fault.code if fault else "",
        fault_since_cycle=fault.cycle if fault else None,
        seal=told.seal,
        seal_broken=told.seal_broken,
        items_removed=told.items_removed,
        missing=missing,
        voided=void_words(told.missing, faults.other_arm, cycles),
        fell=len(faults.fell) if source.journal.entries else fell,
        gaps=state.gap_cycles,
        gone_gaps=state.gone_gaps,
        rows=state.rows,
        unreadable=timeline.unreadable,
        k_primary=registration.gate.k_primary,
        k_secondary=registration.gate.k_secondary,
        objectives=tuple(o.name for o in registration.objectives),
        units=units,
        journal=source.journal.entries[max(0, moment.entries - _ENTRIES) : moment.entries],
        watched={},
        since_start=source.rules.offset is not None,
        verdict=told.verdict,
        max_absent_polls=registration.gate.max_absent_polls,
        paired=Paired(
            cycles=state.counted + 1,
            of=shown_cycles,
            closed=closed,
            treatment=registration.treatment.label,
            control=registration.control.label,
            gate=registration.gate,
            units=standings,
        ),
    )
    return with_faults(view, faults)


def _read_again(name: str, units: tuple[UnitView, ...]) -> bool:
    return any(unit.readings and unit.readings[-1].counts.get(name) is not None for unit in units)


def _series(
    name: str, found: UnitSoFar, pin: Pin, moment: MomentOfRun, timeline: Timeline
) -> Series | None:
    """Return how a unit's counters went up to a moment."""
    source = timeline.source
    if source is None:
        return None
    names = names_of(source.registration)
    begin_ms = timeline.bucket_ms(moment.cycle)
    frame = frame_of(names, found, begin_ms, pin, source.rules)
    return timeline.series.series(name, names, moment.cycle, frame)


def _standing(
    unit: Unit, moment: MomentOfRun, source: ReplaySource, cut: Registration
) -> UnitStanding:
    found = moment.state.units.get(unit.name) or UnitSoFar()
    told = source.journal.moment(moment.entries)
    pin = source.rules.pin_now(unit.name, found.pin, told.pins)
    return standing_of(unit, found, pin, cut)


def _unit(
    unit: Unit,
    standing: UnitStanding,
    moment: MomentOfRun,
    timeline: Timeline,
    source: ReplaySource,
) -> UnitView:
    found = moment.state.units.get(unit.name) or UnitSoFar()
    told = source.journal.moment(moment.entries)
    pin = source.rules.pin_now(unit.name, found.pin, told.pins)
    halves = standing.registered
    under, wood = found.under(pin), source.registration.gate.wood
    mined = {o.block: found.counts.get(o.name) for o in MINE_OBJECTIVES}
    readings: tuple[Reading, ...] = moment.readings.get(unit.name, ())
    return UnitView(
        name=unit.name,
        role=unit.arm.role,
        pair=unit.pair,
        online=found.online,
        primary=known_of(halves.primary),
        secondary=known_of(halves.secondary),
        plateau_break=known_of(halves.both),
        table_only=found.table_only.value is True,
        other_log=under.other_log.value is True,
        placed=found.placed(source.rules),
        beyond=under.beyond,
        beyond_blocks=tuple(
            b for b, n in mined.items() if n and pin and counts_beyond(b, pin, wood)
        ),
        hoard=found.hoard,
        baseline=pin,
        read_ms=found.read_ms,
        online_ms=found.online_ms,
        placed_ms=found.placed_ms,
        mined_ms=found.mined_ms,
        hoard_ms=found.hoard_ms,
        counts_ms=found.counts_ms(),
        whole=found.whole,
        gaps=found.gaps,
        absent_polls=found.absent,
        counts=dict(found.counts),
        first_moved=dict(found.first_moved),
        readings=readings,
        woods=found.growth.evidence(),
        grown=dict(found.growth.grown),
        seen=found.attended[0] if source.rules.no_lists else found.seen,
        series=_series(unit.name, found, pin, moment, timeline),
        turned=turned_in(halves),
        pinned_ms=told.pinned_ms.get(unit.name),
        pin_confirmed=pin is None or not found.logs_above or pin in found.logs_above,
    )
