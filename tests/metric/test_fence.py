"""A gentle warning where words narrate telemetry as felt states (seed §0)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plateau_tui.metric.fence import CLAIM_FENCE, CLAIM_FENCE_SHORT, felt_state_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("UNI-10-1 wants to build", ("wants",)),
        ("it feels bored", ("feels", "bored")),
        ("its curiosity made it mine sand", ("curiosity",)),
        ("UNI-10-2 mined sand out of curiosity", ("curiosity",)),
        ("curiosity-as-feeling shows here", ("curiosity-as-feeling",)),
        ("the agent\u2019s drive is strong", ("drive",)),
        ("a drive to explore", ("drive",)),
        ("demonstrates genuine intent", ("intent",)),
        ("the units experience joy", ("experience",)),
        ("signs of awareness", ("awareness",)),
        ("the treatment arm is aware of stone", ("aware",)),
        ("its inner state rose", ("state",)),
        ("It WANTS stone and wants sand", ("wants",)),
    ],
)
def test_felt_states_are_named(text: str, words: tuple[str, ...]) -> None:
    assert felt_state_words(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "curiosity",
        "the curiosity arm was restarted",
        "blocks placed by curiosity: 12",
        "restart of the curiosity server",
        "I want to restart it at noon",
        "the disk drive is full",
        "we experienced an outage",
        "experience points were given by an admin",
        "mind the gap at cycle 12",
        "action_entropy rose, novelty_gain stayed 0.5",
        "the window's state is open",
        "factors 1 to 9 present in the brain probe, no factor for placing",
        CLAIM_FENCE,
        CLAIM_FENCE_SHORT,
        "",
    ],
)
def test_plain_speech_names_and_the_fence_itself_pass(text: str) -> None:
    assert felt_state_words(text) == ()


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    assert all(word == word.lower() for word in felt_state_words(text))
