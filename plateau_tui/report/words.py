"""The verdict in words: sentences and cells that the page and the terminal share, unescaped."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from plateau_tui.metric.contrast import ContrastInterval
from plateau_tui.metric.fence import felt_state_warning
from plateau_tui.metric.outcome import (
    ArmCounts,
    Classification,
    Contrast,
    Disclosure,
    Pair,
    Standing,
    UnitFinding,
    Verdict,
)
from plateau_tui.metric.plain import counted
from plateau_tui.metric.registration import Registration
from plateau_tui.report.adjudications import Heard, said
from plateau_tui.report.gather import Judged
from plateau_tui.report.record import evidence_words

PAIR_HEAD: Final = ("pair", "unit", "arm", "live", "PRIMARY", "SECONDARY", "both", "pinned wood")
COUNT_HEAD: Final = ("arm", "live", "PRIMARY", "SECONDARY", "both")
FROM_0: Final = "Cycles here count from 0, as in the files; the grid counts from 1."
"""What stands above a text for a person that cites cycles in the files' own words."""
_VOID_ROWS: Final = range(1, 7)
_MISSING: Final = re.compile(
    r"Detected: the server did not know the objective (\S+) in cycle (\d+)\.?"
)
_FEW_MISSING: Final = 2
_FEW_DIGITS: Final = 4
_MANY_DIGITS: Final = 7


def headline(verdict: Verdict) -> str:
    """Return the word as it may be shown: an unfinished one never without saying so."""
    return said(verdict.word, final=verdict.final)


def claim(registration: Registration) -> Iterator[str]:
    """Yield the gate in sentences, as it was registered."""
    gate, window = registration.gate, registration.window
    units = len(registration.treatment.units)
    seconds = f"{window.interval_ms / 1000:g}"
    blocks = "a block" if gate.place == "any" else "a block beyond the crafting table"
    wood = "their farmed wood" if gate.wood == "baseline_only" else "wood of every species"
    yield f"The one between-arm variable: {registration.variable}"
    yield (
        f"PRIMARY: at least {gate.k_primary} live treatment units, of {units} registered, place "
        f"{blocks} within {counted(window.cycles, 'cycle')} of {seconds} s (placed_used > 0)."
    )
    yield (
        f"SECONDARY: at least {gate.k_secondary} of those same units mine at least two kinds of "
        f"block beyond {wood} (distinct_mined_beyond >= 2)."
    )
    both = ", and of PRIMARY alone as well" if gate.contrast_on == "primary" else ""
    yield (
        f"Contrast: the paired difference treatment - control of units that reached both halves"
        f"{both} is above {gate.margin:g}, and so is the lower limit of its {gate.confidence:g} "
        f"interval by {gate.interval_method}."
    )
    counts = (
        "counts stand as they are"
        if gate.start_counts == "zero"
        else "counts are less the start reading"
    )
    yield (
        f"A unit is live that was seen and is not absent for more than {gate.max_absent_polls} "
        f"polls in a row up to the close; {counts}."
    )
    if gate.accept:
        yield f"This gate was sealed although it is not feasible, with the sentence: {gate.accept}"


def sealed_when(judged: Judged) -> str:
    """Return whether there is a sealed gate to judge by, as a sentence."""
    if judged.state.sealed is None:
        return "Nothing was sealed: this is a draft, and a draft can claim nothing."
    if judged.seal_differs:
        return (
            "registration.toml is not what was sealed. Everything here is judged by the sealed "
            "text, which the journal keeps."
        )
    return "registration.toml is what was sealed."


def held_lines(verdict: Verdict) -> Iterator[str]:
    """Yield what held and what did not, and what else the table says."""
    if verdict.held or verdict.not_held:
        yield f"Held: {', '.join(verdict.held) or 'nothing'}."
        yield f"Did not hold: {', '.join(verdict.not_held) or 'nothing'}."
    if verdict.falsified is not None:
        yield f"Falsified, by the registered clause: {verdict.falsified}."
    applied = ", ".join(str(row) for row in verdict.rows_that_apply)
    yield f"Decided by row {verdict.row} of the decision table; rows that apply: {applied}."


