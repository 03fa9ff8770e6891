"""The lines of the pairs' screen. Pure functions of what the pairs are so far, and a width."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from plateau_tui.console.lines.grid import old_halves
from plateau_tui.console.lines.problem import Problem, Rank
from plateau_tui.console.lines.text import age, fold_words, harmless, is_slow, pad, pad_name
from plateau_tui.console.live.pairsofar import PairsSoFar, TargetSoFar, contrasted
from plateau_tui.console.live.view import RunView
from plateau_tui.metric.comparison import Target
from plateau_tui.metric.outcome import Contrast, Pair, Standing, UnitFinding
from plateau_tui.metric.plain import counted, out_of
from plateau_tui.report.words import signed

PairState = Literal["treatment only", "control only", "both", "neither", "unknown", "not live"]
MARKS: Final[dict[PairState, str]] = {
    "treatment only": ">",
    "control only": "<",
    "both": "=",
    "neither": "-",
    "unknown": "?",
    "not live": "x",
}
TARGETS: Final[dict[Target, str]] = {
    "primary": "PRIMARY",
    "secondary": "SECONDARY",
    "plateau_break": "both halves",
}
_COUNTED: Final[tuple[PairState, ...]] = (
    "treatment only",
    "control only",
    "both",
    "neither",
    "unknown",
)
_FLAGS: Final[dict[Standing, str]] = {"reached": "YES", "not reached": "no", "unknown": "?"}
_OLD: Final = {"YES": "(Y)", "no": "(n)", "yes": "(y)"}
"""The same words where they are old, in the cells that there are."""
_LONGEST_NAME: Final = 16
_LABEL: Final = 11
_WORDY: Final = 102
"""From this width on a pair says in words which unit of it reached both halves."""


def standing_of(unit: UnitFinding, target: Target) -> Standing:
    """Return where a unit stands in a half, or in both at once."""
    if target == "primary":
        return unit.primary
    return unit.secondary if target == "secondary" else unit.both


def pair_state(pair: Pair, target: Target) -> PairState:
    """Return which units of a live pair reached a target; unknown where one is unknown."""
    if not (pair.treatment.live and pair.control.live):
        return "not live"
    found = (standing_of(pair.treatment, target), standing_of(pair.control, target))
    if "unknown" in found:
        return "unknown"
    if found[0] == found[1]:
        return "both" if found[0] == "reached" else "neither"
    return "treatment only" if found[0] == "reached" else "control only"


@dataclass(frozen=True, slots=True)
class OldIn:
    """What of a unit was read too long ago: its place in the players' list, each half."""

    live: bool = False
    primary: bool = False
    secondary: bool = False


FRESH: Final = OldIn()


def old_in(view: RunView, now_ms: int) -> dict[str, OldIn]:
    """Return unit -> what of it is old, as in the grid."""
    return {
        unit.name: OldIn(view.is_stale(unit.online_ms, now_ms), *old_halves(unit, view, now_ms))
        for unit in view.units
    }


def read_ago(view: RunView, now_ms: int) -> str:
    """Return when any unit was read last, marked where that is old; nothing before any was."""
    read = max((ms for unit in view.units if (ms := unit.read_ms) is not None), default=None)
    if read is None:
        return ""
    mark = "!" if view.is_stale(read, now_ms) else ""
    return f"read {age(now_ms - read, coarse=is_slow(view))} ago{mark}"


def wrong_lines(found: Sequence[Problem], width: int) -> list[str]:
    """Return the worst that is wrong with the run, and what voids it already, in few lines."""
    void = [each for each in found[1:] if each.rank == Rank.FOR_GOOD and found[0].rank != each.rank]
    worst = [*found[:1], *void[:1]]
    return [line for each in worst for line in each.fold(width, 2 if len(worst) == 1 else 1, "! ")]


def header_lines(found: PairsSoFar, name: str, width: int, read: str = "") -> list[str]:
    """Return what is shown, and Δ with its interval so far; marked as no verdict.

    ``read`` says when the run was read last.
    """
    if found.closed:
        when = f"the window is closed, {out_of(found.cycles, found.of, 'cycle')}"
    elif found.cycles:
        when = f"as if the window ended with cycle {found.cycles} of {found.of}"
    else:
        when = "no cycle was read yet"
    parts = (f"Pairs of {harmless(name, 24)}", when, read)
    head = fold_words(", ".join(filter(None, parts)), width)
    return [*head, *(line for target in found.targets for line in _delta(target, found, width))]


def _delta(target: TargetSoFar, found: PairsSoFar, width: int) -> list[str]:
    where = TARGETS[target.target]
    start = "NOT THE VERDICT" if found.closed else "So far, NOT THE VERDICT"
    if target.contrast is None:
        return fold_words(f"{start}: no pair with both live, no Δ ({where})", width)
    words = _contrast(target.contrast, found.gate.margin)
    pairs = counted(target.contrast.pairs, "live pair")
    unknown = _unknown_units(found.pairs, target.target)
    told = (
        f", {counted(unknown, 'unit')} of them unknown, taken against the claim" if unknown else ""
    )
    return fold_words(f"{start}: {where}, {words}, {pairs}{told}", width)


def _contrast(contrast: Contrast, margin: float) -> str:
    interval = "no interval"
    if contrast.lower is not None and contrast.upper is not None:
        interval = f"{signed(contrast.lower, margin)} to {signed(contrast.upper, margin)}"
    delta = signed(contrast.delta, margin)
    return f"Δ = {delta}, its {contrast.confidence:g} interval {interval}"


