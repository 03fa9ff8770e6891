"""A run folder, a server, and the real command line as child processes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from collector.history import events_of

from plateau_tui.collector import hand
from plateau_tui.collector.halt import Halt
from plateau_tui.collector.loop import Collector
from plateau_tui.collector.run import Password, ServerAccess, open_run
from plateau_tui.collector.slots import Clock, SystemClock
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.connection import ProbeCommand
from plateau_tui.runlog.layout import RunFolder, create_run
from plateau_tui.runlog.rows import Row
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.verify import verify_run
from plateau_tui.runlog.writer import open_journal
from plateau_tui.server.transport import Endpoint

WAIT_S = 20.0
_FEASIBLE = 6  # pairs with which this gate can pass
_ACCEPT = "a bench for tests: so few pairs can carry no claim"


def wait_for(what: Callable[[], object], limit_s: float = WAIT_S) -> None:
    """Wait until something holds, at most so long."""
    deadline = time.monotonic() + limit_s
    while not what():
        if time.monotonic() > deadline:
            raise AssertionError("what was waited for did not come")
        time.sleep(0.005)


def gate(units: int, interval_s: float, cycles: int, *, start: str = "zero", more: str = "") -> str:
    def names(kin: int) -> str:
        return ", ".join(f'"UNI-{kin}-{place}"' for place in range(1, units + 1))

    accept = _ACCEPT if units < _FEASIBLE else ""
    return f"""\
schema = "plateau_registration/1"
run_id = "t"
variable = "novelty_gain: 0.5 in treatment, 0.0 in control"
later_gates = []
[[arms]]
role = "treatment"
label = "curiosity"
kin = 10
units = [{names(10)}]
[[arms]]
role = "control"
label = "control"
kin = 11
units = [{names(11)}]
[window]
interval_s = {interval_s}
cycles = {cycles}
[gate]
k_primary = 1
k_secondary = 1
margin = 0.0
confidence = 0.95
interval_method = "exact_unconditional"
contrast_on = "plateau_break"
max_absent_polls = 3
wood = "baseline_only"
place = "any"
start_counts = "{start}"
accept = "{accept}"
{more}
"""


@dataclass
class Bench:
    """One run against one server, sealed already."""

    folder: RunFolder
    port: int
    password: str
    units: list[str]
    names: dict[str, str] = field(default_factory=dict)
    host: str = "127.0.0.1"
    interval_s: float = 1.0

    @classmethod
    def make(
        cls,
        tmp_path: Path,
        port: int,
        password: str,
        *,
        units: int = 2,
        interval_s: float = 0.5,
        cycles: int = 6,
        start: str = "offset",
        more: str = "",
        name: str = "run",
        probe: Sequence[str] = (),
    ) -> "Bench":
        folder = RunFolder(tmp_path / name)
        connection = f'host = "127.0.0.1"\nport = {port}\n'
        if probe:
            connection += f"[probe]\ncommand = {json.dumps(list(probe))}\ntimeout_s = 1\n"
        text = gate(units, interval_s, cycles, start=start, more=more)
        create_run(folder, {"registration.toml": text, "connection.toml": connection}, 0o700)
        open_journal(folder)
        with open_run(folder) as run:
            hand.seal(run, "test")
            registration = run.registration
        return cls(
            folder,
            port,
            password,
            [unit.name for unit in registration.units],
            {f"{o.role}/{o.block}": o.name for o in registration.objectives},
            interval_s=interval_s,
        )

    @property
    def objectives(self) -> list[str]:
        return list(self.names.values())

    # -- the command line ---------------------------------------------------------------------

    def _argv(self, command: str, arguments: Sequence[str]) -> list[str]:
        return [sys.executable, "-m", "plateau_tui", command, str(self.folder.path), *arguments]

    def _environment(self) -> dict[str, str]:
        return os.environ | {"PLATEAU_TUI_RCON_PASSWORD": self.password}

    def cli(self, command: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            self._argv(command, arguments),
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            check=False,
        )

    def start(self, command: str = "collect", *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self._argv(command, arguments),
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    # -- the collector in this process ----------------------------------------------------------

    def access(self) -> ServerAccess:
        return ServerAccess(Endpoint(self.host, self.port), Password(self.password))

    def collect(
        self,
        *,
        once: bool = False,
        early: bool = True,
        halt: Halt | None = None,
        clock: Clock | None = None,
        probe: ProbeCommand | None = None,
        said: list[str] | None = None,
    ) -> None:
        if once and early:
            wait_for(lambda: time.time() % self.interval_s < self.interval_s / 4)
        lines: list[str] = [] if said is None else said
        now = clock or SystemClock()
        with open_run(self.folder, now.wall_ms) as run:
            collector = Collector(run, self.access(), probe, halt or Halt(), now, lines.append)
            collector.collect(once=once, started=lambda: None)

    # -- what came of it ------------------------------------------------------------------------

    def rows(self) -> list[Row]:
        return list(read_rows(self.folder.rows))

    def events(self) -> list[ev.Event]:
        return events_of(self.folder)

    def cycles(self) -> int:
        return 1 + max((row.cycle for row in self.rows()), default=-1)

    def assert_whole(self, cycles: int | None = None) -> None:
        """Every cycle once, all its units, every chain and cross-check in order."""
        result = verify_run(self.folder)
        assert result.problems == []
        seen = [(row.cycle, row.uni) for row in self.rows()]
        wanted = range(self.cycles() if cycles is None else cycles)
        assert seen == [(cycle, unit) for cycle in wanted for unit in self.units]


class Running:
    """The collector in a thread of this process, halted at the end."""

    def __init__(self, bench: Bench, **options: Clock | ProbeCommand | list[str]) -> None:
        self.bench = bench
        self.halt = Halt()
        self.error: BaseException | None = None
        self._options = options
        self._thread = threading.Thread(target=self._work, daemon=True)

    def _work(self) -> None:
        try:
            self.bench.collect(halt=self.halt, **self._options)  # type: ignore[arg-type]
        except BaseException as error:  # noqa: BLE001 - the test looks at it
            self.error = error

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.halt.event.set()
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()

    def until(self, what: Callable[[], object]) -> None:
        wait_for(lambda: what() or not self._thread.is_alive())
        assert what(), self.error

    def ended(self) -> None:
        wait_for(lambda: not self._thread.is_alive())
        if self.error is not None:
            raise self.error


def finish(process: "subprocess.Popen[str]", signum: int | None = None) -> tuple[int, str, float]:
    """Wait for a child (after a signal); return its exit code, stderr, and the time it took."""
    start = time.monotonic()
    if signum is not None:
        process.send_signal(signum)
    try:
        _, said = process.communicate(timeout=WAIT_S)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        raise
    return process.returncode, said, time.monotonic() - start
