"""One body on the plateau: what the server answers about it, and what it says of itself.

The ground, the rules and the words are those of ``sim``; PRIMARY, SECONDARY and plateau_break are
computed by ``metric.scoring`` and by nothing else.
"""

from dataclasses import dataclass
from typing import Final

from plateau_tui.calibration.evidence import Number, Snapshot, snapshot
from plateau_tui.metric.objectives import (
    HOARD_ITEM,
    METRIC_OBJECTIVES,
    MINE_OBJECTIVES,
    PLACE_OBJECTIVES,
)
from plateau_tui.metric.pinning import WoodGrowth, suggested_wood
from plateau_tui.metric.scoring import PlaceReading, Score, WoodReading, score
from plateau_tui.sim.bodies import Body
from plateau_tui.sim.rules import LOGS, TOOLS
from plateau_tui.sim.scoreboard import Scoreboard
from plateau_tui.sim.words import Puppet
from plateau_tui.sim.world import World

GOAL_WOOD: Final = 8
GOAL_TOOLS: Final = 1
_UNIT: Final = "UNI-10-1"


@dataclass(frozen=True, slots=True)
class Ground:
    """Where the body lives: the species of its forest; whether a table stands at its home."""

    forest: tuple[str, ...] = ("oak",)
    table: bool = False


def phase_goal_met(wood: int, tools: int) -> bool:
    """Say whether the old gate is met (metric seed, head): wood >= 8 and tools >= 1."""
    return wood >= GOAL_WOOD and tools >= GOAL_TOOLS


class PlateauWorld:
    """A world with one body that is played by words.

    Published, all in the engine's group: the 19 counters of §2a by objective, as ``scoreboard
    players get`` answers ("none is set" is 0); ``pickaxe_hoard`` as ``clear … 0`` counts it; the
    body's own report, ``inv.wood`` (logs held) and ``inv.tools``; what ``metric.scoring`` makes of
    the counters; ``phase_goal_3``, what the old gate makes of the report. A flag is 0 or 1, and
    unknown where its score is: SECONDARY until a log counter has moved.

    BASELINE_WOOD is pinned as at a first poll (§2a): the species whose counter moves first.
    """

    def __init__(self, ground: Ground, wood: WoodReading, place: PlaceReading) -> None:
        self._ground, self._wood, self._place = ground, wood, place
        self._begin(0)

    def _begin(self, seed: int) -> None:
        world = World(seed, self._ground.forest)
        self._body: Body = world.add_body(_UNIT, village_table=self._ground.table, online=False)
        self._puppet = Puppet(world, self._body)
        self._scoreboard = Scoreboard()
        for objective in METRIC_OBJECTIVES:
            self._scoreboard.add(objective.name, objective.criterion)
        world.on_stat = self._scoreboard.on_stat
        self._growth = WoodGrowth.empty()
        self._pin: str | None = None

    def start(self, seed: int) -> Snapshot:
        """Make the world of a seed anew."""
        self._begin(seed)
        return self._look()

    def step(self, word: str) -> Snapshot:
        """Play one word."""
        self._puppet.play(word)
        return self._look()

    def close(self) -> None:
        """Nothing is held."""

    def _look(self) -> Snapshot:
        counts: dict[str, Number] = {
            o.name: self._scoreboard.score(_UNIT, o.name) or 0 for o in METRIC_OBJECTIVES
        }
        mined = {o.block: counts[o.name] for o in MINE_OBJECTIVES}
        self._growth.add(mined)
        self._pin = self._pin or suggested_wood(self._growth.evidence())
        found = score(
            {o.block: counts[o.name] for o in PLACE_OBJECTIVES},
            mined,
            self._pin,
            wood=self._wood,
            place=self._place,
        )
        return snapshot(counts | _derived(found) | self._inventory())

    def _inventory(self) -> dict[str, Number]:
        wood = sum(self._body.count(log) for log in LOGS)
        tools = sum(self._body.count(tool) for tool in TOOLS)
        return {
            "pickaxe_hoard": self._body.count(HOARD_ITEM),
            "inv.wood": wood,
            "inv.tools": tools,
            "phase_goal_3": int(phase_goal_met(wood, tools)),
        }


def _derived(found: Score) -> dict[str, Number]:
    published = {
        "primary": found.primary,
        "secondary": found.secondary,
        "plateau_break": found.plateau_break,
        "placed_used_total": found.placed_used_total,
        "distinct_mined_beyond": found.distinct_mined_beyond,
    }
    return {name: None if value is None else int(value) for name, value in published.items()}
