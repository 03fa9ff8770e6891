"""How many other logs of inputs earn an opaque milestone (fixtures, "Common rules").

One input of the prefix that ends where the milestone first passes is replaced by every other
word of the vocabulary; the logs that still earn the milestone are counted.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plateau_tui.calibration.frozenmap import FrozenMap
from plateau_tui.calibration.policies import Policy
from plateau_tui.calibration.scores import Played

_JOINT = "joint"


@dataclass(frozen=True, slots=True)
class Collision:
    """What the sweep found for one opaque milestone.

    Args:
        milestone: its id.
        fires_after: inputs of the reference's prefix.
        cap: the most turns that were to be probed.
        probed: the turns probed, from 0.
        substitutions: how many logs were played.
        survivors: turn -> the words that can stand there instead, in the vocabulary's order.
        joint: the first survivor at every free turn, all at once, earns the milestone.

    """

    milestone: str
    fires_after: int
    cap: int
    probed: tuple[int, ...]
    substitutions: int
    survivors: Mapping[int, tuple[str, ...]]
    joint: bool

    def __post_init__(self) -> None:
        object.__setattr__(self, "survivors", FrozenMap(self.survivors))

    @property
    def collisions(self) -> int:
        """How many logs with one other input earn the milestone."""
        return sum(len(words) for words in self.survivors.values())

    @property
    def free_turns(self) -> tuple[int, ...]:
        """The turns at which another word does as well."""
        return tuple(self.survivors)

    @property
    def family(self) -> int:
        """The product over the free turns of 1 + surviving words."""
        return math.prod(1 + len(words) for words in self.survivors.values())


@dataclass(frozen=True, slots=True)
class Probe:
    """One opaque milestone to be probed: the prefix, and the logs with one other input."""

    milestone: str
    prefix: tuple[str, ...]
    cap: int
    probed: tuple[int, ...]
    substituted: tuple[tuple[int, str], ...]

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The logs, in the order of ``substituted``."""
        return tuple(
            Policy(f"{turn}:{word}", replaced(self.prefix, {turn: word}))
            for turn, word in self.substituted
        )

    def survivors(self, played: Sequence[Played]) -> dict[int, tuple[str, ...]]:
        """Return the surviving words by turn; ``played`` stands in the order of ``policies``."""
        found: dict[int, tuple[str, ...]] = {}
        for (turn, word), run in zip(self.substituted, played, strict=True):
            if self.milestone in run.first_pass:
                found[turn] = (*found.get(turn, ()), word)
        return found

    def joint_policy(self, survivors: Mapping[int, tuple[str, ...]]) -> Policy | None:
        """Return the log with the first survivor at every free turn; None without any."""
        if not survivors:
            return None
        first = {turn: words[0] for turn, words in survivors.items()}
        return Policy(_JOINT, replaced(self.prefix, first))

    def result(self, survivors: Mapping[int, tuple[str, ...]], *, joint: bool) -> Collision:
        """Put together what was found."""
        return Collision(
            self.milestone,
            len(self.prefix),
            self.cap,
            self.probed,
            len(self.substituted),
            survivors,
            joint,
        )


def probe(milestone: str, prefix: tuple[str, ...], vocabulary: Sequence[str], cap: int) -> Probe:
    """Return what is to be played for one milestone; ``cap`` limits the turns probed."""
    turns = probed_turns(len(prefix), cap)
    substituted = tuple((t, word) for t in turns for word in vocabulary if word != prefix[t])
    return Probe(milestone, prefix, cap, turns, substituted)


def probed_turns(length: int, cap: int) -> tuple[int, ...]:
    """Return the turns probed of a prefix: all, or floor(i p / cap) for i < cap."""
    if length <= cap:
        return tuple(range(length))
    return tuple(i * length // cap for i in range(cap))


def replaced(prefix: tuple[str, ...], words: Mapping[int, str]) -> tuple[str, ...]:
    """Return the prefix with other words at some turns."""
    return tuple(words.get(turn, word) for turn, word in enumerate(prefix))
