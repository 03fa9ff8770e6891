"""A contract: milestones over what a game publishes, each with a check and what it requires.

A ``Contract`` is valid by construction. A milestone is opaque when its check is a hash, or when
anything it requires is opaque: nobody can read what was achieved. All others are legible.
"""

import graphlib
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final, Literal, TypeAlias, get_args

from plateau_tui.calibration.errors import ContractError
from plateau_tui.calibration.evidence import CHANNEL, Snapshot
from plateau_tui.calibration.frozenmap import FrozenMap

Op = Literal[">=", ">", "==", "<=", "<"]
OPS: Final[tuple[Op, ...]] = get_args(Op)
_HOLDS: Final[Mapping[Op, Callable[[int, int], bool]]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
    "<=": operator.le,
    "<": operator.lt,
}

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_MAX_EVENT: Final = 200
_INT_LIMIT: Final = 2**63


class Tier(StrEnum):
    """Where the evidence of a milestone comes from."""

    ENGINE = "engine-state"
    SAVE = "save-file"
    LOG = "log-event"
    SCREEN = "screen-frame"


def compare(value: int, op: Op, bound: int) -> bool:
    """Say whether ``value op bound`` holds."""
    return _HOLDS[op](value, bound)


@dataclass(frozen=True, slots=True)
class NumberCheck:
    """A numeric channel compared with a number."""

    channel: str
    op: Op
    value: int

    def holds_for(self, value: int) -> bool:
        """Say whether the check holds at this value of the channel."""
        return compare(value, self.op, self.value)

    def holds(self, shot: Snapshot) -> bool:
        """Say whether the check holds; an unknown number never does."""
        value = shot.numbers.get(self.channel)
        return value is not None and self.holds_for(value)


@dataclass(frozen=True, slots=True)
class EventCheck:
    """The game's log contains this event."""

    event: str

    def holds(self, shot: Snapshot) -> bool:
        """Say whether the check holds."""
        return self.event in shot.events


@dataclass(frozen=True, slots=True)
class FrameCheck:
    """The screen has this hex SHA-256."""

    sha256: str

    def holds(self, shot: Snapshot) -> bool:
        """Say whether the check holds."""
        return shot.screen == self.sha256


@dataclass(frozen=True, slots=True)
class SaveCheck:
    """The saved state has this hex SHA-256."""

    sha256: str

    def holds(self, shot: Snapshot) -> bool:
        """Say whether the check holds."""
        return shot.save == self.sha256


Check: TypeAlias = NumberCheck | EventCheck | FrameCheck | SaveCheck


@dataclass(frozen=True, slots=True)
class Milestone:
    """One milestone; ``requires`` names milestones that stand before it in the contract."""

    id: str
    tier: Tier
    check: Check
    requires: tuple[str, ...] = ()

    @property
    def is_hash(self) -> bool:
        """The check compares a hash: nobody can read what was achieved."""
        return isinstance(self.check, FrameCheck | SaveCheck)


@dataclass(frozen=True)
class Contract:
    """The milestones of one target, in their order.

    Raises:
        ContractError: names everything that is wrong.

    """

    target: str
    milestones: tuple[Milestone, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "milestones", tuple(self.milestones))  # nobody else may hold it
        problems = tuple(_problems(self.target, self.milestones))
        if problems:
            raise ContractError(f"contract {self.target!r}", problems)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The milestones' ids in the contract's order."""
        return tuple(m.id for m in self.milestones)

    @cached_property
    def closure(self) -> Mapping[str, frozenset[str]]:
        """All that a milestone requires, directly or through others."""
        found: dict[str, frozenset[str]] = {}
        for m in self.milestones:
            found[m.id] = frozenset(m.requires).union(*(found[r] for r in m.requires))
        return FrozenMap(found)

    @cached_property
    def opaque(self) -> tuple[str, ...]:
        """The opaque milestones, in the contract's order."""
        return self.tainted({m.id for m in self.milestones if m.is_hash})

    @cached_property
    def legible(self) -> tuple[str, ...]:
        """The legible milestones, in the contract's order."""
        return tuple(i for i in self.ids if i not in self.opaque)

    def milestone(self, name: str) -> Milestone:
        """Return the milestone of this id.

        Raises:
            KeyError: there is none.

        """
        return self._by_id[name]

    @cached_property
    def _by_id(self) -> Mapping[str, Milestone]:
        return FrozenMap({m.id: m for m in self.milestones})

    def tainted(self, source: set[str]) -> tuple[str, ...]:
        """Return the milestones of ``source`` and all that require one of them, in order."""
        return tuple(i for i in self.ids if i in source or self.closure[i] & source)


