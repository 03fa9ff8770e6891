"""What the tests of the real games share: whether they are installed, and their references."""

from importlib.util import find_spec

import pytest
from calibration.published import SHARED

from plateau_tui.calibration.reference import Reference, read_reference

PACKAGES = ("ale_py", "stable_retro", "gymnasium")
GAMES = ("breakout", "airstriker", "cartpole", "frozenlake")

needs_games = pytest.mark.skipif(
    not all(find_spec(name) for name in PACKAGES),
    reason="left out: the real games are not installed: pip install 'plateau-tui[games]'",
)


def published_reference(target: str) -> Reference:
    """Return the published reference of a target."""
    return read_reference(SHARED / f"reference-{target}.json")
