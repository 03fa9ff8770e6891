"""ALE Breakout, played on the emulator itself (fixtures, "ALE Breakout")."""

import atexit
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from plateau_tui.calibration.errors import TargetError
from plateau_tui.calibration.evidence import Snapshot, snapshot
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.target import Target
from plateau_tui.calibration.targets import settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GAME: Final = "breakout"
FRAMES: Final = 4
BALL_X: Final = "ram_ball_x"
BALL_Y: Final = "ram_ball_y"
PADDLE_X: Final = "ram_paddle_x"
RAM: Final = {BALL_X: 99, BALL_Y: 101, PADDLE_X: 72}
"""The bytes of the console's memory that are published, where a reference names no other."""

_RAM_SIZE: Final = 128
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")
_TAKEN: Final = frozenset({"score", "lives", "frameNumber", "episodeFrame", "terminal"})


class BreakoutGame:
    """The emulator with one game in it; ``frames`` frames of its action are one input."""

    def __init__(self, ram: Mapping[str, int], frames: int) -> None:
        from ale_py import ALEInterface, LoggerMode  # noqa: PLC0415 - an optional package

        ALEInterface.setLoggerMode(LoggerMode.Error)  # it prints a banner otherwise
        self._ale: Any = ALEInterface()
        self._ram, self._frames = dict(ram), frames
        self._seed: int | None = None
        self._begun: Any = None
        self._first: Snapshot | None = None
        self._actions: dict[str, Any] = {}
        self._score = 0
        # The binding complains at length where an emulator outlives the interpreter.
        atexit.register(self.close)

    def start(self, seed: int) -> Snapshot:
        """Begin a game; the snapshot before any input.

        Going back to the state after a load is exact but for the picture, which the emulator
        draws anew with the next frame; so the first snapshot is kept.
        """
        self._score = 0
        if self._first is not None and seed == self._seed:
            self._ale.restoreSystemState(self._begun)
            return self._first
        self._load(seed)
        self._seed, self._begun = seed, self._ale.cloneSystemState()
        self._first = self._look()
        return self._first

    def _load(self, seed: int) -> None:
        self._ale.setInt("random_seed", seed)
        self._ale.setFloat("repeat_action_probability", 0.0)
        self._ale.setInt("frame_skip", 1)
        self._ale.loadROM(str(rom()))
        self._ale.reset_game()
        self._actions = {action.name: action for action in self._ale.getMinimalActionSet()}

    def step(self, word: str) -> Snapshot:
        """Play one action, cut short where the game ends; an unknown word is NOOP."""
        action = self._actions.get(word, self._actions["NOOP"])
        for _ in range(self._frames):
            if self._ale.game_over():
                break
            self._score += round(self._ale.act(action))
        return self._look()

    def close(self) -> None:
        """Let the emulator go."""
        atexit.unregister(self.close)
        self._ale = self._begun = self._first = None
        self._actions = {}

    def pixels(self) -> "NDArray[np.uint8]":
        """Return the picture: an array of 210 x 160 x 3 RGB bytes."""
        picture: NDArray[np.uint8] = self._ale.getScreenRGB()
        return picture

    def _look(self) -> Snapshot:
        ale = self._ale
        memory = ale.getRAM()
        engine = {
            "score": self._score,
            "lives": int(ale.lives()),
            "frameNumber": int(ale.getFrameNumber()),
            "episodeFrame": int(ale.getEpisodeFrameNumber()),
            "terminal": int(ale.game_over()),
        }
        return snapshot(
            engine | {name: int(memory[index]) for name, index in self._ram.items()},
            screen_hash=hashlib.sha256(self.pixels().tobytes()).hexdigest(),
            save_hash=hashlib.sha256(ale.cloneState().serialize()).hexdigest(),
        )


class Breakout(Target):
    """Breakout of the Arcade Learning Environment; the ROM comes with ale-py."""

    id: ClassVar[str] = "breakout"
    title: ClassVar[str] = "ALE Breakout"

    def require(self) -> None:
        """Make sure that ale-py and its ROM are there."""
        settings.require(self.id, "ale_py", "ale-py")

    def vocabulary(self, reference: Reference) -> tuple[str, ...]:
        """Return the game's minimal action set, in ALE's order."""
        del reference
        return ("NOOP", "FIRE", "RIGHT", "LEFT")

    def open(self, reference: Reference, setting: str) -> BreakoutGame:
        """Open the emulator.

        Raises:
            TargetError: a setting of the reference cannot be used.

        """
        del setting
        settings.fixed(reference, "game", GAME)
        settings.seed(reference)
        settings.same_rom(reference, hashlib.sha256(rom().read_bytes()).hexdigest())
        return BreakoutGame(channels(reference), settings.frames(reference, FRAMES))


def rom() -> Path:
    """Return where ale-py keeps the game.

    Raises:
        TargetError: this ale-py came without it.

    """
    from ale_py import roms  # noqa: PLC0415 - an optional package

    path: Path | None = roms.get_rom_path(GAME)
    if path is None or not path.is_file():
        raise TargetError(f"ale-py has no {GAME} ROM; install it anew: {settings.GAMES_EXTRA}")
    return path


def channels(reference: Reference) -> dict[str, int]:
    """Return the bytes of memory that are published: name to index.

    Raises:
        TargetError: ``channels`` names something that cannot be published.

    """
    listed = reference.settings.get("channels")
    if listed is None:
        return dict(RAM)
    found: dict[str, int] = {}
    for entry in listed if isinstance(listed, list) else [listed]:
        name, index = _channel(entry)
        if name is None or index is None or name in found:
            raise TargetError(
                f"{reference.source}: channels holds {entry!r}; each needs an id of its own, an "
                f'index of 0 to {_RAM_SIZE - 1}, and "u8" as its decode'
            )
        found[name] = index
    return found


def _channel(entry: object) -> tuple[str | None, int | None]:
    if not isinstance(entry, dict) or entry.get("decode", "u8") != "u8":
        return None, None
    name, index = entry.get("id"), entry.get("index")
    good = isinstance(name, str) and _NAME.fullmatch(name) and name not in _TAKEN
    return (
        name if good else None,
        index if type(index) is int and 0 <= index < _RAM_SIZE else None,
    )
