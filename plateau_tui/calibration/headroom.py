"""Where a contract ends: a channel that went above the highest bound any achievement asks for.

Above its top a contract tells nothing apart (seed, "Where the code disagreed with the brief":
the top is a score of 4, so nothing in it can tell 7 from 24).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from plateau_tui.calibration.contract import Contract, NumberCheck
from plateau_tui.calibration.motion import Motion


@dataclass(frozen=True, slots=True)
class AboveTop:
    """A channel whose highest value lies above the contract's highest bound on it."""

    channel: str
    top: int
    high: int


def tops(contract: Contract, attrition: Collection[str] = ()) -> dict[str, int]:
    """Return the least value at which nothing more can be earned on a channel, by channel.

    Only achievements that ask for more of something (``>=``, ``>``) have a top.
    """
    found: dict[str, int] = {}
    for milestone in contract.milestones:
        check = milestone.check
        if isinstance(check, NumberCheck) and check.op in {">=", ">"} and (
            milestone.id not in attrition
        ):  # fmt: skip
            bound = check.value + (check.op == ">")
            found[check.channel] = max(bound, found.get(check.channel, bound))
    return found


def above_top(
    contract: Contract, attrition: Collection[str], motion: Mapping[str, Motion]
) -> tuple[AboveTop, ...]:
    """Return the channels that went above the contract's top, in the channels' order."""
    return tuple(
        AboveTop(channel, top, motion[channel].high)
        for channel, top in sorted(tops(contract, attrition).items())
        if channel in motion and motion[channel].high > top
    )
