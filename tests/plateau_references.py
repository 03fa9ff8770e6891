"""The references of the plateau targets: one play of a builder, held against five contracts."""

from typing import Final

BUILDER: Final = [
    # A table of its own, two pickaxes at it.
    *["chop_oak"] * 4, *["craft_planks"] * 3, "craft_table", "place_table",
    "craft_sticks", "craft_pickaxe", "craft_pickaxe",
    # The next material, and something built with it.
    *["mine_stone"] * 3, *["mine_dirt"] * 2, "place_cobblestone", "place_dirt",
    # As much wood as the old gate asks for; some of it is built with, a pickaxe too many goes.
    *["chop_oak"] * 7, "place_log", "craft_planks", "place_planks", "drop_pickaxe",
]  # fmt: skip

AS_WRITTEN: Final = (
    "The metric is fixed as §2c is written (SR-1), and a hoarder of a mixed forest at its own "
    "table reaches both halves of it: the verdict discloses that, and the stricter readings that "
    "a registration may name close it."
)

_SOURCE: Final = "a builder: it makes pickaxes, quarries, digs and builds"


def _reaches(name: str, bound: int = 1, **more: object) -> dict[str, object]:
    """Return a rule that opens, and checks for, a number of at least ``bound``."""
    at = {"variable": name, "op": ">=", "trigger": bound, "value": bound}
    return {"tier": "engine-state", **at, **more}


_HALVES: Final = [
    {"id": "primary", **_reaches("primary")},
    {"id": "secondary", **_reaches("secondary")},
    {"id": "plateau-break", **_reaches("plateau_break", requires=["primary", "secondary"])},
]
_OLD_GATE: Final = [
    {"id": "wood-8", **_reaches("inv.wood", 8)},
    {"id": "tool-1", **_reaches("inv.tools")},
    {"id": "phase-goal-3", **_reaches("phase_goal_3", requires=["wood-8", "tool-1"])},
]

Parts = tuple[list[str], list[dict[str, object]], str, dict[str, object]]

PLATEAU: Final[dict[str, Parts]] = {
    "plateau-break": (BUILDER, _HALVES, _SOURCE, {"non_separating": AS_WRITTEN}),
    "plateau-break-beyond-table": (BUILDER, _HALVES, _SOURCE, {}),
    "plateau-break-all-logs": (BUILDER, _HALVES, _SOURCE, {}),
    "plateau-break-strict": (BUILDER, _HALVES, _SOURCE, {}),
    "phase-goal-3": (BUILDER, _OLD_GATE, _SOURCE, {}),
}
"""Inputs, rules, source and declarations by target."""
