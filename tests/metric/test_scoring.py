"""§2c, three-valued: every flag is what all completions of the unknowns agree on."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.metric.scoring import (
    PlaceReading,
    Score,
    StartReading,
    WoodReading,
    all_of,
    score,
    score_since,
    since_start,
)

PLACE = ("cobblestone", "dirt", "oak_planks", "oak_log", "crafting_table")
LOGS = ("oak_log", "birch_log", "spruce_log")
OTHERS = ("stone", "cobblestone", "dirt", "sand", "gravel", "coal_ore", "iron_ore")
MINE = LOGS + OTHERS
Counts = dict[str, int | None]

counter = st.sampled_from([None, 0, 0, 1, 7, -3])
placed_counts = st.fixed_dictionaries(dict.fromkeys(PLACE, counter))
mined_counts = st.fixed_dictionaries(dict.fromkeys(MINE, counter))
pins = st.sampled_from([*LOGS, "jungle_log", "crimson_stem"])
wood_readings: st.SearchStrategy[WoodReading] = st.sampled_from(["baseline_only", "all_logs"])
place_readings: st.SearchStrategy[PlaceReading] = st.sampled_from(["any", "beyond_table"])


def completions(counts: Mapping[str, int | None]) -> Iterator[dict[str, bool]]:
    """Every way in which the unknown counters could stand: moved, or not moved."""
    ids = list(counts)
    choices = [(False, True) if n is None or n < 0 else (n > 0,) for n in counts.values()]
    for moved in product(*choices):
        yield dict(zip(ids, moved, strict=True))


def agreed(values: set[bool]) -> bool | None:
    return values.pop() if len(values) == 1 else None


def placed_something(moved: Mapping[str, bool], place: PlaceReading) -> bool:
    return any(moved[b] for b in PLACE if place == "any" or b != "crafting_table")


def diversified(moved: Mapping[str, bool], pin: str, wood: WoodReading) -> bool:
    beyond = [b for b in MINE if moved[b] and b != pin]
    if wood == "all_logs":
        beyond = [b for b in beyond if b not in LOGS]
    return len(beyond) >= 2


def flags(result: Score) -> tuple[bool | None, bool | None, bool | None]:
    return result.primary, result.secondary, result.plateau_break


@given(placed_counts, mined_counts, pins, wood_readings, place_readings)
def test_a_flag_is_decided_exactly_when_all_completions_agree(
    placed: Counts, mined: Counts, pin: str, wood: WoodReading, place: PlaceReading
) -> None:
    primary = {placed_something(moved, place) for moved in completions(placed)}
    secondary = {diversified(moved, pin, wood) for moved in completions(mined)}
    both = {p and s for p in primary for s in secondary}
    found = score(placed, mined, pin, wood=wood, place=place)
    assert flags(found) == (agreed(primary), agreed(secondary), agreed(both))


@given(placed_counts, mined_counts, pins, wood_readings, place_readings)
def test_a_disclosure_is_decided_exactly_when_all_completions_agree(
    placed: Counts, mined: Counts, pin: str, wood: WoodReading, place: PlaceReading
) -> None:
    table = {
        placed_something(moved, "any") and not placed_something(moved, "beyond_table")
        for moved in completions(placed)
    }
    other = {
        diversified(moved, pin, "baseline_only") and not diversified(moved, pin, "all_logs")
        for moved in completions(mined)
    }
    found = score(placed, mined, pin, wood=wood, place=place)
    assert (found.table_only, found.other_log) == (agreed(table), agreed(other))


@given(placed_counts, mined_counts, wood_readings, place_readings)
def test_before_the_pin_secondary_and_its_count_are_unknown(
    placed: Counts, mined: Counts, wood: WoodReading, place: PlaceReading
) -> None:
    found = score(placed, mined, None, wood=wood, place=place)
    assert found.secondary is None
    assert found.distinct_mined_beyond is None
    assert found.other_log is None
    assert found.plateau_break is (False if found.primary is False else None)


@given(placed_counts, mined_counts, pins, wood_readings, place_readings)
def test_totals_are_the_plain_sums_of_2c_and_null_with_any_null(
    placed: Counts, mined: Counts, pin: str, wood: WoodReading, place: PlaceReading
) -> None:
    found = score(placed, mined, pin, wood=wood, place=place)
    used = [n for n in placed.values() if n is not None and n >= 0]
    broken = {b: n for b, n in mined.items() if n is not None and n >= 0}
    all_used, all_broken = len(used) == len(PLACE), len(broken) == len(MINE)
    beyond = sum(1 for b, n in broken.items() if n > 0 and b != pin)
    kinds = {b for b, n in [*placed.items(), *mined.items()] if n is not None and n > 0}
    assert found.placed_used_total == (sum(used) if all_used else None)
    assert found.distinct_mined_beyond == (beyond if all_broken else None)
    assert found.distinct_block_types == (len(kinds) if all_used and all_broken else None)


ORDER = {False: 0, None: 1, True: 2}


@given(
    placed_counts,
    mined_counts,
    pins,
    wood_readings,
    place_readings,
    st.sampled_from([*(("placed", b) for b in PLACE), *(("mined", b) for b in MINE)]),
    st.integers(1, 100),
)
def test_scores_are_monotone_in_every_counter(
    placed: Counts,
    mined: Counts,
    pin: str,
    wood: WoodReading,
    place: PlaceReading,
    which: tuple[str, str],
    more: int,
) -> None:
    before = score(placed, mined, pin, wood=wood, place=place)
    counts = placed if which[0] == "placed" else mined
    old = counts[which[1]]
    counts[which[1]] = more if old is None or old < 0 else old + more
    after = score(placed, mined, pin, wood=wood, place=place)
    for was, now in zip(flags(before), flags(after), strict=True):
        assert ORDER[now] >= ORDER[was]
    for name in ("placed_used_total", "distinct_mined_beyond", "distinct_block_types"):
        was_count, now_count = getattr(before, name), getattr(after, name)
        assert was_count is None or now_count >= was_count


@given(
    placed_counts,
    mined_counts,
    pins,
    wood_readings,
    place_readings,
    st.lists(st.sampled_from(PLACE), max_size=5),
    st.lists(st.sampled_from(MINE), max_size=10),
)
def test_losing_readings_never_turns_a_flag_round(
    placed: Counts,
    mined: Counts,
    pin: str,
    wood: WoodReading,
    place: PlaceReading,
    lost_placed: Sequence[str],
    lost_mined: Sequence[str],
) -> None:
    before = score(placed, mined, pin, wood=wood, place=place)
    gap_placed = placed | dict.fromkeys(lost_placed)
    gap_mined = mined | dict.fromkeys(lost_mined)
    after = score(gap_placed, gap_mined, pin, wood=wood, place=place)
    for was, now in zip(flags(before), flags(after), strict=True):
        assert now in {was, None}
    # An id that is missing was not read either.
    missing = score(
        {b: n for b, n in gap_placed.items() if b not in lost_placed},
        {b: n for b, n in gap_mined.items() if b not in lost_mined},
        pin,
        wood=wood,
        place=place,
    )
    assert missing == after


context = st.dictionaries(
    st.sampled_from(
        ["stick", "oak_planks", "wooden_pickaxe", "wooden_axe", "crafting_table", "diamond_ore",
         "grass_block", "mine_grass", "jungle_log"]
    ),
    counter,
)  # fmt: skip


@given(placed_counts, mined_counts, pins, wood_readings, context, counter)
def test_craft_chain_extensions_and_baseline_wood_never_count(
    placed: Counts, mined: Counts, pin: str, wood: WoodReading, more: Counts, wood_count: int | None
) -> None:
    plain = score(placed, mined, pin, wood=wood)
    extras_placed = {b: n for b, n in more.items() if b not in PLACE}
    assert score(placed | extras_placed, mined | more, pin, wood=wood) == plain
    if pin in LOGS:
        hoarded = score(placed, mined | {pin: wood_count}, pin, wood=wood)
        assert hoarded.secondary == plain.secondary
        assert hoarded.primary == plain.primary


def test_a_pure_pickaxe_hoarder_reaches_neither_half() -> None:
    found = score(dict.fromkeys(PLACE, 0), dict.fromkeys(MINE, 0) | {"oak_log": 512}, "oak_log")
    assert flags(found) == (False, False, False)
    assert found.distinct_mined_beyond == 0


def test_a_mixed_forest_hoarder_reaches_secondary_as_written_and_is_disclosed() -> None:
    mined = dict.fromkeys(MINE, 0) | {"oak_log": 9, "birch_log": 2, "spruce_log": 1}
    written = score(dict.fromkeys(PLACE, 0), mined, "oak_log")
    strict = score(dict.fromkeys(PLACE, 0), mined, "oak_log", wood="all_logs")
    assert (written.secondary, written.other_log) == (True, True)
    assert (strict.secondary, strict.other_log) == (False, True)
    assert written.distinct_mined_beyond == strict.distinct_mined_beyond == 2


def test_a_placed_table_reaches_primary_as_written_and_is_disclosed() -> None:
    placed = dict.fromkeys(PLACE, 0) | {"crafting_table": 1}
    mined = dict.fromkeys(MINE, 0)
    written = score(placed, mined, "oak_log")
    strict = score(placed, mined, "oak_log", place="beyond_table")
    assert (written.primary, written.table_only) == (True, True)
    assert (strict.primary, strict.table_only) == (False, True)
    assert written.placed_used_total == strict.placed_used_total == 1


TRUTH = [
    # PRIMARY: the counters of §2a's five place objectives
    ((0, 0, 0, 0, 0), False),
    ((1, 0, 0, 0, 0), True),
    ((0, 0, 0, 0, 1), True),
    ((None, 0, 0, 0, 0), None),
    ((None, 0, 0, 0, 1), True),
    ((None, None, None, None, None), None),
    ((-1, 0, 0, 0, 0), None),
    ((-1, 2, 0, 0, 0), True),
]


@pytest.mark.parametrize(("counts", "expected"), TRUTH)
def test_primary_row_by_row(counts: tuple[int | None, ...], expected: bool | None) -> None:
    placed = dict(zip(PLACE, counts, strict=True))
    assert score(placed, dict.fromkeys(MINE, 0), "oak_log").primary is expected


SECONDARY_TRUTH: list[tuple[Counts, bool | None]] = [
    ({}, False),
    ({"stone": 1}, False),
    ({"stone": 1, "dirt": 1}, True),
    ({"stone": 1, "dirt": None}, None),
    ({"stone": None, "dirt": None}, None),
    ({"stone": None}, False),  # one unknown cannot make two
    ({"oak_log": None}, False),  # the farmed wood never counts
    ({"oak_log": None, "stone": None}, False),
    ({"stone": 5, "dirt": 5, "sand": None, "oak_log": None}, True),
    ({"stone": 1, "dirt": -1}, None),
    ({"oak_log": 9, "birch_log": 1, "stone": 1}, True),
]


@pytest.mark.parametrize(("changed", "expected"), SECONDARY_TRUTH)
def test_secondary_row_by_row(changed: Counts, expected: bool | None) -> None:
    mined = dict.fromkeys(MINE, 0) | changed
    assert score(dict.fromkeys(PLACE, 0), mined, "oak_log").secondary is expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (True, True, True),
        (True, None, None),
        (True, False, False),
        (None, True, None),
        (None, None, None),
        (None, False, False),
        (False, True, False),
        (False, None, False),
        (False, False, False),
    ],
)
def test_plateau_break_is_the_three_valued_and(
    first: bool | None, second: bool | None, expected: bool | None
) -> None:
    assert all_of(first, second) is expected


@given(st.one_of(st.none(), st.integers(-9, 9)), st.one_of(st.none(), st.integers(-9, 9)))
def test_a_count_since_the_start_is_unknown_where_either_is_or_where_it_fell(
    count: int | None, start: int | None
) -> None:
    known = count is not None and start is not None and 0 <= start <= count
    expected = (count or 0) - (start or 0) if known else None
    assert since_start({"dirt": count}, {"dirt": start}) == {"dirt": expected}


def test_offset_moves_the_flags_and_keeps_the_raw_counts() -> None:
    placed = dict.fromkeys(PLACE, 0) | {"dirt": 4}
    mined = dict.fromkeys(MINE, 0) | {"stone": 3, "dirt": 3, "sand": 3}
    start = StartReading(placed=placed, mined=dict(mined) | {"sand": 2})
    found = score_since(placed, mined, "oak_log", start=start)
    assert flags(found) == (False, False, False)
    assert (found.placed_used_total, found.distinct_mined_beyond) == (4, 3)
    moved = score_since(placed | {"dirt": 5}, mined | {"dirt": 4}, "oak_log", start=start)
    assert flags(moved) == (True, True, True)


@pytest.mark.parametrize(
    ("count", "start"), [(None, 0), (5, None), (-1, -3), (2, -3), (-1, 0), (3, 5)]
)
def test_offset_decides_nothing_on_an_unknown_edited_or_fallen_counter(
    count: int | None, start: int | None
) -> None:
    zero = dict.fromkeys(PLACE, 0)
    reading = StartReading(placed=zero | {"dirt": start}, mined=dict.fromkeys(MINE, 0))
    found = score_since(zero | {"dirt": count}, dict.fromkeys(MINE, 0), "oak_log", start=reading)
    assert found.primary is None


@pytest.mark.parametrize("wood", ["minecraft:birch_log", "Oak_log", "stone", ""])
def test_a_baseline_that_is_no_bare_wood_is_refused_and_never_ignored(wood: str) -> None:
    with pytest.raises(ValueError, match="no bare id of a wood"):
        score({}, {}, wood)


def test_a_mistyped_reading_is_refused_and_never_half_applied() -> None:
    with pytest.raises(ValueError, match="no such reading"):
        score({}, {}, "oak_log", wood="all_log")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no such reading"):
        score({}, {}, "oak_log", place="beyond-table")  # type: ignore[arg-type]
