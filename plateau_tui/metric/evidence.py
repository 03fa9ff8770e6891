"""What is put before the verdict: the gate, the journal's facts, the rows' tally, the answers.

Everything here is data that was gathered elsewhere. Cycles count from 0; a fact without a cycle
has None there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from plateau_tui.metric.attestation import Attestation
from plateau_tui.metric.scoring import Counter

Written = int | bool | None

RECEIPTS: Final = (
    "placed_used_total",
    "distinct_block_types",
    "distinct_mined_beyond",
    "primary",
    "secondary",
    "plateau_break",
)
"""A row's derived fields: receipts, never evidence."""

HOARD_RECEIPT: Final = "pickaxe_hoard"
"""The derived field that comes from the inventory; looked at where ``written`` has it."""

INTERFERENCE: Final = frozenset({"mismatch", "garbled_reply", "empty_reply", "protocol"})
"""Codes of faults that another client of the server causes: it shares the one reply buffer."""

RECEIPT_PROBLEM: Final = "derived_differs"
"""The one finding of ``verify`` that voids nothing: scores are re-derived."""

Cause = Literal["detected", "operator", "adjudicator"]
"""Who caused a void: a check of this program, the operator, or the adjudicator."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One row: one unit in one cycle, raw counters by bare block id or by objective (``extra``).

    ``written`` has the row's derived fields as they stand in the file, None where they are not to
    be held against what is re-derived; ``baseline_wood`` is the pin that they were made with.
    ``hoard`` is the inventory's count of the hoarded item.
    """

    cycle: int
    unit: str
    online: bool | None
    placed: Mapping[str, Counter]
    mined: Mapping[str, Counter]
    crafted: Mapping[str, Counter]
    extra: Mapping[str, Counter]
    rcon_ok: bool = True
    phase: float | None = None
    probe_ok: bool | None = None
    probe_arm: str | None = None
    baseline_wood: str | None = None
    written: Mapping[str, Written] | None = None
    hoard: Counter = None


@dataclass(frozen=True, slots=True)
class PinFact:
    """BASELINE_WOOD of a unit as last pinned.

    ``cycle`` is the last cycle written before the pin, None when it came before the window.
    ``earlier`` are the species pinned before it, in their order.
    """

    species: str
    cycle: int | None = None
    evidence: Mapping[str, int] = field(default_factory=dict)
    anyway: str = ""
    earlier: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogProblem:
    """A finding about the files: of a chain, of the rows, of rows against journal."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class SealBreak:
    """registration.toml was seen to differ from the seal; ``restored`` is None if it still did."""

    broken: str
    restored: str | None
    cycle: int | None


@dataclass(frozen=True, slots=True)
class Missed:
    """Cycles ``first`` to ``last`` were not read in their time."""

    first: int
    last: int
    reason: str


@dataclass(frozen=True, slots=True)
class FaultFact:
    """A kind of fault: how often it was journaled, first when, and its first text."""

    code: str
    times: int
    cycle: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Incident:
    """Anything else of the journal that a reader should know."""

    code: str
    text: str
    unit: str | None = None
    cycle: int | None = None


@dataclass(frozen=True, slots=True)
class EarlierAnswers:
    """Answers of an adjudicator that the journal holds: when first given, by whom, how often.

    ``attestation`` is None where they cannot be read; ``unreadable`` then says why.
    """

    ts: str
    by: str
    attestation: Attestation | None
    unreadable: str = ""
    times: int = 1


@dataclass(frozen=True, slots=True)
class JournalFacts:
    """What the journal and the checks of the files say.

    ``registration_sha256_now`` is that of registration.toml as it now is, None where it cannot be
    read. ``registered`` says that the objectives were; ``start`` is the start reading, unit ->
    objective -> count. ``objectives_missing`` holds (objective, cycle) for each time that the
    server was found not to know one. ``answers`` are all that were journaled, among them perhaps
    those that are judged now.
    """

    sealed_sha256: str | None = None
    sealed_before_cycle0: bool = False
    registration_sha256_now: str | None = None
    problems: tuple[LogProblem, ...] = ()
    window_opened: bool = False
    closed: bool = False
    closed_early: bool = False
    close_why: str = ""
    closed_by: str = ""
    pins: Mapping[str, PinFact] = field(default_factory=dict)
    registered: bool = False
    start: Mapping[str, Mapping[str, Counter]] = field(default_factory=dict)
    objectives_missing: tuple[tuple[str, int], ...] = ()
    existing_objectives: tuple[str, ...] = ()
    seal_breaks: tuple[SealBreak, ...] = ()
    missed: tuple[Missed, ...] = ()
    faults: tuple[FaultFact, ...] = ()
    incidents: tuple[Incident, ...] = ()
    answers: tuple[EarlierAnswers, ...] = ()
