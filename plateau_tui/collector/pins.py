"""Pinning BASELINE_WOOD: which evidence there is, and whether a pin stands up to it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from plateau_tui.collector.run import BadRequestError, DeclinedError, OpenRun
from plateau_tui.metric.objectives import LOG_SPECIES, nearest
from plateau_tui.metric.pinning import evidence_against
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.progress import CountProgress, LogCounters
from plateau_tui.runlog.scan import read_rows


@dataclass(frozen=True)
class PinRequest:
    """Which species to pin: for every unit, and for single units instead."""

    species: str | None
    by_unit: Mapping[str, str]
    anyway: str
    by: str


@dataclass(frozen=True)
class PinCase:
    """What a pin is judged by: the run's units, the logs it counts, what each unit's logs did.

    ``in_window`` says that the evidence is that of the run's own rows, and leaves no choice.
    """

    units: Sequence[str]
    logs: Collection[str]
    evidence: Mapping[str, Mapping[str, int]]
    in_window: bool


def pin_events(run: OpenRun, request: PinRequest, progress: CountProgress | None) -> list[ev.Event]:
    """Return the events that a pin writes: all that was asked for, or nothing.

    Args:
        run: the run; once its window is open only the evidence of its own rows counts.
        request: what was asked for.
        progress: the rows so far, None to read them from the file.

    Raises:
        DeclinedError: the evidence names another species, or the species cannot be pinned.

    """
    registration, state = run.registration, run.state
    if state.closed is not None:
        raise DeclinedError("the window is closed: a pin can no longer be made")
    names = [unit.name for unit in registration.units]
    in_window = state.window is not None or run.folder.has_rows
    if in_window and progress is None:
        progress = CountProgress(registration, state).take_all(read_rows(run.folder.rows))
    if in_window and progress is not None:
        evidence = {name: progress.units[name].growth.evidence() for name in names}
    else:
        evidence = dict(state.watch.grown) if state.watch else {}
    logs = set(LogCounters(registration, state).species.values())
    wanted = judged_pins(request, PinCase(names, logs, evidence, in_window))
    return [
        ev.Pinned(
            by=request.by,
            unit=unit,
            species=species,
            evidence=evidence.get(unit, {}),
            anyway=request.anyway,
        )
        for unit, species in wanted.items()
    ]


def judged_pins(request: PinRequest, case: PinCase) -> dict[str, str]:
    """Return unit -> species as they can be pinned: all that is asked for.

    Raises:
        BadRequestError: it names no unit, no log, or nothing.
        DeclinedError: the evidence names another species, or the run does not count that one.

    """
    wanted = _wanted(case.units, request)
    _check_species(set(wanted.values()), case.logs)
    if request.anyway and not case.in_window:
        return wanted
    refused = [
        f"{unit} grew {', '.join(f'{each} +{grown[each]}' for each in better)}"
        for unit, species in wanted.items()
        if (better := evidence_against(species, grown := case.evidence.get(unit, {})))
    ]
    if refused:
        way_out = (
            "only the log that grew most in a unit's own rows can be pinned now"
            if case.in_window
            else "pin that one with --unit UNI=SPECIES, or say why not with --anyway"
        )
        raise DeclinedError(f"the evidence names another species: {'; '.join(refused)}; {way_out}")
    return wanted


def _wanted(names: Sequence[str], request: PinRequest) -> dict[str, str]:
    for unit in request.by_unit:
        if unit not in names:
            raise BadRequestError(f"{unit!r} is no unit of this run{nearest(unit, names)}")
    wanted = {name: request.species for name in names if request.species}
    wanted |= request.by_unit
    if not wanted:
        raise BadRequestError("name a species, or --unit UNI=SPECIES")
    return {name: wanted[name] for name in names if name in wanted}


def _check_species(species: Collection[str], logs: Collection[str]) -> None:
    for name in sorted(species):
        if name not in LOG_SPECIES:
            raise BadRequestError(
                f"{name!r} is no log of 1.16.5{nearest(name, LOG_SPECIES)}; "
                f"the logs are {', '.join(LOG_SPECIES)}"
            )
        if name not in logs:
            raise DeclinedError(
                f"no objective of this run counts mined {name}, so it could never be confirmed: "
                f"add it before the seal with watch-wood --also {name}"
            )


def unpinned_text(units: Sequence[str]) -> str:
    """Return the warning for a window that opens without a pin of these units.

    What it means is row 5 of the decision table (``metric.decision``).
    """
    return (
        f"no BASELINE_WOOD is pinned for {', '.join(units)}: whoever is live without a pin makes "
        "the verdict WITHHELD; plateau-tui pin RUN SPECIES"
    )
