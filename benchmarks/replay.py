"""What it costs to open a log for its replay, beside a plain decoding of the same file, in one run.

A file of the earlier collector's size and kind (26,244 rows, 12 units), plain and gzipped; a run
of ours of as many rows in which every counter of every row moves, which is the worst case; and a
million rows. Given: the time until the first cycle can be shown, until all is read, and of jumps
to places far apart, with their ratios to the time in which msgspec alone decodes the lines; and
the memory that the reading added, beside the size of the log.

Each file is read in a process of its own, so that one's memory is not another's.

    .venv/bin/python benchmarks/replay.py [--rows 1000000]
"""

import argparse
import gzip
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from plateau_tui.console.replay.reader import ReplayPart, ReplayReader
from plateau_tui.console.replay.timeline import Timeline
from plateau_tui.console.replay.view import view_at
from plateau_tui.metric.objectives import CRAFT_ITEMS, MINE_BLOCKS, PLACE_BLOCKS
from plateau_tui.runlog.archive import open_archive
from plateau_tui.runlog.rows import Row, encode_row
from plateau_tui.runlog.times import format_ms

ROWS: Final = 26_244
UNITS: Final = tuple(
    (arm, kin, f"UNI-{kin}-{n}")
    for arm, kin in (("treatment", 12), ("control", 13))
    for n in range(1, 7)
)
T0_S: Final = 1_782_340_800
INTERVAL_S: Final = 600
JUMPS: Final = 40
WOOD: Final = {"": "oak_log"}


