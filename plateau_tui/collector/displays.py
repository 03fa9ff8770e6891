"""What is known of display names: whose they are, and how far the short form was proven."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.server.replies import ObjectiveList

Pair = tuple[str, str]
"""A unit and an objective."""

_SETTLED: Final = 3
"""So many equal lists in a row say that nobody is at the names just now."""


@dataclass
class Displays:
    """Lives as long as its collector; a change of the server's list of objectives voids it.

    ``shown_as`` are changed display names that were believed; ``claims`` those that connections
    agreed on and that are not believed yet. ``own`` holds the objectives that showed their own
    name in a literal answer under the present list, ``proven`` those that showed what they are
    known to show, ``fresh`` those of ``own`` that did so since the list was read last, and
    ``disowned`` those whose own name is another's. ``not_shown_as`` holds, for an
    objective, display names that are not its: it was unset while they showed a value.
    ``compared`` holds the pairs that were asked in both forms. ``distrusted`` are asked by the
    literal form alone. ``epoch`` counts the lists that differed from the one before: a short form
    counts where it does not move from before the first question to the proof. ``turns`` counts
    how often names were found to have changed though the list had not.
    """

    shown_as: dict[str, str] = field(default_factory=dict)
    claims: dict[str, str] = field(default_factory=dict)
    listing: ObjectiveList | None = None
    own: set[str] = field(default_factory=set)
    proven: set[str] = field(default_factory=set)
    not_shown_as: dict[str, set[str]] = field(default_factory=dict)
    compared: set[Pair] = field(default_factory=set)
    distrusted: set[str] = field(default_factory=set)
    fresh: set[str] = field(default_factory=set)
    disowned: set[str] = field(default_factory=set)
    epoch: int = 0
    turns: int = 0
    _last: ObjectiveList | None = None
    _steady: int = 0

    @classmethod
    def known_before(cls, own: Iterable[str], listing: Sequence[str] | None) -> "Displays":
        """Return what an earlier collector, or a registration, found out."""
        known = None
        if listing is not None:
            known = ObjectiveList(len(listing), tuple(listing), complete=True)
        shown = set(own)
        steady = 0 if known is None else _SETTLED
        return cls(own=shown, proven=set(shown), listing=known, _last=known, _steady=steady)

    @property
    def has_list(self) -> bool:
        """Whether the server's list was ever read: the next one can be held against it."""
        return self._last is not None

    @property
    def settled(self) -> bool:
        """Whether the list has stood still for some time."""
        return self._steady >= _SETTLED

    @property
    def whole_listing(self) -> tuple[str, ...] | None:
        """The server's list of display names; None where it was not read whole."""
        if self.listing is None or not self.listing.complete:
            return None
        return self.listing.displays

    def see(self, listing: ObjectiveList) -> bool:
        """Take in the server's list; say whether what was known of the names is void.

        It is not where others only came or went, or where the same stand in another order. But
        any difference asks every objective to show its own name again: two may have swapped
        theirs, and what came may have taken the name of one that was renamed. So does the first
        list: of what was shown before it nothing tells that it is not over.
        """
        before, self._last, self.listing = self._last, listing, listing
        self.fresh.clear()
        self._steady += 1
        self.own.intersection_update(listing.displays)
        self.proven -= {
            name for name in self.proven if self.shown_as.get(name, name) not in listing.displays
        }
        if before is None:
            self.own.clear()
            self.proven.clear()
            return False
        if before.displays == listing.displays:
            return False
        self.epoch += 1
        self._steady = 0
        self.own.clear()
        self.proven.clear()
        self.disowned.clear()
        self.not_shown_as.clear()
        if _is_part(before, listing) or _is_part(listing, before):
            return False
        if sorted(before.displays) == sorted(listing.displays):
            return False
        self.shown_as.clear()
        self.claims.clear()
        self.compared.clear()
        self.distrusted.clear()
        return True

    def trusts(self, name: str) -> bool:
        """Say whether the short form may be read for an objective: its name stands there once."""
        return (
            self.is_sole(name)
            and self.shown_as.get(name, name) == name
            and name not in self.distrusted
        )

    def is_sole(self, shown: str) -> bool:
        """Say whether a display name stands in the server's list exactly once."""
        listing = self.whole_listing
        return listing is not None and listing.count(shown) == 1

    def distrust(self, name: str, proven_now: set[str]) -> None:
        """Ask this objective by the literal form from now on.

        The others have to show their own names again, but for those that did so just now.
        """
        self.distrusted.add(name)
        self.own &= proven_now
        self.fresh &= self.own
        self.not_shown_as.clear()

    def unsettle(self, proven_now: Iterable[str] = ()) -> None:
        """Take in that names have changed under an equal list: a server may sort it by them.

        That an objective shows its own name holds no more, but for ``proven_now``. What it was
        known to show still speaks against another client's answers (``believe``).
        """
        self.turns += 1
        self._steady = 0
        self.own.intersection_update(proven_now)
        self.fresh &= self.own
        self.not_shown_as.clear()

    def expects(self, name: str, shown: str | None) -> bool:
        """Say whether a literal answer shows what the objective is known to show.

        None, an unset score, names the objective itself. A name that no objective has by the
        server's list is nobody's.
        """
        if shown is None:
            return True
        listing = self.whole_listing
        if shown != self.shown_as.get(name, name) or (listing and shown not in listing):
            return False
        if self._is_proven_of_another(name, shown):
            return False
        self.claims.pop(name, None)
        self._prove(name, shown)
        return True

    def _is_proven_of_another(self, name: str, shown: str) -> bool:
        if not self.is_sole(shown):
            return False
        return any(self.shown_as.get(other) == shown for other in self.proven - {name})

    def _prove(self, name: str, shown: str) -> None:
        self.proven.add(name)
        self.disowned.discard(name)
        if shown == name and name not in self.own:
            self.own.add(name)
            self.fresh.add(name)

    def disown(self, name: str) -> None:
        """Take in that an objective's own name is another's: unset, it showed a value."""
        self.disowned.add(name)
        self._doubt(name)

    def contradicted_by(
        self, name: str, shown: str, ours: Sequence[str]
    ) -> tuple[bool, str | None]:
        """Say what speaks against an objective's showing a name.

        That is whether it showed what it is known to show under the present list, and which
        other objective is taken to show this name.
        """
        return name in self.proven, self._who_shows(shown, name, ours)

    def believe(self, name: str, shown: str, ours: Sequence[str]) -> bool:
        """Say whether an objective shows another name than it did, as connections agree.

        However many agree, another client's answers may be what they agree on. So the name must
        be in the server's list. Where another objective of ours shows it, that one must have been
        found to show a third name in its turn; where none does, this one must not have shown
        what it was known to show under the same list. What is not believed puts both in doubt:
        their names count once they show them again.
        """
        self.claims[name] = shown
        proven = name in self.proven
        self._doubt(name)
        listing = self.whole_listing
        if listing is not None and shown not in listing:
            return False
        other = self._who_shows(shown, name, ours)
        if other is not None:
            self._doubt(other)
            if self.claims.get(other, shown) == shown:
                return False
        elif proven:
            return False
        self._accept(name, ours)
        return True

    def _accept(self, name: str, ours: Sequence[str]) -> None:
        """Take an objective's claim for what it shows, and that of whose name it was."""
        shown = self.claims.pop(name)
        other = self._who_shows(shown, name, ours)
        self.shown_as[name] = shown
        self._prove(name, shown)
        if other in self.claims:
            self._accept(other, ours)

    def _who_shows(self, shown: str, besides: str, ours: Sequence[str]) -> str | None:
        """Return which other objective is known to show a name."""
        for name in ours:
            taken_for = None if name in self.disowned else name
            if name != besides and self.shown_as.get(name, taken_for) == shown:
                return name
        return None

    def _doubt(self, name: str) -> None:
        self.own.discard(name)
        self.fresh.discard(name)
        self.proven.discard(name)

    def foreign(self, name: str, shown: Iterable[str]) -> set[str]:
        """Return those of ``shown`` that might be the objective's under another name."""
        left = set(shown) - self.own - self.not_shown_as.get(name, set())
        displays = self.listing.displays if self.listing else ()
        elsewhere = {
            display
            for other, display in self.shown_as.items()
            if other not in {name, display} and displays.count(display) == 1
        }
        return left - elsewhere


def _is_part(few: ObjectiveList, many: ObjectiveList) -> bool:
    """Say whether one list stands in the other, in its order."""
    left = iter(many.displays)
    return all(display in left for display in few.displays)
