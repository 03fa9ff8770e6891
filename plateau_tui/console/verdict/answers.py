"""The adjudicator's answers as the form gives them: as a file, and the word that they lead to.

Nothing here writes. What an answer means is decided in ``metric`` alone.
"""

from dataclasses import dataclass, replace

import tomli_w

from plateau_tui.metric.attestation import Attestation, parse_attestation
from plateau_tui.metric.outcome import Disclosure
from plateau_tui.metric.verdict import adjudicate
from plateau_tui.report.gather import Judged


def attestation_text(answers: Attestation) -> bytes:
    """Return the bytes of an attestation.toml; what was not answered does not stand in it."""
    values: dict[str, object] = {"adjudicator": answers.adjudicator}
    attribution: dict[str, object] = {}
    if answers.single_variable is not None:
        attribution["single_variable"] = answers.single_variable
    if attribution or answers.other_differences:
        attribution["other_differences"] = list(answers.other_differences)
        values["attribution"] = attribution
    classification = {"case": answers.case, "evidence": answers.evidence}
    given = {name: value for name, value in classification.items() if value}
    if given:
        values["classification"] = given
    return tomli_w.dumps(values).encode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Preview:
    """What answers would lead to: the verdict under them, and what it discloses more and less."""

    text: bytes
    judged: Judged
    more: tuple[Disclosure, ...]
    less: tuple[Disclosure, ...]


def preview(judged: Judged, answers: Attestation) -> Preview:
    """Judge the same case under other answers; nothing is read or written.

    Raises:
        ConfigError: the answers do not make an attestation; each problem by its key.

    """
    text = attestation_text(answers)
    case = replace(judged.case, attestation=parse_attestation(text, "the answers"))
    verdict = adjudicate(case)
    before, after = judged.verdict.disclosures, verdict.disclosures
    return Preview(
        text=text,
        # Without the file's bytes nothing is said of whether the journal has them.
        judged=replace(judged, verdict=verdict, case=case, attestation_text=None),
        more=tuple(found for found in after if found not in before),
        less=tuple(found for found in before if found not in after),
    )


def may_ask_why(judged: Judged) -> bool:
    """Say whether SR-2 is asked once SR-4 is answered with yes."""
    attributed = replace(judged.case, attestation=Attestation(single_variable=True))
    return adjudicate(attributed).classification is not None
