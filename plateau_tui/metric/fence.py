"""The claim fence (seed §0): binding, byte for byte, in every artefact built on the metric."""

import re
from itertools import product
from typing import Final

CLAIM_FENCE: Final = (
    "Everything this metric measures — blocks placed/used, distinct block types mined, "
    "curriculum phase, inventory snapshots, action-habit entropy, Dirichlet count growth, the"
    " novelty term W — is an operational behavioural / organisational quantity. Per "
    "docs/LAB_PROTOCOL.md:35-36 and docs/UNI_MISSION_DEEPENING.md:99-103, these are "
    "necessary-not-sufficient substrates with ZERO evidential weight for awareness / "
    "consciousness / life on their own. A PASS on this metric demonstrates the named "
    "behaviour — the agent left the hoard attractor and entered the build/diversify chain — "
    'and never experience, intent, want, curiosity-as-feeling, or "drive" in any felt sense. '
    "No field defined below is a sensation. action_entropy, W, novelty_gain, and any "
    "γ/precision float are mechanism telemetry, not inner states, and must never be narrated "
    "as such in any report, caption, or stream overlay built from this metric. We carry the "
    "receipts so that the warranted behavioural claim and the unwarranted experiential claim "
    "stay visibly separated."
)
"""Stands in verdict.json, verdict.md, the journal's first event, plots' descriptions and the
demo's summary."""

CLAIM_FENCE_SHORT: Final = (
    "Behaviour only. Zero evidential weight for awareness, consciousness or life."
)
"""The fence in short, for every screen; the full text is one key or flag away."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FELT: Final = _words(
    "awareness self-aware conscious consciously consciousness sentient sentience qualia "
    "feel feels feeling feelings felt emotion emotions emotional sensation sensations "
    "desire desires desired desiring craves craving yearns longing curiosity-as-feeling"
)
"""Words that tell of a felt state wherever they stand."""

_OF_A_PERSON: Final = _words("want wants wanted wanting intend intends intending")
"""Told of an operator they are plain speech; told of anything else they narrate."""

_OF_A_BODY: Final = _words(
    "aware curious happy sad bored afraid scared frustrated excited lonely angry proud enjoys "
    "likes hopes dreams"
)
"""Plain speech, unless told of a player or an arm."""

_OWNED: Final = _words(
    "drive drives intent intents intention intentions experience experiences curiosity motivation "
    "motivations boredom joy fear pain pleasure wish wishes mind"
)
"""Plain words, units and an arm's label, unless somebody is said to have them."""

_PEOPLE: Final = _words(
    "i we you who operator operators admin admins adjudicator lab team people anyone nobody "
    "our my your"
)
_BODIES: Final = _words(
    "it they he she uni unis unit units player players agent agents body bodies bot bots arm arms "
    "colony brain treatment control hoarder hoarders builder builders"
)
_OWNERS: Final = _words(
    "its their his her inner internal felt intrinsic exploratory epistemic "
    "show shows showed has have had demonstrates demonstrated reveals proves suggests indicates"
)
_OWNING: Final = frozenset(
    {*product(("out", "sense", "full", "evidence", "sign", "signs", "proof"), ("of",))}
    | {*product(("driven", "motivated", "moved", "led"), ("by",))}
)
_FILLERS: Final = _words("a an the some any real true genuine clear strong innate own")
_INNER: Final = _words("life state states")
_WORD: Final = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_REACH: Final = 3


def felt_state_words(text: str) -> tuple[str, ...]:
    """Return the words with which a text narrates telemetry as felt states (§0), in lower case.

    It is a hint for a gentle warning, not a judgement: "curiosity" as an arm's name, an operator
    who wants something and experience points pass; "its curiosity" and "UNI-10-1 wants" do not.
    The fence itself may be quoted.
    """
    for quoted in (CLAIM_FENCE, CLAIM_FENCE_SHORT):
        text = text.replace(quoted, " ")
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    found = (
        word
        for at, word in enumerate(words)
        if _is_felt(word, words[max(at - _REACH, 0) : at], words[at + 1 : at + 2])
    )
    return tuple(dict.fromkeys(found))


def _is_felt(word: str, before: list[str], after: list[str]) -> bool:
    if word in _FELT:
        return True
    if word in _OF_A_PERSON:
        return not _PEOPLE.intersection(before)
    if word in _OF_A_BODY:
        return any(_is_body(other) for other in before)
    last = next((other for other in reversed(before) if other not in _FILLERS), "")
    if word in _INNER:
        return last in {"inner", "mental"}
    if word not in _OWNED or _PEOPLE.intersection(before) or after in (["points"], ["orbs"]):
        return False
    owned = last in _OWNERS or last.endswith(("'s", "s'")) or tuple(before[-2:]) in _OWNING
    return owned or _is_body(last) or after == ["to"]


def _is_body(word: str) -> bool:
    return word in _BODIES or word.startswith("uni-")


def felt_state_warning(words: tuple[str, ...]) -> str:
    """Return the gentle warning about words that narrate telemetry as felt states."""
    return (
        f"{', '.join(words)}: such words tell of felt states, and nothing measured here is "
        "evidence of one"
    )
