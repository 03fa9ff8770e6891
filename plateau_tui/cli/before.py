"""What comes before the window: seal, check, register, watch-wood, pin."""

import sys
from collections.abc import Callable

import click

from plateau_tui.cli.common import (
    Words,
    halted_by_signals,
    print_json,
    require_no_collector,
    say,
    tell,
    warn_of_password,
    with_json,
    with_run,
    with_server,
)
from plateau_tui.cli.streams import written
from plateau_tui.collector import hand, operate
from plateau_tui.collector.diskroom import room_problem
from plateau_tui.collector.extend import add_species, require_may_add
from plateau_tui.collector.pins import PinRequest
from plateau_tui.collector.register import register as register_objectives
from plateau_tui.collector.register import start_problem
from plateau_tui.collector.run import (
    DeclinedError,
    ServerAccess,
    ServerUnavailableError,
    open_run,
    registration_of,
)
from plateau_tui.collector.sealed import sealed_text
from plateau_tui.config import operator_name
from plateau_tui.metric.feasibility import Feasibility
from plateau_tui.metric.tables import ConfigError, first_of
from plateau_tui.process import given_password
from plateau_tui.runlog.layout import RunFolder
from plateau_tui.runlog.state import RunState, read_state

_CHECK_S = 60.0
_MOST_SAID = 10
_REGISTER_S = 120.0


@click.command()
@with_run
@click.option(
    "--show",
    is_flag=True,
    help="Print the sealed text, byte for byte, from the journal; nothing is written.",
)
@with_json(sha256=None, feasible=None, reasons=[])
def seal(folder: RunFolder, show: bool, as_json: bool) -> None:
    """Check the gate and seal it; after that nothing in it may change.

    Says what the gate could come to with its pairs, and refuses one that cannot pass or cannot
    fail unless gate.accept holds a sentence. A registration.toml that was changed is put back
    with: plateau-tui seal RUN --show > sealed.toml, then move that over it.

    Example: plateau-tui seal p1-curiosity
    """
    if show:
        if as_json:
            raise click.UsageError("--show prints the text itself: leave --json away")
        _print_bytes(sealed_text(folder))
        return
    try:
        with open_run(folder) as run:
            sha256 = hand.seal(run, operator_name())
            registration = run.registration
            refused_later = start_problem(registration, run.state)
            no_room = room_problem(folder, registration)
    except hand.GateRefusedError as refused:
        _tell_seal(None, refused.found, list(refused.reasons), as_json=as_json)
        if as_json:
            raise click.exceptions.Exit(refused.exit_code) from None
        raise
    except (ConfigError, DeclinedError) as error:
        problems = list(error.problems) if isinstance(error, ConfigError) else [str(error)]
        if as_json:
            print_json({"sha256": None, "feasible": None, "reasons": problems})
        else:
            source = f"{error.source}: " if isinstance(error, ConfigError) else ""
            for problem in first_of(problems, _MOST_SAID):
                say(f"{source}{problem}")
        raise click.exceptions.Exit(1) from None
    found, accept = hand.feasibility(registration), registration.gate.accept.strip()
    reasons = [*found.reasons, *([f"accepted: {accept}"] if accept else [])]
    warn_of_password(given_password(), registration)
    for warning in (refused_later, no_room):
        if warning is not None:
            say(warning)
    _tell_seal(sha256, found, reasons, as_json=as_json)


def _print_bytes(data: bytes) -> None:
    """Print bytes as they are."""
    with written():
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def _tell_seal(
    sha256: str | None, found: Feasibility, reasons: list[str], *, as_json: bool
) -> None:
    """Print the seal, or its refusal, with what the gate could come to."""
    if as_json:
        print_json(
            {
                "sha256": sha256,
                "feasible": found.feasible,
                "reasons": reasons,
                "pairs": found.pairs,
                "best_lower": {str(pairs): bound for pairs, bound in found.best_lower},
                "fewest_favourable": found.fewest_favourable,
                "false_pass": {"rate": found.false_pass.rate, "how": found.false_pass.how},
                "smallest_pairs": found.smallest_pairs,
            }
        )
        return
    if sha256 is not None:
        tell(f"sealed {sha256}")
    for line in (*found.lines, *reasons):
        tell(f"  {line}")


