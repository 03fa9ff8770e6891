"""A recorded run as a calibration: what the contract of the plateau metric told of the two arms.

Each treatment unit is a reference, each control unit a baseline; a unit's rows in their order are
one trajectory. An unread counter is None: it earns nothing and is no motion, and what a counter
did meanwhile counts as one step between the known values on both sides of the gap. A milestone
is earned by k of n units; it separates when some treatment unit earned it and no control unit did.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from plateau_tui.calibration.contract import Contract, Milestone, NumberCheck, Tier
from plateau_tui.calibration.evidence import Number, Snapshot, Trajectory, snapshot, trajectory
from plateau_tui.calibration.report import Report, judge
from plateau_tui.calibration.scores import measure
from plateau_tui.metric.evidence import JournalFacts, PinFact, Reading
from plateau_tui.metric.gatescore import score_under, start_reading
from plateau_tui.metric.objectives import Objective, Role
from plateau_tui.metric.registration import Gate, Registration
from plateau_tui.metric.scoring import (
    Counter,
    Flag,
    PlaceReading,
    WoodReading,
    all_of,
    known,
    since_start,
)
from plateau_tui.metric.standing import Halves, standings
from plateau_tui.metric.tally import PLACES, WOODS, UnitTally, WindowTally

AS_WRITTEN: Final = "as-written"
"""Marks the milestones of §2c where a stricter reading was registered."""

_HOARD: Final = "pickaxe_hoard"


_EMPTY: Final[Mapping[bool | None, str]] = {
    True: "the window of the run {run} is closed and holds no row, so there is nothing to measure; "
    "name another run",
    False: "the run {run} holds no row of its window so far, so there is nothing to measure; ask "
    "again after its first cycle",
    None: "the run {run} has no row of its window, and no journal that can be read, so there is "
    "nothing to measure; name a folder that holds rows.jsonl",
}
"""What there is of a run without a row, by whether its window is closed."""


class EmptyRunError(ValueError):
    """A run that holds no row of its window: there is nothing to measure."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class RecordedRow:
    """One unit in one cycle; ``hoard`` are the wooden pickaxes held, None where not counted."""

    reading: Reading
    hoard: Counter


@dataclass(frozen=True)
class RecordedRun:
    """What was measured of a run.

    Args:
        registration: the gate that the rows were scored under.
        report: PRIMARY, SECONDARY and both under the registered reading, and as §2c is written
            where that is another one.
        context: every counter, and the pickaxes held, above 0; no part of the metric.
        unknown: milestone of ``report`` -> the units that did not show it and of which it is not
            known that they did not reach it (``metric.standing``).
        rows: how many rows were measured.
        cycles: how many cycles have been recorded so far.
        closed: the window is closed; until then everything is so far. None: nothing says whether.

    """

    registration: Registration
    report: Report
    context: Report
    unknown: Mapping[str, tuple[str, ...]]
    rows: int
    cycles: int
    closed: bool | None


def measure_run(
    registration: Registration,
    pins: Mapping[str, str],
    start: Mapping[str, Mapping[str, Counter]],
    rows: Iterable[RecordedRow],
    *,
    closed: bool | None,
) -> RecordedRun:
    """Measure the rows of a run's window; rows outside it and of other units are left alone.

    Args:
        registration: the sealed gate, the draft where nothing was sealed.
        pins: BASELINE_WOOD by unit, as last pinned; it applies to all rows of the unit.
        start: the start reading: unit -> objective -> count; used under ``offset`` alone.
        rows: the rows, each unit's in their order.
        closed: the window is closed; None where there is no journal that could say so.

    Raises:
        EmptyRunError: there is no such row.

    """
    by_unit = _by_unit(registration, rows)
    cycles = 1 + max((r.reading.cycle for each in by_unit.values() for r in each), default=-1)
    if not cycles:
        raise EmptyRunError(_EMPTY[closed].format(run=registration.run_id))
    so_far = replace(registration, window=replace(registration.window, cycles=cycles))
    facts = JournalFacts(pins={u: PinFact(s) for u, s in pins.items()}, start=start)
    tally = WindowTally(so_far, facts)
    tally.take_all(row.reading for each in by_unit.values() for row in each)
    told = {
        name: _Evidence(registration, tally.units[name], start.get(name, {})).trajectory(each)
        for name, each in by_unit.items()
    }
    contract = metric_contract(registration)
    return RecordedRun(
        registration=registration,
        report=_judged(registration, contract, told),
        context=_judged(registration, context_contract(registration), told),
        unknown=_unknown(so_far, tally, contract),
        rows=sum(map(len, by_unit.values())),
        cycles=cycles,
        closed=closed,
    )


def metric_contract(registration: Registration) -> Contract:
    """Return PRIMARY, SECONDARY and both as a contract over what the rows publish."""
    marks = ["", f"-{AS_WRITTEN}"] if _stricter(registration.gate) else [""]
    milestones = []
    for mark in marks:
        halves = (f"primary{mark}", f"secondary{mark}")
        milestones += [_above_zero(half, half) for half in halves]
        milestones.append(_above_zero(f"plateau-break{mark}", f"plateau-break{mark}", halves))
    return Contract(registration.run_id, tuple(milestones))


