"""The 19 objectives of §2a and what an extension may be."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.metric.objectives import (
    LOG_SPECIES,
    METRIC_OBJECTIVES,
    MINE_OBJECTIVES,
    PLACE_OBJECTIVES,
    ObjectiveError,
    Role,
    check_distinct,
    extension,
    is_wood,
)
from plateau_tui.resources import game_ids

SEED_2A = """\
place_cobble  minecraft.used:minecraft.cobblestone
place_dirt    minecraft.used:minecraft.dirt
place_plank   minecraft.used:minecraft.oak_planks
place_log     minecraft.used:minecraft.oak_log
place_table   minecraft.used:minecraft.crafting_table
mine_oak_log    minecraft.mined:minecraft.oak_log
mine_birch_log  minecraft.mined:minecraft.birch_log
mine_spruce_log minecraft.mined:minecraft.spruce_log
mine_stone      minecraft.mined:minecraft.stone
mine_cobble     minecraft.mined:minecraft.cobblestone
mine_dirt       minecraft.mined:minecraft.dirt
mine_sand       minecraft.mined:minecraft.sand
mine_gravel     minecraft.mined:minecraft.gravel
mine_coal       minecraft.mined:minecraft.coal_ore
mine_iron       minecraft.mined:minecraft.iron_ore
craft_planks   minecraft.crafted:minecraft.oak_planks
craft_stick    minecraft.crafted:minecraft.stick
craft_table    minecraft.crafted:minecraft.crafting_table
craft_wpick    minecraft.crafted:minecraft.wooden_pickaxe
"""
SEED_FILE = (
    Path(__file__).parents[3] / "shared" / "seeds" / "plateau_break_metric.txt"
)  # beside a checkout, where there is one


def test_the_set_is_the_seeds_19_names_and_criteria_in_its_order() -> None:
    assert [(o.name, o.criterion) for o in METRIC_OBJECTIVES] == [
        tuple(line.split()) for line in SEED_2A.splitlines()
    ]
    assert [o.role for o in METRIC_OBJECTIVES] == (
        [Role.PLACE] * 5 + [Role.MINE] * 10 + [Role.CRAFT] * 4
    )


@pytest.mark.skipif(not SEED_FILE.exists(), reason="the seed is not beside this checkout")
def test_the_set_is_what_the_seed_file_registers() -> None:
    adds = re.findall(r"scoreboard objectives add (\S+)\s+(\S+)", SEED_FILE.read_text("utf-8"))
    assert [(o.name, o.criterion) for o in METRIC_OBJECTIVES] == adds


def test_every_objective_of_the_set_would_pass_the_rules_for_extensions() -> None:
    for objective in METRIC_OBJECTIVES:
        made = extension(objective.name, objective.criterion, game_ids())
        assert made.block == objective.block
    check_distinct(METRIC_OBJECTIVES)


@pytest.mark.parametrize(
    ("name", "criterion"),
    [
        ("mine_grass", "minecraft.mined:minecraft.grass_block"),
        ("u_crafting_table", "minecraft.used:minecraft.crafting_table"),  # 16: the border
        ("a", "minecraft.crafted:minecraft.wooden_axe"),
        ("axe.broken+1", "minecraft.broken:minecraft.wooden_axe"),
        ("mine_wall_torch", "minecraft.mined:minecraft.wall_torch"),  # a block that is no item
    ],
)
def test_an_extension_that_the_server_takes_is_context(name: str, criterion: str) -> None:
    objective = extension(name, criterion, game_ids())
    assert (objective.name, objective.criterion) == (name, criterion)
    assert objective.role is Role.EXTRA


@pytest.mark.parametrize(
    "name",
    ["", "m_mossy_cobblestone", "x" * 17, "two words", "tab\t", "line\n", "§6gold", "a:b", "é"],
)
def test_a_name_that_the_server_refuses_is_refused_before_any_connection(name: str) -> None:
    with pytest.raises(ObjectiveError, match="16"):
        extension(name, "minecraft.mined:minecraft.grass_block", game_ids())


@pytest.mark.parametrize(
    ("criterion", "near"),
    [
        ("minecraft.mined:minecraft.gras_block", "grass_block"),
        ("minecraft.mined:minecraft.GRASS_BLOCK", "grass_block"),
        ("minecraft.mined:minecraft.dark-oak-log", "dark_oak_log"),
        ("minecraft.used:minecraft.cobble_stone", "cobblestone"),
        ("minecraft.crafted:minecraft.wood_pickaxe", "wooden_pickaxe"),
        ("minecraft.mine:minecraft.stone", "mined"),
        ("minecraft.mined:minecraft.deepslate", None),  # 1.17: some real id is named all the same
        ("minecraft.mined:minecraft.q", None),
        ("minecraft.used:minecraft.wall_torch", "torch"),  # a block, but no item
    ],
)
def test_an_unknown_id_is_refused_with_the_nearest_real_one(
    criterion: str, near: str | None
) -> None:
    with pytest.raises(ObjectiveError, match="nearest is") as caught:
        extension("x", criterion, game_ids())
    named = re.findall(r"the nearest is '([a-z_0-9]+)'", str(caught.value))
    ids = game_ids()
    assert named
    assert near is None or near in named[0]
    assert named[0] in ids.blocks | ids.items | {"mined"}


@pytest.mark.parametrize("item", ["oak_log", "cobblestone", "diamond_ore", "bedrock"])
def test_crafted_is_refused_for_what_no_recipe_makes(item: str) -> None:
    assert item in game_ids().items
    with pytest.raises(ObjectiveError, match="no recipe"):
        extension("x", f"minecraft.crafted:minecraft.{item}", game_ids())


@pytest.mark.parametrize(
    "criterion",
    [
        "",
        "dummy",
        "minecraft.mined",
        "minecraft.mined:stone",
        "mined:minecraft.stone",
        "minecraft.mined:minecraft:stone",
        "minecraft.mined:minecraft.stone ",
        "minecraft.mined:minecraft.stone\n",
        "minecraft.custom:minecraft.jump",
        "minecraft.mined:mod.stone",
    ],
)
def test_a_criterion_of_another_form_is_refused(criterion: str) -> None:
    with pytest.raises(ObjectiveError):
        extension("x", criterion, game_ids())


def test_no_name_and_no_criterion_stands_twice() -> None:
    first = extension("mine_grass", "minecraft.mined:minecraft.grass_block", game_ids())
    same_name = extension("mine_grass", "minecraft.mined:minecraft.clay", game_ids())
    same_criterion = extension("grass2", "minecraft.mined:minecraft.grass_block", game_ids())
    for other in (same_name, same_criterion):
        with pytest.raises(ObjectiveError, match="mine_grass"):
            check_distinct((*METRIC_OBJECTIVES, first, other))
    of_the_set = extension("my_stone", "minecraft.mined:minecraft.stone", game_ids())
    with pytest.raises(ObjectiveError, match="mine_stone"):
        check_distinct((*METRIC_OBJECTIVES, of_the_set))


@given(st.text(max_size=40), st.text(max_size=60))
def test_no_name_and_no_criterion_crashes_the_check(name: str, criterion: str) -> None:
    try:
        objective = extension(name, criterion, game_ids())
    except ObjectiveError:
        return
    assert len(objective.name) <= 16


def test_wood_is_every_log_stem_hyphae_and_wood_of_the_game_and_nothing_else() -> None:
    by_hand = {
        block
        for block in game_ids().blocks
        if block.endswith(("_log", "_wood", "_stem", "_hyphae")) and "mushroom" not in block
        if not block.startswith(("attached_", "melon_", "pumpkin_"))
    }
    assert len(by_hand) == 32
    assert {block for block in game_ids().blocks if is_wood(block)} == by_hand
    assert set(LOG_SPECIES) <= by_hand
    assert len(LOG_SPECIES) == 8


def test_shipped_ids_hold_every_block_of_the_set() -> None:
    ids = game_ids()
    assert {o.block for o in MINE_OBJECTIVES} <= ids.blocks
    assert {o.block for o in PLACE_OBJECTIVES} <= ids.items
    assert (len(ids.blocks), len(ids.items), len(ids.craftable)) == (763, 975, 562)
    assert ids.craftable <= ids.items
