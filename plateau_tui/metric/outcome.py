"""What the verdict says: the values that the record, the page and the screens show (seed §3, §5).

Cycles count from 0; counts are units; Δ and its limits are on the scale from -1 to 1.
"""

from dataclasses import dataclass
from typing import Literal

from plateau_tui.metric.registration import ArmRole

VerdictWord = Literal["PASS", "PARTIAL", "FAIL", "WITHHELD"]
Condition = Literal["PRIMARY", "SECONDARY", "same units", "contrast"]
Falsified = Literal["yes", "no", "not evaluable"]
Standing = Literal["reached", "not reached", "unknown"]
Case = Literal["a", "b"]


@dataclass(frozen=True, slots=True)
class ArmCounts:
    """How many units of one arm there are, and how many of the live ones reached what."""

    units: int
    live: int
    primary: int
    secondary: int
    both: int


@dataclass(frozen=True, slots=True)
class Contrast:
    """The paired contrast over the live pairs, under the registered reading.

    ``delta`` is over the pairs, ``delta_arms`` the difference of the arms' fractions (seed §2c);
    ``lower`` and ``upper`` are None where no interval exists. The ``exact_*`` limits are those of
    ``exact_unconditional``, to stand beside an approximate method.
    """

    delta: float
    lower: float | None
    upper: float | None
    method: str
    confidence: float
    pairs: int
    both: int
    treatment_only: int
    control_only: int
    neither: int
    delta_arms: float | None
    exact_lower: float | None
    exact_upper: float | None


@dataclass(frozen=True, slots=True)
class Disclosure:
    """Something that a reader must know beside the word; ``text`` is a sentence."""

    code: str
    unit: str | None
    cycle: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Classification:
    """The adjudicator's answer to SR-2: (a) cure-ineffective or (b) structure-deficient."""

    case: Case
    evidence: str


@dataclass(frozen=True, slots=True)
class UnitFinding:
    """One unit at the window's close; ``*_cycle`` is the first cycle that showed it."""

    name: str
    arm: str
    role: ArmRole
    seen: bool
    live: bool
    primary: Standing
    secondary: Standing
    both: Standing
    pin: str | None
    primary_cycle: int | None
    secondary_cycle: int | None
    both_cycle: int | None


@dataclass(frozen=True, slots=True)
class Pair:
    """The i-th unit of each arm."""

    treatment: UnitFinding
    control: UnitFinding


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer, with its work.

    ``row`` is the row of the decision table that decided; ``rows_that_apply`` has all of 1 to 6
    that apply, or the deciding row alone. ``final`` is false while a needed answer of the
    adjudicator is missing: the word is then shown only as "… (not final)". ``classification`` is
    None where SR-2 is not asked.
    """

    word: VerdictWord
    row: int
    rows_that_apply: tuple[int, ...]
    final: bool
    held: tuple[Condition, ...]
    not_held: tuple[Condition, ...]
    reasons: tuple[str, ...]
    codes: tuple[str, ...]
    falsified: Falsified | None
    classification: Classification | Literal["unclassified"] | None
    counts_treatment: ArmCounts
    counts_control: ArmCounts
    contrast: Contrast | None
    pairs: tuple[Pair, ...]
    disclosures: tuple[Disclosure, ...]
    later_gates_open: tuple[str, ...]
