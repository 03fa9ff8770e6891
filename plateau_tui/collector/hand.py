"""What an operator does by hand while no collector runs: seal, check, watch, pin, note, close."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from plateau_tui.collector.counters import CounterReader, CounterReading
from plateau_tui.collector.desk import note_event
from plateau_tui.collector.displays import Displays
from plateau_tui.collector.pins import PinRequest, pin_events
from plateau_tui.collector.proof import Prover
from plateau_tui.collector.recovery import recover
from plateau_tui.collector.register import start_problem
from plateau_tui.collector.run import (
    DeclinedError,
    OpenRun,
    ServerUnavailableError,
    registration_bytes,
    registration_of,
    wall_ms,
)
from plateau_tui.collector.sealed import PUT_BACK
from plateau_tui.collector.session import Session, SessionOverError
from plateau_tui.collector.window import WindowLog, require_open_window
from plateau_tui.metric.feasibility import Feasibility, accept_problem, assess
from plateau_tui.metric.pinning import WoodGrowth, suggested_wood
from plateau_tui.metric.registration import (
    MOST_SEALED_PAIRS,
    Registration,
    parse_registration,
    seal_hash,
)
from plateau_tui.metric.tables import ConfigError
from plateau_tui.resources import game_ids
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.progress import CountProgress, LogCounters
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.state import RunState, read_state
from plateau_tui.runlog.unbeaten import MISSED
from plateau_tui.server.errors import LinkError, ReplyError, UnknownObjectiveError


class GateRefusedError(DeclinedError):
    """The gate is not sealed as it stands; the message is what of ``reasons`` fits one line."""

    def __init__(self, found: Feasibility, problem: str) -> None:
        self.found = found
        self.reasons = (problem,) if found.feasible else (*found.reasons, problem)
        super().__init__("; ".join(dict.fromkeys((*self.reasons[:2], self.reasons[-1]))))


def feasibility(registration: Registration) -> Feasibility:
    """Return what a registration's gate could come to with all its pairs."""
    return assess(registration.gate, len(registration.pairs))


def seal(run: OpenRun, by: str) -> str:
    """Seal the registration as the file now is; return its SHA-256.

    Raises:
        ConfigError: the file cannot be used.
        DeclinedError: another text is sealed already.
        GateRefusedError: the gate cannot pass or cannot fail and ``accept`` holds no sentence,
            or it can do both and ``accept`` is stale.
        LogWriteError: the journal cannot be written.

    """
    text = registration_bytes(run.folder)
    sha256 = seal_hash(text)
    sealed = run.state.sealed
    if sealed is not None:
        if sealed.sha256 != sha256:
            raise DeclinedError(
                f"the run is sealed already (sha256 {sealed.sha256[:12]}…) and the file differs "
                f"from what was sealed: a sealed gate is not changed; {PUT_BACK}; or make a new run"
            )
        return sha256
    registration = parse_registration(text, game_ids())
    pairs = len(registration.pairs)
    if pairs > MOST_SEALED_PAIRS:
        raise DeclinedError(
            f"{pairs} pairs are more than can be sealed: name at most {MOST_SEALED_PAIRS} units in "
            "each arm, or make two runs"
        )
    found = feasibility(registration)
    problem = accept_problem(registration.gate, found)
    if problem is not None:
        raise GateRefusedError(found, problem)
    run.writer.journal(ev.Sealed(by=by, sha256=sha256, text=text.decode("utf-8")))
    run.writer.require_written()
    return sha256


def start_problem_of(folder: RunFolder) -> str | None:
    """Return why ``collect`` will refuse a run's gate as it now stands, or None; reads only."""
    try:
        state, _ = read_state(folder.journal)
        return start_problem(registration_of(folder, state), state)
    except (ConfigError, OSError):
        return None  # the seal itself will say what is wrong


@dataclass(frozen=True)
class CheckResult:
    """What a look at the server showed; None is unknown."""

    namespaced: bool
    objectives: Mapping[str, bool | None]
    online: Mapping[str, bool | None]
    others: tuple[str, ...] = ()
    """Players online who are no units, as the server writes them."""


def check(registration: Registration, session: Session) -> CheckResult:
    """Look at the server, reading only.

    Raises:
        ServerUnavailableError: it cannot be reached, logged in to or read.

    """
    units = [unit.name for unit in registration.units]
    try:
        roster = session.ask(lambda console, deadline: console.online(units, deadline))
        objectives = {o.name: _present(session, units[0], o.name) for o in registration.objectives}
    except (SessionOverError, LinkError, ReplyError) as error:
        raise ServerUnavailableError(str(error)) from None
    return CheckResult(
        namespaced=session.console.namespaced is not False,
        objectives=objectives,
        online={unit: roster.seen(unit) for unit in units},
        others=roster.others,
    )


