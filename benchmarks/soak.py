"""Whether anything is ever lost, doubled or wrong: thousands of cycles under faults and kill -9.

Twelve units on the embedded server, on a real TCP port; every value that its scoreboard ever held
is kept as the truth, with the moments at which it came and went. The real command line collects
as a child process at the shortest interval, while the server refuses, hangs, lies, restarts,
freezes and rolls back by a seed. Every hundred cycles the collector is killed with SIGKILL at a
random moment of its cycle and started again. At the end every row is held against the truth, and
what stood in the log at each kill against what stands there now. One more run, whose collector is
never killed, says how its memory grows.

    .venv/bin/python benchmarks/soak.py [--cycles 10000] [--seed 1] [--kill-every 100]

The cycles are shared out to runs of 2,000, two of them side by side: a collector reads its whole
log again when it starts, and 0.2 s, the shortest interval a registration may have, is no time for
that. 10,000 cycles take 20 minutes. Cycles that pass while a killed collector starts again are gap
rows, as in life. Exit code 1 when anything was lost, doubled or wrong.
"""

import argparse
import bisect
import contextlib
import functools
import hashlib
import operator
import os
import random
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, fields
from multiprocessing import get_context
from pathlib import Path
from typing import Final, cast

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT)]  # the truth and the faults are the tests' own

from collector.bench import Bench, wait_for  # noqa: E402 - the path is set above
from collector.history import (  # noqa: E402
    READ_ONLY,
    SLACK_MS,
    Compared,
    History,
    Mutator,
    compare,
)
from collector.test_truth import populate  # noqa: E402

from benchmarks.soakweather import Weather  # noqa: E402
from plateau_tui.runlog import events as ev  # noqa: E402
from plateau_tui.runlog.times import parse_ms  # noqa: E402
from plateau_tui.runlog.verify import verify_run  # noqa: E402
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer  # noqa: E402

UNITS_PER_ARM: Final = 6
INTERVAL_S: Final = 0.2
CHANGE_EVERY_S: Final = 0.02
WARM_CYCLES: Final = 300
"""Cycles of a life whose memory is not looked at: modules are loaded, pools are filled."""
RUN_CYCLES: Final = 2000
LIMIT_S: Final = 900.0
PAGE_KB: Final = os.sysconf("SC_PAGE_SIZE") // 1024


class Truth(History):
    """The tests' history, searched by bisection: a soak has too many values to walk through."""

    def held(self, unit: str, name: str, start_ms: float, end_ms: float) -> set[int | None]:
        """Return every value that stood at some moment of the span."""
        log = self._log.get((unit, name), [])
        first = bisect.bisect_left(log, start_ms - SLACK_MS, key=lambda entry: entry[1])
        last = bisect.bisect_right(log, end_ms + SLACK_MS, key=lambda entry: entry[0])
        held = {entry[2] for entry in log[max(first - 1, 0) : last]}
        return held | ({0} if first == 0 else set())


@dataclass(frozen=True, slots=True)
class Sample:
    """A collector's resident memory in KB at a cycle; ``life`` counts the collectors."""

    life: int
    age: int
    cycle: int
    kb: int


@dataclass
class Watched:
    """What is noted while a run goes on."""

    samples: list[Sample] = field(default_factory=list)
    prefixes: list[tuple[int, str]] = field(default_factory=list)
    acts: Counter[str] = field(default_factory=Counter)
    kills: int = 0


