"""The verdict as a record: what ``verdict --json`` prints and ``verdict.json`` holds.

Everything in it is derived from rows, journal, registration and attestation; so anyone who has
these can derive it again. ``journal_head`` is the chain of the journal's last line as it stands:
an adjudication that was journaled moves it, and the word does not depend on it.
"""

from typing import Final

import msgspec

from plateau_tui.metric.attestation import Attestation
from plateau_tui.metric.fence import CLAIM_FENCE, felt_state_words
from plateau_tui.metric.outcome import Classification, Contrast, Verdict
from plateau_tui.metric.registration import seal_hash
from plateau_tui.report.difference import gate_difference
from plateau_tui.report.gather import Judged
from plateau_tui.runlog.writer import TOOL

RECORD_SCHEMA: Final = "plateau_verdict/1"
_DECIMALS: Final = 9

Record = dict[str, object]


def record(judged: Judged) -> Record:
    """Return the record; JSON values only, keys in a fixed order."""
    verdict, state = judged.verdict, judged.state
    counts = {"treatment": verdict.counts_treatment, "control": verdict.counts_control}
    return {
        "verdict": verdict.word,
        "held": list(verdict.held),
        "not_held": list(verdict.not_held),
        "reasons": list(verdict.reasons),
        "codes": list(verdict.codes),
        "falsified": verdict.falsified,
        "classification": _classification(verdict),
        "counts": {role: msgspec.to_builtins(count) for role, count in counts.items()},
        "contrast": None if verdict.contrast is None else _contrast(verdict.contrast),
        "disclosures": [msgspec.to_builtins(found) for found in verdict.disclosures],
        "later_gates_open": list(verdict.later_gates_open),
        "claim_fence": CLAIM_FENCE,
        "registration_sha256": None if state.sealed is None else state.sealed.sha256,
        "rows_head": judged.checked.rows_head or None,
        "journal_head": judged.checked.journal_head or None,
        "final": verdict.final,
        **_more(judged),
    }


def _more(judged: Judged) -> Record:
    """Return what the record says beyond the keys that others rely on."""
    verdict, registration = judged.verdict, judged.registration
    now = judged.registration_now
    return {
        "schema": RECORD_SCHEMA,
        "tool": TOOL,
        "run_id": registration.run_id,
        "variable": registration.variable,
        "row": verdict.row,
        "rows_that_apply": list(verdict.rows_that_apply),
        "pairs": msgspec.to_builtins(verdict.pairs),
        "accept": registration.gate.accept,
        "registration_now_sha256": None if now is None else seal_hash(now),
        "registration_difference": registration_difference(judged),
        "attestation": _attestation(judged),
        "adjudications": msgspec.to_builtins(judged.adjudications),
        "felt_state_words": list(evidence_words(judged.case.attestation)),
    }


def encode_record(values: object) -> bytes:
    """Return the bytes of ``verdict.json``: two blanks a level, a newline at the end."""
    return msgspec.json.format(msgspec.json.encode(values), indent=2) + b"\n"


def as_json(values: Record) -> object:
    """Return a record as it comes back from JSON."""
    return msgspec.json.decode(msgspec.json.encode(values))


def registration_difference(judged: Judged) -> list[str]:
    """Return the unified diff from what was sealed to what registration.toml now says."""
    sealed = judged.state.sealed
    return [] if sealed is None else gate_difference(sealed.text, judged.registration_now)


def evidence_words(answers: Attestation) -> tuple[str, ...]:
    """Return the felt-state words in an adjudicator's texts (§0)."""
    return felt_state_words(" ; ".join((*answers.other_differences, answers.evidence)))


def _classification(verdict: Verdict) -> object:
    found = verdict.classification
    return msgspec.to_builtins(found) if isinstance(found, Classification) else found


def _contrast(contrast: Contrast) -> object:
    """Return the contrast; limits keep as many decimals as all mathematical libraries agree on."""
    values = msgspec.to_builtins(contrast)
    return {
        name: round(value, _DECIMALS) + 0.0 if isinstance(value, float) else value
        for name, value in values.items()
    }


def _attestation(judged: Judged) -> Record | None:
    """Return the answers that counted, and whether the journal has them."""
    text = judged.attestation_text
    if text is None:
        return None
    answers, last = judged.case.attestation, judged.state.adjudicated
    return {
        "sha256": seal_hash(text),
        "adjudicator": answers.adjudicator,
        "single_variable": answers.single_variable,
        "other_differences": list(answers.other_differences),
        "case": answers.case,
        "evidence": answers.evidence,
        "journaled": last is not None and last.text.encode("utf-8") == text,
    }
