"""The score of one row (seed §2c), three-valued.

A counter is an int, or None where it could not be read. A flag is True or False as soon as the
known counters decide it and None otherwise: unknown is never 0.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from plateau_tui.metric.objectives import CRAFT_CHAIN_ITEMS, MINE_BLOCKS, PLACE_BLOCKS, is_wood

WoodReading = Literal["baseline_only", "all_logs"]
PlaceReading = Literal["any", "beyond_table"]
Counter = int | None
Flag = bool | None

DIVERSE_AT: Final = 2
"""SECONDARY asks for this many kinds of block beyond the farmed wood (§2c)."""

_TABLE: Final = "crafting_table"


@dataclass(frozen=True, slots=True)
class Score:
    """What §2c says of one row; every field is None where it is unknown.

    ``table_only`` and ``other_log`` are the two disclosures: PRIMARY that rests on the crafting
    table alone, and SECONDARY that rests on a log of another species than the pinned one.
    """

    primary: Flag
    secondary: Flag
    plateau_break: Flag
    placed_used_total: Counter
    distinct_mined_beyond: Counter
    distinct_block_types: Counter
    table_only: Flag
    other_log: Flag


def known(count: Counter) -> Counter:
    """Return the count, or None where it is negative: no game event takes a counter below 0."""
    return count if count is not None and count >= 0 else None


def all_of(first: Flag, second: Flag) -> Flag:
    """Three-valued AND: False as soon as one is, True only when both are."""
    if first is False or second is False:
        return False
    return True if first and second else None


def _but_not(broad: Flag, strict: Flag) -> Flag:
    """Say whether ``broad`` holds while ``strict``, which implies it, does not."""
    return all_of(broad, None if strict is None else not strict)


def _at_least(counts: Iterable[Counter], needed: int) -> Flag:
    """Say whether at least ``needed`` of the counts are above 0."""
    counts = list(counts)
    certain = sum(1 for count in counts if count is not None and count > 0)
    if certain >= needed:
        return True
    possible = certain + sum(1 for count in counts if count is None)
    return None if possible >= needed else False


def primary(placed: Mapping[str, Counter], place: PlaceReading = "any") -> Flag:
    """PRIMARY (§2c): some block of §2a was placed; ``beyond_table`` leaves the table out."""
    blocks = (b for b in PLACE_BLOCKS if place == "any" or b != _TABLE)
    return _at_least((known(placed.get(b)) for b in blocks), 1)


def counts_beyond(block: str, baseline_wood: str, wood: WoodReading = "baseline_only") -> bool:
    """Say whether a mined ``block`` of §2a counts towards SECONDARY.

    The farmed species never does, nor what the craft chain makes; ``all_logs`` leaves out the
    wood of every species.
    """
    if block == baseline_wood or block in CRAFT_CHAIN_ITEMS:
        return False
    return wood == "baseline_only" or not is_wood(block)


def secondary(
    mined: Mapping[str, Counter], baseline_wood: str | None, wood: WoodReading = "baseline_only"
) -> Flag:
    """SECONDARY (§2c): two kinds of block mined beyond the pinned wood; None before the pin."""
    if baseline_wood is None:
        return None
    blocks = (b for b in MINE_BLOCKS if counts_beyond(b, baseline_wood, wood))
    return _at_least((known(mined.get(b)) for b in blocks), DIVERSE_AT)


def _distinct_beyond(
    mined: Mapping[str, Counter], baseline_wood: str | None, wood: WoodReading
) -> Counter:
    counts = {b: known(mined.get(b)) for b in MINE_BLOCKS}
    if baseline_wood is None or None in counts.values():
        return None
    return sum(
        1 for block, count in counts.items() if count and counts_beyond(block, baseline_wood, wood)
    )


def _distinct_types(placed: Mapping[str, Counter], mined: Mapping[str, Counter]) -> Counter:
    counts = [(b, known(placed.get(b))) for b in PLACE_BLOCKS]
    counts += [(b, known(mined.get(b))) for b in MINE_BLOCKS]
    if any(count is None for _, count in counts):
        return None
    return len({block for block, count in counts if count})


def score(
    placed: Mapping[str, Counter],
    mined: Mapping[str, Counter],
    baseline_wood: str | None,
    *,
    wood: WoodReading = "baseline_only",
    place: PlaceReading = "any",
) -> Score:
    """Score one row's counters by §2c.

    Args:
        placed: cumulative ``minecraft.used`` counts by bare block id.
        mined: cumulative ``minecraft.mined`` counts by bare block id.
        baseline_wood: the species pinned for this unit, None before the pin.
        wood: §2c as written, or the stricter reading of SECONDARY.
        place: §2a as written, or the stricter reading of PRIMARY.

    Only the ids of §2a are looked at: an id that is missing here was not read and is unknown;
    any other id is context and changes nothing. A negative count is unknown.

    """
    totals = [known(placed.get(b)) for b in PLACE_BLOCKS]
    reached_primary = primary(placed, place)
    reached_secondary = secondary(mined, baseline_wood, wood)
    return Score(
        primary=reached_primary,
        secondary=reached_secondary,
        plateau_break=all_of(reached_primary, reached_secondary),
        placed_used_total=None if None in totals else sum(n for n in totals if n is not None),
        distinct_mined_beyond=_distinct_beyond(mined, baseline_wood, wood),
        distinct_block_types=_distinct_types(placed, mined),
        table_only=_but_not(primary(placed), primary(placed, "beyond_table")),
        other_log=_but_not(
            secondary(mined, baseline_wood), secondary(mined, baseline_wood, "all_logs")
        ),
    )


@dataclass(frozen=True, slots=True)
class StartReading:
    """A unit's counters at the run's first successful ``register``, by bare block id."""

    placed: Mapping[str, Counter]
    mined: Mapping[str, Counter]


def since_start(counts: Mapping[str, Counter], start: Mapping[str, Counter]) -> dict[str, Counter]:
    """Return the counts minus the start reading; None where either is unknown."""
    since: dict[str, Counter] = {}
    for block, count in counts.items():
        before = start.get(block)
        since[block] = None if count is None or before is None else count - before
    return since


def score_since(
    placed: Mapping[str, Counter],
    mined: Mapping[str, Counter],
    baseline_wood: str | None,
    *,
    start: StartReading,
    wood: WoodReading = "baseline_only",
    place: PlaceReading = "any",
) -> Score:
    """Score one row under ``start_counts = "offset"``.

    The flags are those of the counts minus the start reading; the total and the distinct counts
    stay those of the raw counts, as the row keeps them.
    """
    raw = score(placed, mined, baseline_wood, wood=wood, place=place)
    since = score(
        since_start(placed, start.placed),
        since_start(mined, start.mined),
        baseline_wood,
        wood=wood,
        place=place,
    )
    return replace(
        since,
        placed_used_total=raw.placed_used_total,
        distinct_mined_beyond=raw.distinct_mined_beyond,
        distinct_block_types=raw.distinct_block_types,
    )
