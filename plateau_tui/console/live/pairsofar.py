"""How the pairs stand so far: the verdict's own functions, as if the window ended now.

Nothing here is a verdict. The standings, the comparison and its interval are those of ``metric``;
the window alone is cut behind the last cycle that was read. Lives in a worker thread.
"""

from dataclasses import dataclass
from typing import Final

import msgspec

from plateau_tui.collector.run import registration_of
from plateau_tui.metric.comparison import Arms, Target
from plateau_tui.metric.contrast import paired_interval
from plateau_tui.metric.outcome import Contrast, Pair
from plateau_tui.metric.registration import Gate, Registration
from plateau_tui.metric.tally import WindowTally
from plateau_tui.report.facts import FactsBook
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.readings import reading_of
from plateau_tui.runlog.rows import decode_row
from plateau_tui.runlog.sofar import standing_within, window_so_far
from plateau_tui.runlog.tail import FileTail

_UNREADABLE: Final = (msgspec.MsgspecError, ValueError, RecursionError)
_DECIDES: Final = (ev.Sealed, ev.Pinned, ev.Registered)
"""Events after which every row counts anew: a pin applies to all its unit's rows."""


@dataclass(frozen=True, slots=True)
class TargetSoFar:
    """One target's contrast over the live pairs, under the registered reading; None without one.

    What is unknown counts against the claim in ``contrast``, and for it in ``other_way``.
    """

    target: Target
    contrast: Contrast | None
    other_way: Contrast | None


@dataclass(frozen=True, slots=True)
class PairsSoFar:
    """The pairs after ``cycles`` of ``of`` cycles, counted from 1; 0 before the first row."""

    cycles: int
    of: int
    closed: bool
    treatment: str
    control: str
    gate: Gate
    pairs: tuple[Pair, ...]
    targets: tuple[TargetSoFar, ...]


class PairsModel:
    """One run, followed; ``look`` reads what is new."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._journal = FileTail(folder.journal)
        self._reset_journal()

    def _reset_journal(self) -> None:
        self._book = FactsBook()
        self._registration: Registration | None = None
        self._reset_rows()

    def _reset_rows(self) -> None:
        self._rows = FileTail(self._folder.rows, joined=True)
        self._tally: WindowTally | None = None
        self._last: int | None = None
        self._shown: PairsSoFar | None = None
        self.rows = 0
        """How many rows were read."""

    def look(self) -> tuple[PairsSoFar | None, bool]:
        """Read what is new; return how the pairs stand, and whether there is more to read at once.

        It is the same object as long as nothing changed, and None while there is more.

        Raises:
            ConfigError: there is no registration that can be used.
            OSError: a file cannot be read.

        """
        more = self._look_at_journal()
        if more:
            return None, True
        if self._registration is None or self._book.state.sealed is None:
            self._take_registration(registration_of(self._folder, self._book.state))
        registration = self._registration
        assert registration is not None  # noqa: S101 - just taken
        more = self._look_at_rows(registration)
        if more:
            return None, True
        if self._shown is None:
            self._shown = self._so_far(registration)
        return self._shown, False

    def _take_registration(self, found: Registration) -> None:
        if found != self._registration:
            self._registration = found
            self._reset_rows()

    def _look_at_journal(self) -> bool:
        new = self._journal.read()
        if new.restarted:
            self._reset_journal()
        for line in new.lines:
            try:
                entry = ev.decode_entry(line)
            except _UNREADABLE:
                continue
            self._book.take(entry)
            if isinstance(entry.event, ev.Sealed):
                self._registration = None
            if isinstance(entry.event, _DECIDES):
                self._reset_rows()
            elif isinstance(entry.event, ev.WindowClosed):
                self._shown = None
        return new.more

    def _look_at_rows(self, registration: Registration) -> bool:
        new = self._rows.read()
        if new.restarted or self._tally is None:
            self._tally = WindowTally(registration, self._book.facts(None))
            self._last, self.rows = None, 0
        if new.lines or new.restarted:
            self._shown = None
        for line in new.lines:
            try:
                row = decode_row(line)
            except _UNREADABLE:
                continue
            self.rows += 1
            self._tally.take(reading_of(row))
            if row.cycle < registration.window.cycles:
                self._last = max(row.cycle, self._last or 0)
        return new.more

    def _so_far(self, registration: Registration) -> PairsSoFar:
        closed = self._book.state.closed is not None
        cycles = 0 if self._last is None else self._last + 1
        cut = registration if closed else window_so_far(registration, cycles)
        assert self._tally is not None  # noqa: S101 - made by the look at the rows
        units = [standing_within(self._tally, name, cut) for name in self._tally.units]
        arms = Arms(registration.gate, units, paired_interval)
        return PairsSoFar(
            cycles=cycles,
            of=registration.window.cycles,
            closed=closed,
            treatment=registration.treatment.label,
            control=registration.control.label,
            gate=registration.gate,
            pairs=tuple(Pair(t.finding(), c.finding()) for t, c in arms.pairs),
            targets=tuple(_target(arms, target) for target in contrasted(registration.gate)),
        )


def contrasted(gate: Gate) -> tuple[Target, ...]:
    """Return what the gate asks the contrast of."""
    return ("plateau_break", "primary") if gate.contrast_on == "primary" else ("plateau_break",)


def _target(arms: Arms, target: Target) -> TargetSoFar:
    against = arms.compare(target, "registered", "live")
    other = arms.compare(target, "registered", "live", kind=True)
    return TargetSoFar(target, arms.shown(against), arms.shown(other))
