"""A row of the log as the value that the metric's own code takes."""

from collections.abc import Mapping
from typing import Final

from plateau_tui.metric.evidence import HOARD_RECEIPT, RECEIPTS, Reading, Written
from plateau_tui.metric.objectives import HOARD_ITEM
from plateau_tui.runlog.rows import Row

_RECEIPTS: Final = (*RECEIPTS, HOARD_RECEIPT)


def reading_of(row: Row, *, receipts: bool = True) -> Reading:
    """Return a row without what is of the file alone: times, notes, the chain.

    Without ``receipts`` its derived fields are not held against what is re-derived.
    """
    written: Mapping[str, Written] | None = None
    if receipts:
        written = {name: getattr(row, name) for name in _RECEIPTS}
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
        written=written,
        hoard=row.inv_now.get(HOARD_ITEM),
    )
