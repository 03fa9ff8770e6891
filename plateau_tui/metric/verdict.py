"""The verdict: PASS, PARTIAL, FAIL or WITHHELD, and why (seed §3 and §5; ``design.md``, Verdict).

Pure and total: whatever is null or missing, there is an answer and no exception. An attestation
can keep or lower the word, never raise it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from plateau_tui.metric.attestation import Attestation, says_something
from plateau_tui.metric.casefile import Case
from plateau_tui.metric.comparison import IntervalFunction
from plateau_tui.metric.contrast import paired_interval
from plateau_tui.metric.decision import Decision, decide
from plateau_tui.metric.disclosures import Findings, disclosures
from plateau_tui.metric.outcome import (
    ArmCounts,
    Classification,
    Falsified,
    Pair,
    Verdict,
    VerdictWord,
)
from plateau_tui.metric.plain import out_of
from plateau_tui.metric.reasons import Sentences, codes, headline, too_few
from plateau_tui.metric.registration import ArmRole
from plateau_tui.metric.standing import UnitStanding, standings
from plateau_tui.metric.voids import voids

_WORDS: Final[dict[int, VerdictWord]] = {
    **dict.fromkeys((1, 2, 3, 4, 5, 6, 8, 9), "WITHHELD"),
    7: "FAIL",
    10: "PASS",
    **dict.fromkeys((11, 12, 13), "PARTIAL"),
}
_NEITHER, _MATCHED = 7, 9
_VOID_ROWS: Final = range(1, 7)


def adjudicate(case: Case, interval: IntervalFunction = paired_interval) -> Verdict:
    """Judge a case by the decision table; never raises.

    Args:
        case: the sealed gate, the journal's facts, the rows' tally, the adjudicator's answers.
        interval: the paired interval; where it has none, the contrast does not hold.

    """
    registration, attestation = case.registration, case.attestation
    units = standings(registration, case.tally)
    decision = decide(registration.gate, units, interval)
    found = [*voids(case, units), *too_few(decision)]
    rows = tuple(sorted({void.row for void in found})) or (decision.row,)
    row = rows[0]
    asked = asks_why(row, units)
    classification = _classification(attestation) if asked else None
    void = row in _VOID_ROWS
    answers = _Answers(row, attestation, classification)
    sentences = Sentences(registration.gate, decision)
    return Verdict(
        word=_WORDS[row],
        row=row,
        rows_that_apply=rows,
        final=answers.attributed and classification != "unclassified",
        held=() if void else decision.held,
        not_held=() if void else decision.not_held,
        reasons=(
            headline(row, decision, sentences),
            *(void.sentence for void in found),
            *(sentences.matched() if row == _MATCHED else ()),
            *(() if void else sentences.control_did_the_same(units)),
            *(() if void else sentences.too_few_pairs()),
            *_counted(units, void=void),
            *answers.sentences(),
        ),
        codes=(*codes(row, found, decision), *answers.codes()),
        falsified=falsified(row, decision, units),
        classification=classification,
        counts_treatment=_counts(units, "treatment"),
        counts_control=_counts(units, "control"),
        contrast=decision.contrast,
        pairs=_pairs(units),
        disclosures=disclosures(Findings(case, units, decision, row, classification)),
        later_gates_open=registration.later_gates,
    )


def asks_why(row: int, units: Sequence[UnitStanding]) -> bool:
    """Say whether SR-2 is asked: in rows 9, 11 to 13, and in a row 7 that is no clean FAIL.

    A FAIL is clean when every treatment unit seen is known not to have reached either half.
    """
    if row != _NEITHER:
        return row in {_MATCHED, 11, 12, 13}
    return not all(
        unit.registered.primary == unit.registered.secondary == "not reached"
        for unit in units
        if unit.role == "treatment" and unit.seen
    )


def _classification(attestation: Attestation) -> Classification | Literal["unclassified"]:
    """Return the answer to SR-2; a case without evidence is no answer."""
    if attestation.case is None or not says_something(attestation.evidence):
        return "unclassified"
    return Classification(attestation.case, attestation.evidence)


def falsified(row: int, decision: Decision, units: Sequence[UnitStanding]) -> Falsified | None:
    """Answer the registered FALSIFIES (seed §3) where it is asked: in rows 7 and 9."""
    if row == _MATCHED:
        return "yes" if decision.matches_certain else "not evaluable"
    if row != _NEITHER:
        return None
    treatment = [unit for unit in units if unit.role == "treatment"]
    found = [s for u in treatment if u.seen for s in (u.as_written.primary, u.as_written.secondary)]
    # Only "reached" is restricted to units seen: the probe tells of any unit's phase.
    advances = any(unit.phase_rose for unit in treatment)
    still = not advances and all(unit.phase_readings > 1 for unit in treatment if unit.live)
    if "reached" in found or still:
        return "no"
    return "yes" if advances and "unknown" not in found else "not evaluable"


@dataclass(frozen=True, slots=True)
class _Answers:
    """What the adjudicator answered, as far as it was asked."""

    row: int
    attestation: Attestation
    classification: Classification | Literal["unclassified"] | None

    @property
    def attributed(self) -> bool:
        """Whether SR-4 was answered; a named difference is an answer."""
        attestation = self.attestation
        return attestation.single_variable is not None or bool(attestation.other_differences)

    def sentences(self) -> Iterator[str]:
        found = self.classification
        if found == "unclassified":
            yield (
                "Not final: SR-2 asks why this is neither a clean PASS nor a clean FAIL, "
                "(a) cure-ineffective or (b) structure-deficient, with evidence."
            )
        elif isinstance(found, Classification) and found.case == "a":
            yield (
                "Classified (a), cure-ineffective, by the adjudicator: adding structure is not "
                "licensed."
            )
        elif isinstance(found, Classification):
            yield (
                "Classified (b), structure-deficient, by the adjudicator: adding hierarchy is "
                "licensed as a new cure with its own registered gate; the word stays as it is."
            )
        if not self.attributed:
            yield (
                "Not final: SR-4 asks whether the arms differed in the one registered variable "
                "alone, and this is not answered."
            )

    def codes(self) -> Iterator[str]:
        found = self.classification
        if found is not None:
            yield f"sr2_{'unclassified' if found == 'unclassified' else found.case}"
        if not self.attributed:
            yield "sr4_unanswered"


def _live(units: Sequence[UnitStanding], role: ArmRole) -> list[UnitStanding]:
    return [unit for unit in units if unit.role == role and unit.live]


def _counts(units: Sequence[UnitStanding], role: ArmRole) -> ArmCounts:
    live = [unit.registered for unit in _live(units, role)]
    return ArmCounts(
        units=sum(1 for unit in units if unit.role == role),
        live=len(live),
        primary=sum(1 for halves in live if halves.primary == "reached"),
        secondary=sum(1 for halves in live if halves.secondary == "reached"),
        both=sum(1 for halves in live if halves.both == "reached"),
    )


def _counted(units: Sequence[UnitStanding], *, void: bool) -> Iterator[str]:
    """Say the counts as read where the word does not rest on them."""
    if not void:
        return
    roles: tuple[ArmRole, ...] = ("treatment", "control")
    for role in roles:
        n = _counts(units, role)
        yield (
            f"As read, {role}: {out_of(n.live, n.units, 'unit')} live; "
            f"PRIMARY {n.primary} of {n.live}, SECONDARY {n.secondary} of {n.live}, "
            f"both {n.both} of {n.live}."
        )


def _pairs(units: Sequence[UnitStanding]) -> tuple[Pair, ...]:
    control = {unit.pair: unit for unit in units if unit.role == "control"}
    return tuple(
        Pair(unit.finding(), control[unit.pair].finding())
        for unit in units
        if unit.role == "treatment" and unit.pair in control
    )
