"""The baselines of the seed, and walks of a sound generator beside them.

A policy plays without looking: it is a list of words. All policies of a calibration are as long
as the reference (fixtures, "Common rules").
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

UNKNOWN_WORD: Final = "playproof-unknown-word"
"""A word that no game knows; the published cells call it so."""

ROUND_ROBIN: Final = "round-robin"
PSEUDO_RANDOM: Final = "pseudo-random"

_MASK: Final = 0xFFFF_FFFF
_SALT: Final = 0x9E37_79B9
_FACTOR: Final = 1_664_525
_STEP: Final = 1_013_904_223


@dataclass(frozen=True, slots=True)
class Policy:
    """A named list of inputs; ``setting`` names the world, where a target has several."""

    name: str
    inputs: tuple[str, ...]
    setting: str = ""


def pinned_walk(vocabulary: Sequence[str], length: int, seed: int) -> tuple[str, ...]:
    """Return the published pseudo-random walk.

    It takes the low bits of a linear congruential generator: over four words it repeats every
    four inputs. Published cells rest on exactly this walk, so it is kept as it is.
    """
    state = (seed ^ _SALT) & _MASK
    words = []
    for _ in range(length):
        state = (state * _FACTOR + _STEP) & _MASK
        words.append(vocabulary[state % len(vocabulary)])
    return tuple(words)


def trivial_policies(vocabulary: Sequence[str], length: int, seed: int) -> tuple[Policy, ...]:
    """Return the seed's baselines: every word, an unknown word, the cycle, the pinned walk."""
    constants = [Policy(f"constant:{w}", (w,) * length) for w in (*vocabulary, UNKNOWN_WORD)]
    cycle = tuple(vocabulary[i % len(vocabulary)] for i in range(length))
    return (
        *constants,
        Policy(ROUND_ROBIN, cycle),
        Policy(PSEUDO_RANDOM, pinned_walk(vocabulary, length, seed)),
    )


def sound_walks(
    vocabulary: Sequence[str], length: int, seed: int, count: int
) -> tuple[Policy, ...]:
    """Return ``count`` walks of a sound generator, the same for the same seed.

    Each walk has its own Mersenne Twister; ``random()`` is what Python promises to keep from
    version to version, so the words are drawn from it and from nothing else.
    """
    return tuple(
        Policy(f"walk:{number}", _walk(vocabulary, length, f"walk {number} of seed {seed}"))
        for number in range(1, count + 1)
    )


def _walk(vocabulary: Sequence[str], length: int, seed: str) -> tuple[str, ...]:
    draw = random.Random(seed).random  # noqa: S311 - a reproducible walk, no secret
    return tuple(vocabulary[int(draw() * len(vocabulary))] for _ in range(length))
