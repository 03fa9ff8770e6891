"""What is left of rows that were cut under their writer: sound, and in no file of the log."""

import re
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
_OWN_NAME: Final = re.compile(r"rows\.cut-[0-9]{1,9}")
"""How the writer names one; a copy takes no other name from a folder."""


def left_of_a_cut(rows: Path, sealed_sha256: str, vouched: Collection[str]) -> tuple[Stretch, ...]:
    """Return the rows that hang together from the seal on in a file that was cut and set aside.

    Args:
        rows: the rows' own file.
        sealed_sha256: what stands before the first row.
        vouched: the heads that heartbeats count.

    """
    other = _cut_off(rows, sealed_sha256)
    if other is None:
        return ()
    book = TrustBook(other.name)
    for line, cycle, chain in _following(other, sealed_sha256):
        book.take(line, cycle, chain, vouched=chain in vouched)
    return book.finish(contradicted=False)


def copy_left(rows: Path, sealed_sha256: str, copied: Path) -> None:
    """Put those rows beside a copy of the log that lacks them, under the name that they have.

    Args:
        rows: the rows' own file.
        sealed_sha256: what stands before the first row.
        copied: the rows' copy; where that begins with the first row nothing is lacking.

    Raises:
        OSError: a file cannot be read or written.

    """
    other = _cut_off(rows, sealed_sha256)
    if other is None or not goes_with(other, copied, sealed_sha256):
        return
    with copied.with_name(other.name).open("wb") as out:
        for line, _, _ in _following(other, sealed_sha256):
            out.write(line.data + b"\n")


def goes_with(other: Path, rows: Path, sealed_sha256: str) -> bool:
    """Say whether a file is what was left of rows that were cut, and the rows lack it."""
    named = _OWN_NAME.fullmatch(other.name) is not None
    return named and goes_on_from(other, sealed_sha256) and not goes_on_from(rows, sealed_sha256)


def _cut_off(rows: Path, sealed_sha256: str) -> Path | None:
    """Return the file that was cut and set aside, and begins with the first row."""
    named = (other for other in candidates(rows) if CUT in other.name)
    return next((other for other in named if goes_on_from(other, sealed_sha256)), None)


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
