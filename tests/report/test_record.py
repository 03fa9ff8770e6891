"""The record, and where two records differ first."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report.cases import ANSWERS, closed_run

from plateau_tui.metric.attestation import Attestation, parse_attestation
from plateau_tui.report.difference import first_difference, text_difference
from plateau_tui.report.gather import judge
from plateau_tui.report.questions import (
    SR_2,
    SR_2_A,
    SR_2_B,
    SR_2_EVIDENCE,
    SR_4,
    open_questions,
    skeleton,
)
from plateau_tui.report.record import as_json, encode_record, record
from plateau_tui.report.words import signed

SEED = Path(__file__).parents[3] / "shared" / "seeds" / "plateau_break_metric.txt"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=8,
)


@given(JSON)
def test_a_value_does_not_differ_from_itself(value: object) -> None:
    assert first_difference(value, value) is None


@given(JSON, JSON)
def test_what_differs_is_named(one: object, other: object) -> None:
    found = first_difference(one, other)
    encoded = [msgspec.json.encode(value, order="sorted") for value in (one, other)]
    assert (found is None) == (encoded[0] == encoded[1])


@pytest.mark.parametrize(
    ("written", "derived", "told"),
    [
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "a.b[1] is 2, re-derived 3"),
        ({"a": 1}, {"a": 1, "b": None}, "b is absent, re-derived null"),
        ({"a": 1, "c": 2}, {"a": 1}, "c is 2, re-derived absent"),
        ([1], [1, 2], "[1] is absent, re-derived 2"),
        ({"a": True}, {"a": 1}, "a is true, re-derived 1"),
        ({"a": 1}, {"a": True}, "a is 1, re-derived true"),
        ({"a": 0.5}, {"a": 0.5000001}, "a is 0.5, re-derived 0.5000001"),
        ("x", {}, 'the record is "x", re-derived {}'),
    ],
)
def test_the_first_difference_has_its_path_and_both_values(
    written: object, derived: object, told: str
) -> None:
    assert str(first_difference(written, derived)) == told


def test_the_last_bits_of_a_number_are_no_difference() -> None:
    assert first_difference({"a": 0.123456789}, {"a": 0.123456790}) is None
    assert first_difference({"a": 1.0}, {"a": 1}) is None


def test_a_difference_of_texts_is_bounded() -> None:
    lines = list(text_difference("a\n" * 5000, "b\n" * 5000))
    assert len(lines) == 401
    assert lines[-1] == "(and more)"


def test_the_record_is_json_through_and_through(tmp_path: Path) -> None:
    judged = judge(closed_run(tmp_path / "run"), ANSWERS)
    data = encode_record(record(judged))
    assert data.endswith(b"}\n")
    assert msgspec.json.decode(data) == as_json(record(judged))
    assert b"NaN" not in data


@pytest.mark.parametrize(
    ("value", "margin", "told"),
    [
        (0.0, 0.0, "0"),
        (1.0, 0.0, "+1.0000"),
        (-0.41519, 0.0, "-0.4152"),
        (0.00001, 0.0, "+0.0000100"),
        (0.200004, 0.2, "+0.2000040"),
        (0.2, 0.2, "+0.2000"),
    ],
)
def test_a_limit_is_told_from_its_margin(value: float, margin: float, told: str) -> None:
    assert signed(value, margin) == told


@pytest.mark.skipif(not SEED.exists(), reason="the seed is not here: its words are not compared")
@pytest.mark.parametrize("words", [SR_4, SR_2, SR_2_A, SR_2_B, SR_2_EVIDENCE])
def test_the_questions_are_in_the_seeds_words(words: str) -> None:
    seed = " ".join(SEED.read_text(encoding="utf-8").split())
    assert words in seed or words.replace("(a) ", "").replace("(b) ", "") in seed


def test_what_is_answered_is_not_asked_again(tmp_path: Path) -> None:
    run = closed_run(tmp_path / "run")
    verdict, gate = judge(run).verdict, judge(run).registration
    assert open_questions(verdict, Attestation()) == ("SR-4", "SR-2")
    half = b'adjudicator = "a \\"b\\" \\u007f"\n[attribution]\nsingle_variable = true\n'
    judged = judge(run, half)
    assert open_questions(judged.verdict, judged.case.attestation) == ("SR-2",)
    text = "\n".join(skeleton(judged.verdict, gate, judged.case.attestation))
    again = parse_attestation(text.encode())
    assert (again.adjudicator, again.single_variable) == ('a "b" \x7f', True)
    whole = judge(run, ANSWERS)
    assert skeleton(whole.verdict, gate, whole.case.attestation) == []
