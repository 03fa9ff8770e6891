"""Who is online, read from vanilla's ``list`` or from what a plugin puts in its place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.metric.tables import shown
from plateau_tui.server.classify import COUNT, REPLACED, garbled, holds_known_reply, plain, refusal

_VANILLA: Final = rf"There are ({COUNT}) of a max (?:of )?{COUNT} players online:"
VANILLA_LIST: Final = re.compile(rf"{_VANILLA} ?([^\n§\ufffd]*)\n?")
"""The game's own answer (1.13 on), and nothing around it."""

_VANILLA_HEAD: Final = re.compile(_VANILLA)
_HEAD: Final = re.compile(
    r"\s*(?:\[[^\]\n]{1,32}\]:? ?)?"
    r"There (?:are|is) (?P<head>[^:\n]*?"
    r"\b(?:players? online|online players?|online|players?)\b)[^:.\n]*(?:[:.\n]|\Z)"
)
_LABEL: Final = re.compile(r"^[^:,\n]*: ?", re.MULTILINE)
_NUMBER: Final = re.compile(rf"\bno\b|\b{COUNT}\b")
_ENTRY_SHOWN: Final = 40
_WORD: Final = re.compile(r"[A-Za-z0-9_.-]+")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_.-]{1,16}")
"""A name as players and units have them, with nothing around it."""


@dataclass(frozen=True, slots=True)
class Roster:
    """Who of the run's units ``list`` shows.

    ``announced`` is the number of players the server says it shows; ``note`` is empty or says,
    in one line, why the list may not be the whole truth; ``others`` are the entries that name no
    unit, as the server writes them and for a person alone: a plugin's group may stand in them.
    ``unsure`` are the units that may be online though no whole word names them: something stands
    glued to a name, or the list does not name as many as it announces. ``odd`` is what of the text
    is not a plain name for each player; another client's answer behind the list looks like that,
    and so does a plugin's decoration, which comes again in the next answer.
    """

    online: frozenset[str]
    announced: int | None
    note: str
    others: tuple[str, ...] = ()
    unsure: frozenset[str] = frozenset()
    odd: frozenset[str] = field(default=frozenset(), compare=False)

    def seen(self, unit: str) -> bool | None:
        """Say whether a unit is online; None where the list does not tell."""
        if unit in self.online:
            return True
        return None if unit in self.unsure else False

    def agreed(self, again: "Roster") -> "Roster":
        """Return what this list and a second one say alike; the second where it is plain."""
        if not again.odd:
            return again
        online = self.online & again.online
        unsure = (self.online | again.online | self.unsure | again.unsure) - online
        note = again.note
        if differing := sorted(self.online ^ again.online):
            note = "; ".join(filter(None, (note, f"list differs about {', '.join(differing)}")))
        return Roster(online, again.announced, note, again.others, unsure, again.odd)


def is_like(entry: str, unit: str) -> bool:
    """Say whether an entry of ``list`` may be a unit under another spelling of its name.

    Case and the signs between letters and digits apart, a word of it is the unit's name.
    """
    bare = _bare(unit)
    return any(_bare(word) == bare for word in _WORD.findall(entry))


def _bare(name: str) -> str:
    return re.sub(r"[_.-]", "", name).casefold()


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
    # The game groups nobody: a colon in its list is another answer's.
    names = body if _VANILLA_HEAD.match(text) else _LABEL.sub("", body)
    words = set(_WORD.findall(names))
    online = frozenset(units) & words
    entries = [entry.strip() for entry in re.split(r"[,\n]", names) if _WORD.search(entry)]
    others = [entry for entry in entries if not online & set(_WORD.findall(entry))]
    amiss = announced != len(entries)
    odd = _odd(entries, units)
    hidden = frozenset(unit for unit in set(units) - online if any(unit in entry for entry in odd))
    return Roster(
        online,
        announced,
        _note(raw, units, words, announced, len(entries), hidden),
        tuple(shown(entry, _ENTRY_SHOWN) for entry in others),
        unsure=frozenset(units) - online if amiss else hidden,
        odd=odd | {f"{len(entries) - announced:+}"} if amiss else odd,
    )


def _odd(entries: Sequence[str], units: Sequence[str]) -> frozenset[str]:
    """Return the entries that hold a unit's name and something that is not of a name.

    Behind the last name another answer may go on as if it were part of it ("12", "Saved").
    """
    odd = {entry for entry in entries if not _PLAIN.fullmatch(entry)}
    if entries and entries[-1] not in units:
        odd |= {entries[-1] for unit in units if _goes_on(entries[-1], unit)}
    return frozenset(entry for entry in odd if any(unit in entry for unit in units))


def _goes_on(entry: str, unit: str) -> bool:
    return entry.startswith(unit) and entry[len(unit) :][:1] not in {"", "_"}


def _note(
    raw: str,
    units: Sequence[str],
    words: set[str],
    announced: int,
    entries: int,
    hidden: frozenset[str],
) -> str:
    notes: list[str] = []
    if announced != entries:
        notes.append(f"list announces {announced} players and names {entries}")
    if hidden:
        notes.append(f"list has something behind or before {', '.join(sorted(hidden))}")
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
