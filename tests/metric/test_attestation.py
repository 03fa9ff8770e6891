"""An attestation answers what it answers, and nothing is made up for it."""

import pytest

from plateau_tui.metric.attestation import Attestation, parse_attestation
from plateau_tui.metric.tables import ConfigError

FULL = b"""\
adjudicator = "K. T."
[attribution]
single_variable = true
other_differences = ["the host was changed in cycle 3"]
[classification]
case = "b"
evidence = "brain probe: no factor for placing"
"""


def problems(text: bytes) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        parse_attestation(text)
    assert caught.value.source == "attestation.toml"
    return caught.value.problems


def test_all_answers_are_read() -> None:
    assert parse_attestation(FULL) == Attestation(
        "K. T.",
        single_variable=True,
        other_differences=("the host was changed in cycle 3",),
        case="b",
        evidence="brain probe: no factor for placing",
    )


@pytest.mark.parametrize("text", [b"", b"# nothing\n", b'adjudicator = ""\n'])
def test_nothing_answered_is_nothing(text: bytes) -> None:
    assert parse_attestation(text) == Attestation("", None, (), None, "")


def test_one_question_may_be_answered_alone() -> None:
    answers = parse_attestation(b'adjudicator = "x"\n[attribution]\nsingle_variable = false\n')
    assert answers == Attestation("x", single_variable=False)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"[attribution]\nsingle_variable = true\n", "adjudicator: is missing"),
        (b'adjudicator = " "\n[attribution]\nsingle_variable = true\n', "adjudicator: must not"),
        (b'adjudicator = "x"\n[attribution]\nsingle_variable = "yes"\n', "must be true or false"),
        (b'adjudicator = "x"\n[attribution]\nsingle_variable = 1\n', "must be true or false"),
        (b'adjudicator = "x"\n[attribution]\nother_differences = "a"\n', "a list of texts"),
        (b'adjudicator = "x"\n[attribution]\nother_differences = [" "]\n', "says in words"),
        (
            b'adjudicator = "x"\n[classification]\ncase = "c"\nevidence = "e"\n',
            "is not one of a, b",
        ),
        (b'adjudicator = "x"\n[classification]\ncase = "a"\n', "evidence: is missing"),
        (b'adjudicator = "x"\n[classification]\ncase = "a"\nevidence = " "\n', "must not be empty"),
        (b'adjudicator = "x"\n[classification]\ncase = "a"\nevidence = "."\n', "no letter and no"),
        (
            'adjudicator = "x"\n[classification]\ncase = "a"\nevidence = "\u200b\u3164"\n'.encode(),
            "no letter and no digit",
        ),
        (b'adjudicator = "x"\n[classification]\nevidence = "e"\n', "case: is missing"),
        (b'adjudicator = "x"\n[classification]\ncases = "a"\n', "the nearest is 'case'"),
        (b'adjudicator = "x"\nverdict = "PASS"\n', "verdict: unknown key"),
        (b"adjudicator = \n", "is not valid TOML"),
        (b"\xff", "is not UTF-8"),
    ],
)
def test_what_cannot_be_an_answer_is_named(text: bytes, told: str) -> None:
    assert any(told in problem for problem in problems(text))


def test_every_problem_is_named_at_once() -> None:
    text = b'[attribution]\nsingle_variable = "x"\n[classification]\ncase = "z"\n'
    assert len(problems(text)) == 4
