"""Policies: what a body does next. Each acts through legal actions only.

A policy is made once per body, by its name in `POLICIES`, and keeps what it remembers itself.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from plateau_tui.sim.bodies import Action, Body, Craft, Mine, Place, Wait, Walk
from plateau_tui.sim.rules import (
    ANY_PLANKS,
    HARDNESS,
    LOGS,
    PLACEABLE,
    RECIPES,
    TOOLS,
    harvests,
)
from plateau_tui.sim.terrain import Cell
from plateau_tui.sim.world import Policy

LOAD: Final = 6
"""Logs a hoarder carries home before it crafts."""
WANDER: Final = 8
"""Blocks, at most, of one stroll of the wanderer."""

_KEPT_FREE: Final = frozenset({*LOGS, "crafting_table"})
"""Tops that nobody builds on: a tree could not be felled, nor a table used, any more."""


def best_tool(body: Body, block: str) -> str:
    """Return the tool of the body's own that breaks a block fastest, or "" for the bare hand."""
    fit = [tool for tool in TOOLS if body.count(tool) and block in TOOLS[tool].blocks]
    return max(fit, key=lambda tool: TOOLS[tool].speed, default="")


def fetch(body: Body, wanted: Iterable[str]) -> Action:
    """Break the nearest such block, or walk towards it; wait where none is in sight."""
    cell = body.terrain.nearest(body.cell, wanted)
    if cell is None:
        return Wait(20)
    if not body.in_reach(cell):
        return Walk(cell)
    return Mine(cell, best_tool(body, body.terrain.top(cell)))


def building_site(body: Body, home: Cell) -> Action | Cell:
    """Return the lowest free column around a home, or the walk to it."""
    if max(abs(body.cell[0] - home[0]), abs(body.cell[1] - home[1])) > 1:
        return Walk(home)
    free = [
        cell
        for cell in body.terrain.reachable(body.cell)
        if cell != home and body.terrain.top(cell) not in _KEPT_FREE
    ]
    return min(free, key=lambda cell: len(body.terrain.column(cell)), default=home)


def timber(body: Body, planks: int) -> Action | None:
    """Return the next step towards so many planks, or None when the body has them."""
    if body.count(ANY_PLANKS) >= planks:
        return None
    for log in LOGS:
        if body.count(log):
            return Craft(log.removesuffix("_log") + "_planks")
    return fetch(body, LOGS)


class _Workshop:
    """Where a body crafts: at the table of its village, or at one it places itself, once."""

    def __init__(self, *, village: bool) -> None:
        self._village = village
        self.table: Cell | None = None

    def settle(self, body: Body) -> Action | None:
        """Return the next step towards having a table, or None when there is one."""
        if self._village and self.table is None:
            self.table = body.terrain.nearest(body.cell, ("crafting_table",))
        if self.table is not None and body.terrain.top(self.table) == "crafting_table":
            return None
        if body.count("crafting_table"):
            site = building_site(body, body.cell)
            if isinstance(site, tuple):
                self.table = site
                return Place(site, "crafting_table")
            return site
        return timber(body, 4) or Craft("crafting_table")

    def craft(self, body: Body, item: str) -> Action | None:
        """Return the step that crafts a tool, or None when something is missing for it."""
        if self.table is None:
            return None
        needs = RECIPES[item].needs
        if any(body.count(need) < amount for need, amount in needs.items()):
            return None
        return Craft(item) if body.in_reach(self.table) else Walk(self.table)

    def tool(self, body: Body, item: str) -> Action:
        """Return the next step towards a tool, wood and sticks included."""
        needs = RECIPES[item].needs
        for need, amount in needs.items():
            if need == "cobblestone" and body.count(need) < amount:
                return fetch(body, ("stone",))
        if body.count("stick") < needs.get("stick", 0):
            return timber(body, 2 + needs.get(ANY_PLANKS, 0)) or Craft("stick")
        return timber(body, needs.get(ANY_PLANKS, 0)) or self.craft(body, item) or Wait(20)


class Hoarder:
    """Chops wood and crafts wooden pickaxes for ever, at a table; nothing else.

    `species` is how many kinds of log it hoards from, as far as its forest has them.
    """

    def __init__(self, *, village: bool = False, species: int = 1) -> None:
        self._shop = _Workshop(village=village)
        self._species = species
        self._woods: list[str] = []
        self._chopped: dict[str, int] = {}
        self._crafting = False

    def __call__(self, body: Body) -> Action:
        """Choose the next action."""
        step = self._shop.settle(body)
        if step is not None:
            return self._noted(body, step)
        logs = sum(body.count(log) for log in LOGS)
        if logs >= LOAD:
            self._crafting = True
        if not self._crafting:
            return self._noted(body, self._chop(body))
        done = self._shop.craft(body, "wooden_pickaxe")
        if done is not None:
            return done
        if logs or body.count(ANY_PLANKS) >= RECIPES["wooden_pickaxe"].needs[ANY_PLANKS]:
            return self._shop.tool(body, "wooden_pickaxe")
        self._crafting = False
        return self._chop(body)

    def _chop(self, body: Body) -> Action:
        if not self._woods:
            self._woods = self._in_sight(body)
        rarest = min(self._woods, key=lambda log: self._chopped.get(log, 0), default="")
        return fetch(body, (rarest,)) if rarest else Wait(20)

    def _in_sight(self, body: Body) -> list[str]:
        found = {log: body.terrain.nearest(body.cell, (log,)) for log in LOGS}
        x, z = body.cell
        far = {
            log: max(abs(cell[0] - x), abs(cell[1] - z))
            for log, cell in found.items()
            if cell is not None
        }
        return sorted(far, key=lambda log: far[log])[: self._species]

    def _noted(self, body: Body, step: Action) -> Action:
        if isinstance(step, Mine):
            log = body.terrain.top(step.cell)
            self._chopped[log] = self._chopped.get(log, 0) + 1
        return step


