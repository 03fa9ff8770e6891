"""Views made by hand, for the pure functions."""

from dataclasses import replace
from typing import Final

from plateau_tui.console.live.view import Reading, RunView, UnitView

NOW: Final = 1_767_225_600_000 + 3_000_000
SLOT0: Final = 1_767_225_600_000


def unit(name: str = "UNI-10-1", role: str = "treatment", pair: int = 0) -> UnitView:
    assert role in {"treatment", "control"}
    return UnitView(
        name=name,
        role="treatment" if role == "treatment" else "control",
        pair=pair,
        online=True,
        primary=True,
        secondary=False,
        plateau_break=False,
        table_only=False,
        other_log=False,
        placed=12,
        beyond=2,
        beyond_blocks=("stone", "coal_ore"),
        hoard=3,
        baseline="oak_log",
        read_ms=NOW - 5000,
        online_ms=NOW - 5000,
        placed_ms=NOW - 5000,
        mined_ms=NOW - 5000,
        hoard_ms=NOW - 5000,
        counts_ms={"place_dirt": NOW - 5000, "mine_stone": NOW - 5000},
        whole=True,
        gaps=0,
        absent_polls=0,
        counts={"place_dirt": 12, "mine_stone": 3},
        first_moved={"place_dirt": SLOT0},
        readings=(Reading(4, SLOT0 + 2_400_000, {"place_dirt": 12, "mine_stone": None}, ""),),
        woods={"oak_log": 4},
        grown={"oak_log": 4},
    )


def view(**changes: object) -> RunView:
    """A run of three pairs in its window, all well, with some fields changed."""
    units = tuple(
        unit(f"UNI-{kin}-{pair + 1}", role, pair)
        for kin, role in ((10, "treatment"), (11, "control"))
        for pair in range(3)
    )
    made = RunView(
        name="run",
        stage="open",
        registered=True,
        run_id="run",
        arms={"treatment": "curiosity", "control": "control"},
        interval_ms=600_000,
        cycles=66,
        cycle=4,
        slot0_ms=SLOT0,
        collector_pid=4242,
        heartbeat_ms=NOW - 4000,
        rcon_ok=True,
        fault="",
        fault_since_cycle=None,
        seal="b9648cb1dbe0",
        seal_broken=False,
        items_removed=False,
        missing=(),
        voided=(),
        fell=0,
        gaps=0,
        rows=30,
        unreadable=0,
        k_primary=2,
        k_secondary=2,
        objectives=("place_dirt", "mine_stone"),
        units=units,
        journal=(),
        watched={},
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def with_units(**changes: object) -> RunView:
    """A view whose units all differ from the usual in the same way."""
    made = view()
    return replace(made, units=tuple(replace(u, **changes) for u in made.units))  # type: ignore[arg-type]


def with_some(names: set[str], run: RunView | None = None, **changes: object) -> RunView:
    """A view in which some units differ from the others."""
    made = run or view()
    units = (replace(u, **changes) if u.name in names else u for u in made.units)  # type: ignore[arg-type]
    return replace(made, units=tuple(units))
