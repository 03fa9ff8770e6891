"""The verdict on a terminal of 80 columns."""

from collections.abc import Iterable, Iterator
from textwrap import wrap
from typing import Final

from plateau_tui.metric.fence import CLAIM_FENCE_SHORT
from plateau_tui.metric.tables import shown
from plateau_tui.report import words
from plateau_tui.report.gather import Judged
from plateau_tui.report.questions import open_questions, skeleton
from plateau_tui.report.record import registration_difference

_CELLS: Final = 80
_PAIR: Final = "{:>4} {:16} {:5} {:11} {:11} {:11} {}"
_COUNT: Final = "{:30} {:>10} {:>10} {:>10} {:>10}"
_MAX_TEXT: Final = 4000


def screen_lines(judged: Judged, run: str) -> Iterator[str]:
    """Yield the verdict's lines; ``run`` is the run's name, for the commands to type."""
    verdict = judged.verdict
    yield CLAIM_FENCE_SHORT
    yield ""
    yield words.headline(verdict)
    yield words.FROM_0
    yield from _paragraphs((*verdict.reasons, *words.held_lines(verdict)))
    if judged.state.sealed is None or judged.seal_differs:
        yield from _paragraphs((words.sealed_when(judged),))
        yield from ("  | " + shown(line, _CELLS - 4) for line in registration_difference(judged))
    yield ""
    yield from _pairs(judged)
    yield ""
    yield _COUNT.format(*words.COUNT_HEAD).rstrip()
    yield from (_COUNT.format(shown(arm, 30), *cells) for arm, *cells in words.count_rows(judged))
    yield ""
    margin = judged.registration.gate.margin
    yield from _paragraphs(words.contrast_lines(verdict, margin))
    yield ""
    yield "Disclosures" if verdict.disclosures else "Disclosures: none"
    for line, below in words.disclosure_groups(verdict.disclosures):
        yield from _paragraphs((line,))
        yield from _paragraphs(below, "  ")
    yield ""
    yield from _paragraphs((*words.attribution(judged), *words.classification(judged)))
    yield from _paragraphs(words.contradicted_adjudications(judged))
    yield from _paragraphs(
        f"OPEN, a later gate (SR-3): {gate}" for gate in verdict.later_gates_open
    )
    yield ""
    yield from _next(judged, run)


def _pairs(judged: Judged) -> Iterator[str]:
    yield "Pairs, treatment first; the first cycle that showed it, from 0:"
    for number, name, _, live, *rest in (words.PAIR_HEAD, *words.pair_rows(judged.verdict.pairs)):
        yield _PAIR.format(number, name, live.partition(" ")[0], *rest).rstrip()


def _paragraphs(texts: Iterable[str], indent: str = "") -> Iterator[str]:
    for text in texts:
        yield from wrap(
            shown(text, _MAX_TEXT), _CELLS, initial_indent=f"{indent}- ",
            subsequent_indent=f"{indent}  ", break_on_hyphens=False,
        )  # fmt: skip


def _next(judged: Judged, run: str) -> Iterator[str]:
    """Yield what is open and what to do next."""
    if judged.state.sealed is None:
        yield f"Next: plateau-tui seal {run}, before the run."
        return
    if judged.state.closed is None:
        yield "Next: the window's end; a verdict before it is WITHHELD."
        return
    asked = open_questions(judged.verdict, judged.case.attestation)
    if not asked:
        yield f"Next: plateau-tui export {run}"
        return
    yield f"Open: {' and '.join(asked)}. Fill in this file (--questions FILE writes it), then:"
    yield f"  plateau-tui verdict {run} --attest FILE"
    yield ""
    yield from open_skeleton(judged)


def open_skeleton(judged: Judged) -> list[str]:
    """Return the lines of the attestation to fill in; nothing where nothing is to be answered.

    Before a seal and before the window's end nothing is asked.
    """
    if judged.state.sealed is None or judged.state.closed is None:
        return []
    return skeleton(judged.verdict, judged.registration, judged.case.attestation)
