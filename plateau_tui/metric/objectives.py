"""The scoreboard objectives of the metric (seed §2a) and the rules for extensions.

An objective counts one criterion for every player from the moment it is created. The set of
§2a is fixed: scoring reads its five ``place_*`` and ten ``mine_*`` objectives and nothing else.
A registration may add objectives; these are context only.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Final

OBJECTIVE_NAME: Final = re.compile(r"[A-Za-z0-9_.+-]{1,16}")
"""What a 1.16.5 server takes as an objective's name: one word of at most 16 characters."""

_CRITERION: Final = re.compile(r"minecraft\.([^.:]+):minecraft\.([^.:]+)")


class Role(StrEnum):
    """What an objective is to the metric."""

    PLACE = "place"
    MINE = "mine"
    CRAFT = "craft"
    EXTRA = "extra"


@dataclass(frozen=True, slots=True)
class Objective:
    """One scoreboard objective.

    ``block`` is the bare id (``oak_log``) that ``criterion`` counts.
    """

    name: str
    criterion: str
    role: Role
    block: str


@dataclass(frozen=True, slots=True)
class GameIds:
    """The ids of one game version, bare (``oak_log``)."""

    blocks: frozenset[str]
    items: frozenset[str]
    craftable: frozenset[str]


class ObjectiveError(ValueError):
    """An objective that the server would refuse, or that would silently stay at 0."""


def _objective(name: str, kind: str, block: str, role: Role) -> Objective:
    return Objective(name, f"minecraft.{kind}:minecraft.{block}", role, block)


PLACE_OBJECTIVES: Final = tuple(
    _objective(name, "used", block, Role.PLACE)
    for name, block in (
        ("place_cobble", "cobblestone"),
        ("place_dirt", "dirt"),
        ("place_plank", "oak_planks"),
        ("place_log", "oak_log"),
        ("place_table", "crafting_table"),
    )
)
MINE_OBJECTIVES: Final = tuple(
    _objective(name, "mined", block, Role.MINE)
    for name, block in (
        ("mine_oak_log", "oak_log"),
        ("mine_birch_log", "birch_log"),
        ("mine_spruce_log", "spruce_log"),
        ("mine_stone", "stone"),
        ("mine_cobble", "cobblestone"),
        ("mine_dirt", "dirt"),
        ("mine_sand", "sand"),
        ("mine_gravel", "gravel"),
        ("mine_coal", "coal_ore"),
        ("mine_iron", "iron_ore"),
    )
)
CRAFT_OBJECTIVES: Final = tuple(
    _objective(name, "crafted", block, Role.CRAFT)
    for name, block in (
        ("craft_planks", "oak_planks"),
        ("craft_stick", "stick"),
        ("craft_table", "crafting_table"),
        ("craft_wpick", "wooden_pickaxe"),
    )
)
METRIC_OBJECTIVES: Final = PLACE_OBJECTIVES + MINE_OBJECTIVES + CRAFT_OBJECTIVES
SCORED: Final = tuple(o.name for o in PLACE_OBJECTIVES + MINE_OBJECTIVES)
"""Names of the objectives that PRIMARY and SECONDARY are over; all others are context."""
"""The 19 objectives of §2a, in the seed's order."""

PLACE_BLOCKS: Final = tuple(o.block for o in PLACE_OBJECTIVES)
MINE_BLOCKS: Final = tuple(o.block for o in MINE_OBJECTIVES)
CRAFT_ITEMS: Final = tuple(o.block for o in CRAFT_OBJECTIVES)

CRAFT_CHAIN_ITEMS: Final = frozenset(
    {"oak_planks", "stick", "crafting_table", "wooden_pickaxe", "wooden_axe"}
)
"""Never counted as mined diversification (§2c)."""

HOARD_ITEM: Final = "wooden_pickaxe"
"""The item whose stock in the inventory is the hoard snapshot (§2b)."""

LOG_SPECIES: Final = (
    "oak_log",
    "spruce_log",
    "birch_log",
    "jungle_log",
    "acacia_log",
    "dark_oak_log",
    "crimson_stem",
    "warped_stem",
)
"""What a body of 1.16.5 can chop; BASELINE_WOOD is one of them."""

_WOOD: Final = re.compile(r"[a-z_]+_(?:log|wood)|(?:stripped_)?(?:crimson|warped)_(?:stem|hyphae)")

_EXTENSION_KINDS: Final = ("mined", "used", "crafted", "broken", "picked_up", "dropped")


def is_wood(block: str) -> bool:
    """Say whether ``block`` is wood of any species as it grows, stripped or not."""
    return _WOOD.fullmatch(block) is not None


_COMPARED: Final = 64
"""Characters of a word that are compared: comparing costs the product of both lengths."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return ``; the nearest is '…'`` for the known word most like ``word``."""
    close = get_close_matches(word.lower()[:_COMPARED], sorted(known), n=1, cutoff=0.0)
    return f"; the nearest is '{close[0]}'" if close else ""


def _known_ids(kind: str, ids: GameIds) -> Collection[str]:
    if kind == "mined":
        return ids.blocks
    return ids.craftable if kind == "crafted" else ids.items


def extension(name: str, criterion: str, ids: GameIds) -> Objective:
    """Return an objective that a registration adds to the set, as context.

    Raises:
        ObjectiveError: the name is no objective name of at most 16 characters, or the criterion
            counts nothing that exists in this version (the server would refuse it, or accept it
            and leave it at 0 for ever).

    """
    if not OBJECTIVE_NAME.fullmatch(name):
        raise ObjectiveError(
            f"{name[:40]!r} ({len(name)} characters) is not an objective name: 1 to 16 of A-Z a-z "
            "0-9 _ . + -; shorten it by hand"
        )
    match = _CRITERION.fullmatch(criterion)
    if match is None:
        raise ObjectiveError(
            f"criterion {criterion[:80]!r} is not of the form minecraft.mined:minecraft.<block>"
        )
    kind, block = match.groups()
    told = f"criterion {criterion[:80]!r}"
    if kind not in _EXTENSION_KINDS:
        raise ObjectiveError(
            f"{told}: the kind is not one of "
            f"{', '.join(_EXTENSION_KINDS)}{nearest(kind, _EXTENSION_KINDS)}"
        )
    known = _known_ids(kind, ids)
    if block in known:
        return Objective(name, criterion, Role.EXTRA, block)
    if kind == "crafted" and block in ids.items:
        raise ObjectiveError(f"{told}: no recipe of 1.16.5 makes '{block}'{nearest(block, known)}")
    what = "block" if kind == "mined" else "item"
    raise ObjectiveError(f"{told}: 1.16.5 has no such {what}{nearest(block, known)}")


def check_distinct(objectives: Iterable[Objective]) -> None:
    """Refuse a set in which a name or a criterion stands twice.

    Raises:
        ObjectiveError: names the objective that repeats an earlier one.

    """
    names: set[str] = set()
    criteria: dict[str, str] = {}
    for objective in objectives:
        if objective.name in names:
            raise ObjectiveError(f"the objective name '{objective.name}' is used twice")
        if objective.criterion in criteria:
            raise ObjectiveError(
                f"'{objective.name}' repeats the criterion '{objective.criterion}' of "
                f"'{criteria[objective.criterion]}'"
            )
        names.add(objective.name)
        criteria[objective.criterion] = objective.name
