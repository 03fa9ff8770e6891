"""What the console costs a terminal, beside three programs of its kind, in one run.

On a pty of 80x24: the time to the first paint (three lines of text on the screen), then what is
written a minute and how much of a processor is used while nobody touches a key. Ours is looked at
on a closed run of 12 units, on one whose collector is alive and polled every minute, and on a log
of 26,004 rows; ``toolong`` on that log, ``harlequin`` on an empty database, ``htop`` by itself.
Those that are not found are named and left out.

    .venv/bin/python benchmarks/console.py [VENV ...] [--idle SECONDS]

VENVs, or the variable PLATEAU_BENCH_VENVS, are where ``toolong`` and ``harlequin`` are installed,
which do not agree on a version of Textual; they are no dependencies of this project.
"""

import argparse
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
import pexpect
import pyte

from plateau_tui.metric.registration import parse_registration
from plateau_tui.resources import game_ids, shipped
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.locks import FileLock
from plateau_tui.runlog.rows import Row, decode_row, encode_row
from plateau_tui.runlog.template import draft_text
from plateau_tui.runlog.times import format_ms

UNITS_PER_ARM: Final = 6
INTERVAL_MS: Final = 60_000
LONG_CYCLES: Final = 2167
"""Times twelve units: 26,004 rows."""
SHORT_CYCLES: Final = 66
LAST_UNIT: Final = f"UNI-11-{UNITS_PER_ARM // 2}"
"""A unit that is in sight at 80x24."""
PAINTED_LINES: Final = 3
SETTLE_S: Final = 5.0
STARTS: Final = 3
DAY_MS: Final = 86_400_000
LIMIT_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Figures:
    """Seconds to the first paint and to the whole, bytes a minute, share of one processor."""

    name: str
    paint_s: float
    whole_s: float
    idle_bytes: float
    idle_cpu: float


# -- the runs -------------------------------------------------------------------------------------


def make_run(folder: RunFolder, cycles: int, *, open_now: bool) -> None:
    """Write a run of 12 units out of a shipped sample's rows and journal.

    ``open_now`` makes it one whose window is open and whose last cycle was just read; otherwise
    it was closed a day ago.
    """
    sample = RunFolder(shipped("sample_runs") / "builders_vs_hoarders")
    rows = [decode_row(line) for line in sample.rows.read_bytes().splitlines()]
    by_kin = {kin: [row for row in rows if row.kin == kin] for kin in (10, 11)}
    planned = cycles * 2 if open_now else cycles
    text = draft_text(folder.path.name, UNITS_PER_ARM)
    text = text.replace("interval_s = 600 ", f"interval_s = {INTERVAL_MS // 1000} ", 1)
    text = text.replace("cycles = 66 ", f"cycles = {planned} ", 1)
    registration = parse_registration(text.encode(), game_ids(), "registration.toml")
    last_slot = this_slot() - (0 if open_now else DAY_MS)
    first_slot = last_slot - (cycles - 1) * INTERVAL_MS
    folder.path.mkdir(parents=True)
    folder.registration.write_text(text, encoding="utf-8")
    with folder.rows.open("wb") as file:
        for cycle in range(cycles):
            for unit in registration.units:
                known = by_kin[10 if unit.arm.role == "treatment" else 11]
                row = moved(known[cycle % len(known)], unit.name, cycle, first_slot)
                file.write(line_of(row))
    write_journal(folder, sample, cycles, first_slot, closed=not open_now)


def this_slot() -> int:
    """Return the slot in which we are."""
    return int(time.time() * 1000) // INTERVAL_MS * INTERVAL_MS


def line_of(row: Row) -> bytes:
    """Return a row's line; nobody checks its chain here."""
    return encode_row(row)[:-1] + b',"chain":"' + b"0" * 64 + b'"}\n'


def moved(row: Row, unit: str, cycle: int, first_slot: int) -> Row:
    """Return a row as another unit's, in another cycle."""
    slot = first_slot + cycle * INTERVAL_MS
    return msgspec.structs.replace(
        row, uni=unit, cycle=cycle, poll_ts=format_ms(slot), read_ts=format_ms(slot + 40)
    )


