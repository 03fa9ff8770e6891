"""Rows 1 to 5 of the decision table: what voids a run before anything is counted (seed §3, §5)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from plateau_tui.metric.casefile import Case
from plateau_tui.metric.evidence import RECEIPT_PROBLEM, Cause
from plateau_tui.metric.objectives import SCORED
from plateau_tui.metric.plain import counted, digits_apart, has_have, out_of
from plateau_tui.metric.standing import UnitStanding
from plateau_tui.metric.tables import shown

_SEAL_PROBLEMS: Final = frozenset({"seal_broken", "not_sealed"})
"""Findings that say again what the facts about the seal say."""

REPAIRABLE: Final = frozenset({"torn_tail", "cycle_incomplete", "heartbeat_missing", "copied_tail"})
"""What a collector leaves that died while it wrote; while the window is open it is made whole."""


@dataclass(frozen=True, slots=True)
class Void:
    """One reason why the run argues nothing: its row of the table, and who caused it."""

    row: int
    code: str
    cause: Cause
    text: str

    @property
    def sentence(self) -> str:
        """The reason with its cause, to be read aloud."""
        who = {"detected": "Detected", "operator": "By the operator"}
        return f"{who.get(self.cause, 'By the adjudicator')}: {self.text}."


def voids(case: Case, units: Sequence[UnitStanding]) -> list[Void]:
    """Return everything of rows 1 to 5 that applies, in the table's order."""
    return [
        *_seal(case),
        *_log(case),
        *_window(case),
        *_attribution(case),
        *_instrument(case),
        *_pins(units),
    ]


def _seal(case: Case) -> Iterator[Void]:
    facts = case.facts
    if facts.sealed_sha256 is None:
        yield Void(1, "not_sealed", "detected", "the gate was never sealed")
        return
    if not facts.sealed_before_cycle0:
        text = "the gate was sealed after the first scored cycle"
        yield Void(1, "sealed_late", "detected", text)
    now = facts.registration_sha256_now
    if now != facts.sealed_sha256:
        is_, was = digits_apart(now or "", facts.sealed_sha256)
        have = "it cannot be read" if now is None else f"{shown(is_)} now"
        text = f"registration.toml is not what was sealed ({have}, {shown(was)} sealed)"
        yield Void(1, "registration_differs", "detected", text)


def _log(case: Case) -> Iterator[Void]:
    allowed = {RECEIPT_PROBLEM} | _SEAL_PROBLEMS
    if not case.facts.closed:
        allowed |= REPAIRABLE
    found = [problem for problem in case.facts.problems if problem.code not in allowed]
    if found:
        more = f"; the first of {len(found)} findings" if len(found) > 1 else ""
        text = f"the log does not hold: {found[0].code}, {shown(found[0].text)}{more}"
        yield Void(1, "log_broken", "detected", text)


def _window(case: Case) -> Iterator[Void]:
    facts, cycles = case.facts, case.registration.window.cycles
    if not facts.closed:
        state = "is still open" if facts.window_opened else "has not opened"
        yield Void(
            2, "window_open", "detected", f"the window of {counted(cycles, 'cycle')} {state}"
        )
        return
    if facts.closed_early:
        who = f" by {shown(facts.closed_by, 80)}" if facts.closed_by else ""
        why = shown(facts.close_why) or "no reason given"
        text = f"the window was closed early{who} ({why})"
        yield Void(2, "closed_early", "operator", text)
        return
    missing = [
        (tally.coverage.first_missing(), name, cycles - tally.coverage.count())
        for name, tally in case.tally.units.items()
        if tally.coverage.count() < cycles
    ]
    if missing:
        cycle, name, count = min(missing)
        text = (
            f"{out_of(count, cycles, 'cycle')} {has_have(count)} no row of {name}, the first is "
            f"cycle {cycle}"
        )
        yield Void(2, "cycles_without_rows", "detected", text)


def _attribution(case: Case) -> Iterator[Void]:
    attestation = case.attestation
    if attestation.single_variable is False:
        text = "the arms did not differ in the one registered variable alone"
        yield Void(3, "second_variable", "adjudicator", text)
    if attestation.other_differences:
        named = "; ".join(shown(text) for text in attestation.other_differences)
        yield Void(3, "other_differences", "adjudicator", f"the arms differed in more: {named}")
    for name, tally in case.tally.units.items():
        probed = tally.probed
        if probed.first_contradicting is not None:
            text = (
                f"the probe tagged {name} of the {tally.unit.arm.role} arm "
                f"'{shown(probed.tag, 80)}' in cycle {probed.first_contradicting}"
                f"{_times(probed.contradicting)}"
            )
            yield Void(3, "probe_contradicts_arm", "detected", text)


def _times(count: int) -> str:
    return f", the first of {count} cycles" if count > 1 else ""


def _instrument(case: Case) -> Iterator[Void]:
    cycles = case.registration.window.cycles
    first: dict[str, int] = {}
    for name, cycle in case.facts.objectives_missing:
        if name in SCORED and 0 <= cycle < cycles:
            first[name] = min(cycle, first.get(name, cycle))
    for name, cycle in sorted(first.items(), key=lambda item: (item[1], item[0])):
        text = f"the server did not know the objective {name} in cycle {cycle}"
        yield Void(4, "objective_missing", "detected", text)


def _pins(units: Sequence[UnitStanding]) -> Iterator[Void]:
    for unit in units:
        if unit.live and unit.pin is None:
            text = (
                f"no BASELINE_WOOD is pinned for the live unit {unit.name}: SECONDARY is undefined"
            )
            yield Void(5, "pin_missing", "detected", text)
