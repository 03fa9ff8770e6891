"""The RCON password: how it is sent, and what hides it where a server says it back.

Whatever a server says may end in a log that is published: a note of a row, a fault, a display
name. So the password is taken out of each whole answer before anything reads, cuts or keeps it.
What it is replaced by can be no player's and no objective's name, and no value.

Some passwords cannot be hidden without spoiling what is read, and are not: ``why_not_hidden``
says which, for whoever can set another.
"""

import re
from collections.abc import Iterable
from typing import Final

from plateau_tui.metric.objectives import METRIC_OBJECTIVES
from plateau_tui.metric.tables import shown

HIDDEN: Final = "<password-not-shown>"
"""Longer than a player's or an objective's name may be, so that it is none."""

MAX_PASSWORD: Final = 1446
"""Bytes of a request's body: the server reads 1460 at once and hangs up on anything longer."""

SHORTEST_HIDDEN: Final = 4
"""Characters of the shortest password that is hidden: less stands in any text by chance."""

_NUMBER: Final = re.compile(r"-?[0-9]{1,10}")
"""What may be a value: a Java int."""

_CODES: Final = r"(?:[§\ufffd][0-9a-fk-orxA-FK-ORX]|\x1b\[[0-9;]{0,8}m){0,4}"
"""Colour codes, which may stand between any two characters and are taken out later."""

_GAME_TEXTS: Final = "\n".join(
    (
        "minecraft:scoreboard objectives add minecraft:scoreboard players get minecraft:clear",
        "minecraft:scoreboard objectives list minecraft:scoreboard players list minecraft:list",
        "There are of a max of players online: There is player online there are no players online",
        "There are no objectives There are objectives: has no scores to show has scores: has [",
        "Can't get value of for ; none is set Unknown scoreboard objective '",
        "Created new objective [ An objective already exists by that name",
        "Objective names cannot be longer than 16 characters Unknown criterion ' Unknown item '",
        "Found matching items on player Found matching item(s) on player No player was found",
        "No items were found on player Removed items from player Removed item(s) from player",
        "Unknown or incomplete command, see below for error Incorrect argument for command",
        "Unknown command. Type /help for help. <--[HERE] Unknown request Error executing: (null)",
        "An unexpected error occurred trying to execute that command",
        "An internal error occurred while attempting to perform this command",
        "I'm sorry, but you do not have permission to perform this command",
        *(f"{o.name} {o.criterion} minecraft:{o.block}" for o in METRIC_OBJECTIVES),
    )
).casefold()
"""What any server says and is asked; a password that stands in here is no more hidden than that."""


def why_not_hidden(password: str, names: Iterable[str] = ()) -> str | None:
    """Return why this password cannot be hidden in what a server says, or None.

    ``names`` are those that the run counts by: its units and objectives. None of the reasons
    cites the password.
    """
    text = password.casefold()
    if len(text) < SHORTEST_HIDDEN:
        return f"it has fewer than {SHORTEST_HIDDEN} characters"
    if _NUMBER.fullmatch(text):
        return "it is a number that could be a count"
    if text in _GAME_TEXTS:
        return "it is a part of the game's own answers"
    name = next((name for name in names if text in name.casefold()), None)
    return None if name is None else f"it is a part of the name {shown(name, 40)}"


class Secret:
    """A password as bytes that no repr, traceback or log can show, and what hides it."""

    __slots__ = ("_hides", "_pattern", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._hides = why_not_hidden(text) is None
        spelt = _CODES.join(re.escape(character) for character in text[:MAX_PASSWORD])
        self._pattern = re.compile(spelt, re.IGNORECASE) if self._hides else None

    def __repr__(self) -> str:
        return "<password>"

    def body(self) -> memoryview | str:
        """Return the bytes, or why they cannot be a password (without citing them)."""
        if not self._text:
            return "the RCON password is empty: the server never takes that; set rcon.password"
        data = self._text.encode("utf-8", "surrogatepass")
        if len(data) > MAX_PASSWORD or b"\0" in data:
            return f"the RCON password is over {MAX_PASSWORD} bytes or holds a NUL: check its file"
        return memoryview(data)

    def keep(self, names: Iterable[str]) -> None:
        """Leave these names as they are, wherever they stand, from now on.

        Where the password is a part of one nothing is hidden any more: the name is in every log
        anyhow, and with a hole in it would be no name, and would tell the password.
        """
        if self._hides:
            self._hides = why_not_hidden(self._text, names) is None

    def hidden_in(self, text: str) -> str:
        """Return a whole answer without the password, in whatever case and colours it stands."""
        if not self._hides or self._pattern is None:
            return text
        return self._pattern.sub(HIDDEN, text)
