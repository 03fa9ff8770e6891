"""What is passed over because a row repeats the one before it changes nothing."""

import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from metric.cases import GATE, Row, reading, registration

from plateau_tui.metric import scoring
from plateau_tui.metric.evidence import JournalFacts, PinFact
from plateau_tui.metric.objectives import MINE_BLOCKS, PLACE_BLOCKS, Objective, Role
from plateau_tui.metric.registration import Gate
from plateau_tui.metric.scoring import score, score_each
from plateau_tui.metric.tally import UnitTally

EXTENSIONS: Final = (
    Objective("mine_jungle", "minecraft.mined:minecraft.jungle_log", Role.EXTRA, "jungle_log"),
    Objective("use_glass", "minecraft.used:minecraft.glass", Role.EXTRA, "glass"),
)
COUNTS: Final = st.one_of(st.integers(0, 2), st.sampled_from([None, -1, 7]))
GATES: Final = (
    GATE,
    replace(GATE, start_counts="offset"),
    replace(GATE, wood="all_logs", place="beyond_table"),
)
ROWS: Final = st.builds(
    Row,
    placed=st.dictionaries(st.sampled_from(PLACE_BLOCKS), COUNTS, max_size=3),
    mined=st.dictionaries(st.sampled_from(MINE_BLOCKS), COUNTS, max_size=4),
    extra=st.dictionaries(st.sampled_from([o.name for o in EXTENSIONS]), COUNTS),
    online=st.sampled_from([True, False, None]),
    unread=st.sampled_from([False, False, False, True]),
    baseline_wood=st.sampled_from(["oak_log", "birch_log", None]),
    written=st.sampled_from([None, {"primary": True, "placed_used_total": 1}]),
)
STORIES: Final = st.lists(st.tuples(ROWS, st.integers(1, 3)), min_size=1, max_size=6)


def tally_of(gate: Gate, rows: list[Row], *, forget: bool) -> Mapping[str, Any]:
    """All that a tally found; with ``forget`` every row comes as if none had been before it."""
    start: dict[str, int | None] = {"mine_oak_log": 1, "mine_stone": 1, "place_dirt": 0}
    facts = JournalFacts(pins={"T1": PinFact("oak_log")}, start={"T1": start})
    sealed = registration(cycles=len(rows), gate=gate, extensions=EXTENSIONS)
    tally = UnitTally(sealed, sealed.units[0], facts)
    for cycle, row in enumerate(rows):
        if forget:
            tally._raw, tally._counts, tally._deciding = (), {}, ()
        tally.take(copy.deepcopy(reading("T1", cycle, row)))
    return {
        name: value
        for name, value in vars(tally).items()
        if name not in {"_raw", "_counts", "_deciding", "registration"}
    }


@pytest.mark.parametrize("gate", GATES, ids=["written", "offset", "strict"])
@given(STORIES)
@settings(max_examples=60)
def test_a_tally_is_the_same_whether_rows_repeat_or_are_looked_at_anew(
    gate: Gate, story: list[tuple[Row, int]]
) -> None:
    rows = [row for row, times in story for _ in range(times)]
    assert tally_of(gate, rows, forget=False) == tally_of(gate, rows, forget=True)


@given(
    st.fixed_dictionaries({}, optional=dict.fromkeys(PLACE_BLOCKS, COUNTS)),
    st.fixed_dictionaries({}, optional=dict.fromkeys(MINE_BLOCKS, COUNTS)),
    st.sampled_from([None, "oak_log", "jungle_log", "stripped_oak_wood"]),
)
def test_several_readings_of_one_row_are_those_of_each_alone(
    placed: dict[str, int | None], mined: dict[str, int | None], pin: str | None
) -> None:
    readings: list[scoring.Readings] = [
        ("any", "baseline_only"),
        ("beyond_table", "all_logs"),
        ("any", "all_logs"),
    ]
    alone = [score(placed, mined, pin, place=place, wood=wood) for place, wood in readings]
    assert list(score_each(placed, mined, pin, readings)) == alone


def test_woods_that_a_log_makes_up_are_not_kept() -> None:
    score({}, {}, "invented_log")
    before = scoring._judged.cache_info().currsize
    for number in range(50):
        score({}, {}, "x" * (number + 1) + "_log")
    assert scoring._judged.cache_info().currsize == before
