"""save-levels: a saved state that counts levels and stars (fixtures, "save-levels")."""

from typing import ClassVar, Final

from plateau_tui.calibration.evidence import Snapshot, digest, snapshot
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.target import Game, Target

_LOGGED_AT: Final = 2


class GameOfLevels:
    """``clear`` adds a level, ``grind`` a star."""

    def __init__(self) -> None:
        self._level = self._stars = 0

    def start(self, seed: int) -> Snapshot:
        """Begin at level 0; the seed changes nothing."""
        del seed
        self._level = self._stars = 0
        return self._look()

    def step(self, word: str) -> Snapshot:
        """Play one word."""
        self._level += word == "clear"
        self._stars += word == "grind"
        return self._look()

    def close(self) -> None:
        """Nothing is held."""

    def _look(self) -> Snapshot:
        return snapshot(
            {"level": self._level, "stars": self._stars},
            events=["reached-level-2"] if self._level >= _LOGGED_AT else [],
            save_hash=digest("save-levels", str(self._level), str(self._stars)),
        )


class SaveLevels(Target):
    """A demonstration of the save's and the log's tier."""

    id: ClassVar[str] = "save-levels"
    title: ClassVar[str] = "save-levels"
    quick: ClassVar[bool] = True

    def vocabulary(self, reference: Reference) -> tuple[str, ...]:
        """Return the two words."""
        del reference
        return ("clear", "grind")

    def open(self, reference: Reference, setting: str) -> Game:
        """Open the game."""
        del reference, setting
        return GameOfLevels()
