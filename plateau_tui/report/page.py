"""``verdict.md``: the verdict as a page for a person who has nothing but the export.

Whatever a person, a server or a file may have put into it is escaped, so that nothing renders as
markup. Cycles count from 0, as in rows.jsonl.
"""

from collections.abc import Iterable, Iterator
from typing import Final

from plateau_tui.metric.fence import CLAIM_FENCE, felt_state_warning, felt_state_words
from plateau_tui.metric.plain import counted
from plateau_tui.metric.registration import seal_hash
from plateau_tui.report import words
from plateau_tui.report.exploratory import exploratory
from plateau_tui.report.gather import Judged
from plateau_tui.report.markdown import plain, table, verbatim
from plateau_tui.report.names import PLOTS
from plateau_tui.report.plots import plot_titles
from plateau_tui.report.record import registration_difference
from plateau_tui.runlog.writer import TOOL

_HOW_TO_CHECK: Final = (
    "In this folder: sha256sum -c SHA256SUMS",
    "With the program, on any machine: plateau-tui verify FOLDER",
)


def page(judged: Judged) -> str:
    """Return the page as Markdown."""
    parts = (
        _head(judged),
        _claim(judged),
        _verdict(judged),
        _pairs(judged),
        _contrast(judged),
        _disclosures(judged),
        _adjudication(judged),
        _gates(judged),
        _registration(judged),
        _notes(judged),
        _plots(judged),
        _check(judged),
        _exploratory(judged),
    )
    return "\n\n".join("\n".join(lines) for part in parts if (lines := tuple(part))) + "\n"


def _bullets(texts: Iterable[str]) -> Iterator[str]:
    yield from (f"- {plain(text)}" for text in texts)


def _cells(rows: Iterable[tuple[str, ...]]) -> Iterator[list[str]]:
    yield from ([plain(cell) for cell in row] for row in rows)


def _head(judged: Judged) -> Iterator[str]:
    yield f"# {words.headline(judged.verdict)}: {plain(judged.registration.run_id)}"
    yield ""
    yield f"> {CLAIM_FENCE}"


def _claim(judged: Judged) -> Iterator[str]:
    yield "## What was claimed before the run"
    yield ""
    yield from _bullets((words.sealed_when(judged), *words.claim(judged.registration)))


def _verdict(judged: Judged) -> Iterator[str]:
    verdict = judged.verdict
    yield f"## Verdict: {words.headline(verdict)}"
    yield ""
    yield from _bullets((*verdict.reasons, *words.held_lines(verdict)))


def _pairs(judged: Judged) -> Iterator[str]:
    yield "## Pairs"
    yield ""
    yield "The cycle is the first one that showed it; cycles count from 0."
    yield ""
    yield from table(words.PAIR_HEAD, _cells(words.pair_rows(judged.verdict.pairs)))
    yield ""
    yield from table(words.COUNT_HEAD, _cells(words.count_rows(judged)))


def _contrast(judged: Judged) -> Iterator[str]:
    yield "## Contrast"
    yield ""
    margin = judged.registration.gate.margin
    yield from _bullets(words.contrast_lines(judged.verdict, margin))


def _disclosures(judged: Judged) -> Iterator[str]:
    yield "## Disclosures"
    yield ""
    found = judged.verdict.disclosures
    for line, below in words.disclosure_groups(found):
        yield f"- {plain(line)}"
        yield from (f"  - {plain(text)}" for text in below)
    if not found:
        yield "None."


def _adjudication(judged: Judged) -> Iterator[str]:
    yield "## The adjudicator's answers"
    yield ""
    yield from _bullets((*words.attribution(judged), *words.classification(judged)))
    earlier = tuple(words.earlier_adjudications(judged))
    if earlier:
        yield ""
        yield "Adjudications in the journal, in their order; the word does not depend on them:"
        yield ""
        yield from _bullets(earlier)


def _gates(judged: Judged) -> Iterator[str]:
    yield "## Later gates"
    yield ""
    gates = judged.verdict.later_gates_open
    yield from (f"- OPEN: {plain(gate)}" for gate in gates)
    if gates:
        yield ""
        yield (
            "Structure was borrowed from these. This verdict passes none of them: each asks for "
            "its own registered gate (SR-3)."
        )
    else:
        yield "No structure was borrowed from a later gate."


def _registration(judged: Judged) -> Iterator[str]:
    difference = registration_difference(judged)
    if not difference:
        return
    yield "## registration.toml is not what was sealed"
    yield ""
    yield from verbatim(difference)


def _notes(judged: Judged) -> Iterator[str]:
    if not judged.notes:
        return
    yield "## Notes from the journal"
    yield ""
    yield from _bullets(f"{note.ts} {note.by or 'unknown'}: {note.text}" for note in judged.notes)
    felt = felt_state_words(" ; ".join(note.text for note in judged.notes))
    if felt:
        yield f"- Of these notes: {plain(felt_state_warning(felt))}."
    if judged.notes_left_out:
        yield f"- and {judged.notes_left_out} more in journal.jsonl"


def _plots(judged: Judged) -> Iterator[str]:
    yield "## Counters over the window"
    for name, title in plot_titles(judged.series).items():
        yield ""
        yield f"![{plain(title)}]({PLOTS}/{name})"


def _check(judged: Judged) -> Iterator[str]:
    sealed, checked = judged.state.sealed, judged.checked
    now, answers = judged.registration_now, judged.attestation_text
    yield "## What this rests on, and how to check it"
    yield ""
    yield from table(
        ("what", "SHA-256 or chain"),
        (
            ("registration, as sealed", "none" if sealed is None else plain(sealed.sha256)),
            ("registration.toml, now", "unreadable" if now is None else seal_hash(now)),
            ("attestation.toml", "none" if answers is None else seal_hash(answers)),
            ("rows head", checked.rows_head or "none"),
            ("journal head", checked.journal_head or "none"),
        ),
    )
    yield ""
    rows, cycles = counted(checked.rows, "row"), counted(checked.cycles, "cycle")
    yield from _bullets(
        (
            f"Checked: {rows} in {cycles}; {_intact(judged)}.",
            *_HOW_TO_CHECK,
            "The heads show an edit only where they were published elsewhere: compare them.",
            f"Derived by {TOOL}.",
        )
    )


def _intact(judged: Judged) -> str:
    problems = judged.checked.problems
    return f"NOT intact, {counted(len(problems), 'finding')}" if problems else "intact"


def _exploratory(judged: Judged) -> Iterator[str]:
    yield "## Exploratory, not part of the verdict"
    yield ""
    yield from _bullets(exploratory(judged))
