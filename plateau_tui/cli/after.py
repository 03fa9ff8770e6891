"""What comes after the window: verdict, export."""

import contextlib
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from plateau_tui.cli.common import print_json, say, tell, with_json, with_run
from plateau_tui.collector.adjudicate import adjudicate_run
from plateau_tui.config import operator_name
from plateau_tui.metric.fence import felt_state_warning
from plateau_tui.report.export import export_run
from plateau_tui.report.gather import Judged, judge
from plateau_tui.report.record import evidence_words, record
from plateau_tui.report.screen import screen_lines
from plateau_tui.report.words import headline
from plateau_tui.runlog.layout import RunFolder

_MAX_ATTESTATION = 1 << 20


@click.command()
@with_run
@click.option(
    "--attest", metavar="FILE", help="The adjudicator's answers; kept in the run and its journal."
)
@with_json()
def verdict(folder: RunFolder, attest: str | None, as_json: bool) -> None:
    """Derive PASS, PARTIAL, FAIL or WITHHELD from the log, with the work shown.

    Where the rules ask questions (SR-2, SR-4) the file that answers them is shown. Exit code 0
    for each of the four.

    Example: plateau-tui verdict p1-curiosity --attest answers.toml
    """
    folder.require()
    with _readable():
        if attest is None:
            judged = judge(folder)
        else:
            found = adjudicate_run(folder, _answers(attest), operator_name())
            judged = found.judged
            if found.not_kept is not None:
                say(found.not_kept)
    _warn_of_felt_states(judged)
    if as_json:
        print_json(record(judged))
        return
    for line in screen_lines(judged, _as_typed()):
        tell(line)


@click.command()
@with_run
@click.option("--to", "target", metavar="DIR", help="The export's folder; default RUN/export.")
def export(folder: RunFolder, target: str | None) -> None:
    """Write the export: log, verdict, page, plots and checksums, whole or not at all.

    The same log gives the same bytes. An earlier export of the run is replaced.

    Example: plateau-tui export p1-curiosity --to ../p1-curiosity-export
    """
    folder.require()
    with _readable():
        done = export_run(folder, None if target is None else Path(target))
    _warn_of_felt_states(done.judged)
    tell(f"{headline(done.judged.verdict)}; exported to {done.path}")
    tell(f"check it: plateau-tui verify {done.path}")


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    """Tell a file that cannot be read from a fault of the program."""
    try:
        yield
    except OSError as error:
        if getattr(type(error), "exit_code", None) is not None:
            raise
        raise click.UsageError(f"{error.filename} cannot be read: {error.strerror}") from None


def _as_typed() -> str:
    """Return RUN as it was typed, for the commands that come next."""
    return shlex.quote(str(click.get_current_context().params["run"]))


def _answers(name: str) -> bytes:
    with Path(name).open("rb") as file:
        return file.read(_MAX_ATTESTATION)


def _warn_of_felt_states(judged: Judged) -> None:
    words = evidence_words(judged.case.attestation)
    if words:
        say(f"in the attestation, {felt_state_warning(words)}")
