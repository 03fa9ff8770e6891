from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.calibration.policies import (
    UNKNOWN_WORD,
    pinned_walk,
    sound_walks,
    trivial_policies,
)

WORDS = ("NOOP", "FIRE", "RIGHT", "LEFT")


@given(st.integers(-(2**40), 2**40), st.integers(0, 50), st.integers(1, 7))
def test_every_policy_is_as_long_as_the_reference(seed: int, length: int, count: int) -> None:
    words = tuple(f"w{n}" for n in range(count))
    policies = trivial_policies(words, length, seed)
    assert [p.name for p in policies] == [
        *(f"constant:{w}" for w in words), f"constant:{UNKNOWN_WORD}", "round-robin",
        "pseudo-random",
    ]  # fmt: skip
    assert {len(p.inputs) for p in policies} == {length}
    assert all(set(p.inputs) <= {*words, UNKNOWN_WORD} for p in policies)


def test_round_robin_takes_the_words_in_turn() -> None:
    assert trivial_policies("abc", 5, 0)[-2].inputs == ("a", "b", "c", "a", "b")


@pytest.mark.parametrize(("count", "period"), [(2, 2), (4, 4), (8, 8)])
@pytest.mark.parametrize("seed", [0, 7, 123_456])
def test_the_pinned_walk_cycles_where_the_words_are_a_power_of_two(
    count: int, period: int, seed: int
) -> None:
    walk = pinned_walk(tuple("abcdefgh"[:count]), 64, seed)
    assert walk == walk[:period] * (64 // period)
    assert sorted(walk[:period]) == sorted("abcdefgh"[:count])


def test_a_sound_walk_does_not_cycle() -> None:
    (walk,) = sound_walks(WORDS, 400, 0, 1)
    for period in range(1, 40):
        assert walk.inputs[period:] != walk.inputs[:-period]


def test_sound_walks_use_every_word_about_as_often() -> None:
    counts = Counter(word for walk in sound_walks(WORDS, 1_000, 0, 32) for word in walk.inputs)
    # 32,000 words, 8,000 expected of each, standard deviation 77: six of them on either side.
    assert all(abs(counts[word] - 8_000) < 6 * 78 for word in WORDS)


def test_walks_follow_from_the_seed_and_do_not_depend_on_how_many_are_asked_for() -> None:
    few, many = sound_walks(WORDS, 50, 3, 4), sound_walks(WORDS, 50, 3, 9)
    assert many[:4] == few
    assert len({walk.inputs for walk in many}) == 9
    assert {w.inputs for w in many}.isdisjoint(w.inputs for w in sound_walks(WORDS, 50, 4, 9))


def test_the_first_words_of_a_walk_are_kept_from_version_to_version() -> None:
    assert sound_walks("abcd", 12, 0, 1)[0].inputs == tuple("cbdbdabdaaca")
