"""Looking at a run without touching it: status, verify."""

from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from plateau_tui.cli.common import print_json, say, tell, with_json, with_run
from plateau_tui.cli.findings import (
    findings_lines,
    findings_record,
    problem_line,
    repair_lines,
    repair_record,
)
from plateau_tui.collector.run import journal_lost_text, registration_of, wall_ms
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT
from plateau_tui.metric.plain import counted
from plateau_tui.metric.tables import shown
from plateau_tui.plainfile import require_plain
from plateau_tui.report.difference import gate_difference
from plateau_tui.report.names import is_export
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.repair import repair_copy
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.status import RunStatus, UnitStatus, run_status
from plateau_tui.runlog.tomlfile import toml_bytes
from plateau_tui.runlog.verify import Problem, VerifyResult, verify_run

_LINE = "{:16} {:10} {:4} {:4} {:4} {:4} {:>6} {:>6} {:>5} {:>6}"
_FROM_0 = "(cycles are named here as the rows number them, from 0; on screen they count from 1)"
_RAW = (
    'start_counts = "offset": placed and beyond are the raw counts; the flags count since the '
    "start reading"
)
_WORDS = {True: "yes", False: "no", None: "?"}


@click.command()
@with_run
@with_json()
def status(folder: RunFolder, as_json: bool) -> None:
    """How far a run is: state, collector, gaps, every unit.

    Example: plateau-tui status p1-curiosity --json
    """
    folder.require()
    state, _ = read_state(folder.journal)
    registration = registration_of(folder, state)
    now = run_status(folder, state, registration, wall_ms())
    lost = journal_lost_text(folder)
    if lost is not None:
        say(lost)
    if as_json:
        print_json(msgspec.to_builtins(now))
        return
    # Textual comes with these lines; a script that asks for --json does not wait for it.
    from plateau_tui.cli.wrong import wrong_lines  # noqa: PLC0415

    for line in status_lines(now, wrong_lines(folder)):
        tell(line)
    if registration.gate.start_counts == "offset":
        tell(_RAW)


def status_lines(now: RunStatus, wrong: Sequence[str] = ()) -> list[str]:
    """Return the status as lines for a person, what is ``wrong`` first; unknown is shown as ?."""
    cycle = "-" if now.cycle is None else str(now.cycle + 1)
    collector = f"collector {now.collector.pid}" if now.collector.running else "no collector runs"
    age = now.collector.heartbeat_age_s
    beat = "" if age is None else f", heartbeat {age:.0f} s old"
    head = ("unit", "arm", "live", "PRIM", "SEC", "both", "placed", "beyond", "hoard", "age s")
    lines = [
        f"{now.state}: cycle {cycle} of {now.cycles}, {now.gaps} with gaps; {collector}{beat}",
        f"next poll {now.next_poll_ts or '-'}; last cycle read whole: {_WORDS[now.rcon_ok]}",
        *wrong,
        _LINE.format(*head),
    ]
    lines += [_unit_line(name, unit) for name, unit in now.units.items()]
    for role in ("treatment", "control"):
        lines += _arm_lines(role, now)
    if not now.pinned and now.state != "open":
        lines.append("not every unit is pinned: its SECONDARY is unknown (plateau-tui pin)")
    return [*lines, CLAIM_FENCE_SHORT]


def _unit_line(name: str, unit: UnitStatus) -> str:
    flags = (unit.online, unit.primary, unit.secondary, unit.plateau_break)
    counts = (unit.placed_used_total, unit.distinct_mined_beyond, unit.pickaxe_hoard)
    age = None if unit.age_s is None else round(unit.age_s)
    numbers = ("?" if n is None else str(n) for n in (*counts, age))
    return _LINE.format(name, unit.arm[:10], *(_WORDS[flag] for flag in flags), *numbers)


