"""Rows that no heartbeat counts: what a dead writer leaves, and what was cut off the journal.

A cycle is one write of its rows, then one of its heartbeat, both with an fsync. So a writer that
died owes at most one step: one cycle, or cycles that were missed and have gap rows alone, which
are written many at once. Where more is owed, lines that were written are gone.
"""

from collections.abc import Mapping
from typing import Final

from plateau_tui.metric.plain import counted
from plateau_tui.runlog.rows import Row

MISSED: Final = "missed: "
"""Begins the note of each row of a cycle that nobody read in its time."""

MISSED_AT_ONCE: Final = 200
"""Missed cycles that are written in one step, at most."""

JOURNAL_CUT: Final = "journal_cut"
"""The fault of a journal that lost lines which had been written; nothing mends that."""

CUT_OFF: Final = "journal_cut_off"
"""What ``verify`` calls the same, before such a fault is written and ever after."""


def is_missed(row: Row) -> bool:
    """Say whether a row is the gap row of a missed cycle."""
    return row.read_ts is None and row.note.startswith(MISSED)


def cut_text(cycles: Mapping[int, bool]) -> str | None:
    """Return what to say where no crash leaves so much without a heartbeat; None where one can.

    Args:
        cycles: each cycle with rows behind the last heartbeat, and whether it was missed.

    """
    if len(cycles) <= 1 or (len(cycles) <= MISSED_AT_ONCE and all(cycles.values())):
        return None
    return (
        f"no heartbeat counts the rows of {counted(len(cycles), 'cycle')}, from cycle "
        f"{min(cycles)} on, where a crash leaves one at most: the journal was cut, and what else "
        "it said of them is gone"
    )
