"""A body that is played by words: each does one thing by vanilla rules, or nothing.

A word first walks to what it needs, then breaks, places, crafts or drops once. Where that is not
legal (nothing to craft from, no table in sight, no such block) nothing happens and nothing is
counted.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from plateau_tui.sim.bodies import Action, Body, Craft, Drop, Place, Wait, Walk
from plateau_tui.sim.policies import building_site, fetch
from plateau_tui.sim.rules import LOGS, PLANKS, RECIPES
from plateau_tui.sim.world import World

_WAIT_TICKS: Final = 20

Plan = Callable[[Body], Iterator[Action]]
"""Yields the actions of a word; each is done before the next is chosen."""


class Puppet:
    """Plays words with one body of a world; time passes as the actions take it."""

    def __init__(self, world: World, body: Body) -> None:
        self._world, self._body = world, body

    def play(self, word: str) -> None:
        """Do what a word says; a word that is none does nothing and takes no time."""
        plan = _PLANS.get(word)
        if plan is None:
            return
        for action in plan(self._body):
            self._world.step(self._body.duration(action))
            self._world.terrain.grow(self._world.now)
            self._body.perform(action, self._world.now)


def _wait(_body: Body) -> Iterator[Action]:
    yield Wait(_WAIT_TICKS)


def _break(blocks: tuple[str, ...], body: Body) -> Iterator[Action]:
    """Break the nearest such block with what fits it best: a tool of one's own, or the hand."""
    step = fetch(body, blocks)
    yield step
    if isinstance(step, Walk):
        yield fetch(body, blocks)


def _craft(items: tuple[str, ...], body: Body) -> Iterator[Action]:
    """Craft the first of the items that there is enough for, at the nearest table if need be."""
    for item in items:
        recipe = RECIPES[item]
        if any(body.count(need) < amount for need, amount in recipe.needs.items()):
            continue
        if recipe.table and not body.table_in_reach():
            table = body.terrain.nearest(body.cell, ("crafting_table",))
            if table is None:
                return
            yield Walk(table)
        yield Craft(item)
        return


def _place(items: tuple[str, ...], body: Body) -> Iterator[Action]:
    """Place the first of the items that the body has, on the lowest free column in reach."""
    site = building_site(body, body.cell)
    item = next((each for each in items if body.count(each)), None)
    if item is not None and isinstance(site, tuple):
        yield Place(site, item)


def _drop(item: str, _body: Body) -> Iterator[Action]:
    yield Drop(item)


_PLANS: Final[Mapping[str, Plan]] = {
    "wait": _wait,
    "chop_oak": partial(_break, ("oak_log",)),
    "chop_birch": partial(_break, ("birch_log",)),
    "chop_spruce": partial(_break, ("spruce_log",)),
    "craft_planks": partial(_craft, PLANKS),
    "craft_sticks": partial(_craft, ("stick",)),
    "craft_table": partial(_craft, ("crafting_table",)),
    "place_table": partial(_place, ("crafting_table",)),
    "craft_pickaxe": partial(_craft, ("wooden_pickaxe",)),
    "mine_dirt": partial(_break, ("dirt", "grass_block")),
    "mine_stone": partial(_break, ("stone",)),
    "place_dirt": partial(_place, ("dirt",)),
    "place_cobblestone": partial(_place, ("cobblestone",)),
    "place_planks": partial(_place, PLANKS),
    "place_log": partial(_place, LOGS),
    "drop_pickaxe": partial(_drop, "wooden_pickaxe"),
    "mine_sand": partial(_break, ("sand",)),
    "mine_gravel": partial(_break, ("gravel",)),
}

WORDS: Final = tuple(_PLANS)
"""All words, in their order."""
