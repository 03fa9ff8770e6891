"""``--ascii``: nothing that is drawn is beyond ASCII, whatever drew it.

Our own texts are put into words that ASCII has before they are laid out; a filter over every line
that is drawn takes what then is left, cell for cell: borders, sparklines, names.
"""

import unicodedata
from functools import lru_cache
from typing import Final

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_WORDS: Final = {
    "—": "--", "\u2013": "-", "…": "...", "\u2019": "'", "\u2018": "'", "“": '"', "”": '"',
    "§": "section ", "Δ": "Delta", "\u03b3": "gamma", "≥": ">=", "≤": "<=", "≠": "!=", "±": "+-",
    "\u00d7": "x", "→": "->", "←": "<-", "\u2212": "-", "·": ".",
}  # fmt: skip
"""What our own texts are written with, in words of ASCII; they may take more cells."""
_CELLS: Final = {
    "·": ".", "…": "~", "—": "-", "\u2013": "-", "\u2212": "-", "\u2019": "'", "\u2018": "'",
    "“": '"', "”": '"', "§": "S", "Δ": "D", "\u03b3": "g", "≥": ">", "≤": "<", "≠": "#", "±": "~",
    "\u00d7": "x", "→": ">", "←": "<", "↑": "^", "↓": "v", "▲": "^", "▼": "v", "►": ">", "◄": "<",
    "▶": ">", "◀": "<", "•": "*", "●": "*", "○": "o", "◆": "*", "■": "#", "□": ".", "✓": "+",
    "✗": "x", "✔": "+", "░": ".", "▒": ":", "▓": "%", "█": "#", "▀": '"', "▄": "=", "▌": "|",
    "▐": "|", "▁": "_", "▂": ".", "▃": "-", "▅": "+", "▆": "*", "▇": "%", "▔": '"', "▏": "|",
    "▎": "|", "▍": "|", "▋": "|", "▊": "|", "▉": "#", "▕": "|",
}  # fmt: skip
"""One cell for one cell; what grows in a sparkline grows in ASCII too."""
_BOX: Final = range(0x2500, 0x2580)
_BRAILLE: Final = range(0x2800, 0x2900)
_BRAILLE_MARKS: Final = " ..::###"
_HORIZONTAL: Final = frozenset("─━┄┅┈┉╌╍═╴╶╸╺╼╾")
_VERTICAL: Final = frozenset("│┃┆┇┊┋╎╏║╵╷╹╻╽╿")


def in_ascii(text: str) -> str:
    """Return a text of ours in ASCII, at whatever length that takes."""
    if text.isascii():
        return text
    return "".join(c if c.isascii() else _WORDS.get(c) or cell_for_cell(c) for c in text)


def cell_for_cell(text: str) -> str:
    """Return a text in ASCII that takes just as many cells as it did."""
    if text.isascii():
        return text
    shown = "".join(c if c.isascii() else _in_cells(c) for c in text)
    cells = cell_len(text)  # of the whole: what is typed may hold sequences that share a cell
    return shown[:cells].ljust(cells)


@lru_cache(maxsize=4096)
def _in_cells(character: str) -> str:
    cells = cell_len(character)
    if character in _CELLS:
        return _CELLS[character]
    code = ord(character)
    if code in _BOX:
        return "-" if character in _HORIZONTAL else "|" if character in _VERTICAL else "+"
    if code in _BRAILLE:
        return _BRAILLE_MARKS[min((code - _BRAILLE.start).bit_count(), len(_BRAILLE_MARKS) - 1)]
    plain = unicodedata.normalize("NFKD", character)[:1]
    if cells == 1 and plain.isascii() and plain.isprintable():
        return plain  # an accent less is still a name
    return "?" * cells


class AsciiOnly(LineFilter):
    """Leaves no character beyond ASCII in a line that is drawn."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in ASCII, each as wide as it was."""
        del background
        return [
            segment
            if segment.text.isascii()
            else Segment(cell_for_cell(segment.text), segment.style, segment.control)
            for segment in segments
        ]
