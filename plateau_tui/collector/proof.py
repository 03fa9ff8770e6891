"""Proof that the short form says what the literal form says, where display names may lie.

``scoreboard players list`` shows display names, and an admin can give any objective any name:
two of ours may have swapped theirs, a stranger's may carry one of ours. A literal answer that
shows the objective's own name proves it. Where a literal answer shows none ("none is set"), it
proves that the names with a value are not this objective's.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from plateau_tui.collector.counters import CounterReader, CounterReading
from plateau_tui.collector.displays import Pair
from plateau_tui.collector.session import SessionOverError
from plateau_tui.server.errors import LinkError, ReplyError, UnknownObjectiveError

Doubt = Callable[[Pair, dict[str, int]], bool]
"""Says whether a pair is open, given what its unit's short form showed."""

_CHEAP: Final = 0.3
"""Part of the time left that asking every objective once more may take in a routine cycle."""
_UNPROVEN: Final = "unknown, as the time was over before the server showed whose value it is"


class Prover:
    """Asks by the literal form what the short form answered, as far as the time goes.

    Where the two disagree the literal form counts, now and from now on.
    """

    def __init__(self, reader: CounterReader, reading: CounterReading) -> None:
        self._reader = reader
        self._reading = reading
        self._displays = reader.displays
        self._asked: set[Pair] = set()
        self._own_now: set[str] = set()

    def prove_new(self, until: float) -> None:
        """Prove what no literal answer speaks for yet; correct what was wrong.

        No question is begun after ``until``, a second of ``time.monotonic()``. Goes before the
        inventories: a counter that may be another's is worth more than a hoard.
        """
        self._run((self._unshown, self._unexplained), until)

    def prove_all(self, until: float) -> None:
        """Ask again for what shows a value where that is cheap, and compare all pairs once.

        What nothing speaks for by then is unknown in this cycle; an asking again that came to
        nothing takes nothing back.
        """
        doubts: list[Doubt] = [self._unshown, self._unexplained]
        if self._reading.over is None and self._is_cheap(until):
            doubts.append(self._not_shown_now)
        self._run((*doubts, self._uncompared), until)
        self._withdraw_unproven()
        self._reader.settle(self._reading)

    def _run(self, doubts: Sequence[Doubt], until: float) -> None:
        if self._reading.over is not None:
            return
        try:
            while not self._sweep(doubts, until):
                pass
        except SessionOverError:
            pass  # what was read stands; the rest is proven in a later cycle

    def _sweep(self, doubts: Sequence[Doubt], until: float) -> bool:
        """Go through what is open; False where a name turned out to lie, which reopens others."""
        for unit, name in self._open_pairs(doubts):
            if time.monotonic() >= until:
                break
            self._asked.add((unit, name))
            agree = self._agree(unit, name)
            if agree:
                self._displays.compared.add((unit, name))
            elif agree is False:
                self._disbelieve(name)
                return False
        return True

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

    def _unshown(self, pair: Pair, shown: dict[str, int]) -> bool:
        return pair[1] in shown and pair[1] not in self._displays.own

    def _not_shown_now(self, pair: Pair, shown: dict[str, int]) -> bool:
        return pair[1] in shown and pair[1] not in self._own_now

    def _unexplained(self, pair: Pair, shown: dict[str, int]) -> bool:
        """Say whether the objective, absent here, may stand here under another name."""
        name = pair[1]
        if name in shown or name in self._displays.own:
            return False
        return bool(self._displays.foreign(name, shown))

    def _uncompared(self, pair: Pair, shown: dict[str, int]) -> bool:
        del shown
        return pair not in self._displays.compared

    # -- one pair ----------------------------------------------------------------------------

    def _agree(self, unit: str, name: str) -> bool | None:
        """Say whether both forms agree on a pair; None where that could not be found out."""
        shown = self._reading.shown[unit]
        try:
            literal = self._reader.literal_answer(unit, name)
        except UnknownObjectiveError:
            return False  # the name in the list is somebody else's
        except (ReplyError, LinkError):
            return None
        if literal.display is None:
            if name in shown:
                return False
            self._displays.not_shown_as.setdefault(name, set()).update(shown)
            return True
        if literal.display != name:
            return False
        self._displays.own.add(name)
        self._own_now.add(name)
        return self._in_between(unit, name, literal.value or 0)

    def _in_between(self, unit: str, name: str, literal: int) -> bool | None:
        before = self._reading.shown[unit].get(name, 0)
        if literal == before:
            return True
        # The counter may have moved in between: then it lies between two short readings.
        try:
            scores = self._reader.session.ask(
                lambda console, deadline: console.scores(unit, deadline)
            )
        except (ReplyError, LinkError):
            return None
        after = dict(scores.entries).get(name, 0)
        return scores.complete and before <= literal <= after

    # -- what was wrong ----------------------------------------------------------------------

    def _disbelieve(self, name: str) -> None:
        """Read an objective anew for all units; until that is done its counts are unknown."""
        self._displays.distrust(name, self._own_now)
        shown = self._reading.shown
        self._asked = {pair for pair in self._asked if pair[1] in shown[pair[0]]}
        self._reader.session.note(
            "forms_disagree",
            f"{name}: the short form and the literal form disagree; it is asked by the literal "
            "form from now on",
        )
        for counters in self._reading.units.values():
            counters.counts[name] = None
            counters.note(f"{name} was read by the literal form")
        for unit, counters in self._reading.units.items():
            counters.counts[name] = self._reader.literal(unit, name, self._reading)
            counters.form = "get"

    def _withdraw_unproven(self) -> None:
        """Take back what the short form said and no literal answer speaks for."""
        for unit, shown in self._reading.shown.items():
            counters = self._reading.units[unit]
            doubtful = [
                name
                for name in self._reader.names
                if self._displays.trusts(name)
                and counters.counts[name] is not None
                and (self._unshown((unit, name), shown) or self._unexplained((unit, name), shown))
            ]
            counters.counts.update(dict.fromkeys(doubtful))
            if doubtful:
                counters.note(f"{', '.join(doubtful)}: {_UNPROVEN}")
