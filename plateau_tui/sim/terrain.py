"""The ground: an endless grid of columns, made on first sight from the seed alone.

Simplifications, all of them outside what the counters measure: a column is dug and built on at
its top only; heights never keep a body from walking or reaching; a felled tree grows again after
`REGROWTH` ticks, so that no wood runs out.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from plateau_tui.sim.rules import LOGS

REGROWTH: Final = 2400
"""Ticks until a felled tree stands again: two minutes of game time."""
REACH: Final = 4
"""Blocks, in both directions of the grid, within which a body breaks, places and crafts."""
ZONE: Final = 96
"""Blocks along x that belong to one body's home, so that no body lives off another's ground."""
SIGHT: Final = 32
"""Blocks within which a body finds what it looks for."""

_REGION: Final = 4
_LATTICE: Final = ("forest", "meadow", "forest", "sand", "forest", "gravel", "forest", "outcrop")
_RINGS: Final = tuple(
    sorted(
        ((dx, dz) for dx in range(-SIGHT, SIGHT + 1) for dz in range(-SIGHT, SIGHT + 1)),
        key=lambda d: (max(abs(d[0]), abs(d[1])), abs(d[0]) + abs(d[1]), d),
    )
)
_REACHABLE: Final = (2 * REACH + 1) ** 2
_MASK: Final = 0xFFFFFFFF

Cell = tuple[int, int]


def _mix(*parts: int) -> int:
    """Hash whole numbers to 32 bits, the same on every machine and in every process."""
    value = 0x9E3779B9
    for part in parts:
        value = ((value ^ (part & _MASK)) * 0x85EBCA6B) & _MASK
        value ^= value >> 13
        value = (value * 0xC2B2AE35) & _MASK
        value ^= value >> 16
    return value


class Terrain:
    """The columns of the world and what grows on them.

    `forest` names the species (`oak`, `birch` …) that stand in every forest in turn;
    `by_zone` overrides it for single zones (`x // ZONE`).
    """

    def __init__(
        self,
        seed: int,
        forest: Sequence[str] = ("oak",),
        by_zone: Mapping[int, Sequence[str]] | None = None,
    ) -> None:
        self._seed = seed
        self._forest = tuple(forest)
        self._by_zone = dict(by_zone or {})
        self._columns: dict[Cell, list[str]] = {}
        self._felled: deque[tuple[int, Cell]] = deque()

    def column(self, cell: Cell) -> list[str]:
        """Return a column's blocks, bottom to top; it is the terrain's own list."""
        found = self._columns.get(cell)
        if found is None:
            found = self._columns[cell] = self._made(cell)
        return found

    def top(self, cell: Cell) -> str:
        """Return the block on top of a column."""
        return self.column(cell)[-1]

    def take(self, cell: Cell, now: int) -> str:
        """Remove a column's top block and return it; a felled tree is due to grow again."""
        column = self.column(cell)
        block = column.pop()
        if block in LOGS and column[-1] not in LOGS and self._kind(cell) == "forest":
            self._felled.append((now + REGROWTH, cell))
        return block

    def put(self, cell: Cell, block: str) -> None:
        """Set a block on top of a column."""
        self.column(cell).append(block)

    def grow(self, now: int) -> None:
        """Let the trees that are due stand again, unless something was built in their place."""
        while self._felled and self._felled[0][0] <= now:
            _, cell = self._felled.popleft()
            if self.top(cell) in {"grass_block", "dirt"}:
                self.column(cell).extend(self._tree(cell))

    def nearest(self, centre: Cell, wanted: Iterable[str], within: int = SIGHT) -> Cell | None:
        """Return the nearest column with such a block on top, or None within that many blocks."""
        blocks, (x, z), seen = frozenset(wanted), centre, self._columns
        for dx, dz in _RINGS[: (2 * within + 1) ** 2]:
            cell = (x + dx, z + dz)
            if (seen.get(cell) or self.column(cell))[-1] in blocks:
                return cell
        return None

    def reachable(self, centre: Cell) -> list[Cell]:
        """Return every cell within a body's reach, nearest first, its own among them."""
        x, z = centre
        return [(x + dx, z + dz) for dx, dz in _RINGS[:_REACHABLE]]

    def _kind(self, cell: Cell) -> str:
        # A row of eight regions holds every kind, so nobody lives far from any of them.
        along, across = cell[0] // _REGION, cell[1] // _REGION
        return _LATTICE[(along + 3 * across + self._seed) % len(_LATTICE)]

    def _tree(self, cell: Cell) -> list[str]:
        woods = tuple(self._by_zone.get(cell[0] // ZONE, self._forest))
        along, across = cell[0] // _REGION, cell[1] // _REGION
        forest = ((along + 3 * across + self._seed) % len(_LATTICE)) // 2
        height = 4 + _mix(self._seed, cell[0], cell[1], 1) % 3
        return [f"{woods[forest % len(woods)]}_log"] * height

    def _made(self, cell: Cell) -> list[str]:
        kind, chance = self._kind(cell), _mix(self._seed, *cell)
        rock = ["bedrock", *["stone"] * 40]
        if kind == "outcrop":
            seam = {0: "coal_ore", 1: "iron_ore"}.get(chance % 5)
            return [*rock, seam] if seam else rock
        if kind in {"sand", "gravel"}:
            return [*rock, *[kind] * 4]
        soil = [*rock, *["dirt"] * 3, "grass_block"]
        if kind == "forest" and chance % 4 == 0:
            return soil + self._tree(cell)
        return soil
