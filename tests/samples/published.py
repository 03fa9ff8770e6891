"""The two published runs as sample runs: what was published, and nothing that was not."""

import csv
import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from plateau_tui.collector.recovery import opening
from plateau_tui.collector.rowbuild import Slot
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.template import draft_text
from samples.story import CURE_INEFFECTIVE
from samples.writing import INTERVAL_MS, Clock, attest, open_story, open_window, reading_of, tidy

DATA: Final = Path(__file__).parent.parent / "data"
P1_CSV: Final = DATA / "p1_inventory.csv"
P2_JSON: Final = DATA / "p2_final_counts.json"
P1_NOTE: Final = (
    "published figures of P1: inventories by local time, without a date; no counter was read, and "
    "the gate here was written afterwards, so nothing can be claimed from this run"
)
P2_NOTE: Final = (
    "published final figures of P2, 6 units an arm, as one reading: each unit's placed total "
    "stands under dirt, as the blocks were not published; mined kinds were published as sums of "
    "an arm (13 and 15), so no unit's are known; the pin and the units' presence are assumed, and "
    "the gate here was written afterwards"
)


def p1_cycles() -> Iterator[list[dict[str, str]]]:
    """Yield the published figures, one list a poll."""
    with P1_CSV.open(encoding="utf-8", newline="") as file:
        for _, lines in groupby(csv.DictReader(file), key=lambda line: line["cycle"]):
            yield list(lines)


def _local_ms(text: str) -> int:
    """Return a local time of day as milliseconds of the epoch's day."""
    hours, minutes = text.split(":")
    return (int(hours) * 60 + int(minutes)) * 60_000


def _p1_row(row: Row, line: dict[str, str]) -> Row:
    """Return a gap row with the published inventory of its unit."""
    held = int(line["wooden_pickaxe"])
    other = ", ".join(f"{key} {line[key]}" for key in ("planks", "logs", "tools"))
    return replace(
        row,
        inv_now={"wooden_pickaxe": held, "cobblestone": int(line["cobblestone"])},
        pickaxe_hoard=held,
        note=f"published at {line['local_time']} local time: {other}; counters were not read",
    )


def write_p1(path: Path) -> None:
    """Write the published P1 inventories as a run.

    They have a local time and no date: the rows stand on the epoch's day, in the slot in which
    the local time lies.
    """
    polls = list(p1_cycles())
    clock = Clock(_local_ms(polls[0][0]["local_time"]))
    accept = "Published inventories, not a gate that was sealed before the run."
    text = (
        draft_text("p1_inventory", 3)
        .replace("cycles = 66 ", f"cycles = {len(polls)} ")
        .replace('accept = "" ', f'accept = "{accept}" ')
    )
    writer, registration = open_story(path, "p1_inventory", text, clock)
    window = open_window(writer, registration, text, "publication", P1_NOTE)
    slot0 = clock.now_ms - clock.now_ms % INTERVAL_MS
    for cycle, lines in enumerate(polls):
        clock.now_ms = _local_ms(lines[0]["local_time"])
        slot = Slot(cycle, slot0 + cycle * INTERVAL_MS)
        by_unit = {line["uni"]: line for line in lines}
        rows = [_p1_row(row, by_unit[row.uni]) for row in window.builder.gap_rows(slot, "")]
        if cycle:
            window.write(slot, rows)
        else:
            window.open(slot, rows, opening(slot0, registration, writer.state))
    writer.journal(window.closing(early=False, why="the published table ends here", by=None))
    writer.require_written()
    writer.close()
    tidy(path)


def p2_placed() -> dict[str, int]:
    """Return unit -> published placed total."""
    published = json.loads(P2_JSON.read_text(encoding="utf-8"))
    return {
        f"UNI-{published[arm]['kin']}-{number}": total
        for arm in ("treatment", "control")
        for number, total in enumerate(published[arm]["placed_used_total"], start=1)
    }


def _p2_text() -> str:
    text = draft_text("p2_final_counts", 6)
    for old, new in (("UNI-11-", "UNI-13-"), ("kin = 11", "kin = 13")):
        text = text.replace(old, new)
    for old, new in (
        ("UNI-10-", "UNI-12-"),
        ("kin = 10", "kin = 12"),
        ('label = "curiosity"', 'label = "metabolism"'),
        ("novelty_gain: 0.5 in treatment, 0.0 in control", "the organ under test in P2"),
        ("cycles = 66 ", "cycles = 1 "),
    ):
        text = text.replace(old, new)
    return text


def write_p2(path: Path) -> None:
    """Write the published final counts of P2 as a run of one reading."""
    placed, text, slot0 = p2_placed(), _p2_text(), 0
    clock = Clock(slot0)
    writer, registration = open_story(path, "p2_final_counts", text, clock)
    for unit in registration.units:
        writer.journal(
            ev.Pinned(
                by="publication",
                unit=unit.name,
                species="oak_log",
                evidence={},
                anyway="assumed: the farmed species was not published",
            )
        )
    window = open_window(writer, registration, text, "publication", P2_NOTE)
    unknown = dict.fromkeys(o.name for o in registration.objectives)
    known = {o.name: 0 for o in registration.objectives if o.name.startswith("place_")}
    counts = {name: unknown | known | {"place_dirt": total} for name, total in placed.items()}
    online = dict.fromkeys(placed, True)
    slot = Slot(0, slot0)
    reading = reading_of(registration, slot, counts, online, dict.fromkeys(placed))
    rows = [
        replace(row, read_ts=None, span_ms=None, pair_skew_ms=None, read=None, note=P2_NOTE)
        for row in window.builder.rows(slot, reading, None)
    ]
    window.open(slot, rows, opening(slot0, registration, writer.state))
    writer.journal(window.closing(early=False, why="the published table ends here", by=None))
    attest(writer, CURE_INEFFECTIVE)
    writer.close()
    tidy(path)
