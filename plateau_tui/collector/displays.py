"""What is known of display names: whose they are, and how far the short form was proven."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from plateau_tui.server.replies import ObjectiveList

Pair = tuple[str, str]
"""A unit and an objective."""


@dataclass
class Displays:
    """Lives as long as its collector; a change of the server's list of objectives voids it.

    ``aliases`` are changed display names that several fresh connections agreed on. ``own`` holds
    the objectives that showed their own name in a literal answer. ``not_shown_as`` holds, for an
    objective, display names that are not its: it was unset while they showed a value.
    ``compared`` holds the pairs that were asked in both forms. ``distrusted`` are asked by the
    literal form alone.
    """

    aliases: dict[str, set[str]] = field(default_factory=dict)
    listing: ObjectiveList | None = None
    own: set[str] = field(default_factory=set)
    not_shown_as: dict[str, set[str]] = field(default_factory=dict)
    compared: set[Pair] = field(default_factory=set)
    distrusted: set[str] = field(default_factory=set)

    @classmethod
    def known_before(cls, own: Iterable[str], listing: Sequence[str] | None) -> "Displays":
        """Return what an earlier collector, or a registration, found out."""
        known = None
        if listing is not None:
            known = ObjectiveList(len(listing), tuple(listing), complete=True)
        return cls(own=set(own), listing=known)

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
        theirs, and what came may have taken the name of one that was renamed.
        """
        before, self.listing = self.listing, listing
        self.own.intersection_update(listing.displays)
        if before is None or before.displays == listing.displays:
            return False
        self.own.clear()
        self.not_shown_as.clear()
        if _is_part(before, listing) or _is_part(listing, before):
            return False
        if sorted(before.displays) == sorted(listing.displays):
            return False
        self.aliases.clear()
        self.compared.clear()
        self.distrusted.clear()
        return True

    def trusts(self, name: str) -> bool:
        """Say whether the short form may be read for an objective: its name stands there once."""
        listing = self.listing
        return (
            listing is not None
            and listing.complete
            and listing.displays.count(name) == 1
            and name not in self.distrusted
        )

    def distrust(self, name: str, proven_now: set[str]) -> None:
        """Ask this objective by the literal form from now on.

        The others have to show their own names again, but for those that did so just now.
        """
        self.distrusted.add(name)
        self.own &= proven_now
        self.not_shown_as.clear()

    def known(self, name: str) -> set[str]:
        """Return the display names under which an objective's literal answer is accepted."""
        return self.aliases.setdefault(name, {name})

    def foreign(self, name: str, shown: Iterable[str]) -> set[str]:
        """Return those of ``shown`` that might be the objective's under another name."""
        left = set(shown) - self.own - self.not_shown_as.get(name, set())
        displays = self.listing.displays if self.listing else ()
        elsewhere = {
            alias
            for other, aliases in self.aliases.items()
            for alias in aliases - {other}
            if other != name and displays.count(alias) == 1
        }
        return left - elsewhere


def _is_part(few: ObjectiveList, many: ObjectiveList) -> bool:
    """Say whether one list stands in the other, in its order."""
    left = iter(many.displays)
    return all(display in left for display in few.displays)
