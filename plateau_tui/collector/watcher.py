"""What a reading means for the journal: faults, recoveries, missing objectives, the seal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.collector.asking import CycleRead
from plateau_tui.collector.cycle import CycleReading
from plateau_tui.collector.probe import UnitProbe
from plateau_tui.collector.run import OpenRun, seal_now
from plateau_tui.collector.slots import RunClock
from plateau_tui.metric.plain import out_of
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.tables import shown
from plateau_tui.metric.tally import contradicts_arm
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.state import ITEMS_REMOVED, OTHER_ARM
from plateau_tui.server.roster import is_like

_TAG_SHOWN: Final = 40
_MOST_STRANGERS: Final = 20
_MOST_TOLD: Final = 50
"""So often strangers are told by one collector: on a public server players come and go."""


@dataclass
class FaultWatcher:
    """Turns readings into events; remembers what is wrong now, so that its end can be told."""

    run: OpenRun
    clock: RunClock
    _wrong: dict[str, int] = field(default_factory=dict)
    _missing: set[str] = field(default_factory=set)
    _namespaced: bool | None = None
    _seen: set[str] = field(default_factory=set)
    _strangers: tuple[list[str], list[str]] | None = None
    _told_strangers: int = 0

    def events_of(self, read: CycleRead, cycle: int) -> list[ev.Event]:
        """Return what one cycle gives to journal: a fault when it begins and when it is over.

        What else a lasting fault did stands in the rows' notes.
        """
        reading = read.reading
        faults = _faults_of(reading) | _probe_faults(read.probed, self.run.registration)
        events: list[ev.Event] = [
            ev.Fault(code=code, text=text, cycle=cycle)
            for code, text in faults.items()
            if code not in self._wrong
        ]
        for code in [code for code in self._wrong if code not in faults]:
            since, text = self._wrong.pop(code), f"no '{code}' any more"
            events.append(ev.Recovered(code=code, text=text, cycle=cycle, since=since))
        for code in faults:
            self._wrong.setdefault(code, cycle)
        events += self._objectives(reading, cycle)
        events += self._unknown_players(reading, cycle)
        return events + self._names(reading) + self._connection(reading)

    def events_of_hand(self, reading: CycleReading, request_id: str) -> list[ev.Event]:
        """Return what a reading by hand gives to journal: the reading, an alarm, the answer."""
        faults = _faults_of(reading)
        units = reading.counters.units
        polled = ev.PollNow(
            id=request_id,
            online=reading.online,
            counts={name: dict(counters.counts) for name, counters in units.items()},
            hoard=reading.hoard,
            note="; ".join(faults.values()),
        )
        alarm = faults.get(ITEMS_REMOVED)
        events: list[ev.Event] = [polled]
        if alarm is not None:
            events.append(ev.Fault(code=ITEMS_REMOVED, text=alarm))
        text = "read" if reading.usable else f"nothing could be read: {polled.note}"
        return [*events, ev.Answer(id=request_id, ok=reading.usable, text=text)]

    def _unknown_players(self, reading: CycleReading, cycle: int) -> list[ev.Event]:
        """Say who else is online while a unit was never seen, or may be renamed, if that is new."""
        self._seen.update(unit for unit, online in reading.online.items() if online)
        absent = {unit for unit, online in reading.online.items() if online is False}
        renamed = {u for u in absent if any(is_like(other, u) for other in reading.others)}
        told = (sorted(absent - self._seen | renamed), list(reading.others[:_MOST_STRANGERS]))
        if not all(told) or told == self._strangers or self._told_strangers >= _MOST_TOLD:
            return []
        self._strangers, self._told_strangers = told, self._told_strangers + 1
        return [ev.Strangers(cycle=cycle, unseen=told[0], names=told[1])]

    def _names(self, reading: CycleReading) -> list[ev.Event]:
        """Say which names were proven, where that is new: the next collector goes on from it."""
        if reading.listing is None:
            return []
        own, listing = sorted(reading.own_names), list(reading.listing)
        state = self.run.state
        if set(own) == state.own_names and listing == state.listing:
            return []
        return [ev.NamesShown(own=own, listing=listing)]

    def _objectives(self, reading: CycleReading, cycle: int) -> list[ev.Event]:
        missing = reading.counters.missing
        events: list[ev.Event] = [
            ev.ObjectiveMissing(objective=name, cycle=cycle)
            for name in sorted(missing - self._missing)
        ]
        if reading.counters.over is None:
            events += [
                ev.Recovered(
                    code="objective_missing",
                    text=f"{name} is known to the server again",
                    cycle=cycle,
                )
                for name in sorted(self._missing - missing)
            ]
            self._missing = set(missing)
        else:
            self._missing |= missing
        return events

    def _connection(self, reading: CycleReading) -> list[ev.Event]:
        if reading.namespaced is None or reading.namespaced == self._namespaced:
            return []
        self._namespaced = reading.namespaced
        endpoint = reading.endpoint
        return [
            ev.Connection(host=endpoint.host, port=endpoint.port, namespaced=reading.namespaced)
        ]

    def check_seal(self) -> None:
        """Journal when registration.toml stops being what was sealed, and when it is again."""
        state = self.run.state
        if state.sealed is None:
            return
        now = seal_now(self.run.folder)
        broken = now != state.sealed.sha256
        if broken and not state.seal_broken:
            self.run.writer.journal(ev.SealBroken(sha256=now))
        elif not broken and state.seal_broken:
            self.run.writer.journal(ev.SealRestored(sha256=state.sealed.sha256))

    def check_clock(self) -> None:
        """Journal a wall clock that was set; slots stay where they are."""
        moved = self.clock.wall_moved()
        if moved is not None:
            self.run.writer.journal(ev.ClockMoved(offset_s=moved / 1000))


def _faults_of(reading: CycleReading) -> dict[str, str]:
    faults = dict(reading.faults)
    if reading.items_removed:
        told = faults.get(ITEMS_REMOVED, "a probe removed items")
        faults[ITEMS_REMOVED] = f"{told}; no inventory is asked any more"
    return faults


def _probe_faults(
    probed: Mapping[str, UnitProbe] | None, registration: Registration
) -> dict[str, str]:
    """Return what is wrong with the probe's answers: gaps, and tags of another arm (SR-4)."""
    if probed is None:
        return {}
    faults = {}
    gaps = [name for name, probe in probed.items() if not probe.ok]
    if gaps:
        silent = out_of(len(gaps), len(probed), "unit")
        faults["probe_gap"] = f"{probed[gaps[0]].note} ({silent})"
    strangers = [
        f"{unit.name} '{shown(tag, _TAG_SHOWN)}'"
        for unit in registration.units
        if (tag := probed[unit.name].arm) is not None
        and contradicts_arm(registration, unit.arm.role, tag)
    ]
    if strangers:
        faults[OTHER_ARM] = (
            f"the probe's tag contradicts the arm: {', '.join(strangers)}; a comparison of mixed "
            "arms is WITHHELD (SR-4)"
        )
    return faults