def context_contract(registration: Registration) -> Contract:
    """Return each counter of the run above 0, and a pickaxe held, as a contract."""
    names = [*(_channel(o) for o in registration.objectives), _HOARD]
    return Contract(registration.run_id, tuple(_above_zero(name, name) for name in names))


def _above_zero(name: str, channel: str, requires: tuple[str, ...] = ()) -> Milestone:
    return Milestone(name, Tier.ENGINE, NumberCheck(f"engine.{channel}", ">", 0), requires)


def _channel(objective: Objective) -> str:
    """Return what an objective is called here: an extension's own name may hold any sign."""
    if objective.role is not Role.EXTRA:
        return objective.name
    return objective.criterion.replace("minecraft.", "")


def _stricter(gate: Gate) -> bool:
    return (gate.place, gate.wood) != (PLACES[0], WOODS[0])


def _by_unit(
    registration: Registration, rows: Iterable[RecordedRow]
) -> dict[str, list[RecordedRow]]:
    found: dict[str, list[RecordedRow]] = {unit.name: [] for unit in registration.units}
    for row in rows:
        if row.reading.unit in found and row.reading.cycle < registration.window.cycles:
            found[row.reading.unit].append(row)
    return found


def _judged(
    registration: Registration, contract: Contract, told: Mapping[str, Trajectory]
) -> Report:
    treatment, control = (
        [measure(name, contract, told[name]) for name in arm.units]
        for arm in (registration.treatment, registration.control)
    )
    return judge(contract, treatment, control)


def _unknown(
    registration: Registration, tally: WindowTally, contract: Contract
) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {i: [] for i in contract.ids}
    for unit in standings(registration, tally):
        for mark, halves in (("", unit.registered), (f"-{AS_WRITTEN}", unit.as_written)):
            for name, standing in _named(halves):
                if standing == "unknown" and f"{name}{mark}" in found:
                    found[f"{name}{mark}"].append(unit.name)
    return {i: tuple(units) for i, units in found.items()}


def _named(halves: Halves) -> Sequence[tuple[str, str]]:
    return (
        ("primary", halves.primary),
        ("secondary", halves.secondary),
        ("plateau-break", halves.both),
    )


class _Evidence:
    """Makes snapshots of one unit's rows; all of them are behind ``tally`` already."""

    def __init__(
        self, registration: Registration, tally: UnitTally, start: Mapping[str, Counter]
    ) -> None:
        self._registration, self._tally, self._start = registration, tally, start

    def trajectory(self, rows: Sequence[RecordedRow]) -> Trajectory:
        """Return the unit's trajectory; where it has no row, nothing was published once."""
        return trajectory([self._snapshot(row) for row in rows] or [snapshot({})])

    def _snapshot(self, row: RecordedRow) -> Snapshot:
        gate = self._registration.gate
        numbers = self._counters(row.reading) | {_HOARD: known(row.hoard)}
        numbers |= self._flags(row.reading, gate.wood, gate.place, "")
        if _stricter(gate):
            numbers |= self._flags(row.reading, WOODS[0], PLACES[0], f"-{AS_WRITTEN}")
        return snapshot(numbers)

    def _counters(self, reading: Reading) -> dict[str, Number]:
        """Return the counters as the gate counts them: less the start reading by ``offset``."""
        groups = {
            Role.PLACE: reading.placed, Role.MINE: reading.mined, Role.CRAFT: reading.crafted,
        }  # fmt: skip
        objectives = self._registration.objectives
        counts: Mapping[str, Counter] = {
            o.name: known(reading.extra.get(o.name) if o.role is Role.EXTRA
                          else groups[o.role].get(o.block))
            for o in objectives
        }  # fmt: skip
        if self._registration.gate.start_counts == "offset":
            counts = since_start(counts, self._start)
        return {_channel(o): counts[o.name] for o in objectives}

    def _flags(
        self, reading: Reading, wood: WoodReading, place: PlaceReading, mark: str
    ) -> dict[str, Number]:
        primary, secondary = self._halves(reading, wood, place)
        flags = {
            f"primary{mark}": primary,
            f"secondary{mark}": secondary,
            f"plateau-break{mark}": all_of(primary, secondary),
        }
        return {name: None if flag is None else int(flag) for name, flag in flags.items()}

    def _halves(
        self, reading: Reading, wood: WoodReading, place: PlaceReading
    ) -> tuple[Flag, Flag]:
        """Return both halves of one row.

        A pin that is not confirmed may name the wrong log: SECONDARY is then so only with every
        log left out, and not so only with the pinned one left out, as in the verdict.
        """
        found, strict = (
            score_under(
                self._registration.gate,
                reading.placed,
                reading.mined,
                self._tally.pin,
                start=start_reading(self._start),
                wood=each,
                place=place,
            )
            for each in (wood, "all_logs")
        )
        if self._tally.pin_confirmed or strict.secondary:
            return found.primary, found.secondary
        return found.primary, False if found.secondary is False else None
