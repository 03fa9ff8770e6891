"""What a reply is when it holds no value: the server's error texts, and the rest.

Vanilla joins a command's messages without line breaks (an error and the echo of the command are
one text), plugins add colour codes and newlines; so whole replies are matched, less at most one
newline at the end.
"""

import re
from typing import Final, NoReturn

from plateau_tui.server.errors import (
    CommandFailedError,
    CommandRefusedError,
    EmptyReplyError,
    GarbledReplyError,
    ItemsRemovedError,
    MismatchError,
    ReplyError,
    shown,
)

INTEGER: Final = r"(?:0|-?[1-9][0-9]{0,9})"
"""A score as Java prints an int, so no -0; the range is checked by ``integer``."""

COUNT: Final = r"(?:0|[1-9][0-9]{0,9})"
"""A number that cannot be negative."""

ECHO: Final = r"(?:.*<--\[HERE\])?"
"""The command's echo, which may follow a syntax error directly."""

REPLACED: Final = "\ufffd"
"""What the transport puts for bytes that are no UTF-8."""

_COLOUR: Final = re.compile(r"[§\ufffd][0-9a-fk-orxA-FK-ORX]|\x1b\[[0-9;]*m")

_KNOWN: Final = re.compile(
    rf" has {INTEGER} (?:\[|scores:)| has no scores to show|There (?:are|is) |no objectives"
    r"|Can't get value of "
    r"|Found [0-9]+ matching item|No items were found on |No player was found|Removed [0-9]"
    r"|Unknown (?:or incomplete |scoreboard |item|criterion|command|request)|<--\[HERE\]"
    r"|Incorrect argument for command|An unexpected error occurred|Error executing: "
    r"|Created new objective |An objective already exists|Objective names cannot be|TPS from last "
)
"""Where another answer begins or goes on: the game's texts, and what the lab's producer asks."""

_REFUSED: Final = re.compile(
    r"(?:Unknown or incomplete command, see below for error|Incorrect argument for command"
    r"|Unknown (?:item|criterion) '[^'\n]*'|Expected |Invalid )\n?.*<--\[HERE\]"
    r"|Unknown (?:item|criterion) '[^'\n]*'|Unknown command[^\n]*|Unknown or incomplete command"
    r"[^\n]*|Incorrect argument for command"
    r"|I'm sorry, but you do not have permission[^\n]*"
)
_FAILED: Final = re.compile(
    rf"An unexpected error occurred trying to execute that command{ECHO}"
    r"|An internal error occurred while attempting to perform this command"
    r"|Error executing: [^\n]*"
)
_LONGEST_REFUSAL: Final = 2048
_ECHOED: Final = re.compile(
    r"(?:see below for error|for command|')\n?(?:\.\.\.)?([^']*)<--\[HERE\]\n?"
    r"|Error executing: (.*) \(.*\)\n?"
)


def whole(raw: str) -> str:
    """Return the reply without the one newline that a plugin may put at its end."""
    return raw.removesuffix("\n")


def plain(raw: str) -> str:
    """Return the reply without colour codes (also where the ``§`` came in undecodable)."""
    return _COLOUR.sub("", raw)


def holds_known_reply(text: str) -> bool:
    """Say whether a text that should be one name or label holds a piece of some reply."""
    return _KNOWN.search(text) is not None


def integer(text: str, raw: str) -> int:
    """Return the number; a GarbledReplyError if no Java int can be it."""
    value = int(text)
    if not -(2**31) <= value < 2**31:
        raise garbled(raw)
    return value


def garbled(raw: str) -> GarbledReplyError:
    """Return the error for a reply that is none we know."""
    what = "holds undecodable bytes" if REPLACED in raw else "is none that we know"
    return GarbledReplyError(
        f"the answer {what}: {shown(raw)}; look for a plugin or another RCON client that answers "
        "in between",
        raw,
    )


def swapped(raw: str) -> MismatchError:
    """Return the error for the answer to another client's command."""
    return MismatchError(
        f"the answer is about another command: {shown(raw)}; look for another RCON client on this "
        "server",
        raw,
    )


def refuses_another(raw: str, command: str) -> bool:
    """Say whether a refusal echoes another command than ours: it was another client's answer.

    The game echoes the command, or ``...`` and the ten characters before the fault.
    """
    match = _ECHOED.search(raw[:_LONGEST_REFUSAL])
    if match is None:
        return False
    echo = (match[1] or match[2] or "").strip()
    return echo not in command


def removed(raw: str) -> ItemsRemovedError:
    """Return the alarm: something was taken out of an inventory."""
    return ItemsRemovedError(
        f"ALARM: the server answered {shown(raw)}: the probe may have removed items from a "
        "player; stop probing inventories and look at the server's log",
        raw,
    )


def refusal(raw: str) -> ReplyError:
    """Return the error that an answer without a value is; for the classes see ``classify``."""
    text = whole(plain(raw))
    if not text.strip():
        return EmptyReplyError(
            "the answer was empty: look for a second RCON client, a plugin that took the command "
            "over, or a server that is stopping",
            raw,
        )
    if text.lstrip().startswith("Removed"):
        return removed(raw)
    if _REFUSED.fullmatch(text):
        return CommandRefusedError(
            f"the server refused the command: {shown(raw)}; check its version and its plugins",
            raw,
        )
    if _FAILED.fullmatch(text):
        return CommandFailedError(
            f"the command failed inside the server: {shown(raw)}; look at the server's log, and "
            "ask again",
            raw,
        )
    return garbled(raw)


def classify(raw: str) -> NoReturn:
    """Raise the error that an answer without a value is.

    Raises:
        EmptyReplyError: no characters but blanks.
        ItemsRemovedError: it begins with ``Removed``, whatever was asked.
        CommandRefusedError: unknown command, wrong argument, unknown item.
        CommandFailedError: ``An unexpected error occurred …``, ``Error executing: … (null)``.
        GarbledReplyError: anything else, the answer to an unknown packet type included.

    """
    raise refusal(raw)
