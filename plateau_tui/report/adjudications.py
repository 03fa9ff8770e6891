"""The journal's adjudications, each beside the word that the log gives under its answers.

The verdict is derived from the log and never from an ``adjudicated`` event; so an event that
says another word than the log gives is told as such.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from plateau_tui.metric.attestation import Attestation, parse_attestation
from plateau_tui.metric.casefile import Case
from plateau_tui.metric.outcome import Verdict
from plateau_tui.metric.tables import ConfigError
from plateau_tui.metric.verdict import adjudicate
from plateau_tui.report.facts import Adjudication

_UNREADABLE = "no word: these answers cannot be read"


@dataclass(frozen=True, slots=True)
class Heard:
    """One adjudication; ``log_gives`` is what the log gives instead, None where it is the same."""

    ts: str
    by: str
    attestation_sha256: str
    verdict: str
    final: bool
    log_gives: str | None

    @property
    def contradicted(self) -> bool:
        """Whether it says what the log cannot have given.

        A run that was void and has been mended since, by the registration put back, was rightly
        WITHHELD then: nothing was claimed.
        """
        return self.log_gives is not None and self.verdict != "WITHHELD"


def said(word: str, *, final: bool) -> str:
    """Return a verdict's word as it may be shown: an unfinished one never without saying so."""
    return word if final else f"{word} (not final)"


def heard(found: Sequence[Adjudication], case: Case, verdict: Verdict) -> Iterator[Heard]:
    """Yield each adjudication with what the log gives under the answers that it names.

    Args:
        found: the events, in their order.
        case: the run as it is now, under the attestation that counts.
        verdict: what ``case`` gives.

    """
    gives = {case.attestation: said(verdict.word, final=verdict.final)}
    for event in found:
        told = said(event.verdict, final=event.final)
        derived = _derived(event.text, case, gives)
        yield Heard(
            ts=event.ts,
            by=event.by,
            attestation_sha256=event.attestation_sha256,
            verdict=event.verdict,
            final=event.final,
            log_gives=None if derived == told else derived,
        )


def _derived(text: str, case: Case, gives: dict[Attestation, str]) -> str:
    try:
        answers = parse_attestation(text.encode("utf-8", "replace"))
    except ConfigError:
        return _UNREADABLE
    if answers not in gives:
        verdict = adjudicate(replace(case, attestation=answers))
        gives[answers] = said(verdict.word, final=verdict.final)
    return gives[answers]
