"""All that one collector asks in a cycle: the server, then the probe."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from plateau_tui.collector.cycle import CycleReader, CycleReading
from plateau_tui.collector.displays import Displays
from plateau_tui.collector.fallen import Known
from plateau_tui.collector.probe import UnitProbe, run_probe
from plateau_tui.collector.rowbuild import Slot
from plateau_tui.collector.run import OpenRun, ServerAccess
from plateau_tui.collector.slots import RunClock, cycle_end_ms
from plateau_tui.runlog.connection import ProbeCommand


@dataclass(frozen=True, slots=True)
class CycleRead:
    """A cycle's reading, and what the probe said (None: no probe)."""

    reading: CycleReading
    probed: dict[str, UnitProbe] | None


class CycleAsker:
    """Holds the session with the server for as long as its collector lives.

    ``cycle`` and ``by_hand`` return jobs for another thread; the rest is for the loop's own.
    """

    def __init__(
        self,
        run: OpenRun,
        access: ServerAccess,
        probe: ProbeCommand | None,
        halt: threading.Event,
        clock: RunClock,
    ) -> None:
        self._run = run
        self._probe = probe
        self._halt = halt
        self._clock = clock
        self._interval_ms = run.registration.window.interval_ms
        self._session = access.session(halt, self._interval_ms)
        self.displays = Displays.known_before(run.state.own_names, run.state.listing)
        self._reader = CycleReader(self._session, run.registration, clock.now_ms, self.displays)

    def cycle(self, slot: Slot, known: Known) -> Callable[[], CycleRead]:
        """Return the job of reading one cycle until its deadline, which is counted from now.

        ``known`` is what the counters stood at before; nobody changes it while the job is done.
        """
        now = self._clock.now_ms()
        end_ms = cycle_end_ms(now, slot.ms, self._interval_ms)
        deadline = time.monotonic() + (end_ms - now) / 1000
        return lambda: self._ask_all(slot.cycle, deadline, end_ms, known)

    def by_hand(self, cycle: int, deadline: float) -> Callable[[], CycleReading]:
        """Return the job of one reading by hand until ``deadline`` (``time.monotonic()``)."""
        inventory = not self._run.state.items_removed
        return lambda: self._reader.read(cycle, deadline, inventory=inventory)

    def close(self) -> None:
        """Close the connection."""
        self._session.console.close()

    def drop(self) -> None:
        """Close the connection in the middle of whatever was being asked."""
        self._session.console.drop()
        self._session.end()

    def _ask_all(self, cycle: int, deadline: float, end_ms: int, known: Known) -> CycleRead:
        reading = self._reader.read(
            cycle,
            deadline,
            inventory=not self._run.state.items_removed,
            known=known,
            over=lambda: self._clock.now_ms() >= end_ms,
        )
        if self._probe is None:
            return CycleRead(reading, None)
        left = max(0.0, deadline - time.monotonic())
        probe = ProbeCommand(self._probe.command, min(self._probe.timeout_s, left))
        units = [unit.name for unit in self._run.registration.units]
        return CycleRead(reading, run_probe(probe, units, self._halt))
