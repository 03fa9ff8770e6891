"""The lines of the journal's screen: which there are, of what kind, and how one is shown."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from plateau_tui.console.lines.text import fold_to, harmless
from plateau_tui.console.live.journaltext import entry_text
from plateau_tui.console.live.view import RunView
from plateau_tui.metric.plain import counted
from plateau_tui.runlog import events as ev

UNREADABLE: Final = "unreadable"
"""Stands for the name of an event in a line that is none."""
BEATS: Final = frozenset({ev.Heartbeat.NAME})

_FAULTS: Final = (
    ev.Fault,
    ev.Recovered,
    ev.ObjectiveMissing,
    ev.CounterFell,
    ev.ClockMoved,
    ev.CyclesMissed,
    ev.TornTail,
    ev.LogRestarted,
    ev.SealBroken,
    ev.SealRestored,
    ev.Strangers,
)
_OBJECTIVES: Final = (ev.ObjectiveEvent, ev.ObjectiveMissing, ev.Registered, ev.NamesShown)


def _names(*kinds: type[ev.Event]) -> frozenset[str]:
    return frozenset(kind.NAME for kind in kinds)


KINDS: Final[tuple[tuple[str, frozenset[str] | None], ...]] = (
    ("all", None),
    ("faults", _names(*_FAULTS) | {UNREADABLE}),
    ("asked", _names(ev.Request, ev.Answer, ev.PollNow)),
    ("pins", _names(ev.Pinned, ev.Watch)),
    ("notes", _names(ev.Note)),
    ("objectives", _names(*_OBJECTIVES)),
)
"""What can be chosen, by the digit of its key: a word, and the events of that kind."""

_CYCLES: Final = frozenset({"cycle", "since", "first", "last"})
"""Fields of events that number cycles, from 0 as in the file."""
_NOT_JOURNAL: Final = (msgspec.MsgspecError, ValueError, RecursionError)
_LONGEST: Final = 4000


@dataclass(frozen=True, slots=True)
class JournalLine:
    """One line of the file: its number from 1, its time, its event's name, and what it says."""

    number: int
    ts: str
    name: str
    text: str


def journal_line(number: int, data: bytes) -> JournalLine:
    """Return what a line of the journal says; cycles count from 1, as everywhere on screen."""
    try:
        entry = ev.decode_entry(data)
    except _NOT_JOURNAL:
        return JournalLine(number, "", UNREADABLE, f"line {number} cannot be read")
    return JournalLine(number, entry.ts, entry.name, entry_text(entry.event, entry.name))


def chosen_names(kind: int, *, beats: bool) -> tuple[frozenset[str] | None, frozenset[str]]:
    """Return which events a choice shows (None: all), and which it hides."""
    names = KINDS[kind][1]
    return names, frozenset() if beats else BEATS


def passing(lines: Iterable[JournalLine], kind: int, *, beats: bool) -> Iterator[int]:
    """Yield the places of the lines that a choice shows."""
    names, hidden = chosen_names(kind, beats=beats)
    for place, line in enumerate(lines):
        if line.name not in hidden and (names is None or line.name in names):
            yield place


def found_at(
    lines: Sequence[JournalLine], shown: Sequence[int], words: str, start: int, step: int
) -> int | None:
    """Return where in ``shown`` the next line with ``words`` is, from ``start`` on, round the end.

    Upper and lower case are the same; None where there is none.
    """
    if not words or not shown:
        return None
    for far in range(len(shown)):
        place = (start + step * far) % len(shown)
        if has_words(lines[shown[place]], words):
            return place
    return None


def has_words(line: JournalLine, words: str) -> bool:
    """Say whether a line has ``words``, in whatever case."""
    return words.lower() in f"{line.ts} {line.text}".lower()


def when(ts: str, *, local: bool) -> str:
    """Return a line's time: UTC as in the file, and beside it local time where that is asked."""
    utc = ts[:19].replace("T", " ")
    if not local:
        return f"{utc:19}"
    try:
        moment = datetime.fromisoformat(ts).astimezone()
    except (ValueError, OverflowError):
        return f"{utc[5:]:14} | {'':20}"
    return f"{utc[5:]:14} | {moment:%m-%d %H:%M:%S %z}"


def drawn(line: JournalLine, width: int, *, local: bool) -> str:
    """Return a line in at most ``width`` cells."""
    start = harmless(when(line.ts, local=local))
    return harmless(f"{start} {line.text[: 2 * width]}", width)


def whole(line: JournalLine, width: int, most: int) -> list[str]:
    """Return a line's text in at most ``most`` lines; what is cut is marked."""
    return fold_to(f"{line.number}: {line.text[:_LONGEST]}", width, most)


def kinds_line(kind: int) -> str:
    """Return the chooser: every kind with its key, the chosen one in brackets."""
    return "  ".join(
        f"{key} [{word}]" if key == kind else f"{key} {word}" for key, (word, _) in enumerate(KINDS)
    )


def header_line(name: str, shown: int, lines: int, *, beats: bool, local: bool) -> str:
    """Return what is shown of how much."""
    hidden = "" if beats else ", heartbeats hidden"
    times = "UTC | local" if local else "UTC"
    return f"Journal of {harmless(name, 24)}: {shown} of {counted(lines, 'line')}{hidden}; {times}"


def calm_line(view: RunView) -> str:
    """Return what to say of a run that has no problem now; of one that is over, how it ended."""
    if view.stage not in {"closed", "adjudicated"}:
        return "nothing is wrong"
    if not view.verdict:
        return "closed: nothing more is read"
    final = view.stage == "adjudicated"
    return f"adjudicated: {view.verdict}" if final else f"closed: {view.verdict} (not final)"


def details(data: bytes) -> str:
    """Return all that a line of the file holds, a field a line; texts as they are written.

    Cycles count from 1 here too, as in the line that was opened; the file's number stands behind.
    """
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError):
        return data.decode("utf-8", "replace")
    if not isinstance(fields, dict):
        return json.dumps(fields, ensure_ascii=False)
    told = []
    for key, value in fields.items():
        if isinstance(value, str):
            first, *rest = value.split("\n")
            told += [f"{key}: {first}", *(f"  {line}" for line in rest)]
        elif key in _CYCLES and type(value) is int:
            told.append(f"{key}: {value + 1} ({value} in the file)")
        else:
            told.append(f"{key}: {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(told)
