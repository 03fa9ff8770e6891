"""What a run folder, or an export, recorded of its units: the journal's state and all rows."""

from dataclasses import dataclass

from plateau_tui.metric.evidence import Reading
from plateau_tui.metric.plain import counted, is_are
from plateau_tui.metric.scoring import Counter
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.readings import reading_of
from plateau_tui.runlog.scan import Unreadable, scan_rows
from plateau_tui.runlog.state import RunState, read_state


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was read.

    Args:
        state: the journal's: pins, start reading, whether the window is closed.
        rows: each row with the wooden pickaxes held, None where not counted.
        left_out: one line for each file that holds lines which cannot be read.

    """

    state: RunState
    rows: tuple[tuple[Reading, Counter], ...]
    left_out: tuple[str, ...]


def read_recorded(folder: RunFolder) -> Recorded:
    """Read a run, without writing; an open run is read so far.

    Raises:
        RunFolderError: there is no run.

    """
    folder.require()
    state, unreadable = read_state(folder.journal)
    rows: list[tuple[Reading, Counter]] = []
    bad = 0
    for item in scan_rows(folder.rows):
        if isinstance(item, Unreadable):
            bad += 1
        else:
            _, row = item
            rows.append((reading_of(row), row.pickaxe_hoard))
    unread = ((folder.journal.name, len(unreadable)), (folder.rows.name, bad))
    left_out = tuple(
        f"{counted(lines, 'line')} of {name} cannot be read and {is_are(lines)} left out; see: "
        "plateau-tui verify"
        for name, lines in unread
        if lines
    )
    return Recorded(state, tuple(rows), left_out)
