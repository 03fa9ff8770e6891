"""Vanilla rules, policies and determinism."""

from collections import Counter

import pytest

from plateau_tui.sim.bodies import Action, Body, Craft, Mine, Place, Walk
from plateau_tui.sim.policies import IN_VILLAGE, POLICIES
from plateau_tui.sim.rules import LOGS, breaking_ticks
from plateau_tui.sim.scenarios import SCENARIOS, Scenario, build_world, scenario_for
from plateau_tui.sim.scoreboard import Scoreboard
from plateau_tui.sim.world import World

Stats = Counter[tuple[str, str]]
BEYOND_WOOD = ("stone", "cobblestone", "dirt", "sand", "gravel", "coal_ore", "iron_ore")


def counted(world: World) -> dict[str, Stats]:
    stats: dict[str, Stats] = {name: Counter() for name in world.bodies}

    def count(kind: str, bare_id: str, player: str, amount: int) -> None:
        if kind != "picked_up":
            stats[player][kind, bare_id] += amount

    world.on_stat = count
    return stats


class Lab:
    """One body whose actions a test chooses."""

    def __init__(self) -> None:
        self.world = World()
        self.body: Body = self.world.add_body("UNI-10-1")
        self.stats = counted(self.world)["UNI-10-1"]
        self.cell = (self.body.cell[0] + 1, self.body.cell[1])

    def do(self, action: Action) -> bool:
        return self.body.perform(action, self.world.now)

    def put(self, block: str) -> None:
        self.world.terrain.put(self.cell, block)

    def mine(self, block: str, tool: str = "") -> bool:
        self.put(block)
        if tool:
            self.body.give(tool)
        return self.do(Mine(self.cell, tool))


@pytest.fixture
def lab() -> Lab:
    return Lab()


@pytest.mark.parametrize("block", ["stone", "cobblestone", "coal_ore", "iron_ore"])
def test_stone_by_hand_counts_and_drops_nothing(lab: Lab, block: str) -> None:
    assert lab.mine(block)
    assert lab.stats == {}
    assert lab.body.inventory == {}


@pytest.mark.parametrize(
    ("block", "drop"),
    [
        ("oak_log", "oak_log"),
        ("dirt", "dirt"),
        ("sand", "sand"),
        ("gravel", "gravel"),
        ("grass_block", "dirt"),
        ("crafting_table", "crafting_table"),
    ],
)
def test_soft_blocks_count_by_hand_as_what_was_broken(lab: Lab, block: str, drop: str) -> None:
    lab.mine(block)
    assert lab.stats == {("mined", block): 1}
    assert lab.body.inventory == {drop: 1}


def test_a_pickaxe_harvests_stone_and_is_itself_used(lab: Lab) -> None:
    lab.mine("stone", "wooden_pickaxe")
    assert lab.stats == {("mined", "stone"): 1, ("used", "wooden_pickaxe"): 1}
    assert lab.body.inventory == {"wooden_pickaxe": 1, "cobblestone": 1}


def test_iron_needs_a_stone_pickaxe(lab: Lab) -> None:
    lab.mine("iron_ore", "wooden_pickaxe")
    assert lab.stats == {("used", "wooden_pickaxe"): 1}
    lab.mine("iron_ore", "stone_pickaxe")
    assert lab.stats["mined", "iron_ore"] == 1


def test_coal_ore_drops_coal(lab: Lab) -> None:
    lab.mine("coal_ore", "wooden_pickaxe")
    assert lab.stats["mined", "coal_ore"] == 1
    assert lab.body.count("coal") == 1


def test_a_wooden_pickaxe_breaks_after_59_uses(lab: Lab) -> None:
    lab.body.give("wooden_pickaxe")
    for _ in range(59):
        lab.put("stone")
        assert lab.do(Mine(lab.cell, "wooden_pickaxe"))
    assert lab.body.count("wooden_pickaxe") == 0
    assert lab.stats["broken", "wooden_pickaxe"] == 1
    lab.put("stone")
    assert not lab.do(Mine(lab.cell, "wooden_pickaxe"))


