"""The adjudicator's answers at close (seed §5: SR-2, SR-4): ``attestation.toml`` as a value.

An answer that is not given stays open. Nothing in an attestation can raise a verdict.
"""

from dataclasses import dataclass
from typing import Final, Literal, cast

from plateau_tui.metric.tables import Problems, Table, parse_toml

ClassificationCase = Literal["a", "b"]
_CASES: Final = ("a", "b")
_FILLERS: Final = frozenset("\u115f\u1160\u3164\uffa0")
"""Letters by their category that nobody can see."""


def says_something(text: str) -> bool:
    """Say whether a text has a letter or a digit; without one it is as good as blank."""
    return any(c.isalnum() and c not in _FILLERS for c in text)


@dataclass(frozen=True, slots=True)
class Attestation:
    """What the adjudicator answered; ``Attestation()`` is one in which nothing is answered.

    ``single_variable`` and ``other_differences`` answer SR-4: did the arms differ in the one
    registered variable alone, and in what else. ``case`` answers SR-2, (a) cure-ineffective or
    (b) structure-deficient, and never stands without its ``evidence``.
    """

    adjudicator: str = ""
    single_variable: bool | None = None
    other_differences: tuple[str, ...] = ()
    case: ClassificationCase | None = None
    evidence: str = ""


def parse_attestation(text: bytes, source: str = "attestation.toml") -> Attestation:
    """Read and validate an attestation; keys that are not there are questions left open.

    Args:
        text: the file's bytes.
        source: the file's name for messages.

    Raises:
        ConfigError: names every problem by its key's path; a syntax error by its line.

    """
    problems = Problems(source)
    attestation = _attestation(Table(parse_toml(text, source), "", problems))
    problems.raise_if_any()
    return attestation


def _attestation(top: Table) -> Attestation:
    top.known("adjudicator", "attribution", "classification")
    attribution = top.table("attribution")
    attribution.known("single_variable", "other_differences")
    differences = attribution.texts("other_differences")
    if not all(difference.strip() for difference in differences):
        attribution.wrong("other_differences", "an entry says in words what else differed")
    case, evidence = _classification(top.table("classification"))
    answered = bool(attribution.values) or case is not None
    return Attestation(
        adjudicator=top.text("adjudicator", None if answered else "", empty=not answered),
        single_variable=attribution.truth("single_variable"),
        other_differences=differences,
        case=case,
        evidence=evidence,
    )


def _classification(table: Table) -> tuple[ClassificationCase | None, str]:
    """Return the case and what shows it: §5 wants the one never without the other."""
    table.known("case", "evidence")
    if not table.values:
        return None, ""
    case = table.choice("case", _CASES) if "case" in table.values else ""
    if "case" not in table.values:
        table.wrong("case", 'is missing; it is "a" (cure-ineffective) or "b" (structure-deficient)')
    evidence = table.text("evidence")
    if evidence and not says_something(evidence):
        table.wrong("evidence", "must not be empty: it has no letter and no digit")
    return cast("ClassificationCase | None", case or None), evidence
