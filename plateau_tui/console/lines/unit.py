"""The lines of the unit screen. Pure functions of a view and a width."""

from typing import Final

from plateau_tui.console.lines.renamed import renamed_words
from plateau_tui.console.lines.text import (
    age,
    fold,
    fold_words,
    harmless,
    is_slow,
    live,
    number,
    pad,
)
from plateau_tui.console.live.view import Reading, RunView, UnitView
from plateau_tui.runlog.times import format_ms

_ROOMY: Final = 70
_NOTE_LINES: Final = 3
_CELL: Final = 6
"""A past reading: a blank and at most five digits."""


def reading_lines(unit: UnitView, view: RunView, width: int, now_ms: int) -> list[str]:
    """Return every counter, when it first moved, its last readings with the gaps in them."""
    when_cells = 19 if width >= _ROOMY else 11
    when = "first moved (UTC)" if width >= _ROOMY else "moved (UTC)"
    count = "since" if view.since_start else "now"
    before = 16 + 1 + 6 + 1 + when_cells
    shown = unit.readings[-max(1, (width - before) // _CELL) :]
    cycles = "".join(f" {reading.cycle + 1:>5}" for reading in shown)
    noted = _noted(unit, width)
    # Above the table stands why the last reading lacks something; what is over stands below it.
    begun = _begun(noted, width) if unit.readings and unit.readings[-1].note else []
    lines = [
        *fold(_facts(unit, view, now_ms), width),
        *(fold_words(renamed, width) if (renamed := renamed_words(unit, view)) else ()),
        *begun,
        f"{'':{before}} in cycle" if shown else "",
        f"{'objective':16} {count:>6} {pad(when, when_cells)}{cycles}",
    ]

    def old(name: str) -> bool:
        return view.is_stale(unit.counts_ms.get(name), now_ms)

    lines += [
        _counter_line(name, unit, shown, when_cells, old=old(name)) for name in view.objectives
    ]
    gap = "-- a gap or below its start" if view.since_start else "-- a gap"
    marks = f"{gap}, ! not in the last reading, () old."
    since = "Counts are since the start reading, as they are scored. " if view.since_start else ""
    rest = noted if begun != noted else []
    return [*lines, "", f"{since}{marks}", *rest]


def _begun(noted: list[str], width: int) -> list[str]:
    """Return the first lines of a note, marked where more of it stands below."""
    if len(noted) <= _NOTE_LINES:
        return noted
    last = noted[_NOTE_LINES - 1]
    return [*noted[: _NOTE_LINES - 1], f"{last[: width - 1].rstrip()}~"]


def _noted(unit: UnitView, width: int) -> list[str]:
    """Return what the last row with a note says, and of which cycle: why there are gaps."""
    noted = [reading for reading in unit.readings if reading.note]
    if not noted:
        return []
    note = noted[-1].note
    first = last = noted[-1].cycle
    for reading in reversed(noted):  # as long as each row before says the same
        if reading.note != note or reading.cycle < first - 1:
            break
        first = reading.cycle
    cycles = f"cycle {last + 1}" if first == last else f"cycles {first + 1} to {last + 1}"
    return fold_words(f"Note of {cycles}: {harmless(note, 400)}", width)


def _facts(unit: UnitView, view: RunView, now_ms: int) -> list[str]:
    reading = age(None if unit.read_ms is None else now_ms - unit.read_ms, coarse=is_slow(view))
    return [
        unit.name,
        f"pair {unit.pair + 1}",
        f"{view.arms[unit.role]} ({unit.role})",
        live(unit.online, stale=view.is_stale(unit.online_ms, now_ms)),
        f"wood {unit.baseline or 'not pinned'}",
        f"reading {reading}{'!' if view.is_stale(unit.read_ms, now_ms) else ''} old",
        f"cycles with gaps {unit.gaps}",
        f"hoard {number(unit.hoard, stale=view.is_stale(unit.hoard_ms, now_ms))}",
    ]


def _counter_line(
    name: str, unit: UnitView, shown: tuple[Reading, ...], when_cells: int, *, old: bool
) -> str:
    moved = unit.first_moved.get(name)
    not_moved = "never" if unit.counts.get(name) is not None else "?"
    when = not_moved if moved is None else format_ms(moved)[:19].replace("T", " ")
    if when_cells < len(when):
        when = when[5:16]
    last = "".join(
        f" {'--' if (n := reading.counts.get(name)) is None else number(n):>5}" for reading in shown
    )
    missed = bool(unit.readings) and unit.readings[-1].counts.get(name) is None
    now = number(unit.counts.get(name), 6, stale=True) if old else number(unit.counts.get(name))
    now += "!" if missed and not old else ""
    return f"{pad(name, 16)} {now:>6} {when:{when_cells}}{last}"
