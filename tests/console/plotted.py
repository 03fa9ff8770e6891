"""A unit with a series, for the tests of plots and sparklines."""

from dataclasses import replace
from typing import Final

from console.views import unit, view

from plateau_tui.console.live.series import SeriesKeeper
from plateau_tui.console.live.view import RunView, UnitView

NAMES: Final = ("place_dirt", "mine_stone")


def run_of(*counts: int | None, **changes: object) -> tuple[UnitView, RunView]:
    """A unit whose place_dirt was read so, a cycle each, and its run."""
    keeper = SeriesKeeper(NAMES, 66)
    for cycle, count in enumerate(counts):
        keeper.take(cycle, {"place_dirt": count}, (count, None, count))
    one = replace(unit(), series=keeper.now, **changes)  # type: ignore[arg-type] # by field name
    return one, view(units=(one, unit("UNI-11-1", "control")), cycle=len(counts) - 1)
