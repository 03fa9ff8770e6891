import itertools
import random

import pytest
from calibration.games import patient
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.calibration.targets.native_2048 import Game2048, pushed

tiles = st.lists(st.sampled_from([0, 0, 2, 4, 8]), min_size=4, max_size=4)
words = st.lists(st.sampled_from(["up", "down", "left", "right", "other"]), max_size=60)


@pytest.mark.parametrize(
    ("line", "after", "score"),
    [
        ([2, 2, 2, 2], [4, 4, 0, 0], 8),
        ([2, 2, 2, 0], [4, 2, 0, 0], 4),
        ([0, 2, 2, 2], [4, 2, 0, 0], 4),
        ([4, 2, 2, 0], [4, 4, 0, 0], 4),
        ([2, 0, 0, 2], [4, 0, 0, 0], 4),
        ([2, 4, 2, 4], [2, 4, 2, 4], 0),
        ([0, 0, 0, 0], [0, 0, 0, 0], 0),
    ],
)
def test_a_pair_merges_once_a_move_the_nearest_first(
    line: list[int], after: list[int], score: int
) -> None:
    assert pushed(line) == (after, score)


@given(tiles)
def test_pushing_keeps_the_sum_and_scores_what_it_made(line: list[int]) -> None:
    after, score = pushed(line)
    assert sum(after) == sum(line)
    assert after == sorted(after, key=lambda tile: tile == 0)
    merged = [tile for tile in line if tile]
    assert len([tile for tile in after if tile]) <= len(merged)
    assert (score == 0) is (len([tile for tile in after if tile]) == len(merged))


@given(st.integers(0, 999), words)
@patient
def test_every_move_adds_one_tile_and_what_is_no_move_changes_nothing(
    seed: int, inputs: list[str]
) -> None:
    game = Game2048()
    shots = [game.start(seed), *map(game.step, inputs)]
    for before, after in itertools.pairwise(shots):
        cells = [[s.numbers[f"engine.cell{n}"] or 0 for n in range(16)] for s in (before, after)]
        moves = [s.numbers["engine.moves"] or 0 for s in (before, after)]
        if moves[0] == moves[1]:
            assert before == after
        else:
            assert moves[1] == moves[0] + 1
            assert sum(cells[1]) - sum(cells[0]) in {2, 4}
        assert after.numbers["engine.emptyCells"] == cells[1].count(0)
        assert after.numbers["engine.maxTile"] == max(cells[1])
        assert before.events <= after.events


@given(st.integers(0, 999))
def test_a_new_game_draws_two_tiles_from_one_generator(seed: int) -> None:
    draw = random.Random(seed)
    cells = [0] * 16
    for _ in range(2):
        empty = [n for n in range(16) if not cells[n]]
        cell = empty[draw.randrange(len(empty))]
        cells[cell] = 4 if draw.random() < 0.1 else 2
    numbers = Game2048().start(seed).numbers
    assert [numbers[f"engine.cell{n}"] for n in range(16)] == cells


def test_the_game_is_over_when_no_move_is_left() -> None:
    game = Game2048()
    game.start(0)
    game.cells = [2, 4, 2, 4, 4, 2, 4, 2] * 2
    assert game.step("left").numbers["engine.gameOver"] == 1
    game.cells[0] = 4
    shot = game.step("other")
    assert shot.numbers["engine.gameOver"] == 0
    assert "tile-4" in shot.events
