"""Where a log was changed while nothing wrote it: the first line that does not follow.

``verify`` says all of it; this is what the next collector says in the journal, once.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from plateau_tui.runlog import events as ev
from plateau_tui.runlog.chain import JOURNAL_GENESIS, ChainFormatError, link, split_line
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.lines import Line
from plateau_tui.runlog.scan import Unreadable, scan_journal
from plateau_tui.runlog.segments import log_lines

LOG_EDITED: Final = "log_edited"
"""The fault of a log whose bytes were changed before its end."""


def edits(folder: RunFolder, sealed_sha256: str) -> Iterator[ev.Fault]:
    """Yield a fault for each log with a line that does not follow, unless the journal says so.

    Args:
        folder: the run, whose lock the caller holds and whose ends are sound.
        sealed_sha256: what stands before the first row.

    """
    heads: dict[str, set[str]] = {}
    told: set[str] = set()
    for item in scan_journal(folder.journal):
        if isinstance(item, Unreadable):
            continue
        match item[1].event:
            case ev.LogRestarted(file=file, head=head):
                heads.setdefault(file, set()).add(head)
            case ev.Fault(code=code, text=text) if code == LOG_EDITED:
                told.add(text)
            case _:
                pass
    for path, genesis in ((folder.journal, JOURNAL_GENESIS), (folder.rows, sealed_sha256)):
        line = _first_amiss(path, genesis, heads.get(path.name, set()))
        if line is None:
            continue
        name = line.file or path.name
        text = (
            f"{name} was changed at line {line.number} or before it; verify says where, and "
            "nothing mends it"
        )
        if text not in told:
            yield ev.Fault(code=LOG_EDITED, text=text)


def _first_amiss(path: Path, genesis: str, heads: set[str]) -> Line | None:
    """Return the first line that follows neither from the one before nor from a known head."""
    before = genesis
    for line in log_lines(path):
        try:
            body, chain = split_line(line.data)
        except ChainFormatError:
            return line
        if link(before, body) != chain and not any(link(head, body) == chain for head in heads):
            return line
        before = chain
    return None
