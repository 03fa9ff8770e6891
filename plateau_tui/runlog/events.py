"""The journal's events: one payload type each, the same for writing and reading."""

from typing import ClassVar, Final, Literal

import msgspec

from plateau_tui.runlog.rows import Counts, CycleNumber, Whole, require_times

UnitCounts = dict[str, dict[str, Whole | None]]
"""Unit name -> name or block -> count."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """What an event says beside its time; ``by`` names the person who did it."""

    NAME: ClassVar[str]
    by: str | None = None


class RunOpened(Event, frozen=True, kw_only=True):
    """The journal's first event: the claim fence, the tool, the collector's id."""

    NAME: ClassVar[str] = "run_opened"
    claim_fence: str
    tool: str
    collector_id: str


class Sealed(Event, frozen=True, kw_only=True):
    """The registration as sealed: its full text and the SHA-256 of its bytes."""

    NAME: ClassVar[str] = "sealed"
    sha256: str
    text: str


class ObjectiveEvent(Event, frozen=True, kw_only=True):
    """What became of one objective at a registration."""

    NAME: ClassVar[str] = "objective"
    name: str
    criterion: str
    status: Literal["created", "existing", "failed"]
    reason: str = ""


class Registered(Event, frozen=True, kw_only=True):
    """A registration in which no objective failed; the first one holds the start reading.

    ``start`` is unit -> objective -> count, null where it could not be read. An objective that
    this run created counts from 0. ``own_names`` are the objectives that are known to show their
    own name.
    """

    NAME: ClassVar[str] = "registered"
    created: list[str]
    existing: list[str]
    start: UnitCounts
    criterion_not_verifiable: list[str]
    own_names: list[str] = []


class NamesShown(Event, frozen=True, kw_only=True):
    """Which objectives showed their own name, under which list of display names.

    A collector that starts later goes on from here instead of proving it all again.
    """

    NAME: ClassVar[str] = "names_shown"
    own: list[str]
    listing: list[str]


class Watch(Event, frozen=True, kw_only=True):
    """What a first-poll watch saw: rises since its first reading, by unit and log."""

    NAME: ClassVar[str] = "watch"
    polls: int
    grown: dict[str, dict[str, int]]
    suggestion: dict[str, str | None]


class Pinned(Event, frozen=True, kw_only=True):
    """BASELINE_WOOD of one unit, and what it was pinned on."""

    NAME: ClassVar[str] = "pinned"
    unit: str
    species: str
    evidence: dict[str, int]
    anyway: str = ""


class CollectorStarted(Event, frozen=True, kw_only=True):
    """A collector took the lock."""

    NAME: ClassVar[str] = "collector_started"
    pid: int
    tool: str
    once: bool


class CollectorStopped(Event, frozen=True, kw_only=True):
    """A collector ended in an orderly way."""

    NAME: ClassVar[str] = "collector_stopped"
    pid: int
    reason: str


class WindowOpened(Event, frozen=True, kw_only=True):
    """Cycle 0 is written; ``unpinned`` units have no BASELINE_WOOD yet."""

    NAME: ClassVar[str] = "window_opened"
    poll_ts: str
    unpinned: list[str]


class Heartbeat(Event, frozen=True, kw_only=True):
    """The end of a cycle: rows so far and the last row's chain."""

    NAME: ClassVar[str] = "heartbeat"
    cycle: CycleNumber
    poll_ts: str
    rcon_ok: bool
    probe_ok: bool | None
    live_cur: Whole | None
    live_ctrl: Whole | None
    rows: Whole
    rows_head: str
    late: bool = False


class Fault(Event, frozen=True, kw_only=True):
    """Something went wrong; ``code`` is a machine's word for it, ``text`` a person's."""

    NAME: ClassVar[str] = "fault"
    code: str
    text: str
    cycle: int | None = None


class Recovered(Event, frozen=True, kw_only=True):
    """A fault is over; it was first told in cycle ``since``."""

    NAME: ClassVar[str] = "recovered"
    code: str
    text: str
    cycle: int | None = None
    since: int | None = None


class ObjectiveMissing(Event, frozen=True, kw_only=True):
    """The server no longer knows an objective of the run; it is not added again."""

    NAME: ClassVar[str] = "objective_missing"
    objective: str
    cycle: int


class CounterFell(Event, frozen=True, kw_only=True):
    """A counter is lower than at its last reading (a rollback, or an edit)."""

    NAME: ClassVar[str] = "counter_fell"
    cycle: int
    unit: str
    objective: str
    before: int
    after: int


class Strangers(Event, frozen=True, kw_only=True):
    """Who is online and no unit, as the server writes it, while a unit was never seen at all.

    Or while one of them may be a unit that is not listed, under another spelling of its name.
    """

    NAME: ClassVar[str] = "strangers"
    cycle: int
    unseen: list[str]
    names: list[str]


class ClockMoved(Event, frozen=True, kw_only=True):
    """The wall clock left the elapsed time by more than 2 s; slots stay where they are."""

    NAME: ClassVar[str] = "clock_moved"
    offset_s: float
    cycle: int | None = None


class CyclesMissed(Event, frozen=True, kw_only=True):
    """Cycles ``first`` to ``last`` were not read in their time; gap rows stand for them."""

    NAME: ClassVar[str] = "cycles_missed"
    first: int
    last: int
    reason: str


