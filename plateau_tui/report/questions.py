"""The questions that the rules put at the close (seed §5), and the file that answers them."""

import json
from textwrap import wrap
from typing import Final

from plateau_tui.metric.attestation import Attestation
from plateau_tui.metric.outcome import Verdict
from plateau_tui.metric.registration import Registration
from plateau_tui.metric.tables import shown

SR_4: Final = (
    "A plateau-break PASS is claimable only if the paired contrast isolates a single between-arm "
    "variable (the Phase-2 organ/coupling under test, docs/LAB_PROTOCOL.md:5-9). If a second "
    "variable entered the comparison, the result is voided and re-run clean — the metric is sound "
    "but the attribution is not, and an unattributable move of this metric is logged exploratory, "
    "never as evidence."
)
SR_2: Final = (
    "If a run is neither a clean PASS nor a clean FAIL, the adjudicator MUST first classify why:"
)
SR_2_A: Final = (
    "(a) cure-ineffective — the agent has the generative structure to place/diversify (the "
    "factors, actions, and B-transitions exist) but the cure did not move the behaviour. → record "
    "FAIL (or PARTIAL if one half held). Adding more structure is NOT licensed; the cure under "
    "test simply did not work."
)
SR_2_B: Final = (
    "(b) structure-deficient — the agent provably cannot do EFE over the target behaviour because "
    "it lacks the generative STRUCTURE (e.g. no factor/level/organ whose free energy "
    "placing-or-diversifying would minimise). → this is the only case in which R1 licenses ADDING "
    "HIERARCHY (more factors / levels / organs). The addition is itself a new cure and re-enters "
    "/lab-team-review + its own pre-registered RED; it does not convert the ambiguous run into a "
    "PASS."
)
SR_2_EVIDENCE: Final = (
    "The classification (a)/(b) MUST be stated in the verdict with its evidence (the brain probe "
    "showing the relevant factors/actions present-or-absent, COLLECTOR_RCON_BRIEF.md:183-206)."
)
_CELLS: Final = 80


def open_questions(verdict: Verdict, answers: Attestation) -> tuple[str, ...]:
    """Return which rules wait for an answer: ``SR-4``, ``SR-2``, both or none."""
    asked = []
    if answers.single_variable is None and not answers.other_differences and not verdict.final:
        asked.append("SR-4")
    if verdict.classification == "unclassified":
        asked.append("SR-2")
    return tuple(asked)


def skeleton(verdict: Verdict, registration: Registration, answers: Attestation) -> list[str]:
    """Return the lines of an attestation.toml to fill in; nothing where nothing is open.

    What was answered already stands in it, so that the file can be given as it is.
    """
    asked = open_questions(verdict, answers)
    if not asked:
        return []
    lines = [f"adjudicator = {_quoted(answers.adjudicator)}   # initials or name", ""]
    lines += ["[attribution]"]
    if "SR-4" in asked:
        lines += _comment(f"SR-4. {SR_4}", f"The registered variable: {registration.variable}")
        lines.append("# single_variable = true   # or false")
    elif answers.single_variable is not None:
        lines.append(f"single_variable = {str(answers.single_variable).lower()}")
    others = ", ".join(_quoted(other) for other in answers.other_differences)
    lines.append(f"other_differences = [{others}]   # one entry voids the result")
    if "SR-2" in asked:
        lines += ["", *_comment(f"SR-2. {SR_2}", SR_2_A, SR_2_B, SR_2_EVIDENCE)]
        lines += [
            "# [classification]",
            '# case = "a"   # or "b"',
            '# evidence = ""   # what shows it, with receipts',
        ]
    return lines


def _quoted(text: str) -> str:
    """Return a text in quotes; what JSON escapes TOML reads."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(*paragraphs: str) -> list[str]:
    return [
        line
        for text in paragraphs
        for line in wrap(
            shown(text, 2000), _CELLS, initial_indent="# ", subsequent_indent="#   ",
            break_on_hyphens=False,
        )
    ]  # fmt: skip
