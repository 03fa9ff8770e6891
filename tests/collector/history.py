"""What a server's scoreboard really held and when, and rows held against it."""

import random
import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.scan import read_rows, scan_journal
from plateau_tui.runlog.times import parse_ms

READ_ONLY = re.compile(
    r"(?:minecraft:)?(?:list|scoreboard objectives list"
    r"|scoreboard objectives add [a-z_]{1,16} minecraft\.(?:mined|used|crafted):minecraft\.[a-z_]+"
    r"|scoreboard players get UNI-1[01]-\d+ [a-z_]{1,16}"
    r"|scoreboard players list UNI-1[01]-\d+"
    r"|clear UNI-1[01]-\d+ minecraft:wooden_pickaxe 0)"
)
"""The facts page's list, written down once more."""

Put = Callable[[str, str, int], None]
SLACK_MS = 5


@dataclass
class History:
    """Values by (unit, name) with the moments at which they came; a missing one is 0."""

    put: Put
    _log: dict[tuple[str, str], list[tuple[float, float, int | None]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def change(self, unit: str, name: str, value: int) -> None:
        self.record(unit, name, value, lambda: self.put(unit, name, value))

    def record(self, unit: str, name: str, value: int | None, act: Callable[[], None]) -> None:
        with self._lock:
            before = time.time() * 1000
            act()
            self._log.setdefault((unit, name), []).append((before, time.time() * 1000, value))

    def add(self, unit: str, name: str) -> None:
        self.change(unit, name, (self.last(unit, name) or 0) + 1)

    def last(self, unit: str, name: str) -> int | None:
        log = self._log.get((unit, name))
        return log[-1][2] if log else 0

    def held(self, unit: str, name: str, start_ms: float, end_ms: float) -> set[int | None]:
        """Return every value that stood at some moment of the span."""
        log = self._log.get((unit, name), [])
        changes = [(0.0, 0.0, 0), *log]
        found: set[int | None] = set()
        for place, (came, _, value) in enumerate(changes):
            gone = changes[place + 1][1] if place + 1 < len(changes) else float("inf")
            if came <= end_ms + SLACK_MS and gone >= start_ms - SLACK_MS:
                found.add(value)
        return found


class Mutator:
    """Raises random counters all the time, as bodies at work do."""

    def __init__(
        self,
        history: History,
        units: Sequence[str],
        names: Sequence[str],
        *,
        every_s: float = 0.003,
        seed: int = 7,
    ) -> None:
        self.history, self.units, self.names = history, units, names
        self._every_s = every_s
        self._rng = random.Random(seed)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(5)

    def _work(self) -> None:
        while not self._over.wait(self._every_s):
            self.history.add(self._rng.choice(self.units), self._rng.choice(self.names))


@dataclass
class Compared:
    """How much was held against the history, and what does not hold."""

    rows: int = 0
    values: int = 0
    nulls: int = 0
    wrong: list[str] = field(default_factory=list)


def events_of(folder: RunFolder) -> list[ev.Event]:
    return [e for _, e in timed_events(folder)]


def timed_events(folder: RunFolder) -> list[tuple[str, ev.Event]]:
    entries = [item[1] for item in scan_journal(folder.journal) if isinstance(item, tuple)]
    return [(entry.ts, entry.event) for entry in entries if entry.event is not None]


def counters_of(row: Row, names: dict[str, str]) -> dict[str, int | None]:
    """Return a row's counters by objective; ``names``: role and block -> objective."""
    found = dict(row.extra)
    for role, counts in (("place", row.placed_used), ("mine", row.mined), ("craft", row.crafted)):
        found |= {names[f"{role}/{block}"]: count for block, count in counts.items()}
    return found


def compare(folder: RunFolder, history: History, names: dict[str, str]) -> Compared:
    """Hold every row against what the server held between its question and its writing."""
    written = {
        event.cycle: parse_ms(ts)
        for ts, event in timed_events(folder)
        if isinstance(event, ev.Heartbeat)
    }
    found = Compared()
    for row in read_rows(folder.rows):
        found.rows += 1
        where = f"cycle {row.cycle} {row.uni}"
        counts = counters_of(row, names)
        end = written.get(row.cycle, parse_ms(row.poll_ts) + 60_000)
        start = parse_ms(row.read_ts) if row.read_ts else parse_ms(row.poll_ts)
        for name, count in counts.items():
            if count is None:
                found.nulls += 1
                continue
            found.values += 1
            held = history.held(row.uni, name, start, end)
            if count not in held:
                found.wrong.append(f"{where} {name}: {count}, the server held {held}")
        found.wrong += [f"{where}: {text}" for text in _health(row, counts)]
    return found


def _health(row: Row, counts: dict[str, int | None]) -> Iterable[str]:
    unread = [name for name, count in counts.items() if count is None]
    hoard = row.inv_now["wooden_pickaxe"]
    if (unread or row.online is None) and row.rcon_ok:
        yield f"rcon_ok, but unread: {unread}"
    if (unread or row.online is None or (hoard is None and row.online)) and not row.note:
        yield "unread without a note"
    if not unread and row.online is not None and hoard is not None and not row.rcon_ok:
        yield "all was read, but not rcon_ok"
    if row.read_ts is None and any(count is not None for count in counts.values()):
        yield "counters without read_ts"
