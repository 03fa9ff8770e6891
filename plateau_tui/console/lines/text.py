"""Plain text for the screen: hostile text made harmless, times and ages in words, columns."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from plateau_tui.console.live.view import RunView
from plateau_tui.console.look.plainchars import tame

UNKNOWN: Final = "?"
_MINUTE: Final = 60
_MINUTE_MS: Final = 60_000
_AGES: Final = (
    (31_536_000, "y", 100 * 604_800),
    (604_800, "w", 100 * 86_400),
    (86_400, "d", 86_400),
    (3_600, "h", 3_600),
    (60, "m", 60),
)
"""Seconds in a unit of time, and from how many on it is used: a count takes two digits."""
_UNITS: Final = ((1, ""), (10**3, "k"), (10**6, "M"), (10**9, "G"), (10**12, "T"), (10**15, "P"))


def harmless(text: str, width: int | None = None) -> str:
    """Return text without control, format or bidirectional characters, cut to ``width`` cells."""
    kept = tame(text)
    if width is None or cells(kept) <= width:
        return kept
    return f"{_head(kept, width - 1)}~" if width > 0 else ""


def _head(text: str, width: int) -> str:
    """Return as much of a harmless text's beginning as ``width`` cells hold."""
    if text.isascii():
        return text[:width]
    taken = 0
    for place, character in enumerate(text):
        taken += cells(character)
        if taken > width:
            return text[:place]
    return text


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
    return pad(f"~{_head(shown[::-1], width - 1)[::-1]}", width)


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


def fold_words(text: str, width: int) -> list[str]:
    """Return text in lines of at most ``width`` cells, broken between words where that is possible.

    A word that no line holds is broken where its line ends.
    """
    lines = [""]
    for word in harmless(text).split():
        rest = word
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if cells(joined) <= width:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        while cells(rest) > width:
            head = rest[:width]
            while len(head) > 1 and cells(head) > width:
                head = head[:-1]
            lines[-1], rest = head, rest[len(head) :]
            lines.append("")
        lines[-1] = rest
    return lines


def fold_to(text: str, width: int, most: int) -> list[str]:
    """Return text in at most ``most`` lines, as ``fold_words`` does; what is cut is marked."""
    lines = fold_words(text, width)
    if len(lines) > most:
        return [*lines[: most - 1], harmless(f"{lines[most - 1]} ...{'':{width}}", width)]
    return lines


def age(milliseconds: int | None, *, coarse: bool = False) -> str:
    """Return an age in at most three cells: 12s, 8m, 3h, 2d, 20w; ? where there is none.

    ``coarse`` counts the first minute by 10 s: a screen that is polled every few minutes need
    not be drawn every second.
    """
    if milliseconds is None:
        return UNKNOWN
    seconds = max(0, milliseconds // 1000)
    for size, unit, least in _AGES:
        if seconds >= least:
            return f"{seconds // size}{unit}"
    return f"{seconds // 10 * 10 if coarse else seconds}s"


def moment(ts: str, today: str) -> str:
    """Return a log's time as a clock's, with its date where that is not ``today`` (ISO 8601)."""
    return ts[11:19] if ts[:10] == today else f"{ts[5:10]} {ts[11:19]}"


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


def flag(value: bool | None, *, disclosed: str = "", stale: bool = False) -> str:  # noqa: FBT001
    """Return a flag as a word that needs no colour.

    YES and no are known, ? is unknown; ``disclosed`` stands in for a YES that rests on something
    to be disclosed (tbl: the table alone, log: another log); a stale word stands in brackets.
    """
    word = UNKNOWN if value is None else (disclosed or "YES") if value else "no"
    return bracketed(word) if stale else word


def bracketed(word: str) -> str:
    """Return a word as it stands when what it says is old."""
    return f"({word})"


def number(value: int | None, cells: int = 5, *, stale: bool = False) -> str:
    """Return a count in at most ``cells``: large ones short, old ones in brackets.

    12345678 in five cells is 12M, and (12M) where it is old; in three >9M says it is more.
    ? is unknown: nothing is known there that could be old.
    """
    if value is None:
        return UNKNOWN
    return bracketed(_short(value, cells - 2)) if stale else _short(value, cells)


def _short(value: int, cells: int) -> str:
    if len(str(value)) <= cells:
        return str(value)
    if value < 0:
        return "<0" if cells > 1 else "<"
    at_least = ">"
    for size, unit in _UNITS:
        shown = f"{value // size}{unit}"
        if len(shown) <= cells and value >= size:
            return shown
        nines = "9" * (cells - 1 - len(unit))
        if nines and value > int(nines) * size:
            at_least = f">{nines}{unit}"
    return at_least


def live(value: bool | None, *, stale: bool = False) -> str:  # noqa: FBT001 - the flag is the data
    """Return whether a unit is in the players' list, as a word."""
    if value is None:
        return UNKNOWN
    word = "on" if value else "off"
    return bracketed(word) if stale else word
