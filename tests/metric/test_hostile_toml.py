"""TOML that is made to crash or to hang a reader ends in a ConfigError, soon and in one line."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from metric.texts import VALID, changed

from plateau_tui.metric.registration import parse_registration
from plateau_tui.metric.tables import ConfigError, Problems, parse_toml, shown
from plateau_tui.resources import game_ids


def refused(text: bytes) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse_registration(text, game_ids())
    return caught.value


DEEP = 50_000
BOMBS = {
    "nested lists": b"x = " + b"[" * DEEP,
    "nested lists, closed": b"x = " + b"[" * 400 + b"]" * 400,
    "nested tables": b"x = " + b"{a=" * DEEP,
    "a key of 100,000 parts": b"a" + b".a" * 100_000 + b" = 1",
    "a quoted key of 40,000 parts": b'"a"' + b" . 'b'" * 40_000 + b" = 1",
    "escapes in a key of many parts": rb'"\""' + rb' . "\""' * 30_000 + b" = 1",
    "a table name of 100,000 parts": b"[a" + b".a" * 100_000 + b"]",
    "an array's name of 100,000 parts": b"[[a" + b".a" * 100_000 + b"]]",
    "a deep value of the right key": b"[gate]\nk_primary" + b".a" * 30 + b" = 1",
    "a number of 5,000 digits": b"[window]\ncycles = " + b"9" * 5000,
    "a hex number of 5,000 digits": b"[window]\ncycles = 0x" + b"f" * 5000,
    "a float of 5,000 digits": b"[window]\ninterval_s = " + b"9" * 5000 + b".0",
    "a megabyte of text": b'variable = "' + b"x" * 1_000_000 + b'"',
    "a key of 200,000 characters": b"k" * 200_000 + b" = 1",
    "a schema of 200,000 characters": b'schema = "' + b"s" * 200_000 + b'"',
    "a megabyte of quotes": b"x = " + b'"' * 200_001,
    "a megabyte of blanks": b"a" + b" " * 200_000 + b".",
    "NULs": b"\0" * 512,
    "half a character": b'variable = "\xc2',
    "Latin-1": b'variable = "\xa7"',
    "a byte order mark": b"\xef\xbb\xbf" + VALID.encode(),
    "a lone surrogate": b'variable = "\\ud800"',
    "a date that is none": b"variable = 2026-13-45",
    "a time zone that is none": b"variable = 2026-01-01T00:00:00+99:99",
    "a table twice": b"[gate]\n[gate]",
    "a key twice": b"a = 1\na = 2",
    "nothing": b"",
    "arms that are a table": b"[arms]\nrole = 1",
    "arms that are numbers": b"arms = [1, 2]",
    "a window that is a list": b"window = []",
}


@pytest.mark.timeout(10)
@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_is_refused_at_once_in_one_short_line(text: bytes) -> None:
    error = refused(text)
    assert error.problems
    for problem in error.problems:
        assert "\n" not in problem
        assert problem.isprintable()
        assert len(problem) < 700


def test_control_characters_of_the_file_do_not_reach_the_message() -> None:
    text = changed('wood = "baseline_only"', 'wood = "\\u001b[2J\\nall_logs"')
    text += '\n["\\u001b]0;owned\\u0007"]\n'
    for problem in refused(text.encode()).problems:
        assert problem.isprintable()


@pytest.mark.timeout(60)
@given(st.binary(max_size=200))
@example(b"x = 1979-05-27T07:32:00-99:00")
def test_no_bytes_crash_the_parser(text: bytes) -> None:
    try:
        parse_toml(text, "x.toml")
    except ConfigError:
        return


values = st.recursive(
    st.sampled_from(
        ["1", "-1", "true", "nan", "inf", '""', '"a"', "1.5", "2026-01-01", "07:32:00", "0xff",
         '"\\u0000"', "9" * 40]
    ),
    lambda inner: st.lists(inner, max_size=2).map(lambda items: f"[{', '.join(items)}]")
    | inner.map(lambda item: f"{{a = {item}}}"),
    max_leaves=4,
)  # fmt: skip
LINES = VALID.splitlines()
KEYED = [n for n, line in enumerate(LINES) if " = " in line]


@given(st.sampled_from(KEYED), values)
def test_no_value_of_any_key_crashes_the_validation(number: int, value: str) -> None:
    key = LINES[number].split(" = ")[0]
    text = "\n".join([*LINES[:number], f"{key} = {value}", *LINES[number + 1 :]])
    told: tuple[str, ...] = ()
    try:
        parse_registration(text.encode(), game_ids())
    except ConfigError as error:
        told = error.problems
    assert all(problem.isprintable() for problem in told)


def test_a_long_prose_with_dots_is_no_bomb() -> None:
    prose = "Words. More words, e.g. 1.2.3.4.5 and a.b.c. " * 200
    parse_registration(
        changed('"novelty_gain: 0.5 in treatment, 0.0 in control"', f'"{prose}"').encode(),
        game_ids(),
    )


@given(st.text(max_size=30), st.integers(1, 20))
def test_shown_text_is_printable_and_short(text: str, limit: int) -> None:
    found = shown(text, limit)
    assert found.isprintable()
    assert len(found) <= limit
    if text.isprintable() and len(text) <= limit:
        assert found == text


def test_problems_name_path_and_text() -> None:
    problems = Problems("x.toml")
    problems.add("a\n.b", "is\x1bwrong")
    assert problems.found == ["a\\n.b: is\\x1bwrong"]
