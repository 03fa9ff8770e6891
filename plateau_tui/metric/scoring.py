"""The score of one row (seed §2c), three-valued.

A counter is an int, or None where it could not be read. A flag is True or False as soon as the
known counters decide it and None otherwise: unknown is never 0.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal, get_args

from plateau_tui.metric.objectives import CRAFT_CHAIN_ITEMS, MINE_BLOCKS, PLACE_BLOCKS, is_wood

WoodReading = Literal["baseline_only", "all_logs"]
PlaceReading = Literal["any", "beyond_table"]
_WOOD_READINGS: Final = frozenset(get_args(WoodReading))
_PLACE_READINGS: Final = frozenset(get_args(PlaceReading))
Readings = tuple[PlaceReading, WoodReading]
"""How a gate reads §2a and §2c: its PRIMARY, and its SECONDARY."""

Counter = int | None
Flag = bool | None

DIVERSE_AT: Final = 2
"""SECONDARY asks for this many kinds of block beyond the farmed wood (§2c)."""

_TABLE: Final = "crafting_table"
_BEYOND_TABLE: Final = tuple(block for block in PLACE_BLOCKS if block != _TABLE)


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


def none_of(flag: Flag) -> Flag:
    """Three-valued NOT."""
    return None if flag is None else not flag


_Signs = tuple[Flag, ...]
"""Whether each block of a part of the set has a count above 0; None where it is unknown."""

_OUTSIDE: Final = ""
"""Stands for a pinned wood that no ``mine_*`` of §2a counts: whichever it is, the score is one."""


def _read(counts: Mapping[str, Counter], blocks: Iterable[str]) -> list[Counter]:
    return [known(counts.get(block)) for block in blocks]


def _signs(counts: Iterable[Counter]) -> _Signs:
    return tuple([None if count is None else count > 0 for count in counts])


def _above_zero(signs: Mapping[str, Flag], blocks: Iterable[str]) -> tuple[int, int]:
    """Return how many of the blocks have a count above 0, at the least and at the most."""
    certain = unknown = 0
    for block in blocks:
        sign = signs[block]
        if sign is None:
            unknown += 1
        elif sign:
            certain += 1
    return certain, certain + unknown


def _at_least(signs: Mapping[str, Flag], blocks: Iterable[str], needed: int) -> Flag:
    """Say whether at least ``needed`` of the blocks have a count above 0."""
    least, most = _above_zero(signs, blocks)
    if least >= needed:
        return True
    return None if most >= needed else False


def _primary(placed: Mapping[str, Flag], place: PlaceReading) -> Flag:
    """PRIMARY (§2c): some block of §2a was placed; ``beyond_table`` leaves the table out."""
    return _at_least(placed, PLACE_BLOCKS if place == "any" else _BEYOND_TABLE, 1)


def counts_beyond(block: str, baseline_wood: str, wood: WoodReading = "baseline_only") -> bool:
    """Say whether a mined ``block`` of §2a counts towards SECONDARY.

    The farmed species never does, nor what the craft chain makes; ``all_logs`` leaves out the
    wood of every species.
    """
    if block == baseline_wood or block in CRAFT_CHAIN_ITEMS:
        return False
    return wood == "baseline_only" or not is_wood(block)


@lru_cache(maxsize=64)
def _beyond(baseline_wood: str, wood: WoodReading) -> tuple[str, ...]:
    return tuple(b for b in MINE_BLOCKS if counts_beyond(b, baseline_wood, wood))


def _secondary(mined: Mapping[str, Flag], baseline_wood: str | None, wood: WoodReading) -> Flag:
    """SECONDARY (§2c): two kinds of block mined beyond the pinned wood; None before the pin."""
    if baseline_wood is None:
        return None
    return _at_least(mined, _beyond(baseline_wood, wood), DIVERSE_AT)


def _table_only(placed: Mapping[str, Flag]) -> Flag:
    """Say whether PRIMARY as written rests on the crafting table alone."""
    return all_of(_at_least(placed, (_TABLE,), 1), none_of(_primary(placed, "beyond_table")))


def _other_log(mined: Mapping[str, Flag], baseline_wood: str | None) -> Flag:
    """Say whether SECONDARY as written rests on logs of other species than the pinned one."""
    if baseline_wood is None:
        return None
    fewest, most = _above_zero(mined, _beyond(baseline_wood, "all_logs"))
    fewest_in_all, most_in_all = _above_zero(mined, _beyond(baseline_wood, "baseline_only"))
    if most < DIVERSE_AT <= fewest_in_all:
        return True
    # The best case for it: as many other kinds as still leave SECONDARY to the logs.
    most_logs = most_in_all - most
    possible = fewest < DIVERSE_AT <= min(most, DIVERSE_AT - 1) + most_logs
    return None if possible else False


def _distinct_beyond(mined: Mapping[str, Flag], baseline_wood: str | None) -> Counter:
    if baseline_wood is None or None in mined.values():
        return None
    return _above_zero(mined, _beyond(baseline_wood, "baseline_only"))[0]


def _distinct_types(placed: Mapping[str, Flag], mined: Mapping[str, Flag]) -> Counter:
    if None in placed.values() or None in mined.values():
        return None
    return len({block for signs in (placed, mined) for block, sign in signs.items() if sign})


def _total(placed: Iterable[Counter]) -> Counter:
    total = 0
    for count in placed:
        if count is None:
            return None
        total += count
    return total


@lru_cache(maxsize=1024)
def _judged(
    placed: _Signs, mined: _Signs, baseline_wood: str | None, wood: WoodReading, place: PlaceReading
) -> Score:
    """Return all of a score but the total: nothing else looks at more than the counts' signs.

    The signs of a run's counters change a few times in it, and the rows are many.
    """
    if wood not in _WOOD_READINGS or place not in _PLACE_READINGS:
        raise ValueError(f"no such reading: wood={wood!r}, place={place!r}")
    used = dict(zip(PLACE_BLOCKS, placed, strict=True))
    broken = dict(zip(MINE_BLOCKS, mined, strict=True))
    primary = _primary(used, place)
    secondary = _secondary(broken, baseline_wood, wood)
    return Score(
        primary=primary,
        secondary=secondary,
        plateau_break=all_of(primary, secondary),
        placed_used_total=None,
        distinct_mined_beyond=_distinct_beyond(broken, baseline_wood),
        distinct_block_types=_distinct_types(used, broken),
        table_only=_table_only(used),
        other_log=_other_log(broken, baseline_wood),
    )


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
    any other id is context and changes nothing. A negative count is unknown. The readings move
    the flags alone: total and distinct counts, and the two disclosures, are those of §2c.

    Raises:
        ValueError: there is no such reading, or ``baseline_wood`` is no wood of this version.

    """
    return score_each(placed, mined, baseline_wood, ((place, wood),))[0]


