"""The last known counts of each unit in the window: for the exploratory analysis alone."""

from collections.abc import Mapping

from plateau_tui.metric.objectives import MINE_BLOCKS, PLACE_BLOCKS
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.scoring import counts_beyond, known
from plateau_tui.runlog.rows import Row

Known = Mapping[str, int]


class FinalCounts:
    """Takes in rows; keeps of each unit the last one that has all counters of a kind."""

    def __init__(self, registration: Registration) -> None:
        self._cycles = registration.window.cycles
        self._units = frozenset(unit.name for unit in registration.units)
        self._placed: dict[str, Known] = {}
        self._mined: dict[str, Known] = {}

    def take(self, row: Row) -> None:
        """Take in the next row."""
        if row.uni not in self._units or row.cycle >= self._cycles:
            return
        for kept, counts, blocks in (
            (self._placed, row.placed_used, PLACE_BLOCKS),
            (self._mined, row.mined, MINE_BLOCKS),
        ):
            values = {block: known(counts.get(block)) for block in blocks}
            if None not in values.values():
                kept[row.uni] = {block: count or 0 for block, count in values.items()}

    def placed_total(self, unit: str, start: Mapping[str, int | None]) -> int | None:
        """Return how many blocks a unit placed since ``start``; None where it is not known."""
        since = _since(self._placed.get(unit), start)
        return None if since is None else sum(since.values())

    def distinct_beyond(
        self, unit: str, start: Mapping[str, int | None], pin: str | None
    ) -> int | None:
        """Return how many kinds beyond the farmed wood a unit mined since ``start``."""
        since = _since(self._mined.get(unit), start)
        if since is None or pin is None:
            return None
        return sum(1 for block, count in since.items() if count > 0 and counts_beyond(block, pin))


def _since(counts: Known | None, start: Mapping[str, int | None]) -> Known | None:
    """Return the counts less the start reading, where both are known."""
    if counts is None:
        return None
    before = {block: known(start.get(block, 0)) for block in counts}
    return (
        None
        if None in before.values()
        else {block: count - (before[block] or 0) for block, count in counts.items()}
    )
