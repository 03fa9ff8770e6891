"""The targets by name; a target's module is loaded when it is asked for."""

import importlib
from typing import Final

from plateau_tui.calibration.errors import TargetError
from plateau_tui.calibration.target import Target
from plateau_tui.metric.objectives import nearest

_TARGETS: Final = {
    "breakout": ("breakout", "Breakout"),
    "airstriker": ("airstriker", "Airstriker"),
    "cartpole": ("gym", "CartPole"),
    "frozenlake": ("gym", "FrozenLake"),
    "native-2048": ("native_2048", "Native2048"),
    "save-levels": ("save_levels", "SaveLevels"),
    "screen-puzzle": ("screen_puzzle", "ScreenPuzzle"),
    "engine-crawler": ("engine_crawler", "EngineCrawler"),
    "plateau-break": ("plateau", "PlateauBreak"),
    "plateau-break-beyond-table": ("plateau", "BeyondTable"),
    "plateau-break-all-logs": ("plateau", "AllLogs"),
    "plateau-break-strict": ("plateau", "Strict"),
    "phase-goal-3": ("plateau", "PhaseGoal3"),
}
"""Target -> module of ``targets``, class."""


def target_ids() -> tuple[str, ...]:
    """Return the names of all targets, in the order of the tables."""
    return tuple(_TARGETS)


def load_target(name: str) -> Target:
    """Return a target.

    Raises:
        TargetError: there is none of that name.

    """
    if name not in _TARGETS:
        raise TargetError(f"there is no target '{name}'{nearest(name, _TARGETS)}")
    module, kind = _TARGETS[name]
    made = getattr(importlib.import_module(f"plateau_tui.calibration.targets.{module}"), kind)()
    assert isinstance(made, Target)  # noqa: S101 - the table above is ours
    return made
