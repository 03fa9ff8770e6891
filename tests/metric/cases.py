"""Cases for the verdict's tests: runs told unit by unit, in whole numbers and without a file."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from plateau_tui.metric.attestation import Attestation
from plateau_tui.metric.casefile import Case, JournalFacts, PinFact, Reading, WindowTally
from plateau_tui.metric.comparison import IntervalFunction
from plateau_tui.metric.objectives import (
    CRAFT_ITEMS,
    CRAFT_OBJECTIVES,
    MINE_BLOCKS,
    MINE_OBJECTIVES,
    PLACE_BLOCKS,
    PLACE_OBJECTIVES,
    Objective,
)
from plateau_tui.metric.outcome import Verdict
from plateau_tui.metric.registration import Arm, Gate, Registration, Window
from plateau_tui.metric.verdict import adjudicate

SEAL = sha256(b"the sealed text").hexdigest()
ANSWERED = Attestation(adjudicator="ab", single_variable=True)
CLASSIFIED_A = replace(ANSWERED, case="a", evidence="receipt 1")
CLASSIFIED_B = replace(ANSWERED, case="b", evidence="receipt 2")
RANK = {"PASS": 2, "PARTIAL": 1, "FAIL": 0, "WITHHELD": 0}

GATE = Gate(
    k_primary=2,
    k_secondary=2,
    margin=0.0,
    confidence=0.95,
    interval_method="exact_unconditional",
    contrast_on="plateau_break",
    max_absent_polls=1,
    wood="baseline_only",
    place="any",
    start_counts="zero",
    accept="",
)

HOARD = {"oak_log": 9}
"""Mined by one who chops and nothing else."""
BUILT = {"dirt": 1}
DIVERSE = {"oak_log": 9, "stone": 4, "sand": 1}


def narrow(
    both: int,
    treatment_only: int,
    control_only: int,
    neither: int,
    /,
    *,
    confidence: float,
    method: str,
) -> tuple[float, float] | None:
    """An interval that three pairs can pass, strictly falling in what speaks for the control."""
    pairs = both + treatment_only + control_only + neither
    if pairs == 0:
        return None
    delta = (treatment_only - control_only) / pairs
    half = 0.6 * confidence
    return max(-1.0, delta - half), min(1.0, delta + half)


def always(limits: tuple[float, float] | None) -> IntervalFunction:
    """An interval that is the same for every table."""

    def interval(
        both: int,
        treatment_only: int,
        control_only: int,
        neither: int,
        /,
        *,
        confidence: float,
        method: str,
    ) -> tuple[float, float] | None:
        return limits

    return interval


def registration(
    pairs: int = 3,
    cycles: int = 3,
    gate: Gate = GATE,
    *,
    arm_values: Mapping[str, str] | None = None,
    extensions: Sequence[Objective] = (),
    later_gates: Sequence[str] = (),
) -> Registration:
    """A registration with units T1, T2 … and C1, C2 …"""
    return Registration(
        run_id="r",
        variable="v",
        later_gates=tuple(later_gates),
        treatment=Arm("treatment", "curiosity", 10, tuple(f"T{i + 1}" for i in range(pairs))),
        control=Arm("control", "control", 11, tuple(f"C{i + 1}" for i in range(pairs))),
        window=Window(600_000, cycles),
        gate=gate,
        arm_values=dict(arm_values or {}),
        extensions=tuple(extensions),
    )


@dataclass(frozen=True)
class Row:
    """One row of a unit's story; counters that are not named are 0, all None when unread."""

    placed: Mapping[str, int | None] = field(default_factory=dict)
    mined: Mapping[str, int | None] = field(default_factory=dict)
    online: bool | None = True
    unread: bool = False
    extra: Mapping[str, int | None] = field(default_factory=dict)
    phase: float | None = None
    probe_ok: bool | None = None
    probe_arm: str | None = None
    baseline_wood: str | None = None
    written: Mapping[str, int | bool | None] | None = None
    hoard: int | None = None


NOTHING = Row(mined=HOARD)
UNREAD = Row(unread=True)
FULL = Row(BUILT, DIVERSE)
PLACED = Row(BUILT, HOARD)
MINED = Row({}, DIVERSE)
Story = Sequence[Row]


def told(kind: Row, cycles: int = 3) -> Story:
    """A unit that shows the same in every cycle."""
    return [kind] * cycles


def reading(unit: str, cycle: int, row: Row) -> Reading:
    fill = None if row.unread else 0
    return Reading(
        cycle=cycle,
        unit=unit,
        online=row.online,
        placed=dict.fromkeys(PLACE_BLOCKS, fill) | dict(row.placed),
        mined=dict.fromkeys(MINE_BLOCKS, fill) | dict(row.mined),
        crafted=dict.fromkeys(CRAFT_ITEMS, fill),
        extra=dict(row.extra),
        phase=row.phase,
        probe_ok=row.probe_ok,
        probe_arm=row.probe_arm,
        baseline_wood=row.baseline_wood,
        written=row.written,
        hoard=row.hoard,
    )


def names(sealed: Registration) -> list[str]:
    return [unit.name for unit in sealed.units]


def facts_of(sealed: Registration, **changes: object) -> JournalFacts:
    """The facts of a run in which nothing went wrong; all pinned on oak before the window."""
    counts = [o.name for o in (*PLACE_OBJECTIVES, *MINE_OBJECTIVES, *CRAFT_OBJECTIVES)]
    facts = JournalFacts(
        sealed_sha256=SEAL,
        sealed_before_cycle0=True,
        registration_sha256_now=SEAL,
        window_opened=True,
        closed=True,
        registered=True,
        pins={name: PinFact("oak_log", evidence={"oak_log": 3}) for name in names(sealed)},
        start={name: dict.fromkeys(counts, 0) for name in names(sealed)},
    )
    return replace(facts, **changes)  # type: ignore[arg-type] # the tests name fields of it


def case_of(
    sealed: Registration,
    stories: Mapping[str, Story],
    attestation: Attestation = ANSWERED,
    facts: JournalFacts | None = None,
) -> Case:
    """A case from each unit's rows, cycle by cycle; a unit without a story only hoards."""
    facts = facts or facts_of(sealed)
    tally = WindowTally(sealed, facts)
    cycles = sealed.window.cycles
    rows: Iterable[Reading] = (
        reading(name, cycle, story[cycle])
        for cycle in range(cycles)
        for name in names(sealed)
        if cycle < len(story := stories.get(name, told(NOTHING, cycles)))
    )
    return Case(sealed, facts, tally.take_all(rows), attestation)


def judged(
    stories: Mapping[str, Story],
    sealed: Registration | None = None,
    attestation: Attestation = ANSWERED,
    facts: JournalFacts | None = None,
    interval: IntervalFunction = narrow,
) -> Verdict:
    return adjudicate(case_of(sealed or registration(), stories, attestation, facts), interval)


def arms(treatment: Sequence[Row], control: Sequence[Row], cycles: int = 3) -> dict[str, Story]:
    """The stories of T1, T2 … and C1, C2 …, each the same in every cycle."""
    return {
        f"{arm}{index + 1}": told(kind, cycles)
        for arm, kinds in (("T", treatment), ("C", control))
        for index, kind in enumerate(kinds)
    }


PASSING = arms([FULL] * 3, [NOTHING] * 3)
GONE = replace(NOTHING, online=False)


def dead(kind: Row) -> Story:
    """A unit that was seen once, then lost; its counters stay what they were."""
    return [kind, replace(kind, online=False), replace(kind, online=False)]
