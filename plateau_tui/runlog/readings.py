"""A row of the log as the value that the metric's own code takes."""

from plateau_tui.metric.evidence import RECEIPTS, Reading
from plateau_tui.runlog.rows import Row


def reading_of(row: Row) -> Reading:
    """Return a row without what is of the file alone: times, notes, the chain."""
    return Reading(
        cycle=row.cycle,
        unit=row.uni,
        online=row.online,
        placed=row.placed_used,
        mined=row.mined,
        crafted=row.crafted,
        extra=row.extra,
        rcon_ok=row.rcon_ok,
        phase=row.phase,
        probe_ok=row.probe_ok,
        probe_arm=row.probe_arm,
        baseline_wood=row.baseline_wood,
        written={name: getattr(row, name) for name in RECEIPTS},
    )
