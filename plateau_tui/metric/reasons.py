"""The verdict's reasons: sentences to be read aloud, and its codes for machines.

Counts are "2 of 3"; nothing here is a percentage. Every PARTIAL names what held and what did not
in the form of SR-5: "PRIMARY PASS (…); SECONDARY FAIL (…)". Where nothing is credited, no half
reads as passed: "PRIMARY held (…); SECONDARY did not hold (…)".
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from plateau_tui.metric.comparison import (
    MEMBERS,
    Comparison,
    Members,
    ReadingName,
    Share,
    Target,
    above,
    known_share,
    matches,
)
from plateau_tui.metric.contrast import ContrastInterval
from plateau_tui.metric.decision import CONDITIONS, Decision, Reached
from plateau_tui.metric.outcome import Condition
from plateau_tui.metric.plain import counted, is_are, out_of
from plateau_tui.metric.registration import ArmRole, Gate
from plateau_tui.metric.standing import UnitStanding
from plateau_tui.metric.voids import Void

_WHY: Final = {
    1: "a gate or a log that changed argues nothing",
    2: "the claim is about the full window, and this is not one",
    3: "what was seen cannot be attributed to the one registered variable",
    4: "what read the counters is not the sealed instrument",
    5: "SECONDARY is undefined for a live unit",
    6: "the gate can be neither met nor failed",
    8: "neither half is known to hold: it was not measured, and unknown is not 0",
    9: "the control matches the treatment on both halves: the cure is not the cause",
}
_ROW_CODES: Final = {
    7: "neither_half_possible",
    8: "neither_half_measured",
    9: "control_matches",
    10: "all_conditions_hold",
    11: "both_halves_hold",
    12: "primary_only",
    13: "secondary_only",
}
_VOID_ROWS: Final = range(1, 7)
_UNCREDITED_ROWS: Final = range(7, 10)
_NO_PAIR: Final = "no_live_pair"
_TOO_FEW: Final = "too_few_live_treatment"
_PAIRS_TO_DECIDE: Final = 3
"""With fewer pairs no valid interval excludes 0: ``ContrastInterval.words`` says so."""


def _word_of(condition: Condition) -> str:
    return condition.lower().replace(" ", "_")


def number(value: Fraction | float | None) -> str:
    """Return a value on the scale of Δ with at most four decimals."""
    if value is None:
        return "none"
    text = f"{float(value):.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _of(share: Share) -> str:
    return f"{share.reached} of {share.of}"


def set_name(reading: ReadingName, members: Members) -> str:
    """Return a comparison set in words."""
    units = "live units" if members == "live" else "all units seen"
    return f"{units}, {'registered reading' if reading == 'registered' else '§2c as written'}"


class Sentences:
    """What is said of one decision under one gate."""

    def __init__(self, gate: Gate, decision: Decision) -> None:
        self._gate = gate
        self._decision = decision

    def conditions(self) -> str:
        """Return all four conditions: in the form of SR-5, or in plain words in rows 7 to 9."""
        said = {
            "PRIMARY": self._half("PRIMARY", self._decision.primary, self._primary()),
            "SECONDARY": self._half("SECONDARY", self._decision.secondary, self._secondary()),
            "same units": self._same_units(),
            "contrast": self._contrast(),
        }
        return "; ".join(f"{name} {self._mark(name)} ({said[name]})" for name in CONDITIONS)

    def _mark(self, condition: Condition) -> str:
        """SR-5 knows PASS and FAIL; where nothing is credited (rows 7 to 9) neither is said."""
        credited = self._decision.row not in _UNCREDITED_ROWS
        if condition in self._decision.held:
            return "PASS" if credited else "held"
        if credited:
            return "FAIL"
        return "not measured" if self._is_unmeasured(condition) else "did not hold"

    def _is_unmeasured(self, condition: Condition) -> bool:
        return condition in self._decision.not_measured

    def _unmeasured(self, condition: Condition) -> str:
        """Say in the brackets where a FAIL is a lack of measurement."""
        fails = self._is_unmeasured(condition) and self._mark(condition) == "FAIL"
        return "not measured; " if fails else ""

    def _primary(self) -> str:
        beyond = " beyond the crafting table" if self._gate.place == "beyond_table" else ""
        return f"placed_used > 0{beyond}, build chain entered"

    def _secondary(self) -> str:
        beyond = "the farmed wood" if self._gate.wood == "baseline_only" else "every log"
        return f"two block types mined beyond {beyond}, resource base diversified"

    def _half(self, condition: Condition, found: Reached, what: str) -> str:
        if condition in self._decision.held:
            return f"{what}: {found.reached} of {found.of}"
        asked = f"{found.asked} asked"
        if self._is_unmeasured(condition):
            known = f"{found.reached} of {found.of} known, {found.unknown} unknown"
            return f"{self._unmeasured(condition)}{what}: {known}, {asked}"
        return f"{what}: {found.reached} of {found.of}, {asked}"

    def _same_units(self) -> str:
        found = self._decision.same_units
        if found.of:
            said = f"of the {found.of} that reached PRIMARY, {found.reached} reached SECONDARY"
        else:
            said = "no live unit is known to have reached PRIMARY"
        if "same units" in self._decision.held:
            return said
        if found.held and not self._decision.primary.held:
            said += ", but PRIMARY does not hold"
        return f"{self._unmeasured('same units')}{said}, {found.asked} asked"

    def _contrast(self) -> str:
        shown = self._decision.comparisons[0]
        if self._decision.row == 9:  # noqa: PLR2004 - the table's number
            return f"the control matches the treatment; {self.comparison(shown)}"
        failing = [c for c in self._decision.comparisons if not c.holds]
        said = [self.comparison(shown)]
        if failing and shown.holds:
            first = failing[0]
            said.append(f"but not in {self._named(first)}: {self.comparison(first)}")
        return self._unmeasured("contrast") + "; ".join(said)

    def _named(self, comparison: Comparison) -> str:
        where = set_name(comparison.reading, comparison.members)
        on = "" if comparison.target == "plateau_break" else " on PRIMARY"
        return f"the comparison{on} over {where}"

    def comparison(self, found: Comparison) -> str:
        """Return one comparison's figures, and whether they are above the margin."""
        gate = self._gate
        margin, confidence = number(gate.margin), gate.confidence
        shares = f"treatment {_of(found.treatment)}, control {_of(found.control)}"
        if found.limits is None:
            return f"{shares}; no interval exists"
        delta = found.delta_arms
        lower = found.limits[0]
        figures = (
            f"Δ {number(delta)} {_beside(above(delta, gate.margin))} the margin {margin}, lower "
            f"limit {number(lower)} at {confidence} by {gate.interval_method} "
            f"{_beside(above(lower, gate.margin))} it"
        )
        return f"{shares}; {figures}"

    def matched(self) -> Iterator[str]:
        """Say in which set the control matches, where that decided."""
        match = self._decision.match
        if match is None:
            return
        halves = "; ".join(
            f"{name}: control {_of(control)}, treatment {_of(treatment)}"
            for name, (treatment, control) in (
                ("PRIMARY", match.primary),
                ("SECONDARY", match.secondary),
            )
        )
        where = set_name(match.reading, match.members)
        yield (
            f"Detected: over {where}, an unknown control counted as reached and an unknown "
            f"treatment as not, {halves}."
        )

    def control_did_the_same(self, units: Sequence[UnitStanding]) -> Iterator[str]:
        """Say it where the control is known to have done the same on a half that held.

        It has where as large a part of it reached the half, or as many units as the gate asks.
        """
        halves: tuple[tuple[Condition, Target, int], ...] = (
            ("PRIMARY", "primary", self._gate.k_primary),
            ("SECONDARY", "secondary", self._gate.k_secondary),
        )
        for name, target, asked in halves:
            if name not in self._decision.held:
                continue
            for members in MEMBERS:
                treatment, control = (
                    known_share(units, role, target, members) for role in ("treatment", "control")
                )
                same = matches(treatment, control)
                if same or control.reached >= asked:
                    did = "did the same" if same else "reached as many as the gate asks"
                    yield (
                        f"On {name} the control {did}: {_units(control, 'control', members)} "
                        f"reached it, and {_units(treatment, 'treatment', members)}."
                    )
                    break

    def too_few_pairs(self) -> Iterator[str]:
        """Say it where a limit over one pair or two is above the margin: no valid one can be."""
        for found in self._decision.comparisons:
            few = 0 < sum(found.table) < _PAIRS_TO_DECIDE
            if few and found.limits is not None and above(found.limits[0], self._gate.margin):
                method, confidence = self._gate.interval_method, self._gate.confidence
                shown = ContrastInterval(*found.table, confidence, method, found.limits, None)
                yield from (f"{words[0].upper()}{words[1:]}." for words in shown.words)
                return


