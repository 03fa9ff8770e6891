"""Vanilla rules of 1.16.5, as far as the bodies need them: breaking, drops, recipes.

Bare ids throughout. Times are in ticks (20 a second).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

WOODS: Final = ("oak", "spruce", "birch", "jungle", "acacia", "dark_oak")
LOGS: Final = tuple(f"{wood}_log" for wood in WOODS)
PLANKS: Final = tuple(f"{wood}_planks" for wood in WOODS)
ANY_PLANKS: Final = "#planks"
"""Stands for planks of any species, mixed too, as the game's recipes take them."""

HARDNESS: Final[Mapping[str, float]] = {
    "grass_block": 0.6,
    "dirt": 0.5,
    "sand": 0.5,
    "gravel": 0.6,
    "stone": 1.5,
    "cobblestone": 2.0,
    "coal_ore": 3.0,
    "iron_ore": 3.0,
    "crafting_table": 2.5,
    **dict.fromkeys(LOGS, 2.0),
    **dict.fromkeys(PLANKS, 2.0),
}
"""Seconds-like hardness of every block that can be broken here; bedrock is not among them."""

DROPS: Final[Mapping[str, str]] = {
    "stone": "cobblestone",
    "grass_block": "dirt",
    "coal_ore": "coal",
}
"""What a block drops where that is not the block itself (flint from gravel is left out)."""

_PICKAXE_BLOCKS: Final = frozenset({"stone", "cobblestone", "coal_ore", "iron_ore"})
_AXE_BLOCKS: Final = frozenset({*LOGS, *PLANKS, "crafting_table"})
_TIER_NEEDED: Final[Mapping[str, int]] = {"iron_ore": 1}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: which blocks it speeds up, its tier (0 wood, 1 stone), speed and uses."""

    blocks: frozenset[str]
    tier: int
    speed: float
    uses: int


TOOLS: Final[Mapping[str, Tool]] = {
    "wooden_pickaxe": Tool(_PICKAXE_BLOCKS, 0, 2.0, 59),
    "stone_pickaxe": Tool(_PICKAXE_BLOCKS, 1, 4.0, 131),
    "wooden_axe": Tool(_AXE_BLOCKS, 0, 2.0, 59),
    "stone_axe": Tool(_AXE_BLOCKS, 1, 4.0, 131),
}


@dataclass(frozen=True, slots=True)
class Recipe:
    """What one crafting takes and makes; `table` where the 2x2 grid is too small."""

    needs: Mapping[str, int]
    makes: int
    table: bool


_HANDLE: Final = {"stick": 2}
RECIPES: Final[Mapping[str, Recipe]] = {
    **{f"{wood}_planks": Recipe({f"{wood}_log": 1}, 4, table=False) for wood in WOODS},
    "stick": Recipe({ANY_PLANKS: 2}, 4, table=False),
    "crafting_table": Recipe({ANY_PLANKS: 4}, 1, table=False),
    "wooden_pickaxe": Recipe({ANY_PLANKS: 3, **_HANDLE}, 1, table=True),
    "wooden_axe": Recipe({ANY_PLANKS: 3, **_HANDLE}, 1, table=True),
    "stone_pickaxe": Recipe({"cobblestone": 3, **_HANDLE}, 1, table=True),
    "stone_axe": Recipe({"cobblestone": 3, **_HANDLE}, 1, table=True),
}

PLACEABLE: Final = frozenset({
    "dirt", "sand", "gravel", "cobblestone", "crafting_table", "iron_ore", *LOGS, *PLANKS,
})  # fmt: skip
"""Items that are blocks, among those the bodies can own."""


def harvests(block: str, tool: str) -> bool:
    """Tell whether breaking with this in hand drops anything and is counted in `mined`.

    Server fact: stone and ores need a pickaxe (iron a stone one); wood and soil need nothing.
    """
    if block not in HARDNESS:
        return False
    if block not in _PICKAXE_BLOCKS:
        return True
    held = TOOLS.get(tool)
    return held is not None and block in held.blocks and held.tier >= _TIER_NEEDED.get(block, 0)


def breaking_ticks(block: str, tool: str) -> int:
    """Return the ticks it takes to break a block; raises KeyError for one that cannot be broken."""
    held = TOOLS.get(tool)
    speed = held.speed if held is not None and block in held.blocks else 1.0
    per_tick = speed / HARDNESS[block] / (30 if harvests(block, tool) else 100)
    return max(1, math.ceil(1 / per_tick - 1e-9))
