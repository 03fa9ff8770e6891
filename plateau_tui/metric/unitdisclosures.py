"""What is disclosed of one unit: from its rows, its pin and its place in the lists."""

from collections.abc import Iterator

from plateau_tui.metric.casefile import Case
from plateau_tui.metric.evidence import PinFact
from plateau_tui.metric.objectives import SCORED
from plateau_tui.metric.outcome import Disclosure
from plateau_tui.metric.pinning import evidence_against
from plateau_tui.metric.plain import counted, out_of
from plateau_tui.metric.standing import UnitStanding
from plateau_tui.metric.tables import shown
from plateau_tui.metric.tally import UnitTally

_RARELY = 2
"""A unit that is in less than one of so many answered lists is rarely there."""


class _Unit:
    """Writes the disclosures of one unit."""

    def __init__(self, case: Case, unit: UnitStanding, tally: UnitTally) -> None:
        self._case = case
        self._unit = unit
        self._tally = tally

    def _say(self, code: str, cycle: int | None, text: str) -> Disclosure:
        return Disclosure(code, self._unit.name, cycle, f"{self._unit.name}: {text}")

    def all(self) -> Iterator[Disclosure]:
        yield from self.lists()
        yield from self.pin()
        yield from self.halves()
        yield from self.outside()
        yield from self.start()
        yield from self.falls()
        yield from self.gaps()
        yield from self.probe()
        yield from self.receipts()

    def lists(self) -> Iterator[Disclosure]:
        found = self._tally.attendance
        lists = f"seen in {out_of(found.seen, found.answered, 'answered list')} of the window"
        if not found.seen:
            text = f"{lists}: it is in no count and no pair"
            yield self._say("unit_never_seen", None, text)
            return
        if not self._unit.live:
            run = found.absent_run
            last = "answered list" if run == 1 else f"{run} answered lists"
            text = (
                f"not live at the close: absent from the last {last}; it keeps what it had reached"
            )
            yield self._say("unit_lost", found.absent_from, text)
        if found.seen * _RARELY < found.answered:
            yield self._say("unit_rarely_seen", found.first_absent, lists)
        elif found.seen < found.answered:
            yield self._say("unit_sometimes_absent", found.first_absent, lists)

    def pin(self) -> Iterator[Disclosure]:
        fact = self._case.facts.pins.get(self._unit.name)
        if self._unit.pin is None:
            named = f"; {shown(fact.species, 80)} is no wood" if fact is not None else ""
            text = f"no BASELINE_WOOD is pinned{named}: SECONDARY is unknown"
            yield self._say("unit_not_pinned", None, text)
            return
        if fact is not None:
            yield from self._pin_made(fact)
        better = evidence_against(self._unit.pin, self._tally.growth.evidence())
        if better:
            text = f"{self._unit.pin} is pinned, but {' and '.join(better)} grew more in its rows"
            yield self._say("pin_against_evidence", self._tally.outgrown, text)
        if not self._unit.pin_confirmed:
            above = self._tally.logs_above
            logs = ", ".join(sorted(above))
            text = (
                f"the pin is not confirmed: {self._unit.pin} never rose above 0, {logs} did; "
                "SECONDARY is reached only without any log"
            )
            yield self._say("pin_not_confirmed", min(above.values()), text)

    def _pin_made(self, fact: PinFact) -> Iterator[Disclosure]:
        evidence = ", ".join(f"{shown(s, 80)} +{n}" for s, n in fact.evidence.items()) or "nothing"
        if fact.cycle is not None:
            text = f"{fact.species} was pinned after cycle {fact.cycle} was read, on {evidence}"
            yield self._say("pin_late", fact.cycle, text)
        if fact.anyway.strip():
            how = f"against the evidence ({evidence})" if fact.evidence else "without evidence"
            text = f"{fact.species} was pinned {how}: {shown(fact.anyway)}"
            yield self._say("pin_anyway", fact.cycle, text)
        earlier = [species for species in fact.earlier if species != fact.species]
        if earlier:
            told = shown(", then ".join([*earlier, fact.species]))
            yield self._say("pin_changed", fact.cycle, f"pinned as {told}")
        for species, cycle in self._tally.other_pins.items():
            text = f"rows were written under the pin {shown(species, 80)}, {fact.species} decides"
            yield self._say("row_under_other_pin", cycle, text)

    def halves(self) -> Iterator[Disclosure]:
        table, logs = self._tally.table_only, self._tally.other_log
        if table.cycle is not None:
            rests = "rests" if table.certain else "may rest"
            text = (
                f"PRIMARY as §2c is written {rests} on the crafting table alone: a hoarder places "
                "one for its pickaxe"
            )
            yield self._say("table_only_primary", table.cycle, text)
        if logs.cycle is not None:
            rests = "rests" if logs.certain else "may rest"
            text = (
                f"SECONDARY as §2c is written {rests} on logs of other species than the pinned one"
            )
            yield self._say("other_log_secondary", logs.cycle, text)

    def outside(self) -> Iterator[Disclosure]:
        found, halves = self._tally.outside, self._unit.registered
        if found.placed and halves.primary != "reached":
            named, cycle = _named(found.placed)
            text = f"placed or used only outside the set: {named}; PRIMARY does not count it"
            yield self._say("placed_outside_set", cycle, text)
        if found.mined and halves.secondary != "reached":
            named, cycle = _named(found.mined)
            full = (
                "; with it there would be two kinds beyond the farmed wood"
                if found.diverse is not None
                else ""
            )
            text = f"mined outside the set: {named}; SECONDARY does not count it{full}"
            yield self._say("mined_outside_set", cycle, text)

    def start(self) -> Iterator[Disclosure]:
        changes = self._tally.before_window
        if changes:
            scored = [
                f"{name} {before} to {after}"
                for name, (before, after) in changes.items()
                if name in SCORED
            ]
            context = len(changes) - len(scored)
            told = [*scored, *([f"{context} of context"] if context else [])]
            none = "" if scored else "no scored counter, and "
            text = f"moved between the start reading and cycle 0: {none}{', '.join(told)}"
            yield self._say("counts_before_window", 0, text)
        start, gate = self._tally.start, self._case.registration.gate
        if gate.start_counts == "offset":
            names = [o.name for o in self._case.registration.objectives]
            unread = [name for name in names if start.get(name) is None]
            if unread:
                text = f"no start reading of {', '.join(unread)}: what it counts is unknown"
                yield self._say("start_unknown", None, text)
        elif self._case.facts.registered:
            yield from self._start_not_zero()

    def _start_not_zero(self) -> Iterator[Disclosure]:
        start = {name: self._tally.start.get(name) for name in SCORED}
        told = [f"{name} {_value(count)}" for name, count in start.items() if count != 0]
        if told:
            text = (
                f"counts stand as they are, and its start reading was not 0: {', '.join(told)}; "
                "collect refuses such a run, so it did not make this log as it stands"
            )
            yield self._say("start_not_zero", None, text)

    def falls(self) -> Iterator[Disclosure]:
        for objective, fall in self._tally.falls.found.items():
            more = f", the first of {fall.times} falls" if fall.times > 1 else ""
            text = (
                f"{objective} fell from {fall.before} to {fall.after}{more}; what was reached "
                "stays reached"
            )
            yield self._say("counter_fell", fall.cycle, text)

    def gaps(self) -> Iterator[Disclosure]:
        gaps, cycles = self._tally.gaps, self._case.registration.window.cycles
        if gaps.complete:
            text = f"no counter was read in {out_of(gaps.complete, cycles, 'cycle')}"
            yield self._say("gap_complete", gaps.first_complete, text)
        if gaps.partial:
            text = f"some counters were not read in {out_of(gaps.partial, cycles, 'cycle')}"
            yield self._say("gap_partial", gaps.first_partial, text)
        if gaps.longest:
            end = f", from cycle {gaps.longest_from}" if gaps.longest_from is not None else ""
            text = f"the longest silence was {counted(gaps.longest, 'cycle')}{end}"
            yield self._say("longest_silence", gaps.longest_from, text)

    def probe(self) -> Iterator[Disclosure]:
        probed = self._tally.probed
        if probed.silent:
            silent = out_of(probed.silent, probed.asked, "cycle")
            text = f"the probe said nothing usable in {silent}"
            yield self._say("probe_silent", probed.first_silent, text)
        if self._case.registration.arm_values and not probed.tags:
            text = "no arm tag was ever reported: nothing of the probe proves its arm"
            yield self._say("arm_never_proven", None, text)

    def receipts(self) -> Iterator[Disclosure]:
        for name, found in self._tally.differences.items():
            more = f", in the first of {found.times} rows" if found.times > 1 else ""
            text = (
                f"the row says {name} is {_value(found.written)}, its counters say "
                f"{_value(found.derived)}{more}; the counters decide"
            )
            yield self._say("derived_differs", found.cycle, text)


def _value(value: object) -> str:
    """Return a derived field in words: "unknown", "yes", "no" or a number."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return shown(str(value), 80)


def _named(found: dict[str, tuple[int, int]]) -> tuple[str, int]:
    """Return objectives with their counts in words, and the first cycle of any."""
    told = ", ".join(f"{name} {count} in cycle {cycle}" for name, (cycle, count) in found.items())
    return told, min(cycle for cycle, _ in found.values())


def unit_disclosures(case: Case, unit: UnitStanding, tally: UnitTally) -> Iterator[Disclosure]:
    """Yield what is to be said of one unit, whatever the verdict is."""
    return _Unit(case, unit, tally).all()
