"""Who does what in a simulated world."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from plateau_tui.sim.options import ServerOptions
from plateau_tui.sim.policies import IN_VILLAGE, POLICIES
from plateau_tui.sim.world import World

PLAIN_PAPER: Final = ServerOptions()
"""A Paper server without plugins."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One set-up of the world.

    `units`: policy by unit name, in the order of their homes. `forest`: species that stand near
    everybody; `forests` overrides it for single units. `offline`: units that do not log in.
    """

    name: str
    description: str
    units: Mapping[str, str]
    forest: tuple[str, ...] = ("oak",)
    forests: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    offline: frozenset[str] = frozenset()
    options: ServerOptions = PLAIN_PAPER


def build_world(scenario: Scenario, seed: int) -> World:
    """Build a scenario's world; raises KeyError for a policy that does not exist."""
    zones = {
        place: scenario.forests[unit]
        for place, unit in enumerate(scenario.units)
        if unit in scenario.forests
    }
    world = World(seed, scenario.forest, zones)
    for unit, policy in scenario.units.items():
        world.add_body(
            unit,
            POLICIES[policy](),
            village_table=policy in IN_VILLAGE,
            online=unit not in scenario.offline,
        )
    return world


def scenario_for(
    treatment: Iterable[str],
    control: Iterable[str],
    *,
    treatment_policy: str = "builder",
    control_policy: str = "hoarder",
    base: Scenario | None = None,
) -> Scenario:
    """Make a scenario for given unit names; forest and server options are those of `base`."""
    units = {
        **dict.fromkeys(treatment, treatment_policy),
        **dict.fromkeys(control, control_policy),
    }
    described = f"{treatment_policy} against {control_policy}, {len(units)} units"
    if base is not None:
        return replace(base, name="custom", description=described, units=units, offline=frozenset())
    return Scenario("custom", described, units)


def _arm(kin: int, size: int = 3) -> tuple[str, ...]:
    return tuple(f"UNI-{kin}-{place}" for place in range(1, size + 1))


_ALL: Final = (
    replace(
        scenario_for(_arm(10), _arm(11)),
        name="builders_vs_hoarders",
        description="three builders against three hoarders who place their own table",
    ),
    replace(
        scenario_for(_arm(10), _arm(11), treatment_policy="hoarder"),
        name="hoarders_vs_hoarders",
        description="nobody leaves the plateau: both arms hoard at tables of their own",
    ),
    replace(
        scenario_for(
            _arm(10), _arm(11), treatment_policy="builder", control_policy="village_hoarder"
        ),
        name="builders_vs_villagers",
        description="three builders against three hoarders at a village's table, who place nothing",
    ),
    Scenario(
        "mixed",
        "one of each kind",
        dict(
            zip(
                (*_arm(10), *_arm(11)),
                (
                    "builder",
                    "diversifier",
                    "wanderer",
                    "hoarder",
                    "village_hoarder",
                    "mixed_forest_hoarder",
                ),
                strict=True,
            )
        ),
        forest=("oak", "birch"),
    ),
    Scenario(
        "mixed_forest",
        "builders against hoarders who chop several kinds of log",
        {**dict.fromkeys(_arm(10), "builder"), **dict.fromkeys(_arm(11), "mixed_forest_hoarder")},
        forest=("oak", "birch", "spruce"),
    ),
    Scenario(
        "idle",
        "nobody does anything; the last unit of each arm is offline",
        dict.fromkeys((*_arm(10), *_arm(11)), "idle"),
        offline=frozenset({"UNI-10-3", "UNI-11-3"}),
    ),
    Scenario(
        "twelve",
        "six builders against six hoarders, in forests of different species",
        {**dict.fromkeys(_arm(12, 6), "builder"), **dict.fromkeys(_arm(13, 6), "hoarder")},
        forests={
            "UNI-12-2": ("birch",),
            "UNI-12-5": ("spruce",),
            "UNI-13-2": ("birch",),
            "UNI-13-5": ("spruce",),
        },
    ),
)

SCENARIOS: Final[Mapping[str, Scenario]] = MappingProxyType({each.name: each for each in _ALL})
"""Every scenario by its name."""

DEFAULT_SCENARIO: Final = "builders_vs_hoarders"
