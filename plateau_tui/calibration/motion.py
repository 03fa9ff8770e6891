"""How the numbers moved, and what was therefore lost rather than made (seed, "What changed", A).

The sentence that this is: "calls a milestone attrition when three measured statements hold: its
check reads a numeric channel; that channel never rose and fell at least once, over every snapshot
of every trajectory; and the check does not hold at the initial value of that channel. Attrition
propagates through requires." The initial value is that of the snapshot before any input. Where
it was not read nothing holds, for a check never holds at an unknown number, whatever the number
was once it could be read. No channel's name is looked at.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from plateau_tui.calibration.contract import Contract, Milestone, NumberCheck
from plateau_tui.calibration.evidence import Number, Trajectory


@dataclass(frozen=True, slots=True)
class Motion:
    """What one channel did, over one trajectory or many.

    ``rises`` and ``falls`` count the steps between known values that stand next to each other
    when unknown ones are left out: a gap itself is no motion. ``initials`` are the distinct
    values before any input, in order; a trajectory in which it was not read then adds none.
    ``samples`` counts known values.
    """

    rises: int
    falls: int
    low: int
    high: int
    initials: tuple[int, ...]
    samples: int

    @property
    def only_falls(self) -> bool:
        """The channel never rose, and fell at least once."""
        return self.rises == 0 and self.falls > 0

    def joined(self, other: "Motion") -> "Motion":
        """Return the motion over both; the order does not matter."""
        return Motion(
            self.rises + other.rises,
            self.falls + other.falls,
            min(self.low, other.low),
            max(self.high, other.high),
            tuple(sorted({*self.initials, *other.initials})),
            self.samples + other.samples,
        )


Motions = Mapping[str, Motion]
"""Motion by channel; a channel without a known value is not in it."""


def motion_of(trajectory: Trajectory) -> dict[str, Motion]:
    """Return how every numeric channel moved in one trajectory, by channel's name."""
    values: dict[str, list[int]] = {}
    for shot in trajectory.snapshots:
        for channel, value in shot.numbers.items():
            if value is not None:
                values.setdefault(channel, []).append(value)
    before = trajectory.snapshots[0].numbers
    return {
        channel: _motion(known, before.get(channel)) for channel, known in sorted(values.items())
    }


def _motion(known: list[int], initial: Number) -> Motion:
    steps = [after - before for before, after in pairwise(known)]
    return Motion(
        rises=sum(step > 0 for step in steps),
        falls=sum(step < 0 for step in steps),
        low=min(known),
        high=max(known),
        initials=() if initial is None else (initial,),
        samples=len(known),
    )


def joined_motion(parts: Iterable[Motions]) -> dict[str, Motion]:
    """Return the motion over all trajectories; their order does not matter."""
    total: dict[str, Motion] = {}
    for part in parts:
        for channel, motion in part.items():
            total[channel] = motion.joined(total[channel]) if channel in total else motion
    return dict(sorted(total.items()))


def attrition(contract: Contract, motions: Motions) -> tuple[str, ...]:
    """Return the milestones that are attrition, in the contract's order."""
    return contract.tainted({m.id for m in contract.milestones if is_lost(m, motions)})


def is_lost(milestone: Milestone, motions: Motions) -> bool:
    """Say whether the three statements hold of this milestone itself, whatever it requires."""
    check = milestone.check
    if not isinstance(check, NumberCheck):
        return False
    motion = motions.get(check.channel)
    if motion is None or not motion.only_falls:
        return False
    return not any(check.holds_for(value) for value in motion.initials)


def unmeasured(contract: Contract, motions: Motions) -> tuple[str, ...]:
    """Return the milestones that no numeric channel speaks for, in the contract's order."""
    return tuple(
        m.id
        for m in contract.milestones
        if not isinstance(m.check, NumberCheck) or m.check.channel not in motions
    )
