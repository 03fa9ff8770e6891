"""The server's side of the RCON wire: what one read means, and how a reply is cut.

A packet is `<int32 length><int32 id><int32 type><body> 00 00`, little endian.
"""

import struct
from dataclasses import dataclass
from typing import Final

LOGIN: Final = 3
COMMAND: Final = 2
LOGIN_ANSWER: Final = 2
REPLY: Final = 0
REFUSED_ID: Final = -1
"""The id of the answer to a wrong password, and to a command before the login."""

READ_LIMIT: Final = 1460
"""Bytes the server takes in one read; a request must lie in it, whole and alone."""
REPLY_LIMIT: Final = 4096
"""Characters (UTF-16 units, as Java counts) in one reply packet."""

_SHORTEST_READ: Final = 10
_BODY_AT: Final = 12
_BMP_END: Final = "\uffff"


@dataclass(frozen=True, slots=True)
class Request:
    """A packet as the server understood it; `body` ends at the first NUL."""

    id: int
    type: int
    body: str


def parse_read(data: bytes) -> Request | None:
    """Read what one `recv` gave; None where the server hangs up without a word.

    Server fact: the length must be that of the whole read, so two packets in one read, or part
    of one, end the connection. The read's last byte is never part of the body.
    """
    if len(data) < _SHORTEST_READ or _int_at(data, 0) != len(data) - 4:
        return None
    body = data[_BODY_AT:-1].partition(b"\0")[0]
    return Request(_int_at(data, 4), _int_at(data, 8), body.decode("utf-8", errors="replace"))


def _int_at(data: bytes, offset: int) -> int:
    if len(data) < offset + 4:
        return 0
    value: int = struct.unpack_from("<i", data, offset)[0]
    return value


def packet(packet_id: int, packet_type: int, body: bytes = b"") -> bytes:
    """Build one packet."""
    return struct.pack("<iii", len(body) + 10, packet_id, packet_type) + body + b"\0\0"


def cut(text: str) -> list[str]:
    """Cut a reply into pieces of at most 4096 UTF-16 units; an empty reply is one empty piece.

    A full last piece has nothing after it, which is why a client cannot tell by length alone.
    """
    if not text:
        return [""]
    if max(text) <= _BMP_END:
        return [text[at : at + REPLY_LIMIT] for at in range(0, len(text), REPLY_LIMIT)]
    units = text.encode("utf-16-le", errors="surrogatepass")
    step = 2 * REPLY_LIMIT
    return [
        units[at : at + step].decode("utf-16-le", errors="surrogatepass")
        for at in range(0, len(units), step)
    ]


def reply_packets(packet_id: int, text: str) -> list[bytes]:
    """Build the packets of a reply; half a surrogate pair becomes `?`, as Java encodes it."""
    return [
        packet(packet_id, REPLY, piece.encode("utf-8", errors="replace")) for piece in cut(text)
    ]


def unknown_request(packet_type: int) -> str:
    """Return the reply to a packet of no known type: usable as an end marker."""
    return f"Unknown request {packet_type & 0xFFFFFFFF:x}"
