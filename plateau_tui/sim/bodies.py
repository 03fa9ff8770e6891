"""Bodies: a position, an inventory, a hand, and the few things a body can do by vanilla rules.

A body moves counters only through its actions; an action that is not legal when it ends (nothing
to craft from, no table in reach, the block is gone) does and counts nothing.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from plateau_tui.sim.rules import (
    ANY_PLANKS,
    DROPS,
    HARDNESS,
    PLACEABLE,
    PLANKS,
    RECIPES,
    TOOLS,
    breaking_ticks,
    harvests,
)
from plateau_tui.sim.terrain import REACH, Cell, Terrain

WALK_TICKS = 5
"""Ticks a block: 4.3 m/s, rounded."""
CRAFT_TICKS = 10
PLACE_TICKS = 6
DROP_TICKS = 1

StatSink = Callable[[str, str, str, int], None]
"""Takes (kind, bare id, player, amount): `("mined", "stone", "UNI-10-1", 1)`."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing for some ticks."""

    ticks: int


@dataclass(frozen=True, slots=True)
class Walk:
    """Go to a column."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Mine:
    """Break a column's top block, with a tool of one's own or by hand (`""`)."""

    cell: Cell
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Set a block on top of a column."""

    cell: Cell
    item: str


@dataclass(frozen=True, slots=True)
class Craft:
    """Craft one batch: in the 2x2 grid, or at a placed table in reach where the recipe needs it."""

    item: str


@dataclass(frozen=True, slots=True)
class Drop:
    """Throw one item away; it lies where nobody picks it up again."""

    item: str


Action = Wait | Walk | Mine | Place | Craft | Drop


@dataclass(slots=True)
class Body:
    """A player's body. `rng` is its own, so that what one does never changes another's luck."""

    name: str
    cell: Cell
    terrain: Terrain
    emit: StatSink
    rng: random.Random
    inventory: dict[str, int] = field(default_factory=dict)
    hand: str = ""
    wear: dict[str, int] = field(default_factory=dict)

    def count(self, item: str) -> int:
        """Return how many of an item it owns; `#planks` counts planks of every species."""
        if item == ANY_PLANKS:
            return sum(self.inventory.get(each, 0) for each in PLANKS)
        return self.inventory.get(item, 0)

    def give(self, item: str, amount: int = 1) -> None:
        """Add items to the inventory (slots are not modelled: it holds any number)."""
        self.inventory[item] = self.inventory.get(item, 0) + amount

    def take(self, item: str, amount: int) -> int:
        """Remove up to so many of an item and return how many were there to remove."""
        removed = 0
        for each in PLANKS if item == ANY_PLANKS else (item,):
            part = min(self.inventory.get(each, 0), amount - removed)
            if part:
                removed += part
                self.inventory[each] -= part
                if not self.inventory[each]:
                    del self.inventory[each]
        return removed

    def in_reach(self, cell: Cell) -> bool:
        """Tell whether it can touch a column from where it stands."""
        return max(abs(cell[0] - self.cell[0]), abs(cell[1] - self.cell[1])) <= REACH

    def table_in_reach(self) -> bool:
        """Tell whether a placed crafting table, whoever placed it, is in reach."""
        return self.terrain.nearest(self.cell, ("crafting_table",), within=REACH) is not None

    def can_craft(self, item: str) -> bool:
        """Tell whether it has what the recipe takes, the table included."""
        recipe = RECIPES.get(item)
        if recipe is None:
            return False
        if any(self.count(need) < amount for need, amount in recipe.needs.items()):
            return False
        return not recipe.table or self.table_in_reach()

    def duration(self, action: Action) -> int:
        """Return the ticks an action takes, at least one."""
        match action:
            case Wait(ticks):
                return max(1, ticks)
            case Walk(cell):
                far = max(abs(cell[0] - self.cell[0]), abs(cell[1] - self.cell[1]))
                return max(1, WALK_TICKS * far)
            case Mine(cell, tool):
                block = self.terrain.top(cell)
                return breaking_ticks(block, tool) if block in HARDNESS else 1
            case Place():
                return PLACE_TICKS
            case Craft():
                return CRAFT_TICKS
            case Drop():
                return DROP_TICKS

    def perform(self, action: Action, now: int) -> bool:
        """Finish an action at tick `now`; False when it was not legal and nothing happened."""
        match action:
            case Wait():
                return True
            case Walk(cell):
                self.cell = cell
                return True
            case Mine(cell, tool):
                return self._mine(cell, tool, now)
            case Place(cell, item):
                return self._place(cell, item)
            case Craft(item):
                return self._craft(item)
            case Drop(item):
                return self._drop(item)

    def _mine(self, cell: Cell, tool: str, now: int) -> bool:
        if not self.in_reach(cell) or self.terrain.top(cell) not in HARDNESS:
            return False
        if tool and not self.count(tool):
            return False
        self.hand = tool
        block = self.terrain.take(cell, now)
        if tool in TOOLS:
            self._use_tool(tool)
        if harvests(block, tool):
            self.emit("mined", block, self.name, 1)
            drop = DROPS.get(block, block)
            self.give(drop)
            self.emit("picked_up", drop, self.name, 1)
        return True

    def _use_tool(self, tool: str) -> None:
        self.emit("used", tool, self.name, 1)
        self.wear[tool] = self.wear.get(tool, 0) + 1
        if self.wear[tool] >= TOOLS[tool].uses:
            self.wear[tool] = 0
            self.take(tool, 1)
            self.hand = ""
            self.emit("broken", tool, self.name, 1)

    def _place(self, cell: Cell, item: str) -> bool:
        if item not in PLACEABLE or not self.in_reach(cell) or not self.take(item, 1):
            return False
        self.hand = item
        self.terrain.put(cell, item)
        self.emit("used", item, self.name, 1)
        return True

    def _craft(self, item: str) -> bool:
        if not self.can_craft(item):
            return False
        recipe = RECIPES[item]
        for need, amount in recipe.needs.items():
            self.take(need, amount)
        self.give(item, recipe.makes)
        self.emit("crafted", item, self.name, recipe.makes)
        return True

    def _drop(self, item: str) -> bool:
        if not self.take(item, 1):
            return False
        self.emit("dropped", item, self.name, 1)
        return True
