"""Two controls of Breakout that differ only in what they read (seed, "Why", 1).

Both steer the middle of the paddle towards the ball, with the same dead zone in screen pixels,
and serve where they see no ball. One reads two bytes of the console's memory, which count pixels;
the other reads the frame as text, four pixels to a character. The parameters below are those of
the published controls.
"""

from typing import Final

from plateau_tui.calibration.controls import Controls, known
from plateau_tui.calibration.evidence import Snapshot
from plateau_tui.calibration.target import Game
from plateau_tui.calibration.targets.breakout import BALL_X, PADDLE_X, BreakoutGame
from plateau_tui.calibration.targets.luminance import cells

DEAD_ZONE: Final = 4
"""In screen pixels: one character of the text."""
CHARACTER: Final = 4
"""A character's width, in screen pixels."""

_HALF_PADDLE: Final = 10
"""From the byte that counts the paddle's place to its middle."""
_BALL_ROWS: Final = range(11, 21)
"""The rows of text between the lowest bricks and the paddle."""
_PADDLE_ROWS: Final = range(21, 23)
_COLUMNS: Final = range(2, 38)
"""What lies between the walls, each two characters wide."""
_RAMP: Final = " .:-=+*#%@"


def steer(ball: float | None, paddle: float, dead_zone: float) -> str:
    """Return the word that brings the paddle under the ball; all three in the same unit."""
    if ball is None:
        return "FIRE"
    if ball > paddle + dead_zone:
        return "RIGHT"
    return "LEFT" if ball < paddle - dead_zone else "NOOP"


class SteerFromRam:
    """Reads where the ball and the paddle are from the console's memory; 0 is no ball."""

    name: Final = "steer-from-ram"

    def __call__(self, game: Game, seen: Snapshot) -> str:
        """Return the next word."""
        del game
        ball = known(seen, f"engine.{BALL_X}")
        paddle = known(seen, f"engine.{PADDLE_X}") + _HALF_PADDLE
        return steer(ball or None, paddle, DEAD_ZONE)


class SteerFromAscii:
    """Reads the frame as text and takes the middle of what is not blank."""

    name: Final = "steer-from-ascii"

    def __call__(self, game: Game, seen: Snapshot) -> str:
        """Return the next word."""
        del seen
        assert isinstance(game, BreakoutGame)  # noqa: S101 - the controls are this game's
        text = ascii_frame(game)
        rows = (marked for row in _BALL_ROWS if (marked := _marked(text[row])))
        ball = next(rows, None)
        paddle = [column for row in _PADDLE_ROWS for column in _marked(text[row])]
        if not paddle:
            return "FIRE"
        return steer(_middle(ball) if ball else None, _middle(paddle), DEAD_ZONE / CHARACTER)


def ascii_frame(game: BreakoutGame) -> list[str]:
    """Return the picture as 24 lines of 40 characters; only what is black is blank."""
    return ["".join(map(_glyph, row)) for row in cells(game.pixels()).tolist()]


def _glyph(light: int) -> str:
    return _RAMP[1 + light * (len(_RAMP) - 1) // 256] if light else _RAMP[0]


def _marked(row: str) -> list[int]:
    return [column for column in _COLUMNS if row[column] != _RAMP[0]]


def _middle(columns: list[int]) -> float:
    return (min(columns) + max(columns)) / 2


CONTROLS: Final = Controls(
    players=(SteerFromAscii(), SteerFromRam()),
    score="engine.score",
    lives="engine.lives",
    over="engine.terminal",
    budgets=(300, 600),
)
