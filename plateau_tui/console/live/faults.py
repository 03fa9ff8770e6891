"""The faults that a journal tells of: which of them last, and which are never over."""

from dataclasses import dataclass, field, replace
from typing import Final

from plateau_tui.console.live.view import RunView
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.state import ITEMS_REMOVED, LOG_BLOCKED, OTHER_ARM
from plateau_tui.runlog.unbeaten import JOURNAL_CUT

PROBE_GAP: Final = "probe_gap"
LOG_EDITED: Final = "log_edited"
ROWS_CUT: Final = "rows_cut"
INTERNAL: Final = "internal"
NO_SERVER_LOCK: Final = "endpoint_lock_unavailable"
LOCK_LOST: Final = "lock_lost"
NEWLINE_CUT: Final = "newline_cut"

NO_LINK: Final = frozenset(
    {PROBE_GAP, OTHER_ARM, ITEMS_REMOVED, ROWS_CUT, LOG_EDITED, INTERNAL, NO_SERVER_LOCK}
    | {LOG_BLOCKED, LOCK_LOST, NEWLINE_CUT, JOURNAL_CUT}
)
"""Faults that say nothing about the connection to the server."""

FOR_GOOD: Final = frozenset({LOG_EDITED, ROWS_CUT, JOURNAL_CUT})
"""Faults of the log itself, which no cycle and no later collector undoes."""

_KEPT: Final = 1000
_CLOCK_S: Final = 2.0
"""A wall clock that is off by less is no trouble (``design.md``, Slots and time)."""


@dataclass
class FaultKeeper:
    """What is wrong as the journal goes on; one thread uses it.

    ``lasting`` are the faults that began and are not over, by code, the newest last; ``for_good``
    those of the log itself; ``failed`` the objectives that no registration could have so far, with
    why; ``restarted`` the logs that had to begin anew; ``clock`` the wall clock while it is off.
    """

    lasting: dict[str, ev.Fault] = field(default_factory=dict)
    for_good: dict[tuple[str, str], ev.Fault] = field(default_factory=dict)
    other_arm: ev.Fault | None = None
    cycles: dict[int, None] = field(default_factory=dict)
    fell: dict[tuple[str, str], None] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    restarted: dict[str, ev.LogRestarted] = field(default_factory=dict)
    clock: ev.ClockMoved | None = None

    def take(self, event: ev.Event | None) -> bool:
        """Take in the next event; say whether it says anything about faults, as things stand."""
        match event:
            case ev.Fault():
                self._begin(event)
            case ev.Recovered():
                self.lasting.pop(event.code, None)
            case ev.CollectorStarted():
                # One that was killed never said what was over; what is not, is told again.
                self.lasting.clear()
                self.clock = None
            case ev.Heartbeat():
                return self._beat(event)
            case _:
                return self._take_other(event)
        return True

    def _begin(self, event: ev.Fault) -> None:
        self.lasting.pop(event.code, None)
        self.lasting[event.code] = event
        if event.code in FOR_GOOD:
            self.for_good.setdefault((event.code, event.text), event)
        if event.cycle is not None and len(self.cycles) < _KEPT:
            self.cycles[event.cycle] = None
        if event.code == OTHER_ARM and self.other_arm is None:
            self.other_arm = event

    def _beat(self, event: ev.Heartbeat) -> bool:
        """End the collector's own error with the next cycle: nothing else says that it is over."""
        own = self.lasting.get(INTERNAL)
        over = own is not None and (own.cycle is None or event.cycle > own.cycle)
        if over:
            del self.lasting[INTERNAL]
        return over

    def _take_other(self, event: ev.Event | None) -> bool:
        match event:
            case ev.CounterFell():
                self.fell[event.unit, event.objective] = None
            case ev.ObjectiveEvent(status="failed"):
                self.failed[event.name] = event.reason
            case ev.ObjectiveEvent():
                self.failed.pop(event.name, None)
            case ev.LogRestarted():
                self.restarted[event.file] = event
            case ev.ClockMoved():
                self.clock = event if abs(event.offset_s) > _CLOCK_S else None
            case _:
                return False
        return True

    def newest_of_link(self) -> ev.Fault | None:
        """Return the fault of the connection that began last, where one lasts."""
        link = [fault for code, fault in self.lasting.items() if code not in NO_LINK]
        return link[-1] if link else None


def with_faults(view: RunView, faults: FaultKeeper) -> RunView:
    """Return a view with all that its journal tells of faults, but for the one that is told first.

    That one hangs on what the rows say as well: ``fault`` and what stands beside it.
    """
    return replace(
        view,
        fault_cycles=tuple(sorted(faults.cycles)),
        faults=tuple(faults.lasting.values()),
        log_faults=tuple(faults.for_good.values()),
        restarted=tuple(faults.restarted.values()),
        fallen=tuple(f"{unit} {name}" for unit, name in faults.fell),
        failed=tuple(f"{name} ({why})" if why else name for name, why in faults.failed.items()),
        clock_off_s=faults.clock.offset_s if faults.clock else 0.0,
    )
