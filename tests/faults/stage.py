"""A collector at work against a simulated server whose true scoreboard is written down."""

import contextlib
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from collector.bench import Bench, wait_for
from collector.history import READ_ONLY, Mutator, compare, timed_events
from collector.test_truth import populate, sim_history
from sim.rawrcon import RawRcon

from plateau_tui.runlog import events as ev
from plateau_tui.sim import faults as sf
from plateau_tui.sim.options import ServerOptions
from plateau_tui.sim.server import DEFAULT_PASSWORD, SimServer

INTERVAL_S: Final = 0.3
VICTIM: Final = "mine_dirt"
"""The objective that faults are about; nothing but them moves it."""
VICTIM_COUNT: Final = 40
LEAVER: Final = "UNI-10-1"
PATIENCE_S: Final = 60.0
"""For a machine on which much else goes on: a whole cycle at this pace may be long in coming."""


class Stage:
    """One server, one run, and the true history of every counter."""

    def __init__(
        self, folder: Path, server: SimServer, *, interval_s: float = INTERVAL_S, units: int = 2
    ) -> None:
        self.server = server
        self.bench = Bench.make(
            folder,
            server.port,
            DEFAULT_PASSWORD,
            interval_s=interval_s,
            cycles=100_000,
            units=units,
        )
        populate(server, self.bench)
        self.history = sim_history(server)
        for unit in self.bench.units:
            self.history.change(unit, VICTIM, VICTIM_COUNT)
        self._stranger: threading.Thread | None = None
        self._over = threading.Event()

    @property
    def moving(self) -> list[str]:
        """The objectives whose counts rise all the time."""
        return [name for name in self.bench.objectives if name != VICTIM]

    @contextlib.contextmanager
    def counting(self) -> Iterator[None]:
        with Mutator(self.history, self.bench.units, self.moving, every_s=0.01):
            try:
                yield
            finally:
                self.stranger_leaves()

    # -- what the world does ------------------------------------------------------------------

    def victim(self, value: int | None) -> None:
        """Write down what every unit's victim holds from now on (None: there is none)."""
        for unit in self.bench.units:
            self.history.record(unit, VICTIM, value, lambda: None)

    def answer_as_long_ago(self) -> None:
        """Answer every other question for a unit's scores as the victim stood before."""
        asked: Counter[str] = Counter()

        def old(answer: sf.Answer) -> list[sf.Step]:
            text = answer.text.replace(f"[{VICTIM}]: {VICTIM_COUNT}", f"[{VICTIM}]: 1")
            return [sf.Send(each) for each in sf.Answer(answer.request_id, text).packets()]

        def rule(command: str, _connection: int) -> sf.Fault | None:
            if "players list" not in command:
                return None
            asked[command] += 1
            return sf.Fault("old answer", old) if asked[command] % 2 else None

        self.server.faults.rule = rule

    def stranger_comes(self) -> None:
        """Let another RCON client poll all the time, as the lab's producer does."""
        self._over.clear()
        self._stranger = threading.Thread(target=self._poll, daemon=True)
        self._stranger.start()

    def stranger_leaves(self) -> None:
        self._over.set()
        if self._stranger is not None:
            self._stranger.join(5)
            self._stranger = None

    def stranger_comes_or_leaves(self) -> None:
        if self._stranger is None:
            self.stranger_comes()
        else:
            self.stranger_leaves()

    def calm(self) -> None:
        """Let the server be honest, everybody back and nobody else there."""
        self.server.faults.clear()
        self.server.thaw()
        self.server.world.join(LEAVER)
        self.stranger_leaves()

    def _poll(self) -> None:
        while not self._over.wait(0.004):
            # The server may go down, or refuse him, at any time: then he tries again.
            with contextlib.suppress(OSError, EOFError):
                self._poll_until_lost()

    def _poll_until_lost(self) -> None:
        with RawRcon((self.server.host, self.server.port)) as stranger:
            stranger.login(DEFAULT_PASSWORD)
            while not self._over.wait(0.004):
                stranger.send(1, 2, "tps")
                stranger.read()

    # -- what the log says --------------------------------------------------------------------

    def next_cycle(self) -> int:
        """The first cycle that is not in the log yet; the one under way, if there is one."""
        return self.bench.cycles()

    def await_cycles(self, count: int) -> None:
        """Wait until so many cycles are in the log that began after this call."""
        wanted = self.next_cycle() + 1 + count
        wait_for(lambda: self.bench.cycles() >= wanted, PATIENCE_S)

    def await_healthy(self) -> int:
        """Wait for a cycle that began after this call and read everything; return its number."""
        first = self.next_cycle() + 1
        found: list[int] = []

        def healthy() -> bool:
            by_cycle: dict[int, list[bool]] = {}
            for row in self.bench.rows():
                if row.cycle >= first:
                    by_cycle.setdefault(row.cycle, []).append(row.rcon_ok)
            found.extend(
                number
                for number, oks in by_cycle.items()
                if all(oks) and len(oks) == len(self.bench.units)
            )
            return bool(found)

        wait_for(healthy, PATIENCE_S)
        return found[0]

    def journal(self) -> list[ev.Event]:
        return [event for _, event in timed_events(self.bench.folder)]

    def told(self, start: int = 0) -> set[str]:
        """Return what the journal names from its n-th event on: codes, and events by their name."""
        return {word_of(event) for event in self.journal()[start:]}

    def recovered(self, start: int = 0) -> set[str]:
        return {e.code for e in self.journal()[start:] if isinstance(e, ev.Recovered)}

    # -- what must hold of every run ----------------------------------------------------------

    def assert_true(self) -> None:
        """Every value is one that the server held, every cycle is whole, nothing else was asked."""
        self.bench.assert_whole()
        found = compare(self.bench.folder, self.history, self.bench.names)
        assert found.wrong == []
        assert found.values > 0
        ours = [command for command in self.server.commands if command != "tps"]
        assert [command for command in ours if not READ_ONLY.fullmatch(command)] == []


def word_of(event: ev.Event) -> str:
    """Return the word that stands for an event: a fault's code, else the event's name."""
    return event.code if isinstance(event, ev.Fault) else event.NAME


@contextlib.contextmanager
def staged(
    folder: Path, options: ServerOptions | None = None, *, units: int = 2
) -> Iterator[Stage]:
    with SimServer(options=options) as server:
        yield Stage(folder, server, units=units)