class Soak:
    """One run folder, its server, and the collectors that live and die on it."""

    def __init__(self, bench: Bench, weather: Weather, kill_every: int | None, seed: int) -> None:
        self._bench, self._weather = bench, weather
        self._kill_every = kill_every
        self._rng = random.Random(f"kills {seed}")
        self._log_hash, self._hashed = hashlib.sha256(), 0
        self.watched = Watched()

    def run(self, cycles: int) -> None:
        """Collect the whole window."""
        child = self._bench.start()
        wait_for(lambda: self._opened() or child.poll() is not None, LIMIT_S)
        opened = self._opened()
        if not opened:
            raise SystemExit(f"the window did not open: {child.communicate()[1]}")
        slot0 = parse_ms(opened[0].poll_ts)
        interval_ms = INTERVAL_S * 1000
        life, told, size = 0, -1, 0
        born: int | None = 0
        while child.poll() is None:
            cycle = (time.time() * 1000 - slot0) / interval_ms
            self._weather.blow()
            if cycle >= cycles - 1:
                self._weather.calm()
            if int(cycle) % 5 == 0 and int(cycle) != told:
                told = int(cycle)
                if born is not None:
                    self._sample(child.pid, life, int(cycle) - born, int(cycle))
            if born is None and self._bench.folder.rows.stat().st_size > size:
                born = int(cycle)  # it has read its log and writes again
            if born is not None and self._is_to_die(cycle - born, cycles - cycle):
                child.send_signal(signal.SIGKILL)
                child.communicate()
                self.watched.kills += 1
                size = self._remember_log()
                child = self._bench.start()
                life, born = life + 1, None
            time.sleep(0.01)
        _, said = child.communicate()
        if child.returncode == 1 and "the window's end is past" in said:
            # The last heir came too late on a busy machine: what an operator does then.
            said = self._bench.cli("close").stderr
        elif child.returncode != 0:
            raise SystemExit(f"the collector ended with {child.returncode}: {said[-2000:]}")

    def _opened(self) -> list[ev.WindowOpened]:
        return [e for e in self._bench.events() if isinstance(e, ev.WindowOpened)]

    def _is_to_die(self, age: float, left: float) -> bool:
        """Say whether it is time for a kill; none comes so late that no heir could start."""
        if self._kill_every is None or left < self._kill_every / 2:
            return False
        return age >= self._kill_every - 0.5 + self._rng.random()

    def _sample(self, pid: int, life: int, age: int, cycle: int) -> None:
        with contextlib.suppress(OSError):
            pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
            self.watched.samples.append(Sample(life, age, cycle, pages * PAGE_KB))

    def _remember_log(self) -> int:
        """Remember what whole lines stand in the log: none may be gone or changed later.

        Returns the file's size in bytes, torn lines included.
        """
        with self._bench.folder.rows.open("rb") as file:
            file.seek(self._hashed)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._log_hash.update(whole)
        self._hashed += len(whole)
        self.watched.prefixes.append((self._hashed, self._log_hash.hexdigest()))
        return self._hashed + len(data) - len(whole)

    def changed_prefixes(self) -> int:
        """Return how many of the remembered beginnings of the log no longer stand there."""
        now, at, wrong = hashlib.sha256(), 0, 0
        with self._bench.folder.rows.open("rb") as file:
            for length, digest in self.watched.prefixes:
                now.update(file.read(length - at))
                at = length
                wrong += now.hexdigest() != digest
        return wrong


@dataclass(frozen=True, slots=True)
class Judged:
    """What a run came to."""

    cycles: int
    lost: int
    doubled: int
    found: Compared
    problems: list[str]
    whole_cycles: int
    unread_cycles: int


def judge(bench: Bench, truth: History, soak: Soak, cycles: int) -> Judged:
    """Hold the log against the truth."""
    rows = bench.rows()
    seen = Counter((row.cycle, row.uni) for row in rows)
    wanted = {(cycle, unit) for cycle in range(cycles) for unit in bench.units}
    whole: dict[int, list[bool]] = {}
    asked: dict[int, list[bool]] = {}
    for row in rows:
        whole.setdefault(row.cycle, []).append(row.rcon_ok)
        asked.setdefault(row.cycle, []).append(row.read_ts is not None)
    changed = soak.changed_prefixes()
    problems = [f"{p.file}:{p.line}: {p.text}" for p in verify_run(bench.folder).problems]
    if changed:
        problems.append(f"{changed} beginnings of the log that stood at a kill stand no more")
    return Judged(
        cycles=len(whole),
        lost=len(wanted - seen.keys()),
        doubled=sum(seen.values()) - len(seen) + len(seen.keys() - wanted),
        found=compare(bench.folder, truth, bench.names),
        problems=problems,
        whole_cycles=sum(all(flags) for flags in whole.values()),
        unread_cycles=sum(not any(flags) for flags in asked.values()),
    )


def slope(samples: list[Sample], warm: int) -> float | None:
    """Return the growth of memory in KB per 1,000 cycles, by least squares; None without data.

    Of one life that is what the collector keeps; of many lives at the same age, what a longer log
    costs the collector that starts on it.
    """
    points = [(sample.cycle, sample.kb) for sample in samples if sample.age >= warm]
    if len({cycle for cycle, _ in points}) < 2:  # noqa: PLR2004 - a line needs two
        return None
    x = statistics.fmean(cycle for cycle, _ in points)
    y = statistics.fmean(kb for _, kb in points)
    up = sum((cycle - x) * (kb - y) for cycle, kb in points)
    return 1000 * up / sum((cycle - x) ** 2 for cycle, _ in points)


@dataclass(frozen=True, slots=True)
class Figures:
    """What a run, or several together, came to."""

    runs: int
    cycles: int
    whole: int
    unread: int
    rows: int
    lost: int
    doubled: int
    values: int
    nulls: int
    wrong: tuple[str, ...]
    problems: tuple[str, ...]
    kills: int
    commands: int
    strange: int
    acts: Counter[str]

    def __add__(self, other: "Figures") -> "Figures":
        """Return the figures of both together."""
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return Figures(*(one + two for one, two in pairs))

    @property
    def good(self) -> bool:
        """Whether values were read and nothing was lost, doubled, wrong or asked in vain."""
        bad = self.lost or self.doubled or self.wrong or self.problems or self.strange
        return not bad and self.values > 0


