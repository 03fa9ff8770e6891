"""Where two JSON values differ first, and two texts in all."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import msgspec

from plateau_tui.metric.tables import shown

_MAX_SHOWN: Final = 160
_MAX_DIFF_LINES: Final = 400
TOLERANCE: Final = 2e-9
"""How far two derived numbers may lie apart: the record keeps nine decimals, and mathematical
libraries differ in the last bits."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first key at which two records differ, and both values as JSON."""

    path: str
    written: str
    derived: str

    def __str__(self) -> str:
        return f"{self.path} is {self.written}, re-derived {self.derived}"


_ABSENT: Final = object()


def first_difference(written: object, derived: object, path: str = "") -> Difference | None:
    """Return where two JSON values differ first, in the derived one's order of keys."""
    if isinstance(written, dict) and isinstance(derived, dict):
        keys = [*derived, *(key for key in written if key not in derived)]
        pairs = ((f"{path}.{key}" if path else str(key), key) for key in keys)
        return next(
            (
                found
                for place, key in pairs
                if (
                    found := first_difference(
                        written.get(key, _ABSENT), derived.get(key, _ABSENT), place
                    )
                )
            ),
            None,
        )
    if isinstance(written, list) and isinstance(derived, list):
        return next(
            (
                found
                for at in range(max(len(written), len(derived)))
                if (
                    found := first_difference(
                        _item(written, at), _item(derived, at), f"{path}[{at}]"
                    )
                )
            ),
            None,
        )
    if _same(written, derived):
        return None
    return Difference(path or "the record", _told(written), _told(derived))


def _item(values: list[object], at: int) -> object:
    return values[at] if at < len(values) else _ABSENT


def _same(written: object, derived: object) -> bool:
    numbers = [
        value
        for value in (written, derived)
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if len(numbers) == 2 and any(isinstance(value, float) for value in numbers):  # noqa: PLR2004
        return abs(numbers[0] - numbers[1]) <= TOLERANCE
    return type(written) is type(derived) and written == derived


def _told(value: object) -> str:
    if value is _ABSENT:
        return "absent"
    return shown(msgspec.json.encode(value).decode("utf-8"), _MAX_SHOWN)


def gate_difference(sealed: str, now: bytes | None) -> list[str]:
    """Return the unified diff from the sealed text to registration.toml's bytes, empty if none.

    ``now`` is None where the file cannot be read.
    """
    if now is None:
        return ["registration.toml is gone or cannot be read"]
    if now == sealed.encode("utf-8"):
        return []
    lines = list(text_difference(sealed, now.decode("utf-8", "backslashreplace")))
    return lines or ["the bytes differ where no line does: line ends, or the end of the file"]


def text_difference(before: str, after: str) -> Iterator[str]:
    """Yield the lines of a unified diff from what was sealed to what stands there now."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "as sealed", "as it is now", lineterm=""
    )
    for number, line in enumerate(lines):
        if number == _MAX_DIFF_LINES:
            yield "(and more)"
            return
        yield line
