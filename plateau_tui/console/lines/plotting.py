"""What the plot of one counter shows: points, gaps, marks, ticks. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from plateau_tui.console.lines.sparks import GAP, unit_spark
from plateau_tui.console.lines.text import harmless, number, pad
from plateau_tui.console.live.series import BEYOND, HOARD, PLACED, TOTALS
from plateau_tui.console.live.view import RunView, UnitView
from plateau_tui.runlog.times import format_ms

NAME_CELLS: Final = 16
_COUNT_CELLS: Final = 6
_MINUTE_MS: Final = 60_000
_DAY_MS: Final = 86_400_000
_FLAGS: Final = (
    ("plateau_break", "B", "both"),
    ("primary", "1", "PRIMARY"),
    ("secondary", "2", "SECONDARY"),
)
_PIN: Final = "P"
_FAULT: Final = "!"
_STEPS: Final = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment of the window: the cycle in which something was so, from 1, and a cell for it."""

    cycle: int
    sign: str
    words: str


@dataclass(frozen=True, slots=True)
class Plot:
    """What is drawn of one series over the cycles 1 to ``cycles``.

    ``lines`` are (cycles, counts) of what was read without a gap; ``gaps`` the cycles, first and
    last, in which it was not.
    """

    cycles: int
    lines: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    gaps: tuple[tuple[int, int], ...]
    low: int
    high: int
    marks: tuple[Mark, ...]


def plot_of(unit: UnitView, view: RunView, name: str) -> Plot | None:
    """Return what is drawn of a unit's series; None where no cycle was read yet."""
    if unit.series is None or view.cycle is None:
        return None
    cycles, per = view.cycle + 1, unit.series.per
    values = unit.series.over(name, cycles)
    lines: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    gaps: list[tuple[int, int]] = []
    for is_gap, group in groupby(enumerate(values), key=lambda each: each[1] is None):
        part = list(group)
        last = tuple(min((place + 1) * per, cycles) for place, _ in part)
        if is_gap:
            gaps.append((part[0][0] * per + 1, last[-1]))
        else:
            lines.append((last, tuple(value for _, value in part if value is not None)))
    known = [value for value in values if value is not None]
    low, high = min([0, *known]), max([1, *known])
    return Plot(cycles, tuple(lines), tuple(gaps), low, high, marks_of(unit, view))


def marks_of(unit: UnitView, view: RunView) -> tuple[Mark, ...]:
    """Return when the unit's flags turned, when it was pinned, and the cycles of faults."""
    marks = [
        Mark(unit.turned[flag] + 1, sign, words)
        for flag, sign, words in _FLAGS
        if flag in unit.turned
    ]
    if unit.pinned_ms is not None and view.slot0_ms is not None:
        pinned = (unit.pinned_ms - view.slot0_ms) // view.interval_ms + 1
        if pinned >= 1:
            marks.append(Mark(pinned, _PIN, "pinned"))
    return (*marks, *(Mark(cycle + 1, _FAULT, "fault") for cycle in view.fault_cycles))


def column_of(cycle: int, cycles: int, columns: int) -> int:
    """Return the column, from 0, in which a cycle from 1 stands: each has as much room."""
    return max(0, min(columns - 1, (2 * cycle - 1) * columns // (2 * max(1, cycles))))


def marks_line(plot: Plot, columns: int) -> str:
    """Return a sign for each mark in its column, and ``x`` where nothing was read.

    Where two would stand in one cell, a flag goes before a pin, that before a fault.
    """
    line = [" "] * columns
    for first, last in plot.gaps:
        begin = (first - 1) * columns // plot.cycles
        end = max(begin + 1, last * columns // plot.cycles)
        line[begin:end] = [GAP] * (min(columns, end) - begin)
    for mark in reversed(plot.marks):
        if mark.cycle <= plot.cycles:
            line[column_of(mark.cycle, plot.cycles, columns)] = mark.sign
    return "".join(line)


def means_line(plot: Plot, width: int) -> str:
    """Return what the signs over the plot mean, those that stand there, in one line."""
    shown = [mark for mark in plot.marks if mark.cycle <= plot.cycles]
    words = [f"{GAP} not read"] if plot.gaps else []
    words += [f"{m.sign} {m.words} in {m.cycle}" for m in shown if m.sign != _FAULT]
    if any(mark.sign == _FAULT for mark in shown):
        words.append(f"{_FAULT} a fault")
    return harmless("  ".join(words) or "every cycle was read", width)


def title_line(unit: UnitView, view: RunView, name: str, width: int, *, timed: bool) -> str:
    """Return what is drawn, and the units of its axes."""
    across = "UTC" if timed else "cycles from 1"
    per = 1 if unit.series is None else unit.series.per
    many = f", {per} to a point" if per > 1 else ""
    since = " since start" if view.since_start and name != HOARD else ""
    return harmless(
        f"{name}{since}: {number(count_of(unit, name), 20)}  across: {across}{many}", width
    )


def count_of(unit: UnitView, name: str) -> int | None:
    """Return the last known count of a series."""
    totals = {PLACED: unit.placed, BEYOND: unit.beyond, HOARD: unit.hoard}
    return totals[name] if name in totals else unit.counts.get(name)


def _is_old(unit: UnitView, view: RunView, name: str, now_ms: int) -> bool:
    times = {PLACED: unit.placed_ms, BEYOND: unit.mined_ms, HOARD: unit.hoard_ms}
    return view.is_stale(times[name] if name in times else unit.counts_ms.get(name), now_ms)


def counter_line(
    unit: UnitView, view: RunView, name: str, width: int, now_ms: int, levels: str
) -> str:
    """Return a series in one line: its name, its count, its way in a scale of its own."""
    count = number(count_of(unit, name), _COUNT_CELLS, stale=_is_old(unit, view, name, now_ms))
    start = f"{pad(name, NAME_CELLS)} {count:>{_COUNT_CELLS}} "
    room = max(0, width - len(start))
    return start + unit_spark(unit, view, name, room, levels, alone=True)


def series_names(unit: UnitView, view: RunView, *, moved: bool) -> list[str]:
    """Return what can be plotted: the totals, then every counter, or those that ever moved."""
    names = [name for name in view.objectives if not moved or unit.counts.get(name)]
    return [*TOTALS, *names]


def ticks(low: int, high: int, most: int) -> list[int]:
    """Return at most so many whole numbers from ``low`` to ``high``, in steps of 1, 2, 5, 10 ...

    They are multiples of their step; where there is none, it is ``high`` alone.
    """
    step = next(
        size * 10**power
        for power in range(40)
        for size in _STEPS
        if high // (size * 10**power) + -low // (size * 10**power) < max(1, most)
    )
    return list(range(-(-low // step) * step, high + 1, step)) or [high]


def cycle_labels(cycles: Sequence[int], view: RunView, *, timed: bool) -> list[str]:
    """Return what stands under cycles from 1: their numbers, or the UTC time of their slots."""
    if not timed or view.slot0_ms is None:
        return [str(cycle) for cycle in cycles]
    whole = view.cycle is not None and (view.cycle + 1) * view.interval_ms > _DAY_MS
    slots = [view.slot0_ms + (cycle - 1) * view.interval_ms for cycle in cycles]
    end = 16 if view.interval_ms >= _MINUTE_MS else 19
    return [format_ms(slot)[5 if whole else 11 : end].replace("T", " ") for slot in slots]