def _name_cells(found: PairsSoFar, width: int) -> int:
    longest = max(
        (len(unit.name) for pair in found.pairs for unit in (pair.treatment, pair.control)),
        default=4,
    )
    return max(4, min(max(longest, _LABEL), _LONGEST_NAME, (width - 42) // 2))


def columns_line(found: PairsSoFar, width: int) -> str:
    """Return the heading over the pairs' lines."""
    cells = _name_cells(found, width)

    def side(label: str) -> str:
        return f"{pad(label, cells)} live PRI SEC bot"

    left, right = side(f"T {found.treatment}"), side(f"C {found.control}")
    return harmless(f"   {left} PSB {right}", width)


@dataclass(frozen=True, slots=True)
class PairLine:
    """A pair in parts: its number, the treatment unit, how they differ, the control unit, words."""

    number: str
    treatment: str
    marks: str
    control: str
    words: str

    @property
    def text(self) -> str:
        """The whole line."""
        return f"{self.number}{self.treatment}{self.marks}{self.control}{self.words}"

    def side(self, *, control: bool) -> tuple[int, int]:
        """Return where a unit's part begins and ends in the line, in characters."""
        start = len(self.number)
        if control:
            start += len(self.treatment) + len(self.marks)
        return start, start + len(self.control if control else self.treatment)


def pair_lines(
    found: PairsSoFar,
    width: int,
    unseen: Mapping[str, str] | None = None,
    old: Mapping[str, OldIn] | None = None,
) -> list[PairLine]:
    """Return a line a pair: treatment left, control right, between them how they differ.

    ``unseen`` has, by unit, one cell for what its operator has not seen yet; ``old`` what of it
    was read too long ago, which stands in brackets.
    """
    cells = _name_cells(found, width)

    def side(unit: UnitFinding) -> str:
        mark = (unseen or {}).get(unit.name, " ")
        return _side(unit, cells, mark, (old or {}).get(unit.name, FRESH))

    return [
        _pair_line(number, pair, width, side) for number, pair in enumerate(found.pairs, start=1)
    ]


def _pair_line(number: int, pair: Pair, width: int, side: Callable[[UnitFinding], str]) -> PairLine:
    states = [pair_state(pair, target) for target in TARGETS]
    return PairLine(
        f"{number:>2} ",
        side(pair.treatment),
        f" {''.join(MARKS[state] for state in states)} ",
        side(pair.control),
        f"  {states[-1]}" if width >= _WORDY else "",
    )


def _side(unit: UnitFinding, cells: int, mark: str, old: OldIn) -> str:
    live = _aged("yes" if unit.live else "lost" if unit.seen else "none", old=old.live)
    both = old.primary or old.secondary
    flags = " ".join(
        f"{_aged(_FLAGS[standing], old=is_old):3}"
        for standing, is_old in (
            (unit.primary, old.primary),
            (unit.secondary, old.secondary),
            (unit.both, both),
        )
    )
    return f"{pad_name(unit.name, cells)}{mark}{live:4} {flags}"


def _aged(word: str, *, old: bool) -> str:
    """Return a word as it stands where it is old; what is unknown, or long lost, cannot be."""
    return _OLD.get(word, word) if old else word


def table_lines(found: PairsSoFar, width: int) -> list[str]:
    """Return how many live pairs differ in which way, by half; the contrasted ones are marked."""
    asked = contrasted(found.gate)
    live = [pair for pair in found.pairs if pair_state(pair, "primary") != "not live"]
    words = [state if width >= _LONG else _SHORT[state] for state in _COUNTED]
    head = f"{counted(len(live), 'live pair') + f' of {len(found.pairs)}':20}"
    lines = ["  ".join([head, *words])]
    for target, name in TARGETS.items():
        states = [pair_state(pair, target) for pair in live]
        counts = (
            f"{states.count(state):>{len(word)}}"
            for state, word in zip(_COUNTED, words, strict=True)
        )
        mark = " *" if target in asked else ""
        lines.append("  ".join([f"{name + mark:20}", *counts]))
    return [harmless(line, width) for line in lines]


_LONG: Final = 74
_SHORT: Final[dict[PairState, str]] = {
    "treatment only": "T only",
    "control only": "C only",
    "both": "both",
    "neither": "none",
    "unknown": "?",
}


def meaning_lines(found: PairsSoFar, width: int) -> list[str]:
    """Return what the marks mean, and what the numbers above rest on."""
    return [line for text in _meaning(found) for line in fold_words(text, width)]


def _meaning(found: PairsSoFar) -> Iterator[str]:
    yield "P PRIMARY, S SECONDARY, B both halves; * asked of the contrast."
    yield "live: yes; lost: seen, and gone for too long; none: never seen."
    yield "(Y) (n) (y): a YES, a no, a yes that was read more than two polls ago."
    yield "; ".join(
        f"{mark} {'not both live' if s == 'not live' else s}" for s, mark in MARKS.items()
    )
    gate = found.gate
    yield (
        f"Live pairs, registered reading, {gate.interval_method}; the gate asks for a lower limit "
        f"above {gate.margin:g}."
    )
    yield from _unknown(found)
    if not found.closed:
        yield "This decides nothing: the verdict is made from the whole window, at its close."


def _unknown(found: PairsSoFar) -> Iterator[str]:
    for target in found.targets:
        unknown = _unknown_units(found.pairs, target.target)
        if unknown and target.other_way is not None:
            where, words = TARGETS[target.target], _contrast(target.other_way, found.gate.margin)
            yield (
                f"{where}: {counted(unknown, 'unit')} of live pairs unknown, counted against the "
                f"claim in Δ above. Were all of it for the claim: {words}."
            )


def _unknown_units(pairs: Sequence[Pair], target: Target) -> int:
    units = (
        unit
        for pair in pairs
        if pair_state(pair, target) != "not live"
        for unit in (pair.treatment, pair.control)
    )
    return sum(1 for unit in units if standing_of(unit, target) == "unknown")
