"""The scoreboard of a 1.16.5 world: objectives, scores, and what the server refuses.

Server facts: an objective has no score for anybody when it is made, and counts only what
happens from then on; names are case-sensitive; scores belong to names, so a player who is
offline keeps them.
"""

import threading
from dataclasses import dataclass

from plateau_tui.sim.ids import known_ids

NAME_LIMIT = 16
"""An objective's name holds at most this many characters."""

ITEM_KINDS = ("crafted", "used", "broken", "picked_up", "dropped")
PLAIN_CRITERIA = frozenset({
    "dummy", "trigger", "deathCount", "playerKillCount", "totalKillCount",
    "health", "food", "air", "armor", "xp", "level",
})  # fmt: skip


class ScoreboardError(Exception):
    """The server refuses; the exception's text is the reply, to the letter."""


@dataclass(frozen=True, slots=True)
class Objective:
    """One objective; `display` is what replies show in brackets, whatever the name is."""

    name: str
    criterion: str
    display: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A saved scoreboard: what a crash rolls back to."""

    objectives: tuple[Objective, ...]
    scores: tuple[tuple[tuple[str, str], int], ...]


def stat_of(criterion: str) -> tuple[str, str] | None:
    """Split a statistic criterion into (kind, bare id); None when the server knows no such one.

    Server fact: both halves are `namespace.path`, and the namespace may be left out.
    """
    head, colon, tail = criterion.partition(":")
    kind, bare = head.removeprefix("minecraft."), tail.removeprefix("minecraft.")
    if not colon:
        return None
    known = known_ids()
    if kind == "mined" and bare in known.blocks:
        return kind, bare
    if kind in ITEM_KINDS and bare in known.items:
        return kind, bare
    return None


def known_criterion(criterion: str) -> bool:
    """Tell whether `objectives add` accepts the criterion; the wrong species is accepted too."""
    return criterion in PLAIN_CRITERIA or stat_of(criterion) is not None


class Scoreboard:
    """Objectives in the order of their making, and scores by (player, objective).

    Every method may be called from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._objectives: dict[str, Objective] = {}
        self._scores: dict[tuple[str, str], int] = {}
        self._by_stat: dict[tuple[str, str], list[str]] = {}

    def add(self, name: str, criterion: str, display: str | None = None) -> Objective:
        """Make an objective.

        Raises ScoreboardError with the server's text for an unknown criterion, a duplicate or a
        name over 16 characters; the server looks for them in this order.
        """
        with self._lock:
            if not known_criterion(criterion):
                raise ScoreboardError(f"Unknown criterion '{criterion}'")
            if name in self._objectives:
                raise ScoreboardError("An objective already exists by that name")
            if len(name) > NAME_LIMIT:
                raise ScoreboardError(
                    f"Objective names cannot be longer than {NAME_LIMIT} characters"
                )
            made = Objective(name, criterion, name if display is None else display)
            self._objectives[name] = made
            self._index()
            return made

    def get(self, name: str) -> Objective:
        """Return an objective; raises ScoreboardError with the server's text when there is none."""
        with self._lock:
            found = self._objectives.get(name)
        if found is None:
            raise ScoreboardError(f"Unknown scoreboard objective '{name}'")
        return found

    def objectives(self) -> tuple[Objective, ...]:
        """Return all objectives in the order of their making."""
        with self._lock:
            return tuple(self._objectives.values())

    def remove(self, name: str) -> Objective:
        """Remove an objective with all its scores; raises ScoreboardError when there is none."""
        with self._lock:
            gone = self.get(name)
            del self._objectives[name]
            self._scores = {k: v for k, v in self._scores.items() if k[1] != name}
            self._index()
            return gone

    def rename_display(self, name: str, display: str) -> None:
        """Change the text shown in brackets; raises ScoreboardError when there is no such one."""
        with self._lock:
            old = self.get(name)
            self._objectives[name] = Objective(name, old.criterion, display)

    def recreate(self, name: str, criterion: str | None = None) -> None:
        """Remove and make again, as a careless admin does: every score of it is lost."""
        with self._lock:
            old = self.remove(name)
            self.add(name, criterion or old.criterion, old.display)

    def set_score(self, player: str, name: str, value: int) -> None:
        """Set one score, negative ones included; raises ScoreboardError without the objective."""
        with self._lock:
            self.get(name)
            self._scores[player, name] = value

    def reset(self, player: str, name: str | None = None) -> None:
        """Forget one score of a player, or all of them: "none is set" again."""
        with self._lock:
            self._scores = {
                key: value
                for key, value in self._scores.items()
                if key[0] != player or name not in {None, key[1]}
            }

    def score(self, player: str, name: str) -> int | None:
        """Return a score, or None where none is set."""
        with self._lock:
            return self._scores.get((player, name))

    def scores_of(self, player: str) -> dict[str, int]:
        """Return a player's scores by objective name, in the order of the objectives."""
        with self._lock:
            pairs = ((name, self._scores.get((player, name))) for name in self._objectives)
            return {name: value for name, value in pairs if value is not None}

    def tracked(self) -> tuple[str, ...]:
        """Return the names that have any score, in the order in which they got it."""
        with self._lock:
            return tuple(dict.fromkeys(player for player, _ in self._scores))

    def on_stat(self, kind: str, bare_id: str, player: str, amount: int) -> None:
        """Count an event ("mined", "used", "crafted" …) in every objective that watches it."""
        with self._lock:
            for name in self._by_stat.get((kind, bare_id), ()):
                key = player, name
                self._scores[key] = self._scores.get(key, 0) + amount

    def snapshot(self) -> Snapshot:
        """Return what the world's save would hold now."""
        with self._lock:
            return Snapshot(tuple(self._objectives.values()), tuple(self._scores.items()))

    def restore(self, saved: Snapshot) -> None:
        """Go back to a save: objectives and scores made since are gone, as after a crash."""
        with self._lock:
            self._objectives = {each.name: each for each in saved.objectives}
            self._scores = dict(saved.scores)
            self._index()

    def _index(self) -> None:
        self._by_stat = {}
        for each in self._objectives.values():
            stat = stat_of(each.criterion)
            if stat is not None:
                self._by_stat.setdefault(stat, []).append(each.name)
