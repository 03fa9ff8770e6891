"""stable-retro Airstriker, a shooter for the Genesis (fixtures, "stable-retro Airstriker")."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from plateau_tui.calibration.errors import TargetError
from plateau_tui.calibration.evidence import Snapshot, snapshot
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.target import Target
from plateau_tui.calibration.targets import luminance, settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GAME: Final = "Airstriker-Genesis-v0"
FRAMES: Final = 4
NOOP: Final = "NOOP"
BUTTONS: Final = (
    "B", "A", "MODE", "START", "UP", "DOWN", "LEFT", "RIGHT", "C", "Y", "X", "Z",
)  # fmt: skip
"""The buttons of a Genesis pad, in the core's order."""

_DIRECTIONS: Final = ("UP", "DOWN", "LEFT", "RIGHT")
_NO_ACTION: Final = ("MODE", "START", "SELECT")
_ACTIONS: Final = 3
_ACTIVE: Final = 24
_BRIGHT: Final = 128


def words(buttons: Sequence[str] = BUTTONS) -> tuple[str, ...]:
    """Return the vocabulary: NOOP, every button, every direction with the first three others."""
    actions = [b for b in buttons if b not in _DIRECTIONS and b not in _NO_ACTION][:_ACTIONS]
    pairs = [f"{way}+{button}" for way in _DIRECTIONS if way in buttons for button in actions]
    return (NOOP, *buttons, *pairs)


class AirstrikerGame:
    """The emulator with the game in its default state. A process holds one at a time."""

    def __init__(self, frames: int, state: str | None) -> None:
        import stable_retro  # noqa: PLC0415 - an optional package

        # Without a render mode it looks for no display.
        self._env: Any = stable_retro.make(
            GAME,
            state=stable_retro.State.DEFAULT if state is None else state,
            use_restricted_actions=stable_retro.Actions.ALL,
            render_mode=None,
        )
        self._frames = frames
        self._buttons = tuple(self._env.buttons)
        self._frame, self._done = 0, False
        self._pixels: NDArray[np.uint8]

    def start(self, seed: int) -> Snapshot:
        """Go back to the default state; the snapshot before any input."""
        self._pixels, _ = self._env.reset(seed=seed)
        self._frame, self._done = 0, False
        return self._look()

    def step(self, word: str) -> Snapshot:
        """Hold the buttons of a ``+``-joined word; what is no button is not pressed."""
        held = set(word.split("+"))
        pressed = [int(button in held) for button in self._buttons]
        for _ in range(self._frames):
            if self._done:
                break
            self._pixels, _, terminated, truncated, _ = self._env.step(pressed)
            self._frame += 1
            self._done = bool(terminated or truncated)
        return self._look()

    def kept(self) -> tuple[object, ...]:
        """Return the present moment, for ``back_to``; it means something in this process only."""
        return self._env.em.get_state(), self._frame, self._done

    def back_to(self, kept: tuple[object, ...]) -> None:
        """Go back to a moment of this game; the picture is drawn anew with the next input."""
        state, frame, done = kept
        self._env.em.set_state(state)
        self._env.data.update_ram()
        self._frame, self._done = int(str(frame)), bool(done)

    def close(self) -> None:
        """Let the emulator go."""
        self._env.close()
        self._env = None

    def _look(self) -> Snapshot:
        engine = {name: int(value) for name, value in self._env.data.lookup_all().items()}
        grid = luminance.cells(self._pixels)
        return snapshot(
            engine | {"emuFrame": self._frame, "episodeDone": int(self._done)},
            screen={
                "activeCells": int((grid >= _ACTIVE).sum()),
                "brightCells": int((grid >= _BRIGHT).sum()),
                "lumMean": int(grid.sum()) // grid.size,
                "lumMax": int(grid.max()),
            },
            screen_hash=hashlib.sha256(self._pixels.tobytes()).hexdigest(),
        )


class Airstriker(Target):
    """Airstriker; its free ROM comes with stable-retro.

    The saved state is not the same in every process, so no hash of it is published.
    """

    id: ClassVar[str] = "airstriker"
    title: ClassVar[str] = "stable-retro Airstriker"
    sweep_cap: ClassVar[int] = 8

    def require(self) -> None:
        """Make sure that stable-retro is there."""
        settings.require(self.id, "stable_retro", "stable-retro")

    def vocabulary(self, reference: Reference) -> tuple[str, ...]:
        """Return the 25 words."""
        del reference
        return words()

    def open(self, reference: Reference, setting: str) -> AirstrikerGame:
        """Open the emulator.

        Raises:
            TargetError: a setting of the reference cannot be used.

        """
        del setting
        settings.fixed(reference, "game", GAME)
        settings.seed(reference)
        rom, states = _files()
        settings.same_rom(reference, hashlib.sha1(rom.read_bytes()).hexdigest())  # noqa: S324 - a name, no seal
        state = reference.settings.get("state")
        if state is not None and state not in states:
            raise TargetError(
                f"{reference.source}: there is no state {state!r}; take null or one of "
                + ", ".join(states)
            )
        return AirstrikerGame(settings.frames(reference, FRAMES), state)


def _files() -> tuple[Path, list[str]]:
    """Return the ROM and the names of the saved states that come with it."""
    from stable_retro import data  # noqa: PLC0415 - an optional package

    return Path(data.get_romfile_path(GAME)), sorted(data.list_states(GAME))
