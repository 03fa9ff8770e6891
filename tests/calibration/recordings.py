"""Recorded rows for the tests: of the samples, of a simulated world, by hand, with gaps."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from plateau_tui.calibration.recorded import RecordedRow, RecordedRun, measure_run
from plateau_tui.cli.recorded import recorded_run
from plateau_tui.collector.run import registration_of
from plateau_tui.metric.evidence import Reading
from plateau_tui.metric.objectives import (
    CRAFT_ITEMS,
    HOARD_ITEM,
    METRIC_OBJECTIVES,
    MINE_BLOCKS,
    PLACE_BLOCKS,
    Role,
)
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.scoring import Counter
from plateau_tui.resources import shipped
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.readings import reading_of
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.state import RunState, read_state
from plateau_tui.sim.scenarios import SCENARIOS, build_world
from plateau_tui.sim.scoreboard import Scoreboard

SAMPLES = ("builders_vs_hoarders", "hoarders_vs_hoarders", "p1_inventory")
Counts = Mapping[str, Counter]


def sample(name: str) -> RecordedRun:
    return recorded_run(RunFolder(shipped("sample_runs") / name))


def rows_of_sample(name: str) -> tuple[Registration, RunState, list[RecordedRow]]:
    folder = RunFolder(shipped("sample_runs") / name)
    state, _ = read_state(folder.journal)
    rows = [RecordedRow(reading_of(row), row.pickaxe_hoard) for row in read_rows(folder.rows)]
    return registration_of(folder, state), state, rows


def run_of(
    registration: Registration,
    rows: Iterable[RecordedRow],
    pins: Mapping[str, str],
    start: Mapping[str, Counts] | None = None,
    *,
    closed: bool = True,
) -> RecordedRun:
    return measure_run(registration, pins, start or {}, rows, closed=closed)


def row_of(
    unit: str,
    cycle: int,
    placed: Counts | None = None,
    mined: Counts | None = None,
    hoard: Counter = 0,
    extra: Counts | None = None,
) -> RecordedRow:
    """A row whose counters are 0 where none is given."""
    reading = Reading(
        cycle=cycle,
        unit=unit,
        online=True,
        placed=dict.fromkeys(PLACE_BLOCKS, 0) | dict(placed or {}),
        mined=dict.fromkeys(MINE_BLOCKS, 0) | dict(mined or {}),
        crafted=dict.fromkeys(CRAFT_ITEMS, 0),
        extra=dict(extra or {}),
    )
    return RecordedRow(reading, hoard)


def without_counters(row: RecordedRow) -> RecordedRow:
    """The same row as a gap: nothing of it was read."""
    read = row.reading
    gap = replace(
        read,
        online=None,
        rcon_ok=False,
        placed=dict.fromkeys(read.placed),
        mined=dict.fromkeys(read.mined),
        crafted=dict.fromkeys(read.crafted),
        extra=dict.fromkeys(read.extra),
    )
    return RecordedRow(gap, None)


def after_gaps(rows: Sequence[RecordedRow], gaps: set[int]) -> list[RecordedRow]:
    """The rows with those of these places as gaps."""
    return [without_counters(row) if n in gaps else row for n, row in enumerate(rows)]


def rows_of_world(scenario: str, cycles: int, ticks: int = 600) -> list[RecordedRow]:
    """What a server answers about the units of a scenario, every so many ticks."""
    world = build_world(SCENARIOS[scenario], 0)
    scores = Scoreboard()
    for objective in METRIC_OBJECTIVES:
        scores.add(objective.name, objective.criterion)
    world.on_stat = scores.on_stat
    rows = []
    for cycle in range(cycles):
        world.step(ticks)
        for unit, body in world.bodies.items():
            counts = {
                role: {o.block: scores.score(unit, o.name) or 0 for o in METRIC_OBJECTIVES
                       if o.role is role}
                for role in (Role.PLACE, Role.MINE, Role.CRAFT)
            }  # fmt: skip
            reading = Reading(
                cycle=cycle, unit=unit, online=True, placed=counts[Role.PLACE],
                mined=counts[Role.MINE], crafted=counts[Role.CRAFT], extra={},
            )  # fmt: skip
            rows.append(RecordedRow(reading, body.count(HOARD_ITEM)))
    return rows
