"""Numbers of things in plain English, as the verdict's sentences say them."""


def counted(number: int, what: str) -> str:
    """Return a number of things: "1 cycle", "2 cycles"."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def out_of(number: int, total: int, what: str) -> str:
    """Return a part of some things: "2 of 3 cycles", "1 of 1 cycle"."""
    return f"{number} of {counted(total, what)}"


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
