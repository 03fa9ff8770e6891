"""Numbers of things, and digests, in plain English, as sentences and findings say them."""

from typing import Final

_DIGITS: Final = 12
_ABOUT: Final = 3


def counted(number: int, what: str) -> str:
    """Return a number of things: "1 cycle", "2 cycles"."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def out_of(number: int, total: int, what: str) -> str:
    """Return a part of some things: "2 of 3 cycles", "1 of 1 cycle"."""
    return f"{number} of {counted(total, what)}"


def out_of_about(number: int, share: float) -> str:
    """Return how many rows that were read are this share of a log: "27,396 of about 121,000 rows".

    The total is an estimate, and told with three digits that count.
    """
    total = round(number / share)
    about = round(total, min(0, _ABOUT - len(str(total))))
    return f"{number:,} of about {max(number, about):,} rows"


def times(number: int) -> str:
    """Return how often: "once", "4 times"."""
    return "once" if number == 1 else f"{number} times"


def is_are(number: int) -> str:
    """Return "is" for one and "are" for any other number."""
    return "is" if number == 1 else "are"


def has_have(number: int) -> str:
    """Return "has" for one and "have" for any other number."""
    return "has" if number == 1 else "have"


def was_were(number: int) -> str:
    """Return "was" for one and "were" for any other number."""
    return "was" if number == 1 else "were"


def digits_apart(one: str, other: str) -> tuple[str, str]:
    """Return two digests, each cut behind the digit that tells them apart, 12 digits at least."""
    pairs = enumerate(zip(one, other, strict=False), start=1)
    end = max(_DIGITS, next((number for number, (a, b) in pairs if a != b), len(one)))
    return _cut(one, end), _cut(other, end)


def _cut(digest: str, end: int) -> str:
    return f"{digest[:end]}…" if end < len(digest) else digest
