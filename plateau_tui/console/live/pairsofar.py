"""How the pairs stand so far: the verdict's own functions, as if the window ended now.

Nothing here is a verdict. The standings, the comparison and its interval are those of ``metric``;
the window alone is cut behind the last cycle that was read. The rows are those of the view: what
is asked here costs no reading.
"""

from dataclasses import dataclass

from plateau_tui.metric.comparison import Arms, Target
from plateau_tui.metric.contrast import paired_interval
from plateau_tui.metric.outcome import Contrast, Pair
from plateau_tui.metric.registration import Gate, Registration
from plateau_tui.metric.standing import UnitStanding
from plateau_tui.runlog.sofar import StandingsSoFar


@dataclass(frozen=True, slots=True)
class Paired:
    """Where every unit stands after ``cycles`` of ``of`` cycles, counted from 1.

    Once the window is closed they stand as at its close; 0 cycles before the first row.
    """

    cycles: int
    of: int
    closed: bool
    treatment: str
    control: str
    gate: Gate
    units: tuple[UnitStanding, ...]


@dataclass(frozen=True, slots=True)
class TargetSoFar:
    """One target's contrast over the live pairs, under the registered reading; None without one.

    What is unknown counts against the claim in ``contrast``, and for it in ``other_way``.
    """

    target: Target
    contrast: Contrast | None
    other_way: Contrast | None


@dataclass(frozen=True, slots=True)
class PairsSoFar:
    """The pairs after ``cycles`` of ``of`` cycles, counted from 1; 0 before the first row."""

    cycles: int
    of: int
    closed: bool
    treatment: str
    control: str
    gate: Gate
    pairs: tuple[Pair, ...]
    targets: tuple[TargetSoFar, ...]


def paired_of(registration: Registration, so_far: StandingsSoFar, *, closed: bool) -> Paired:
    """Return where the units of a run stand by the rows that were taken in."""
    return Paired(
        cycles=so_far.cycles,
        of=registration.window.cycles,
        closed=closed,
        treatment=registration.treatment.label,
        control=registration.control.label,
        gate=registration.gate,
        units=so_far.units(),
    )


def pairs_so_far(paired: Paired) -> PairsSoFar:
    """Return how the pairs stand; an exact interval over many pairs takes a while."""
    arms = Arms(paired.gate, paired.units, paired_interval)
    return PairsSoFar(
        cycles=paired.cycles,
        of=paired.of,
        closed=paired.closed,
        treatment=paired.treatment,
        control=paired.control,
        gate=paired.gate,
        pairs=tuple(Pair(t.finding(), c.finding()) for t, c in arms.pairs),
        targets=tuple(_target(arms, target) for target in contrasted(paired.gate)),
    )


def contrasted(gate: Gate) -> tuple[Target, ...]:
    """Return what the gate asks the contrast of."""
    return ("plateau_break", "primary") if gate.contrast_on == "primary" else ("plateau_break",)


def _target(arms: Arms, target: Target) -> TargetSoFar:
    against = arms.compare(target, "registered", "live")
    other = arms.compare(target, "registered", "live", kind=True)
    return TargetSoFar(target, arms.shown(against), arms.shown(other))
