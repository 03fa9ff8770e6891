"""What a game publishes: snapshots, and the trajectory that one list of inputs makes of them.

A snapshot is taken before the first input and after every input (calibration seed; fixtures,
"Common rules"). Numbers are whole: a target scales what is not. A number that could not be read
is None, which is not 0 and is no motion.
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

Number: TypeAlias = int | None
GROUPS: Final = ("engine", "save", "screen")
"""The groups of channels; a channel is called ``group.name``."""

CHANNEL: Final = re.compile(rf"(?:{'|'.join(GROUPS)})\.[A-Za-z0-9_][A-Za-z0-9_.:-]{{0,99}}")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is published at one moment.

    ``numbers`` maps channel (``engine.score``) to value; ``events`` are the lines of the game's
    log that hold now; ``screen`` and ``save`` are hex SHA-256, None where there is none.
    """

    numbers: Mapping[str, Number]
    events: frozenset[str] = frozenset()
    screen: str | None = None
    save: str | None = None


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The snapshots of one run: the first before any input, then one after every input."""

    snapshots: tuple[Snapshot, ...]

    def digest(self) -> str:
        """Return a hex SHA-256 over everything published; equal for equal trajectories."""
        hasher = hashlib.sha256()
        for shot in self.snapshots:
            line = [sorted(shot.numbers.items()), sorted(shot.events), shot.screen, shot.save]
            hasher.update(json.dumps(line).encode("ascii"))
        return hasher.hexdigest()


def snapshot(
    engine: Mapping[str, Number],
    *,
    save: Mapping[str, Number] | None = None,
    screen: Mapping[str, Number] | None = None,
    events: Collection[str] = (),
    screen_hash: str | None = None,
    save_hash: str | None = None,
) -> Snapshot:
    """Build a snapshot from the numbers of each group.

    Raises:
        ValueError: a channel's name is not one word of ``A-Z a-z 0-9 _ . : -``.
        TypeError: a number is not whole.

    """
    numbers: dict[str, Number] = {}
    for group, values in zip(GROUPS, (engine, save or {}, screen or {}), strict=True):
        for name, value in values.items():
            channel = f"{group}.{name}"
            if not CHANNEL.fullmatch(channel):
                raise ValueError(f"{channel!r} is not a channel's name")
            if value is not None and type(value) is not int:
                raise TypeError(f"{channel} is {value!r}; a channel holds whole numbers")
            numbers[channel] = value
    return Snapshot(numbers, frozenset(events), screen_hash, save_hash)


def digest(*parts: bytes | str) -> str:
    """Return a hex SHA-256 over the parts, each with its length, so that none can run over."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8") if isinstance(part, str) else part
        hasher.update(len(data).to_bytes(8, "big"))
        hasher.update(data)
    return hasher.hexdigest()


def trajectory(snapshots: Sequence[Snapshot]) -> Trajectory:
    """Build a trajectory.

    Raises:
        ValueError: there is no snapshot.

    """
    if not snapshots:
        raise ValueError("a trajectory has at least the snapshot before the first input")
    return Trajectory(tuple(snapshots))
