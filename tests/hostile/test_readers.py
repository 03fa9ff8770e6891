"""Whatever bytes come from elsewhere: a reader keeps its promises, and nothing crashes it."""

import random

import pytest
from hostile.targets import TARGETS, Target
from hypothesis import given, settings
from hypothesis import strategies as st

PIECES = (
    b" has ", b" scores:", b"[", b"]: ", b"]", b"UNI-10-1", b"UNI-10-2", b"mine_stone", b"0",
    b"There are ", b"Found ", b" matching items on player ", b"No items were found on player ",
    b"Removed ", b"\n", b"\xc2\xa7c", b"<--[HERE]", b"Unknown ", b"-2147483649", b"@a", b"../",
    b"99999999999999999999", b"-1", b"null", b"true", b"{", b"}", b'"', b":", b",", b"[[", b"]]",
    b" = ", b"'''", b'"""', b"\\u0000", b"\\ud800", b"\x1b[2J", b"\xe2\x80\xae", b"\0", b"\xff",
    b"inf", b"1979-05-27",
)  # fmt: skip


@st.composite
def spoilt(draw: st.DrawFn, target: Target) -> bytes:
    """An example with pieces cut out, put in and changed; or pieces alone."""
    data = draw(st.sampled_from([*target.seeds, b""]))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.sampled_from([0, 0, 1, 4, 40])))
        piece = draw(st.sampled_from(PIECES) | st.binary(max_size=6) | st.just(data[at:end] * 40))
        data = data[:at] + piece + data[end:]
    return data


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_reader_keeps_its_promises(name: str, data: st.DataObject) -> None:
    target = TARGETS[name]
    target.run(data.draw(st.binary(max_size=80) | spoilt(target)))


@pytest.mark.parametrize("name", TARGETS)
def test_its_examples_are_taken(name: str) -> None:
    """A target whose examples were all refused would prove nothing."""
    for each in TARGETS[name].seeds:
        TARGETS[name].run(each)


BOMBS = {
    "a megabyte of one letter": b"x" * 1_000_000,
    "a megabyte of brackets": b"[" * 1_000_000,
    "a megabyte of closed brackets": b"[" * 500_000 + b"]" * 500_000,
    "a megabyte of objects": b'{"a":' * 200_000,
    "a megabyte of digits": b"9" * 1_000_000,
    "a megabyte of names": b"UNI-10-1, " * 100_000,
    "a megabyte of scores": b"UNI-10-1 has 2 scores:" + b"[a]: 1" * 150_000,
    "a megabyte of objectives": b"There are 2 objectives: " + b"[a], " * 200_000,
    "a megabyte of colours": b"\xc2\xa7c" * 300_000,
    "a megabyte of escapes": b"\x1b[2J" * 250_000,
    "a megabyte of half characters": b"\xc2" * 1_000_000,
    "a megabyte of NULs": b"\0" * 1_000_000,
    "a megabyte of newlines": b"\n" * 1_000_000,
    "a megabyte of quotes": b'"' * 1_000_000,
    "a megabyte of backslashes": b'"' + b"\\" * 1_000_000,
    "a megabyte of list": b"There are 2 of a max of 20 players online: " + b"a" * 1_000_000,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_costs_no_more_than_its_length(bomb: bytes) -> None:
    """Anything that grows with the square of a megabyte does not end within the time."""
    for target in TARGETS.values():
        target.run(bomb)


def test_the_fuzzers_random_bytes_are_taken_too() -> None:
    rng = random.Random(5)
    for target in TARGETS.values():
        for size in (1, 7, 300, 5000):
            target.run(rng.randbytes(size))
