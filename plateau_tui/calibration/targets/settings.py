"""Reads a game target's own settings out of a reference; what is wrong becomes one line."""

import importlib
from collections.abc import Mapping
from typing import Any, Final

from plateau_tui.calibration.errors import MissingExtraError, TargetError
from plateau_tui.calibration.reference import Reference

GAMES_EXTRA: Final = "pip install 'plateau-tui[games]'"
_SEEDS: Final = 2**31
_MOST_FRAMES: Final = 3600


def require(target: str, module: str, package: str) -> None:
    """Make sure that a package can be loaded.

    Raises:
        MissingExtraError: it cannot; the text says how to install it.

    """
    try:
        importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(f"{target} needs {package}: {GAMES_EXTRA}") from None


def fixed(reference: Reference, key: str, only: str) -> str:
    """Return a setting that has one value: the game that the target is about.

    Raises:
        TargetError: the reference is about another game.

    """
    value = reference.settings.get(key, only)
    if value != only:
        raise TargetError(f"{reference.source}: {key} is {value!r}; this target plays {only}")
    return only


def frames(reference: Reference, default: int) -> int:
    """Return how many frames of the emulator one input lasts.

    Raises:
        TargetError: it is no whole number of 1 to 3600.

    """
    value = reference.settings.get("frames", default)
    if type(value) is not int or not 1 <= value <= _MOST_FRAMES:
        raise TargetError(f"{reference.source}: frames must be 1 to {_MOST_FRAMES}, not {value!r}")
    return value


def seed(reference: Reference) -> int:
    """Return the replay seed, where a game can take it.

    Raises:
        TargetError: it is negative or 2^31 or more.

    """
    if not 0 <= reference.seed < _SEEDS:
        raise TargetError(
            f"{reference.source}: seed must be 0 to {_SEEDS - 1}, not {reference.seed}"
        )
    return reference.seed


def same_rom(reference: Reference, digest: str) -> None:
    """Refuse a reference that names another ROM than the one installed.

    Raises:
        TargetError: ``romSha`` is there and is not ``digest``.

    """
    wanted = reference.settings.get("romSha", digest)
    if wanted != digest:
        raise TargetError(
            f"{reference.source}: was recorded on the ROM {wanted!r}, and {digest} is installed; "
            "record it anew, or install the package's version that it names"
        )


def table(reference: Reference, key: str, default: Mapping[str, Any]) -> dict[str, Any]:
    """Return a setting that is an object.

    Raises:
        TargetError: it is something else.

    """
    value = reference.settings.get(key, default)
    if not isinstance(value, Mapping):
        raise TargetError(f"{reference.source}: {key} must be an object, not {value!r}")
    return dict(value)
