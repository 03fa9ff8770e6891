"""What the journal tells of the server beside the cycles: refusals, and readings by hand."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from plateau_tui.collector.halt import is_orderly
from plateau_tui.console.live.faults import NO_LINK
from plateau_tui.metric.objectives import SCORED
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.times import parse_ms

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
    return bool(missing) and listed and not set(faults) - NO_LINK


def void_words(
    missing: Mapping[str, ev.ObjectiveMissing],
    other_arm: ev.Fault | None,
    cycles: int,
    tagged: Mapping[str, int] = MappingProxyType({}),
) -> tuple[str, ...]:
    """Return what voids a run however it goes on: rows 3 and 4 of the decision table.

    Args:
        missing: objective -> when the server was first found not to know it.
        other_arm: the first probe's tag that contradicts its arm, as the journal tells it.
        cycles: the window's; cycles count from 1 in what is told, as on screen.
        tagged: unit -> first cycle of such a tag, where the rows were asked.

    """
    gone = [lost for name, lost in missing.items() if name in SCORED and lost.cycle < cycles]
    told = []
    if gone:
        first, *others = sorted(gone, key=lambda lost: lost.cycle)
        more = f" and {len(others)} more" if others else ""
        names = f" ({', '.join(lost.objective for lost in others)})" if others else ""
        told.append(f"{first.objective}{more} gone in cycle {first.cycle + 1}{names}")
    if other_arm is not None or tagged:
        cycle = None if other_arm is None else other_arm.cycle
        cycle = min(tagged.values(), default=cycle)
        when = "" if cycle is None else f" in cycle {cycle + 1}"
        named = ", ".join(tagged) or _named_in(other_arm)
        told.append(f"a probe's tag of the other arm{when}{f' ({named})' if named else ''}")
    return tuple(told)


def _named_in(fault: ev.Fault | None) -> str:
    """Return the units, with their tags, that a fault's text names behind its first colon."""
    return "" if fault is None else fault.text.partition(": ")[2].rpartition("; ")[0]
