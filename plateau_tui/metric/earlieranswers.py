"""What the adjudicator answered before and answers otherwise now (seed §5: SR-2, SR-4).

The word rests on the answers that are judged. Those that stood in the journal before are quoted,
so that a second variable that was named and then withdrawn stays in the record.
"""

from collections.abc import Iterator

from plateau_tui.metric.attestation import Attestation
from plateau_tui.metric.casefile import Case
from plateau_tui.metric.evidence import EarlierAnswers
from plateau_tui.metric.outcome import Disclosure
from plateau_tui.metric.plain import times
from plateau_tui.metric.tables import shown


def earlier_answers(case: Case) -> Iterator[Disclosure]:
    """Yield the journal's answers that differ from those judged now in what decides."""
    for found in case.facts.answers:
        if found.attestation is None:
            text = f"answers {_when(found)} cannot be read: {shown(found.unreadable)}"
            yield Disclosure("answers_unreadable", None, None, text)
            continue
        said = "; ".join(_differences(found.attestation, case.attestation))
        if said:
            text = f"earlier answers {said} ({_when(found)})"
            yield Disclosure("answers_changed", None, None, text)


def _when(found: EarlierAnswers) -> str:
    by = f" by {shown(found.by, 80)}" if found.by else ""
    first = f"journaled {times(found.times)}, first " if found.times > 1 else "journaled "
    return f"{first}at {shown(found.ts, 40)}{by}"


def _differences(earlier: Attestation, now: Attestation) -> Iterator[str]:
    """Say what was answered then and is answered otherwise, or no longer, now.

    A question that was open then is no answer that changed.
    """
    if earlier.single_variable is not None and earlier.single_variable != now.single_variable:
        what = "the one registered variable alone"
        if not earlier.single_variable:
            what = "more than the one registered variable"
        yield f"said that the arms differed in {what}"
    named = [text for text in earlier.other_differences if text not in now.other_differences]
    if named:
        told = "; ".join(shown(text) for text in named)
        yield f"named {'another difference' if len(named) == 1 else 'other differences'}: {told}"
    answered = earlier.single_variable is not None or bool(earlier.other_differences)
    since = [text for text in now.other_differences if text not in earlier.other_differences]
    if answered and since:
        told = "; ".join(shown(text) for text in since)
        yield f"did not name what is named now: {told}"
    if earlier.case is not None and earlier.case != now.case:
        yield f"classified ({earlier.case}), with the evidence: {shown(earlier.evidence)}"
