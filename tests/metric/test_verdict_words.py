"""How the verdict is said: what is not credited never reads as passed, and one is one."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from metric.cases import (
    BUILT,
    FULL,
    GATE,
    HOARD,
    MINED,
    NOTHING,
    PASSING,
    PLACED,
    UNREAD,
    Row,
    arms,
    case_of,
    dead,
    facts_of,
    judged,
    registration,
    told,
)

from plateau_tui.metric.casefile import FaultFact, PinFact
from plateau_tui.metric.outcome import Verdict
from plateau_tui.metric.plain import counted, out_of, times
from plateau_tui.metric.verdict import adjudicate

PLAIN = re.compile(
    r"(?:WITHHELD|FAIL): .+?; "
    r"PRIMARY (held|did not hold|not measured) \(.+?\); "
    r"SECONDARY (held|did not hold|not measured) \(.+?\); "
    r"same units (held|did not hold|not measured) \(.+?\); "
    r"contrast (held|did not hold|not measured) \(.+\)\."
)
HELD, NOT, UNKNOWN = "held", "did not hold", "not measured"


@pytest.mark.parametrize(
    ("treatment", "control", "row", "marks"),
    [
        ([NOTHING] * 3, [FULL] * 3, 7, (NOT, NOT, NOT, NOT)),
        ([FULL, NOTHING, NOTHING], [NOTHING] * 3, 7, (NOT, NOT, NOT, HELD)),
        ([UNREAD] * 3, [NOTHING] * 3, 8, (UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN)),
        ([UNREAD, FULL, NOTHING], [FULL] * 3, 8, (UNKNOWN, UNKNOWN, UNKNOWN, NOT)),
        ([FULL] * 3, [FULL] * 3, 9, (HELD, HELD, HELD, NOT)),
        ([PLACED] * 3, [PLACED] * 3, 9, (HELD, NOT, NOT, NOT)),
        ([MINED] * 3, [FULL] * 3, 9, (NOT, HELD, NOT, NOT)),
    ],
)
def test_where_nothing_is_credited_no_condition_reads_as_passed(
    treatment: Sequence[Row], control: Sequence[Row], row: int, marks: Sequence[str]
) -> None:
    # An interval that passes the one unit, so that in row 7 the contrast can hold alone.
    found = judged(arms(treatment, control), interval=_kind_to_any)
    assert found.row == row
    match = PLAIN.fullmatch(found.reasons[0])
    assert match is not None, found.reasons[0]
    assert match.groups() == tuple(marks)
    assert not any("PASS" in reason for reason in found.reasons if "SR-2" not in reason)


def _kind_to_any(
    both: int,
    treatment_only: int,
    control_only: int,
    neither: int,
    /,
    *,
    confidence: float,
    method: str,
) -> tuple[float, float]:
    delta = (treatment_only - control_only) / (both + treatment_only + control_only + neither)
    return delta / 2, 1.0


def test_a_void_says_nothing_of_the_halves_but_what_was_read() -> None:
    found = judged(PASSING, facts=facts_of(registration(), sealed_sha256=None))
    assert found.row == 1
    assert not any("PASS" in reason or "FAIL" in reason for reason in found.reasons)


# -- few pairs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("pairs", "few"), [(1, "One pair"), (2, "Two pairs"), (3, None)])
def test_so_few_pairs_cannot_decide_by_any_valid_interval_and_the_reasons_say_so(
    pairs: int, few: str | None
) -> None:
    gate = replace(GATE, k_primary=1, k_secondary=1, interval_method="newcombe10", confidence=0.51)
    sealed = registration(pairs, gate=gate)
    found = adjudicate(case_of(sealed, arms([FULL] * pairs, [NOTHING] * pairs)))
    # The table decides as it stands.
    assert (found.word, found.row) == ("PASS", 10)
    assert found.contrast is not None
    assert found.contrast.lower is not None
    assert found.contrast.lower > 0
    said = [reason for reason in found.reasons if "cannot decide" in reason]
    assert len(said) == (few is not None)
    if few is not None:
        assert said[0].startswith(f"{few} cannot decide: no valid interval over so few excludes 0")
        assert found.contrast.exact_lower is not None
        assert found.contrast.exact_lower <= 0


def test_few_pairs_whose_limit_is_not_above_the_margin_need_no_word() -> None:
    gate = replace(GATE, k_primary=1, k_secondary=1, interval_method="newcombe10")
    found = adjudicate(
        case_of(registration(2, gate=replace(gate, margin=0.9)), arms([FULL] * 2, [NOTHING] * 2))
    )
    assert "contrast" in found.not_held
    assert not any("cannot decide" in reason for reason in found.reasons)


# -- one is one ----------------------------------------------------------------------------------


def everything_said(verdict: Verdict) -> str:
    return "\n".join((*verdict.reasons, *(d.text for d in verdict.disclosures)))


_ONE = re.compile(
    r"(?<![\d.])1 (?:\w+ )?(?:units|cycles|lists|answers|times|rows|pairs|polls|bytes)\b"
    r"|of 1 (?:\w+ )*(?:units|cycles|lists|pairs)\b"
    r"|(?<![\d.])1 of \d+ (?:\w+ )*(?:have|are|were)\b"
    r"|(?<!of )(?<![\d.])1 (?:\w+ ){1,2}(?:have|are|were)\b|\b(?:None|True|False)\b"
)


def test_every_sentence_about_one_is_in_the_singular() -> None:
    one = replace(GATE, k_primary=1, k_secondary=1)
    small = registration(1, 1, one)
    silent = replace(NOTHING, probe_ok=False)
    three = registration(3, 3, replace(GATE, k_primary=3, k_secondary=3))
    wrong = replace(FULL, baseline_wood="oak_log", written={"primary": None, "secondary": False})
    faults = (FaultFact("mismatch", 1, 0, "T1 was asked for"),)
    pins = {"T1": PinFact("birch_log"), "C1": PinFact("oak_log")}
    hole = dict(PASSING) | {"C3": told(NOTHING, 2)}
    verdicts = (
        judged({"T1": [UNREAD], "C1": [silent]}, small),
        judged({"T1": [wrong], "C1": [FULL]}, small, facts=facts_of(small, faults=faults)),
        judged({"T1": [FULL]}, small, facts=facts_of(small, pins=pins)),
        judged({"T1": [FULL]}, small, facts=facts_of(small, closed=False)),
        judged({}, facts=facts_of(registration(), pins=pins)),
        judged(hole),
        judged({"T1": dead(FULL), "T2": dead(FULL)}, three),
        judged({"T1": [NOTHING, NOTHING, replace(NOTHING, online=False)]}),
        judged(arms([PLACED, NOTHING, NOTHING], [PLACED] * 3), registration(gate=one)),
        judged(arms([PLACED], [PLACED]), registration(1, 3, one)),
    )
    for verdict in verdicts:
        assert not _ONE.findall(everything_said(verdict)), everything_said(verdict)


def test_a_receipt_is_told_in_words() -> None:
    wrong = replace(Row(BUILT, HOARD), baseline_wood="oak_log", written={"primary": None})
    found = judged({"T1": told(wrong)})
    said = [d.text for d in found.disclosures if d.code == "derived_differs"]
    text = (
        "T1: the row says primary is unknown, its counters say yes, in the first of 3 rows; the "
        "counters decide"
    )
    assert text in said


def test_none_is_said_to_have_reached_primary_where_none_did() -> None:
    found = judged(arms([MINED] * 3, [NOTHING] * 3))
    assert (
        "same units FAIL (no live unit is known to have reached PRIMARY, 2 asked)"
        in (found.reasons[0])
    )


@pytest.mark.parametrize(("number", "said"), [(0, "0 units"), (1, "1 unit"), (2, "2 units")])
def test_numbers_of_things(number: int, said: str) -> None:
    assert counted(number, "unit") == said
    assert out_of(1, number, "unit") == f"1 of {said}"
    assert times(number) == ("once" if number == 1 else f"{number} times")