def earlier_lines(rows: int) -> Iterator[bytes]:
    """Yield rows as the earlier collector wrote them: most counters stand still."""
    for number in range(rows):
        cycle, (arm, kin, unit) = number // len(UNITS), UNITS[number % len(UNITS)]
        second = T0_S + cycle * INTERVAL_S
        placed = dict.fromkeys(PLACE_BLOCKS, 0) | {"dirt": min(cycle, kin)}
        mined = dict.fromkeys(MINE_BLOCKS, 0) | {"oak_log": min(cycle, 300), "stone": cycle // 97}
        row = {
            "schema": "phase2_red/1",
            "poll_ts": format_ms(second * 1000),
            "cycle": second,
            "collector_id": "L1-systemd@colony",
            "arm": arm,
            "kin": kin,
            "uni": unit,
            "rcon": {
                "placed_used": placed,
                "mined": mined,
                "crafted": dict.fromkeys(CRAFT_ITEMS, 1),
                "inv_now": {"wooden_pickaxe": 1},
                "placed_used_total": sum(placed.values()),
                "distinct_block_types": 2,
                "distinct_mined_types": 2,
                "rcon_ok": True,
            },
            "probe": {"phase": 1, "action_entropy": 1.08, "tick": number, "probe_ok": True},
        }
        yield json.dumps(row, separators=(",", ":")).encode() + b"\n"


def moving_lines(rows: int) -> Iterator[bytes]:
    """Yield rows of ours in which every counter has moved since the unit's last row."""
    for number in range(rows):
        cycle, (role, kin, unit) = number // len(UNITS), UNITS[number % len(UNITS)]
        slot = (T0_S + cycle * INTERVAL_S) * 1000
        row = Row(
            poll_ts=format_ms(slot),
            read_ts=format_ms(slot + number % 900),
            cycle=cycle,
            collector_id="0123abcd",
            arm=role,
            role="treatment" if role == "treatment" else "control",
            kin=kin,
            uni=unit,
            online=True,
            rcon_ok=True,
            placed_used=dict.fromkeys(PLACE_BLOCKS, cycle),
            mined=dict.fromkeys(MINE_BLOCKS, cycle),
            crafted=dict.fromkeys(CRAFT_ITEMS, cycle),
            extra={},
            inv_now={"wooden_pickaxe": 1},
            baseline_wood="oak_log",
            placed_used_total=5 * cycle,
            distinct_block_types=10,
            distinct_mined_beyond=9,
            pickaxe_hoard=1,
            primary=cycle > 0,
            secondary=cycle > 0,
            plateau_break=cycle > 0,
            live_cur=6,
            live_ctrl=6,
            span_ms=700.0,
            pair_skew_ms=60.0,
            read="list",
            note="",
        )
        yield (
            encode_row(row)[:-1]
            + b',"chain":"'
            + f"{random.getrandbits(256):064x}".encode()
            + b'"}\n'
        )


def write(path: Path, lines: Iterator[bytes]) -> Path:
    """Write a log, gzipped where its name ends so."""
    with gzip.open(path, "wb", 6) if path.suffix == ".gz" else path.open("wb") as file:
        file.writelines(lines)
    return path


# -- one file, in a process of its own ------------------------------------------------------------


def decoding_s(path: Path) -> float:
    """Return how long msgspec alone takes to decode the lines, one held at a time."""
    began = time.perf_counter()
    with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
        for line in file:
            msgspec.json.decode(line)
    return time.perf_counter() - began


def peak_mb() -> float:
    """Return the most memory that this process has used, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(path: Path) -> dict[str, float]:
    """Return the figures of one log."""
    timeline, stop = Timeline(), threading.Event()
    decoded = decoding_s(path)
    before = peak_mb()
    began = time.perf_counter()
    first: list[float] = []

    def tell(part: ReplayPart) -> None:
        timeline.add(part)
        if timeline.source is not None and not first and len(timeline):
            view_at(timeline.moment(0), timeline, timeline.source)
            first.append(time.perf_counter() - began)
        if part.done:
            stop.set()

    wood = WOOD if "old" in path.name else {}
    ReplayReader(open_archive(path), wood).read(stop, tell)
    whole = time.perf_counter() - began
    places = [random.Random(n).randrange(len(timeline)) for n in range(JUMPS)]
    jumps = []
    source = timeline.source
    assert source is not None  # noqa: S101 - a part has come
    for step in [*places, *(len(timeline) - 1 - n for n in range(10))]:
        at = time.perf_counter()
        view_at(timeline.moment(step), timeline, source)
        jumps.append(time.perf_counter() - at)
    jumps.sort()
    return {
        "decode": decoded,
        "first": first[0],
        "whole": whole,
        "jump": jumps[len(jumps) // 2],
        "worst": jumps[-1],
        "memory": peak_mb() - before,
        "size": path.stat().st_size / 1e6,
    }


def main() -> None:
    """Measure each file in a process of its own and print the table."""
    parser = argparse.ArgumentParser(description="What opening a log for its replay costs.")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the largest file")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        print(json.dumps(measure(given.one)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        logs = (
            ("earlier, 26,244 rows", "old.jsonl", earlier_lines, ROWS),
            ("the same, gzipped", "old.jsonl.gz", earlier_lines, ROWS),
            ("ours, all counters move", "moving.jsonl", moving_lines, ROWS),
            (
                f"earlier, {given.rows:,} rows, gzipped",
                "oldbig.jsonl.gz",
                earlier_lines,
                given.rows,
            ),
            (f"ours, {given.rows:,} rows, all move", "big.jsonl", moving_lines, given.rows),
        )
        print(
            f"{'':38}{'file':>9}{'decode':>9}{'first':>9}{'all read':>18}{'jump':>9}{'worst':>9}"
            f"{'memory':>10}"
        )
        for title, name, lines, rows in logs:
            path = write(folder / name, lines(rows))
            words = [sys.executable, __file__, "--one", str(path)]
            done = subprocess.run(words, check=True, capture_output=True, env=os.environ)
            found: dict[str, float] = json.loads(done.stdout)
            path.unlink()
            whole = f"{found['whole']:.2f} s (x{found['whole'] / found['decode']:.1f})"
            print(
                f"{title:38}{found['size']:>6.1f} MB{found['decode']:>7.2f} s"
                f"{found['first']:>7.2f} s"
                f"{whole:>18}{found['jump'] * 1e3:>6.0f} ms{found['worst'] * 1e3:>6.0f} ms"
                f"{found['memory']:>7.1f} MB"
            )


if __name__ == "__main__":
    main()
