"""Looking at a run without touching it: status, verify."""

import click
import msgspec

from plateau_tui.cli.common import print_json, tell, with_json, with_run
from plateau_tui.collector.run import registration_of, wall_ms
from plateau_tui.metric.fence import CLAIM_FENCE_SHORT
from plateau_tui.metric.plain import counted
from plateau_tui.metric.tables import shown
from plateau_tui.report.difference import gate_difference
from plateau_tui.report.names import is_export
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import read_state
from plateau_tui.runlog.status import RunStatus, UnitStatus, run_status
from plateau_tui.runlog.verify import Problem, VerifyResult, verify_run

_LINE = "{:16} {:10} {:4} {:4} {:4} {:4} {:>6} {:>6} {:>5} {:>6}"
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
    if as_json:
        print_json(msgspec.to_builtins(now))
        return
    for line in status_lines(now):
        tell(line)


def status_lines(now: RunStatus) -> list[str]:
    """Return the status as lines for a person; unknown is shown as ?."""
    cycle = "-" if now.cycle is None else str(now.cycle + 1)
    collector = f"collector {now.collector.pid}" if now.collector.running else "no collector runs"
    age = now.collector.heartbeat_age_s
    beat = "" if age is None else f", heartbeat {age:.0f} s old"
    head = ("unit", "arm", "live", "PRIM", "SEC", "both", "placed", "beyond", "hoard", "age s")
    lines = [
        f"{now.state}: cycle {cycle} of {now.cycles}, {now.gaps} with gaps; {collector}{beat}",
        f"next poll {now.next_poll_ts or '-'}; last cycle read whole: {_WORDS[now.rcon_ok]}",
        _LINE.format(*head),
    ]
    lines += [_unit_line(name, unit) for name, unit in now.units.items()]
    for role in ("treatment", "control"):
        lines += _arm_lines(role, now)
    if not now.pinned:
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
def verify(folder: RunFolder, as_json: bool) -> None:
    """Re-derive everything from the log: chains, completeness, scores. Exit 1 when not intact.

    Of an export also the checksums, and the verdict, which is derived anew and compared.

    Example: plateau-tui verify p1-curiosity
    """
    if is_export(folder.path):
        from plateau_tui.report.check import check_export  # noqa: PLC0415 - the verdict's weight

        checked = check_export(folder)
        result, said, unchecked = checked.result, checked.said, checked.unchecked
    else:
        result, said, unchecked = verify_run(folder.require()), (), ()
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
            }
        )
    else:
        for line in (*map(problem_line, result.problems), *said):
            tell(line)
        for line in difference:
            tell(f"  | {shown(line)}")
        tell(f"{_closing(result, unchecked)}; {result.rows} rows in {result.cycles} cycles")
        tell(f"rows head {result.rows_head or '-'}")
        tell(f"journal head {result.journal_head}")
    if not result.intact:
        raise click.exceptions.Exit(1)


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
        now = folder.registration.read_bytes()
    except OSError:
        now = None
    return [] if sealed is None else gate_difference(sealed.text, now)


def problem_line(problem: Problem) -> str:
    """Return what does not hold, and where."""
    place = "" if problem.line is None else f" line {problem.line} (byte {problem.byte})"
    return f"{problem.file}{place}: {problem.code}: {problem.text}"
