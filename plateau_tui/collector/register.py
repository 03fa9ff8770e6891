"""Registering the objectives on the server, and the start reading."""

from dataclasses import dataclass, field

from plateau_tui.collector.counters import CounterReader, Displays
from plateau_tui.collector.run import OpenRun, ServerUnavailableError, wall_ms
from plateau_tui.collector.session import Session, SessionOverError
from plateau_tui.metric.objectives import Objective
from plateau_tui.runlog import events as ev
from plateau_tui.server.errors import LinkError, ReplyError
from plateau_tui.server.replies import Added


@dataclass
class RegisterResult:
    """What a registration did. ``nonzero`` is unit -> objective -> start count (None unknown)."""

    created: list[str] = field(default_factory=list)
    existing: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    nonzero: dict[str, dict[str, int | None]] = field(default_factory=dict)


def register(run: OpenRun, session: Session) -> RegisterResult:
    """Add the objectives that are missing and take the start reading of those without one.

    What is done is journaled even when the server is lost half-way; the rest can be done later.

    Raises:
        ServerUnavailableError: the server was lost before all was asked.

    """
    result = RegisterResult()
    try:
        _add_all(run, session, result)
        if not result.failed:
            _read_start(run, session, result)
    except (SessionOverError, LinkError) as error:
        raise ServerUnavailableError(str(error)) from None
    result.nonzero = run.state.start_not_zero(run.registration)
    return result


def _add_all(run: OpenRun, session: Session, result: RegisterResult) -> None:
    told: list[ev.Event] = []
    try:
        told.extend(_add(objective, session, result) for objective in run.registration.objectives)
    finally:
        endpoint = session.console.endpoint
        if session.console.namespaced is not None:
            told.insert(
                0,
                ev.Connection(
                    host=endpoint.host, port=endpoint.port, namespaced=session.console.namespaced
                ),
            )
        if told:
            run.writer.journal(*told)


def _add(objective: Objective, session: Session, result: RegisterResult) -> ev.ObjectiveEvent:
    try:
        added = session.ask(lambda console, deadline: console.add_objective(objective, deadline))
    except ReplyError as error:
        result.failed[objective.name] = str(error)
        return ev.ObjectiveEvent(
            name=objective.name,
            criterion=objective.criterion,
            status="failed",
            reason=str(error),
        )
    (result.created if added is Added.CREATED else result.existing).append(objective.name)
    return ev.ObjectiveEvent(
        name=objective.name,
        criterion=objective.criterion,
        status="created" if added is Added.CREATED else "existing",
    )


def _read_start(run: OpenRun, session: Session, result: RegisterResult) -> None:
    """Read every counter that has no start count yet; what this run created starts at 0."""
    state = run.state
    reader = CounterReader(session, run.registration.objectives, Displays(), wall_ms)
    start: ev.UnitCounts = {}
    for unit in run.registration.units:
        known = state.start.get(unit.name, {})
        counts: dict[str, int | None] = {}
        for objective in run.registration.objectives:
            if objective.name in result.created:
                counts[objective.name] = 0
            elif objective.name not in known:
                made_here = objective.name in state.created
                counts[objective.name] = 0 if made_here else _read(reader, unit.name, objective)
        if counts:
            start[unit.name] = counts
    run.writer.journal(
        ev.Registered(
            created=result.created,
            existing=result.existing,
            start=start,
            criterion_not_verifiable=sorted(set(result.existing) - state.created),
        )
    )


def _read(reader: CounterReader, unit: str, objective: Objective) -> int | None:
    try:
        return reader.ask_literal(unit, objective.name)
    except ReplyError:
        return None


def start_counts_text(nonzero: dict[str, dict[str, int | None]]) -> str:
    """Return why ``start_counts = "zero"`` refuses these start counts."""
    told = [
        f"{unit} {name} {'unknown' if count is None else count}"
        for unit, counts in nonzero.items()
        for name, count in counts.items()
    ]
    return (
        f"counters were not at 0 at the start reading ({', '.join(told)}): seal a run with "
        'start_counts = "offset", which subtracts them'
    )
