"""What the verdict's screen asks for, as calls for a process apart: judge, keep answers, export."""

from dataclasses import dataclass, replace

from plateau_tui.collector.adjudicate import adjudicate_run
from plateau_tui.console.verdict.answers import may_ask_why
from plateau_tui.metric.fence import felt_state_warning
from plateau_tui.report.export import export_run
from plateau_tui.report.finals import FinalCounts
from plateau_tui.report.gather import Judged, judge
from plateau_tui.report.record import evidence_words
from plateau_tui.report.series import SeriesBook
from plateau_tui.report.words import headline
from plateau_tui.runlog.layout import RunFolder


@dataclass(frozen=True, slots=True)
class Sitting:
    """A verdict, and whether SR-2 is asked once SR-4 is answered with yes.

    What only plots need is left out of ``judged``; ``told`` is a line for the operator.
    """

    judged: Judged
    asks_why: bool
    told: str = ""


def sit(folder: RunFolder) -> Sitting:
    """Judge a run as it stands; nothing is written.

    Raises:
        ConfigError: the attestation cannot be used, or there is no registration that can.
        OSError: a file cannot be read.

    """
    return _sitting(judge(folder))


def keep_answers(folder: RunFolder, text: bytes, by: str) -> Sitting:
    """Write answers as ``verdict --attest`` does.

    Raises:
        ConfigError, DeclinedError, CollectorHoldsRunError, LogWriteError: as ``adjudicate_run``.

    """
    found = adjudicate_run(folder, text, by)
    if found.not_kept is not None:
        return replace(sit(folder), told=found.not_kept)
    felt = evidence_words(found.judged.case.attestation)
    warning = f"; in the answers, {felt_state_warning(felt)}" if felt else ""
    told = f"{headline(found.judged.verdict)}: the answers are kept{warning}"
    return replace(_sitting(found.judged), told=told)


def export(folder: RunFolder) -> Sitting:
    """Write the run's export, as the command does.

    Raises:
        PlaceTakenError, PlaceError, ConfigError: as ``export_run``.

    """
    done = export_run(folder)
    felt = evidence_words(done.judged.case.attestation)
    warning = f"; in the attestation, {felt_state_warning(felt)}" if felt else ""
    told = f"{headline(done.judged.verdict)}; exported to {done.path}{warning}"
    return replace(_sitting(done.judged), told=f"{told}; plateau-tui verify checks it")


def _sitting(judged: Judged) -> Sitting:
    registration = judged.registration
    light = replace(judged, series=SeriesBook(registration), finals=FinalCounts(registration))
    return Sitting(light, may_ask_why(judged))
