"""What holds on the plateau for every list of words, by §2c and §4 of the metric's seed."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from plateau_tui.calibration.targets.plateau import GROUNDS
from plateau_tui.calibration.targets.plateau_world import Ground, PlateauWorld, phase_goal_met
from plateau_tui.metric.scoring import PlaceReading, WoodReading
from plateau_tui.sim.words import WORDS

HOARDING = (
    "wait", "chop_oak", "chop_birch", "chop_spruce", "craft_planks", "craft_sticks",
    "craft_table", "place_table", "craft_pickaxe", "drop_pickaxe",
)  # fmt: skip
LOGS = ("mine_oak_log", "mine_birch_log", "mine_spruce_log")
OTHERS = ("mine_stone", "mine_cobble", "mine_dirt", "mine_sand", "mine_gravel", "mine_coal",
          "mine_iron")  # fmt: skip
PLACED = ("place_cobble", "place_dirt", "place_plank", "place_log", "place_table")
CRAFTED = ("craft_planks", "craft_stick", "craft_table", "craft_wpick")
Numbers = dict[str, int | None]

grounds = st.sampled_from(sorted(GROUNDS)).map(lambda name: GROUNDS[name])
plays = st.lists(st.sampled_from(WORDS), max_size=25)
quick = settings(max_examples=20, deadline=None)


@cache
def opened(ground: Ground, wood: WoodReading, place: PlaceReading) -> PlateauWorld:
    return PlateauWorld(ground, wood, place)


def play(
    words: Sequence[str],
    ground: Ground,
    wood: WoodReading = "baseline_only",
    place: PlaceReading = "any",
    seed: int = 0,
) -> list[Numbers]:
    game = opened(ground, wood, place)
    shots = [game.start(seed), *(game.step(word) for word in words)]
    return [
        {name.removeprefix("engine."): value for name, value in shot.numbers.items()}
        for shot in shots
    ]


def above(numbers: Numbers, names: Sequence[str]) -> list[str]:
    return [name for name in names if (numbers[name] or 0) > 0]


@quick
@given(st.lists(st.sampled_from(HOARDING), max_size=30), grounds, st.integers(0, 3))
def test_no_hoarding_ever_reaches_a_half_of_the_strict_reading(
    words: list[str], ground: Ground, seed: int
) -> None:
    for shot in play(words, ground, "all_logs", "beyond_table", seed):
        assert (shot["primary"], shot["secondary"]) in {(0, 0), (0, None)}


@quick
@given(plays, grounds)
def test_counters_never_fall(words: list[str], ground: Ground) -> None:
    shots = play(words, ground)
    for before, after in pairwise(shots):
        for name in (*LOGS, *OTHERS, *PLACED, *CRAFTED):
            assert (after[name] or 0) >= (before[name] or 0)


@quick
@given(plays, grounds)
def test_the_halves_are_those_of_the_seed(words: list[str], ground: Ground) -> None:
    """§2c by hand: the wood is pinned that moved first, every other mined id counts."""
    pinned = None
    for shot in play(words, ground):
        pinned = pinned or next(iter(above(shot, LOGS)), None)
        beyond = [name for name in above(shot, (*LOGS, *OTHERS)) if name != pinned]
        assert shot["primary"] == int(bool(above(shot, PLACED)))
        assert shot["secondary"] == (None if pinned is None else int(len(beyond) >= 2))
        if pinned is not None:
            assert shot["distinct_mined_beyond"] == len(beyond)
            assert shot["plateau_break"] == int(shot["primary"] == shot["secondary"] == 1)


@quick
@given(plays, grounds)
def test_a_stricter_reading_never_gives_more(words: list[str], ground: Ground) -> None:
    written = play(words, ground)
    strict = play(words, ground, "all_logs", "beyond_table")
    for wide, narrow in zip(written, strict, strict=True):
        for flag in ("primary", "secondary", "plateau_break"):
            assert not (narrow[flag] == 1 and wide[flag] != 1)
        assert {n: wide[n] for n in (*LOGS, *OTHERS, *PLACED)} == {
            n: narrow[n] for n in (*LOGS, *OTHERS, *PLACED)
        }


@quick
@given(plays, grounds)
def test_nothing_of_the_run_before_remains(words: list[str], ground: Ground) -> None:
    assert play(words, ground) == play(words, ground)


@quick
@given(plays, grounds)
def test_the_old_gate_is_held_against_the_report_of_one_moment(
    words: list[str], ground: Ground
) -> None:
    for shot in play(words, ground):
        wood, tools = shot["inv.wood"], shot["inv.tools"]
        assert wood is not None
        assert tools is not None
        assert shot["phase_goal_3"] == int(wood >= 8 and tools >= 1)
        assert shot["pickaxe_hoard"] == tools


def test_the_old_gate_needs_both_at_once() -> None:
    assert [phase_goal_met(*both) for both in ((8, 1), (7, 1), (8, 0), (30, 4))] == [
        True,
        False,
        False,
        True,
    ]
