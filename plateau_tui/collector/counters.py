"""Reading every counter of every unit, by the short form where it can be trusted.

``scoreboard players list`` brings all of a unit's scores in one command, under their display
names. A name counts as ours only when it stands exactly once among the server's objectives; for
any other objective each unit is asked by ``scoreboard players get``, the seed's literal form.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from plateau_tui.collector.displays import Displays
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
from plateau_tui.server.replies import ScoreList, ScoreReading

Form = Literal["list", "get"]

_AGREE: Final = 5
"""So many fresh connections have to agree that a listed objective shows another name."""
_AGREE_UNLISTED: Final = 3
"""The same where its own name is not in the list, so that it must show another."""


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
class CounterReading:
    """All units' counters of one cycle, and the objectives that the server does not know.

    ``over`` is set where the session ended before everything was asked.
    """

    units: dict[str, UnitCounters]
    shown: dict[str, dict[str, int]] = field(default_factory=dict)
    """Unit -> display name -> value, of those whose short form was whole."""
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
        self.session = session
        self.names = [o.name for o in objectives]
        self.displays = displays
        self._now_ms = now_ms

    def read(self, units: Sequence[str]) -> CounterReading:
        """Read all counters, in the units' order. What could not be read is None, with a note."""
        reading = CounterReading({u: UnitCounters(dict.fromkeys(self.names)) for u in units})
        try:
            lists = {unit: self._short_form(unit, reading) for unit in units}
            self._look_at_objectives()
            for unit in units:
                self._fill(unit, lists[unit], reading)
        except SessionOverError as over:
            reading.over = SessionOverError(over.code, self._because(over.text))
        self.settle(reading)
        return reading

    def _because(self, text: str) -> str:
        """Return why the session ended, with the first fault that it met before."""
        fault = next(iter(self.session.faults.values()), None)
        return text if fault is None else f"{text}; before that: {fault.text}"

    @staticmethod
    def settle(reading: CounterReading) -> None:
        """Say what follows from the counts as they are now; to be called after every change."""
        for counters in reading.units.values():
            _settle(counters, reading.over)

    # -- the short form ---------------------------------------------------------------------

    def _short_form(self, unit: str, reading: CounterReading) -> ScoreList | ServerError:
        counters = reading.units[unit]

        def question(console: ReadOnlyConsole, deadline: float) -> ScoreList:
            counters.asked_at, counters.asked_ms = time.monotonic(), self._now_ms()
            return console.scores(unit, deadline)

        try:
            scores = self.session.ask(question)
        except (ReplyError, LinkError) as error:
            counters.note(str(error))
            return error
        reading.answered_at = time.monotonic()
        if scores.complete:
            reading.shown[unit] = dict(scores.entries)
        else:
            self.session.note(
                "incomplete_scores", f"the scores of {unit} did not add up; asked one by one"
            )
        return scores

    def _look_at_objectives(self) -> None:
        """Ask which objectives there are, for what the short form can be trusted with.

        Asked after the counters, so that one dropped in between is not taken for 0.
        """
        try:
            listing = self.session.ask(lambda console, deadline: console.objectives(deadline))
        except (ReplyError, LinkError):
            self.displays.listing = None
            return
        if self.displays.see(listing):
            self.session.note(
                "objectives_changed", "the server's list of objectives changed; checking again"
            )

    def _fill(self, unit: str, scores: ScoreList | ServerError, reading: CounterReading) -> None:
        if isinstance(scores, LinkError):
            return
        shown = scores.entries if isinstance(scores, ScoreList) and scores.complete else None
        counters = reading.units[unit]
        for name in self.names:
            values = [] if shown is None else [n for display, n in shown if display == name]
            if shown is not None and self.displays.trusts(name) and len(values) <= 1:
                counters.counts[name] = values[0] if values else 0
                counters.form = counters.form or "list"
            else:
                counters.counts[name] = self.literal(unit, name, reading)
                counters.form = "get"

    # -- the literal form -------------------------------------------------------------------

    def literal(self, unit: str, name: str, reading: CounterReading) -> int | None:
        """Return one counter by the literal form, None with a note where there is none.

        Raises:
            SessionOverError: as ``Session.ask``.

        """
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
        to somebody else's question: it counts once fresh connections agree on it, and what else
        is known does not speak against it (``Displays.believe``).

        Raises:
            SessionOverError, ReplyError, LinkError: as ``Session.ask``.

        """
        return self.literal_answer(unit, name).value or 0

    def literal_answer(self, unit: str, name: str) -> ScoreReading:
        """Return the answer to ``scoreboard players get``; as ``ask_literal``."""
        displays = self.displays
        first = again = self._get(unit, name)
        if displays.expects(name, first.display):
            return first
        shown = first.display
        for _ in range(_AGREE if displays.trusts(name) else _AGREE_UNLISTED):
            self.session.console.drop()
            again = self._get(unit, name)
            if displays.expects(name, again.display):
                return again
            if again.display != shown:
                break
            first = again
        else:
            if shown is not None and displays.believe(name, shown, self.names):
                return first
        raise MismatchError(
            f"asked for {name}, the server answered for other objectives more than once; "
            "is another RCON client busy?",
            again.display or "",
        )

    def _get(self, unit: str, name: str) -> ScoreReading:
        return self.session.ask(lambda console, deadline: console.score(unit, name, deadline))


def _settle(counters: UnitCounters, over: SessionOverError | None) -> None:
    for name, count in counters.counts.items():
        if count is not None and count < 0:
            counters.counts[name] = None
            counters.note(f"{name} stood at {count}: somebody edited it")
    counters.ok = None not in counters.counts.values()
    if not counters.ok and over is not None:
        counters.note(f"not read: {over.text}")
    if all(count is None for count in counters.counts.values()):
        counters.asked_at = counters.asked_ms = counters.form = None
