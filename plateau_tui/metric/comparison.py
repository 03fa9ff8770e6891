"""The two arms against each other, in every set in which the gate compares them (seed §3.3).

A set is a reading (the registered one, and §2c as written where that is laxer) and its members
(live units, units seen). Fractions are exact; a lost unit keeps what it had reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Final, Literal, Protocol

from plateau_tui.metric.contrast import EXACT_UNCONDITIONAL
from plateau_tui.metric.outcome import Contrast, Standing
from plateau_tui.metric.registration import ArmRole, Gate
from plateau_tui.metric.standing import Halves, UnitStanding

Target = Literal["primary", "secondary", "plateau_break"]
Members = Literal["live", "seen"]
ReadingName = Literal["registered", "as written"]
Limits = tuple[float, float] | None
MEMBERS: Final[tuple[Members, ...]] = ("live", "seen")


class IntervalFunction(Protocol):
    """The paired interval of Δ, as ``contrast.paired_interval``."""

    def __call__(
        self,
        both: int,
        treatment_only: int,
        control_only: int,
        neither: int,
        /,
        *,
        confidence: float,
        method: str,
    ) -> Limits:
        """Return (lower, upper), or None where there is no interval."""
        ...


@lru_cache(maxsize=64)
def exact(number: float) -> Fraction | None:
    """Return the number that its shortest decimal text names: 0.2 is a fifth; None if none."""
    return Fraction(repr(float(number))) if isfinite(number) else None


def above(value: Fraction | float | None, margin: float) -> bool:
    """Say whether a value is strictly above the margin, both as their decimal texts name them."""
    if isinstance(value, Fraction):
        bound = exact(margin)
        return bound is not None and value > bound
    # Two floats are in the order of the shortest texts that name them.
    return value is not None and value > margin


@dataclass(frozen=True, slots=True)
class Share:
    """``reached`` of ``of`` units of one arm."""

    reached: int
    of: int


def difference(treatment: Share, control: Share) -> Fraction | None:
    """Return Δ over the arms, exactly (seed §2c); None where an arm has no unit."""
    if not (treatment.of and control.of):
        return None
    crossed = treatment.reached * control.of - control.reached * treatment.of
    return Fraction(crossed, treatment.of * control.of)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One target in one comparison set: the arms' shares, the pairs' table, the interval."""

    target: Target
    reading: ReadingName
    members: Members
    treatment: Share
    control: Share
    table: tuple[int, int, int, int]
    limits: Limits
    delta_arms: Fraction | None
    holds: bool


@dataclass(frozen=True, slots=True)
class Match:
    """A comparison set in which the control matches the treatment on both halves."""

    reading: ReadingName
    members: Members
    primary: tuple[Share, Share]
    secondary: tuple[Share, Share]


def standing_in(halves: Halves, target: Target) -> Standing:
    """Return the standing in a half, or in both at once (``plateau_break``)."""
    if target == "primary":
        return halves.primary
    return halves.secondary if target == "secondary" else halves.both


@dataclass(frozen=True, slots=True)
class View:
    """What one comparison set sees of a unit.

    An unknown control counts as reached and an unknown treatment as not; ``kind``: the other way
    round.
    """

    target: Target
    reading: ReadingName
    members: Members
    kind: bool

    def has(self, unit: UnitStanding) -> bool:
        """Say whether the unit is in the set."""
        return unit.live if self.members == "live" else unit.seen

    def hit(self, unit: UnitStanding) -> bool:
        """Say whether the unit counts as having reached the target."""
        halves = unit.registered if self.reading == "registered" else unit.as_written
        standing = standing_in(halves, self.target)
        if standing == "unknown":
            return (unit.role == "control") != self.kind
        return standing == "reached"

    def share(self, units: Sequence[UnitStanding]) -> Share:
        """Return how many of an arm's units in the set count as having reached the target."""
        hits = [self.hit(unit) for unit in units if self.has(unit)]
        return Share(sum(hits), len(hits))


