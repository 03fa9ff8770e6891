"""Rows of the lab's earlier collector (``phase2_red/1``), made up as run-log.md describes them.

Nested: counters under ``rcon``, telemetry under ``probe``; ``cycle`` in seconds since 1970; rows
of several ``collector_id``s; a failed read is an ``rcon`` with ``rcon_ok`` false and no counters.
"""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from plateau_tui.metric.objectives import CRAFT_ITEMS, MINE_BLOCKS, PLACE_BLOCKS

T0: Final = 1_782_340_860  # some seconds after a slot, as a timer starts a collector
INTERVAL_S: Final = 600
COLLECTORS: Final = ("L1-systemd@colony", "L2-sidecar@colony")
UNITS: Final = tuple(
    (arm, kin, f"UNI-{kin}-{number}")
    for arm, kin in (("treatment", 12), ("control", 13))
    for number in range(1, 7)
)

Json = dict[str, object]
Counts = dict[str, int | None]
Counters = Callable[[str, int], tuple[Counts, Counts]]
"""Unit and cycle -> counts placed and mined."""


def frozen(unit: str, cycle: int) -> tuple[Counts, Counts]:
    """A unit that begins with something and then stands still, as most did."""
    number = int(unit[-1])
    placed = dict.fromkeys(PLACE_BLOCKS, 0) | {"dirt": min(cycle, number)}
    mined = dict.fromkeys(MINE_BLOCKS, 0) | {"oak_log": 4 * min(cycle, 20 * number)}
    if number == 3 and cycle > 5:
        mined |= {"stone": min(cycle, 80), "sand": 1}
    return dict(placed), dict(mined)


def a_row(unit: tuple[str, int, str], second: int, collector: str, rcon: Json | None) -> Json:
    """One row; ``rcon`` None is a read that failed."""
    arm, kin, name = unit
    return {
        "schema": "phase2_red/1",
        "poll_ts": "2026-06-24T22:41:00.123456Z",
        "cycle": second,
        "collector_id": collector,
        "arm": arm,
        "kin": kin,
        "uni": name,
        "rcon": rcon if rcon is not None else {"rcon_ok": False, "error": ":econnrefused"},
        "probe": {
            "phase": 1,
            "novelty_gain": 0.0,
            "action_entropy": 1.0892,
            "learned_cells": 41,
            "tick": second - T0,
            "probe_ok": True,
        },
    }


def rcon(placed: Counts, mined: Counts, held: int = 1) -> Json:
    """What was read of a unit."""
    return {
        "placed_used": placed,
        "mined": mined,
        "crafted": dict.fromkeys(CRAFT_ITEMS, 1),
        "inv_now": {"wooden_pickaxe": held, "oak_log": 4},
        "placed_used_total": sum(n or 0 for n in placed.values()),
        "distinct_block_types": sum((n or 0) > 0 for n in placed.values()),
        "distinct_mined_types": sum((n or 0) > 0 for n in mined.values()),
        "rcon_ok": True,
    }


def rows(
    cycles: int,
    counters: Counters = frozen,
    collectors: tuple[str, ...] = COLLECTORS[:1],
    gaps: Iterable[int] = (),
    units: tuple[tuple[str, int, str], ...] = UNITS,
) -> Iterator[Json]:
    """The rows of so many cycles; the second collector comes 40 seconds after the first."""
    failed = set(gaps)
    for cycle in range(cycles):
        for late, collector in enumerate(collectors):
            second = T0 + cycle * INTERVAL_S + 40 * late
            for unit in units:
                read = None if cycle in failed else rcon(*counters(unit[2], cycle))
                yield a_row(unit, second, collector, read)


def lines(found: Iterable[Json]) -> bytes:
    return b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in found)


def write(path: Path, found: Iterable[Json]) -> Path:
    """Write rows, gzipped where the name ends so."""
    data = lines(found)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path
