"""Registering the objectives on the server, and the start reading."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from plateau_tui.collector.counters import CounterReader
from plateau_tui.collector.displays import Displays
from plateau_tui.collector.run import DeclinedError, OpenRun, ServerUnavailableError, wall_ms
from plateau_tui.collector.session import Session, SessionOverError
from plateau_tui.metric.objectives import Objective
from plateau_tui.metric.registration import Registration
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.state import RunState
from plateau_tui.server.errors import CommandFailedError, LinkError, ReplyError
from plateau_tui.server.replies import Added

_NAMED: Final = 3
"""Start counts, or failures, that are named where all would bury what is to be done."""
_NAMED_AT_START: Final = 12
"""Start counts that are named where a collector refuses them: ``register`` tells each."""


@dataclass
class RegisterResult:
    """What a registration did. ``nonzero`` is unit -> objective -> start count (None unknown).

    ``events`` are for the journal; ``lost`` is why the server was lost before all was asked.
    """

    created: list[str] = field(default_factory=list)
    existing: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    nonzero: dict[str, dict[str, int | None]] = field(default_factory=dict)
    events: list[ev.Event] = field(default_factory=list)
    lost: str | None = None


def register(
    run: OpenRun, session: Session, told: Callable[[str], None] = lambda _: None
) -> RegisterResult:
    """Add the objectives that are missing and take the start reading of those without one.

    What is done is journaled even when the server is lost half-way; the rest can be done later.

    Raises:
        ServerUnavailableError: the server was lost before all was asked.

    """
    return record(run, ask_registration(run.registration, run.state, session, told))


def ask_registration(
    registration: Registration,
    state: RunState,
    session: Session,
    told: Callable[[str], None] = lambda _: None,
    displays: Displays | None = None,
) -> RegisterResult:
    """Do the asking of a registration and write nothing; ``record`` writes what came of it.

    What it shows of display names goes into ``displays``: one just created shows its own.
    """
    displays = displays or Displays()
    result = RegisterResult()
    unit = registration.units[0].name
    try:
        for objective in registration.objectives:
            added = _add(objective, unit, session, result)
            told(f"  {added.name:16} {added.status} {added.reason}".rstrip())
            if added.status != "existing" or added.name not in state.created | state.existing:
                result.events.append(added)
        if not result.failed:
            displays.own.update(result.created)
            displays.proven.update(result.created)
            reader = CounterReader(session, registration.objectives, displays, wall_ms)
            result.events.append(_start_reading(registration, state, reader, result))
    except (SessionOverError, LinkError, ReplyError) as error:
        result.lost = str(error)
    namespaced, endpoint = session.console.namespaced, session.console.endpoint
    if namespaced is not None:
        result.events.insert(
            0, ev.Connection(host=endpoint.host, port=endpoint.port, namespaced=namespaced)
        )
    return result


def record(run: OpenRun, result: RegisterResult) -> RegisterResult:
    """Journal what a registration did.

    Raises:
        ServerUnavailableError: the server was lost before all was asked.

    """
    if result.events:
        run.writer.journal(*result.events)
    if result.lost is not None:
        raise ServerUnavailableError(result.lost)
    result.nonzero = run.state.start_not_zero(run.registration)
    return result


def _add(
    objective: Objective, unit: str, session: Session, result: RegisterResult
) -> ev.ObjectiveEvent:
    try:
        added = _ask_to_add(objective, unit, session)
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


def _ask_to_add(objective: Objective, unit: str, session: Session) -> Added:
    """Ask to add an objective; where that throws inside the server every time, look for it.

    What throws may have done its work before, or may throw because the objective is there. A
    reading of one unit tells: the server's list shows display names, which anybody can change.

    Raises:
        SessionOverError, ReplyError, LinkError: as ``Session.ask``.

    """
    try:
        return session.ask(lambda console, deadline: console.add_objective(objective, deadline))
    except CommandFailedError as error:
        reader = CounterReader(session, [objective], Displays(), wall_ms)
        try:
            reader.literal_answer(unit, objective.name)
        except ReplyError:
            raise error from None
    return Added.EXISTING


def _start_reading(
    registration: Registration, state: RunState, reader: CounterReader, result: RegisterResult
) -> ev.Registered:
    """Read every counter that has no start count yet; what this run created starts at 0.

    It stands for good, so it is whole or not taken: a counter that gives no value ends it.
    """
    created = state.created.union(result.created)
    start: ev.UnitCounts = {}
    for unit in registration.units:
        known = state.start.get(unit.name, {})
        counts: dict[str, int | None] = {}
        for objective in registration.objectives:
            if objective.name in result.created:
                counts[objective.name] = 0
            elif known.get(objective.name) is None:
                made_here = objective.name in created
                counts[objective.name] = (
                    0 if made_here else reader.ask_literal(unit.name, objective.name)
                )
        if counts:
            start[unit.name] = counts
    return ev.Registered(
        created=result.created,
        existing=result.existing,
        start=start,
        criterion_not_verifiable=sorted(set(result.existing) - created),
        own_names=sorted(reader.displays.own),
    )


def require_usable(registration: Registration, result: RegisterResult) -> None:
    """Insist that a window can open on what a registration found.

    Raises:
        DeclinedError: an objective cannot be had, or a start count is above 0 under ``zero``.

    """
    if result.failed:
        told = _first([f"{name}: {reason}" for name, reason in result.failed.items()], _NAMED)
        raise DeclinedError(f"objectives that could not be registered: {'; '.join(told)}")
    if registration.gate.start_counts == "zero" and result.nonzero:
        raise DeclinedError(_start_counts_text(result.nonzero, _NAMED_AT_START))


def _start_counts_text(nonzero: dict[str, dict[str, int | None]], most: int) -> str:
    """Return why ``start_counts = "zero"`` refuses these start counts; at most ``most`` named."""
    told = [
        f"{unit} {name} {'unknown' if count is None else count}"
        for unit, counts in nonzero.items()
        for name, count in counts.items()
    ]
    told = _first(told, most)
    return (
        'start_counts = "offset" is needed, which subtracts what was there, and once sealed that '
        "takes a new run (plateau-tui new): counters were not at 0 at the start reading "
        f"({', '.join(told)})"
    )


def _first(told: list[str], most: int) -> list[str]:
    """Return the first ``most`` of what is told, and how many more there are."""
    more = len(told) - most
    return [*told[:most], f"and {more} more"] if more > 0 else told


def start_problem(registration: Registration, state: RunState) -> str | None:
    """Return why ``collect`` will refuse this gate, from the start counts known so far, or None.

    Asked before a seal, as nothing in a sealed gate can be changed.
    """
    if registration.gate.start_counts != "zero":
        return None
    above: dict[str, dict[str, int | None]] = {}
    for unit, counts in state.start_not_zero(registration).items():
        known = {name: count for name, count in counts.items() if count is not None}
        if known:
            above[unit] = dict(known)
    return f"collect will refuse this gate: {_start_counts_text(above, _NAMED)}" if above else None
