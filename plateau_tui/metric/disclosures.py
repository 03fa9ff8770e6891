"""What is always said beside the word: by unit and cycle, whatever the word is.

The list is that of ``design.md`` (Verdict, last point). A disclosure moves nothing. What a claim
rests on comes first, what hardly any run is without comes last.
"""

import re
from collections import Counter as CountOf
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from plateau_tui.metric.casefile import Case
from plateau_tui.metric.comparison import Comparison
from plateau_tui.metric.decision import Decision
from plateau_tui.metric.earlieranswers import earlier_answers
from plateau_tui.metric.evidence import INTERFERENCE
from plateau_tui.metric.objectives import CRAFT_OBJECTIVES
from plateau_tui.metric.outcome import Classification, Disclosure, Standing
from plateau_tui.metric.plain import has_have, out_of, times
from plateau_tui.metric.reasons import Sentences, number, set_name
from plateau_tui.metric.standing import UnitStanding
from plateau_tui.metric.tables import shown
from plateau_tui.metric.unitdisclosures import unit_disclosures
from plateau_tui.metric.voids import REPAIRABLE

_ANY_OTHER: Final = "any other"

ORDER: Final = (
    "gate_accepted",
    "not_registered",
    "start_not_zero",
    "start_unknown",
    "registered_again",
    "answers_changed",
    "answers_unreadable",
    "classification_not_asked",
    "reached_despite_b",
    "table_only_primary",
    "other_log_secondary",
    "unit_not_pinned",
    "pin_not_confirmed",
    "pin_against_evidence",
    "pin_anyway",
    "pin_changed",
    "pin_late",
    "pins_differ",
    "row_under_other_pin",
    "unit_never_seen",
    "unit_lost",
    "unit_rarely_seen",
    "unit_sometimes_absent",
    "counter_fell",
    "placed_outside_set",
    "mined_outside_set",
    "comparison_set_differs",
    "contrast_on_primary_differs",
    "no_exact_interval",
    "seal_broken",
    "seal_broken_and_restored",
    "derived_differs",
    "gap_complete",
    "gap_partial",
    "longest_silence",
    "cycles_missed",
    "interference",
    _ANY_OTHER,
    "probe_silent",
    "arm_never_proven",
    "criterion_not_verifiable",
    "context_objective_missing",
    "counts_before_window",
)
"""The kinds of disclosures as they are shown: first what a claim rests on."""

_PLACES: Final = {code: place for place, code in enumerate(ORDER)}


@dataclass(frozen=True, slots=True)
class Findings:
    """What a verdict was made of, for its disclosures."""

    case: Case
    units: Sequence[UnitStanding]
    decision: Decision
    row: int
    classification: Classification | Literal["unclassified"] | None


def disclosures(findings: Findings) -> tuple[Disclosure, ...]:
    """Return all disclosures in the order of ``ORDER``: of each kind the run's, then the units'."""
    return tuple(sorted(_all(findings), key=_place))


def _place(disclosure: Disclosure) -> int:
    return _PLACES.get(disclosure.code, _PLACES[_ANY_OTHER])


def _all(findings: Findings) -> tuple[Disclosure, ...]:
    case, units = findings.case, findings.units
    return (
        *_gate(case),
        *_registered(case),
        *earlier_answers(case),
        *_seal(case),
        *_objectives(case),
        *_journal(case),
        *_contrast(findings),
        *_answers(findings),
        *_pins_differ(case, units),
        *(
            disclosure
            for unit in units
            for disclosure in unit_disclosures(case, unit, case.tally.units[unit.name])
        ),
    )


def _gate(case: Case) -> Iterator[Disclosure]:
    accepted = case.registration.gate.accept.strip()
    if accepted:
        text = f"the gate was sealed as infeasible at this size, with the words: {shown(accepted)}"
        yield Disclosure("gate_accepted", None, None, text)


def _registered(case: Case) -> Iterator[Disclosure]:
    if not case.facts.registered:
        text = "the journal has no registration of the objectives: no start reading is known"
        yield Disclosure("not_registered", None, None, text)


def _seal(case: Case) -> Iterator[Disclosure]:
    for found in case.facts.seal_breaks:
        if found.restored is None:
            code, end = "seal_broken", "and was not seen to be restored"
        else:
            code, end = (
                "seal_broken_and_restored",
                f"and was what was sealed again at {found.restored}",
            )
        text = f"registration.toml differed from the seal at {found.broken}, {end}"
        yield Disclosure(code, None, found.cycle, text)


def _objectives(case: Case) -> Iterator[Disclosure]:
    for name in dict.fromkeys(case.facts.existing_objectives):
        text = (
            f"{shown(name, 80)} existed before this run: that it counts what its name says cannot "
            "be read back over RCON"
        )
        yield Disclosure("criterion_not_verifiable", None, None, text)
    context = {o.name for o in CRAFT_OBJECTIVES}
    context |= {o.name for o in case.registration.extensions}
    for name, cycle in case.facts.objectives_missing:
        if name in context:
            text = f"the server did not know {name}: context, never scored"
            yield Disclosure("context_objective_missing", None, cycle, text)


