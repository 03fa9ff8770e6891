"""What comes after the window: verdict, export."""

import contextlib
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from plateau_tui.cli.common import print_json, say, tell, with_json, with_run
from plateau_tui.collector.adjudicate import adjudicate_run
from plateau_tui.collector.run import DeclinedError
from plateau_tui.config import operator_name
from plateau_tui.metric.attestation import parse_attestation
from plateau_tui.metric.fence import felt_state_warning
from plateau_tui.plainfile import given_bytes
from plateau_tui.report.export import export_run
from plateau_tui.report.gather import Judged, judge
from plateau_tui.report.names import ATTESTATION
from plateau_tui.report.record import evidence_words, record
from plateau_tui.report.screen import open_skeleton, screen_lines
from plateau_tui.report.words import headline
from plateau_tui.runlog.layout import RunFolder

_MAX_ATTESTATION = 1 << 20


@click.command()
@with_run
@click.option(
    "--attest", metavar="FILE", help="The adjudicator's answers; kept in the run and its journal."
)
@click.option(
    "--questions", metavar="FILE", help="Write the open questions to FILE, to be filled in."
)
@with_json()
def verdict(folder: RunFolder, attest: str | None, questions: str | None, as_json: bool) -> None:
    """Derive PASS, PARTIAL, FAIL or WITHHELD from the log, with the work shown.

    Where the rules ask questions (SR-2, SR-4) the file that answers them is shown; --questions
    writes it, where there is no file yet. Exit code 0 for each of the four.

    Example: plateau-tui verdict p1-curiosity --attest answers.toml
    """
    folder.require()
    if attest is not None and questions is not None:
        raise click.UsageError("--attest gives the answers and --questions asks: one at a time")
    with _readable():
        if attest is None:
            judged = judge(folder)
        else:
            text = _answers(attest)
            parse_attestation(text, attest)  # what is wrong in it is told under its own name
            found = adjudicate_run(folder, text, operator_name())
            judged = found.judged
            if found.not_kept is not None:
                say(found.not_kept)
    _warn_of_felt_states(judged)
    if questions is not None:
        _write_questions(folder, judged, questions)
    if as_json:
        print_json(record(judged))
        return
    if questions is not None:
        tell(headline(judged.verdict))
        tell(f"The questions stand in {questions}. Fill it in, then:")
        tell(f"  plateau-tui verdict {_as_typed()} --attest {shlex.quote(questions)}")
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


def _write_questions(folder: RunFolder, judged: Judged, name: str) -> None:
    """Write the attestation to fill in to a file that is not there yet.

    Raises:
        DeclinedError: no question is open.
        click.UsageError: the file is there, or cannot be written.

    """
    path = Path(name)
    lines = open_skeleton(judged)
    if not lines:
        raise DeclinedError(f"no question is open: {name} was not written")
    if path.absolute() == (folder.path / ATTESTATION).absolute():
        raise click.UsageError(f"{name} is where given answers are kept: name another file")
    try:
        with path.open("xb") as file:
            os.fchmod(file.fileno(), folder.file_mode)
            file.write("".join(f"{line}\n" for line in lines).encode("utf-8"))
    except FileExistsError:
        raise click.UsageError(
            f"{name} is there already and stays as it is: name another"
        ) from None
    except OSError as error:
        raise click.UsageError(f"{name} cannot be written: {error.strerror}") from None


def _answers(name: str) -> bytes:
    return given_bytes(Path(name), _MAX_ATTESTATION)


def _warn_of_felt_states(judged: Judged) -> None:
    words = evidence_words(judged.case.attestation)
    if words:
        say(f"in the attestation, {felt_state_warning(words)}")