def _problems(target: str, milestones: Sequence[Milestone]) -> list[str]:
    found = [] if _ID.fullmatch(target) else [f"{target!r} is not a target's name"]
    if not milestones:
        found.append("there is no milestone; a contract has at least one")
    ids = [m.id for m in milestones]
    for m in milestones:
        if not _ID.fullmatch(m.id):
            found.append(f"{m.id!r} is not an id: one word of at most 100 letters and digits")
        wrong = _check_problem(m.tier, m.check)
        if wrong:
            found.append(f"{m.id}: {wrong}")
    found += [f"{i}: the id stands {ids.count(i)} times" for i in ids if ids.count(i) > 1][:1]
    return found + _requires_problems(milestones, ids)


def _requires_problems(milestones: Sequence[Milestone], ids: Sequence[str]) -> list[str]:
    found = []
    place = {i: n for n, i in enumerate(ids)}
    for m in milestones:
        if len(set(m.requires)) != len(m.requires):
            found.append(f"{m.id}: requires names a milestone twice")
        found += [f"{m.id}: requires {r!r}, which is no milestone" for r in m.requires
                  if r not in place]  # fmt: skip
    cycle = _cycle({m.id: m.requires for m in milestones})
    if cycle:
        return [*found, f"requires is cyclic: {' -> '.join(cycle)}"]
    for n, m in enumerate(milestones):
        found += [f"{m.id}: requires {r}, which must stand before it" for r in m.requires
                  if place.get(r, -1) >= n]  # fmt: skip
    return found


def _cycle(requires: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the ids of one cycle, the first again at the end; empty where there is none."""
    try:
        graphlib.TopologicalSorter(requires).prepare()
    except graphlib.CycleError as error:
        return [str(node) for node in reversed(error.args[1])]
    return []


def _check_problem(tier: Tier, check: Check) -> str | None:
    match check:
        case NumberCheck():
            return _number_problem(tier, check)
        case EventCheck():
            if tier is not Tier.LOG:
                return f"an event is evidence of tier {Tier.LOG}, not {tier}"
            if not 0 < len(check.event) <= _MAX_EVENT or not check.event.isprintable():
                return "an event is one printable line of 1 to 200 characters"
            return None
        case FrameCheck() | SaveCheck():
            wanted = Tier.SCREEN if isinstance(check, FrameCheck) else Tier.SAVE
            if tier is not wanted:
                return f"this hash is evidence of tier {wanted}, not {tier}"
            return None if _SHA256.fullmatch(check.sha256) else "a hash is 64 hex digits"


def _number_problem(tier: Tier, check: NumberCheck) -> str | None:
    if not CHANNEL.fullmatch(check.channel):
        return f"{check.channel!r} is not a channel: engine.NAME, save.NAME or screen.NAME"
    group = check.channel.split(".")[0]
    of_tier = {"engine": Tier.ENGINE, "save": Tier.SAVE, "screen": Tier.SCREEN}[group]
    if tier is not of_tier:
        return f"channel {check.channel} is evidence of tier {of_tier}, not {tier}"
    if check.op not in OPS:
        return f"{check.op!r} is not one of {' '.join(OPS)}"
    if type(check.value) is not int or not -_INT_LIMIT <= check.value < _INT_LIMIT:
        return f"the value {check.value!r} is not a whole number of 64 bits"
    return None