def roster_lines(seen: CheckResult) -> list[str]:
    """Return who of the registered units is not online, and who else is, for a person."""
    lines = []
    absent = [unit for unit, online in seen.online.items() if online is False]
    if absent:
        lines.append(f"not online: {', '.join(absent)}")
    if seen.others:
        lines.append(f"online and no unit of this run: {', '.join(seen.others)}")
    if absent and seen.others:
        lines.append("a unit bears its name exactly, capitals too: check it before the seal")
    return lines


def _present(session: Session, unit: str, name: str) -> bool:
    """Existence is what a reading says; the list shows display names."""
    try:
        session.ask(lambda console, deadline: console.score(unit, name, deadline))
    except UnknownObjectiveError:
        return False
    return True


@dataclass(frozen=True)
class WoodWatch:
    """Rises of each log counter since the watch began, by unit, and what they suggest."""

    units: Mapping[str, Mapping[str, int]]

    @property
    def suggestion(self) -> dict[str, str | None]:
        """The species that grew most, by unit; None when none did, or in a tie."""
        return {unit: suggested_wood(grown) for unit, grown in self.units.items()}


def watch_wood(
    run: OpenRun,
    session: Session,
    *,
    polls: int,
    every_s: float,
    told: Callable[[WoodWatch], None],
) -> WoodWatch:
    """Read the log counters once, then ``polls`` times more; journal what rose.

    Raises:
        ServerUnavailableError: the first reading could not be taken.
        DeclinedError: no log objective exists on the server.

    """
    logs = LogCounters(run.registration, run.state)
    watched = [o for o in run.registration.objectives if o.name in logs.species]
    reader = CounterReader(session, watched, Displays(), wall_ms)
    growth = {unit.name: WoodGrowth.empty() for unit in run.registration.units}
    seen, read = WoodWatch({}), 0
    for poll in range(polls + 1):
        if poll and session.stop.wait(every_s):
            break
        session.begin(time.monotonic() + max(every_s, 10.0))
        reading = reader.read(list(growth))
        Prover(reader, reading).prove_all(session.deadline)
        session.end()  # others may ask this server until the next poll
        if poll == 0:
            _require_reading(session, reading)
        for unit, counters in reading.units.items():
            growth[unit].add({s: counters.counts[name] for name, s in logs.species.items()})
        seen = WoodWatch({unit: dict(g.grown) for unit, g in growth.items()})
        told(seen)
        read = poll
    run.writer.journal(
        ev.Watch(
            polls=read,  # those that were made: a watch may be stopped before its end
            grown={unit: {s: n for s, n in g.items() if n} for unit, g in seen.units.items()},
            suggestion=seen.suggestion,
        )
    )
    run.writer.require_written()
    return seen


def _require_reading(session: Session, reading: CounterReading) -> None:
    units = reading.units.values()
    if any(count is not None for unit in units for count in unit.counts.values()):
        return
    if reading.missing:
        raise DeclinedError("the objectives are not on the server: plateau-tui register RUN")
    first = next(iter(session.faults.values()), None)
    raise ServerUnavailableError(
        str(reading.over) if reading.over else first.text if first else "nothing could be read"
    )


def watch_rows(registration: Registration, state: RunState, folder: RunFolder) -> WoodWatch:
    """Return what the rows of a collecting run say of the logs."""
    progress = CountProgress(registration, state).take_all(read_rows(folder.rows))
    return WoodWatch({name: dict(unit.growth.grown) for name, unit in progress.units.items()})


def pin(run: OpenRun, request: PinRequest) -> list[ev.Event]:
    """Pin BASELINE_WOOD; return the events written.

    Raises:
        DeclinedError: the evidence names another species, or the species cannot be pinned.
        LogWriteError: the journal cannot be written.

    """
    events = pin_events(run, request, None)
    run.writer.journal(*events)
    run.writer.require_written()
    return events


def note(run: OpenRun, text: str, by: str) -> None:
    """Write a person's words into the journal.

    Raises:
        DeclinedError: they are empty or too long, or the window is closed.
        LogWriteError: the journal cannot be written.

    """
    if run.state.closed is not None:
        raise DeclinedError("the window is closed: nothing but the verdict follows it")
    run.writer.journal(note_event(text, by))
    run.writer.require_written()


def close(run: OpenRun, *, early: bool, why: str, by: str) -> int:
    """Close the window, writing gap rows for what was missed; return the cycles it has.

    Raises:
        DeclinedError: there is no window to close.
        EarlyCloseError: it is not over yet, and ``early`` is not given.
        LogWriteError: the log cannot be written.

    """
    require_open_window(run)
    window = WindowLog(run, recover(run))
    missed = window.require_closable(wall_ms(), early=early)
    window.write_gaps(missed, f"{MISSED}no collector was running")
    closing = window.closing(early=not window.complete, why=why, by=by)
    run.writer.journal(closing)
    run.writer.require_written()
    return window.next_cycle
