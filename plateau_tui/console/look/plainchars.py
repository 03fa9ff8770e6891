"""Which characters of foreign text reach the screen, and as what.

Left out is whatever could do more than be seen: control, format and unassigned characters, those
that change their neighbours (variation selectors, flag letters, skin tones, floods of accents),
invisible ones, and those whose width is told differently by the two tables that we have: a line
would then be broken or overwritten by a terminal that counts as the other one does.
"""

import unicodedata
from functools import lru_cache
from typing import Final

from rich.cells import cell_len

REPLACED: Final = "·"
"""What stands where something was left out."""
_MOST_MARKS: Final = 2
"""So many accents may stand over one letter: Vietnamese needs two."""
_SILENT: Final = frozenset(
    map(chr, [*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0), *range(0x180B, 0x1810), 0x34F])
)
"""Variation selectors and the like, without a look of their own: they go without a trace."""
_BLANK: Final = frozenset(map(chr, [0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0]))
"""Letters, marks and signs that nobody can see."""
_FLAG_LETTERS: Final = frozenset(map(chr, range(0x1F1E6, 0x1F200)))
_MARKS: Final = frozenset({"Mn", "Me"})
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})


def tame(text: str) -> str:
    """Return text in which every character is shown as it is, and nothing else happens."""
    if text.isascii() and text.isprintable():
        return text
    kept: list[str] = []
    marks = _MOST_MARKS  # none may stand where there is no letter
    for character in text:
        shown = _shown(character)
        if not shown:
            continue
        if not _is_mark(shown):
            marks = _MOST_MARKS if shown == " " else 0
            kept.append(shown)
        elif marks < _MOST_MARKS:
            marks += 1
            kept.append(shown)
        elif not kept or kept[-1] != REPLACED:
            kept.append(REPLACED)
    return "".join(kept)


def tame_lines(text: str) -> str:
    """Return a text of several lines, each of them tame."""
    return "\n".join(map(tame, text.split("\n")))


def spaced(text: str) -> str:
    """Return text in which a tab, or a space of another kind, is a space, however it ends lines."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(" " if c == "\t" or unicodedata.category(c) == "Zs" else c for c in lines)


def is_mark(character: str) -> bool:
    """Say whether a character stands over the one before it."""
    return _is_mark(character)


def one_way(text: str) -> str:
    """Return text without letters that are written from right to left.

    Numbers of ours that follow such letters on one line would be put before them by a terminal
    that knows both directions (Unicode annex 9, rules N1 and W2).
    """
    if text.isascii():
        return text
    return "".join(REPLACED if unicodedata.bidirectional(c) in _RIGHT_TO_LEFT else c for c in text)


@lru_cache(maxsize=8192)
def _shown(character: str) -> str:
    if character in _SILENT:
        return ""
    if character == " ":
        return character
    category = unicodedata.category(character)
    if category[0] in "CZ" or character in _BLANK or character in _FLAG_LETTERS:
        return REPLACED
    cells = 0 if category in _MARKS else _cells_of_unicode(character)
    return character if cell_len(character) == cells else REPLACED


def _cells_of_unicode(character: str) -> int:
    """Return the cells that the East Asian width asks for; the layout has a table of its own."""
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _is_mark(shown: str) -> bool:
    return not shown.isascii() and unicodedata.category(shown) in _MARKS
