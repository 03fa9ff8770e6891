"""The six commands that may be sent, and the one expression that holds them.

Builders check every name before it becomes part of a command. ``READ_ONLY`` is the same fence
once more, at the socket: the transport sends nothing that does not match it.
"""

import re
from typing import Final

from plateau_tui.metric.objectives import OBJECTIVE_NAME

PLAYER_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,16}")
"""What may stand for a player. No ``@``, ``*`` or blank: a selector would reach others."""

ITEM: Final = re.compile(r"[a-z0-9_]+")
"""A bare item id (``wooden_pickaxe``)."""

CRITERION: Final = re.compile(r"minecraft\.[a-z_]+:minecraft\.[a-z0-9_]+")
"""A statistic as a criterion (``minecraft.mined:minecraft.stone``): dots, not colons."""

READ_ONLY: Final = re.compile(
    r"(?:minecraft:)?(?:"
    r"list"
    r"|scoreboard objectives list"
    rf"|scoreboard objectives add {OBJECTIVE_NAME.pattern} {CRITERION.pattern}"
    rf"|scoreboard players get {PLAYER_NAME.pattern} {OBJECTIVE_NAME.pattern}"
    rf"|scoreboard players list {PLAYER_NAME.pattern}"
    rf"|clear {PLAYER_NAME.pattern} minecraft:{ITEM.pattern} 0"
    r")"
)
"""Every text that may ever reach a server; to be used with ``fullmatch``.

A ``clear`` without its final 0 deletes the item, without the item the whole inventory: neither
is in this language.
"""


def _checked(pattern: re.Pattern[str], text: str, what: str) -> str:
    if pattern.fullmatch(text) is None:
        raise ValueError(f"{text!r} is no {what} ({pattern.pattern}): nothing was sent")
    return text


def _prefix(*, namespaced: bool) -> str:
    return "minecraft:" if namespaced else ""


def list_players(*, namespaced: bool) -> str:
    """Return the command that lists who is online."""
    return f"{_prefix(namespaced=namespaced)}list"


def get_score(player: str, objective: str, *, namespaced: bool) -> str:
    """Return the command that reads one score; raises ValueError on a name out of bounds."""
    _checked(PLAYER_NAME, player, "player name")
    _checked(OBJECTIVE_NAME, objective, "objective name")
    return f"{_prefix(namespaced=namespaced)}scoreboard players get {player} {objective}"


def list_scores(player: str, *, namespaced: bool) -> str:
    """Return the command that reads all scores of a player; ValueError on an odd name."""
    _checked(PLAYER_NAME, player, "player name")
    return f"{_prefix(namespaced=namespaced)}scoreboard players list {player}"


def count_item(player: str, item: str, *, namespaced: bool) -> str:
    """Return the probe that counts ``item`` (bare id) and removes none: it ends in `` 0``.

    Without the prefix it is for a pure vanilla server only: EssentialsX owns the short ``clear``,
    and its one deletes. Raises ValueError on a name out of bounds.
    """
    _checked(PLAYER_NAME, player, "player name")
    _checked(ITEM, item, "bare item id")
    return f"{_prefix(namespaced=namespaced)}clear {player} minecraft:{item} 0"


def add_objective(name: str, criterion: str, *, namespaced: bool) -> str:
    """Return the command that creates an objective; ValueError on a name out of bounds."""
    _checked(OBJECTIVE_NAME, name, "objective name")
    _checked(CRITERION, criterion, "statistic criterion")
    return f"{_prefix(namespaced=namespaced)}scoreboard objectives add {name} {criterion}"


def list_objectives(*, namespaced: bool) -> str:
    """Return the command that lists the objectives by display name."""
    return f"{_prefix(namespaced=namespaced)}scoreboard objectives list"
