"""Reading every counter of every unit, by the short form where it can be trusted.

``scoreboard players list`` brings all of a unit's scores in one command, under their display
names. A name counts as ours only when it stands exactly once among the server's objectives; for
any other objective each unit is asked by ``scoreboard players get``, the seed's literal form.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from plateau_tui.collector.session import Session, SessionOverError
from plateau_tui.metric.objectives import Objective
from plateau_tui.server.console import ReadOnlyConsole
from plateau_tui.server.errors import (
    LinkError,
    MismatchError,
    ReplyError,
    ServerError,
    UnknownObjectiveError,
)
from plateau_tui.server.replies import ObjectiveList, ScoreList

Form = Literal["list", "get"]


@dataclass
class UnitCounters:
    """One unit's counters as they were read in one cycle, by objective; None is unknown."""

    counts: dict[str, int | None]
    asked_at: float | None = None
    """When its counters were first asked: a second of ``time.monotonic()``."""
    asked_ms: int | None = None
    """The same moment, in milliseconds since 1970."""
    form: Form | None = None
    notes: list[str] = field(default_factory=list)
    ok: bool = False

    def note(self, text: str) -> None:
        """Add an anomaly in plain words, once."""
        if text not in self.notes:
            self.notes.append(text)


@dataclass
class Displays:
    """What is known of display names: whose they are, and what was proven of the short form.

    Lives as long as its collector. ``aliases`` are changed display names that two fresh
    connections agreed on. ``proven`` holds the (unit, objective) pairs whose two forms agreed
    while the server's list of objectives was ``listing``.
    """

    aliases: dict[str, set[str]] = field(default_factory=dict)
    listing: ObjectiveList | None = None
    proven: set[tuple[str, str]] = field(default_factory=set)
    distrusted: set[str] = field(default_factory=set)

    def see(self, listing: ObjectiveList) -> bool:
        """Take in the server's list; say whether it changed. A change voids every proof."""
        if listing == self.listing:
            return False
        changed = self.listing is not None
        self.listing, self.proven, self.distrusted = listing, set(), set()
        return changed


@dataclass
class CounterReading:
    """All units' counters of one cycle, and the objectives that the server does not know.

    ``over`` is set where the session ended before everything was asked.
    """

    units: dict[str, UnitCounters]
    missing: set[str] = field(default_factory=set)
    answered_at: float | None = None
    over: SessionOverError | None = None

    @property
    def span_ms(self) -> float | None:
        """First counter asked to last counter answered, in milliseconds."""
        asked = [u.asked_at for u in self.units.values() if u.asked_at is not None]
        if not asked or self.answered_at is None:
            return None
        return round((self.answered_at - min(asked)) * 1000, 3)


