"""engine-crawler: rooms and hit points (fixtures, "engine-crawler").

``hpExact`` only ever falls, and yet its milestone is an achievement: it holds at the start.
"""

from typing import ClassVar, Final

from plateau_tui.calibration.evidence import Snapshot, digest, snapshot
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.target import Game, Target

_FIRST_HP: Final = 3
_MOST_HP: Final = 9


class Crawler:
    """``right`` adds a room; ``rest`` adds one hp and sets hpExact to 0 for good."""

    def __init__(self) -> None:
        self._room, self._hp, self._exact = 0, _FIRST_HP, 1

    def start(self, seed: int) -> Snapshot:
        """Begin in room 0; the seed changes nothing."""
        del seed
        self._room, self._hp, self._exact = 0, _FIRST_HP, 1
        return self._look()

    def step(self, word: str) -> Snapshot:
        """Play one word."""
        if word == "right":
            self._room += 1
        elif word == "rest":
            self._hp = min(self._hp + 1, _MOST_HP)
            self._exact = 0
        return self._look()

    def close(self) -> None:
        """Nothing is held."""

    def _look(self) -> Snapshot:
        return snapshot(
            {"room": self._room, "hp": self._hp, "hpExact": self._exact},
            screen_hash=digest("engine-crawler", str(self._room), str(self._hp)),
        )


class EngineCrawler(Target):
    """A demonstration of the engine's tier."""

    id: ClassVar[str] = "engine-crawler"
    title: ClassVar[str] = "engine-crawler"
    quick: ClassVar[bool] = True

    def vocabulary(self, reference: Reference) -> tuple[str, ...]:
        """Return the two words."""
        del reference
        return ("right", "rest")

    def open(self, reference: Reference, setting: str) -> Game:
        """Open the game."""
        del reference, setting
        return Crawler()
