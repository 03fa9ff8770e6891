"""``plateau-tui calibrate``: whether a contract measures what a run made happen."""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypedDict, Unpack

import click

from plateau_tui.calibration.catalog import load_target, target_ids
from plateau_tui.calibration.contract import Contract
from plateau_tui.calibration.contractfile import (
    contract_from_json,
    contract_from_toml,
    contract_to_json,
    contract_to_toml,
)
from plateau_tui.calibration.controls import Ranked, ranked, ranked_lines
from plateau_tui.calibration.errors import ContractError, MissingExtraError
from plateau_tui.calibration.outcome import Outcome, outcome_of, outcomes_lines
from plateau_tui.calibration.record import left_out_record, report_record
from plateau_tui.calibration.recorded import RecordedRun
from plateau_tui.calibration.recordedlines import run_lines, run_record
from plateau_tui.calibration.reference import Reference, read_reference
from plateau_tui.calibration.replay import Progress, silent
from plateau_tui.calibration.target import Target
from plateau_tui.cli.common import print_json, say, tell, with_json
from plateau_tui.cli.controls import ranked_json, require_controls
from plateau_tui.cli.recorded import recorded_run
from plateau_tui.cli.streams import complain
from plateau_tui.config import runs_folder
from plateau_tui.metric.plain import out_of
from plateau_tui.metric.tables import MAX_TOML_BYTES
from plateau_tui.plainfile import given_bytes
from plateau_tui.runlog.layout import find_run

_BAR: Final = 24


class _Options(TypedDict):
    """The options as click gives them."""

    targets: tuple[str, ...]
    reference: Path | None
    contract: Path | None
    seed: int | None
    walks: int
    processes: int | None
    motion: bool
    folder: Path | None
    run: str | None
    runs: str | None
    controls: bool


@dataclass(frozen=True, slots=True)
class _Played:
    outcome: Outcome
    ranked: Ranked | None


@click.command()
@click.argument("targets", metavar="[TARGET]...", nargs=-1)
@click.option(
    "--reference",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Replay this reference instead of the one that ships.",
)
@click.option(
    "--contract",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Measure this contract (TOML or JSON) instead of deriving one.",
)
@click.option("--seed", type=int, help="The replay seed, instead of the reference's.")
@click.option(
    "--walks",
    type=click.IntRange(0, 100_000),
    default=32,
    show_default=True,
    help="Walks of a sound generator beside the baselines.",
)
@click.option("--processes", type=click.IntRange(1, 256), help="How many play at once.")
@click.option("--motion", is_flag=True, help="Show how every numeric channel moved.")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write each contract that is not refused into DIR, as TOML and JSON.",
)
@click.option(
    "--run",
    metavar="RUN",
    help="Measure a recorded run, or an export: treatment units against control units.",
)
@click.option("--runs", metavar="DIR", help="The folder of runs (or PLATEAU_TUI_RUNS).")
@click.option("--controls", is_flag=True, help="Rank players that look, where a target has some.")
@with_json(targets={})
def calibrate(as_json: bool, **options: Unpack[_Options]) -> None:
    """Play baselines that do not look, and see what they earn of a contract.

    TARGET: a target's name; without any, all that can be played here, or RUN alone. Exit code 1
    when a contract is refused.

    Example: plateau-tui calibrate breakout --walks 32
    """
    targets = options["targets"]
    if (options["reference"] or options["contract"]) and len(targets) != 1:
        raise click.UsageError("--reference and --contract go with exactly one TARGET")
    run = _run(options)
    names = targets or (() if run else target_ids())
    played: list[_Played] = []
    skipped: dict[str, str] = {}
    loaded = [load_target(name) for name in dict.fromkeys(names)]
    if options["controls"]:
        require_controls(loaded)
    for target in loaded:
        try:
            played.append(_play(target, options))
        except MissingExtraError as error:
            if targets:
                raise
            skipped[target.id] = str(error)
            say(f"left out: {error}")
    outcomes = [each.outcome for each in played]
    controls = [each.ranked for each in played if each.ranked]
    if as_json:
        looked = ranked_json(controls) if options["controls"] else {}
        found = _records(outcomes) | _run_record(run)
        print_json({"targets": found, **looked, "skipped": skipped})
    else:
        width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
        for line in (
            *outcomes_lines(outcomes, width, motion=options["motion"]),
            *ranked_lines(controls, width),
            *(run_lines(run, width) if run else ()),
        ):
            tell(line)
    if any(outcome.refused for outcome in outcomes):
        raise click.exceptions.Exit(1)


def _run(options: _Options) -> RecordedRun | None:
    name = options["run"]
    return None if name is None else recorded_run(find_run(name, runs_folder(options["runs"])))


def _run_record(run: RecordedRun | None) -> dict[str, object]:
    return {run.registration.run_id: run_record(run)} if run else {}


def _play(target: Target, options: _Options) -> _Played:
    target.require()
    reference = _reference(target, options)
    told = _progress(target.id)
    try:
        outcome = outcome_of(
            target,
            reference,
            contract=_contract(target, options["contract"]),
            walks=options["walks"],
            processes=options["processes"],
            progress=told,
        )
        report = outcome.measured.report
        looked = ranked(target, reference, report, told) if options["controls"] else None
    finally:
        _clear_progress()
    if options["folder"] is not None and not outcome.refused:
        _write(report.contract, options["folder"])
    return _Played(outcome, looked)


def _reference(target: Target, options: _Options) -> Reference:
    file, seed = options["reference"], options["seed"]
    reference = target.reference() if file is None else read_reference(file)
    return reference if seed is None else replace(reference, seed=seed)


def _contract(target: Target, file: Path | None) -> Contract | None:
    if file is None:
        return None
    try:
        text = given_bytes(file, MAX_TOML_BYTES)
    except OSError as error:
        raise ContractError(str(file), (error.strerror or "cannot be read",)) from None
    read = contract_from_json if file.suffix == ".json" else contract_from_toml
    contract = read(text, str(file))
    if contract.target != target.id:
        raise ContractError(str(file), (f"is a contract of {contract.target}, not {target.id}",))
    return contract


def _write(contract: Contract, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{contract.target}.toml"
        path.write_text(contract_to_toml(contract), encoding="utf-8")
        path.with_suffix(".json").write_text(contract_to_json(contract), encoding="utf-8")
    except OSError as error:
        raise ContractError(str(folder), (error.strerror or "cannot be written",)) from None


def _records(outcomes: Sequence[Outcome]) -> dict[str, object]:
    return {
        outcome.name: report_record(
            outcome.measured.report, outcome.measured.declared, outcome.refused
        )
        | {"words_left_out": left_out_record(outcome.measured.left_out)}
        for outcome in outcomes
    }


def _progress(name: str) -> Progress:
    """Return a line on the terminal that says how far a calibration is."""
    if not sys.stderr.isatty():
        return silent

    def told(done: int, total: int, what: str) -> None:
        bar = "#" * (_BAR * done // total)
        line = f"{name} [{bar:{_BAR}}] {out_of(done, total, 'run')}: {what:16}"
        # A line that went on in the next one could not be taken back.
        complain(f"\r{line[: shutil.get_terminal_size().columns - 1]}", newline=False)

    return told


def _clear_progress() -> None:
    if sys.stderr.isatty():
        complain("\r\x1b[K", newline=False)
