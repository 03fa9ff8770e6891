"""Where a log that nobody writes ends: its last line, and what stands behind that is no line."""

import contextlib
import re
from pathlib import Path
from typing import Final

from plateau_tui.runlog.chain import ChainFormatError, link, split_line
from plateau_tui.runlog.lines import whole_lines

_CHAIN: Final = re.compile(rb',"chain":"[0-9a-f]{64}"}')


def sound_end(path: Path, head: str) -> tuple[int, str]:
    """Return the offset behind a log's last line, and its chain; 0 and ``head`` without one.

    Lines without a chain behind it are another program's, and so is a line that bears the chain
    of an earlier one: it is a copy, as no two lines of a log have the same. A line with a chain of
    its own that does not follow stays, however: it may be one that was changed, and ``verify`` is
    to say so.
    """
    end, last, _ = _ends(path)
    return end, last or head


def copied_tail(path: Path) -> frozenset[int]:
    """Return where the lines begin that stand behind a log's last line and are copies of earlier.

    The next writer sets them aside.
    """
    return frozenset(_ends(path)[2])


def _ends(path: Path) -> tuple[int, str, list[int]]:
    """Return the offset behind the last line, its chain, and the offsets of copies behind it."""
    end, last = 0, ""
    copies: list[int] = []
    seen: set[bytes] = set()
    for line in whole_lines(path):
        with contextlib.suppress(ChainFormatError):
            chain = split_line(line.data)[1]
            digest = bytes.fromhex(chain)
            if digest in seen:
                copies.append(line.byte)
                continue
            end, last = line.end, chain
            copies.clear()
            seen.add(digest)
    return end, last, copies


def unfinished_line(tail: bytes, head: str) -> bytes:
    """Return the line that follows ``head`` and only lacks its newline; empty where none does.

    Args:
        tail: the bytes behind the log's last line; anything may stand behind the sought one.
        head: the chain of the log's last line.

    """
    match = _CHAIN.search(tail)
    line = tail[: match.end()] if match else b""
    if line:
        body, chain = split_line(line)
        if link(head, body) == chain:
            return line
    return b""
