"""Finds what ships with the program: game ids, sample runs, themes."""

import json
from functools import cache
from importlib import resources
from pathlib import Path

from plateau_tui.metric.objectives import GameIds

_PACKAGE = "plateau_tui"


@cache
def game_ids() -> GameIds:
    """Return the block, item and craftable ids of Minecraft 1.16.5."""
    text = resources.files(_PACKAGE).joinpath("data/ids-1.16.5.json").read_text(encoding="utf-8")
    ids = json.loads(text)
    return GameIds(
        blocks=frozenset(ids["blocks"]),
        items=frozenset(ids["items"]),
        craftable=frozenset(ids["craftable"]),
    )


def shipped(name: str) -> Path:
    """Return the folder ``sample_runs`` or ``themes``.

    It lies inside an installed package, and beside the package in a checkout.

    Raises:
        FileNotFoundError: neither place has it.

    """
    package = Path(str(resources.files(_PACKAGE)))
    for place in (package / name, package.parent / name):
        if place.is_dir():
            return place
    raise FileNotFoundError(f"this installation has no folder '{name}'; install plateau-tui again")
