"""What is left of rows that were cut under their writer: sound, and in no file of the log."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

import msgspec

from plateau_tui.runlog.chain import ChainFormatError, link, split_line
from plateau_tui.runlog.lines import Line, whole_lines
from plateau_tui.runlog.rows import decode_row
from plateau_tui.runlog.segments import candidates, goes_on_from
from plateau_tui.runlog.trust import Stretch, TrustBook

CUT: Final = ".cut-"
"""What stands in the name of a file that was cut, and set aside."""


def left_of_a_cut(rows: Path, sealed_sha256: str, vouched: Collection[str]) -> tuple[Stretch, ...]:
    """Return the rows that hang together from the seal on in a file that was cut and set aside.

    Args:
        rows: the rows' own file.
        sealed_sha256: what stands before the first row.
        vouched: the heads that heartbeats count.

    """
    for other in candidates(rows):
        if CUT in other.name and goes_on_from(other, sealed_sha256):
            book = TrustBook(other.name)
            for line, cycle, chain in _following(other, sealed_sha256):
                book.take(line, cycle, chain, vouched=chain in vouched)
            return book.finish(contradicted=False)
    return ()


def _following(path: Path, head: str) -> Iterator[tuple[Line, int, str]]:
    for line in whole_lines(path):
        try:
            body, chain = split_line(line.data)
            row = decode_row(line.data)
        except (ChainFormatError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return
        if link(head, body) != chain:
            return
        yield line, row.cycle, chain
        head = chain
