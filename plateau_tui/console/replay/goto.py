"""Where in a log a text leads: a cycle by its number, a time in UTC, or a step from the cursor."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from plateau_tui.console.replay.timeline import Timeline
from plateau_tui.runlog.times import format_ms

ASKED: Final = (
    "Or a time in UTC: 2026-01-18 03:00, 01-18 03:00, 01-18, 03:00 (of the same day).\n"
    "Or a step: +5 or -5 cycles, +90m, -3h, +2d."
)
"""What may be typed beside a number."""
_STEP: Final = re.compile(r"([+-])\s*([0-9]{1,7})\s*([mhd]?)")
_TIME: Final = re.compile(
    r"(?:(?:([0-9]{4})-)?([0-9]{1,2})-([0-9]{1,2}))?"
    r"(?:(?:^|[ T]\s*)([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]{1,9})?)?)?"
    r"\s*(?:Z|UTC)?",
    re.IGNORECASE,
)
_UNITS_MS: Final = {"m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DAY_MS: Final = 86_400_000
_LEAP_MS: Final = 951_782_400_000
"""2000-02-29: every day of a year may be meant where none is named."""
_LONGEST: Final = 12


@dataclass(frozen=True, slots=True)
class Wanted:
    """Where a text leads: a step of the timeline, or None; and what must be said of it."""

    step: int | None
    told: str = ""


@dataclass(frozen=True, slots=True)
class _Span:
    """From the first to the last millisecond that a text may mean."""

    start_ms: int
    end_ms: int


def wanted_step(text: str, timeline: Timeline, cycle: int, interval_ms: int) -> Wanted:
    """Return where ``text`` leads from the cursor's ``cycle``; the timeline has steps.

    Cycles count from 1 in the text, and from 0 in ``cycle``.
    """
    text = text.strip()
    if not text:
        return Wanted(None)
    if text.isdecimal() and text.isascii() and len(text) < _LONGEST:
        return _numbered(int(text) - 1, timeline) or _nowhere(text, timeline)
    step = _STEP.fullmatch(text)
    if step is not None:
        sign, count, unit = step.groups()
        ahead = int(count) if sign == "+" else -int(count)
        if not unit:
            kept = max(0, min(cycle + ahead, timeline.last_cycle))
            return _numbered(kept, timeline) or _nowhere(text, timeline)
        slot_ms = timeline.slot_of(timeline.step_of(cycle)) + ahead * _UNITS_MS[unit.lower()]
        return Wanted(timeline.step_at(slot_ms))
    return _timed(text, timeline, cycle, interval_ms)


def leads(text: str) -> bool:
    """Say whether a text is a cycle, a time or a step, whatever log it is asked of."""
    text = text.strip()
    number = text.isdecimal() and text.isascii() and len(text) < _LONGEST
    return bool(number or _STEP.fullmatch(text)) or _span(text, _LEAP_MS) is not None


def _nowhere(text: str, timeline: Timeline) -> Wanted:
    last = timeline.last_cycle + 1
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}~"
    also = ", nor a time (01-18 03:00) or a step (+5)" if not text.isdecimal() else ""
    return Wanted(None, f"{shown} is no cycle of this log: 1 to {last}{also}")


def _numbered(cycle: int, timeline: Timeline) -> Wanted | None:
    if not 0 <= cycle <= timeline.last_cycle:
        return None
    step = timeline.step_of(cycle)
    if timeline.cycle_of(step) == cycle:
        return Wanted(step)
    which = "before" if timeline.cycle_of(step) < cycle else "after"
    return Wanted(step, f"cycle {cycle + 1} has no rows; this is the one {which} it")


def _timed(text: str, timeline: Timeline, cycle: int, interval_ms: int) -> Wanted:
    first_ms, last_ms = timeline.slot_of(0), timeline.slot_of(len(timeline) - 1)
    here_ms = timeline.slot_of(timeline.step_of(cycle))
    spans = [_span(text, near_ms) for near_ms in (here_ms, first_ms, last_ms)]
    found = [span for span in spans if span is not None]
    if not found:
        return _nowhere(text, timeline)
    # Without a year or a day it is one that the log has, where there is any.
    end_ms = last_ms + max(1, interval_ms) - 1
    span = next((s for s in found if s.end_ms >= first_ms and s.start_ms <= end_ms), found[0])
    if span.end_ms < first_ms:
        return Wanted(None, f"{text} is before this log, which begins {_minute(first_ms)} UTC")
    if span.start_ms > end_ms:
        read = "ends" if timeline.done else "is read up to"
        return Wanted(None, f"{text} is after this log, which {read} {_minute(last_ms)} UTC")
    step = timeline.step_at(min(span.end_ms, span.start_ms + _UNITS_MS["m"] - 1))
    if timeline.slot_of(step) < span.start_ms and step + 1 < len(timeline):
        following_ms = timeline.slot_of(step + 1)
        if following_ms <= span.end_ms:
            return Wanted(step + 1)
        if span.start_ms - timeline.slot_of(step) >= 2 * max(1, interval_ms):
            return Wanted(step, f"there are no rows of {text}; this is the cycle before it")
    return Wanted(step)


def _span(text: str, near_ms: int) -> _Span | None:
    """Return what a text may mean; what it leaves out is as at ``near_ms``."""
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = match.groups()
    near = datetime.fromtimestamp(near_ms / 1000, UTC)
    if month is None and hour is None:
        return None
    try:
        begin = datetime(
            int(year or near.year),
            int(month or near.month),
            int(day or near.day),
            int(hour or 0),
            int(minute or 0),
            int(second or 0),
            tzinfo=UTC,
        )
    except ValueError:
        return None
    start_ms = (begin - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    if hour is None:
        return _Span(start_ms, start_ms + _DAY_MS - 1)
    return _Span(start_ms, start_ms + (999 if second else _UNITS_MS["m"] - 1))


def _minute(ms: int) -> str:
    return format_ms(ms)[:16].replace("T", " ")
