"""How the numbers moved, and what was therefore lost rather than made (seed, "What changed", A).

A milestone is attrition when three measured statements hold: its check reads a numeric channel;
that channel never rose and fell at least once, over every snapshot of every trajectory; and the
check does not hold at the channel's initial value. Attrition propagates through ``requires``.
No channel's name is looked at.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from plateau_tui.calibration.contract import Contract, NumberCheck
from plateau_tui.calibration.evidence import Trajectory


@dataclass(frozen=True, slots=True)
class Motion:
    """What one channel did, over one trajectory or many.

    ``rises`` and ``falls`` count the steps between known values that stand next to each other
    when unknown ones are left out: a gap itself is no motion. ``initials`` are the distinct
    first known values of the trajectories, in order; ``samples`` counts known values.
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
    return {channel: _motion(known) for channel, known in sorted(values.items())}


def _motion(known: list[int]) -> Motion:
    steps = [after - before for before, after in pairwise(known)]
    return Motion(
        rises=sum(step > 0 for step in steps),
        falls=sum(step < 0 for step in steps),
        low=min(known),
        high=max(known),
        initials=(known[0],),
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
    source = set()
    for milestone in contract.milestones:
        check = milestone.check
        if not isinstance(check, NumberCheck):
            continue
        motion = motions.get(check.channel)
        if motion is None or not motion.only_falls:
            continue
        if not any(check.holds_for(value) for value in motion.initials):
            source.add(milestone.id)
    return contract.tainted(source)


def unmeasured(contract: Contract, motions: Motions) -> tuple[str, ...]:
    """Return the milestones that no numeric channel speaks for, in the contract's order."""
    return tuple(
        m.id
        for m in contract.milestones
        if not isinstance(m.check, NumberCheck) or m.check.channel not in motions
    )