def write_journal(
    folder: RunFolder, sample: RunFolder, cycles: int, first_slot: int, *, closed: bool
) -> None:
    """Write the sample's journal, its window opened at ``first_slot``, a heartbeat a cycle."""
    lines: list[dict[str, object]] = [
        msgspec.json.decode(line) for line in sample.journal.read_bytes().splitlines()
    ]
    beat = next(line for line in lines if line["event"] == "heartbeat")
    with folder.journal.open("wb") as file:
        for line in lines:
            if line["event"] in {"sealed", "heartbeat", "window_closed", "collector_stopped"}:
                continue
            if line["event"] == "window_opened":
                line |= {"poll_ts": format_ms(first_slot)}
            if line["event"] == "pinned":  # the sample has three pairs
                other = f"{str(line['unit'])[:-1]}{int(str(line['unit'])[-1]) + 3}"
                file.write(msgspec.json.encode(line | {"unit": other}) + b"\n")
            if line["event"] == "collector_started":
                line |= {"pid": os.getpid()}
            file.write(msgspec.json.encode(line) + b"\n")
        for cycle in range(cycles):
            ts = format_ms(first_slot + cycle * INTERVAL_MS + 60)
            file.write(msgspec.json.encode(beat | {"ts": ts, "cycle": cycle}) + b"\n")
        for line in lines:
            if closed and line["event"] == "window_closed":
                file.write(msgspec.json.encode(line | {"cycles": cycles}) + b"\n")


@contextmanager
def collecting(folder: RunFolder) -> Iterator[None]:
    """Hold a run's lock and write a cycle a minute, as its collector does."""
    stop = threading.Event()
    writer = threading.Thread(target=write_cycles, args=(folder, stop), daemon=True)
    with FileLock(folder.lock):
        folder.lock.write_text(f"{os.getpid()}\n", encoding="ascii")
        writer.start()
        try:
            yield
        finally:
            stop.set()
            writer.join()


def write_cycles(folder: RunFolder, stop: threading.Event) -> None:
    """Append each slot's rows, and then its heartbeat, until ``stop``."""
    lines = folder.rows.read_bytes().splitlines()[-2 * UNITS_PER_ARM :]
    rows = [decode_row(line) for line in lines]
    beat = msgspec.json.decode(folder.journal.read_bytes().splitlines()[-1])
    first_slot = this_slot() - rows[0].cycle * INTERVAL_MS
    cycle = rows[0].cycle + 1
    while not stop.wait((first_slot + cycle * INTERVAL_MS) / 1000 + 0.1 - time.time()):
        with folder.rows.open("ab") as file:
            file.writelines(line_of(moved(row, row.uni, cycle, first_slot)) for row in rows)
        ts = format_ms(first_slot + cycle * INTERVAL_MS + 60)
        with folder.journal.open("ab") as file:
            file.write(msgspec.json.encode(beat | {"ts": ts, "cycle": cycle}) + b"\n")
        cycle += 1


# -- the pty --------------------------------------------------------------------------------------


