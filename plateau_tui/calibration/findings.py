"""Every finding of a report that was not declared, and every declaration that is stale.

Each finding says what was measured and what would satisfy it. A contract with a finding left is
refused (seed, "What changed", A to C).
"""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from plateau_tui.calibration.contract import EventCheck, NumberCheck
from plateau_tui.calibration.declare import Declarations
from plateau_tui.calibration.motion import Motion, is_lost
from plateau_tui.calibration.report import Report
from plateau_tui.metric.plain import counted, out_of, times

_WORDS_OF_A_SENTENCE: Final = 3
_NO_MILESTONE: Final = "which is no milestone of the contract"


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason for a refusal: a machine's word and one line for a person."""

    code: str
    text: str


def findings(report: Report, declared: Declarations) -> tuple[Finding, ...]:
    """Return all that stands against a contract; empty where it may be packaged."""
    return (
        *_repeated(declared),
        *_replay(report),
        *_separation(report, declared),
        *_attrition(report, declared),
        *_collapse(report, declared),
        *_opaque(report, declared),
        *_weak(report, declared),
    )


def _repeated(declared: Declarations) -> Iterable[Finding]:
    for key in ("attrition_checks", "opaque_checks", "weak_checks"):
        for i, often in Counter(getattr(declared, key)).items():
            if often > 1:
                yield Finding(
                    "repeated-declaration", f"{key} names {i} {times(often)}; name it once"
                )


def _replay(report: Report) -> Iterable[Finding]:
    if report.deterministic is False:
        yield Finding(
            "not-deterministic",
            "two replays of the reference published different evidence; make the target publish "
            "only what its seed and inputs decide",
        )
    if report.unearned:
        yield Finding(
            "not-earned",
            f"the reference does not earn {_list(report.unearned)}; record one that does, or "
            "leave out what it does not earn",
        )


def _separation(report: Report, declared: Declarations) -> Iterable[Finding]:
    sentence = declared.non_separating
    if sentence is None:
        if not report.separates:
            yield Finding("not-separating", _why_not_separating(report))
    elif report.separates:
        yield Finding(
            "stale-non-separating",
            f"non_separating is declared, but the contract separates: no baseline earns "
            f"{_list(report.separating)}; remove the declaration",
        )
    elif len(sentence.split()) < _WORDS_OF_A_SENTENCE:
        yield Finding(
            "empty-non-separating",
            f"non_separating is {sentence!r}; it must be a sentence that says why the contract "
            "need not separate",
        )


def _why_not_separating(report: Report) -> str:
    total = len(report.legible_achievements)
    cure = (
        "state a legible achievement that the reference earns and no baseline does, or declare "
        "non_separating with a sentence that says why the contract need not separate"
    )
    if not total:
        return f"the contract states no legible achievement; {cure}"
    if report.separating:
        return (
            f"no baseline earns {_list(report.separating)}, but the best one earns "
            f"{out_of(report.best_legible, total, 'legible achievement')}, and the reference "
            f"{report.legible_score}; {cure}"
        )
    earned = [i for i in report.legible_achievements if report.references_with(i)]
    if not earned:
        return f"the reference earns none of {counted(total, 'legible achievement')}; {cure}"
    told = "; ".join(f"{i} by {_list(report.baselines_with(i))}" for i in earned)
    return f"baselines earn every legible achievement that the reference earns ({told}); {cure}"


def _attrition(report: Report, declared: Declarations) -> Iterable[Finding]:
    for i in report.attrition:
        if i not in declared.attrition_checks:
            yield Finding(
                "undeclared-attrition",
                f"{i} is attrition: {_loss(report, i)}; declare it in attrition_checks, or leave "
                "it out",
            )
    for i in _stale(declared.attrition_checks, report.attrition):
        yield Finding(
            "stale-attrition",
            f"attrition_checks names {i}, {_no_loss(report, i)}; remove it from the declaration",
        )


def _loss(report: Report, milestone: str) -> str:
    """Return what makes a milestone attrition: its own channel's motion, or what it requires."""
    found = report.contract.milestone(milestone)
    if is_lost(found, report.motion) and isinstance(found.check, NumberCheck):
        check, motion = found.check, report.motion[found.check.channel]
        wanted = f"{check.op} {check.value}"
        start = (
            f"where it was {_list(map(str, motion.initials))} before any input, {wanted} does not "
            "hold"
            if motion.initials
            else f"it was not read before any input, so {wanted} does not hold there"
        )
        return f"{check.channel} {_moved(motion)}, and {start}"
    behind = [i for i in report.attrition if i in report.contract.closure[milestone]]
    return f"it requires {_list(behind)}"


def _no_loss(report: Report, milestone: str) -> str:
    if milestone not in report.contract.ids:
        return _NO_MILESTONE
    check = report.contract.milestone(milestone).check
    if not isinstance(check, NumberCheck):
        return "which reads no number and requires no attrition"
    motion = report.motion.get(check.channel)
    if motion is None:
        return f"whose channel {check.channel} was never read"
    if motion.only_falls:
        held = [str(value) for value in motion.initials if check.holds_for(value)]
        return (
            f"but {check.op} {check.value} holds before any input, where {check.channel} was "
            f"{_list(held)}"
        )
    return f"but {check.channel} {_moved(motion)}"


