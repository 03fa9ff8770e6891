"""Rows 6 to 13 of the decision table: from where the units stand to what held (seed §3).

Pure and total. The first row that applies decides. Rows 1 to 5 are facts of the case and stand
in ``verdict``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from plateau_tui.metric.comparison import (
    Arms,
    Comparison,
    IntervalFunction,
    Match,
    Target,
    standing_in,
)
from plateau_tui.metric.contrast import paired_interval
from plateau_tui.metric.outcome import Condition, Contrast
from plateau_tui.metric.registration import Gate
from plateau_tui.metric.standing import UnitStanding

CONDITIONS: Final[tuple[Condition, ...]] = ("PRIMARY", "SECONDARY", "same units", "contrast")


@dataclass(frozen=True, slots=True)
class Reached:
    """How many of ``of`` units are known to have reached it, how many may have; ``asked``: K."""

    reached: int
    unknown: int
    of: int
    asked: int

    @property
    def held(self) -> bool:
        """Whether it holds; unknown is not reached."""
        return self.reached >= self.asked

    @property
    def possible(self) -> bool:
        """Whether it would hold if every unknown standing were reached."""
        return self.reached + self.unknown >= self.asked


@dataclass(frozen=True, slots=True)
class Decision:
    """Which row of 6 to 13 decides, and all that it rests on.

    ``matches_certain`` says whether the control matches however the unknowns are completed.
    ``not_measured`` are conditions that do not hold, but would under some completion.
    """

    row: int
    too_few: bool
    primary: Reached
    secondary: Reached
    same_units: Reached
    comparisons: tuple[Comparison, ...]
    match: Match | None
    matches_certain: bool
    held: tuple[Condition, ...]
    not_measured: tuple[Condition, ...]
    contrast: Contrast | None

    @property
    def not_held(self) -> tuple[Condition, ...]:
        """The conditions that do not hold."""
        return tuple(c for c in CONDITIONS if c not in self.held)


def _half(live: Sequence[UnitStanding], target: Target, asked: int) -> Reached:
    found = [standing_in(unit.registered, target) for unit in live]
    return Reached(found.count("reached"), found.count("unknown"), len(live), asked)


def _same_units(live: Sequence[UnitStanding], asked: int) -> Reached:
    """Of the live treatment units that reached PRIMARY, how many reached SECONDARY (§3.2)."""
    pairs = [(unit.registered.primary, unit.registered.secondary) for unit in live]
    reached = pairs.count(("reached", "reached"))
    possible = sum(1 for pair in pairs if "not reached" not in pair)
    of = sum(1 for primary, _ in pairs if primary == "reached")
    return Reached(reached, possible - reached, of, asked)


def _has_unknown(unit: UnitStanding) -> bool:
    found = (unit.registered, unit.as_written)
    return any("unknown" in (halves.primary, halves.secondary, halves.both) for halves in found)


def _row(*, too_few: bool, primary: Reached, secondary: Reached, matched: bool, full: bool) -> int:
    """Return the first row of 6 to 13 that applies; ``full``: same units and contrast hold."""
    table = (
        (6, too_few),
        (7, not primary.possible and not secondary.possible),
        (8, not primary.held and not secondary.held),
        (9, matched),
        (10, primary.held and full),
        (11, primary.held and secondary.held),
        (12, primary.held),
    )
    return next((row for row, applies in table if applies), 13)


def decide(
    gate: Gate, units: Sequence[UnitStanding], interval: IntervalFunction = paired_interval
) -> Decision:
    """Decide rows 6 to 13 of the table for these standings; never raises.

    Args:
        gate: the sealed thresholds.
        units: every registered unit.
        interval: the paired interval; where it has none, the contrast does not hold.

    """
    arms = Arms(gate, units, interval)
    live = [unit for unit in arms.treatment if unit.live]
    primary = _half(live, "primary", gate.k_primary)
    secondary = _half(live, "secondary", gate.k_secondary)
    same = _same_units(live, gate.k_secondary)
    comparisons = arms.contrasts()
    match = arms.match() if primary.held or secondary.held else None
    holds: dict[Condition, bool] = {
        "PRIMARY": primary.held,
        "SECONDARY": secondary.held,
        "same units": primary.held and same.held,
        "contrast": all(c.holds for c in comparisons),
    }
    no_pair = not any(t.live and c.live for t, c in arms.pairs)
    too_few = len(live) < max(gate.k_primary, gate.k_secondary)
    row = _row(
        too_few=no_pair or too_few,
        primary=primary,
        secondary=secondary,
        matched=match is not None,
        full=holds["same units"] and holds["contrast"],
    )
    unknown = any(_has_unknown(unit) for unit in units)
    may_hold: dict[Condition, Callable[[], bool]] = {
        "PRIMARY": lambda: primary.possible,
        "SECONDARY": lambda: secondary.possible,
        "same units": lambda: primary.possible and same.possible,
        "contrast": lambda: unknown and all(c.holds for c in arms.contrasts(kind=True)),
    }
    if row == 9:  # noqa: PLR2004 - the table's number: what the control matches is no contrast
        holds["contrast"] = False
        may_hold["contrast"] = lambda: False
    return Decision(
        row=row,
        too_few=too_few,
        primary=primary,
        secondary=secondary,
        same_units=same,
        comparisons=tuple(comparisons),
        match=match,
        matches_certain=match is not None and arms.match(kind=True) is not None,
        held=tuple(c for c in CONDITIONS if holds[c]),
        not_measured=tuple(c for c in CONDITIONS if not holds[c] and may_hold[c]()),
        contrast=arms.shown(comparisons[0]),
    )