def test_placing_counts_as_used_and_takes_the_item(lab: Lab) -> None:
    lab.body.give("cobblestone")
    assert lab.do(Place(lab.cell, "cobblestone"))
    assert lab.stats == {("used", "cobblestone"): 1}
    assert lab.world.terrain.top(lab.cell) == "cobblestone"
    assert not lab.do(Place(lab.cell, "cobblestone"))


def test_a_body_reaches_four_blocks(lab: Lab) -> None:
    lab.body.give("dirt", 2)
    x, z = lab.body.cell
    assert not lab.do(Place((x + 5, z), "dirt"))
    assert lab.do(Walk((x + 1, z)))
    assert lab.do(Place((x + 5, z), "dirt"))


def test_small_recipes_need_no_table_and_count_what_they_make(lab: Lab) -> None:
    lab.body.give("birch_log", 2)
    assert lab.do(Craft("birch_planks"))
    assert lab.do(Craft("birch_planks"))
    assert lab.do(Craft("stick"))
    assert lab.do(Craft("crafting_table"))
    assert lab.stats == {
        ("crafted", "birch_planks"): 8,
        ("crafted", "stick"): 4,
        ("crafted", "crafting_table"): 1,
    }
    assert lab.body.inventory == {"birch_planks": 2, "stick": 4, "crafting_table": 1}


def test_a_pickaxe_needs_a_placed_table_in_reach(lab: Lab) -> None:
    lab.body.give("oak_planks", 2)
    lab.body.give("birch_planks", 1)
    lab.body.give("stick", 2)
    lab.body.give("crafting_table")
    assert not lab.do(Craft("wooden_pickaxe"))
    home = lab.body.cell
    lab.do(Place(lab.cell, "crafting_table"))
    lab.do(Walk((home[0] + 6, home[1])))
    assert not lab.do(Craft("wooden_pickaxe"))
    lab.do(Walk(home))
    assert lab.do(Craft("wooden_pickaxe"))
    assert lab.body.inventory == {"wooden_pickaxe": 1}


def test_breaking_times_are_the_games() -> None:
    assert breaking_ticks("oak_log", "") == 60
    assert breaking_ticks("oak_log", "wooden_axe") == 30
    assert breaking_ticks("stone", "") == 150
    assert breaking_ticks("stone", "wooden_pickaxe") == 23
    assert breaking_ticks("dirt", "wooden_pickaxe") == 15


def lived(policy: str, ticks: int, seed: int = 3, forest: tuple[str, ...] = ("oak",)) -> Stats:
    world = World(seed, forest)
    world.add_body("UNI-10-1", POLICIES[policy](), village_table=policy in IN_VILLAGE)
    stats = counted(world)["UNI-10-1"]
    world.step(ticks)
    return stats


def ids(stats: Stats, kind: str) -> set[str]:
    return {each for found, each in stats if found == kind}


@pytest.mark.parametrize("seed", range(8))
def test_a_hoarder_places_its_table_and_nothing_else(seed: int) -> None:
    early = lived("hoarder", 600, seed)
    assert early["used", "crafting_table"] == 1
    stats = lived("hoarder", 20_000, seed)
    assert ids(stats, "used") == {"crafting_table"}
    assert stats["used", "crafting_table"] == 1
    assert ids(stats, "mined") == {"oak_log"}
    assert stats["crafted", "wooden_pickaxe"] > 100


@pytest.mark.parametrize("seed", range(8))
def test_a_village_hoarder_places_nothing_at_all(seed: int) -> None:
    stats = lived("village_hoarder", 20_000, seed)
    assert ids(stats, "used") == set()
    assert ids(stats, "mined") == {"oak_log"}
    assert stats["crafted", "wooden_pickaxe"] > 100


def test_a_hoarder_in_a_mixed_forest_keeps_to_one_species_but_a_mixed_one_does_not() -> None:
    forest = ("birch", "oak", "spruce")
    assert len(ids(lived("hoarder", 5_000, forest=forest), "mined")) == 1
    stats = lived("mixed_forest_hoarder", 5_000, forest=forest)
    assert len(ids(stats, "mined") & set(LOGS)) == 2
    assert ids(stats, "mined") <= set(LOGS)
    assert ids(stats, "used") == {"crafting_table"}


