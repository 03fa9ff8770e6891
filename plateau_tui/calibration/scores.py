"""What one run earned of a contract, and how well it did."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from plateau_tui.calibration.contract import Contract
from plateau_tui.calibration.evidence import Trajectory
from plateau_tui.calibration.frozenmap import FrozenMap
from plateau_tui.calibration.motion import Motion, motion_of


@dataclass(frozen=True, slots=True)
class Score:
    """How many of how many."""

    earned: int
    total: int

    def __str__(self) -> str:
        return f"{self.earned} of {self.total}"


@dataclass(frozen=True, slots=True)
class Played:
    """One run measured against one contract.

    ``first_pass`` maps each milestone earned to the inputs consumed when it first passed (0: the
    snapshot before any input), in the order of passing. Neither mapping can be changed.
    """

    name: str
    turns: int
    first_pass: Mapping[str, int]
    motion: Mapping[str, Motion]

    def __post_init__(self) -> None:
        object.__setattr__(self, "first_pass", FrozenMap(self.first_pass))
        object.__setattr__(self, "motion", FrozenMap(self.motion))

    @property
    def earned(self) -> frozenset[str]:
        """The milestones that the run earned."""
        return frozenset(self.first_pass)


def first_passes(contract: Contract, trajectory: Trajectory) -> dict[str, int]:
    """Return when each milestone first passed, in the order of passing.

    A milestone passes at the first snapshot where its check holds and all that it requires has
    passed before, or earlier in the contract's order at the same snapshot.
    """
    passed: dict[str, int] = {}
    open_ = list(contract.milestones)
    for after, shot in enumerate(trajectory.snapshots):
        for milestone in open_:
            if milestone.check.holds(shot) and all(r in passed for r in milestone.requires):
                passed[milestone.id] = after
        open_ = [m for m in open_ if m.id not in passed]
        if not open_:
            break
    return passed


def measure(name: str, contract: Contract, trajectory: Trajectory) -> Played:
    """Measure one run."""
    turns = len(trajectory.snapshots) - 1
    return Played(name, turns, first_passes(contract, trajectory), motion_of(trajectory))


def score_milestones(contract: Contract, earned: Collection[str]) -> Score:
    """Return how far a run got: all milestones count."""
    return _score(contract.ids, earned)


def score_achievements(
    contract: Contract, attrition: Collection[str], earned: Collection[str]
) -> Score:
    """Return how well a run did: attrition stands in neither the numerator nor the denominator."""
    return _score((i for i in contract.ids if i not in attrition), earned)


def _score(ids: Iterable[str], earned: Collection[str]) -> Score:
    counted = tuple(ids)
    return Score(sum(i in earned for i in counted), len(counted))
