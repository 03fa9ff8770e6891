"""The six shapes of a command that may ever reach a server, written down once more."""

import re
from collections.abc import Iterable
from typing import Final

SHAPES: Final = {
    "list": re.compile(r"list"),
    "scoreboard objectives list": re.compile(r"scoreboard objectives list"),
    "scoreboard objectives add": re.compile(
        r"scoreboard objectives add [a-z0-9_]{1,16}"
        r" minecraft\.(?:mined|used|crafted):minecraft\.[a-z0-9_]+"
    ),
    "scoreboard players get": re.compile(
        r"scoreboard players get UNI-[0-9]+-[0-9]+ [a-z0-9_]{1,16}"
    ),
    "scoreboard players list": re.compile(r"scoreboard players list UNI-[0-9]+-[0-9]+"),
    "clear <player> <item> 0": re.compile(r"clear UNI-[0-9]+-[0-9]+ minecraft:wooden_pickaxe 0"),
}


def shapes_of(commands: Iterable[str]) -> set[str]:
    """Return the shapes of commands; one that has none stands for itself."""
    found = set()
    for command in commands:
        bare = command.removeprefix("minecraft:")
        found.add(next((name for name, text in SHAPES.items() if text.fullmatch(bare)), command))
    return found