class TornTail(Event, frozen=True, kw_only=True):
    """Bytes behind the last whole line were moved aside."""

    NAME: ClassVar[str] = "torn_tail"
    file: str
    bytes: int
    moved_to: str


class LogRestarted(Event, frozen=True, kw_only=True):
    """A log file vanished, shrank or was replaced; a new one goes on from ``head``.

    ``moved_to`` is what stood in its place, ``kept`` the file that holds what was written before,
    where there is one beside the log.
    """

    NAME: ClassVar[str] = "log_restarted"
    file: str
    reason: str
    head: str
    moved_to: str = ""
    kept: str = ""


class SealBroken(Event, frozen=True, kw_only=True):
    """registration.toml is no longer what was sealed (null: it is gone)."""

    NAME: ClassVar[str] = "seal_broken"
    sha256: str | None


class SealRestored(Event, frozen=True, kw_only=True):
    """registration.toml is again what was sealed."""

    NAME: ClassVar[str] = "seal_restored"
    sha256: str


class Connection(Event, frozen=True, kw_only=True):
    """Where the server is asked, and whether it knows the ``minecraft:`` prefix."""

    NAME: ClassVar[str] = "connection"
    host: str
    port: int
    namespaced: bool


class Request(Event, frozen=True, kw_only=True):
    """An operator's request, as taken from the mailbox."""

    NAME: ClassVar[str] = "request"
    id: str
    op: str
    args: dict[str, object]


class Answer(Event, frozen=True, kw_only=True):
    """What came of a request."""

    NAME: ClassVar[str] = "answer"
    id: str
    ok: bool
    text: str


class PollNow(Event, frozen=True, kw_only=True):
    """A reading by hand: shown, never among the rows, never scored."""

    NAME: ClassVar[str] = "poll_now"
    id: str
    online: dict[str, bool | None]
    counts: UnitCounts
    hoard: Counts
    note: str


class Note(Event, frozen=True, kw_only=True):
    """Words of a person."""

    NAME: ClassVar[str] = "note"
    text: str


class WindowClosed(Event, frozen=True, kw_only=True):
    """The end of the window; no row follows."""

    NAME: ClassVar[str] = "window_closed"
    cycles: Whole
    early: bool
    why: str
    rows: Whole
    rows_head: str


class Adjudicated(Event, frozen=True, kw_only=True):
    """An adjudicator's answers and what the verdict then was; several may follow the close.

    ``sha256`` is that of the attestation's bytes, ``text`` what they say. The verdict is derived
    from the rest of the log and the attestation, never from this event.
    """

    NAME: ClassVar[str] = "adjudicated"
    sha256: str = ""
    text: str = ""
    verdict: str = ""
    final: bool = True


_EVENT_TYPES: Final[tuple[type[Event], ...]] = (
    RunOpened,
    Sealed,
    ObjectiveEvent,
    Registered,
    NamesShown,
    Watch,
    Pinned,
    CollectorStarted,
    CollectorStopped,
    WindowOpened,
    Heartbeat,
    Fault,
    Recovered,
    ObjectiveMissing,
    CounterFell,
    Strangers,
    ClockMoved,
    CyclesMissed,
    TornTail,
    LogRestarted,
    SealBroken,
    SealRestored,
    Connection,
    Request,
    Answer,
    PollNow,
    Note,
    WindowClosed,
    Adjudicated,
)
_BY_NAME: Final = {kind.NAME: kind for kind in _EVENT_TYPES}


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the journal; ``event`` is None for a name that this version does not know.

    ``restated``: a journal that had to begin anew says here again what an earlier file of it says;
    ``event`` is None then, and nothing follows from it.
    """

    ts: str
    name: str
    event: Event | None
    restated: bool = False


class _Head(msgspec.Struct, frozen=True):
    ts: str
    event: str


_HEAD_DECODER: Final = msgspec.json.Decoder(_Head)
_DECODERS: Final = {name: msgspec.json.Decoder(kind) for name, kind in _BY_NAME.items()}


def encode_event(ts: str, event: Event) -> bytes:
    """Return the event as a compact JSON object without its chain: ts, event, by, fields."""
    fields = msgspec.to_builtins(event)
    by = fields.pop("by")
    head = {"ts": ts, "event": event.NAME} | ({} if by is None else {"by": by})
    try:
        return msgspec.json.encode(head | fields)
    except UnicodeEncodeError:  # bytes of a command line that are not UTF-8
        return msgspec.json.encode(_encodable(head | fields))


def _encodable(value: object) -> object:
    """Return the value with a ``?`` for each character that UTF-8 does not have."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case dict():
            return {_encodable(key): _encodable(item) for key, item in value.items()}
        case list():
            return [_encodable(item) for item in value]
        case _:
            return value


def decode_entry(line: bytes) -> Entry:
    """Return the entry that a line of the journal holds.

    Raises:
        msgspec.MsgspecError: the line is no event.
        UnicodeDecodeError: the line is not UTF-8.

    """
    head = _HEAD_DECODER.decode(line)
    decoder = _DECODERS.get(head.event)
    event: Event | None = None if decoder is None else decoder.decode(line)
    slot = event.poll_ts if isinstance(event, WindowOpened | Heartbeat) else None
    require_times(head.ts, slot)
    return Entry(ts=head.ts, name=head.event, event=event)
