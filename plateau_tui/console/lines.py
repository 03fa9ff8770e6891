"""The lines of the run screen: header, arms, units. Pure functions of a view and a width."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from plateau_tui.console.text import (
    age,
    bracketed,
    countdown,
    flag,
    fold,
    harmless,
    is_slow,
    live,
    number,
    pad,
    pad_name,
)
from plateau_tui.console.view import Entry, Role, RunView, Said, UnitView

ROOMY: Final = 70
"""From this width on lines have full words and a unit's line its blocks."""
_LONGEST_NAME: Final = 16
_RCON: Final = {True: "RCON ok", False: "RCON FAULT", None: "RCON ?"}


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a unit's line at one width; ``blocks`` is None where there is no room."""

    name: int
    blocks: int | None

    @classmethod
    def fit(cls, width: int, view: RunView) -> "Columns":
        """Return the columns that fit ``width`` cells."""
        longest = min(_LONGEST_NAME, max(len(unit.name) for unit in view.units))
        if width < ROOMY:
            return cls(max(4, min(longest, width - 51)), None)
        return cls(longest, max(0, min(60, width - 54 - longest)))


def header_lines(view: RunView, now_ms: int, width: int) -> list[str]:
    """Return the header: the run and its cycle, then who reads it and how well."""
    roomy = width >= ROOMY
    next_slot = view.next_slot_ms(now_ms)
    cycle = "-" if view.cycle is None else str(view.cycle + 1)
    seal = view.seal if roomy else view.seal[:8]
    first = [
        harmless(view.name, 24 if roomy else 12),
        view.stage.upper(),
        f"cycle {cycle} of {view.cycles}",
        f"next {countdown(None if next_slot is None else next_slot - now_ms)}",
        f"seal {'BROKEN ' if view.seal_broken else ''}{seal or 'none'}",
    ]
    beat = None if view.heartbeat_ms is None else now_ms - view.heartbeat_ms
    pid = view.collector_pid
    rcon = _RCON[None if pid is None else view.rcon_ok]  # without a reader nobody knows
    second = [
        "no collector" if pid is None else f"collector {pid}",
        f"{'heartbeat' if roomy else 'beat'} {age(beat, coarse=is_slow(view))}",
        bracketed(rcon) if view.is_stale(view.heartbeat_ms, now_ms) else rcon,
        f"gaps {view.gaps}",
        f"wood {_baseline(view)}",
    ]
    return [*fold(first, width), *fold(second, width)]


def _baseline(view: RunView) -> str:
    pinned = {unit.baseline for unit in view.units}
    if pinned == {None}:
        return "not pinned"
    if None in pinned:
        return f"not pinned for {len(view.unpinned)}"
    return " ".join(sorted(wood for wood in pinned if wood))


def arm_line(view: RunView, role: Role, width: int, now_ms: int) -> str:
    """Return an arm's heading: its label, and how many of its units reached what.

    A count stands in brackets where a unit's reading is old: by now it may be more.
    """
    units = view.of(role)
    words = ("PRIMARY", "SECONDARY", "both") if width >= ROOMY else ("PRIM", "SEC", "both")
    stale = any(view.is_stale(unit.read_ms, now_ms) for unit in units)

    def reached(what: str, word: str) -> str:
        flags = [getattr(unit, what) for unit in units]
        count = f"{flags.count(True)} of {len(units)}"
        unknown = f", {flags.count(None)} ?" if None in flags else ""
        return f"{bracketed(count) if stale else count} {word}{unknown}"

    fields = zip(("primary", "secondary", "plateau_break"), words, strict=True)
    counts = "  ".join(reached(what, word) for what, word in fields)
    start = role.upper() if width >= ROOMY else role[:5].upper()
    room = width - len(start) - len(counts) - 3
    return harmless(f"{start} {harmless(view.arms[role], max(1, room))}  {counts}", width)


def columns_line(columns: Columns) -> str:
    """Return the heading over the units' lines."""
    start = f"{'':2}{pad('unit', columns.name)} {'live':5} {'PRIM':5} {'SEC':5} {'both':5}"
    if columns.blocks is None:
        return f"{start} {'placd':>5} {'byd':>3} {'pick':>4} {'age':>4} {'gaps':>4}"
    beyond = pad("mined beyond", columns.blocks + 3)
    return f"{start} {'placed':>6} {beyond} {'hoard':>5} {'age':>5} {'gaps':>4}"