def _arm_lines(role: str, now: RunStatus) -> list[str]:
    units = {name: unit for name, unit in now.units.items() if unit.role == role}
    counts = ", ".join(
        f"{word} {_reached([getattr(unit, flag) for unit in units.values()])}"
        for word, flag in (
            ("PRIMARY", "primary"),
            ("SECONDARY", "secondary"),
            ("both", "plateau_break"),
        )
    )
    table = [name for name, unit in units.items() if unit.primary and unit.table_only]
    log = [name for name, unit in units.items() if unit.secondary and unit.other_log]
    lines = [f"{role}: {counts}"]
    if table:
        lines.append(f"  disclosed: PRIMARY by the crafting table alone: {', '.join(table)}")
    if log:
        lines.append(f"  disclosed: SECONDARY only with another log species: {', '.join(log)}")
    return lines


def _reached(flags: list[bool | None]) -> str:
    unknown = f" ({flags.count(None)} unknown)" if None in flags else ""
    return f"{flags.count(True)} of {len(flags)}{unknown}"


@click.command()
@with_run
@with_json()
@click.option(
    "--repair-copy",
    "target",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write a copy to DIR with what can be relied on, the rest beside; RUN is not touched.",
)
@click.option(
    "--earlier",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    metavar="FILE",
    help="A rotated file from elsewhere that the rows or the journal go on from.",
)
def verify(
    folder: RunFolder, as_json: bool, target: Path | None, earlier: tuple[Path, ...]
) -> None:
    """Re-derive everything from the log: chains, completeness, scores. Exit 1 when not intact.

    Names the first line that is amiss and whether it was torn, changed or is missing, and what
    can still be relied on. Of an export also the checksums, and the verdict, which is derived
    anew and compared.

    Example: plateau-tui verify p1-curiosity --repair-copy p1-repaired
    """
    _require_meant(folder, target, earlier)
    if is_export(folder.path):
        from plateau_tui.report.check import check_export  # noqa: PLC0415 - the verdict's weight

        checked = check_export(folder)
        result, said, unchecked = checked.result, checked.said, checked.unchecked
    else:
        result, said, unchecked = verify_run(folder.require(), more=earlier), (), ()
    repair = None if target is None else repair_copy(folder, target)
    difference = _gate_difference(folder) if any(map(_is_of_seal, result.problems)) else []
    if as_json:
        print_json(
            {
                "intact": result.intact,
                "rows": result.rows,
                "cycles": result.cycles,
                "rows_head": result.rows_head,
                "journal_head": result.journal_head,
                "problems": msgspec.to_builtins(result.problems),
                "not_compared": list(unchecked),
                "registration_difference": difference,
                **findings_record(result),
                **({} if repair is None else {"repair": repair_record(repair)}),
            }
        )
    else:
        for line in (*map(problem_line, result.problems), *said):
            tell(line)
        if any("cycle " in problem.text for problem in result.problems):
            tell(_FROM_0)
        for line in difference:
            tell(f"  | {shown(line)}")
        tell(f"{_closing(result, unchecked)}; {result.rows} rows in {result.cycles} cycles")
        tell(f"rows head {result.rows_head or '-'}")
        tell(f"journal head {result.journal_head}")
        for line in findings_lines(result):
            tell(line)
        if repair is not None:
            for line in repair_lines(repair, str(target)):
                tell(line)
    if not result.intact:
        raise click.exceptions.Exit(1)


def _require_meant(folder: RunFolder, target: Path | None, earlier: tuple[Path, ...]) -> None:
    if (target or earlier) and is_export(folder.path):
        raise click.UsageError("an export is made anew from its run: plateau-tui export RUN")
    for path in earlier:
        require_plain(path)
    if target and earlier:
        # A copy that says more than its original does would be more than a repair.
        raise click.UsageError("put the earlier file back beside the log; then repair")


def _closing(result: VerifyResult, unchecked: tuple[str, ...]) -> str:
    """Return what the check comes to; what could not be compared is never plainly intact."""
    if not result.intact:
        return f"NOT intact: {counted(len(result.problems), 'problem')}"
    return f"intact, except: {'; '.join(unchecked)}" if unchecked else "intact"


def _is_of_seal(problem: Problem) -> bool:
    return problem.code == "seal_broken"


def _gate_difference(folder: RunFolder) -> list[str]:
    """Return what changed in registration.toml since it was sealed, as a unified diff."""
    sealed = read_state(folder.journal)[0].sealed
    try:
        now = toml_bytes(folder.registration)
    except OSError:
        now = None
    return [] if sealed is None else gate_difference(sealed.text, now)