def _units(share: Share, role: ArmRole, members: Members) -> str:
    """Return a part of an arm's units in words: "2 of 3 live control units"."""
    if members == "live":
        return out_of(share.reached, share.of, f"live {role} unit")
    return f"{out_of(share.reached, share.of, f'{role} unit')} seen"


def _beside(is_above: bool) -> str:  # noqa: FBT001 - the flag is the data
    return "above" if is_above else "not above"


def headline(row: int, decision: Decision, sentences: Sentences) -> str:
    """Return the first reason: what decided."""
    if row in _VOID_ROWS:
        return f"WITHHELD: {_WHY[row]}."
    said = sentences.conditions()
    if row in _WHY:
        return f"WITHHELD: {_WHY[row]}; {said}."
    if row == 7:  # noqa: PLR2004 - the table's number
        unknown = decision.primary.unknown or decision.secondary.unknown
        even = ", even if every unknown standing were reached" if unknown else ""
        return f"FAIL: neither half could hold{even}; {said}."
    return f"{said}."


def too_few(decision: Decision) -> Iterator[Void]:
    """Return the void of row 6."""
    if decision.row != 6:  # noqa: PLR2004 - the table's number
        return
    live = decision.primary.of
    asked = max(decision.primary.asked, decision.secondary.asked)
    if decision.contrast is None:
        yield Void(6, _NO_PAIR, "detected", "no pair has both of its units live")
    if decision.too_few:
        text = f"{counted(live, 'treatment unit')} {is_are(live)} live, the gate asks for {asked}"
        yield Void(6, _TOO_FEW, "detected", text)


def codes(row: int, voids: Sequence[Void], decision: Decision) -> Iterator[str]:
    """Return the machine words of what decided, each once, in the table's order."""
    if voids:
        yield from dict.fromkeys(void.code for void in voids)
        return
    yield _ROW_CODES[row]
    for condition in decision.not_held:
        kind = "not_measured" if condition in decision.not_measured else "not_held"
        yield f"{_word_of(condition)}_{kind}"