class Arms:
    """The units as the comparisons look at them."""

    def __init__(
        self, gate: Gate, units: Sequence[UnitStanding], interval: IntervalFunction
    ) -> None:
        self._gate = gate
        self._interval = interval
        self._limits: dict[tuple[int, int, int, int, str], Limits] = {}
        self.treatment = [u for u in units if u.role == "treatment"]
        self.control = [u for u in units if u.role == "control"]
        by_pair = {u.pair: u for u in self.control}
        self.pairs = [(t, by_pair[t.pair]) for t in self.treatment if t.pair in by_pair]
        stricter = gate.wood != "baseline_only" or gate.place != "any"
        readings: tuple[ReadingName, ...] = (
            ("registered", "as written") if stricter else ("registered",)
        )
        # Where all units seen are live, both sets of members are one and the same.
        members = MEMBERS if any(u.seen and not u.live for u in units) else MEMBERS[:1]
        self.sets = [(reading, among) for reading in readings for among in members]

    def limits(self, table: tuple[int, int, int, int], method: str) -> Limits:
        """Return the interval of a table; None where there is none, whatever the reason."""
        key = (*table, method)
        if key not in self._limits:
            self._limits[key] = self._ask(table, method) if sum(table) else None
        return self._limits[key]

    def _ask(self, table: tuple[int, int, int, int], method: str) -> Limits:
        try:
            found = self._interval(*table, confidence=self._gate.confidence, method=method)
        except (ValueError, ArithmeticError):
            return None
        return found if found is not None and all(isfinite(limit) for limit in found) else None

    def compare(
        self, target: Target, reading: ReadingName, members: Members, *, kind: bool = False
    ) -> Comparison:
        """Compare the arms in one set: shares, pairs' table, interval."""
        view = View(target, reading, members, kind)
        treatment, control = view.share(self.treatment), view.share(self.control)
        counts = [0, 0, 0, 0]
        for t, c in self.pairs:
            if view.has(t) and view.has(c):
                counts[(not view.hit(t)) * 2 + (not view.hit(c))] += 1
        both, treatment_only, control_only, neither = counts
        table = (both, treatment_only, control_only, neither)
        delta = difference(treatment, control)
        limits = self.limits(table, self._gate.interval_method)
        margin = self._gate.margin
        holds = above(delta, margin) and limits is not None and above(limits[0], margin)
        return Comparison(target, reading, members, treatment, control, table, limits, delta, holds)

    def contrasts(self, *, kind: bool = False) -> list[Comparison]:
        """Return every comparison that the contrast must hold in."""
        targets: list[Target] = ["plateau_break"]
        if self._gate.contrast_on == "primary":
            targets.append("primary")
        return [
            self.compare(target, reading, members, kind=kind)
            for target in targets
            for reading, members in self.sets
        ]

    def match(self, *, kind: bool = False) -> Match | None:
        """Return a set in which the control matches on both halves, or None."""
        for reading, members in self.sets:
            primary = self._shares("primary", reading, members, kind=kind)
            if not matches(*primary):
                continue
            secondary = self._shares("secondary", reading, members, kind=kind)
            if matches(*secondary):
                return Match(reading, members, primary, secondary)
        return None

    def _shares(
        self,
        target: Target,
        reading: ReadingName,
        members: Members,
        *,
        kind: bool,
    ) -> tuple[Share, Share]:
        view = View(target, reading, members, kind)
        return view.share(self.treatment), view.share(self.control)

    def shown(self, comparison: Comparison) -> Contrast | None:
        """Return what the record shows of a contrast; None without a pair."""
        both, treatment_only, control_only, neither = comparison.table
        pairs = sum(comparison.table)
        if not pairs:
            return None
        limits, beside = comparison.limits, self.limits(comparison.table, EXACT_UNCONDITIONAL)
        delta_arms = comparison.delta_arms
        return Contrast(
            delta=(treatment_only - control_only) / pairs,
            lower=None if limits is None else limits[0],
            upper=None if limits is None else limits[1],
            method=self._gate.interval_method,
            confidence=self._gate.confidence,
            pairs=pairs,
            both=both,
            treatment_only=treatment_only,
            control_only=control_only,
            neither=neither,
            delta_arms=None if delta_arms is None else float(delta_arms),
            exact_lower=None if beside is None else beside[0],
            exact_upper=None if beside is None else beside[1],
        )


def matches(treatment: Share, control: Share) -> bool:
    """Say whether the control's exact fraction is at least the treatment's."""
    if not (treatment.of and control.of):
        return False
    return control.reached * treatment.of >= treatment.reached * control.of


def known_share(
    units: Sequence[UnitStanding], role: ArmRole, target: Target, members: Members
) -> Share:
    """Return how many of an arm's units are known to have reached the target as registered."""
    view = View(target, "registered", members, kind=role == "control")
    return view.share([unit for unit in units if unit.role == role])
