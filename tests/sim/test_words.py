"""Words: what each does by vanilla rules, and what it does not do."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plateau_tui.sim.words import WORDS, Puppet
from plateau_tui.sim.world import World

UNIT = "UNI-10-1"


class Stage:
    """One body that is played by words, and all that was counted."""

    def __init__(self, forest: tuple[str, ...] = ("oak",), seed: int = 0) -> None:
        self.world = World(seed, forest)
        self.body = self.world.add_body(UNIT, online=False)
        self.stats: Counter[tuple[str, str]] = Counter()
        self.world.on_stat = self._count
        self.puppet = Puppet(self.world, self.body)

    def _count(self, kind: str, bare_id: str, player: str, amount: int) -> None:
        assert player == UNIT
        if kind != "picked_up":
            self.stats[kind, bare_id] += amount

    def play(self, *words: str) -> "Stage":
        for word in words:
            self.puppet.play(word)
        return self


def repeated(*parts: tuple[str, int]) -> list[str]:
    return [word for word, times in parts for _ in range(times)]


AT_A_TABLE = repeated(
    ("chop_oak", 3), ("craft_planks", 3), ("craft_table", 1), ("place_table", 1),
    ("craft_sticks", 1), ("craft_pickaxe", 1),
)  # fmt: skip


def test_the_way_to_a_pickaxe_counts_as_the_game_counts_it() -> None:
    stage = Stage().play(*AT_A_TABLE)
    assert stage.stats == {
        ("mined", "oak_log"): 3,
        ("crafted", "oak_planks"): 12,
        ("crafted", "crafting_table"): 1,
        ("used", "crafting_table"): 1,
        ("crafted", "stick"): 4,
        ("crafted", "wooden_pickaxe"): 1,
    }
    assert stage.body.inventory == {"oak_planks": 3, "stick": 2, "wooden_pickaxe": 1}


def test_no_pickaxe_without_a_placed_table() -> None:
    words = [word for word in AT_A_TABLE if word != "place_table"]
    stage = Stage().play(*words)
    assert stage.body.count("crafting_table") == 1
    assert stage.body.count("wooden_pickaxe") == 0
    assert ("crafted", "wooden_pickaxe") not in stage.stats


def test_a_body_that_is_far_from_its_table_walks_back_to_it() -> None:
    stage = Stage().play(*AT_A_TABLE)
    x, z = stage.body.cell
    stage.body.cell = (x + 12, z)
    stage.play("craft_planks", "craft_pickaxe")
    assert stage.body.count("wooden_pickaxe") == 2
    stage.body.cell = (x + 500, z)
    stage.play("chop_oak", "craft_planks", "craft_sticks", "craft_pickaxe")
    assert stage.body.count("wooden_pickaxe") == 2, "a table out of sight is none"


def test_stone_asks_for_a_pickaxe() -> None:
    by_hand = Stage().play("mine_stone", "mine_stone", "place_cobblestone")
    assert by_hand.stats == {}
    stage = Stage().play(*AT_A_TABLE, "mine_stone", "place_cobblestone")
    assert stage.stats["mined", "stone"] == 1
    assert stage.stats["used", "wooden_pickaxe"] == 1
    assert stage.stats["used", "cobblestone"] == 1


def test_soil_is_grass_first_and_then_dirt() -> None:
    stage = Stage().play("mine_dirt")
    assert stage.stats == {("mined", "grass_block"): 1}
    assert stage.body.inventory == {"dirt": 1}
    stage.play("mine_dirt", "place_dirt")
    assert stage.stats["mined", "dirt"] == 1
    assert stage.stats["used", "dirt"] == 1


def test_sand_and_gravel_count_by_hand() -> None:
    stats = Stage().play("mine_sand", "mine_gravel").stats
    assert stats == {("mined", "sand"): 1, ("mined", "gravel"): 1}


def test_logs_and_planks_can_be_placed() -> None:
    stage = Stage().play("chop_oak", "chop_oak", "place_log", "craft_planks", "place_planks")
    assert stage.stats["used", "oak_log"] == 1
    assert stage.stats["used", "oak_planks"] == 1
    assert stage.body.inventory == {"oak_planks": 3}


def test_a_dropped_pickaxe_is_gone_and_is_not_placed() -> None:
    stage = Stage().play(*AT_A_TABLE, "drop_pickaxe", "drop_pickaxe")
    assert stage.body.count("wooden_pickaxe") == 0
    assert stage.stats["dropped", "wooden_pickaxe"] == 1
    assert ("used", "wooden_pickaxe") not in stage.stats


def test_a_species_is_chopped_where_it_grows_and_nowhere_else() -> None:
    words = ("chop_spruce", "chop_birch", "chop_oak")
    assert Stage().play(*words).stats == {("mined", "oak_log"): 1}
    mixed = Stage(("oak", "birch", "spruce")).play(*words)
    assert mixed.stats == {("mined", f"{wood}_log"): 1 for wood in ("oak", "birch", "spruce")}


@pytest.mark.parametrize("word", ["idle", "", "wait ", "playproof-unknown-word"])
def test_a_word_that_is_none_does_nothing_and_takes_no_time(word: str) -> None:
    stage = Stage().play(word)
    assert stage.stats == {}
    assert stage.world.now == 0


@pytest.mark.parametrize("word", [w for w in WORDS if w.startswith(("craft", "place", "drop"))])
def test_an_empty_handed_body_makes_and_places_nothing(word: str) -> None:
    stage = Stage().play(word)
    assert stage.stats == {}
    assert stage.body.inventory == {}


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=30), st.integers(0, 3))
def test_words_keep_the_books_of_the_inventory(words: list[str], seed: int) -> None:
    stage = Stage(seed=seed).play(*words)
    made, stats = stage.body.inventory, stage.stats
    assert all(count > 0 for count in made.values())
    assert stats["mined", "oak_log"] == (
        made.get("oak_log", 0) + stats["used", "oak_log"] + stats["crafted", "oak_planks"] // 4
    )
    assert stats["crafted", "wooden_pickaxe"] == (
        made.get("wooden_pickaxe", 0)
        + stats["dropped", "wooden_pickaxe"]
        + stats["broken", "wooden_pickaxe"]
    )
    assert stats["crafted", "crafting_table"] == (
        made.get("crafting_table", 0) + stats["used", "crafting_table"]
    )