def fold_missing(reasons: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each reason and the reasons that it stands for: none where it stands for itself.

    Many objectives that the server did not know are one line, where the first of them stands.
    """
    found = [*reasons]
    gone = [(text, hit[2]) for text in found if (hit := _MISSING.fullmatch(text))]
    told = False
    for text in found:
        if len(gone) <= _FEW_MISSING or _MISSING.fullmatch(text) is None:
            yield text, ()
        elif not told:
            told = True
            cycles = sorted({int(cycle) for _, cycle in gone})
            where = f"cycle {cycles[0]}" if len(cycles) == 1 else f"cycles from {cycles[0]} on"
            first = f"Detected: {len(gone)} objectives unknown to the server in {where}"
            yield f"{first}.", tuple(text for text, _ in gone)


def pair_rows(pairs: tuple[Pair, ...]) -> Iterator[tuple[str, ...]]:
    """Yield two rows of cells a pair, below ``PAIR_HEAD``."""
    for number, pair in enumerate(pairs, start=1):
        for unit in (pair.treatment, pair.control):
            yield (str(number), *_unit_cells(unit))


def _unit_cells(unit: UnitFinding) -> tuple[str, ...]:
    live = "yes" if unit.live else "no" if unit.seen else "never seen"
    return (
        unit.name,
        unit.arm,
        live,
        _standing(unit.primary, unit.primary_cycle),
        _standing(unit.secondary, unit.secondary_cycle),
        _standing(unit.both, unit.both_cycle),
        unit.pin or "none",
    )


def _standing(standing: Standing, cycle: int | None) -> str:
    return f"cycle {cycle}" if standing == "reached" and cycle is not None else standing


def count_rows(judged: Judged) -> Iterator[tuple[str, ...]]:
    """Yield a row of cells an arm, below ``COUNT_HEAD``; counts as "2 of 3"."""
    verdict, registration = judged.verdict, judged.registration
    for arm, counts in (
        (registration.treatment, verdict.counts_treatment),
        (registration.control, verdict.counts_control),
    ):
        yield (f"{arm.role} ({arm.label})", *_count_cells(counts))


def _count_cells(counts: ArmCounts) -> tuple[str, ...]:
    reached = (counts.primary, counts.secondary, counts.both)
    return (
        f"{counts.live} of {counts.units}",
        *(f"{number} of {counts.live}" for number in reached),
    )


def contrast_lines(verdict: Verdict, margin: float) -> Iterator[str]:
    """Yield the paired contrast with its interval and method."""
    contrast = verdict.contrast
    if contrast is None:
        yield "No pair has both units live: there is no contrast."
        return
    if verdict.row in _VOID_ROWS:
        yield "As read; the run is void, so this argues nothing."
    units = (unit for pair in verdict.pairs for unit in (pair.treatment, pair.control))
    if any(unit.live and unit.both == "unknown" for unit in units):
        yield (
            "What is unknown counts against the claim here: a treatment unit as not reached, a "
            "control unit as reached."
        )
    yield (
        f"Over {counted(contrast.pairs, 'live pair')}: both units reached both halves in "
        f"{contrast.both}, the treatment unit alone in {contrast.treatment_only}, the control "
        f"unit alone in {contrast.control_only}, neither in {contrast.neither}."
    )
    arms = contrast.delta_arms
    over_arms = "" if arms is None else f"; over the arms' live units {signed(arms, margin)}"
    yield f"Difference Δ = {signed(contrast.delta, margin)} over the pairs{over_arms}."
    confidence = f"{contrast.confidence:g}"
    limits = _limits(contrast.lower, contrast.upper, margin)
    yield f"Its {confidence} interval by {contrast.method}: {limits}."
    if contrast.method != "exact_unconditional":
        exact = _limits(contrast.exact_lower, contrast.exact_upper, margin)
        yield f"Beside it, the exact one (exact_unconditional): {exact}."
    yield from (f"{word[0].upper()}{word[1:]}." for word in _meaning(contrast))


def _meaning(contrast: Contrast) -> tuple[str, ...]:
    """Return what b = c = 0 and few pairs mean."""
    table = (contrast.both, contrast.treatment_only, contrast.control_only, contrast.neither)
    return ContrastInterval(*table, contrast.confidence, contrast.method, None, None).words


def _limits(lower: float | None, upper: float | None, margin: float) -> str:
    if lower is None or upper is None:
        return "none exists"
    return f"{signed(lower, margin)} to {signed(upper, margin)}; asked is more than {margin:g}"


def signed(value: float, margin: float) -> str:
    """Return a difference with its sign, in as many digits as tell it from 0 and the margin."""
    few = f"{value:+.{_FEW_DIGITS}f}"
    if value not in {0.0, margin} and float(few) in {0.0, round(margin, _FEW_DIGITS)}:
        return f"{value:+.{_MANY_DIGITS}f}"
    return "0" if value == 0 else few


def attribution(judged: Judged) -> Iterator[str]:
    """Yield SR-4's answer."""
    answers = judged.case.attestation
    by = f" by {answers.adjudicator}" if answers.adjudicator else ""
    match answers.single_variable:
        case True if answers.other_differences:
            yield (
                f"SR-4, answered{by}: the arms differed in more than the registered variable. "
                "single_variable = true stands beside the difference, and does not undo it."
            )
        case None if answers.other_differences:
            yield f"SR-4, answered{by}: the arms differed in more than the registered variable."
        case None:
            yield "SR-4, did the arms differ in the one registered variable alone: unanswered."
        case True:
            yield f"SR-4, attested{by}: the arms differed in the one registered variable alone."
        case False:
            yield f"SR-4, attested{by}: the arms did not differ in one variable alone."
    for other in answers.other_differences:
        yield f"Another difference: {other}"
    last, text = judged.state.adjudicated, judged.attestation_text
    if text is not None and (last is None or last.text.encode("utf-8") != text):
        yield "These answers are not in the journal: plateau-tui verdict RUN --attest FILE."


def classification(judged: Judged) -> Iterator[str]:
    """Yield SR-2's answer, or that it is missing or not asked."""
    answers, found = judged.case.attestation, judged.verdict.classification
    if isinstance(found, Classification):
        word = "cure-ineffective" if found.case == "a" else "structure-deficient"
        yield f"SR-2: ({found.case}) {word}. Evidence: {found.evidence}"
    elif found == "unclassified":
        yield "SR-2: unclassified; neither a clean PASS nor a clean FAIL is ever left so."
    elif answers.case is None:
        yield "SR-2: not asked."
    else:
        yield "SR-2: answered, but not asked: it moves nothing here."
    words = evidence_words(answers)
    if words:
        yield f"{felt_state_warning(words)} (in the adjudicator's text)"


def earlier_adjudications(judged: Judged) -> Iterator[str]:
    """Yield the adjudications that the journal holds, each with its word."""
    yield from map(_adjudication, judged.adjudications)
    if judged.adjudications_left_out:
        yield f"and {judged.adjudications_left_out} more that say the same, in journal.jsonl"


def contradicted_adjudications(judged: Judged) -> Iterator[str]:
    """Yield the adjudications that say another word than the log gives under their answers."""
    for found in judged.adjudications:
        if found.log_gives is not None:
            yield f"In the journal: {_adjudication(found)}"


def _adjudication(found: Heard) -> str:
    word = said(found.verdict or "no word", final=found.final)
    sha256 = found.attestation_sha256[:12] or "none"
    other = (
        "" if found.log_gives is None else f"; under its answers the log gives {found.log_gives}"
    )
    return f"{found.ts} {found.by or 'unknown'}: {word}, attestation {sha256}{other}"


def disclosure_groups(disclosures: Sequence[Disclosure]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield a line and what stands below it: one disclosure a line, several of a code below it.

    The codes stand in the order in which each comes first.
    """
    groups: dict[str, list[Disclosure]] = {}
    for found in disclosures:
        groups.setdefault(found.code, []).append(found)
    for code, members in groups.items():
        if len(members) == 1:
            yield f"{code}{_where(members[0], ', ')}", ()
        else:
            yield f"{code}, {len(members)} times:", tuple(_where(found) for found in members)


def _where(found: Disclosure, before: str = "") -> str:
    """Return a disclosure's text behind its unit and cycle, as far as it does not name them."""
    text = found.text
    if found.unit is not None:
        text = text.removeprefix(f"{found.unit}: ")
    unit = found.unit is not None and not _names(text, re.escape(found.unit))
    cycle = found.cycle is not None and not _names(text, f"cycle {found.cycle}")
    places = [f"{found.unit}"] * unit + [f"cycle {found.cycle}"] * cycle
    if places:
        return f"{before}{', '.join(places)}: {text}"
    return f": {text}" if before else text


def _names(text: str, pattern: str) -> bool:
    return re.search(rf"(?<![\w.-]){pattern}(?![\w-])", text) is not None
