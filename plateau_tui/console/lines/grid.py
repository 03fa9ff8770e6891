"""The lines of the run screen: header, arms, units. Pure functions of a view and a width."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from plateau_tui.console.lines.sparks import top_of, unit_spark
from plateau_tui.console.lines.text import (
    age,
    bracketed,
    cells,
    countdown,
    flag,
    fold,
    fold_words,
    harmless,
    is_slow,
    live,
    moment,
    number,
    pad,
    pad_name,
)
from plateau_tui.console.live.series import HOARD, PLACED
from plateau_tui.console.live.view import Entry, Role, RunView, Said, UnitView, clock_time
from plateau_tui.console.look.plainchars import one_way
from plateau_tui.metric.scoring import DIVERSE_AT

ROOMY: Final = 70
"""From this width on lines have full words and a unit's line its blocks."""
_LONGEST_NAME: Final = 16
_LEAST_NAME: Final = 4
"""The heading over the names."""
_LABEL: Final = 12
"""So many cells of an arm's label stand before its heading has whole words beside it."""
_LEAST_LABEL: Final = 4
_BLOCKS: Final = 16
"""So many cells are the kinds of block's before sparklines stand beside them."""
_LEAST_SPARK: Final = 8
_LEAST_ALONE: Final = 5
_MOST_SPARK: Final = 24
_HELD: Final = 9
"""Cells of the kinds of block and the hoard in a narrow line, with the blank before."""
_RCON_UP: Final = "RCON up"
_RCON: Final = {True: "RCON ok", False: "RCON FAULT", None: "RCON ?"}


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a unit's line at one width."""

    number: int
    """Cells of the pair's number and the blank behind it."""
    name: int
    blocks: int | None
    """Cells of the kinds of block; None in a narrow line, 0 where sparklines stand instead."""
    sparks: int = 0
    """Cells of each of the two sparklines; 0 where there is no room."""
    levels: str = ""
    """What the sparklines are drawn with."""
    tops: tuple[int, int] = (1, 1)
    """The counts of their highest blocks."""

    @classmethod
    def fit(
        cls, width: int, view: RunView, levels: str = "", *, instead: bool = False
    ) -> "Columns":
        """Return the columns that fit ``width`` cells, with sparklines if ``levels`` are given.

        Args:
            width: the cells of a unit's line.
            view: the run.
            levels: what the sparklines are drawn with.
            instead: draw them in the place of the kinds of block, and not beside those.

        """
        number = len(str(max(unit.pair for unit in view.units) + 1)) + 1
        beside = number + (49 if width < ROOMY else 52)
        wanted = min(_LONGEST_NAME, max(len(unit.name) for unit in view.units))
        longest = max(_LEAST_NAME, min(wanted, width - beside))
        if width < ROOMY:
            return cls(number, longest, None)
        room = max(0, width - beside - longest)
        known = any(unit.series is not None for unit in view.units)
        if not levels or not known:
            return cls(number, longest, min(60, room))
        tops = (top_of(view, PLACED), top_of(view, HOARD))
        if instead and room >= 2 * (_LEAST_ALONE + 1):
            return cls(number, longest, 0, room // 2 - 1, levels, tops)
        each = min(_MOST_SPARK, max(_LEAST_SPARK, (room - _BLOCKS) // 3))
        if room < _BLOCKS + 2 * (_LEAST_SPARK + 1):
            return cls(number, longest, min(60, room))
        return cls(number, longest, min(60, room - 2 * (each + 1)), each, levels, tops)


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
    if not roomy and view.stage in {"closed", "adjudicated"}:
        first.pop(3)  # no poll is to come, and a third line would be a unit's
    if not roomy and view.seal_broken:
        first[-1] = "seal BROKEN"
    beat_ms = clock_time(view.heartbeat_ms)
    beat = "-" if beat_ms is None else age(now_ms - beat_ms, coarse=is_slow(view))
    pid = view.collector_pid
    late = view.overdue_ms(now_ms) > 0  # what was known of server and gaps may be over
    known = False if view.by_hand else view.rcon_ok
    rcon = _RCON[None if pid is None else known]  # without a reader nobody knows
    if pid is not None and known and view.missing:
        rcon = _RCON_UP  # it answers, and yet no cycle is read whole
    second = [
        "no collector" if pid is None else f"{'collector' if roomy else 'pid'} {pid}",
        f"{'heartbeat' if roomy else 'beat'} {beat}",
        bracketed(rcon) if late or view.is_stale(view.heartbeat_ms, now_ms) else rcon,
        f"gaps {bracketed(run_gaps(view)) if late else run_gaps(view)}",
        f"wood {_baseline(view, roomy=roomy)}",
        *(["counts since start"] if view.since_start and roomy else []),
    ]
    return [*fold(first, width), *fold(second, width)]


def run_gaps(view: RunView) -> str:
    """Return the cycles with gaps; apart those that lack only what is gone from the server."""
    own = view.gaps - view.gone_gaps
    return f"{own}+{view.gone_gaps}" if view.gone_gaps else str(own)


def _baseline(view: RunView, *, roomy: bool) -> str:
    pinned = {unit.baseline for unit in view.units}
    if pinned == {None}:
        return "not pinned" if roomy else "unpinned"
    if None in pinned:
        return f"not pinned for {len(view.unpinned)}"
    return " ".join(sorted(wood for wood in pinned if wood))


def arm_line(
    view: RunView, role: Role, width: int, now_ms: int, shown: tuple[int, int] | None = None
) -> str:
    """Return an arm's heading: its label, and how many of its units reached what.

    How many are live stands first where some are not: those are lost to the verdict as it stands.
    A count stands in brackets where what it counts was read long ago: by now it may be more.
    ``shown`` are the first and the last pair in view, where that is not all of them.
    """
    units = view.of(role)
    words = ("PRIMARY", "SECONDARY", "both") if width >= ROOMY else ("PRIM", "SEC", "both")
    old = [old_halves(unit, view, now_ms) for unit in units]
    stale = {
        "primary": any(placed for placed, _ in old),
        "secondary": any(mined for _, mined in old),
        "plateau_break": any(placed or mined for placed, mined in old),
    }

    def reached(what: str, word: str) -> str:
        flags = [getattr(unit, what) for unit in units]
        count = f"{flags.count(True)} of {len(units)}"
        unknown = f", {flags.count(None)} ?" if None in flags else ""
        aged = stale[what] and flags.count(None) < len(flags)  # what is unknown is not old
        return f"{bracketed(count) if aged else count} {word}{unknown}"

    fields = zip(("primary", "secondary", "plateau_break"), words, strict=True)
    counts = [reached(what, word) for what, word in fields]
    start = role.upper() if width >= ROOMY else role[:5].upper()
    label = one_way(harmless(view.arms[role]))  # our numbers follow it
    wanted = min(cells(label), _LABEL)
    ends: tuple[tuple[str, ...], ...] = ((start,), (start[0],))
    if shown is not None:
        span = f"{shown[0]}-{shown[1]}"
        some = f"{span} shown"
        ends = ((start, f"pairs {some}"), (start, some), (start[0], some), (start[0], span))
    live, line = _live_of(view, units), ""
    # What is given up for the rest to fit: words first, then the label, then how many are live.
    for first, least in ((live, wanted), (live, _LEAST_LABEL), (live, -1), ([], -1)):
        for word, *behind in ends:
            told = "  ".join([*first, *counts, *behind])
            room = width - len(word) - cells(told) - 3
            label = one_way(harmless(view.arms[role], room)) if room > 1 else ""
            line = harmless(f"{f'{word} {label}'.rstrip()}  {told}", width)
            if room >= least:
                return line
    return line


def _live_of(view: RunView, units: Sequence[UnitView]) -> list[str]:
    """Return how many of an arm's units are live where some are not; before any list nobody is."""
    live_units = sum(view.is_live(unit) for unit in units)
    listed = any(unit.seen or unit.absent_polls for unit in units)
    return [f"{live_units} live"] if listed and live_units < len(units) else []


def columns_line(columns: Columns) -> str:
    """Return the heading over the units' lines."""
    name = f"{'':{columns.number}}{pad('unit', columns.name)}"
    start = f"{name} {'live':5} {'PRIM':5} {'SEC':5} {'both':5}"
    if columns.blocks is None:
        return f"{start} {'placd':>5} {'byd':>3} {'pick':>4} {'age':>4} {'gaps':>4}"
    beyond = pad("mined beyond" if columns.blocks else "byd", columns.blocks + 3)
    titles = zip(("placed", "hoard"), columns.tops, strict=True)
    sparks = "".join(f" {_spark_title(word, top, columns.sparks)}" for word, top in titles)
    start = f"{start} {'placed':>6} {beyond} {'hoard':>5} {'age':>5} {'gaps':>4}"
    return start + sparks if columns.sparks else start


def _spark_title(word: str, top: int, width: int) -> str:
    """Return the heading over a sparkline, with its scale where there is room."""
    scaled = f"{word} to {number(top)}"
    short = word if len(word) <= width else "placd"
    return pad(scaled if len(scaled) <= width else short, width)


def unit_line(unit: UnitView, view: RunView, columns: Columns, now_ms: int, mark: str = " ") -> str:
    """Return one unit's line; what is old in it stands in brackets.

    ``mark`` stands behind the name: one cell that says what its operator has not seen yet.
    """
    old_placed, old_mined = old_halves(unit, view, now_ms)
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
    pair = f"{unit.pair + 1:>{columns.number - 1}}"
    start = f"{pair} {pad_name(unit.name, columns.name)}{mark}{listed:5} {flags}"
    old_hoard = view.is_stale(unit.hoard_ms, now_ms)
    old = _age(unit, view, now_ms)
    if columns.blocks is None:
        placed = number(unit.placed, stale=old_placed)
        beyond = number(unit.beyond, 3, stale=old_mined)
        # A bracket parts it from the column before as well as a blank would.
        room = 8 if beyond.endswith(")") else 5 + 3 - max(2, len(beyond))
        hoard = number(unit.hoard, min(6, room) if old_hoard else 4, stale=old_hoard)
        held = f" {beyond:>3}{hoard:>5}"
        held = held if len(held) == _HELD else f"{beyond:>2}{hoard}".rjust(_HELD)
        return f"{start} {placed:>5}{held} {old:>4} {_gaps(unit):>4}"
    placed = number(unit.placed, 6, stale=old_placed)
    if columns.blocks:
        beyond = _beyond(unit, columns.blocks + 3, stale=old_mined)
    else:
        beyond = f"{number(unit.beyond, 3, stale=old_mined):>3}"
    # A bracket parts it from the column before as well as a blank would.
    hoard = number(unit.hoard, 6 if old_hoard else 5, stale=old_hoard)
    sparks = "".join(
        f" {unit_spark(unit, view, name, columns.sparks, columns.levels)}"
        for name in (PLACED, HOARD)
        if columns.sparks
    )
    return f"{start} {placed:>6} {beyond}{hoard:>6} {old:>5} {_gaps(unit):>4}{sparks}"


def old_halves(unit: UnitView, view: RunView, now_ms: int) -> tuple[bool, bool]:
    """Say whether what PRIMARY, and what SECONDARY counts was read long ago, or nobody knows when.

    A log that was made from a bare list of counts does not say when they were read.
    """
    undated = unit.read_ms is None
    placed, mined = (
        view.is_stale(unit.read_ms if ms is None else ms, now_ms)
        for ms in (unit.placed_ms, unit.mined_ms)
    )
    return placed or (undated and unit.placed is not None), mined or (
        undated and unit.beyond is not None
    )


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


def chosen_line(
    unit: UnitView, view: RunView, now_ms: int, *, roomy: bool = True, room: int | None = None
) -> str:
    """Return in full what the chosen unit's line has no room for, and a narrow header.

    With ``room`` for so many cells, kinds of block beyond those that SECONDARY asks for are
    counted where they cannot be named.
    """
    named = list(unit.beyond_blocks)
    line = _chosen(unit, view, now_ms, named, roomy=roomy)
    while room is not None and cells(line) > room and len(named) > DIVERSE_AT:
        named.pop()
        left = f"+{len(unit.beyond_blocks) - len(named)}"
        line = _chosen(unit, view, now_ms, [*named, left], roomy=roomy)
    return line


def _chosen(
    unit: UnitView, view: RunView, now_ms: int, named: Sequence[str], *, roomy: bool
) -> str:
    blocks = ", ".join(named)
    if not blocks:
        blocks = "? (not read, or not pinned)" if unit.beyond is None else "nothing"
    words = [f"{unit.name}: beyond {blocks}"]
    if view.since_start and not roomy:
        words.insert(0, "counts since start")
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


class Answer(str):
    """A line that answers a key of the operator: it is folded, not cut, where there is room."""

    __slots__ = ()


def tail_lines(
    journal: Iterable[Entry], said: Iterable[Said], under_way: Sequence[str], today: str
) -> list[str]:
    """Return the journal with what this console answered in its place, then what is under way.

    A line of another day than ``today`` (ISO 8601) has its date.
    """
    answers, lines = list(said), list[str]()
    for entry in journal:
        while answers and entry.ts and answers[0].ts < entry.ts:
            lines.append(_said_line(answers.pop(0), today))
        lines.append(f"{moment(entry.ts, today)} {entry.text}".lstrip())
    lines += [_said_line(answer, today) for answer in answers]
    return [*lines, *(f"> {job} ..." for job in dict.fromkeys(under_way))]


def _said_line(answer: Said, today: str) -> Answer:
    return Answer(f"{moment(answer.ts, today)} > {answer.text}")


def fitted_tail(lines: Sequence[str], width: int, height: int, more: str = "") -> list[str]:
    """Return the last of some lines: as many as ``height`` holds, answers folded, the rest cut.

    ``more`` stands behind an answer that is cut all the same: where to read the whole of it.
    """
    shown: list[str] = []
    for line in reversed(lines):
        left = height - len(shown)
        if left <= 0:
            break
        if not isinstance(line, Answer):
            shown.insert(0, harmless(line, width))
            continue
        folded = fold_words(line, width)
        if len(folded) > left:
            rest = " ".join(folded[left - 1 :])
            folded = [*folded[: left - 1], harmless(rest, width - cells(more)) + more]
        shown[:0] = folded
    return shown


def answers_text(said: Iterable[Said]) -> str:
    """Return what the operator's keys were answered, newest first, each in full."""
    lines = [harmless(_said_line(answer, "")) for answer in said]
    return "\n".join(reversed(lines)) or "no key of yours was answered yet"
