"""Plain text for the screen: hostile text made harmless, times and ages in words, columns."""

import unicodedata
from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from plateau_tui.console.view import RunView, UnitView

UNKNOWN: Final = "?"
_MINUTE: Final = 60
_MINUTE_MS: Final = 60_000
_STALE_INTERVALS: Final = 2
_VARIATION: Final = frozenset(map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
"""They change the width of the character before them, on some terminals only."""


def harmless(text: str, width: int | None = None) -> str:
    """Return text without control, format or bidirectional characters, cut to ``width`` cells."""
    kept = "".join(c if _shows(c) else "·" for c in text)
    if width is None or cells(kept) <= width:
        return kept
    while kept and cells(kept) > width - 1:
        kept = kept[:-1]
    return f"{kept}~" if width > 0 else ""


def _shows(character: str) -> bool:
    if character in _VARIATION:
        return False
    return character == " " or unicodedata.category(character)[0] not in "CZ"


def cells(text: str) -> int:
    """Return how many cells a text takes, as the screen's layout counts them."""
    return cell_len(text)


def pad(text: str, width: int) -> str:
    """Return text cut or filled to exactly ``width`` cells."""
    shown = harmless(text, width)
    return shown + " " * (width - cells(shown))


def pad_name(name: str, width: int) -> str:
    """Return a name in ``width`` cells; its end is kept, for that is what tells units apart."""
    shown = harmless(name)
    if cells(shown) <= width:
        return pad(shown, width)
    while cells(shown) > width - 1:
        shown = shown[1:]
    return pad(f"~{shown}", width)


def fold(parts: Sequence[str], width: int, gap: str = "  ") -> list[str]:
    """Return parts in as few lines as hold them; none is broken, one that is too long is cut."""
    lines: list[str] = []
    for part in parts:
        shown = harmless(part, width)
        if lines and cells(lines[-1]) + len(gap) + cells(shown) <= width:
            lines[-1] += gap + shown
        else:
            lines.append(shown)
    return lines


def age(milliseconds: int | None, *, coarse: bool = False) -> str:
    """Return an age in words: 12s, 8m, 3h, 2d; ? where there is none.

    ``coarse`` counts the first minute by 10 s: a screen that is polled every few minutes need
    not be drawn every second.
    """
    if milliseconds is None:
        return UNKNOWN
    seconds = max(0, milliseconds // 1000)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds // 10 * 10 if coarse else seconds}s"


def is_slow(view: RunView) -> bool:
    """Say whether a run is polled so seldom that ages by 10 s are fine enough."""
    return view.interval_ms >= _MINUTE_MS or view.stage in {"closed", "adjudicated"}


def countdown(milliseconds: int | None) -> str:
    """Return the time to the next poll: by 10 s above a minute, by the second below."""
    if milliseconds is None:
        return "-"
    if milliseconds <= 0:
        return "now"
    seconds = -(-milliseconds // 1000)
    if seconds > _MINUTE:
        seconds = -(-seconds // 10) * 10
    hours, minutes = divmod(seconds // 60, 60)
    return f"{hours}:{minutes:02d}:{seconds % 60:02d}" if hours else f"{minutes}:{seconds % 60:02d}"


def is_stale(unit: UnitView, view: RunView, now_ms: int) -> bool:
    """Say whether a unit's reading is older than two intervals while the window is open."""
    if view.stage != "open" or unit.read_ms is None:
        return False
    return now_ms - unit.read_ms > _STALE_INTERVALS * view.interval_ms + 1000


def flag(value: bool | None, *, disclosed: str = "", stale: bool = False) -> str:  # noqa: FBT001
    """Return a flag as a word that needs no colour.

    YES and no are known, ? is unknown; ``disclosed`` stands in for a YES that rests on something
    to be disclosed (tbl: the table alone, log: another log); a stale word stands in brackets.
    """
    word = UNKNOWN if value is None else (disclosed or "YES") if value else "no"
    return f"({word})" if stale else word


def number(value: int | None) -> str:
    """Return a count in at most five cells, ? where it is unknown; large ones short."""
    if value is None:
        return UNKNOWN
    for size, unit in ((1, ""), (1_000, "k"), (1_000_000, "M")):
        shown = f"{int(value / size)}{unit}"
        if len(shown) <= 5:  # noqa: PLR2004 - the cells of a column
            return shown
    return ">999M" if value > 0 else "<-99M"


def live(value: bool | None) -> str:  # noqa: FBT001 - the flag is the data
    """Return whether a unit is in the players' list, as a word."""
    return UNKNOWN if value is None else "on" if value else "off"