class Pty:
    """A program on a pty, and the screen that a person would see."""

    def __init__(self, argv: list[str], cwd: Path) -> None:
        self.started = time.monotonic()
        self.written = 0
        self._screen = pyte.Screen(80, 24)
        self._stream = pyte.ByteStream(self._screen)
        self.child = pexpect.spawn(
            argv[0],
            argv[1:],
            cwd=str(cwd),
            env=os.environ | {"TERM": "xterm-256color", "HOME": str(cwd)},
            dimensions=(24, 80),
        )

    def read(self, wait_s: float) -> None:
        """Take in what is written within a moment."""
        try:
            data: bytes = self.child.read_nonblocking(65536, wait_s)  # type: ignore[assignment] # bytes without an encoding
        except pexpect.TIMEOUT:
            return
        except pexpect.EOF:
            raise SystemExit(f"{self.child.command} ended: {self.text[-500:]}") from None
        self.written += len(data)
        # pyte knows no private sequences with > or <: Kitty's keys and the like
        self._stream.feed(re.sub(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]", b"", data))

    @property
    def text(self) -> str:
        """The lines that are not empty."""
        return "\n".join(line.rstrip() for line in self._screen.display if line.strip())

    def until(self, words: str) -> float:
        """Return after how many seconds three lines and these words stood on the screen."""
        while self.text.count("\n") < PAINTED_LINES - 1 or words not in self.text:
            self.read(0.02)
            if time.monotonic() - self.started > LIMIT_S:
                raise SystemExit(f"{self.child.command} shows no {words!r}:\n{self.text}")
        return time.monotonic() - self.started

    def idle(self, seconds: float) -> tuple[float, float]:
        """Return bytes a minute and the share of a processor while no key is touched."""
        self.until_quiet()
        began, bytes_before, cpu_before = time.monotonic(), self.written, self.cpu_s()
        while time.monotonic() - began < seconds:
            self.read(0.2)
        took = time.monotonic() - began
        return (self.written - bytes_before) * 60 / took, (self.cpu_s() - cpu_before) / took

    def until_quiet(self) -> None:
        """Let it settle for some seconds."""
        end = time.monotonic() + SETTLE_S
        while time.monotonic() < end:
            self.read(0.2)

    def cpu_s(self) -> float:
        """Return the processor seconds that the program has used."""
        fields = Path(f"/proc/{self.child.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End the program."""
        self.child.close(force=True)


def measure(name: str, argv: list[str], cwd: Path, words: str, idle_s: float) -> Figures:
    """Start a program and wait for its screen, several times; the last time, watch it idle.

    Of the starts the quickest counts: what else the machine does makes the others slower.
    """
    starts: list[tuple[float, float]] = []
    while True:
        pty = Pty(argv, cwd)
        try:
            starts.append((pty.until(""), pty.until(words)))
            if len(starts) == STARTS:
                paint_s, whole_s = (min(times) for times in zip(*starts, strict=True))
                return Figures(name, paint_s, whole_s, *pty.idle(idle_s))
        finally:
            pty.close()


# -- the table ------------------------------------------------------------------------------------


def others(venvs: list[str], log: Path) -> Iterator[tuple[str, list[str], str]]:
    """Yield name, command and words of each program that is found; name those that are not."""
    candidates: tuple[tuple[str, str, list[str], str], ...] = (
        ("toolong, the same log", "tl", [str(log)], "schema"),
        ("harlequin, no database", "harlequin", ["--no-download-tzdata"], "Run Query"),
        ("htop", "htop", [], "PID"),
    )
    folders = os.pathsep.join([*(str(Path(venv) / "bin") for venv in venvs), os.environ["PATH"]])
    for name, program, words, seen in candidates:
        path = shutil.which(program, path=folders)
        if path is None:
            print(f"{name}: not found")
        else:
            yield name, [path, *words], seen


def ratio(value: float, base: float, shown: str) -> str:
    """Return a figure with its ratio to the first line's, where that is not 0."""
    return f"{shown} (x{value / base:.1f})" if base else shown


def print_table(figures: list[Figures]) -> None:
    """Print each figure and its ratio to the first line's."""
    first = figures[0]
    print(f"\n{'':28}{'first paint':>18}{'whole':>9}{'idle bytes/min':>20}{'idle CPU':>18}")
    for each in figures:
        paint = ratio(each.paint_s, first.paint_s, f"{each.paint_s:.2f} s")
        written = ratio(each.idle_bytes, first.idle_bytes, f"{each.idle_bytes:,.0f}")
        cpu = ratio(each.idle_cpu, first.idle_cpu, f"{each.idle_cpu:.4f}")
        print(f"{each.name:28}{paint:>18}{each.whole_s:>7.2f} s{written:>20}{cpu:>18}")


def main() -> None:
    """Measure all that is found and print the table."""
    parser = argparse.ArgumentParser(description="What the console costs a terminal.")
    parser.add_argument("venvs", nargs="*", metavar="VENV")
    parser.add_argument("--idle", type=float, default=120.0, help="seconds to watch each idle")
    given = parser.parse_args()
    venvs = given.venvs or os.environ.get("PLATEAU_BENCH_VENVS", "").split(os.pathsep)
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        home = Path(scratch)
        closed, running, long_log = (RunFolder(home / n) for n in ("closed", "running", "long"))
        make_run(closed, SHORT_CYCLES, open_now=False)
        make_run(running, SHORT_CYCLES, open_now=True)
        make_run(long_log, LONG_CYCLES, open_now=False)
        stack.enter_context(collecting(running))
        size = long_log.rows.stat().st_size / 1e6
        print(f"long log: {LONG_CYCLES * UNITS_PER_ARM * 2} rows, {size:.1f} MB")
        figures = []
        for name, run in (
            ("ours, polled every minute", running),
            ("ours, a closed run", closed),
            ("ours, the long log", long_log),
        ):
            argv = [sys.executable, "-m", "plateau_tui", "attach", str(run.path)]
            figures.append(measure(name, argv, home, LAST_UNIT, given.idle))
        for name, argv, words in others(venvs, long_log.rows):
            figures.append(measure(name, argv, home, words, given.idle))
        print_table(figures)


if __name__ == "__main__":
    main()
