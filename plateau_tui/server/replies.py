"""Reply text to value, or to a named error that keeps the text.

The texts are vanilla 1.16.5's, and Bukkit's where it has its own. Squared brackets hold display
names, which an admin may have changed to anything, brackets and colons included. An answer
counts only if it names what was asked and holds nothing else: other RCON clients share the
server's reply buffer, so answers can come swapped or glued together.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from plateau_tui.server.classify import (
    COUNT,
    ECHO,
    INTEGER,
    classify,
    garbled,
    holds_known_reply,
    integer,
    plain,
    refusal,
    removed,
    whole,
)
from plateau_tui.server.errors import (
    MismatchError,
    NoPlayerError,
    ObjectiveRefusedError,
    UnknownObjectiveError,
    shown,
)
from plateau_tui.server.roster import VANILLA_LIST, Roster, parse_online

__all__ = [
    "VANILLA_LIST",
    "Added",
    "ObjectiveList",
    "Roster",
    "ScoreList",
    "ScoreReading",
    "classify",
    "parse_added",
    "parse_count",
    "parse_objectives",
    "parse_online",
    "parse_score",
    "parse_scores",
]

_HOLDER: Final = r"[^\s\[\]§]{1,64}"
"""A name as a reply may show it; wider than the names we ask for, to tell a swapped answer."""

_SCORE: Final = re.compile(rf"({_HOLDER}) has ({INTEGER}) \[(.*)\]")
_UNSET: Final = re.compile(rf"Can't get value of (\S+) for ({_HOLDER}); none is set")
_NO_OBJECTIVE: Final = re.compile(rf"Unknown scoreboard objective '([^'\n]*)'{ECHO}")
_SCORES: Final = re.compile(rf"({_HOLDER}) has ({COUNT}) scores:(.*)")
_NO_SCORES: Final = re.compile(rf"({_HOLDER}) has no scores to show")
_ENTRY: Final = re.compile(rf"\[(.*?)\]: ({INTEGER})(?=\[|\Z)")
_OBJECTIVES: Final = re.compile(rf"There are ({COUNT}) objectives: (.*)")
_DISPLAY: Final = re.compile(r"\[(.*?)\](?:, (?=\[)|\Z)")
_FOUND: Final = re.compile(rf"Found ({COUNT}) matching (?:items?|item\(s\)) on player ({_HOLDER})")
_NOTHING: Final = re.compile(rf"No items were found on player ({_HOLDER})")
_SELECTOR: Final = re.compile(
    rf"(?:Found {COUNT} matching (?:items?|item\(s\))|No items were found) on {COUNT} players"
)
_CREATED: Final = re.compile(r"Created new objective \[(.*)\]")
_TOO_LONG: Final = re.compile(rf"Objective names cannot be longer than [0-9]+ characters{ECHO}")
_NO_CRITERION: Final = re.compile(rf"Unknown criterion '[^'\n]*'{ECHO}")


@dataclass(frozen=True, slots=True)
class ScoreReading:
    """One score. ``value`` None means "none is set", which the metric reads as 0.

    ``display`` is the objective's display name, None where the reply shows none.
    """

    value: int | None
    display: str | None


@dataclass(frozen=True, slots=True)
class ScoreList:
    """All scores of a player as (display name, value).

    ``complete`` says that as many were found as the server announced; otherwise a display name
    is ambiguous or the answer was cut, and nothing follows from what is absent.
    """

    announced: int
    entries: tuple[tuple[str, int], ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class ObjectiveList:
    """The display names of all objectives; ``complete`` as in ``ScoreList``."""

    announced: int
    displays: tuple[str, ...]
    complete: bool


class Added(StrEnum):
    """What became of an objective that was to be created."""

    CREATED = "created"
    EXISTING = "existing"


def _same(kind: str, got: str, asked: str, raw: str) -> None:
    if got != asked:
        raise MismatchError(
            f"asked for {kind} {shown(asked)}, the answer is about {shown(got)}: {shown(raw)}; "
            "look for another RCON client on this server",
            raw,
        )


def _reopens(display: str) -> bool:
    """Say whether the bracket around a display name closes inside it, and another opens.

    Two answers glued together look like that (``a]UNI-1 has 7 [b``).
    """
    depth = 0
    closed = False
    for character in display:
        if character == "[":
            if closed:
                return True
            depth += 1
        elif character == "]":
            depth -= 1
            closed = closed or depth < 0
    return False


def parse_score(raw: str, player: str, objective: str) -> ScoreReading:
    """Return one score from the answer to ``scoreboard players get``.

    The reply shows the objective's display name, so only an unset score proves which objective
    was read; the caller compares ``display``.

    Raises:
        MismatchError: it names another player, or another objective.
        UnknownObjectiveError: the objective does not exist: unknown, not 0.
        ReplyError: as ``classify``.

    """
    text = whole(raw)
    if match := _SCORE.fullmatch(text):
        name, number, display = match.groups()
        if _reopens(display) or holds_known_reply(display):
            raise garbled(raw)
        _same("player", name, player, raw)
        return ScoreReading(integer(number, raw), display)
    if match := _UNSET.fullmatch(text):
        _same("objective", match[1], objective, raw)
        _same("player", match[2], player, raw)
        return ScoreReading(None, None)
    if match := _NO_OBJECTIVE.fullmatch(text):
        _same("objective", match[1], objective, raw)
        raise UnknownObjectiveError(
            f"the server has no objective {objective}: its scores are unknown, not 0; find out "
            "who removed it",
            raw,
        )
    raise refusal(raw)


def parse_scores(raw: str, player: str) -> ScoreList:
    """Return all scores of a player from the answer to ``scoreboard players list <player>``.

    Raises:
        MismatchError: it names another player.
        ReplyError: as ``classify``; GarbledReplyError also for two answers in one.

    """
    text = whole(raw)
    if match := _NO_SCORES.fullmatch(text):
        _same("player", match[1], player, raw)
        return ScoreList(0, (), complete=True)
    match = _SCORES.fullmatch(text)
    if match is None:
        raise refusal(raw)
    found = _chain(_ENTRY, match[3], raw)
    _same("player", match[1], player, raw)
    announced = integer(match[2], raw)
    entries = tuple((entry[1], integer(entry[2], raw)) for entry in found)
    clear = not any(_reopens(display) for display, _ in entries)
    return ScoreList(announced, entries, complete=clear and announced == len(entries))


def _chain(pattern: re.Pattern[str], text: str, raw: str) -> list[re.Match[str]]:
    """Return the matches that make up ``text`` end to end; a GarbledReplyError otherwise.

    Matched one by one and not searched for: a hostile text of 1 MiB must not cost its square.
    """
    found: list[re.Match[str]] = []
    position = 0
    while position < len(text):
        match = pattern.match(text, position)
        if match is None or holds_known_reply(match[1]):
            raise garbled(raw)
        found.append(match)
        position = match.end()
    return found


def parse_objectives(raw: str) -> ObjectiveList:
    """Return the display names from the answer to ``scoreboard objectives list``.

    Raises:
        ReplyError: as ``classify``; GarbledReplyError also for two answers in one.

    """
    text = whole(raw)
    if text == "There are no objectives":
        return ObjectiveList(0, (), complete=True)
    match = _OBJECTIVES.fullmatch(text)
    if match is None:
        raise refusal(raw)
    displays = tuple(entry[1] for entry in _chain(_DISPLAY, match[2], raw))
    announced = integer(match[1], raw)
    clear = not any(_reopens(display) for display in displays)
    return ObjectiveList(announced, displays, complete=clear and announced == len(displays))


def parse_count(raw: str, player: str) -> int:
    """Return how many items the probe found on a player, 0 where it found none.

    Raises:
        MismatchError: it names another player, or several.
        NoPlayerError: the player is offline: unknown, not 0.
        ItemsRemovedError: the probe changed the world; stop probing.
        ReplyError: as ``classify``.

    """
    text = whole(raw)
    if match := _FOUND.fullmatch(text):
        _same("player", match[2], player, raw)
        return integer(match[1], raw)
    if match := _NOTHING.fullmatch(text):
        _same("player", match[1], player, raw)
        return 0
    if text == "No player was found":
        raise NoPlayerError(
            f"{player} is offline: the inventory is unknown, not empty; wait until it is back", raw
        )
    if _SELECTOR.fullmatch(text):
        _same("player", "several players", player, raw)
    if "Removed " in plain(raw):  # behind a plugin's prefix, or glued to another answer
        raise removed(raw)
    raise refusal(raw)


def parse_added(raw: str, name: str) -> Added:
    """Return what became of the objective ``name``.

    ``EXISTING`` says nothing of its criterion, which cannot be read back over RCON.

    Raises:
        MismatchError: another objective was created.
        ObjectiveRefusedError: the name is too long, or the criterion counts nothing.
        ReplyError: as ``classify``.

    """
    text = whole(raw)
    if match := _CREATED.fullmatch(text):
        _same("objective", match[1], name, raw)
        return Added.CREATED
    if text == "An objective already exists by that name":
        return Added.EXISTING
    if _TOO_LONG.fullmatch(text) or _NO_CRITERION.fullmatch(text):
        raise ObjectiveRefusedError(
            f"the server would not create {name}: {shown(raw)}; correct it in the registration",
            raw,
        )
    raise refusal(raw)
