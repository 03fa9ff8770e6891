"""The lines of the run screen: header, arms, units. Pure functions of a view and a width."""

from dataclasses import dataclass
from typing import Final

from plateau_tui.console.text import (
    age,
    countdown,
    flag,
    fold,
    harmless,
    is_slow,
    is_stale,
    live,
    number,
    pad,
    pad_name,
)
from plateau_tui.console.view import Role, RunView, UnitView

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
        return cls(longest, max(0, min(60, width - 53 - longest)))


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
    second = [
        "no collector" if pid is None else f"collector {pid}",
        f"{'heartbeat' if roomy else 'beat'} {age(beat, coarse=is_slow(view))}",
        _RCON[None if pid is None else view.rcon_ok],  # without a reader nobody knows
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


def arm_line(view: RunView, role: Role, width: int) -> str:
    """Return an arm's heading: its label, and how many of its units reached what."""
    units = view.of(role)
    words = ("PRIMARY", "SECONDARY", "both") if width >= ROOMY else ("PRIM", "SEC", "both")

    def reached(what: str, word: str) -> str:
        flags = [getattr(unit, what) for unit in units]
        unknown = f" ({flags.count(None)} ?)" if None in flags else ""
        return f"{flags.count(True)} of {len(units)} {word}{unknown}"

    fields = zip(("primary", "secondary", "plateau_break"), words, strict=True)
    counts = "  ".join(reached(what, word) for what, word in fields)
    start = role.upper() if width >= ROOMY else role[:5].upper()
    room = width - len(start) - len(counts) - 3
    return harmless(f"{start} {harmless(view.arms[role], max(1, room))}  {counts}", width)


def columns_line(columns: Columns) -> str:
    """Return the heading over the units' lines."""
    start = f"{'':2}{pad('unit', columns.name)} "
    flags = f"{'PRIM':5} {'SEC':5} {'both':5}"
    if columns.blocks is None:
        return (
            f"{start}{'liv':3} {flags} {'placd':>5} {'byd':>3} {'hoard':>5} {'age':>5} {'gaps':>4}"
        )
    beyond = pad("mined beyond", columns.blocks + 3)
    return f"{start}{'live':4} {flags} {'placed':>6} {beyond} {'hoard':>5} {'age':>5} {'gaps':>4}"


def unit_line(unit: UnitView, view: RunView, columns: Columns, now_ms: int) -> str:
    """Return one unit's line."""
    stale = is_stale(unit, view, now_ms)
    table = "tbl" if unit.table_only else ""
    log = "log" if unit.other_log else ""
    flags = " ".join(
        f"{flag(value, disclosed=disclosed, stale=stale):5}"
        for value, disclosed in (
            (unit.primary, table),
            (unit.secondary, log),
            (unit.plateau_break, table or log),
        )
    )
    reading = age(None if unit.read_ms is None else now_ms - unit.read_ms, coarse=is_slow(view))
    old = f"{reading}!" if stale else reading
    start = f"{unit.pair + 1:<2}{pad_name(unit.name, columns.name)}"
    placed, hoard, gaps = number(unit.placed), number(unit.hoard), _gaps(unit)
    if columns.blocks is None:
        return (
            f"{start} {live(unit.online):3} {flags} {placed:>5} {number(unit.beyond):>3} "
            f"{hoard:>5} {old:>5} {gaps:>4}"
        )
    beyond = pad(f"{number(unit.beyond):>2} {_blocks(unit)}", columns.blocks + 3)
    return (
        f"{start} {live(unit.online):4} {flags} {placed:>6} {beyond} {hoard:>5} {old:>5} {gaps:>4}"
    )


def _gaps(unit: UnitView) -> str:
    count = str(unit.gaps) if unit.gaps < 1000 else f"{unit.gaps // 1000}k"  # noqa: PLR2004 - cells
    return f"{count}!" if not unit.whole and unit.gaps else count


def _blocks(unit: UnitView) -> str:
    return ",".join(block.removesuffix("_ore") for block in unit.beyond_blocks)


def chosen_line(unit: UnitView) -> str:
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
    return "; ".join(words)
