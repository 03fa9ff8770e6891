"""What can go wrong between us and a server, told apart by what the operator does next.

Every message is one line. Text that came from the server is shown escaped and cut, so that it
can be printed on any terminal; a reply itself stays whole in ``ReplyError.raw``.
"""

from typing import ClassVar, Final

SHOWN_LENGTH: Final = 120
"""Characters of server text that a message shows at most."""

RAW_LENGTH: Final = 8192
"""Characters of a reply that an error keeps."""


def shown(text: str, limit: int = SHOWN_LENGTH) -> str:
    """Return foreign text in quotes, printable and at most ``limit`` characters long.

    Control characters, ESC, line breaks, bidi overrides and lone surrogates become escapes.
    """
    parts: list[str] = []
    length = 0
    for character in text:
        part = character if character.isprintable() else ascii(character)[1:-1]
        length += len(part)
        if length > limit:
            parts.append("…")
            break
        parts.append(part)
    return f"'{''.join(parts)}'"


class ServerError(Exception):
    """Base of everything this package raises about a server; the message is for the operator.

    ``code`` is the machine's word for the class: it goes into rows and the journal.
    """

    code: ClassVar[str] = "server_error"


class LinkError(ServerError):
    """The connection cannot be used any more; it has been closed."""

    code = "link_failed"


class RefusedError(LinkError):
    """Nothing listens on that port: the server is down, or RCON is off."""

    code = "refused"


class UnresolvableError(LinkError):
    """The host name has no address."""

    code = "unresolvable"


class UnreachableError(LinkError):
    """No way to the host: no route, network down, a firewall's rejection."""

    code = "unreachable"


class TimedOutError(LinkError):
    """The deadline passed before the whole answer was in."""

    code = "timed_out"


class ClosedError(LinkError):
    """The server ended the connection after the login."""

    code = "closed"


class NotRconError(LinkError):
    """Something listens there, but it does not speak RCON (the game port, a web server)."""

    code = "not_rcon"


class ProtocolError(LinkError):
    """The packet stream cannot be trusted: odd id or padding, excess bytes, a lost login."""

    code = "protocol"


class CancelledError(LinkError):
    """The wait was ended from our side; says nothing about the server."""

    code = "cancelled"


class PasswordError(ServerError):
    """The password is wrong, empty or too long: final, never tried again at once."""

    code = "password"


class WrongServerError(ServerError):
    """It speaks RCON, but is no Minecraft server of this kind."""

    code = "wrong_server"


class ReplyError(ServerError):
    """An answer without a value in it.

    ``raw`` is the reply as decoded (its first 8192 characters). ``ask_again`` says whether a
    fresh connection may cure it: other clients share the server's one reply buffer, so an answer
    can come back empty, glued to another or swapped.
    """

    code = "reply"
    _ask_again: ClassVar[bool] = False

    def __init__(self, message: str, raw: str) -> None:
        super().__init__(message)
        self.raw = raw[:RAW_LENGTH]

    @property
    def ask_again(self) -> bool:
        """True when the same question on a fresh connection may be answered properly."""
        return self._ask_again


class EmptyReplyError(ReplyError):
    """An answer of no characters: neither success nor zero."""

    code = "empty_reply"
    _ask_again = True


class MismatchError(ReplyError):
    """A well-formed answer to another question: it names another player or objective."""

    code = "mismatch"
    _ask_again = True


class GarbledReplyError(ReplyError):
    """No reply that we know: glued answers, a plugin's text, undecodable bytes."""

    code = "garbled_reply"
    _ask_again = True


class UnknownObjectiveError(ReplyError):
    """The objective asked for does not exist on the server: unknown, not 0."""

    code = "objective_missing"


class ObjectiveRefusedError(ReplyError):
    """The server would not create the objective: its name is too long or counts nothing."""

    code = "objective_refused"


class NoPlayerError(ReplyError):
    """The player is offline, so his inventory cannot be read: unknown, not 0."""

    code = "no_player"


class CommandRefusedError(ReplyError):
    """The server does not take the command: unknown, or an argument is not to its liking."""

    code = "command_refused"


class CommandFailedError(ReplyError):
    """The command threw inside the server, or in a plugin; asked again it may fare better."""

    code = "command_failed"


class ItemsRemovedError(ReplyError):
    """ALARM: the inventory probe may have deleted items. Stop probing."""

    code = "items_removed"
