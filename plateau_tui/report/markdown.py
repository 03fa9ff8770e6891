"""Foreign text in Markdown: it is shown as it stands and never renders as markup."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from plateau_tui.metric.tables import shown

_MAX_TEXT: Final = 20_000
_MARKUP: Final = re.compile(r"[\\`*_\[\]<#|~&$@]")
_LINKING: Final = re.compile(r":(?=//|[a-z_+-][\w+-]*:)|(?<=www)\.", re.IGNORECASE)
_BLOCK: Final = re.compile(r"(?:[-+](?=\s|$)|>|[-=]{2,}|\d+(?=[.)](?:\s|$)))")
_INSIDE_NAME: Final = re.compile(r"(?<=[^\W_])\\(?=_[^\W_])")


def plain(text: str, limit: int = _MAX_TEXT) -> str:
    """Return text on one line as Markdown that renders as exactly that text.

    Control characters stand escaped; what exceeds ``limit`` characters is cut, with an ellipsis.
    """
    line = " ".join(shown(" ".join(text.split()), limit).split())
    line = _LINKING.sub(r"\\\g<0>", _MARKUP.sub(r"\\\g<0>", line))
    line = _INSIDE_NAME.sub("", line)  # place_dirt: no emphasis begins inside a word
    start = _BLOCK.match(line)
    if start is None:
        return line
    end = start.end() if line[start.start()].isdigit() else start.start()
    return f"{line[:end]}\\{line[end:]}"


def verbatim(lines: Iterable[str]) -> list[str]:
    """Return lines as a code block: indented, so that no line can end it."""
    return ["    " + shown(line, _MAX_TEXT) for line in lines]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table; the cells are Markdown already."""
    return ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]