class CounterReader:
    """Reads the counters of units through a session."""

    def __init__(
        self,
        session: Session,
        objectives: Sequence[Objective],
        displays: Displays,
        now_ms: Callable[[], int],
    ) -> None:
        self._session = session
        self._names = [o.name for o in objectives]
        self._displays = displays
        self._now_ms = now_ms

    def read(self, units: Sequence[str]) -> CounterReading:
        """Read all counters, in the units' order. What could not be read is None, with a note."""
        reading = CounterReading({u: UnitCounters(dict.fromkeys(self._names)) for u in units})
        try:
            lists = {unit: self._short_form(unit, reading) for unit in units}
            trusted = self._trusted_names()
            for unit in units:
                self._fill(unit, lists[unit], trusted, reading)
        except SessionOverError as over:
            reading.over = over
        for counters in reading.units.values():
            self._settle(counters, reading.over)
        return reading

    def _settle(self, counters: UnitCounters, over: SessionOverError | None) -> None:
        for name, count in counters.counts.items():
            if count is not None and count < 0:
                counters.counts[name] = None
                counters.note(f"{name} stood at {count}: somebody edited it")
        counters.ok = None not in counters.counts.values()
        if not counters.ok and over is not None:
            counters.note(f"not read: {over.text}")
        if all(count is None for count in counters.counts.values()):
            counters.asked_at = counters.asked_ms = counters.form = None

    # -- the short form ---------------------------------------------------------------------

    def _short_form(self, unit: str, reading: CounterReading) -> ScoreList | ServerError:
        counters = reading.units[unit]

        def question(console: ReadOnlyConsole, deadline: float) -> ScoreList:
            counters.asked_at, counters.asked_ms = time.monotonic(), self._now_ms()
            return console.scores(unit, deadline)

        try:
            scores = self._session.ask(question)
        except (ReplyError, LinkError) as error:
            counters.note(str(error))
            return error
        reading.answered_at = time.monotonic()
        if not scores.complete:
            self._session.note(
                "incomplete_scores", f"the scores of {unit} did not add up; asked one by one"
            )
        return scores

    def _trusted_names(self) -> set[str]:
        """Return the objectives that the short form can be trusted with.

        The list is asked after the counters, so that one dropped in between is not taken for 0.
        """
        try:
            listing = self._session.ask(lambda console, deadline: console.objectives(deadline))
        except (ReplyError, LinkError):
            return set()
        if self._displays.see(listing):
            self._session.note(
                "objectives_changed", "the server's list of objectives changed; checking again"
            )
        if not listing.complete:
            return set()
        return {
            name
            for name in self._names
            if listing.displays.count(name) == 1 and name not in self._displays.distrusted
        }

    def _fill(
        self,
        unit: str,
        scores: ScoreList | ServerError,
        trusted: set[str],
        reading: CounterReading,
    ) -> None:
        if isinstance(scores, LinkError):
            return
        shown = scores.entries if isinstance(scores, ScoreList) and scores.complete else None
        counters = reading.units[unit]
        for name in self._names:
            values = [] if shown is None else [n for display, n in shown if display == name]
            if shown is not None and name in trusted and len(values) <= 1:
                counters.counts[name] = values[0] if values else 0
                counters.form = counters.form or "list"
            else:
                counters.counts[name] = self._literal(unit, name, reading)
                counters.form = "get"

    # -- the literal form -------------------------------------------------------------------

    def _literal(self, unit: str, name: str, reading: CounterReading) -> int | None:
        counters = reading.units[unit]
        try:
            value = self.ask_literal(unit, name)
        except UnknownObjectiveError:
            reading.missing.add(name)
            counters.note(f"{name}: the server does not know this objective")
            return None
        except (ReplyError, LinkError) as error:
            counters.note(f"{name}: {error}")
            return None
        finally:
            reading.answered_at = time.monotonic()
        return value

    def ask_literal(self, unit: str, name: str) -> int:
        """Return one counter by ``scoreboard players get``; "none is set" is 0.

        A reply shows the objective's display name. One that is not the name asked for may belong
        to somebody else's question: it counts once two fresh connections agree on it.

        Raises:
            SessionOverError, ReplyError, LinkError: as ``Session.ask``.

        """
        known = self._displays.aliases.setdefault(name, {name})
        first = self._session.ask(lambda console, deadline: console.score(unit, name, deadline))
        if first.display is None or first.display in known:
            return first.value or 0
        self._session.console.close()
        again = self._session.ask(lambda console, deadline: console.score(unit, name, deadline))
        if again.display == first.display and again.display is not None:
            known.add(again.display)
        elif again.display is not None and again.display not in known:
            raise MismatchError(
                f"asked for {name}, the server answered for other objectives twice; "
                "is another RCON client busy?",
                again.display,
            )
        return again.value or 0

    # -- proof that both forms agree --------------------------------------------------------

    def prove(self, reading: CounterReading) -> bool:
        """Ask by the literal form what the short form answered, where that is not yet proven.

        Where the two disagree the literal form counts, now and from now on. Returns whether
        every pair is proven; the rest is left for the next cycle.
        """
        try:
            agreed = [
                self._prove_one(unit, name, reading)
                for unit in reading.units
                for name in self._names
            ]
        except SessionOverError:
            return False
        return all(agreed)

    def _prove_one(self, unit: str, name: str, reading: CounterReading) -> bool:
        pair = (unit, name)
        if pair in self._displays.proven or name in self._displays.distrusted:
            return True
        if reading.units[unit].counts[name] is None:
            return False
        agree = self._agree(unit, name, reading)
        if agree is None:
            return False
        if not agree:
            self._displays.distrusted.add(name)
            self._replace_by_literal(name, reading)
        self._displays.proven.add(pair)
        return True

    def _agree(self, unit: str, name: str, reading: CounterReading) -> bool | None:
        before = reading.units[unit].counts[name] or 0
        try:
            literal = self.ask_literal(unit, name)
            if literal == before:
                return True
            # The counter may have moved in between: then it lies between two short readings.
            scores = self._session.ask(lambda console, deadline: console.scores(unit, deadline))
        except (ReplyError, LinkError):
            return None
        after = dict(scores.entries).get(name, 0)
        return scores.complete and before <= literal <= after

    def _replace_by_literal(self, name: str, reading: CounterReading) -> None:
        self._session.note(
            "forms_disagree",
            f"{name}: the short form and the literal form disagree; it is asked by the literal "
            "form from now on",
        )
        for unit, counters in reading.units.items():
            counters.counts[name] = self._literal(unit, name, reading)
            counters.form = "get"
            counters.note(f"{name} was read by the literal form")
