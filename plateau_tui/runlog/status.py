"""``plateau-tui status``: how far a run is, read from its files alone."""

from dataclasses import dataclass
from typing import Literal

from plateau_tui.metric.outcome import Standing
from plateau_tui.metric.registration import Registration, Unit
from plateau_tui.metric.standing import Halves
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import LockUnavailableError, holder_of
from plateau_tui.runlog.progress import Latch, RunProgress, UnitProgress
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.sofar import StandingsSoFar, known_of
from plateau_tui.runlog.state import RunStage, RunState
from plateau_tui.runlog.times import format_ms, parse_ms


@dataclass(frozen=True, slots=True)
class CollectorStatus:
    """Whether a collector runs; seconds since its last heartbeat."""

    running: bool
    pid: int | None
    heartbeat_age_s: float | None


@dataclass(frozen=True, slots=True)
class UnitStatus:
    """One unit: flags latched over the window, counts the last known, age of the reading in s.

    A flag is null before a row decided it, and again once the last row that decided it "no" is
    older than the gate's ``max_absent_polls`` (``design.md``, Verdict: standing).
    """

    arm: str
    role: Literal["treatment", "control"]
    online: bool | None
    primary: bool | None
    secondary: bool | None
    plateau_break: bool | None
    placed_used_total: int | None
    distinct_mined_beyond: int | None
    pickaxe_hoard: int | None
    age_s: float | None
    table_only: bool | None
    """PRIMARY rests on the crafting table alone (disclosed)."""
    other_log: bool | None
    """SECONDARY rests on a log of another species than the pinned one (disclosed)."""


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The whole answer of ``status``; ``cycle`` is the last with rows, ``gaps`` counts cycles."""

    state: RunStage
    sealed: bool
    registered: bool
    pinned: bool
    exported: bool
    cycle: int | None
    cycles: int
    next_poll_ts: str | None
    collector: CollectorStatus
    rcon_ok: bool | None
    gaps: int
    units: dict[str, UnitStatus]


def run_status(
    folder: RunFolder, state: RunState, registration: Registration, now_ms: int
) -> RunStatus:
    """Return the status of a run at ``now_ms``, reading its rows once."""
    progress, standings = RunProgress(registration, state), StandingsSoFar(registration, state)
    for row in read_rows(folder.rows, state.heartbeat.rows_head if state.heartbeat else ""):
        progress.take(row, standings.take(row))
    collector = _collector(folder, state, now_ms)
    return RunStatus(
        state=state.stage(registration),
        sealed=state.sealed is not None,
        registered=state.registered,
        pinned=all(unit.name in state.pins for unit in registration.units),
        exported=(folder.path / "export" / "SHA256SUMS").exists(),
        cycle=progress.last_cycle,
        cycles=registration.window.cycles,
        next_poll_ts=_next_poll(state, registration, progress, collector, now_ms),
        collector=collector,
        rcon_ok=progress.last_rcon_ok,
        gaps=progress.gap_cycles,
        units={
            unit.name: _unit(unit, progress.units[unit.name], standings.of(unit.name), now_ms)
            for unit in registration.units
        },
    )


def _collector(folder: RunFolder, state: RunState, now_ms: int) -> CollectorStatus:
    try:
        holder = holder_of(folder.lock)
    except (LockUnavailableError, OSError):
        holder = None
    # The lock may be another command's, held after a collector that was killed.
    running = (
        holder is not None
        and state.collector is not None
        and holder.pid in {None, state.collector.pid}
    )
    age = None
    if state.heartbeat_ts is not None:
        age = round((now_ms - parse_ms(state.heartbeat_ts)) / 1000, 3)
    pid = state.collector.pid if running and state.collector else None
    return CollectorStatus(running, pid, age)


def _next_poll(
    state: RunState,
    registration: Registration,
    progress: RunProgress,
    collector: CollectorStatus,
    now_ms: int,
) -> str | None:
    interval = registration.window.interval_ms
    if state.closed is not None:
        return None
    slot0 = state.window_slot_ms
    if slot0 is None:
        return format_ms(-(-now_ms // interval) * interval) if collector.running else None
    recorded = -1 if progress.last_cycle is None else progress.last_cycle
    next_cycle = max(recorded + 1, (now_ms - slot0) // interval)
    if next_cycle >= registration.window.cycles:
        return None
    return format_ms(slot0 + next_cycle * interval)


def _unit(registered: Unit, unit: UnitProgress, halves: Halves, now_ms: int) -> UnitStatus:
    age = None if unit.read_ts is None else round((now_ms - parse_ms(unit.read_ts)) / 1000, 3)
    return UnitStatus(
        arm=registered.arm.label,
        role=registered.arm.role,
        online=unit.online,
        primary=_latched(unit.primary, halves.primary),
        secondary=_latched(unit.secondary, halves.secondary),
        plateau_break=_latched(unit.plateau_break, halves.both),
        placed_used_total=unit.placed_used_total,
        distinct_mined_beyond=unit.distinct_mined_beyond,
        pickaxe_hoard=unit.pickaxe_hoard,
        age_s=age,
        table_only=unit.table_only.value,
        other_log=unit.other_log.value,
    )


def _latched(latch: Latch, standing: Standing) -> bool | None:
    """Return a flag as latched; a "no" that no row decides any more is unknown, not "no"."""
    return True if latch.value else known_of(standing)
