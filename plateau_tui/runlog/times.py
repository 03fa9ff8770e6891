"""Instants as the log writes them: UTC, three decimals, ``Z``.

Inside the program an instant is an int: milliseconds since 1970 in UTC.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_TEXT: Final = re.compile(r"[12]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_MILLISECOND: Final = timedelta(milliseconds=1)


def format_ms(ms: int) -> str:
    """Return ``2026-01-01T00:10:00.000Z`` for milliseconds since 1970."""
    moment = _EPOCH + timedelta(milliseconds=ms)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


@lru_cache(maxsize=64)  # the rows of a cycle share their slot
def parse_ms(text: str) -> int:
    """Return milliseconds since 1970 for a time as the log writes it.

    A year after 2999 is none: a slot counted on from there could not be written.

    Raises:
        ValueError: the text is no such time.

    """
    if not _TEXT.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is not a time like 2026-01-01T00:10:00.000Z")
    moment = datetime.fromisoformat(text)
    return (moment - _EPOCH) // _MILLISECOND
