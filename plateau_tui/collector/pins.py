"""Pinning BASELINE_WOOD: which evidence there is, and whether a pin stands up to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plateau_tui.collector.run import BadRequestError, DeclinedError, OpenRun
from plateau_tui.metric.objectives import LOG_SPECIES, nearest
from plateau_tui.metric.pinning import evidence_against
from plateau_tui.metric.registration import Registration
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.progress import LogCounters, RunProgress
from plateau_tui.runlog.scan import read_rows
from plateau_tui.runlog.state import RunState


@dataclass(frozen=True)
class PinRequest:
    """Which species to pin: for every unit, and for single units instead."""

    species: str | None
    by_unit: Mapping[str, str]
    anyway: str
    by: str


def pin_events(run: OpenRun, request: PinRequest, progress: RunProgress | None) -> list[ev.Event]:
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
    wanted = _wanted(registration, request)
    _check_species(set(wanted.values()), registration, state)
    in_window = state.window is not None or run.folder.has_rows
    if in_window and progress is None:
        progress = RunProgress(registration, state).take_all(read_rows(run.folder.rows))
    events: list[ev.Event] = []
    refused: list[str] = []
    for unit, species in wanted.items():
        evidence = progress.units[unit].growth.evidence() if progress and in_window else None
        if evidence is None:
            evidence = state.watch.grown.get(unit, {}) if state.watch else {}
        better = evidence_against(species, evidence)
        if better and (in_window or not request.anyway):
            refused.append(f"{unit} grew {', '.join(f'{s} +{evidence[s]}' for s in better)}")
        events.append(
            ev.Pinned(
                by=request.by, unit=unit, species=species, evidence=evidence, anyway=request.anyway
            )
        )
    if refused:
        way_out = (
            "only the log that grew most in a unit's own rows can be pinned now"
            if in_window
            else "pin that one with --unit UNI=SPECIES, or say why not with --anyway"
        )
        raise DeclinedError(f"the evidence names another species: {'; '.join(refused)}; {way_out}")
    return events


def _wanted(registration: Registration, request: PinRequest) -> dict[str, str]:
    names = [unit.name for unit in registration.units]
    for unit in request.by_unit:
        if unit not in names:
            raise BadRequestError(f"{unit!r} is no unit of this run{nearest(unit, names)}")
    wanted = {name: request.species for name in names if request.species}
    wanted |= request.by_unit
    if not wanted:
        raise BadRequestError("name a species, or --unit UNI=SPECIES")
    return {name: wanted[name] for name in names if name in wanted}


def _check_species(species: set[str], registration: Registration, state: RunState) -> None:
    watched = set(LogCounters(registration, state).species.values())
    for name in sorted(species):
        if name not in LOG_SPECIES:
            raise BadRequestError(
                f"{name!r} is no log of 1.16.5{nearest(name, LOG_SPECIES)}; "
                f"the logs are {', '.join(LOG_SPECIES)}"
            )
        if name not in watched:
            raise DeclinedError(
                f"no objective of this run counts mined {name}, so it could never be confirmed: "
                f"add it before the seal with watch-wood --also {name}"
            )


def unpinned_text(units: Sequence[str]) -> str:
    """Return the warning for a window that opens without a pin of these units."""
    return (
        f"no BASELINE_WOOD is pinned for {', '.join(units)}: SECONDARY stays unknown until "
        "plateau-tui pin RUN SPECIES"
    )
