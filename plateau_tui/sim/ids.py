"""Which block and item ids a 1.16.5 server knows, read from the package's data file."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class KnownIds:
    """The registries of the game, as bare ids (`stone`, not `minecraft:stone`)."""

    blocks: frozenset[str]
    items: frozenset[str]


@cache
def known_ids() -> KnownIds:
    """Return the ids of 1.16.5; the file is read once a process."""
    text = files("plateau_tui").joinpath("data/ids-1.16.5.json").read_text(encoding="utf-8")
    data = json.loads(text)
    return KnownIds(blocks=frozenset(data["blocks"]), items=frozenset(data["items"]))