def figures(judged: Judged, soak: Soak, weather: Weather, commands: Sequence[str]) -> Figures:
    """Return the figures of one run."""
    return Figures(
        runs=1,
        cycles=judged.cycles,
        whole=judged.whole_cycles,
        unread=judged.unread_cycles,
        rows=judged.found.rows,
        lost=judged.lost,
        doubled=judged.doubled,
        values=judged.found.values,
        nulls=judged.found.nulls,
        wrong=tuple(judged.found.wrong),
        problems=tuple(judged.problems),
        kills=soak.watched.kills,
        commands=len(commands),
        strange=sum(READ_ONLY.fullmatch(command) is None for command in commands),
        acts=weather.acts,
    )


def tell(name: str, told: Figures) -> None:
    """Print figures."""
    print(f"{name}:")
    print(f"  runs, cycles      {told.runs}, {told.cycles}: {told.whole} read whole, {told.unread} "
          "with gap rows alone (faults, and after each kill)")  # fmt: skip
    print(f"  rows              {told.rows}; lost {told.lost}, doubled {told.doubled}")
    print(f"  values            {told.values} held against the server's own: "
          f"wrong {len(told.wrong)}; null {told.nulls}")  # fmt: skip
    print(
        f"  log               {'; '.join(told.problems) or 'intact, what stood at a kill stands'}"
    )
    print(f"  kill -9           {told.kills}")
    print(f"  commands          {told.commands}; not read-only {told.strange}")
    acts = ", ".join(f"{act} {count}" for act, count in sorted(told.acts.items()))
    print(f"  what went wrong   {acts}", flush=True)
    for line in told.wrong[:20]:
        print(f"  WRONG {line}")


@contextlib.contextmanager
def _folder(kept: str | None) -> Iterator[Path]:
    if kept is not None:
        Path(kept).mkdir(parents=True, exist_ok=True)
        yield Path(kept)
        return
    with tempfile.TemporaryDirectory(prefix="plateau-soak-") as name:
        yield Path(name)


def soak_once(
    where: Path, cycles: int, kill_every: int | None, seed: int
) -> tuple[Figures, list[Sample]]:
    """Run one window; return its figures, and what its collectors' memory was."""
    where.mkdir(parents=True, exist_ok=True)
    os.environ["XDG_STATE_HOME"] = str(where / "state")
    with SimServer() as server:
        bench = Bench.make(
            where, server.port, DEFAULT_PASSWORD, units=UNITS_PER_ARM, interval_s=INTERVAL_S,
            cycles=cycles,
        )  # fmt: skip
        populate(server, bench)

        def put(unit: str, objective: str, value: int) -> None:
            server.run_locked(lambda: server.scoreboard.set_score(unit, objective, value))

        truth = Truth(put)
        weather = Weather(server, bench, truth, seed)
        soak = Soak(bench, weather, kill_every, seed)
        with Mutator(truth, bench.units, bench.objectives, every_s=CHANGE_EVERY_S, seed=seed):
            soak.run(cycles)
        judged = judge(bench, truth, soak, cycles)
        return figures(judged, soak, weather, server.commands), soak.watched.samples


def shares(cycles: int) -> list[int]:
    """Return the cycles of each run."""
    whole, rest = divmod(cycles, RUN_CYCLES)
    return [RUN_CYCLES] * whole + ([rest] if rest else [])


def tell_memory(samples: list[Sample]) -> None:
    """Print how the memory of the collector that was never killed grows."""
    warm = min(WARM_CYCLES, max(sample.age for sample in samples) // 2)
    kb = [sample.kb for sample in samples if sample.age >= warm]
    grown = slope(samples, warm)
    told = "unknown" if grown is None else f"{grown:+.0f} KB per 1,000 cycles"
    print(f"  memory            {told} behind cycle {warm}: {kb[0]} to {kb[-1]} KB")


def main() -> None:
    """Run the soak and print what it came to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--cycles", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kill-every", type=int, default=100)
    parser.add_argument("--side-by-side", type=int, default=2)
    parser.add_argument("--dir", metavar="DIR", help="keep the run folders there")
    given = parser.parse_args()
    runs = shares(cast("int", given.cycles))
    began = time.monotonic()
    with (
        _folder(cast("str | None", given.dir)) as where,
        ProcessPoolExecutor(given.side_by_side, mp_context=get_context("spawn")) as pool,
    ):
        first = pool.submit(soak_once, where / "unkilled", runs[0], None, given.seed)
        others = [
            pool.submit(soak_once, where / f"run-{n}", cycles, given.kill_every, given.seed + n)
            for n, cycles in enumerate(runs, start=1)
        ]
        for each in as_completed([first, *others]):
            done = each.result()[0]
            print(
                f"one run: {done.cycles} cycles, {done.rows} rows, lost {done.lost}, doubled "
                f"{done.doubled}, wrong {len(done.wrong)}, kills {done.kills}",
                flush=True,
            )
        whole, samples = first.result()
        killed = functools.reduce(operator.add, (each.result()[0] for each in others))
    tell("killed", killed)
    tell("never killed", whole)
    tell_memory(samples)
    print(f"seed {given.seed}, wall time {time.monotonic() - began:.0f} s")
    sys.exit(0 if killed.good and whole.good else 1)


if __name__ == "__main__":
    main()