@click.command()
@with_run
@with_server
@with_json()
def check(folder: RunFolder, access: Callable[[], ServerAccess], as_json: bool) -> None:
    """Look at the server, reading only: prefix, objectives, who is online.

    Example: plateau-tui check p1-curiosity --json
    """
    state, _ = read_state(folder.journal)
    registration = registration_of(folder, state)
    require_no_collector(folder)
    server = access()
    warn_of_password(server.password.reveal(), registration)
    where = {"host": server.endpoint.host, "port": server.endpoint.port}
    try:
        with (
            open_run(folder),
            halted_by_signals() as halt,
            server.by_hand(halt.event, _CHECK_S) as session,
        ):
            seen = hand.check(registration, session)
    except ServerUnavailableError as error:
        if not as_json:
            raise
        units = {unit.name: None for unit in registration.units}
        where_unknown = where | {"namespaced": None}
        print_json(
            {
                "connected": False,
                "server": where_unknown,
                "objectives": {},
                "units": units,
                "error": str(error),
            }
        )
        say(str(error))
        raise click.exceptions.Exit(error.exit_code) from None
    objectives = {
        name: "present" if there else "missing" for name, there in seen.objectives.items()
    }
    endpoint = server.endpoint
    if as_json:
        print_json(
            {
                "connected": True,
                "server": where | {"namespaced": seen.namespaced},
                "objectives": objectives,
                "units": dict(seen.online),
                "others": list(seen.others),
            }
        )
        return
    tell(f"connected to {endpoint}, {'minecraft: prefix' if seen.namespaced else 'vanilla'}")
    missing = [name for name, word in objectives.items() if word == "missing"]
    tell(f"objectives: {len(objectives) - len(missing)} present, {len(missing)} missing")
    if missing:
        tell(f"  missing: {', '.join(missing)} (plateau-tui register adds them)")
    for unit, online in seen.online.items():
        tell(f"  {unit:16} {'online' if online else 'OFFLINE'}")
    for line in hand.roster_lines(seen):
        tell(line)


@click.command()
@with_run
@with_server
@with_json(created=[], existing=[], failed={}, nonzero={})
def register(folder: RunFolder, access: Callable[[], ServerAccess], as_json: bool) -> None:
    """Add the missing objectives and take the start reading.

    Example: plateau-tui register p1-curiosity
    """
    require_no_collector(folder)
    state, _ = read_state(folder.journal)
    registration = registration_of(folder, state)
    _require_no_window(state)
    server = access()
    warn_of_password(server.password.reveal(), registration)
    with open_run(folder) as run, halted_by_signals() as halt:
        _require_no_window(run.state)
        with server.by_hand(halt.event, _REGISTER_S) as session:
            result = register_objectives(run, session)
        run.writer.require_written()
    if as_json:
        print_json(
            {
                "created": result.created,
                "existing": result.existing,
                "failed": result.failed,
                "nonzero": result.nonzero,
            }
        )
    else:
        tell(f"created {len(result.created)}, existed before {len(result.existing)}")
        if result.existing:
            tell(f"  what they count cannot be read back: {', '.join(result.existing)}")
        for name, reason in result.failed.items():
            tell(f"  failed: {name}: {reason}")
        for unit, counts in result.nonzero.items():
            told = ", ".join(f"{k} {'unknown' if n is None else n}" for k, n in counts.items())
            tell(f"  not at zero: {unit}: {told}")
        if not (result.failed or result.nonzero):
            tell("  start reading: no counter is above 0")
        if result.nonzero and run.registration.gate.start_counts == "zero":
            say('collect will refuse these start counts: seal with start_counts = "offset"')
    if result.failed:
        raise click.exceptions.Exit(1)


def _require_no_window(state: RunState) -> None:
    if state.window is not None or state.closed is not None:
        raise DeclinedError("the window is open: no objective is ever added again")