class Builder:
    """Gathers, makes tools at its own table, quarries, digs, and builds with what it has."""

    _ROUND: Final = (
        ("mine", "stone"), ("mine", "stone"), ("mine", "grass_block"), ("mine", "stone"),
        ("mine", "sand"), ("place", "cobblestone"), ("place", "dirt"), ("mine", "gravel"),
        ("mine", "log"), ("place", "planks"), ("mine", "coal_ore"), ("place", "cobblestone"),
        ("mine", "dirt"), ("mine", "stone"), ("mine", "iron_ore"), ("place", "sand"),
    )  # fmt: skip

    def __init__(self) -> None:
        self._shop = _Workshop(village=False)
        self._next = 0

    def __call__(self, body: Body) -> Action:
        """Choose the next action."""
        step = self._shop.settle(body) or self._equip(body)
        if step is not None:
            return step
        for _ in self._ROUND:
            verb, what = self._ROUND[self._next % len(self._ROUND)]
            step = self._mine(body, what) if verb == "mine" else self._place(body, what)
            if step is None or not isinstance(step, Walk):
                self._next += 1
            if step is not None:
                return step
        return Wait(20)

    def _equip(self, body: Body) -> Action | None:
        if body.count("wooden_pickaxe") or body.count("stone_pickaxe"):
            upgrade = self._next >= len(self._ROUND) and not body.count("stone_pickaxe")
            return self._shop.tool(body, "stone_pickaxe") if upgrade else None
        return self._shop.tool(body, "wooden_pickaxe")

    def _mine(self, body: Body, what: str) -> Action | None:
        if what == "log":
            return fetch(body, LOGS)
        if not harvests(what, best_tool(body, what)):
            return None
        step = fetch(body, (what,))
        return None if isinstance(step, Wait) else step

    def _place(self, body: Body, what: str) -> Action | None:
        if what == "planks":
            have = next((item for item in body.inventory if item.endswith("_planks")), "")
            if not have:
                return timber(body, 1)
        else:
            have = what if body.count(what) else ""
        if not have or self._shop.table is None:
            return None
        site = building_site(body, self._shop.table)
        return Place(site, have) if isinstance(site, tuple) else site


class Diversifier:
    """Breaks many kinds of block and never places one; its pickaxe is from a village's table."""

    _BY_HAND: Final = ("sand", "gravel", "grass_block", "dirt")
    _BY_PICK: Final = ("stone", "coal_ore")

    def __init__(self) -> None:
        self._shop = _Workshop(village=True)
        self._turn = 0

    def __call__(self, body: Body) -> Action:
        """Choose the next action."""
        if self._turn >= len(self._BY_HAND) and not body.count("wooden_pickaxe"):
            if self._village(body):
                return self._shop.tool(body, "wooden_pickaxe")
            return self._next(body, self._BY_HAND)
        return self._next(body, self._BY_HAND + self._BY_PICK)

    def _village(self, body: Body) -> bool:
        if self._shop.table is None:
            self._shop.table = body.terrain.nearest(body.cell, ("crafting_table",))
        return self._shop.table is not None

    def _next(self, body: Body, kinds: tuple[str, ...]) -> Action:
        step = fetch(body, (kinds[self._turn % len(kinds)],))
        if not isinstance(step, Walk):
            self._turn += 1
        return step


class Wanderer:
    """Strolls, and does random legal things; its luck is the body's own, from the seed."""

    def __call__(self, body: Body) -> Action:
        """Choose the next action."""
        choice = body.rng.choice(("walk", "mine", "mine", "place", "craft"))
        if choice == "mine":
            cell = body.rng.choice(body.terrain.reachable(body.cell))
            tools = ["", *(tool for tool in TOOLS if body.count(tool))]
            if body.terrain.top(cell) in HARDNESS:
                return Mine(cell, body.rng.choice(tools))
        if choice == "place":
            owned = sorted(PLACEABLE.intersection(body.inventory))
            if owned:
                cell = body.rng.choice(body.terrain.reachable(body.cell))
                return Place(cell, body.rng.choice(owned))
        if choice == "craft":
            ready = [item for item in RECIPES if body.can_craft(item)]
            if ready:
                return Craft(body.rng.choice(ready))
        x, z = body.cell
        return Walk((x + body.rng.randint(-WANDER, WANDER), z + body.rng.randint(-WANDER, WANDER)))


def _idle(_body: Body) -> Action:
    return Wait(100)


POLICIES: Final[Mapping[str, Callable[[], Policy]]] = {
    "hoarder": Hoarder,
    "village_hoarder": lambda: Hoarder(village=True),
    "mixed_forest_hoarder": lambda: Hoarder(species=2),
    "builder": Builder,
    "diversifier": Diversifier,
    "idle": lambda: _idle,
    "wanderer": Wanderer,
}
"""Makes a fresh policy for one body, by the policy's name."""

IN_VILLAGE: Final = frozenset({"village_hoarder", "diversifier"})
"""Policies whose body lives where a crafting table already stands."""