def score_each(
    placed: Mapping[str, Counter],
    mined: Mapping[str, Counter],
    baseline_wood: str | None,
    readings: Iterable[Readings],
) -> tuple[Score, ...]:
    """Score one row's counters under each of these readings, as ``score`` does.

    Raises:
        ValueError: there is no such reading, or ``baseline_wood`` is no wood of this version.

    """
    if baseline_wood is not None and not is_wood(baseline_wood):
        raise ValueError(f"{baseline_wood!r} is no bare id of a wood, like oak_log")
    used, broken = _read(placed, PLACE_BLOCKS), _read(mined, MINE_BLOCKS)
    farmed = baseline_wood
    if farmed is not None and farmed not in MINE_BLOCKS:
        farmed = _OUTSIDE  # a log may name any: what is kept of it here stays small
    above, total = (_signs(used), _signs(broken)), _total(used)
    return tuple(
        [_with_total(_judged(*above, farmed, wood, place), total) for place, wood in readings]
    )


def _with_total(judged: Score, total: Counter) -> Score:
    if total is None:
        return judged
    return Score(
        primary=judged.primary,
        secondary=judged.secondary,
        plateau_break=judged.plateau_break,
        placed_used_total=total,
        distinct_mined_beyond=judged.distinct_mined_beyond,
        distinct_block_types=judged.distinct_block_types,
        table_only=judged.table_only,
        other_log=judged.other_log,
    )


@dataclass(frozen=True, slots=True)
class StartReading:
    """A unit's counters at the run's first successful ``register``, by bare block id."""

    placed: Mapping[str, Counter]
    mined: Mapping[str, Counter]


def since_start(counts: Mapping[str, Counter], start: Mapping[str, Counter]) -> dict[str, Counter]:
    """Return the counts minus the start reading; None where either is unknown or negative.

    A count below its start reading is unknown: it fell after that reading, and how far the
    counter has risen since cannot be told.
    """
    since: dict[str, Counter] = {}
    for block, raw in counts.items():
        count, before = known(raw), known(start.get(block))
        since[block] = None if count is None or before is None else known(count - before)
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

    The flags are those of the counts minus the start reading, and a count below its start reading
    is unknown to them. The total and the distinct counts stay those of the raw counts, as the row
    keeps them.
    """
    return score_each_since(placed, mined, baseline_wood, ((place, wood),), start=start)[0]


def score_each_since(
    placed: Mapping[str, Counter],
    mined: Mapping[str, Counter],
    baseline_wood: str | None,
    readings: Sequence[Readings],
    *,
    start: StartReading,
) -> tuple[Score, ...]:
    """Score one row under each of these readings, as ``score_since`` does."""
    counted = since_start(placed, start.placed), since_start(mined, start.mined)
    raw = score_each(placed, mined, baseline_wood, readings)
    since = score_each(*counted, baseline_wood, readings)
    return tuple(
        replace(
            counts,
            placed_used_total=stands.placed_used_total,
            distinct_mined_beyond=stands.distinct_mined_beyond,
            distinct_block_types=stands.distinct_block_types,
        )
        for counts, stands in zip(since, raw, strict=True)
    )