@click.command("watch-wood")
@with_run
@with_server
@click.option("--polls", type=click.IntRange(1, 100_000), default=30, show_default=True)
@click.option("--every", type=click.FloatRange(0.05, 3600), default=2.0, show_default=True)
@click.option(
    "--also", metavar="SPECIES", help="Add this log to the draft, register it, watch it too."
)
@with_json(units={}, suggestion={})
def watch_wood(
    folder: RunFolder,
    access: Callable[[], ServerAccess],
    polls: int,
    every: float,
    also: str | None,
    as_json: bool,
) -> None:
    """First poll: watch which log counter moves while the bodies chop.

    While a collector holds the run its rows are looked at instead.

    Example: plateau-tui watch-wood p1-curiosity --polls 10 --every 3
    """
    if operate.collector_pid(folder) is not None:
        state, _ = read_state(folder.journal)
        _tell_watch(hand.watch_rows(registration_of(folder, state), state, folder), as_json=as_json)
        return
    state, _ = read_state(folder.journal)
    registration = registration_of(folder, state)
    if also:
        require_may_add(registration, state, also)
    server = access()
    warn_of_password(server.password.reveal(), registration)
    if also:
        with open_run(folder) as run:
            add_species(run, also)
    with (
        open_run(folder) as run,
        halted_by_signals() as halt,
        server.by_hand(halt.event, _REGISTER_S) as session,
    ):
        if also:
            register_objectives(run, session)
        seen = hand.watch_wood(
            run,
            session,
            polls=polls,
            every_s=every,
            told=(lambda _: None) if as_json else _Teller(polls).tell,
        )
    _tell_watch(seen, as_json=as_json)


class _Teller:
    """Tells a watch's first reading, and each later one that moved."""

    def __init__(self, polls: int) -> None:
        self._polls = polls
        self._poll = 0
        self._told = ""

    def tell(self, watch: hand.WoodWatch) -> None:
        """Say what moved since the watch began, where that is new."""
        text = _moving(watch)
        if text != self._told:
            say(f"poll {self._poll} of {self._polls}: {text}")
        self._poll, self._told = self._poll + 1, text


def _moving(watch: hand.WoodWatch) -> str:
    moving = [
        f"{unit} {', '.join(f'{species} +{n}' for species, n in grown.items() if n)}"
        for unit, grown in watch.units.items()
        if any(grown.values())
    ]
    return "; ".join(moving) or "no log counter has moved yet: is a body chopping?"


def _tell_watch(watch: hand.WoodWatch, *, as_json: bool) -> None:
    suggestion = watch.suggestion
    units = {u: {s: n for s, n in grown.items() if n} for u, grown in watch.units.items()}
    if as_json:
        print_json({"units": units, "suggestion": suggestion})
        return
    for unit, grown in units.items():
        told = ", ".join(f"{species} +{n}" for species, n in grown.items()) or "nothing moved"
        tell(f"{unit:16} {told}; pin: {suggestion[unit] or 'no suggestion'}")
    if not any(units.values()):
        say(
            "no log counter moved: is a body chopping, and one of these species? "
            "--also SPECIES watches another"
        )


class _UnitSpecies(click.ParamType[tuple[str, str]]):
    name = "UNI=SPECIES"

    def convert(
        self,
        value: str | tuple[str, str],
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        unit, sign, species = value.partition("=")
        if not (unit and sign and species):
            self.fail(f"{value!r} is not of the form UNI-10-1=oak_log", param, ctx)
        return unit, species


@click.command()
@with_run
@click.argument("species", required=False)
@click.option("--unit", "units", multiple=True, type=_UnitSpecies(), help="Pin one unit's log.")
@click.option(
    "--anyway",
    default="",
    type=Words(),
    metavar="WHY",
    help="Pin against the evidence, and say why.",
)
def pin(
    folder: RunFolder, species: str | None, units: tuple[tuple[str, str], ...], anyway: str
) -> None:
    """Pin BASELINE_WOOD: the log that a unit was farming before the run.

    Example: plateau-tui pin p1-curiosity oak_log --unit UNI-11-2=birch_log
    """
    folder.require()
    for line in operate.pin(folder, PinRequest(species, dict(units), anyway, operator_name())):
        tell(line)