@pytest.mark.parametrize("seed", range(8))
def test_a_builder_reaches_both_halves_within_a_minute(seed: int) -> None:
    stats = lived("builder", 1_200, seed)
    assert stats["used", "cobblestone"] > 0
    assert stats["used", "dirt"] > 0
    assert len(ids(stats, "mined") & set(BEYOND_WOOD)) >= 3


@pytest.mark.parametrize("seed", range(8))
def test_a_diversifier_mines_much_and_places_nothing(seed: int) -> None:
    stats = lived("diversifier", 3_000, seed)
    assert ids(stats, "used") <= {"wooden_pickaxe"}
    assert len(ids(stats, "mined") & set(BEYOND_WOOD)) >= 4


def test_idle_does_nothing_and_the_wanderer_something() -> None:
    assert lived("idle", 20_000) == {}
    assert sum(lived("wanderer", 20_000).values()) > 100


def test_no_wood_runs_out() -> None:
    first, whole = lived("hoarder", 50_000), lived("hoarder", 100_000)
    assert whole["crafted", "wooden_pickaxe"] > 1.8 * first["crafted", "wooden_pickaxe"]


@pytest.mark.parametrize("name", SCENARIOS)
def test_same_seed_and_ticks_give_the_same_world_whatever_the_batches(name: str) -> None:
    one, other = build_world(SCENARIOS[name], 5), build_world(SCENARIOS[name], 5)
    first, second = counted(one), counted(other)
    one.step(3_000)
    for _ in range(300):
        other.step(10)
    assert first == second
    assert {each: body.inventory for each, body in one.bodies.items()} == {
        each: body.inventory for each, body in other.bodies.items()
    }


def test_another_seed_gives_another_world() -> None:
    assert lived("wanderer", 5_000, seed=1) != lived("wanderer", 5_000, seed=2)


def test_who_leaves_does_nothing_and_goes_on_after_joining_again() -> None:
    world = build_world(SCENARIOS["builders_vs_hoarders"], 0)
    stats = counted(world)
    world.step(600)
    world.leave("UNI-10-1")
    before = dict(stats["UNI-10-1"])
    world.step(600)
    assert stats["UNI-10-1"] == before
    assert "UNI-10-1" not in world.online
    world.join("UNI-10-1")
    world.step(600)
    assert stats["UNI-10-1"] != before


def test_an_unknown_guest_stands_idle() -> None:
    world = World()
    world.join("Steve")
    stats = counted(world)
    world.step(1_000)
    assert world.online == ("Steve",)
    assert stats["Steve"] == {}
    with pytest.raises(ValueError, match="already"):
        world.add_body("Steve")


def test_scenarios_name_known_policies_and_units_of_both_arms() -> None:
    for name, scenario in SCENARIOS.items():
        assert scenario.name == name
        assert set(scenario.units.values()) <= set(POLICIES)
        assert scenario.offline <= set(scenario.units)
        assert len(scenario.units) in {6, 12}


def test_species_can_differ_by_unit() -> None:
    world = build_world(SCENARIOS["twelve"], 0)
    stats = counted(world)
    world.step(2_000)
    assert "birch_log" in ids(stats["UNI-13-2"], "mined")
    assert "oak_log" in ids(stats["UNI-13-1"], "mined")


def test_a_scenario_is_made_for_given_units() -> None:
    made = scenario_for(["a"], ["b"], treatment_policy="diversifier", control_policy="idle")
    assert made.units == {"a": "diversifier", "b": "idle"}
    mixed = scenario_for(["a"], ["b"], base=SCENARIOS["mixed_forest"])
    assert mixed.forest == SCENARIOS["mixed_forest"].forest
    with pytest.raises(KeyError):
        build_world(Scenario("x", "x", {"a": "no such policy"}), 0)


def test_stats_reach_the_scoreboard() -> None:
    world, scores = build_world(SCENARIOS["builders_vs_hoarders"], 1), Scoreboard()
    world.on_stat = scores.on_stat
    scores.add("mine_stone", "minecraft.mined:minecraft.stone")
    scores.add("place_table", "minecraft.used:minecraft.crafting_table")
    world.step(1_200)
    assert (scores.score("UNI-10-1", "mine_stone") or 0) > 0
    assert scores.score("UNI-11-1", "mine_stone") is None
    assert scores.score("UNI-11-1", "place_table") == 1
