"""What the journal tells of the server beside the cycles: refusals, and readings by hand."""

from dataclasses import dataclass
from typing import Final

from plateau_tui.collector.halt import is_orderly
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
