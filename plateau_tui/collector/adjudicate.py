"""The adjudicator's answers at the close: judged, then kept in the journal and the run folder."""

from dataclasses import dataclass

from plateau_tui.collector.run import DeclinedError, OpenRun, open_run, require_no_export
from plateau_tui.metric.attestation import parse_attestation
from plateau_tui.metric.registration import seal_hash
from plateau_tui.metric.tables import ConfigError
from plateau_tui.report.gather import Judged, judge
from plateau_tui.report.names import ATTESTATION
from plateau_tui.runlog import events as ev
from plateau_tui.runlog.chainedfile import LogWriteError
from plateau_tui.runlog.layout import RunFolder, write_new
from plateau_tui.runlog.tomlfile import toml_bytes


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """A verdict under given answers; ``not_kept`` is why they were not kept, or None."""

    judged: Judged
    not_kept: str | None = None


def adjudicate_run(folder: RunFolder, text: bytes, by: str) -> Adjudicated:
    """Judge a run under an attestation, and keep the answers where its window is closed.

    An adjudicator may correct: the newest answers count, and the journal keeps all of them, each
    with the word that it led to. The same answers with the same word are written once.

    Args:
        folder: the run.
        text: the bytes of an attestation.toml.
        by: who is at the keyboard.

    Raises:
        ConfigError: the attestation cannot be used.
        DeclinedError: the folder is an export, or cannot be written.
        CollectorHoldsRunError: another process holds the run.
        LogWriteError: the journal cannot be written.

    """
    parse_attestation(text)
    require_no_export(folder)
    judged = judge(folder, text)
    reason = _not_to_be_kept(judged)
    if reason is not None:
        return Adjudicated(judged, reason)
    try:
        with open_run(folder) as run:
            _keep(run, judged, text, by)
    except ConfigError as error:
        return Adjudicated(judged, f"the answers were not kept: {error}")
    except LogWriteError:
        raise
    except OSError as error:
        raise DeclinedError(
            f"the answers cannot be kept in {folder.path}: {error.strerror}"
        ) from None
    return Adjudicated(judge(folder))


def _not_to_be_kept(judged: Judged) -> str | None:
    if judged.state.closed is None:
        return "the window is not closed: the answers were not kept; give them again at its close"
    if any(problem.code in {"torn_tail", "copied_tail"} for problem in judged.checked.problems):
        # Writing would move those bytes aside, and so mend what voids the run.
        return "a log of this closed run has bytes behind its last line: the answers were not kept"
    return None


def _keep(run: OpenRun, judged: Judged, text: bytes, by: str) -> None:
    verdict, last = judged.verdict, run.state.adjudicated
    answer = ev.Adjudicated(
        by=by,
        sha256=seal_hash(text),
        text=text.decode("utf-8"),
        verdict=verdict.word,
        final=verdict.final,
    )
    if last is None or (last.text, last.verdict, last.final) != (
        answer.text,
        answer.verdict,
        answer.final,
    ):
        run.writer.journal(answer)
        run.writer.require_written()
    path = run.folder.path / ATTESTATION
    if not path.exists() or toml_bytes(path) != text:
        write_new(path, text, run.folder.file_mode)