def _journal(case: Case) -> Iterator[Disclosure]:
    facts = case.facts
    for missed in facts.missed:
        count = missed.last - missed.first + 1
        which = (
            f"cycle {missed.first} was"
            if count == 1
            else f"{count} cycles, {missed.first} to {missed.last}, were"
        )
        text = f"{which} not read in time: {shown(missed.reason)}"
        yield Disclosure("cycles_missed", None, missed.first, text)
    for fault in facts.faults:
        if fault.code in INTERFERENCE:
            text = (
                f"answers that were another client's, or none ({fault.code}), journaled "
                f"{times(fault.times)}{'; the first' if fault.times > 1 else ''}: "
                f"{shown(fault.text)}"
            )
            unit = named_unit(fault.text, case.tally.units)
            yield Disclosure("interference", unit, fault.cycle, text)
    if not facts.closed:
        for problem in facts.problems:
            if problem.code in REPAIRABLE:
                yield Disclosure(problem.code, None, None, shown(problem.text))
    for incident in facts.incidents:
        yield Disclosure(incident.code, incident.unit, incident.cycle, shown(incident.text))


def _contrast(findings: Findings) -> Iterator[Disclosure]:
    """Name every comparison set that decided otherwise than the one that is shown."""
    comparisons = findings.decision.comparisons
    sentences = Sentences(findings.case.registration.gate, findings.decision)
    for _, same_target in groupby(comparisons, key=_target):
        first, *others = same_target
        if first.target != comparisons[0].target and first.holds != comparisons[0].holds:
            text = f"on PRIMARY the contrast decides otherwise: {sentences.comparison(first)}"
            yield Disclosure("contrast_on_primary_differs", None, None, text)
        for other in others:
            if other.holds != first.holds:
                where = set_name(other.reading, other.members)
                text = f"over {where} the contrast decides otherwise: {sentences.comparison(other)}"
                yield Disclosure("comparison_set_differs", None, None, text)
    shown_one = findings.decision.contrast
    if shown_one is not None and shown_one.exact_lower is None and shown_one.lower is not None:
        text = f"no exact interval stands beside the lower limit {number(shown_one.lower)}"
        yield Disclosure("no_exact_interval", None, None, text)


def _target(comparison: Comparison) -> str:
    return comparison.target


def _answers(findings: Findings) -> Iterator[Disclosure]:
    attestation, found = findings.case.attestation, findings.classification
    if found is None and attestation.case is not None:
        text = (
            f"the adjudicator answered ({attestation.case}) where SR-2 is not asked: it classifies "
            "nothing and licenses nothing"
        )
        yield Disclosure("classification_not_asked", None, None, text)
    if isinstance(found, Classification) and found.case == "b":
        yield from _reached_in_spite(findings)


def _reached_in_spite(findings: Findings) -> Iterator[Disclosure]:
    """Name the treatment units that reached what (b) says the structure is lacking for."""
    held = () if findings.row in {9, 11} else findings.decision.held
    seen = [unit for unit in findings.units if unit.role == "treatment" and unit.seen]
    for unit in seen:
        halves = unit.as_written
        found: tuple[tuple[str, Standing, int | None], ...] = (
            ("PRIMARY", halves.primary, halves.primary_cycle),
            ("SECONDARY", halves.secondary, halves.secondary_cycle),
        )
        for name, standing, cycle in found:
            if standing == "reached" and name not in held:
                reached = sum(
                    1
                    for other in seen
                    if (
                        other.as_written.primary
                        if name == "PRIMARY"
                        else other.as_written.secondary
                    )
                    == "reached"
                )
                text = (
                    f"{unit.name}: (b) says that the structure is lacking, and it reached {name}; "
                    f"{out_of(reached, len(seen), 'treatment unit')} seen did"
                )
                yield Disclosure("reached_despite_b", unit.name, cycle, text)


def named_unit(text: str, units: Iterable[str]) -> str | None:
    """Return the unit that a text names first; None where it names none of ``units``."""
    words = re.findall(r"[\w-]+", text)
    found = [name for name in units if name in words]
    return min(found, key=words.index, default=None)


def _pins_differ(case: Case, units: Sequence[UnitStanding]) -> Iterator[Disclosure]:
    """Name each unit whose pinned species is not that of most units."""
    pins = CountOf(unit.pin for unit in units if unit.pin is not None)
    if len(pins) < 2:  # noqa: PLR2004 - one species, or none
        return
    most, count = min(pins.items(), key=lambda item: (-item[1], item[0]))
    for unit in units:
        if unit.pin is not None and unit.pin != most:
            text = (
                f"{unit.name}: the pins differ: it has {unit.pin}, "
                f"{out_of(count, pins.total(), 'pinned unit')} {has_have(count)} {most}"
            )
            fact = case.facts.pins.get(unit.name)
            cycle = None if fact is None else fact.cycle
            yield Disclosure("pins_differ", unit.name, cycle, text)
