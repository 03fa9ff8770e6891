"""What the journal tells of the server beside the cycles: refusals, and readings by hand."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from plateau_tui.collector.halt import is_orderly
from plateau_tui.metric.objectives import SCORED
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.state import ITEMS_REMOVED, OTHER_ARM
from plateau_tui.runlog.times import parse_ms

_NO_LINK: Final = frozenset({"probe_gap", OTHER_ARM, ITEMS_REMOVED, "rows_cut"})
"""Faults that say nothing about the connection to the server."""

_CONTACTS: Final = (ev.Registered, ev.Watch, ev.NamesShown, ev.Connection, ev.WindowOpened)
"""Events that nobody can write without an answer of the server."""


@dataclass
class Contact:
    """Whether the server was heard of, as the journal goes on; one thread uses it.

    ``refusal`` is why the last collector ended though nobody asked it to; ``by_hand`` why a reading
    by hand, later than the last heartbeat, got nothing; ``last_ms`` when the server last answered.
    """

    refusal: str = ""
    by_hand: str = ""
    last_ms: int | None = None
    _answered: bool = False
    """Whether it answered since the last collector started."""
    _refused_by_server: bool = False

    def take(self, event: ev.Event | None, ts: str) -> None:
        """Take in the next event."""
        match event:
            case ev.CollectorStarted():
                self.refusal, self._answered = "", False
            case ev.CollectorStopped():
                self.refusal = "" if is_orderly(event.reason) else event.reason
                self._refused_by_server = not self._answered
            case ev.PollNow():
                counts = (n for read in event.counts.values() for n in read.values())
                read = any(n is not None for n in counts)
                self.by_hand = "" if read else event.note or "nothing could be read"
                self._hear(ts, heard=read)
            case ev.Heartbeat():
                self.by_hand = ""
                self._hear(ts, heard=event.rcon_ok)
            case _:
                self._hear(ts, heard=isinstance(event, _CONTACTS))

    def _hear(self, ts: str, *, heard: bool) -> None:
        if not heard:
            return
        self._answered, self.last_ms = True, parse_ms(ts)
        if self._refused_by_server:
            # A wrong password, or a server that was down: whoever was answered has got past that.
            self.refusal = ""


def is_answering(missing: Collection[str], faults: Collection[str], *, listed: bool) -> bool:
    """Say whether the server answers, though not all was read for objectives that are gone.

    Connected and measured are two facts: an objective that is gone is told as just that.

    Args:
        missing: the objectives that are gone.
        faults: the codes of the faults that last.
        listed: whether every unit's last row has the answer of the players' list.

    """
    return bool(missing) and listed and not set(faults) - _NO_LINK


def void_words(
    missing: Mapping[str, ev.ObjectiveMissing], other_arm: ev.Fault | None, cycles: int
) -> tuple[str, ...]:
    """Return what voids a run however it goes on: rows 3 and 4 of the decision table.

    Args:
        missing: objective -> when the server was first found not to know it.
        other_arm: the first probe's tag that contradicts its arm.
        cycles: the window's; cycles count from 1 in what is told, as on screen.

    """
    gone = [lost for name, lost in missing.items() if name in SCORED and lost.cycle < cycles]
    told = []
    if gone:
        first = min(gone, key=lambda lost: lost.cycle)
        more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
        told.append(f"{first.objective}{more} gone in cycle {first.cycle + 1}")
    if other_arm is not None:
        when = "" if other_arm.cycle is None else f" in cycle {other_arm.cycle + 1}"
        told.append(f"a probe's tag of the other arm{when}")
    return tuple(told)
