"""Who is online, read from vanilla's ``list`` or from what a plugin puts in its place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from plateau_tui.metric.tables import shown
from plateau_tui.server.classify import COUNT, REPLACED, garbled, holds_known_reply, plain, refusal

VANILLA_LIST: Final = re.compile(
    rf"There are ({COUNT}) of a max (?:of )?{COUNT} players online: ?([^\n§\ufffd]*)\n?"
)
"""The game's own answer (1.13 on), and nothing around it."""

_HEAD: Final = re.compile(
    r"\s*(?:\[[^\]\n]{1,32}\]:? ?)?"
    r"There (?:are|is) (?P<head>[^:\n]*?"
    r"\b(?:players? online|online players?|online|players?)\b)[^:.\n]*(?:[:.\n]|\Z)"
)
_LABEL: Final = re.compile(r"^[^:,\n]*: ?", re.MULTILINE)
_NUMBER: Final = re.compile(rf"\bno\b|\b{COUNT}\b")
_ENTRY_SHOWN: Final = 40
_WORD: Final = re.compile(r"[A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Roster:
    """Who of the run's units ``list`` shows.

    ``announced`` is the number of players the server says it shows; ``note`` is empty or says,
    in one line, why the list may not be the whole truth; ``others`` are the entries that name no
    unit, as the server writes them and for a person alone: a plugin's group may stand in them.
    """

    online: frozenset[str]
    announced: int | None
    note: str
    others: tuple[str, ...] = ()


def parse_online(raw: str, units: Sequence[str]) -> Roster:
    """Return which of ``units`` a reply to ``list`` names, as whole words in the same case.

    Plugins colour, group and prefix names (``[AFK]UNI-1``), and hide players; so the run's own
    units are looked for, nothing else is read out of the text.

    Raises:
        ReplyError: the text is no list of players; as ``classify``.

    """
    text = plain(raw)
    head = _HEAD.match(text)
    body = text[head.end() :] if head else ""
    number = _NUMBER.search(head["head"]) if head else None
    if head is None or number is None:
        raise refusal(raw)
    if holds_known_reply(text[head.start("head") :]):
        # Glued to another answer, the last name may have grown a tail and look absent.
        raise garbled(raw)
    announced = 0 if number[0] == "no" else int(number[0])
    names = _LABEL.sub("", body)
    words = set(_WORD.findall(names))
    online = frozenset(units) & words
    entries = [entry for entry in re.split(r"[,\n]", names) if _WORD.search(entry)]
    others = [entry for entry in entries if not online & set(_WORD.findall(entry))]
    return Roster(
        online,
        announced,
        _note(raw, units, words, announced, len(entries)),
        tuple(shown(entry.strip(), _ENTRY_SHOWN) for entry in others),
    )


def _note(raw: str, units: Sequence[str], words: set[str], announced: int, entries: int) -> str:
    notes: list[str] = []
    if announced != entries:
        notes.append(f"list announces {announced} players and names {entries}")
    exact = set(units)
    folded = {unit.casefold(): unit for unit in units}
    notes.extend(
        f"list names {word}, the roster has {folded[word.casefold()]}: the case differs"
        for word in sorted(words - exact)
        if word.casefold() in folded
    )
    if REPLACED in raw:
        notes.append("list came with undecodable bytes")
    return "; ".join(notes)
