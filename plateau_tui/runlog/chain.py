"""The hash chain that ties each line of a log to all lines before it.

A line's ``chain`` is the hex SHA-256 over the previous line's ``chain`` (64 ASCII digits) and
this line's bytes before its last ``,"chain":``.
"""

import hashlib
import re
from typing import Final

JOURNAL_GENESIS: Final = "0" * 64
"""What stands for the previous chain in the journal's first line."""

_SEPARATOR: Final = b',"chain":'
_END: Final = re.compile(rb',"chain":"([0-9a-f]{64})"}')
_END_LENGTH: Final = len(_SEPARATOR) + len('"' * 2 + "}") + 64


class ChainFormatError(ValueError):
    """A line that does not end in a chain."""


def link(previous: str, body: bytes) -> str:
    """Return the chain of a line whose bytes before ``,"chain":`` are ``body``."""
    return hashlib.sha256(previous.encode("utf-8") + body).hexdigest()


def seal_line(previous: str, json_object: bytes) -> tuple[bytes, str]:
    """Append the chain to a compact JSON object; return the whole line, and the chain."""
    body = json_object[:-1]
    chain = link(previous, body)
    return body + _SEPARATOR + b'"' + chain.encode("ascii") + b'"}\n', chain


def split_line(line: bytes) -> tuple[bytes, str]:
    """Return a line's body and its chain; ``line`` comes without its newline.

    Raises:
        ChainFormatError: the line does not end in a chain.

    """
    end = max(0, len(line) - _END_LENGTH)
    match = _END.fullmatch(line, end)
    if match is None:
        raise ChainFormatError("the line does not end in a chain")
    return line[:end], match.group(1).decode("ascii")
