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
from plateau_tui.server.errors import shown as told
from plateau_tui.server.replies import ScoreList, ScoreReading

NAMES_CHANGED: Final = "the objectives' names changed while they were read"

Form = Literal["list", "get"]

_AGREE: Final = 5
"""So many fresh connections have to agree that a listed objective shows another name."""
_AGREE_UNLISTED: Final = 3
"""The same where its own name is not in the list, so that it must show another."""
_PASSES: Final = 2
"""So often the units' lists are asked before the literal form alone is left."""


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
    literal: set[str] = field(default_factory=set)
    """The objectives whose count a literal answer gave."""
    ok: bool = False

    def from_short_form(self) -> list[str]:
        """Return the objectives whose count the short form gave."""
        return [n for n, c in self.counts.items() if c is not None and n not in self.literal]

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
    lists: dict[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    """The same as it was answered: ``shown`` is put right by what is answered later."""
    missing: set[str] = field(default_factory=set)
    answered_at: float | None = None
    over: SessionOverError | None = None
    passes: int = 0
    """How often the units' lists were begun."""
    epoch: int = 0
    """``Displays.epoch`` from before the lists were asked until the server's list behind them."""

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
        session.console.keep(self.names)
        self.displays = displays
        self._now_ms = now_ms
        self._looked_again = False
        self._refused: dict[str, str | None] = {}

    def read(self, units: Sequence[str]) -> CounterReading:
        """Read all counters, in the units' order. What could not be read is None, with a note."""
        reading = CounterReading({u: UnitCounters(dict.fromkeys(self.names)) for u in units})
        try:
            if not self.displays.has_list:
                self._look_at_objectives()
            self._read_lists(reading)
            if self.is_void(reading):  # what was asked one by one found the names changed
                self._read_lists(reading)
        except SessionOverError as over:
            reading.over = SessionOverError(over.code, self._because(over.text))
        if self.is_void(reading):
            self.withdraw(reading)
        self.settle(reading)
        return reading

    def is_void(self, reading: CounterReading) -> bool:
        """Say whether names changed since the short form was asked."""
        return self.displays.epoch != reading.epoch

    def withdraw(self, reading: CounterReading) -> None:
        """Take back all that the short form said."""
        reading.shown.clear()
        reading.epoch = self.displays.epoch
        for counters in reading.units.values():
            taken = counters.from_short_form()
            counters.counts.update(dict.fromkeys(taken))
            if taken:
                counters.note(f"{', '.join(taken)}: unknown, as {NAMES_CHANGED}")
                self.session.note("objectives_changed", NAMES_CHANGED)

    def read_anew(self, reading: CounterReading) -> None:
        """Read once more what no literal answer said, where something spoke against what was read.

        Raises:
            SessionOverError: as ``Session.ask``; what was not read by then is None.

        """
        for counters in reading.units.values():
            counters.counts.update(dict.fromkeys(counters.from_short_form()))
        self._read_lists(reading)

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

    def _read_lists(self, reading: CounterReading) -> None:
        """Read every unit's list, and what it cannot be trusted with one by one.

        The lists count where the server's list behind them is the one from before. Where it is
        not, some may have been asked before the names changed and some after: they are asked
        again, and where that goes wrong too, every counter is asked by itself.
        """
        lists: dict[str, ScoreList | ServerError] = {}
        for _ in range(_PASSES):
            reading.passes += 1
            reading.shown.clear()
            reading.epoch = self.displays.epoch
            lists = {unit: self._short_form(unit, reading) for unit in reading.units}
            self._look_at_objectives()
            if not self.is_void(reading):
                break
        else:
            reading.shown.clear()
            reading.epoch = self.displays.epoch
            lists = {}
        for unit in reading.units:
            self._fill(unit, lists.get(unit), reading)

    def _short_form(self, unit: str, reading: CounterReading) -> ScoreList | ServerError:
        counters = reading.units[unit]

        def question(console: ReadOnlyConsole, deadline: float) -> ScoreList:
            if reading.passes == 1 or counters.asked_at is None:
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
            reading.lists[unit] = scores.entries
        else:
            self.session.note(
                "incomplete_scores", f"the scores of {unit} did not add up; asked one by one"
            )
        return scores

    def _look_at_objectives(self) -> None:
        """Ask which objectives there are, for what the short form can be trusted with.

        Asked after the counters, so that one dropped in between is not taken for 0.
        """
        if not self.look_again():
            self.displays.listing = None

    def look_again(self) -> bool:
        """Ask for the server's list of objectives; False where that came to nothing.

        Raises:
            SessionOverError: as ``Session.ask``.

        """
        try:
            listing = self.session.ask(lambda console, deadline: console.objectives(deadline))
        except (ReplyError, LinkError):
            return False
        if self.displays.see(listing):
            self.session.note(
                "objectives_changed", "the server's list of objectives changed; checking again"
            )
        return True

    def _fill(
        self, unit: str, scores: ScoreList | ServerError | None, reading: CounterReading
    ) -> None:
        if isinstance(scores, LinkError):
            return
        shown = scores.entries if isinstance(scores, ScoreList) and scores.complete else None
        counters = reading.units[unit]
        for name in self.names:
            if name in counters.literal:
                continue
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
        counters.literal.add(name)
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
        reading = self._get(unit, name)
        if self.displays.expects(name, reading.display):
            return reading
        return self._agreed(unit, name, reading)

    def _agreed(self, unit: str, name: str, first: ScoreReading) -> ScoreReading:
        """Return what fresh connections agree on; the first of them showed an odd name.

        Where that does not turn out to have been another's answer, an objective that had shown its
        own name shows another: names have changed, and each has to show its own anew.
        """
        shown, was_proven, is_own = first.display, name in self.displays.proven, False
        try:
            again = self._ask_afresh(unit, name, shown)
            is_own = again.display != shown
        finally:
            if was_proven and not is_own:
                self.displays.unsettle()
        if is_own:
            return again
        if shown is not None and self._believes(unit, name, shown):
            return again
        self._refused[name] = shown
        raise self._unclear(name, shown)

    def _ask_afresh(self, unit: str, name: str, shown: str | None) -> ScoreReading:
        """Return the first answer of fresh connections that is expected, or the last odd one."""
        if self._refused.get(name) == shown:
            raise self._unclear(name, shown)  # it was not believed of another unit either
        left = _AGREE if self.displays.trusts(name) else _AGREE_UNLISTED
        while True:
            self.session.console.drop()
            again = self._get(unit, name)
            left -= 1
            if self.displays.expects(name, again.display) or (again.display == shown and not left):
                return again
            if again.display != shown:
                raise self._crossed(name, again.display)

    def _believes(self, unit: str, name: str, shown: str) -> bool:
        """Say whether an objective shows what connections agree on, as far as can be found out.

        What it contradicts may be over: then the server's list is another by now. And whoever is
        taken to show that name does not, if it has no value for this unit.
        """
        displays = self.displays
        proven, other = displays.contradicted_by(name, shown, self.names)
        if (proven or other is not None) and not self._looked_again:
            self._looked_again = True
            self.look_again()
            _, other = displays.contradicted_by(name, shown, self.names)
        if other is not None and displays.is_sole(shown) and self._is_unset(unit, other):
            displays.disown(other)
        return displays.believe(name, shown, self.names)

    def _is_unset(self, unit: str, name: str) -> bool:
        try:
            return self._get(unit, name).display is None
        except UnknownObjectiveError:
            return True
        except (ReplyError, LinkError):
            return False

    def _crossed(self, name: str, shown: str | None) -> MismatchError:
        error = MismatchError(
            f"asked for {name}, the server answered for other objectives more than once; "
            "is another RCON client busy?",
            shown or "",
        )
        self.session.note(error.code, str(error))
        return error

    def _unclear(self, name: str, shown: str | None) -> MismatchError:
        """Return the error of an answer that cannot be told from one about another objective."""
        text = (
            f"asked for {name}, the server shows the name {told(shown or '')}, which another "
            "objective may show as well: give each objective its own display name, or look for "
            "another RCON client"
        )
        self.session.note("names_unclear", text)
        return MismatchError(text, shown or "")

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
