"""Every finding of a report that was not declared, and every declaration that is stale.

Each finding says what was measured and what would satisfy it. A contract with a finding left is
refused (seed, "What changed", A to C).
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from plateau_tui.calibration.declare import Declarations
from plateau_tui.calibration.report import Report


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason for a refusal: a machine's word and one line for a person."""

    code: str
    text: str


def findings(report: Report, declared: Declarations) -> tuple[Finding, ...]:
    """Return all that stands against a contract; empty where it may be packaged."""
    return (
        *_replay(report),
        *_separation(report, declared),
        *_attrition(report, declared),
        *_collapse(report, declared),
        *_opaque(report, declared),
        *_weak(report, declared),
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
            f"non_separating is declared, but the contract separates: {_list(report.separating)} "
            "out of reach of every baseline; remove the declaration",
        )
    elif len(sentence.split()) < _WORDS_OF_A_SENTENCE:
        yield Finding(
            "empty-non-separating",
            f"non_separating is {sentence!r}; it must be a sentence that says why the contract "
            "need not separate",
        )


_WORDS_OF_A_SENTENCE = 3


def _why_not_separating(report: Report) -> str:
    total = len(report.legible_achievements)
    cure = (
        "state a legible achievement that no baseline earns, or declare non_separating with a "
        "sentence that says why it need not separate"
    )
    if not total:
        return f"the contract states no legible achievement, so nothing can separate; {cure}"
    if report.separating:
        return (
            f"{_list(report.separating)} separate, but the best baseline earns "
            f"{report.best_legible} of {total} legible achievements, no fewer than the "
            f"reference; {cure}"
        )
    earned = "; ".join(
        f"{i} by {_list(report.baselines_with(i))}"
        for i in report.legible_achievements
        if report.baselines_with(i)
    )
    return f"baselines earn every legible achievement that the reference earns ({earned}); {cure}"


def _attrition(report: Report, declared: Declarations) -> Iterable[Finding]:
    for i in report.attrition:
        if i not in declared.attrition_checks:
            yield Finding(
                "undeclared-attrition",
                f"{i} is attrition: {_fall(report, i)}; declare it in attrition_checks, or leave "
                "it out",
            )
    for i in _stale(declared.attrition_checks, report.attrition):
        yield Finding(
            "stale-attrition",
            f"attrition_checks names {i}, {_not_attrition(report, i)}; remove it from the "
            "declaration",
        )


def _fall(report: Report, milestone: str) -> str:
    behind = [i for i in report.attrition if i in report.contract.closure[milestone]]
    check = next(m.check for m in report.contract.milestones if m.id == milestone)
    channel = getattr(check, "channel", None)
    motion = None if channel is None else report.motion.get(channel)
    if motion is None or not motion.only_falls:
        return f"it requires {_list(behind)}"
    return (
        f"{channel} rose 0 times and fell {motion.falls} times over {motion.samples} snapshots, "
        "and the check does not hold at the start"
    )


def _not_attrition(report: Report, milestone: str) -> str:
    if milestone not in report.contract.ids:
        return "which is no milestone of the contract"
    check = next(m.check for m in report.contract.milestones if m.id == milestone)
    channel = getattr(check, "channel", None)
    if channel is None:
        return "which reads no number"
    motion = report.motion.get(channel)
    if motion is None:
        return f"whose channel {channel} was never published"
    if motion.only_falls:
        return f"which already holds at the start of {channel}"
    return f"but {channel} rose {motion.rises} times and fell {motion.falls} times"


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
    reach = _list(found.earned_by) if found.earned_by else "no baseline"
    measured = (
        f"{found.gated} of {found.total} milestones hang off {found.prerequisite}, which "
        f"{reach} reaches"
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
                f"{i} is opaque: a hash decides it, and nobody can read what was achieved; "
                "declare it in opaque_checks, or state it with a legible check",
            )
        if declared.non_separating is None and report.baselines_with(i):
            yield Finding(
                "opaque-by-baseline",
                f"{i} is a hash that {_list(report.baselines_with(i))} reproduces; sample it "
                "where no baseline comes, or leave it out",
            )
    for i in _stale(declared.opaque_checks, opaque):
        yield Finding(
            "stale-opaque",
            f"opaque_checks names {i}, which is {_known(report, i, 'legible')}; remove it from "
            "the declaration",
        )


def _weak(report: Report, declared: Declarations) -> Iterable[Finding]:
    found = {c.milestone: c for c in report.collisions}
    for i in report.weak:
        if i not in declared.weak_checks:
            c = found[i]
            yield Finding(
                "undeclared-weak",
                f"{i} is weak: {c.collisions} of {c.substitutions} logs with one other input earn "
                f"it, at {len(c.free_turns)} of {len(c.probed)} turns probed; declare it in "
                "weak_checks, or state it with a legible check",
            )
    for i in _stale(declared.weak_checks, report.weak):
        measured = (
            f"but none of {found[i].substitutions} logs with one other input earns it"
            if i in found
            else f"which is {_known(report, i, 'not opaque')}"
        )
        yield Finding(
            "stale-weak", f"weak_checks names {i}, {measured}; remove it from the declaration"
        )


def _known(report: Report, milestone: str, kind: str) -> str:
    return kind if milestone in report.contract.ids else "no milestone of the contract"


def _stale(declared: Iterable[str], measured: Collection[str]) -> list[str]:
    return [i for i in dict.fromkeys(declared) if i not in measured]


def _list(ids: Collection[str]) -> str:
    return ", ".join(ids)