def _moved(motion: Motion) -> str:
    moved = f"rose {times(motion.rises)} and fell {times(motion.falls)}"
    return f"{moved} in {counted(motion.samples, 'value')}"


def _collapse(report: Report, declared: Declarations) -> Iterable[Finding]:
    found, gate = report.collapse, declared.gated_behind
    if not found.collapses:
        if gate is not None:
            yield Finding(
                "stale-gated-behind",
                f"gated_behind is {gate}, but only {found.gated} of {found.total} milestones "
                f"hang off {found.prerequisite or 'any one of them'}; remove the declaration",
            )
        return
    reach = (
        "no baseline reaches"
        if not found.earned_by
        else f"{_list(found.earned_by)} {'reaches' if len(found.earned_by) == 1 else 'reach'}"
    )
    measured = (
        f"{found.gated} of {found.total} milestones hang off {found.prerequisite}, which {reach}"
    )
    if gate is None:
        yield Finding(
            "undeclared-collapse",
            f"{measured}; declare gated_behind = {found.prerequisite}, or state a milestone that "
            "does not require it",
        )
    elif gate != found.prerequisite:
        yield Finding(
            "wrong-gated-behind",
            f"gated_behind is {gate}, but {measured}; declare {found.prerequisite}",
        )


def _opaque(report: Report, declared: Declarations) -> Iterable[Finding]:
    opaque = report.contract.opaque
    for i in opaque:
        if i not in declared.opaque_checks:
            yield Finding(
                "undeclared-opaque",
                f"{i} is opaque: {_why_opaque(report, i)}; declare it in opaque_checks, or "
                f"{_made_legible(report, i)}",
            )
        if declared.non_separating is None and report.baselines_with(i):
            meant = "" if report.separates else ", or declare non_separating with a sentence"
            yield Finding(
                "opaque-by-baseline",
                f"{i} is opaque ({_why_opaque(report, i)}), and earned by "
                f"{_list(report.baselines_with(i))}; sample it where no baseline earns it, "
                f"{_made_legible(report, i)}, or leave it out{meant}",
            )
    for i in _stale(declared.opaque_checks, opaque):
        yield Finding(
            "stale-opaque",
            f"opaque_checks names {i}, {_legible(report, i)}; remove it from the declaration",
        )


def _why_opaque(report: Report, milestone: str) -> str:
    """Return what makes a milestone opaque: its check, what it requires, or both."""
    behind = [i for i in report.contract.opaque if i in report.contract.closure[milestone]]
    hashed = ["its check is a hash"] if report.contract.milestone(milestone).is_hash else []
    return " and ".join([*hashed, *([f"it requires {_list(behind)}"] if behind else [])])


def _made_legible(report: Report, milestone: str) -> str:
    """Return what would make an opaque milestone legible."""
    behind = report.contract.closure[milestone] & {*report.contract.opaque}
    hashed = ["state it with a number or an event"] * report.contract.milestone(milestone).is_hash
    return " and ".join([*hashed, *(["let it require legible milestones alone"] if behind else [])])


def _legible(report: Report, milestone: str) -> str:
    if milestone not in report.contract.ids:
        return _NO_MILESTONE
    kind = "an event" if isinstance(report.contract.milestone(milestone).check, EventCheck) else (
        "a number"
    )  # fmt: skip
    return f"which is legible: its check reads {kind}, and it requires nothing opaque"


def _weak(report: Report, declared: Declarations) -> Iterable[Finding]:
    for c in report.collisions:
        if c.collisions and c.milestone not in declared.weak_checks:
            yield Finding(
                "undeclared-weak",
                f"{c.milestone} is weak: {out_of(c.collisions, c.substitutions, 'log')} with one "
                f"other input earn it, at {out_of(len(c.free_turns), len(c.probed), 'turn')} "
                f"probed; declare it in weak_checks, or {_made_legible(report, c.milestone)}",
            )
    for i in _stale(declared.weak_checks, report.weak):
        yield Finding(
            "stale-weak", f"weak_checks names {i}, {_not_weak(report, i)}; remove it from the "
            "declaration",
        )  # fmt: skip


def _not_weak(report: Report, milestone: str) -> str:
    """Return what was measured of a milestone that is not weak."""
    for c in report.collisions:
        if c.milestone == milestone:
            return f"but none of {counted(c.substitutions, 'log')} with one other input earns it"
    if milestone not in report.contract.opaque:
        return _legible(report, milestone)
    return "which the reference does not earn, so that no other log was tried"


def _stale(declared: Iterable[str], measured: Collection[str]) -> list[str]:
    return [i for i in dict.fromkeys(declared) if i not in measured]


def _list(ids: Iterable[str]) -> str:
    return ", ".join(ids)
