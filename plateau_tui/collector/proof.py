"""Proof that the short form says what the literal form says, where display names may lie.

``scoreboard players list`` shows display names, and an admin can give any objective any name:
two of ours may have swapped theirs, a stranger's may carry one of ours. A literal answer that
shows the objective's own name proves it. Where a literal answer shows none ("none is set"), it
proves that the names with a value are not this objective's.

A literal answer is a value in any case. What it says of the units that only the short form spoke
of holds where nothing moved in between but counters, and they upward.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from typing import Final

from plateau_tui.collector.counters import CounterReader, CounterReading
from plateau_tui.collector.displays import Pair
from plateau_tui.collector.doubts import Doubt, Doubts
from plateau_tui.collector.fallen import NOTHING_KNOWN, Known
from plateau_tui.collector.session import SessionOverError
from plateau_tui.server.errors import LinkError, ReplyError, UnknownObjectiveError
from plateau_tui.server.replies import ScoreReading

_CHEAP: Final = 0.3
"""Part of the time left that asking every objective once more may take in a routine cycle."""
_ANEW: Final = 2
"""So often everything is read anew in one cycle before the literal form alone is left."""
_UNPROVEN: Final = "unknown, as the time was over before the server showed whose value it is"


class _Found(Enum):
    """What a literal answer says of the short form."""

    AGREES = auto()
    LIES = auto()
    """The objective's name in the short form is another's."""
    DISTURBED = auto()
    """Something else than counters moved between the two."""
    UNKNOWN = auto()


class Prover:
    """Asks by the literal form what the short form answered, as far as the time goes.

    Where the two disagree the literal form counts, now and from now on.
    """

    def __init__(
        self, reader: CounterReader, reading: CounterReading, known: Known = NOTHING_KNOWN
    ) -> None:
        """Prepare for one cycle; ``known`` is what the counters stood at before."""
        self._reader = reader
        self._reading = reading
        self._known = known
        self._displays = reader.displays
        self._asked: set[Pair] = set()
        self._doubts = Doubts(reading, reader.displays, known)
        self._why: dict[Pair, str] = {}
        self._times_anew = 0

    def prove_new(self, until: float) -> None:
        """Prove what no literal answer speaks for yet; correct what was wrong.

        No question is begun after ``until``, a second of ``time.monotonic()``. Goes before the
        inventories: a counter that may be another's is worth more than a hoard.
        """
        self._run(self._doubts.of_this_cycle, until)

    def prove_all(self, until: float) -> None:
        """Ask again for what shows a value where that is cheap, and compare all pairs once.

        What nothing speaks for by then is unknown in this cycle; an asking again that came to
        nothing takes nothing back.
        """
        doubts = list(self._doubts.of_this_cycle)
        if self._reading.over is None and self._is_cheap(until):
            doubts.append(self._doubts.not_shown_now)
        self._run((*doubts, self._doubts.uncompared), until)
        self._withdraw_unproven()
        self._reader.settle(self._reading)

    def _run(self, doubts: Sequence[Doubt], until: float) -> None:
        if self._reading.over is not None:
            return
        try:
            while not (self._sweep(doubts, until) and self._list_stands(until)):
                pass
        except SessionOverError as over:
            self._reading.over = over  # what was read stands; the rest is proven in a later cycle

    def _sweep(self, doubts: Sequence[Doubt], until: float) -> bool:
        """Go through what is open; False where something turned out to lie: others may, too."""
        if self._mends(until):
            return False
        for unit, name in self._open_pairs(doubts):
            if time.monotonic() >= until:
                break
            self._asked.add((unit, name))
            turns = self._displays.turns
            found = self._compare(unit, name)
            if self._displays.turns != turns and found in {_Found.AGREES, _Found.UNKNOWN}:
                # All must show their names anew, also who did so in this cycle.
                self._asked = {pair for pair in self._asked if pair[1] == name}
                return False
            if found is _Found.AGREES:
                self._displays.compared.add((unit, name))
            elif found is _Found.LIES:
                self._disbelieve(name)
                return False
            elif found is _Found.DISTURBED:
                self._read_anew(f"{unit}: the answers about {name} do not fit", until)
                return False
        return True

    def _mends(self, until: float) -> bool:
        """Read once more what is known by now not to hold; say whether there was something."""
        if self._reader.is_void(self._reading):
            self._read_anew("the server's list of objectives changed", until)
            return True
        for name in sorted(self._short_names()):
            if not self._displays.trusts(name):  # another's answer told that it shows another name
                self._disbelieve(name)
                return True
        for unit in list(self._reading.shown):
            if self._is_refuted(unit):
                self._read_unit(unit, until)
                return True
        return False

    def _list_stands(self, until: float) -> bool:
        """Say whether the names that were shown just now are those of the lists before.

        Asked where the list moved a short time ago: whoever is at the names may go on. What is
        not asked by ``until`` stays ``fresh``.
        """
        if not self._displays.fresh & self._short_names() or self._displays.settled:
            return True
        if time.monotonic() < until:
            self._reader.look_again()
        return not self._reader.is_void(self._reading)

    def _short_names(self) -> set[str]:
        """Return the objectives of which some count is the short form's."""
        return {n for counters in self._reading.units.values() for n in counters.from_short_form()}

    def _is_cheap(self, until: float) -> bool:
        """Say whether asking for every objective that shows a value is a small matter."""
        reading, now = self._reading, time.monotonic()
        if reading.span_ms is None:
            return False
        each = reading.span_ms / 1000 / (len(reading.units) + 1)
        names = {name for shown in reading.shown.values() for name in shown}
        return each * len(names.intersection(self._reader.names)) < _CHEAP * (until - now)

    # -- what is open ------------------------------------------------------------------------

    def _open_pairs(self, doubts: Sequence[Doubt]) -> Iterator[Pair]:
        """Yield the pairs still to be asked, the most telling first; each once a cycle."""
        for doubtful in doubts:
            for unit, shown in self._reading.shown.items():
                for name in self._reader.names:
                    pair = (unit, name)
                    if (
                        pair not in self._asked
                        and self._displays.trusts(name)
                        and self._reading.units[unit].counts[name] is not None
                        and doubtful(pair, shown)
                    ):
                        yield pair

    # -- one pair ----------------------------------------------------------------------------

    def _compare(self, unit: str, name: str) -> _Found:
        """Ask for a pair by the literal form and hold it against the short form."""
        was_own = name in self._displays.own
        try:
            literal = self._reader.literal_answer(unit, name)
            found = self._judge(unit, name, literal)
        except UnknownObjectiveError:
            return _Found.LIES  # the name in the list is somebody else's
        except (ReplyError, LinkError) as error:
            self._why[unit, name] = str(error)
            found = _Found.UNKNOWN
        if self._reader.is_void(self._reading):
            self._doubts.own_now.clear()
            return _Found.DISTURBED
        if found is _Found.UNKNOWN and not was_own:
            self._displays.own.discard(name)
        return found

    def _judge(self, unit: str, name: str, literal: ScoreReading) -> _Found:
        """Say what a literal answer means for the short form; its own value is taken.

        Raises:
            SessionOverError, ReplyError, LinkError: as ``Session.ask``.

        """
        if literal.display not in {None, name}:
            return _Found.LIES
        shown = dict(self._reading.shown[unit])
        swollen = self._doubts.swollen((unit, name), shown)
        if literal.display == name:
            self._doubts.own_now.add(name)
        if literal.value == shown.get(name):
            if literal.display is None:
                self._displays.not_shown_as.setdefault(name, set()).update(shown)
            self._take(unit, name, literal.value)
            return _Found.AGREES
        if swollen and _is_tailed(shown[name], literal.value or 0):
            self._take(unit, name, literal.value)
            self._reading.units[unit].note(
                f"{name} was listed as {shown[name]} and answered with {literal.value or 0}"
            )
            return _Found.AGREES
        try:
            found = self._explain(unit, name, literal.value, shown)
        except (ReplyError, LinkError) as error:
            self._why[unit, name] = str(error)
            found = _Found.UNKNOWN
        # One that fell was asked for twice before, and both answers stand beside this one.
        if found is not _Found.AGREES or (literal.value or 0) >= self._doubts.before(unit, name):
            self._take(unit, name, literal.value)
        return found

    def _explain(self, unit: str, name: str, literal: int | None, shown: dict[str, int]) -> _Found:
        """Say by a second short form why the first one and the literal form differ."""
        scores = self._reader.session.ask(lambda console, deadline: console.scores(unit, deadline))
        if not scores.complete:
            return _Found.UNKNOWN
        after = dict(scores.entries)
        if not _names_in(self._reading.lists[unit]) <= _names_in(scores.entries) or any(
            after.get(display, before) < before
            for display, before in shown.items()
            if self._displays.is_sole(display)
        ):
            return _Found.DISTURBED  # counters do not go away, nor do they fall
        if literal is None:
            self._displays.disown(name)
            return _Found.LIES
        if after.get(name, literal - 1) < literal:
            return _Found.LIES
        return _Found.DISTURBED if shown.get(name, literal) > literal else _Found.AGREES

    def _take(self, unit: str, name: str, value: int | None) -> None:
        """Take a literal answer for the count; the reading lasted until it if it says another."""
        counters = self._reading.units[unit]
        if counters.counts[name] != (value or 0):
            self._reading.answered_at = time.monotonic()
        counters.counts[name] = value or 0
        counters.literal.add(name)
        if name in self._reading.shown[unit] and value is not None:
            self._reading.shown[unit][name] = value

    # -- what was wrong ----------------------------------------------------------------------

    def _disbelieve(self, name: str) -> None:
        """Read an objective anew for all units; until that is done its counts are unknown."""
        self._displays.distrust(name, self._doubts.own_now)
        shown = self._reading.shown
        self._asked = {pair for pair in self._asked if pair[1] in shown[pair[0]]}
        self._reader.session.note(
            "forms_disagree",
            f"{name}: the short form and the literal form disagree; it is asked by the literal "
            "form from now on",
        )
        for counters in self._reading.units.values():
            counters.note(f"{name} was read by the literal form")
            if name not in counters.literal:
                counters.counts[name] = None
        self._ask_each([name], None)

    def _read_anew(self, why: str, until: float) -> None:
        """Take back what the short form said in this cycle, and read it once more.

        Names may have changed; who showed its own before speaks for no list that is read after it.
        """
        reader, reading = self._reader, self._reading
        self._displays.unsettle()
        self._doubts.own_now.clear()
        self._asked.clear()
        self._times_anew += 1
        if self._times_anew <= _ANEW and time.monotonic() < until:
            reader.session.note("forms_disagree", f"{why}; all was asked anew")
            reader.read_anew(reading)
            return
        reader.withdraw(reading)
        self._ask_each(reader.names, until)

    def _is_refuted(self, unit: str) -> bool:
        """Say whether a counter of this unit did not fall, though its list had it so."""
        listed, counts = dict(self._reading.lists[unit]), self._reading.units[unit].counts
        return any(
            self._displays.trusts(name) and listed.get(name, 0) < before <= (counts.get(name) or 0)
            for name, before in self._known.get(unit, {}).items()
        )

    def _read_unit(self, unit: str, until: float) -> None:
        """Take back one unit's list: it was old, or names had changed for as long as it took."""
        counters = self._reading.units[unit]
        counters.counts.update(dict.fromkeys(counters.from_short_form()))
        counters.note("its list did not hold: it was read by the literal form")
        del self._reading.shown[unit]
        self._ask_each(self._reader.names, until, [unit])

    def _ask_each(
        self, names: Sequence[str], until: float | None, units: Iterable[str] | None = None
    ) -> None:
        """Ask by the literal form for what no literal answer said in this cycle."""
        for unit in self._reading.units if units is None else units:
            counters = self._reading.units[unit]
            for name in names:
                if until is not None and time.monotonic() >= until:
                    return
                if name not in counters.literal:
                    counters.counts[name] = self._reader.literal(unit, name, self._reading)
                    counters.form = "get"

    def _withdraw_unproven(self) -> None:
        """Take back what the short form said and no literal answer speaks for."""
        if self._reader.is_void(self._reading):
            self._reader.withdraw(self._reading)
        if self._doubts.falls_open():
            self._displays.unsettle(self._doubts.own_now)
        late: list[str] = []
        for unit, shown in self._reading.shown.items():
            counters = self._reading.units[unit]
            doubtful = [
                name
                for name in counters.from_short_form()
                if not self._displays.trusts(name) or self._doubts.is_unproven((unit, name), shown)
            ]
            counters.counts.update(dict.fromkeys(doubtful))
            for name in doubtful:
                counters.note(f"{name}: {self._why.get((unit, name), _UNPROVEN)}")
            late += [f"{unit} {name}" for name in doubtful if (unit, name) not in self._why]
        if late:
            more = f" and {len(late) - 1} more" if len(late) > 1 else ""
            self._reader.session.note("out_of_time", f"{late[0]}{more}: {_UNPROVEN}")


def _names_in(entries: Iterable[tuple[str, int]]) -> Counter[str]:
    return Counter(display for display, _ in entries)


def _is_tailed(number: int, literal: int) -> bool:
    """Say whether a number is one up to the literal answer with digits behind it."""
    text = str(number)
    return any(int(text[:end]) <= literal for end in range(1, len(text)) if text[:end] != "-")
