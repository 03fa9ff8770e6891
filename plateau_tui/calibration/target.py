"""What a game must provide so that it can be calibrated.

A ``Target`` describes a game and opens it; a ``Game`` is one opened game that plays one run after
another. A target is sent to other processes, so it must be picklable: an instance of a class at
a module's top level, with plain data in it. It imports its packages only where they are used.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib import resources
from typing import ClassVar, Final, Protocol

from plateau_tui.calibration.errors import TargetError
from plateau_tui.calibration.evidence import Snapshot, Trajectory
from plateau_tui.calibration.policies import Policy
from plateau_tui.calibration.reference import Reference, parse_reference

SWEEP_CAP: Final = 32


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Words of a game that no trivial policy and no walk plays: which, of how many, and why."""

    words: tuple[str, ...]
    of: int
    why: str


class Game(Protocol):
    """One opened game. It publishes whole numbers, events and hashes, and looks at no clock."""

    def start(self, seed: int) -> Snapshot:
        """Begin a new run, with nothing left of the one before; the snapshot before any input."""
        ...

    def step(self, word: str) -> Snapshot:
        """Play one input; the snapshot after it. An unknown word changes nothing, never fails."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


class Target(ABC):
    """A game that can be calibrated."""

    id: ClassVar[str]
    """The name on the command line; also that of its reference file."""
    title: ClassVar[str]
    """The name in tables."""
    unit: ClassVar[str] = "inputs"
    """What one input is called in tables."""
    sweep_cap: ClassVar[int] = SWEEP_CAP
    """How many turns of a prefix the collision sweep probes at most."""
    quick: ClassVar[bool] = False
    """A whole calibration takes less time than it takes to start a process."""

    def require(self) -> None:  # noqa: B027 - most targets need nothing
        """Make sure that the game can be opened here.

        Raises:
            MissingExtraError: packages are missing; the text says how to install them.

        """

    def reference(self) -> Reference:
        """Return the reference that ships with the program: ``references/ID.json``.

        Raises:
            TargetError: none ships.

        """
        name = f"{self.id}.json"
        file = resources.files("plateau_tui.calibration").joinpath("references", name)
        if not file.is_file():
            raise TargetError(f"{self.id} ships no reference; name one with --reference FILE")
        return parse_reference(file.read_bytes(), f"references/{name}")

    def baselines(self, reference: Reference) -> tuple[Policy, ...]:
        """Return the target's own baselines, beside the trivial ones; none by default."""
        del reference
        return ()

    def left_out(self, reference: Reference) -> LeftOut | None:
        """Return the game's words that are not in its vocabulary here; None where all are."""
        del reference
        return None

    @abstractmethod
    def vocabulary(self, reference: Reference) -> tuple[str, ...]:
        """Return the words of the game, in their order."""

    @abstractmethod
    def open(self, reference: Reference, setting: str) -> Game:
        """Open the game with the reference's settings.

        ``setting`` is that of the policy: "" for the reference and the trivial ones.
        """


def play(game: Game, seed: int, inputs: tuple[str, ...]) -> Trajectory:
    """Play one list of inputs from the start."""
    return Trajectory((game.start(seed), *(game.step(word) for word in inputs)))
