"""native-2048: a full 4x4 game of 2048 (fixtures, "native-2048")."""

import random
from collections.abc import Sequence
from typing import ClassVar, Final

from plateau_tui.calibration.evidence import Snapshot, digest, snapshot
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.target import Game, Target

_SIDE: Final = 4
_CHANCE_OF_4: Final = 0.1
_WORDS: Final = ("up", "down", "left", "right")


def _lines(word: str) -> list[list[int]]:
    """Return the four lines of cells, each from the side that the tiles are pushed to."""
    rows = [[_SIDE * y + x for x in range(_SIDE)] for y in range(_SIDE)]
    lines = (
        rows if word in {"left", "right"} else [list(column) for column in zip(*rows, strict=True)]
    )
    return [line[::-1] for line in lines] if word in {"right", "down"} else lines


_LINES: Final = {word: _lines(word) for word in _WORDS}


def pushed(tiles: Sequence[int]) -> tuple[list[int], int]:
    """Push one line towards its start; 0 is empty. Return the line and what it scores.

    Two equal tiles that meet merge, once a move, the pair nearest the start first.
    """
    kept = [tile for tile in tiles if tile]
    line: list[int] = []
    score = at = 0
    while at < len(kept):
        pair = at + 1 < len(kept) and kept[at] == kept[at + 1]
        line.append(2 * kept[at] if pair else kept[at])
        score += line[-1] if pair else 0
        at += 2 if pair else 1
    return line + [0] * (len(tiles) - len(line)), score


class Game2048:
    """One board, its generator, and the events of the run so far."""

    def __init__(self) -> None:
        self._begin(0)

    def _begin(self, seed: int) -> None:
        self._draw = random.Random(seed)  # noqa: S311 - the game's own dice
        self.cells = [0] * _SIDE * _SIDE
        self.score = self.moves = 0
        self._largest = 0
        self._tile()
        self._tile()

    def start(self, seed: int) -> Snapshot:
        """Deal a new board with two tiles."""
        self._begin(seed)
        return self._look()

    def step(self, word: str) -> Snapshot:
        """Push all tiles; a move that leaves the board as it was is none."""
        before = self.cells.copy()
        gained = 0
        for line in _LINES.get(word, ()):
            tiles, score = pushed([self.cells[cell] for cell in line])
            gained += score
            for cell, tile in zip(line, tiles, strict=True):
                self.cells[cell] = tile
        if self.cells != before:
            self.score += gained
            self.moves += 1
            self._tile()
        return self._look()

    def close(self) -> None:
        """Nothing is held."""

    def _tile(self) -> None:
        empty = [cell for cell, tile in enumerate(self.cells) if not tile]
        cell = empty[self._draw.randrange(len(empty))]
        self.cells[cell] = 4 if self._draw.random() < _CHANCE_OF_4 else 2

    def _over(self) -> bool:
        return all(
            pushed(tiles)[0] == tiles
            for lines in _LINES.values()
            for tiles in ([self.cells[cell] for cell in line] for line in lines)
        )

    def _look(self) -> Snapshot:
        self._largest = max(self._largest, *self.cells)
        shown = {"score": self.score, "moves": self.moves, "maxTile": max(self.cells)}
        cells = {f"cell{number}": tile for number, tile in enumerate(self.cells)}
        board = repr((self.cells, self.score, self.moves))
        return snapshot(
            shown | {"emptyCells": self.cells.count(0), "gameOver": int(self._over())} | cells,
            save=shown,
            screen=shown,
            events=[f"tile-{2**n}" for n in range(2, self._largest.bit_length())],
            screen_hash=digest("screen", board),
            save_hash=digest("save", board, repr(self._draw.getstate())),
        )


class Native2048(Target):
    """A demonstration of every tier of evidence; it grades no play."""

    id: ClassVar[str] = "native-2048"
    title: ClassVar[str] = "native-2048"
    quick: ClassVar[bool] = True

    def vocabulary(self, reference: Reference) -> tuple[str, ...]:
        """Return the four directions."""
        del reference
        return _WORDS

    def open(self, reference: Reference, setting: str) -> Game:
        """Open a board."""
        del reference, setting
        return Game2048()
