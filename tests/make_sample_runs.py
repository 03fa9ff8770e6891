"""Makes ``sample_runs/`` anew: two demo runs, and the published P1 inventory as a run.

Run it as ``make sample-runs``. The P1 figures are inventories that were published with a local
time and no date; counters were not read then. So the rows stand on the epoch's day, in the slot
in which the local time lies, with every counter null.
"""

import csv
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from msgspec.structs import replace

from plateau_tui.collector.recovery import opening
from plateau_tui.collector.rowbuild import RowBuilder, Slot
from plateau_tui.collector.run import OpenRun, registration_of
from plateau_tui.collector.window import WindowLog
from plateau_tui.metric.registration import seal_hash
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder, create_run
from plateau_tui.runlog.progress import RunProgress
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.template import draft_text
from plateau_tui.runlog.writer import RunWriter

ROOT = Path(__file__).parent.parent
SAMPLES = ROOT / "sample_runs"
P1_CSV = Path(__file__).parent / "data" / "p1_inventory.csv"
DEMOS = ("builders_vs_hoarders", "hoarders_vs_hoarders")
INTERVAL_MS = 600_000
P1_NOTE = (
    "published figures of P1: inventories by local time, without a date; no counter was read, and "
    "the gate here was written afterwards, so nothing can be claimed from this run"
)


def p1_cycles() -> Iterator[list[dict[str, str]]]:
    """Yield the published figures, one list a poll."""
    with P1_CSV.open(encoding="utf-8", newline="") as file:
        for _, lines in groupby(csv.DictReader(file), key=lambda line: line["cycle"]):
            yield list(lines)


def local_ms(text: str) -> int:
    """Return a local time of day as milliseconds of the epoch's day."""
    hours, minutes = text.split(":")
    return (int(hours) * 60 + int(minutes)) * 60_000


def p1_text(cycles: int) -> str:
    """Return the gate under which the published figures stand."""
    accept = "Published inventories, not a gate that was sealed before the run."
    return (
        draft_text("p1_inventory", 3)
        .replace("cycles = 66 ", f"cycles = {cycles} ")
        .replace('accept = "" ', f'accept = "{accept}" ')
    )


def p1_row(row: Row, line: dict[str, str]) -> Row:
    """Return a gap row with the published inventory of its unit."""
    held = int(line["wooden_pickaxe"])
    other = ", ".join(f"{key} {line[key]}" for key in ("planks", "logs", "tools"))
    return replace(
        row,
        inv_now={"wooden_pickaxe": held, "cobblestone": int(line["cobblestone"])},
        pickaxe_hoard=held,
        note=f"published at {line['local_time']} local time: {other}; counters were not read",
    )


def make_p1(path: Path) -> None:
    """Write the published P1 inventories as a run."""
    polls = list(p1_cycles())
    now = local_ms(polls[0][0]["local_time"])
    folder = RunFolder(path)
    text = p1_text(len(polls)).encode("utf-8")
    create_run(folder, {"registration.toml": text.decode("utf-8")}, 0o755)
    writer = RunWriter(folder, lambda: now)
    writer.journal(ev.Sealed(by="publication", sha256=seal_hash(text), text=text.decode("utf-8")))
    writer.journal(ev.Note(by="publication", text=P1_NOTE))
    registration = registration_of(folder, writer.state)
    writer.open_rows(0)
    run = OpenRun(folder, writer, registration)
    window = WindowLog(run, RunProgress(registration, writer.state))
    builder = RowBuilder(registration, writer.state)
    slot0 = now - now % INTERVAL_MS
    for cycle, lines in enumerate(polls):
        now = local_ms(lines[0]["local_time"])
        slot = Slot(cycle, slot0 + cycle * INTERVAL_MS)
        by_unit = {line["uni"]: line for line in lines}
        rows = [p1_row(row, by_unit[row.uni]) for row in builder.gap_rows(slot, "")]
        if cycle:
            window.write(slot, rows)
        else:
            window.open(slot, rows, opening(slot0, registration, writer.state))
    writer.journal(window.closing(early=False, why="the published table ends here", by=None))
    writer.require_written()
    writer.close()


def make_demo(scenario: str, path: Path) -> None:
    """Run the demo and keep what makes a run readable."""
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch) / scenario
        command = [sys.executable, "-m", "plateau_tui", "demo", "--headless", "--to", str(made)]
        subprocess.run([*command, "--scenario", scenario, "--cycles", "10"], check=True)
        path.mkdir()
        for name in ("registration.toml", "rows.jsonl", "journal.jsonl"):
            shutil.copyfile(made / name, path / name)


def main() -> None:
    """Make all samples anew."""
    os.umask(0o022)
    for name in (*DEMOS, "p1_inventory"):
        shutil.rmtree(SAMPLES / name, ignore_errors=True)
    make_p1(SAMPLES / "p1_inventory")
    for name in ("mailbox",):
        shutil.rmtree(SAMPLES / "p1_inventory" / name)
    for scenario in DEMOS:
        make_demo(scenario, SAMPLES / scenario)


if __name__ == "__main__":
    main()