def unit_line(unit: UnitView, view: RunView, columns: Columns, now_ms: int) -> str:
    """Return one unit's line; what is old in it stands in brackets."""
    old_placed, old_mined = (
        view.is_stale(unit.read_ms if ms is None else ms, now_ms)
        for ms in (unit.placed_ms, unit.mined_ms)
    )
    table = "tbl" if unit.table_only else ""
    log = "log" if unit.other_log else ""
    flags = " ".join(
        f"{flag(value, disclosed=disclosed, stale=stale):5}"
        for value, disclosed, stale in (
            (unit.primary, table, old_placed),
            (unit.secondary, log, old_mined),
            (unit.plateau_break, table or log, old_placed or old_mined),
        )
    )
    listed = live(unit.online, stale=view.is_stale(unit.online_ms, now_ms))
    start = f"{unit.pair + 1:<2}{pad_name(unit.name, columns.name)} {listed:5} {flags}"
    old_hoard = view.is_stale(unit.hoard_ms, now_ms)
    old = _age(unit, view, now_ms)
    if columns.blocks is None:
        placed = number(unit.placed, stale=old_placed)
        beyond = number(unit.beyond, 3, stale=old_mined)
        hoard = number(unit.hoard, 4, stale=old_hoard)
        return f"{start} {placed:>5} {beyond:>3} {hoard:>4} {old:>4} {_gaps(unit):>4}"
    placed = number(unit.placed, 6, stale=old_placed)
    beyond = _beyond(unit, columns.blocks + 3, stale=old_mined)
    hoard = number(unit.hoard, stale=old_hoard)
    return f"{start} {placed:>6} {beyond} {hoard:>5} {old:>5} {_gaps(unit):>4}"


def _age(unit: UnitView, view: RunView, now_ms: int) -> str:
    reading = age(None if unit.read_ms is None else now_ms - unit.read_ms, coarse=is_slow(view))
    return f"{reading}!" if view.is_stale(unit.read_ms, now_ms) else reading


def _gaps(unit: UnitView) -> str:
    return number(unit.gaps, 3) + ("!" if not unit.whole and unit.gaps else "")


def _beyond(unit: UnitView, width: int, *, stale: bool) -> str:
    """Return how many kinds and which; in brackets as one where they are old."""
    blocks = ",".join(block.removesuffix("_ore") for block in unit.beyond_blocks)
    shown = f"{number(unit.beyond)} {blocks}".rstrip()
    if stale and unit.beyond is not None:
        return pad(bracketed(harmless(shown, width - 2)), width)
    return pad(f" {shown}", width)


def chosen_line(unit: UnitView, view: RunView, now_ms: int) -> str:
    """Return in full what the chosen unit's line has no room for."""
    blocks = ", ".join(unit.beyond_blocks)
    if not blocks:
        blocks = "? (not read, or not pinned)" if unit.beyond is None else "nothing"
    words = [f"{unit.name}: beyond {blocks}"]
    if unit.table_only:
        words.append("PRIMARY by the table alone")
    if unit.other_log:
        words.append("SECONDARY by another log")
    if not unit.whole and unit.gaps:
        words.append("gap in its last reading")
    times = (unit.read_ms, unit.placed_ms, unit.mined_ms, unit.hoard_ms)
    if any(view.is_stale(ms, now_ms) for ms in times):
        words.append("what stands in brackets is old")
    return "; ".join(words)


def tail_lines(
    journal: Iterable[Entry], said: Iterable[Said], under_way: Sequence[str]
) -> list[str]:
    """Return the journal with what this console answered in its place, then what is under way."""
    answers, lines = list(said), []
    for entry in journal:
        while answers and entry.ts and answers[0].ts < entry.ts:
            lines.append(_said_line(answers.pop(0)))
        lines.append(f"{entry.ts[11:19]} {entry.text}")
    lines += [_said_line(answer) for answer in answers]
    return [*lines, *(f"> {job} ..." for job in dict.fromkeys(under_way))]


def _said_line(answer: Said) -> str:
    return f"{answer.ts[11:19]} > {answer.text}"
