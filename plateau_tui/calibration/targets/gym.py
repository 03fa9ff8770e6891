"""Gymnasium environments with a discrete set of actions (fixtures, "Gymnasium")."""

import math
from typing import Any, ClassVar, Final

from plateau_tui.calibration.errors import TargetError
from plateau_tui.calibration.evidence import Number, Snapshot, digest, snapshot
from plateau_tui.calibration.reference import Reference
from plateau_tui.calibration.target import Target
from plateau_tui.calibration.targets import settings

NOOP: Final = "NOOP"
SCALE: Final = 1000
"""Evidence is whole numbers: rewards, infos and observations are published times this."""

_COMPONENTS: Final = 8


class GymGame:
    """One environment. NOOP and unknown words do not step it, nor does anything after its end."""

    def __init__(self, environment: Any) -> None:  # noqa: ANN401 - an optional package
        self._env = environment
        self._actions = {f"a{n}": n for n in range(int(environment.action_space.n))}
        self._begin()

    def _begin(self) -> None:
        self._steps, self._reward = 0, 0.0
        self._terminated = self._truncated = False
        self._seen: Any = None
        self._info: dict[str, Any] = {}

    def start(self, seed: int) -> Snapshot:
        """Reset the environment with the seed."""
        self._begin()
        self._seen, self._info = self._env.reset(seed=seed)
        return self._look()

    def step(self, word: str) -> Snapshot:
        """Take one action."""
        action = self._actions.get(word)
        if action is not None and not (self._terminated or self._truncated):
            self._seen, reward, terminated, truncated, self._info = self._env.step(action)
            self._steps += 1
            self._reward += float(reward)
            self._terminated, self._truncated = bool(terminated), bool(truncated)
        return self._look()

    def close(self) -> None:
        """Close the environment."""
        self._env.close()

    def _look(self) -> Snapshot:
        import numpy as np  # noqa: PLC0415 - the core loads without it

        whole = np.asarray(self._seen)
        engine: dict[str, Number] = {
            "steps": self._steps,
            "cumulativeReward": _scaled(self._reward),
            "terminated": int(self._terminated),
            "truncated": int(self._truncated),
        }
        shown = whole.reshape(-1)[:_COMPONENTS].tolist()
        return snapshot(
            engine | _infos(self._info),
            screen={f"obs{n}": _scaled(value) for n, value in enumerate(shown)},
            screen_hash=digest(whole.dtype.str, repr(whole.shape), whole.tobytes()),
        )


def _infos(info: dict[str, Any]) -> dict[str, Number]:
    """Return every number among the infos, scaled."""
    found: dict[str, Number] = {}
    for name in sorted(info):
        value = info[name].item() if hasattr(info[name], "item") else info[name]
        if isinstance(value, (bool, int, float)):
            found[f"info.{name}"] = _scaled(value)
    return found


def _scaled(value: float) -> Number:
    """Return a number as evidence; what is not finite was not read."""
    return round(float(value) * SCALE) if math.isfinite(value) else None


class GymTarget(Target):
    """A target that is one Gymnasium environment."""

    environment: ClassVar[str]
    """The environment's id."""
    actions: ClassVar[int]
    """How many actions it has."""
    options: ClassVar[dict[str, Any]] = {}
    """What it is made with, where a reference says nothing."""
    quick: ClassVar[bool] = True
    unit: ClassVar[str] = "steps"

    def require(self) -> None:
        """Make sure that gymnasium is there."""
        settings.require(self.id, "gymnasium", "gymnasium")

    def vocabulary(self, reference: Reference) -> tuple[str, ...]:
        """Return NOOP and one word for each action."""
        del reference
        return (NOOP, *(f"a{n}" for n in range(self.actions)))

    def open(self, reference: Reference, setting: str) -> GymGame:
        """Make the environment.

        Raises:
            TargetError: a setting of the reference cannot be used.

        """
        del setting
        import gymnasium  # noqa: PLC0415 - an optional package

        settings.fixed(reference, "envId", self.environment)
        settings.seed(reference)
        options = settings.table(reference, "kwargs", self.options)
        if "render_mode" in options:
            raise TargetError(
                f"{reference.source}: kwargs: leave render_mode out; nothing is drawn"
            )
        try:
            made = gymnasium.make(self.environment, disable_env_checker=True, **options)
        except Exception as error:  # noqa: BLE001 - whatever the options made it raise
            raise TargetError(
                f"{reference.source}: kwargs: {self.environment} cannot be made with "
                f"{options!r}: {' '.join(str(error).split())}"
            ) from None
        return GymGame(made)


class CartPole(GymTarget):
    """Balance a pole on a cart."""

    id: ClassVar[str] = "cartpole"
    title: ClassVar[str] = "Gymnasium CartPole"
    environment: ClassVar[str] = "CartPole-v1"
    actions: ClassVar[int] = 2


class FrozenLake(GymTarget):
    """Cross a frozen lake with holes in it; nothing slips."""

    id: ClassVar[str] = "frozenlake"
    title: ClassVar[str] = "Gymnasium FrozenLake"
    environment: ClassVar[str] = "FrozenLake-v1"
    actions: ClassVar[int] = 4
    options: ClassVar[dict[str, Any]] = {"is_slippery": False, "map_name": "4x4"}
