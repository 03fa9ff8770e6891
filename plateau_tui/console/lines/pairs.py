"""The lines of the pairs' screen. Pure functions of what the pairs are so far, and a width."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from plateau_tui.console.lines.text import fold_words, harmless, pad, pad_name
from plateau_tui.console.live.pairsofar import PairsSoFar, TargetSoFar, contrasted
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


def header_lines(found: PairsSoFar, name: str, width: int) -> list[str]:
    """Return what is shown, and Δ with its interval so far; marked as no verdict."""
    if found.closed:
        when = f"the window is closed, {out_of(found.cycles, found.of, 'cycle')}"
    elif found.cycles:
        when = f"as if the window ended with cycle {found.cycles} of {found.of}"
    else:
        when = "no cycle was read yet"
    head = fold_words(f"Pairs of {harmless(name, 24)}, {when}", width)
    return [*head, *(line for target in found.targets for line in _delta(target, found, width))]


def _delta(target: TargetSoFar, found: PairsSoFar, width: int) -> list[str]:
    where = TARGETS[target.target]
    start = "NOT THE VERDICT" if found.closed else "So far, NOT THE VERDICT"
    if target.contrast is None:
        return fold_words(f"{start}: no pair with both live, no Δ ({where})", width)
    words = _contrast(target.contrast, found.gate.margin)
    pairs = counted(target.contrast.pairs, "live pair")
    return fold_words(f"{start}: {where}, {words}, {pairs}", width)


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
    found: PairsSoFar, width: int, unseen: Mapping[str, str] | None = None
) -> list[PairLine]:
    """Return a line a pair: treatment left, control right, between them how they differ.

    ``unseen`` has, by unit, one cell for what its operator has not seen yet.
    """
    cells = _name_cells(found, width)
    return [
        _pair_line(number, pair, cells, width, unseen or {})
        for number, pair in enumerate(found.pairs, start=1)
    ]


def _pair_line(
    number: int, pair: Pair, cells: int, width: int, unseen: Mapping[str, str]
) -> PairLine:
    states = [pair_state(pair, target) for target in TARGETS]
    return PairLine(
        f"{number:>2} ",
        _side(pair.treatment, cells, unseen),
        f" {''.join(MARKS[state] for state in states)} ",
        _side(pair.control, cells, unseen),
        f"  {states[-1]}" if width >= _WORDY else "",
    )


def _side(unit: UnitFinding, cells: int, unseen: Mapping[str, str]) -> str:
    live = "yes" if unit.live else "lost" if unit.seen else "none"
    flags = " ".join(
        f"{_FLAGS[standing]:3}" for standing in (unit.primary, unit.secondary, unit.both)
    )
    return f"{pad_name(unit.name, cells)}{unseen.get(unit.name, ' ')}{live:4} {flags}"


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
