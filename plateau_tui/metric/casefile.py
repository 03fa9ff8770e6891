"""The case that the verdict is asked to judge, and all that it is made of."""

from dataclasses import dataclass, field

from plateau_tui.metric.attestation import Attestation
from plateau_tui.metric.evidence import (
    EarlierAnswers,
    FaultFact,
    Incident,
    JournalFacts,
    LogProblem,
    Missed,
    PinFact,
    Reading,
    SealBreak,
)
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.tally import WindowTally

__all__ = [
    "Case",
    "EarlierAnswers",
    "FaultFact",
    "Incident",
    "JournalFacts",
    "LogProblem",
    "Missed",
    "PinFact",
    "Reading",
    "SealBreak",
    "WindowTally",
]


@dataclass(frozen=True, slots=True)
class Case:
    """One run at its close, or so far.

    ``registration`` is the sealed one, the draft where nothing was sealed. ``tally`` was made
    from the same registration and facts, and has taken in the rows.
    """

    registration: Registration
    facts: JournalFacts
    tally: WindowTally
    attestation: Attestation = field(default_factory=Attestation)
