"""screen-puzzle: a token on a strip, known by its picture (fixtures, "screen-puzzle")."""

from typing import ClassVar, Final

from plateau_tui.calibration.evidence import Snapshot, digest, snapshot
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.target import Game, Target

_CELLS: Final = 9
_MOVES: Final = {"l": -1, "r": 1}


class Strip:
    """A token on nine cells, at the left end at first."""

    def __init__(self) -> None:
        self._x = 0

    def start(self, seed: int) -> Snapshot:
        """Put the token at the left end; the seed changes nothing."""
        del seed
        self._x = 0
        return self._look()

    def step(self, word: str) -> Snapshot:
        """Move the token by one, not past the ends."""
        self._x = min(max(self._x + _MOVES.get(word, 0), 0), _CELLS - 1)
        return self._look()

    def close(self) -> None:
        """Nothing is held."""

    def _look(self) -> Snapshot:
        picture = "".join("#" if cell == self._x else "." for cell in range(_CELLS))
        return snapshot({"x": self._x}, screen_hash=digest("screen-puzzle", picture))


class ScreenPuzzle(Target):
    """A demonstration of the screen's tier."""

    id: ClassVar[str] = "screen-puzzle"
    title: ClassVar[str] = "screen-puzzle"
    quick: ClassVar[bool] = True

    def vocabulary(self, reference: Reference) -> tuple[str, ...]:
        """Return the two words."""
        del reference
        return tuple(_MOVES)

    def open(self, reference: Reference, setting: str) -> Game:
        """Open the game."""
        del reference, setting
        return Strip()
