"""Makes docs/reliability.md: its text, and the fault matrices of the tests as tables.

    .venv/bin/python docs/make_reliability_page.py

The matrices are what the tests play (tests/faults/matrix.py, tests/logfaults/matrix.py); a test
sees to it that the page is what this makes of them. The soak's figures are measured by hand
(benchmarks/soak.py) and stand in the text.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Protocol

DOCS: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "tests"))

from faults.matrix import SERVER_FAULTS  # noqa: E402 - the path is set above
from logfaults.matrix import ELSEWHERE, FILES  # noqa: E402

TEXT: Final = DOCS / "reliability.in.md"
PAGE: Final = DOCS / "reliability.md"


class Row(Protocol):
    """What both matrices hold of a fault."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def injects(self) -> str:
        """What happens."""

    @property
    def promise(self) -> str:
        """What holds all the same."""


def table(faults: Iterable[Row]) -> str:
    """Return faults as a Markdown table."""
    head: Sequence[Sequence[str]] = (("fault", "what happens", "what holds"), ("---",) * 3)
    rows = [*head, *((fault.name, fault.injects, fault.promise) for fault in faults)]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows)


def page() -> str:
    """Return the page."""
    parts = {
        "server_faults": table(SERVER_FAULTS),
        "file_faults": table(FILES),
        "other_faults": table(ELSEWHERE),
        "server_count": str(len(SERVER_FAULTS)),
        "file_count": str(len(FILES)),
        "other_count": str(len(ELSEWHERE)),
    }
    text = TEXT.read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace(f"{{{name}}}", part)
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
