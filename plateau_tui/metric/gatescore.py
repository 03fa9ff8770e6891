"""One row's score under a gate: its readings, its start counts, and what counts as a pin."""

from collections.abc import Mapping, Sequence
from typing import Final

from plateau_tui.metric.objectives import MINE_OBJECTIVES, PLACE_OBJECTIVES, is_wood
from plateau_tui.metric.registration import Gate
from plateau_tui.metric.scoring import (
    Counter,
    PlaceReading,
    Readings,
    Score,
    StartReading,
    WoodReading,
    score_each,
    score_each_since,
)

NO_START: Final = StartReading({}, {})
"""A start reading of which nothing is known."""


def valid_pin(baseline_wood: str | None) -> str | None:
    """Return the pinned species; what a log names as a pin and is no wood is no pin."""
    return baseline_wood if baseline_wood is not None and is_wood(baseline_wood) else None


def start_reading(counts: Mapping[str, Counter]) -> StartReading:
    """Return a unit's start reading by block from its counts by objective."""
    return StartReading(
        placed={o.block: counts.get(o.name) for o in PLACE_OBJECTIVES},
        mined={o.block: counts.get(o.name) for o in MINE_OBJECTIVES},
    )


def score_under(
    gate: Gate,
    placed: Mapping[str, Counter],
    mined: Mapping[str, Counter],
    baseline_wood: str | None,
    *,
    start: StartReading = NO_START,
    wood: WoodReading | None = None,
    place: PlaceReading | None = None,
) -> Score:
    """Score one row's raw counters (§2c) as the gate says.

    Args:
        gate: its readings, and whether counts stand as they are or less the start reading.
        placed: cumulative ``minecraft.used`` counts by bare block id.
        mined: cumulative ``minecraft.mined`` counts by bare block id.
        baseline_wood: what is pinned for the unit.
        start: the unit's start reading; looked at under ``offset`` alone.
        wood: another reading of SECONDARY than the registered one.
        place: another reading of PRIMARY than the registered one.

    """
    readings = ((place or gate.place, wood or gate.wood),)
    return scores_under(gate, placed, mined, baseline_wood, readings, start=start)[0]


def scores_under(
    gate: Gate,
    placed: Mapping[str, Counter],
    mined: Mapping[str, Counter],
    baseline_wood: str | None,
    readings: Sequence[Readings],
    *,
    start: StartReading = NO_START,
) -> tuple[Score, ...]:
    """Score one row as ``score_under`` does, under each of these readings."""
    pin = valid_pin(baseline_wood)
    if gate.start_counts == "zero":
        return score_each(placed, mined, pin, readings)
    return score_each_since(placed, mined, pin, readings, start=start)
